# SPDX-License-Identifier: GPL-2.0
"""A Debian in a guest, used as a person does: by its console, logged in as root."""

import re
import shlex
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from pghotlab.base.errors import RunError
from pghotlab.hardware import qemu
from pghotlab.hardware.machine import load_machine
from pghotlab.setup import fetch

BOOT_SECONDS = 600
PROMPT = "ready> "
POLL = 0.5
# What a terminal is told in between: colours, and the like.
CONTROL = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])")


class Guest:
    """A guest that runs while the block does."""

    def __init__(
        self, disk: Path, vmlinuz: Path, initrd: Path, folder: Path, transcript: Path
    ) -> None:
        """vmlinuz, initrd: the kernel that is booted. folder: for what the guest leaves behind."""
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / f"console-{initrd.name.removeprefix('initrd.img-')}.log"
        self._socket = folder / "console.sock"
        self._transcript = transcript
        machine = load_machine("two-node")
        arguments = f"root=LABEL=root rw console=ttyS0 {' '.join(qemu.kernel_arguments(machine))}"
        command = [
            *fetch.qemu_command(),
            *qemu.machine_arguments(machine, 1),
            *qemu.accelerator_arguments(None, Path()),
            *("-kernel", str(vmlinuz)),
            *("-initrd", str(initrd)),
            *("-append", arguments),
            *("-drive", f"file={disk},format=raw,if=virtio,cache=unsafe"),
            *("-chardev", f"socket,id=console,path={self._socket},server=on,wait=on"),
            *("-serial", "chardev:console"),
        ]
        (folder / "command").write_text(shlex.join(command) + "\n")
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self._text = ""

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
        """Wait for the login, and log in. A guest that does not come so far is stopped."""
        try:
            self._line = self._connect()
            self._log_in()
        except BaseException:
            self._stop(0)
            raise
        return self

    def _log_in(self) -> None:
        self.wait_for("login: ", BOOT_SECONDS)
        self._send("root")
        self.wait_for("# ", 120)
        # No colours, no line editing, no echo of what is typed.
        self._send(f"stty -echo cols 200; export TERM=dumb PS1='{PROMPT[:-1]}'' '; bind off")
        self.wait_for(PROMPT, 60)
        # The kernel's own words are in its log.
        self._send("dmesg -n 1")
        self.wait_for(PROMPT, 60)

    def _stop(self, seconds: float) -> None:
        """Wait for the end, and make an end of it if there is none."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Switch it off, so that all is on the disk."""
        if kind is None:
            self._send("poweroff")
        self._stop(180 if kind is None else 1)
        self._line.close()

    def _send(self, text: str) -> None:
        self._line.sendall(f"{text}\n".encode())

    def wait_for(self, text: str, seconds: float) -> str:
        """What the console said up to a text, which is left out."""
        deadline = time.monotonic() + seconds
        while text not in self._text:
            try:
                new = self._line.recv(65536)
            except TimeoutError:
                new = None
            if new:
                shown = CONTROL.sub("", new.decode(errors="replace").replace("\r", ""))
                self._text += shown
                with self._log.open("a") as file:
                    file.write(shown)
            if new == b"" or time.monotonic() > deadline:
                last = "\n  ".join(self._text.splitlines()[-8:])
                raise RunError(f"{self._log}: no {text!r} in {seconds:.0f} s; last:\n  {last}")
        before, _, self._text = self._text.partition(text)
        return before

    def sh(self, command: str, status: int = 0, seconds: float = 300) -> str:
        """Run a command; what it printed. RunError if its exit status is another one."""
        self._send(f"{command}; echo status=$?")
        said = self.wait_for(PROMPT, seconds)
        text, _, found = said.rpartition("status=")
        with self._transcript.open("a") as file:
            file.write(f"# {command}\n{text}")
        if not found.strip().isdigit() or int(found) != status:
            raise RunError(f"{self._log}: {command}: status {found.strip()}, not {status}:\n{text}")
        return text
