# SPDX-License-Identifier: GPL-2.0
"""A recording of pghot at work: a file of JSON lines, compressed with gzip.

The first line tells of the machine, each other one of an interval of time.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pghot.errors import PghotError
from pghot.read.trace import Event

FORMAT = 1
# Physical memory is told apart by such pieces, in pages: a huge page each.
PIECE = 512
EVENTS = ("pghot_record", "pghot_promote", "pghot_demote", "pghot_refuse")


@dataclass(frozen=True)
class Head:
    """format: of the file. slow: nodes. ranges: physical addresses by node, [first, end) bytes.

    process: whose residency was watched, or null.
    """

    format: int
    version: str
    kernel: str
    policy: str
    slow: list[int]
    sizes: dict[int, int]
    ranges: dict[int, list[tuple[int, int]]]
    process: str | None
    began: float


@dataclass(frozen=True)
class Interval:
    """time: at its end, seconds since the beginning.

    used: accesses that were recorded, by piece of physical memory. promoted, demoted: pages.
    refused: by reason. free: bytes by node. resident: of the process, pages by node.
    """

    time: float
    used: dict[int, int]
    promoted: int
    demoted: int
    refused: dict[str, int]
    free: dict[int, int]
    resident: dict[int, int]


def gather(
    time: float, events: Iterable[Event], free: dict[int, int], resident: dict[int, int]
) -> Interval:
    """An interval, from the events in it."""
    used: Counter[int] = Counter()
    refused: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    for event in events:
        if event.name == "pghot_record":
            used[event.number("pfn") // PIECE] += 1
        elif event.name == "pghot_refuse":
            refused[event.fields["reason"]] += 1
        elif event.name in ("pghot_promote", "pghot_demote"):
            moved[event.name] += event.number("nr_pages")
    return Interval(
        round(time, 3),
        dict(used),
        moved["pghot_promote"],
        moved["pghot_demote"],
        dict(refused),
        free,
        resident,
    )


def write(path: Path, head: Head, intervals: Iterable[Interval]) -> int:
    """Write a recording while it is made; the number of intervals."""
    number = 0
    try:
        with gzip.open(path, "wt", encoding="ascii") as file:
            file.write(json.dumps(asdict(head)) + "\n")
            for interval in intervals:
                file.write(json.dumps(asdict(interval)) + "\n")
                number += 1
    except OSError as error:
        raise PghotError(f"{path}: {error.strerror}") from None
    return number


def _numbers(table: dict[str, int]) -> dict[int, int]:
    """JSON has only texts for keys."""
    return {int(key): value for key, value in table.items()}


def _lines(path: Path) -> Iterator[str]:
    try:
        with gzip.open(path, "rt", encoding="ascii") as file:
            yield from file
    except EOFError:  # what recorded it was killed: what is there counts
        return
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "is not a recording"
        raise PghotError(f"{path}: {said}") from None


def read(path: Path) -> tuple[Head, list[Interval]]:
    """A recording; PghotError says what is wrong with the file."""
    lines = _lines(path)
    try:
        known = json.loads(next(lines, ""))
        if known.get("format") != FORMAT:
            raise PghotError(f"{path}: is of format {known.get('format')}, not {FORMAT}")
        known["sizes"] = _numbers(known["sizes"])
        known["ranges"] = {int(n): [tuple(r) for r in rs] for n, rs in known["ranges"].items()}
        head = Head(**known)
        intervals = []
        for line in lines:
            if not line.endswith("\n"):
                break
            one = json.loads(line)
            for name in ("used", "free", "resident"):
                one[name] = _numbers(one[name])
            intervals.append(Interval(**one))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise PghotError(f"{path}: is not a recording of `pghot record`") from None
    return head, intervals
