# SPDX-License-Identifier: GPL-2.0
"""Guests that are booted once and saved, so that others begin where they were.

A guest takes seconds to boot, and most tests take less. A *template* is a guest without steps. It
boots, says so (lab/guest/init), and waits for an archive with the steps of a run. Here it is saved:
QEMU writes its memory and its devices to a file, as it does for a migration to another host. Each
run is then a new process of QEMU that reads this file, and hands in its own archive. The guest's
clock goes on from where it was.

With the memory model the guest's time stands still while it waits, so that all that go on from a
template do so at the same time, to the picosecond. The model has nothing else to keep: it looks at
memory only when the guest asks for that.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pghotlab.base import paths
from pghotlab.base.errors import RunError
from pghotlab.guest.console import CONSOLE, REPORT, Progress, check_log, read_lines, stop, watch
from pghotlab.hardware import qemu
from pghotlab.hardware.machine import Machine
from pghotlab.setup import fetch
from pghotlab.setup.fetch import Kernel

FOLDER = paths.KERNEL_BUILD / "templates"
# Where the guest waits, as lab/guest/init says it.
PHASE = "template"
# QEMU's file for the guest, as lab/guest/init asks for it.
RUN_FILE = "opt/pghot/run"
BOOT_SECONDS = 300
POLL_SECONDS = 0.05
# Each has as many bytes as its guest has touched, some 200 MB.
UNUSED_SECONDS = 24 * 3600
# Pages of the guest have fixed places in the file, and are read from there.
FORMAT = (
    *("-global", "migration.mapped-ram=on"),
    # It is stopped while it is saved. Guests that go on from there are to do so by themselves.
    *("-global", "migration.store-global-state=off"),
)
STATE = "state"
INITRD = "initramfs.cpio"
# Of a guest with the memory model: its configuration, what the model writes, and the key of the
# line that says when time stood still.
CONFIG = "plugin.conf"
COUNTS = "plugin.jsonl"
FROZEN = "frozen_ps"
# From then on, time of the host in which CPUs that still work come to rest.
REST_SECONDS = 0.5


@dataclass(frozen=True)
class Template:
    """A guest that was saved, and what it had printed by then."""

    folder: Path
    frozen_ps: int | None
    """With the memory model: the model's time at which guests go on, in picoseconds."""

    def config(self) -> str:
        """Lines of the memory model's configuration for a guest that goes on from here."""
        return "" if self.frozen_ps is None else f"{FROZEN} {self.frozen_ps}\n"

    def arguments(self, archive: Path) -> list[str]:
        """QEMU's arguments for a guest that goes on from here with an archive."""
        return [
            *FORMAT,
            *("-incoming", f"file:{self.folder / STATE}"),
            *("-fw_cfg", f"name={RUN_FILE},file={archive}"),
        ]

    def begin(self, console: Path, reports: Path) -> list[str]:
        """Begin these files with those of the template; QEMU's arguments that go on with them."""
        shutil.copyfile(self.folder / CONSOLE, console)
        shutil.copyfile(self.folder / REPORT, reports)
        return qemu.serial_arguments(console, reports)


class _Control:
    """QEMU's control channel (QMP), on its standard input and output."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, command: str, **arguments: str) -> Any:
        """Run a command; what it returns. RunError if it fails."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.process.stdin.flush()
        # Events, and the greeting, come in between.
        for line in self.process.stdout:
            answer = json.loads(line)
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise RunError(f"QEMU: {command}: {answer['error']['desc']}")
        raise RunError(f"QEMU ended when it was told to {command}")


def _save(control: _Control, state: Path) -> None:
    control.ask("qmp_capabilities")
    # What a guest changes while its memory is written may be lost. On a busy host its CPUs may
    # still work.
    control.ask("stop")
    control.ask("migrate", uri=f"file:{state}")
    while (status := control.ask("query-migrate"))["status"] != "completed":
        if status["status"] in ("failed", "cancelled"):
            raise RunError(f"QEMU cannot save the guest: {status.get('error-desc', status)}")
        time.sleep(POLL_SECONDS)
    control.ask("quit")


def _read_frozen(folder: Path) -> int | None:
    """When the model's time stood still, ps; None if it did not, or has not yet."""
    counts = folder / COUNTS
    text = counts.read_text() if counts.exists() else ""
    if not text.endswith("\n"):
        return None
    frozen: int = json.loads(text)[FROZEN]
    return frozen


def _wait_frozen(folder: Path, process: subprocess.Popen[str], slowdown: int) -> None:
    deadline = time.monotonic() + BOOT_SECONDS * slowdown
    while _read_frozen(folder) is None:
        if process.poll() is not None or time.monotonic() > deadline:
            raise RunError(f"{folder / COUNTS}: the guest's time does not stand still")
        time.sleep(POLL_SECONDS)
    time.sleep(REST_SECONDS)


def _make(
    folder: Path,
    command: Sequence[str],
    slowdown: int,
    model: Machine | None,
    progress: Progress | None,
) -> None:
    """Boot a guest with the initial file system that is in the folder, and save it there."""
    initrd, console, reports = folder / INITRD, folder / CONSOLE, folder / REPORT
    config = folder / CONFIG
    if model:
        config.write_text(qemu.plugin_config(model, folder / COUNTS, folder / "pages.u32"))
    boots = [
        *command,
        *qemu.accelerator_arguments(qemu.plugin_of(model) if model else None, config),
        *("-initrd", str(initrd)),
        *qemu.serial_arguments(console, reports),
        *FORMAT,
        *("-fw_cfg", f"name={RUN_FILE},string={'freeze' if model else 'wait'}"),
        *("-qmp", "stdio"),
    ]
    with (
        (folder / "qemu.stderr").open("wb") as errors,
        subprocess.Popen(
            boots, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            watch(process, console, BOOT_SECONDS, slowdown, progress=progress, phase=PHASE)
            if model:
                _wait_frozen(folder, process, slowdown)
            _save(_Control(process), folder / STATE)
            process.wait()
        finally:
            stop(process)
    check_log(console, read_lines(console))
    initrd.unlink()


def _remove_unused() -> None:
    for folder in FOLDER.iterdir():
        if folder.is_dir() and time.time() - folder.stat().st_mtime > UNUSED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _model_of(machine: Machine) -> bytes:
    """All that the memory model of a machine is made of."""
    config = qemu.plugin_config(machine, Path(COUNTS), Path())
    return config.encode() + qemu.plugin_of(machine).read_bytes()


def saved(
    command: Sequence[str],
    kernel: Kernel,
    words: str,
    archive: bytes,
    *,
    model: Machine | None = None,
    progress: Progress | None = None,
) -> Template:
    """The template of these guests; booted and saved if there is none.

    command: QEMU's, without the kernel, the accelerator and files of a run. words: what the kernel
    is told. archive: what is in the initial file system. model: the machine, if its guests have the
    memory model. progress: called while the guest boots. Two processes may ask at once. RunError
    if the guest does not boot or cannot be saved.
    """
    image = kernel.vmlinuz
    boots = [*command, *("-kernel", str(image), "-append", words)]
    described = json.dumps([fetch.qemu_version(), *boots, *FORMAT]).encode()
    if model:
        described += _model_of(model)
    name = hashlib.sha256(described + image.read_bytes() + archive).hexdigest()[:16]
    folder = FOLDER / name
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            _remove_unused()
            half = FOLDER / f"{name}.half"
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir()
            (half / INITRD).write_bytes(archive)
            _make(half, boots, kernel.slowdown, model, progress)
            half.rename(folder)
    os.utime(folder)
    return Template(folder, _read_frozen(folder))
