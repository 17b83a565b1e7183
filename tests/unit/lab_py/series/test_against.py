# SPDX-License-Identifier: GPL-2.0
"""The series against the module: what is set, and the table."""

import pytest

from pghotlab.measure.policy import load_policies
from pghotlab.rows.summary import Row
from pghotlab.series.against import compare, in_tree, lines


def row(policy: str, seed: int, *, tree: bool, guest_ns: int) -> Row:
    return {
        **{"policy": policy, "seed": seed, "in_tree": tree, "guest_ns": guest_ns},
        **{"pages_promoted": 1000 * seed + tree, "kernel_instructions": 2_000_000 * seed},
    }


def rows(module_ns: int, tree_ns: int) -> list[Row]:
    """Of one policy, three seeds; only the middle one counts."""
    return [
        row("pghot", seed, tree=tree, guest_ns=guest_ns + far * (seed - 2))
        for seed in (1, 2, 3)
        for tree, guest_ns, far in ((False, module_ns, 500_000_000), (True, tree_ns, 100_000_000))
    ]


@pytest.mark.parametrize(
    ("tree_ns", "same"),
    [(2_019_000_000, True), (2_021_000_000, False), (1_981_000_000, True), (1_979_000_000, False)],
)
def test_times_are_the_same_to_within_a_percent(tree_ns: int, same: bool) -> None:
    (one,) = compare(rows(2_000_000_000, tree_ns))
    assert one.guest_ns == (2_000_000_000, tree_ns)
    assert one.same is same


def test_the_table_has_a_line_for_each_policy() -> None:
    both = [
        *(row("numab0", 1, tree=tree, guest_ns=3_000_000_000) for tree in (False, True)),
        *rows(2_000_000_000, 2_010_000_000),
    ]
    header, none, own = lines(compare(both))
    assert len(header) == len(none) == len(own)
    assert none[:3] == ("numab0", "3.000 / 3.000", "1.0000")
    assert own == ("pghot", "2.000 / 2.010", "1.0050", "2,000 / 2,001", "4 / 4")


def test_parameters_are_files_in_the_tree() -> None:
    known = load_policies()
    hinted = in_tree(known["pghot-default"])
    assert hinted.pghot is None
    assert not hinted.sysctl
    assert list(hinted.files.items()) == [
        ("/sys/kernel/mm/pghot/enabled_sources", "1"),
        ("/sys/kernel/mm/pghot/freq_threshold", "1"),
        ("/proc/sys/kernel/numa_balancing", "2"),
    ]
    assert in_tree(known["pghot"]).files == known["pghot"].files


def test_without_the_module_the_tree_has_all_sources_off() -> None:
    policy = in_tree(load_policies()["numab0"])
    assert list(policy.files.items()) == [
        ("/sys/kernel/mm/pghot/enabled_sources", "0"),
        ("/proc/sys/kernel/numa_balancing", "0"),
    ]
    assert "insmod" not in policy.setup_steps()
