# SPDX-License-Identifier: GPL-2.0
"""One guest: boot a kernel on a machine, run steps in it, and say what happened.

    guest = boot(load_machine("two-node"), "report hello </proc/version", timeout=60)
    guest.report.text("hello")

A guest that hangs, crashes, prints a bad line or has memory elsewhere than its
machine file says raises RunError, naming the place in console.log.
"""

import json
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pghotlab.base import paths
from pghotlab.base.arch import Arch, check_arch_modelled
from pghotlab.base.errors import RunError
from pghotlab.guest import initramfs, kernlog, template
from pghotlab.guest.console import (
    CONSOLE,
    REPORT,
    Progress,
    check_log,
    read_lines,
    stop,
    tail,
    watch,
)
from pghotlab.guest.report import Report, parse_report
from pghotlab.hardware import nodemap, qemu
from pghotlab.hardware.machine import Hmu, Machine, check_fits, check_modelled, host_available
from pghotlab.setup import fetch
from pghotlab.setup.fetch import Kernel


class StepsError(RunError):
    """The steps ended with a status that is not zero: the guest is `guest`."""

    def __init__(self, guest: "Guest") -> None:
        """guest: what it left behind."""
        self.guest = guest
        lines = guest.console
        super().__init__(
            f"{guest.folder / CONSOLE}:{len(lines)}: the steps ended with status {guest.status} in "
            f"phase {kernlog.last_phase(lines)!r}; the last lines:\n" + tail(lines)
        )


@dataclass(frozen=True)
class Guest:
    """What a guest that ran to its end left behind."""

    folder: Path
    command: list[str]
    kernel: str
    qemu: str
    report: Report
    console: list[str]
    regions: list[dict[str, Any]]
    """The plugin's measured regions; empty without the plugin."""
    censuses: list[list[dict[str, Any]]]
    """The plugin's censuses, each with one entry per node: frames, and how many of them memory
    served how often: never, once, 2 or 3 times, 4 to 7 times, ..."""
    seconds: float
    """Host time from start to power-off."""

    @property
    def status(self) -> int:
        """Exit status of the steps."""
        return self.report.statuses["steps"]


