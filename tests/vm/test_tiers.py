# SPDX-License-Identifier: GPL-2.0
"""Three tiers: HBM and DRAM are fast for the kernel, for pghot and for the lab's programs."""

import pytest

from pghotlab.guest.vm import Guest
from pghotlab.hardware.machine import load_machine
from support import DEBUG, SHRINK, micro, run

MACHINE = load_machine("hbm-dram-cxl")
MEGABYTES = 64 // SHRINK
PAGES = MEGABYTES * 256
# Enough for all pages to be found and promoted meanwhile, also by a slow kernel.
ACCESSES = 60_000_000 if DEBUG else 20_000_000

STEPS = f"""
fast_nodes | report fast
set_value $NUMAB 2
insmod /lib/pghot.ko enabled_sources=1 freq_threshold=1
report slow <$PGHOT/slow_nodes
for node in 1 2; do
	phase "begins on node $node"
	micro --threads 2 --bytes $(({MEGABYTES} << 20)) --accesses {ACCESSES} --provision $node \\
		--cpus-node 0 --pages 4k | report from$node
done
rmmod pghot
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="tiers", machine=MACHINE.name)


def test_the_lab_and_the_kernel_agree_which_nodes_are_fast(guest: Guest) -> None:
    assert MACHINE.fast_nodes == (0, 1)
    assert tuple(map(int, guest.report.text("fast").split())) == MACHINE.fast_nodes


def test_only_cxl_memory_is_slow(guest: Guest) -> None:
    assert guest.report.text("slow").strip() == "2"


def test_pages_are_promoted_from_cxl_memory_and_not_from_hbm(guest: Guest) -> None:
    from_cxl, from_hbm = (micro(guest, f"from{node}") for node in (2, 1))
    assert from_cxl["pages_per_node"].get("2", 0) < PAGES // 10
    assert from_hbm["pages_per_node"]["1"] == PAGES
