# SPDX-License-Identifier: GPL-2.0
"""A guest's kernel log while it grows, and the process that writes it."""

import contextlib
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pghotlab.base.errors import RunError
from pghotlab.guest import kernlog

POLL_SECONDS = 0.1
STOP_SECONDS = 10
AFTER_BAD_SECONDS = 2
# Lines of context when a guest fails without a bad line.
TAIL_LINES = 5
# A guest's kernel log, in its folder.
CONSOLE = "console.log"
# What it reports, by its second serial line.
REPORT = "report.txt"

Progress = Callable[[str, float], None]
"""Called now and then with the guest's phase and its clock (seconds in its log)."""


def tail(lines: list[str]) -> str:
    """The last lines, for a message."""
    return "\n".join(f"  {line}" for line in lines[-TAIL_LINES:])


def read_lines(path: Path) -> list[str]:
    """The lines of a file that a guest writes; none if there is no such file."""
    if not path.exists():
        return []
    return path.read_text(errors="replace").replace("\r", "").splitlines()


class Console:
    """The guest's console while it grows. Each line is read, and looked at, once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[str] = []
        self.is_bad = False
        self._read = 0

    def update(self) -> None:
        """Read the lines that are complete by now."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        new = new[: new.rfind(b"\n") + 1]
        self._read += len(new)
        lines = new.decode(errors="replace").replace("\r", "").splitlines()
        # Whether a line is bad depends on those before it.
        self.is_bad |= kernlog.find_bad([*self.lines[-kernlog.STACK :], *lines]) is not None
        self.lines += lines


def stop(process: subprocess.Popen[Any]) -> None:
    """End a guest's QEMU, if it has not ended."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def check_log(console: Path, lines: list[str]) -> None:
    """RunError with the place of the first bad line."""
    bad = kernlog.find_bad(lines)
    if bad:
        raise RunError(f"{console}:{bad.number}: {bad.text.strip()}")


def watch(
    process: subprocess.Popen[Any],
    console: Path,
    timeout: float,
    slowdown: int,
    *,
    progress: Progress | None = None,
    phase: str | None = None,
) -> None:
    """Wait for the guest's end, or for a phase of it.

    timeout: seconds with the stock kernel, times slowdown. RunError on a bad line or when the time
    is up.
    """
    timeout *= slowdown
    deadline = time.monotonic() + timeout
    growing = Console(console)
    while True:
        try:
            process.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        else:
            return
        growing.update()
        if phase and kernlog.last_phase(growing.lines) == phase:
            return
        if growing.is_bad:
            # What follows a bad line says why: let the guest write it.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(AFTER_BAD_SECONDS * slowdown)
            check_log(console, read_lines(console))
        if time.monotonic() > deadline:
            raise RunError(
                f"{console}:{len(growing.lines)}: the guest hangs in phase "
                f"{kernlog.last_phase(growing.lines)!r}: no end after {timeout:.0f} s; "
                "its last lines:\n" + tail(growing.lines)
            )
        if progress:
            progress(kernlog.last_phase(growing.lines), kernlog.guest_seconds(growing.lines))
