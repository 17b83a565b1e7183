# SPDX-License-Identifier: GPL-2.0
"""The file system that everything is read from: the machine's own, or a made-up tree of a test."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pghot.errors import PghotError

# How much of the kernel's log a read takes at once: a record of /dev/kmsg is not longer.
RECORD = 8192


def parse_list(text: str) -> list[int]:
    """Numbers as the kernel lists nodes and CPUs: "0-2,5"; ValueError if it is no such list."""
    numbers: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def format_list(numbers: list[int]) -> str:
    """The same, the other way: "0-2,5"; "none" if there are none."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][-1] == number - 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts) or "none"


class Root:
    """The files below a folder. Paths are given without the slash in front: "proc/meminfo"."""

    def __init__(self, folder: Path = Path("/")) -> None:
        self.folder = folder

    @property
    def is_real(self) -> bool:
        """Whether this is the machine itself, on which system calls make sense."""
        return self.folder == Path("/")

    def path(self, name: str) -> Path:
        """Where a file is."""
        return self.folder / name

    def has(self, name: str) -> bool:
        """Whether there is such a file or folder, as far as one may see."""
        try:
            return self.path(name).exists()
        except OSError:
            return False

    def text(self, name: str) -> str | None:
        """What is in a file, without the white space around it; None if it cannot be read."""
        try:
            return self.path(name).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def lines(self, name: str) -> list[str]:
        """The lines of a file; none if it cannot be read."""
        return (self.text(name) or "").splitlines()

    def number(self, name: str) -> int | None:
        """The number that is in a file, decimal or with 0x; None if there is none."""
        try:
            return int(self.text(name) or "", 0)
        except ValueError:
            return None

    def flag(self, name: str) -> bool | None:
        """A switch of the kernel: 1, Y or true is on; None if it cannot be read."""
        text = self.text(name)
        return None if text is None else text.lower() in ("1", "y", "true", "yes")

    def numbers(self, name: str) -> list[int]:
        """The numbers of a file that has a list like 0-2,5; none if it cannot be read."""
        try:
            return parse_list(self.text(name) or "")
        except ValueError:
            return []

    def table(self, name: str) -> dict[str, int]:
        """Lines "name number ..." of a file; a colon after the name is left out."""
        found = {}
        for line in self.lines(name):
            words = line.split()
            if len(words) > 1 and words[1].lstrip("-").isdigit():
                found[words[0].rstrip(":")] = int(words[1])
        return found

    def names(self, pattern: str) -> list[str]:
        """Paths that a pattern like "sys/module/*/refcnt" has, in order."""
        try:
            return sorted(str(p.relative_to(self.folder)) for p in self.folder.glob(pattern))
        except OSError:
            return []

    def numbered(self, pattern: str) -> dict[int, str]:
        """The same, of names that end with a number (node0), by this number."""
        found = {}
        for name in self.names(pattern):
            digits = name[len(name.rstrip("0123456789")) :]
            if digits:
                found[int(digits)] = name
        return dict(sorted(found.items()))

    def write(self, name: str, text: str) -> None:
        """Write to a file that is there, in one piece; PghotError says why that did not work."""
        try:
            with self.path(name).open("wb", buffering=0) as file:
                file.write(text.encode())
        except OSError as error:
            raise PghotError(
                f"cannot write {text.strip()!r} to /{name}: {error.strerror}"
            ) from error

    def log(self) -> list[str] | None:
        """The kernel's messages since boot, as far as they are kept; None without permission."""
        try:
            file = os.open(self.path("dev/kmsg"), os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            is_device = stat.S_ISCHR(os.fstat(file).st_mode)
            records = b"".join(self._records(file)) if is_device else os.read(file, 1 << 24)
        finally:
            os.close(file)
        lines = records.decode(errors="replace").splitlines()
        # "6,1234,5678,-;message"; what follows begins with a blank and is of no interest.
        return [line.partition(";")[2] for line in lines if ";" in line and line[0] != " "]

    @staticmethod
    def _records(file: int) -> Iterator[bytes]:
        while True:
            try:
                record = os.read(file, RECORD)
            except BrokenPipeError:  # records were dropped meanwhile: the next is there
                continue
            except BlockingIOError:
                return
            yield record
