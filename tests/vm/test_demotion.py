# SPDX-License-Identifier: GPL-2.0
"""Demotions that need a second chance, or end in swap, are counted; those that go well are not.

Demotion makes room for promotion, in NUMA balancing's tiering mode and without it.
"""

import json
from pathlib import Path

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, FILL, SWAP_ON, difference, ftrace_stops, run, swap_files

HERE = Path(__file__).parent
PAGES = 64 * 256  # of the 64 MiB by which each step overfills a node
HOT = 16 * 256  # pages that are in use on the slow node while the fast one is full
# Of each thread, in a second: every page several times, and asleep between.
RATE = 20_000
# Times that the kernel scans what is hot, as often as the host allows. With pghot the time between
# doubles with each scan, so that there is room for few meanwhile, on any host.
SCANS = 40
SECONDS = 18 if DEBUG else 6  # in which the scanner of accessed bits comes by several times

FUNCTIONS = f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value /sys/kernel/mm/numa/demotion_enabled 1
{FILL}
# snapshot NAME: the counters, between two looks at what reclaim wrote: it goes on
snapshot()
{{
	node_writes | report "$1.low"
	counters | report "$1"
	node_writes | report "$1.high"
}}

# overfill NAME: 64 MiB more than node 0 has, and the counters around it. The memory is free again
# at the end: MGLRU's ageing may hold it for longer than the process lives.
overfill()
{{
	phase "$1"
	free=$(free_megabytes 0)
	snapshot "$1.before"
	occupy 0 $((free + 64))
	snapshot "$1.after"
	kill $hog
	wait $hog || true
	until [ "$(free_megabytes 0)" -ge $((free * 9 / 10)) ]; do usleep 100000; done
}}

# What reclaim wrote of node 0 since boot, by the kernel's own count.
node_writes()
{{
	cat /proc/sys/vm/stat_refresh # fold the CPUs' own differences in
	awk '/^nr_vmscan_write / {{ print $2 }}' /sys/devices/system/node/node0/vmstat
}}
"""

SECOND_CHANCE = (
    FUNCTIONS
    + """
insmod /lib/pghot.ko enabled_sources=0
overfill ordinary
occupy 1 $(($(free_megabytes 1) - 4))
overfill full
ftrace 0
overfill unwatched
ftrace 1
overfill watched

phase "coming and going while node 0 demotes"
(while [ ! -e /tmp/enough ]; do
	occupy 0 $(($(free_megabytes 0) + 64))
	kill $hog
	wait $hog || true
done) &
for i in $(seq 5); do
	rmmod pghot
	insmod /lib/pghot.ko enabled_sources=0
	until [ "$(cat $PGHOT/stats/demote_second_chance)" != 0 ]; do usleep 1000; done
	echo "$i"
done | report cycles
touch /tmp/enough
wait $!
rmmod pghot
"""
)

TO_SWAP = (
    FUNCTIONS
    + f"""
{SWAP_ON}
insmod /lib/pghot.ko enabled_sources=0

# Where MGLRU comes to demote a page that was used, it holds on to those around it for a while, and
# cannot move them: up to 150 of these pages.
overfill mglru
set_value /sys/kernel/mm/lru_gen/enabled 0
overfill ordinary
set_value /sys/kernel/mm/lru_gen/enabled 7
set_value /sys/kernel/mm/numa/demotion_enabled 0
overfill off
set_value /sys/kernel/mm/numa/demotion_enabled 1
occupy 1 $(($(free_megabytes 1) - 4))
overfill full
rmmod pghot
"""
)

# Nothing swaps, and watermarks stay where they are.
FILLED = (
    FUNCTIONS
    + f"""
set_value /proc/sys/vm/watermark_boost_factor 0

