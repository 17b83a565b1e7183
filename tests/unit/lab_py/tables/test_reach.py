# SPDX-License-Identifier: GPL-2.0
"""What an access to one of many pages is expected to take."""

from dataclasses import replace

import pytest

from pghotlab.hardware.machine import TlbLevel, load_machine
from pghotlab.tables.reach import measurements, walk_ns

MACHINE = load_machine("two-node-tlb")


def test_no_tlb_nothing_to_measure() -> None:
    machine = load_machine("two-node")
    assert measurements(machine) == []
    assert walk_ns(machine) == 0
    assert walk_ns(MACHINE) == 4


def test_what_is_expected() -> None:
    """In ns: 1.125 of the loop, 4 a hit in the L2 cache, 2 a hit in the TLB's second level."""
    found = {reach.name: (reach.pages, reach.kind, reach.node) for reach in measurements(MACHINE)}
    assert found == {
        "within the TLB": (1024, "small", 0),
        "beyond the TLB": (2048, "small", 0),
        "beyond the TLB, huge pages": (2048, "huge", 0),
        "page tables on node 0": (4096, "sparse", 0),
        "page tables on node 1": (4096, "sparse", 1),
    }
    expected = [reach.expected - 1.125 for reach in measurements(MACHINE)]
    # Of the first ones, a few lines have the sets of the L1 cache to themselves.
    assert expected == pytest.approx([6 * (1 - 96 / 1024), 8, 4, 4 + 6 + 80, 4 + 6 + 250])


@pytest.mark.parametrize(
    ("entries", "within", "beyond"),
    [(1024, 512, 2048), (1025, 1024, 2048), (1536, 1024, 2048), (2048, 1024, 4096)],
)
def test_pages_are_within_and_beyond_the_second_level(
    entries: int, within: int, beyond: int
) -> None:
    assert MACHINE.tlb
    machine = replace(MACHINE, tlb=replace(MACHINE.tlb, l2=TlbLevel(entries, 1, 2)))
    assert [reach.pages for reach in measurements(machine)][:2] == [within, beyond]


def test_a_step_measures_and_reports() -> None:
    step = measurements(MACHINE)[0].step
    assert step == "reach 1024 small 0 | report 'reach within the TLB'"
