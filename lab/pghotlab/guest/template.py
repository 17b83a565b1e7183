# SPDX-License-Identifier: GPL-2.0
"""Guests that are booted once and saved, so that others begin where they were.

A guest takes seconds to boot, and most tests take less. A *template* is a guest without steps. It
boots, says so (lab/guest/init), and waits for an archive with the steps of a run. Here it is saved:
QEMU writes its memory and its devices to a file, as it does for a migration to another host. Each
run is then a new process of QEMU that reads this file, and hands in its own archive. The guest's
clock goes on from where it was.
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
from pghotlab.guest.console import CONSOLE, REPORT, check_log, read_lines, stop, watch
from pghotlab.hardware import qemu
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
FORMAT = ("-global", "migration.mapped-ram=on")
STATE = "state"


@dataclass(frozen=True)
class Template:
    """A guest that was saved, and what it had printed by then."""

    folder: Path

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
    control.ask("migrate", uri=f"file:{state}")
    while (status := control.ask("query-migrate"))["status"] != "completed":
        if status["status"] in ("failed", "cancelled"):
            raise RunError(f"QEMU cannot save the guest: {status.get('error-desc', status)}")
        time.sleep(POLL_SECONDS)
    control.ask("quit")


def _make(folder: Path, command: Sequence[str], archive: bytes, slowdown: int) -> None:
    """Boot a guest and save it in the folder."""
    initrd, console, reports = folder / "initramfs.cpio", folder / CONSOLE, folder / REPORT
    initrd.write_bytes(archive)
    boots = [
        *command,
        *("-initrd", str(initrd)),
        *qemu.serial_arguments(console, reports),
        *FORMAT,
        *("-fw_cfg", f"name={RUN_FILE},string=wait"),
        *("-qmp", "stdio"),
    ]
    with (
        (folder / "qemu.stderr").open("wb") as errors,
        subprocess.Popen(
            boots, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            watch(process, console, BOOT_SECONDS, slowdown, phase=PHASE)
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


def saved(command: Sequence[str], kernel: Kernel, words: str, archive: bytes) -> Template:
    """The template of these guests; booted and saved if there is none.

    command: QEMU's, without the kernel and without files of a run. words: what the kernel is told.
    archive: what is in the initial file system. Two processes may ask at once. RunError if the
    guest does not boot or cannot be saved.
    """
    image = kernel.vmlinuz
    boots = [*command, *("-kernel", str(image), "-append", words)]
    described = json.dumps([fetch.qemu_version(), *boots]).encode()
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
            _make(half, boots, archive, kernel.slowdown)
            half.rename(folder)
    os.utime(folder)
    return Template(folder)
