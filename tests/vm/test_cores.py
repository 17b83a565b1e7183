# SPDX-License-Identifier: GPL-2.0
"""What modelled cores do beside executing instructions: translate addresses, and look ahead.

TLBs: what is in them costs nothing, and what is not sets accessed bits again. The second level has
128 entries here. `make calibrate` measures one of a real size.
Looking ahead: misses overlap, unless each needs the one before it.
"""

from pathlib import Path
from typing import Any

import pytest

from pghotlab.base import paths
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import load_machine
from support import DEBUG, STATISTICS_OFF

MACHINE = load_machine(Path(__file__).parent / "small-cores.toml")
# As the guest's program has it, without the last round.
ACCESSES = 1 << 18

REACHES = ("64 small", "256 small", "256 huge")
# The guest's kernel may work in some of these, which takes time, but hardly any walk.
RUNS = 3

STEPS = f"""
{STATISTICS_OFF}
set_value /proc/sys/kernel/numa_balancing 0
for kind in {" ".join(f'"{kind}"' for kind in REACHES)}; do
	for run in $(seq {RUNS}); do
		taskset -c 0 reach $kind 0
	done | report "$kind"
done

# Before the last one, bandwidth is no limit.
for kind in "dependent 16 0" "independent 16 0" "dependent 16 1" "independent 16 1"; do
	taskset -c 0 misses $kind | report "$kind"
done

# used: KiB of 1 MiB that a busy thread used in 20 ms after their accessed bits were cleared
micro --threads 1 --bytes 1M --accesses 100000000000 --provision 1 --cpus-node 0 &
busy=$!
used()
{{
	echo 1 >/proc/$busy/clear_refs
	usleep 20000
	awk '$1 == "Referenced:" {{ print $2 }}' /proc/$busy/smaps_rollup
}}
usleep 20000
for look in 1 2 3; do
	used
done | report looks
kill $busy
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    if DEBUG:
        pytest.skip("the memory model is calibrated with the stock kernel")
    return boot(
        MACHINE, STEPS, timeout=600, plugin=paths.PLUGIN, folder=paths.KERNEL_BUILD / "vm" / "cores"
    )


def tlb(guest: Guest, kind: str) -> dict[str, Any]:
    """The plugin's counts of the first run of this measurement, by its place in STEPS."""
    counts: dict[str, Any] = guest.regions[RUNS * REACHES.index(kind)]["tlb"]
    return counts


def test_pages_within_the_tlb_are_not_walked(guest: Guest) -> None:
    assert tlb(guest, "64 small")["walks"] < ACCESSES / 100


def test_each_access_beyond_the_tlb_is_a_walk(guest: Guest) -> None:
    counts = tlb(guest, "256 small")
    assert counts["walks"] == pytest.approx(ACCESSES, rel=0.02)
    # One read each, of a line that the L2 cache has.
    assert counts["stall_ns"] == pytest.approx(ACCESSES * MACHINE.l2.ns, rel=0.05)
    assert sum(counts["walk_reads"]) < ACCESSES / 100


def test_a_huge_page_is_one_entry(guest: Guest) -> None:
    assert tlb(guest, "256 huge")["walks"] < ACCESSES / 100
    ns = {kind: min(map(float, guest.report.text(kind).split())) for kind in REACHES}
    assert ns["256 small"] - ns["256 huge"] == pytest.approx(MACHINE.l2.ns, rel=0.05)


@pytest.mark.parametrize("node", [0, 1])
def test_dependent_misses_do_not_overlap(guest: Guest, node: int) -> None:
    """Each takes the latency, after a walk whose table is in the L2 cache."""
    ns = float(guest.report.text(f"dependent 16 {node}"))
    assert ns == pytest.approx(1.125 + MACHINE.latency_ns[0][node] + MACHINE.l2.ns, rel=0.03)


def test_independent_misses_overlap(guest: Guest) -> None:
    """As many as a CPU keeps in flight; the window of 224 instructions has 32 of them."""
    ns = float(guest.report.text("independent 16 0"))
    expected = 7 + MACHINE.latency_ns[0][0] / MACHINE.streams + MACHINE.l2.ns
    assert ns == pytest.approx(expected, rel=0.05)


def test_independent_misses_need_bandwidth(guest: Guest) -> None:
    """A line of 64 bytes from a link of 800 MB/s takes 80 ns, however many are in flight."""
    ns = float(guest.report.text("independent 16 1"))
    assert ns == pytest.approx(64_000 / MACHINE.nodes[1].bandwidth_mbps, rel=0.05)


def test_accessed_bits_of_a_busy_set_come_back_without_a_flush(guest: Guest) -> None:
    """Without modelled TLBs they stay clear: see test_lab.py."""
    looks = [int(look) for look in guest.report.text("looks").split()]
    assert len(looks) == 3
    assert min(looks) >= 1024, looks
