# SPDX-License-Identifier: GPL-2.0
"""A process's memory: its mappings, on which nodes their pages are, and which pages these are."""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from pghot.errors import PghotError
from pghot.read.root import Root, parse_list

PAGE = 4096
# Memory policies that leave pages where they are used.
MOVING_POLICIES = ("default", "local")
ENTRY = 8
PRESENT = 1 << 63
PFN = (1 << 55) - 1
# Entries of pagemap that are read at once.
CHUNK = 1 << 16
HEADER = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)$")


@dataclass(frozen=True)
class Mapping:
    """A mapping. flags: as /proc/PID/smaps has them. policy: as /proc/PID/numa_maps has it.

    pages: base pages that are in memory, by node.
    """

    start: int
    end: int
    access: str
    name: str
    flags: frozenset[str]
    policy: str
    pages: dict[int, int]


@dataclass(frozen=True)
class Process:
    """mems_allowed: nodes that its cpuset lets it have."""

    pid: int
    name: str
    mems_allowed: list[int]
    mappings: list[Mapping]


def parse_numa_maps(lines: list[str]) -> dict[int, tuple[str, dict[int, int]]]:
    """Policy and base pages by node, by where the mapping begins."""
    found = {}
    for line in lines:
        words = line.split()
        size = next((w for w in words if w.startswith("kernelpagesize_kB=")), "")
        each = int(size.partition("=")[2] or PAGE // 1024) * 1024 // PAGE
        pages = {int(n): int(v) * each for n, v in re.findall(r"\bN(\d+)=(\d+)", line)}
        found[int(words[0], 16)] = words[1], pages
    return found


def parse_smaps(lines: list[str]) -> list[tuple[int, int, str, str, frozenset[str]]]:
    """Start, end, access rights, name and flags of each mapping."""
    found = []
    header = None
    for line in lines:
        matched = HEADER.match(line)
        if matched:
            header = matched
        elif line.startswith("VmFlags:") and header:
            start, end, access, name = header.groups()
            flags = frozenset(line.split()[1:])
            found.append((int(start, 16), int(end, 16), access, name, flags))
    return found


def read_process(root: Root, pid: int) -> Process:
    """PghotError if there is no such process, or if one may not look at it."""
    folder = f"proc/{pid}"
    if not root.has(f"{folder}/comm"):
        raise PghotError(f"there is no process {pid}")
    maps, smaps = root.text(f"{folder}/numa_maps"), root.text(f"{folder}/smaps")
    if maps is None or smaps is None:
        raise PghotError(f"may not look at the memory of process {pid}: it takes root")
    placed = parse_numa_maps(maps.splitlines())
    allowed = re.search(r"^Mems_allowed_list:\s*(\S+)", root.text(f"{folder}/status") or "", re.M)
    return Process(
        pid=pid,
        name=root.text(f"{folder}/comm") or "?",
        mems_allowed=parse_list(allowed[1]) if allowed else [],
        mappings=[
            Mapping(start, end, access, name, flags, *placed[start])
            for start, end, access, name, flags in parse_smaps(smaps.splitlines())
            if start in placed
        ],
    )


def page_frames(root: Root, pid: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Address and page frame number of each page of a range that is in memory; takes root."""
    try:
        with root.path(f"proc/{pid}/pagemap").open("rb") as file:
            for first in range(start // PAGE, end // PAGE, CHUNK):
                file.seek(first * ENTRY)
                entries = array("Q")
                content = file.read(min(CHUNK, end // PAGE - first) * ENTRY)
                entries.frombytes(content[: len(content) // ENTRY * ENTRY])
                for number, entry in enumerate(entries, first):
                    if entry & PRESENT and entry & PFN:
                        yield number * PAGE, entry & PFN
    except OSError as error:
        raise PghotError(f"/proc/{pid}/pagemap: {error.strerror}") from None


def largest(root: Root, number: int) -> list[int]:
    """The processes with most memory; kernel threads have none."""
    resident = {}
    for pid, name in root.numbered("proc/[0-9]*").items():
        words = (root.text(f"{name}/statm") or "").split()
        if len(words) > 1 and int(words[1]):
            resident[pid] = int(words[1])
    return sorted(resident, key=lambda pid: -resident[pid])[:number]
