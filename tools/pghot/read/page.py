# SPDX-License-Identifier: GPL-2.0
"""One page of physical memory: what the kernel says of it, and which processes have mapped it.

The numbers of flags are those of the kernel's documentation of /proc/kpageflags.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pghot.errors import PghotError
from pghot.read.blocks import read_ranges
from pghot.read.process import CHUNK, ENTRY, PAGE, PFN, PRESENT, Mapping, Process
from pghot.read.root import Root

FLAGS = {
    "lru": 5,
    "slab": 7,
    "free": 10,
    "anonymous": 12,
    "head": 15,
    "tail": 16,
    "hugetlb": 17,
    "unevictable": 18,
    "broken": 19,
    "absent": 20,
    "offline": 23,
    "zero": 24,
    "page table": 26,
}
# Pages of the largest folio: 1 GiB.
LARGEST = 1 << 18
# Bytes of a page frame number that are the same wherever it is written in a pagemap.
PFN_BYTES = 6


@dataclass(frozen=True)
class Page:
    """A page. pfn: its number. nid: its node.

    A folio is what the kernel moves as a whole: one page, or several. head: the number of the first
    page of this page's folio. pages: how many it has. flags: of the folio, names of FLAGS.
    """

    pfn: int
    nid: int
    head: int
    pages: int
    flags: frozenset[str]


def node_of(root: Root, pfn: int) -> int | None:
    """The node that has a page; None if no memory that is online is there."""
    for nid, ranges in read_ranges(root).items():
        if any(begin <= pfn * PAGE < end for begin, end in ranges):
            return nid
    return None


def _entries(root: Root, first: int, number: int) -> Sequence[int]:
    """Entries of kpageflags, from that of a page on; fewer at the end of memory."""
    entries = array("Q")
    try:
        with root.path("proc/kpageflags").open("rb") as file:
            file.seek(first * ENTRY)
            content = file.read(number * ENTRY)
    except OSError as error:
        raise PghotError(
            f"may not look at physical memory: /proc/kpageflags: {error.strerror} (it takes root)"
        ) from None
    entries.frombytes(content[: len(content) // ENTRY * ENTRY])
    return entries


def _has(entry: int, flag: str) -> bool:
    return bool(entry >> FLAGS[flag] & 1)


def _head(root: Root, pfn: int) -> int:
    """The first page of a page's folio. Folios begin at a multiple of their size."""
    first = pfn - pfn % LARGEST
    entries = _entries(root, first, pfn - first + 1)
    heads = (n for n in reversed(range(len(entries))) if not _has(entries[n], "tail"))
    return first + next(heads, pfn - first)


def read_page(root: Root, address: int) -> Page:
    """The page at a physical address; PghotError if there is none, or without permission."""
    pfn = address // PAGE
    nid = node_of(root, pfn)
    if nid is None:
        raise PghotError(f"there is no memory at the physical address {address:#x}")
    head = _head(root, pfn)
    entry = next(iter(_entries(root, head, 1)), 1 << FLAGS["absent"])
    pages = 1
    if _has(entry, "head"):
        entries = _entries(root, head, LARGEST)
        tails = range(1, len(entries))
        pages = next((n for n in tails if not _has(entries[n], "tail")), len(entries))
    flags = frozenset(name for name in FLAGS if _has(entry, name))
    return Page(pfn, nid, head, pages, flags)


def frame_at(root: Root, pid: int, address: int) -> int | None:
    """The number of the page that a process has at an address; None if that is not in memory."""
    try:
        with root.path(f"proc/{pid}/pagemap").open("rb") as file:
            file.seek(address // PAGE * ENTRY)
            entry = int.from_bytes(file.read(ENTRY), "little")
    except OSError:
        return None
    return entry & PFN or None if entry & PRESENT else None


def addresses(root: Root, process: Process, pfn: int, nid: int) -> Iterator[tuple[Mapping, int]]:
    """Where a process has mapped a page of a node: mappings, and addresses within them."""
    wanted = pfn.to_bytes(ENTRY, "little")[:PFN_BYTES]
    for mapping in process.mappings:
        if nid not in mapping.pages:
            continue
        try:
            with root.path(f"proc/{process.pid}/pagemap").open("rb") as file:
                for first in range(mapping.start // PAGE, mapping.end // PAGE, CHUNK):
                    file.seek(first * ENTRY)
                    content = file.read(min(CHUNK, mapping.end // PAGE - first) * ENTRY)
                    # To search bytes is far quicker than to look at each entry.
                    place = content.find(wanted)
                    while place >= 0:
                        entry = int.from_bytes(content[place : place + ENTRY], "little")
                        if place % ENTRY == 0 and entry & PRESENT and entry & PFN == pfn:
                            yield mapping, first * PAGE + place // ENTRY * PAGE
                        place = content.find(wanted, place + 1)
        except OSError:
            return