def _read_plugin(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    objects = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            objects.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise RunError(f"{path}:{number}: the plugin's line is not JSON: {error}") from None
    return objects


def _check_memory_map(machine: Machine, arch: Arch, report: Report, console: Path) -> None:
    try:
        guest = nodemap.parse_guest_map(report.text("memory_map"))
    except (KeyError, ValueError) as error:
        raise RunError(f"{console}: no usable memory map from the guest: {error}") from None
    found = nodemap.differences(machine, guest, arch)
    if found:
        raise RunError(
            f"{console}: the guest is not the machine {machine.path}: {'; '.join(found)}"
        )


def _make_hmu(machine: Machine, hmu: Hmu, file: Path, config: Path | None, seed: int) -> list[str]:
    """A monitoring unit's file, and QEMU's arguments for it; the plugin is told of it, too."""
    size = qemu.hmu_bytes(machine, hmu)
    file.touch()
    os.truncate(file, size)
    if config:
        with config.open("a") as text:
            text.write(qemu.hmu_config(hmu, file, seed))
    return qemu.hmu_arguments(file, size)


def boot(
    machine: Machine,
    steps: str,
    *,
    timeout: float,
    kernel: Kernel | None = None,
    modules: Mapping[str, Path] | None = None,
    packages: Path | None = None,
    common: Mapping[str, Path] | None = None,
    plugin: Path | None = None,
    seed: int = 1,
    folder: Path | None = None,
    kernel_arguments: str = "",
    hmu: Hmu | None = None,
    progress: Progress | None = None,
    check_status: bool = True,
) -> Guest:
    """Boot the machine, run the steps (shell, see lab/guest/init) and wait for the power-off.

    modules: files to put into the guest, by guest path, such as {"lib/pghot.ko": path}.
    packages: an archive of packages.py, to put into the guest.
    common: files that many guests have, by guest path. With them, or with the memory model, the
        guest is not booted: it goes on where one with these files and packages was saved
        (template.py). With common files the architecture has to allow that, and there can be no
        monitoring unit. Guests with the memory model are booted otherwise.
    plugin: the memory model; without it the guest is quick, and its clock is the host's.
    timeout: host seconds until the guest counts as hung, with the stock kernel.
    kernel: the stock kernel when not given.
    folder: where console.log, report.txt and the rest go; build/vm/last when not given.
    hmu: the monitoring unit to give the guest; without the plugin an ivshmem device of zeroes.
    check_status: whether a non-zero status of the steps is an error, StepsError.
    """
    kernel = kernel or fetch.kernel()
    goes_on = not hmu and kernel.arch.saved
    if common is not None and not goes_on:
        raise ValueError("such a guest has to be booted")
    goes_on &= common is not None or plugin is not None
    if plugin:
        check_modelled(machine)
        check_arch_modelled(kernel.arch, kernel.release)
    check_fits(machine, host_available())
    folder = folder or paths.KERNEL_BUILD / "vm" / "last"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    console, reports, counts = (folder / n for n in (CONSOLE, REPORT, template.COUNTS))
    config, archive = folder / template.CONFIG, folder / "initramfs.cpio"
    own = initramfs.build_run(steps, modules or {})
    base = initramfs.build_base(kernel.busybox, kernel.programs)
    shared = [base, packages.read_bytes() if packages else b""]
    if plugin:
        config.write_text(qemu.plugin_config(machine, counts, folder / "pages.u32"))
    device = []
    if hmu:
        device = _make_hmu(machine, hmu, folder / "hmu.shm", config if plugin else None, seed)
    command = [
        *fetch.qemu_command(kernel.arch),
        *qemu.machine_arguments(machine, seed, kernel.arch),
        *device,
    ]
    accelerator = qemu.accelerator_arguments(plugin, config, kernel.arch)
    words = [
        *qemu.kernel_arguments(machine, kernel.arch),
        *kernel.arguments,
        kernel_arguments,
    ]
    told = " ".join(words).strip()
    started = time.monotonic()
    if goes_on:
        shared.insert(1, initramfs.build_files(common or {}))
        model = machine if plugin else None
        saved = template.saved(
            command, kernel, told, b"".join(shared), model=model, progress=progress
        )
        archive.write_bytes(own)
        if plugin:
            with config.open("a") as text:
                text.write(saved.config())
        command += accelerator
        command += saved.arguments(archive)
        command += saved.begin(console, reports)
    else:
        archive.write_bytes(b"".join([*shared, own]))
        command += accelerator
        command += ["-kernel", str(kernel.vmlinuz), "-append", told, "-initrd", str(archive)]
        command += qemu.serial_arguments(console, reports)
    (folder / "command").write_text(shlex.join(command) + "\n")
    stderr = folder / "qemu.stderr"
    with stderr.open("wb") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        try:
            watch(process, console, timeout, kernel.slowdown, progress=progress)
        finally:
            stop(process)
    seconds = time.monotonic() - started
    archive.unlink()

    lines = read_lines(console)
    if process.returncode != 0:
        said = stderr.read_text(errors="replace").strip()
        raise RunError(f"QEMU ended with status {process.returncode}: {said} ({stderr})")
    check_log(console, lines)
    report = parse_report("\n".join(read_lines(reports)))
    if "steps" not in report.statuses:
        raise RunError(
            f"{console}:{len(lines)}: the guest ended without the status of its steps; "
            "its last lines:\n" + tail(lines)
        )
    if report.unfinished:
        raise RunError(f"{reports}: block {report.unfinished!r} has no end")
    _check_memory_map(machine, kernel.arch, report, console)
    counted = _read_plugin(counts)
    guest = Guest(
        folder=folder,
        command=command,
        kernel=kernel.release,
        qemu=fetch.qemu_version(kernel.arch),
        report=report,
        console=lines,
        regions=[one for one in counted if "census" not in one],
        censuses=[one["census"] for one in counted if "census" in one],
        seconds=seconds,
    )
    if check_status and guest.status != 0:
        raise StepsError(guest)
    return guest
