# SPDX-License-Identifier: GPL-2.0
"""pghot's tracepoints, in an instance of its own that disturbs no other user of tracing."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pghot.errors import PghotError
from pghot.read.root import Root

TRACING = "sys/kernel/tracing"
CHUNK = 1 << 16
# A buffer for each CPU, in KiB.
BUFFER_KB = 4096
LINE = re.compile(r"^\s*(.+)-(\d+)\s+\[\d+\]\s+\S+\s+(\d+\.\d+): (\w+): (.*)$")
FIELD = re.compile(r"(\w+)=(\S*)")


@dataclass(frozen=True)
class Event:
    """An event. time: seconds since boot. pid: of the thread in which it happened."""

    time: float
    name: str
    pid: int
    fields: dict[str, str]

    def number(self, name: str) -> int:
        """A field that is a number."""
        return int(self.fields[name], 0)


def parse_line(line: str) -> Event | None:
    """An event from a line of a trace; None for other lines."""
    found = LINE.match(line)
    if not found:
        return None
    return Event(float(found[3]), found[4], int(found[2]), dict(FIELD.findall(found[5])))


class Trace:
    """Events since the last read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pipe = os.open(folder / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        self._rest = b""

    def close(self) -> None:
        """Stop reading."""
        os.close(self._pipe)

    def _chunks(self) -> Iterator[bytes]:
        while True:
            try:
                chunk = os.read(self._pipe, CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                return
            yield chunk

    def read(self) -> list[Event]:
        """All events that have come."""
        lines = b"".join((self._rest, *self._chunks())).split(b"\n")
        self._rest = lines.pop()
        events = (parse_line(line.decode(errors="replace")) for line in lines)
        return [event for event in events if event]

    def lost(self) -> int:
        """How many events found no room."""
        files = self.folder.glob("per_cpu/cpu*/stats")
        found = (re.search(r"^overrun: (\d+)$", file.read_text(), re.M) for file in files)
        return sum(int(one[1]) for one in found if one)


@contextmanager
def tracing(
    root: Root, events: Sequence[str], filters: dict[str, str] | None = None
) -> Iterator[Trace]:
    """Have events of pghot traced while the block runs. PghotError if that is not permitted.

    filters: by event, in the syntax of the kernel's filters.
    """
    folder = root.path(TRACING) / "instances" / f"pghot-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        raise PghotError(f"cannot trace: {folder}: {error.strerror} (it takes root)") from None
    try:
        (folder / "buffer_size_kb").write_text(str(BUFFER_KB))
        for name, text in (filters or {}).items():
            (folder / "events" / "pghot" / name / "filter").write_text(text)
        for name in events:
            (folder / "events" / "pghot" / name / "enable").write_text("1")
        trace = Trace(folder)
        try:
            yield trace
        finally:
            trace.close()
    except OSError as error:
        raise PghotError(f"cannot trace: {error.filename}: {error.strerror}") from None
    finally:
        for name in events:
            switch = folder / "events" / "pghot" / name / "enable"
            if switch.exists():
                switch.write_text("0")
        folder.rmdir()