# worked NAME DEMOTION RATE COMMAND...: by four threads on node 1's memory for as long as COMMAND
# takes, with all of node 0 in use by who sleeps; a rate of 0 is as fast as they can
worked()
{{
	name=$1
	rate=$3
	phase "$name"
	fill "$2"
	shift 3
	cat /proc/zoneinfo | report "$name.zones"
	counters | report "$name.before"
	micro --threads 4 --bytes $(({HOT} << 12)) --pages 4k --provision 1 --cpus-node 0 \
		--rate "$rate" --accesses 1000000000000 >/dev/null &
	working=$!
	"$@"
	counters | report "$name.after"
	(echo {{ && placed "$working" && echo }}) | report "$name.placed"
	kill "$working"
	wait "$working" || true
}}

# most_promoted: wait until nine tenths of what is hot are, 100 seconds at most
most_promoted()
{{
	enough=$(($(cat $PGHOT/stats/promoted) + {HOT} * 9 / 10))
	for _ in $(seq 5); do
		if eventually has_promoted $enough; then
			return
		fi
	done
}}

# uptime, in whole seconds
uptime()
{{
	awk '{{ print int($1) }}' /proc/uptime
}}

pte_updates()
{{
	awk '/^numa_pte_updates / {{ print $2 }}' /proc/vmstat
}}

# many_scans: wait for the kernel's, and say in $took how many seconds that was
many_scans()
{{
	enough=$(($(pte_updates) + {SCANS * HOT}))
	started=$(uptime)
	until [ "$(pte_updates)" -ge $enough ]; do usleep 100000; done
	took=$(($(uptime) - started + 1))
}}

occupy 0 $(($(free_megabytes 0) + 64))
insmod /lib/pghot.ko enabled_sources=4 freq_threshold=1
set_value $NUMAB 0
worked demotes 1 {RATE} most_promoted
set_value $NUMAB 2
worked tiering 1 {RATE} most_promoted
set_value $NUMAB 0
worked stays 0 {RATE} sleep {SECONDS}
rmmod pghot

