# SPDX-License-Identifier: GPL-2.0
"""What an access to one of many pages takes on a machine with TLBs, as its file says.

The guest's `reach` uses one line of each page, in a cycle. So a page comes again only after all
others, and a TLB that replaces what was used least recently has either all of the pages or none.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pghotlab.hardware.machine import CACHE_LINE, Machine, Tlb

# The guest's loop: 16 loads and 2 instructions around them.
INSNS = 1 + 2 / 16
PAGE = 4096
# Page tables that no cache has: their entries are at the same place of each, and so in few sets.
TABLES = 4096
# Tables of 2 MiB each are named by a table of 1 GiB.
TABLES_OF_TABLE = 512


@dataclass(frozen=True)
class Reach:
    """One measurement: pages of a kind of the guest's `reach`, and the ns that an access takes."""

    name: str
    pages: int
    kind: str
    node: int
    expected: float

    @property
    def step(self) -> str:
        """The guest's step that measures it, and reports it by its name."""
        return f"reach {self.pages} {self.kind} {self.node} | report 'reach {self.name}'"


def _beyond_l1(machine: Machine, pages: int) -> float:
    """The share of the accesses that miss the L1 cache, and look at the TLBs.

    The guest uses line (i + i / 32) mod 64 of page i. A line stays in the cache if its set has a
    way for each line.
    """
    lines_of_page = PAGE // CACHE_LINE
    sets = machine.l1.size // CACHE_LINE // machine.l1.ways
    lines = (i * lines_of_page + (i + i // 32) % lines_of_page for i in range(pages))
    in_set = Counter(line % sets for line in lines)
    return sum(count for count in in_set.values() if count > machine.l1.ways) / pages


def _line_ns(machine: Machine, lines: int) -> int:
    """What a hit costs in the smallest cache beyond the first that holds so many lines."""
    return (machine.l2 if lines * CACHE_LINE <= machine.l2.size else machine.llc).ns


def _measurements(machine: Machine, tlb: Tlb) -> Iterator[Reach]:
    insn = INSNS * machine.insn_ps / 1000
    read = machine.l2.ns
    # Powers of two next to the TLB's reach.
    within = 1 << (tlb.l2.entries - 1).bit_length() - 1
    beyond = 1 << tlb.l2.entries.bit_length()
    missed = _beyond_l1(machine, within) * (_line_ns(machine, within) + tlb.l2.ns)
    yield Reach("within the TLB", within, "small", 0, insn + missed)
    own = insn + _line_ns(machine, beyond)
    yield Reach("beyond the TLB", beyond, "small", 0, own + read)
    yield Reach("beyond the TLB, huge pages", beyond, "huge", 0, own)
    # Entries of upper tables are in the L2 cache. Of those that name the tables of 2 MiB hardly
    # any comes again in time, of those above as many do not as have no place.
    upper = read * (1 + max(0, 1 - tlb.pdpte * TABLES_OF_TABLE / TABLES))
    own = insn + _line_ns(machine, TABLES)
    for node, latency in enumerate(machine.latency_ns[0]):
        name = f"page tables on node {node}"
        yield Reach(name, TABLES, "sparse", node, own + upper + latency)


def measurements(machine: Machine) -> list[Reach]:
    """All of a machine's; none without TLBs."""
    return list(_measurements(machine, machine.tlb)) if machine.tlb else []


def walk_ns(machine: Machine) -> int:
    """What a walk adds to an access if the page tables are in the L2 cache, ns."""
    return machine.l2.ns if machine.tlb else 0
