# SPDX-License-Identifier: GPL-2.0
"""Who is charged for what: the kernel's counters, and memory of two nodes in one section."""

import pytest

from pghotlab.base import paths
from pghotlab.guest.vm import Guest
from support import difference, run

PAGES = 4000
HELD = 16
HERE = paths.ROOT / "tests" / "vm"

# counted NAME PAGES HELD: what changes when the first so many pages of node 2 are recorded, of
# the MiB that a program holds there. It does not use them, or the kernel would promote them
FUNCTIONS = """
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
counted()
{
	phase "$1"
	rm -f /tmp/out
	hog 2 $3 >/tmp/out &
	eventually grep -q ready /tmp/out
	set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
	cat /proc/sys/vm/stat_refresh # fold the CPUs' own differences in
	counters >/tmp/before
	report $1.before </tmp/before
	insmod /lib/recorder.ko nid=2 nr_pages=$2
	rmmod recorder
	wanted=$(($(sed -n 's/^pghot_promoted //p' /tmp/before) + $2))
	eventually has_promoted $wanted || true
	cat /proc/sys/vm/stat_refresh
	counters | report $1.after
	kill $!
	wait $! || true
}
"""

TARGET_STEPS = (
    FUNCTIONS
    + f"""
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 mode=precise promote_freq_window_ms=16383
counted fast {PAGES} {HELD}
set_value $PGHOT/target_nid 1
counted slow {PAGES} {HELD}
set_value $PGHOT/target_nid -1
set_value $NUMAB 2
counted kernel {PAGES} {HELD}
set_value $PGHOT/enabled_sources 3
counted diverted {PAGES} {HELD}
rmmod pghot
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1 mode=precise promote_freq_window_ms=16383 \
	slow_nodes=2
counted subset {PAGES} {HELD}
rmmod pghot
"""
)

# A program holds all of node 2 that it can have: also what is in the section that node 1
# ends in. That section's pages are the node's first 4,096, less than are recorded. They are
# promoted well within the 16 s after which records expire, on a busy host as well.
SECTION_HELD = 538
SECTION_PAGES = 6000
SECTION_STEPS = (
    FUNCTIONS
    + f"""
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 mode=precise promote_freq_window_ms=16383
counted section {SECTION_PAGES} {SECTION_HELD}
rmmod pghot
"""
)


@pytest.fixture(scope="module")
def targets() -> Guest:
    return run(TARGET_STEPS, name="accounting", machine=HERE / "two-slow.toml")


@pytest.fixture(scope="module")
def section() -> Guest:
    return run(SECTION_STEPS, name="shared-section", machine=HERE / "shared-section.toml")


@pytest.mark.parametrize("name", ("fast", "slow", "kernel", "diverted"))
def test_migrations_are_counted(targets: Guest, name: str) -> None:
    change = difference(targets, f"{name}.before", f"{name}.after")
    assert change["pghot_promoted"] == PAGES
    assert change["numa_pages_migrated"] == PAGES


def test_moves_to_slow_nodes_are_no_promotions(targets: Guest) -> None:
    assert difference(targets, "fast.before", "fast.after")["pgpromote_success"] == PAGES
    assert difference(targets, "slow.before", "slow.after")["pgpromote_success"] == 0


def test_the_kernels_budget_is_left_to_it(targets: Guest) -> None:
    """While it promotes in faults, pgpromote_candidate is what it limits its rate by."""
    kernel = difference(targets, "kernel.before", "kernel.after")
    assert kernel["pghot_candidates"] == PAGES
    assert kernel["pgpromote_candidate"] == 0
    diverted = difference(targets, "diverted.before", "diverted.after")
    assert diverted["pgpromote_candidate"] == diverted["pghot_candidates"] == PAGES


def test_the_kernels_budget_is_left_to_it_where_pghot_leaves_a_node_to_it(targets: Guest) -> None:
    """Hint faults on node 1 are the kernel's, as slow_nodes names node 2 only."""
    subset = difference(targets, "subset.before", "subset.after")
    assert subset["pghot_candidates"] == PAGES
    assert subset["pgpromote_candidate"] == 0


def test_both_nodes_of_a_section_are_promoted_from(section: Guest) -> None:
    change = difference(section, "section.before", "section.after")
    assert change["pghot_recorded_accesses"] == SECTION_PAGES
    assert change["pghot_promoted"] == SECTION_PAGES