set_value $NUMAB 2
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 20
set_value /sys/kernel/debug/sched/numa_balancing/scan_period_min_ms 20
set_value /sys/kernel/debug/sched/numa_balancing/scan_size_mb 32
worked kernel 0 0 many_scans
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
worked hinted 0 0 sleep "$took"
rmmod pghot
"""
)


@pytest.fixture(scope="module")
def second_chance() -> Guest:
    # In one host thread, as it diverts and gives back under load: see test_stress.py.
    machine = HERE / "two-slow.toml"
    return run(SECOND_CHANCE, name="second-chance", machine=machine, timeout=800)


@pytest.fixture(scope="module")
def to_swap() -> Guest:
    return run(TO_SWAP, name="to-swap", files=swap_files(), timeout=600)


@pytest.fixture(scope="module")
def filled() -> Guest:
    return run(FILLED, name="filled", timeout=600)


def node_writes(guest: Guest, name: str) -> int:
    return int(guest.report.text(name))


def written(guest: Guest, step: str) -> tuple[int, int]:
    """The least and the most that reclaim can have written of node 0 between the counters."""
    low, high = (
        {when: node_writes(guest, f"{step}.{when}.{edge}") for when in ("before", "after")}
        for edge in ("low", "high")
    )
    return low["after"] - high["before"], high["after"] - low["before"]


def fast(guest: Guest, name: str) -> int:
    """Pages of the program that worked which were on node 0 at the end."""
    placed: int = json.loads(guest.report.text(f"{name}.placed"))["placed_per_node"]["0"]
    return placed


def demoted(change: dict[str, int]) -> int:
    return change["pgdemote_kswapd"] + change["pgdemote_direct"]


def test_ordinary_demotion_needs_no_second_chance(second_chance: Guest) -> None:
    change = difference(second_chance, "ordinary.before", "ordinary.after")
    assert demoted(change) > PAGES / 2
    assert change["pghot_demote_second_chance"] == 0
    assert change["pghot_demote_to_swap"] == 0


def test_second_chances_are_counted(second_chance: Guest) -> None:
    """All but what still fits into the nearer slow node needs one."""
    change = difference(second_chance, "full.before", "full.after")
    assert demoted(change) > PAGES / 2
    assert change["pghot_demote_second_chance"] > 0.7 * demoted(change)
    assert change["pghot_demote_to_swap"] == 0


@ftrace_stops
def test_second_chances_are_not_counted_while_ftrace_is_off(second_chance: Guest) -> None:
    unwatched, watched = (
        difference(second_chance, f"{step}.before", f"{step}.after")
        for step in ("unwatched", "watched")
    )
    assert demoted(unwatched) > PAGES / 2 < demoted(watched)
    assert unwatched["pghot_demote_second_chance"] == 0
    assert watched["pghot_demote_second_chance"] > 0.7 * demoted(watched)


def test_comes_and_goes_while_demotion_is_on(second_chance: Guest) -> None:
    """Each time until it has seen a second chance."""
    assert len(second_chance.report.text("cycles").split()) == 5


def test_demotion_that_swaps_what_it_cannot_move_is_counted(to_swap: Guest) -> None:
    change = difference(to_swap, "mglru.before", "mglru.after")
    assert demoted(change) > PAGES / 2
    least, most = written(to_swap, "mglru")
    assert least <= change["pghot_demote_to_swap"] <= most


def test_ordinary_demotion_does_not_swap(to_swap: Guest) -> None:
    """But for a page that could not be moved just then: of each the kernel says the same."""
    change = difference(to_swap, "ordinary.before", "ordinary.after")
    assert demoted(change) > PAGES / 2
    assert change["pghot_demote_to_swap"] == change["pswpout"]
    assert change["pswpout"] <= change["pgmigrate_fail"] < PAGES / 100


def test_swap_without_demotion_is_not_counted(to_swap: Guest) -> None:
    change = difference(to_swap, "off.before", "off.after")
    assert change["pswpout"] > PAGES / 2
    assert change["pghot_demote_to_swap"] == 0


def test_demotion_that_ends_in_swap_is_counted(to_swap: Guest) -> None:
    """As the kernel counts for the node, and not what the slow node swaps itself."""
    change = difference(to_swap, "full.before", "full.after")
    least, most = written(to_swap, "full")
    assert 0 < least <= change["pghot_demote_to_swap"] <= most
    assert change["pghot_demote_to_swap"] < change["pswpout"]


@pytest.mark.parametrize("mode", ("demotes", "tiering"))
def test_full_node_swaps_cold_pages_for_hot_ones(filled: Guest, mode: str) -> None:
    """Nobody else wants memory there: it is for promotion that kswapd is woken.

    No more pages are taken than there is memory for.
    """
    change = difference(filled, f"{mode}.before", f"{mode}.after")
    assert change["pghot_failed_migrate"] < HOT / 10
    assert fast(filled, mode) > 0.9 * HOT
    assert change["pghot_promoted"] > 0.9 * HOT
    assert change["pgdemote_kswapd"] > HOT / 2


def test_full_node_that_does_not_demote_stays_full(filled: Guest) -> None:
    change = difference(filled, "stays.before", "stays.after")
    # What CPUs keep for themselves comes on top of what the node has above the watermark.
    assert fast(filled, "stays") < 0.75 * HOT
    assert change["pghot_refused_full"] > 0
    assert demoted(change) == 0


@pytest.mark.skipif(
    DEBUG, reason="scans are held back by what they cost there, not by their period"
)
def test_hint_faults_on_hot_pages_slow_the_scans_down(filled: Guest) -> None:
    """As promotion in the fault does; the kernel, which cannot promote, goes on scanning."""
    kernel, hinted = (
        difference(filled, f"{name}.before", f"{name}.after") for name in ("kernel", "hinted")
    )
    assert hinted["pghot_made_ready"] > 0.9 * HOT
    assert hinted["pghot_promoted"] < 0.25 * HOT > kernel["pgpromote_success"]
    assert hinted["numa_pte_updates"] < kernel["numa_pte_updates"] / 2
