# SPDX-License-Identifier: GPL-2.0
"""A Debian in a guest, used as a person does: by its console."""

import re
import shlex
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from pghotlab.base.errors import RunError
from pghotlab.hardware import qemu
from pghotlab.hardware.machine import load_machine
from pghotlab.setup import fetch

MACHINE = "two-node"
# The guest's clock counts instructions, 4 ns each, while it is not idle. So deadlines in the guest
# hold on a host that has other things to do. Those of the host are for a guest that hangs.
CLOCK = ("-icount", "shift=2,sleep=on")
BOOT_SECONDS = 1800
COMMAND_SECONDS = 900
# Until a machine that is shut down has switched itself off.
END_SECONDS = 600
# A console of which each character takes the host's time gets only what went wrong, and nothing is
# done anew only because Debian has just been installed.
QUICK = "loglevel=4 systemd.condition_needs_update=0"
PROMPT = "ready> "
POLL = 0.5
# What a terminal is told in between: colours, and the like.
CONTROL = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])")
BEGUN = re.compile(r"\x1b(\[[0-9;?]*|\][^\x07]*)?$")


def command_line() -> str:
    """What every kernel is told."""
    told = qemu.kernel_arguments(load_machine(MACHINE))
    return f"root=LABEL=root rw console=ttyS0 {' '.join(told)} {QUICK}"


def direct(vmlinuz: Path, initrd: Path) -> list[str]:
    """QEMU's arguments for a kernel that it boots itself, without a boot loader."""
    return ["-kernel", str(vmlinuz), "-initrd", str(initrd), "-append", command_line()]


class Console:
    """A machine with a disk, and its serial console. It runs while the block does."""

    def __init__(self, name: str, booted: Sequence[str], disk: Path, folder: Path) -> None:
        """name: of this boot. booted: QEMU's arguments for what is booted.

        folder: for what the machine leaves behind: its console's log, QEMU's command.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / f"console-{name}.log"
        self._log.unlink(missing_ok=True)
        self._socket = folder / "console.sock"
        command = [
            *fetch.qemu_command(),
            *qemu.machine_arguments(load_machine(MACHINE), 1),
            *qemu.accelerator_arguments(None, Path()),
            *CLOCK,
            *booted,
            *("-drive", f"file={disk},format=raw,if=virtio,cache=unsafe"),
            *("-chardev", f"socket,id=console,path={self._socket},server=on,wait=on"),
            *("-serial", "chardev:console"),
        ]
        (folder / "command").write_text(shlex.join(command) + "\n")
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self._text = ""
        self._part = ""

    def _connect(self) -> socket.socket:
        deadline = time.monotonic() + 60
        while True:
            line = socket.socket(socket.AF_UNIX)
            try:
                line.connect(str(self._socket))
            except OSError:
                line.close()
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise RunError("QEMU does not open the guest's console") from None
                time.sleep(POLL)
            else:
                line.settimeout(POLL)
                return line

    def __enter__(self) -> Self:
        try:
            self._line = self._connect()
        except BaseException:
            self._stop()
            raise
        return self

    def _stop(self) -> None:
        """Make an end of it, whatever it does."""
        self._process.kill()
        self._process.wait()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Switch it off, if nothing went wrong. RunError if it does not end then."""
        try:
            if kind is None:
                self._switch_off()
                self._wait_for_end()
        finally:
            self._stop()
            self._line.close()

    def _switch_off(self) -> None:
        """What is needed for that: nothing if it is about to do so by itself."""

    def _wait_for_end(self) -> None:
        """Read what it says until then: it waits for a reader once the socket is full.

        A socket takes 278 characters that nobody has read, as QEMU hands each over by itself.
        """
        deadline = time.monotonic() + END_SECONDS
        while self._read():
            if time.monotonic() > deadline:
                raise RunError(f"{self._log}: not off after {END_SECONDS} s; {self._last()}")
        self._process.wait()

    def type(self, keys: str) -> None:
        """Press keys."""
        self._line.sendall(keys.encode())

    def _plain(self, new: bytes) -> str:
        """The text without what controls a terminal, of which a part may still be to come."""
        text = self._part + new.decode(errors="replace").replace("\r", "")
        whole, self._part = text, ""
        if begun := BEGUN.search(text):
            whole, self._part = text[: begun.start()], begun[0]
        return CONTROL.sub("", whole)

    def _read(self) -> bool:
        """Take what the console has said within POLL seconds: whether there still is a console."""
        try:
            new = self._line.recv(65536)
        except TimeoutError:
            return True
        shown = self._plain(new)
        self._text += shown
        with self._log.open("a") as file:
            file.write(shown)
        return bool(new)

    def _last(self) -> str:
        """Its last words, for a message."""
        return "\n  ".join(["last:", *self._text.splitlines()[-8:]])

    def wait_for(self, text: str, seconds: float) -> str:
        """What the console said up to a text, which is left out."""
        deadline = time.monotonic() + seconds
        while text not in self._text:
            if not self._read() or time.monotonic() > deadline:
                raise RunError(f"{self._log}: no {text!r} in {seconds:.0f} s; {self._last()}")
        before, _, self._text = self._text.partition(text)
        return before


class Guest(Console):
    """A Debian in which root is logged in. Its commands and answers go to a transcript."""

    def __init__(
        self, name: str, booted: Sequence[str], disk: Path, folder: Path, transcript: Path
    ) -> None:
        super().__init__(name, booted, disk, folder)
        self._transcript = transcript

    def __enter__(self) -> Self:
        """Wait for the login, and log in. A guest that does not come so far is stopped."""
        super().__enter__()
        try:
            self._log_in()
        except BaseException:
            self._stop()
            raise
        return self

    def _log_in(self) -> None:
        self.wait_for("login: ", BOOT_SECONDS)
        self.type("root\n")
        self.wait_for("# ", COMMAND_SECONDS)
        # No colours, no line editing, no echo of what is typed.
        self.type(f"stty -echo cols 200; export TERM=dumb PS1='{PROMPT[:-1]}'' '; bind off\n")
        self.wait_for(PROMPT, COMMAND_SECONDS)
        # The kernel's own words are in its log.
        self.type("dmesg -n 1\n")
        self.wait_for(PROMPT, COMMAND_SECONDS)

    def _switch_off(self) -> None:
        """So that all is on the disk."""
        self.type("poweroff\n")

    def sh(
        self,
        command: str,
        status: int = 0,
        seconds: float = COMMAND_SECONDS,
        answers: Sequence[tuple[str, str]] = (),
    ) -> str:
        """Run a command; what it printed. RunError if its exit status is another one.

        answers: what it asks for, and what is typed then.
        """
        self.type(f"{command}; echo status=$?\n")
        said = ""
        for question, answer in answers:
            said += self.wait_for(question, seconds) + question + "\n"
            self.type(f"{answer}\n")
        said += self.wait_for(PROMPT, seconds)
        text, _, found = said.rpartition("status=")
        with self._transcript.open("a") as file:
            file.write(f"# {command}\n{text}")
        if not found.strip().isdigit() or int(found) != status:
            raise RunError(f"{self._log}: {command}: status {found.strip()}, not {status}:\n{text}")
        return text
