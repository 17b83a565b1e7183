# SPDX-License-Identifier: GPL-2.0
"""pghot promotes, in kmigrated's workers and never in the fault, and leaves no trace."""

import pytest

from pghotlab.guest.vm import Guest
from support import (
    KIND,
    MOUNT_DISK,
    SHRINK,
    counters,
    difference,
    disk_files,
    micro,
    migrations_by_thread,
    run,
)

MEGABYTES = 64 // SHRINK  # that each run touches
PAGES = MEGABYTES * 256
# Of each thread: for some seconds, in which the kernel scans the threads' memory. Where it looks
# for races, a scan takes far longer.
ACCESSES = {"": 6_000_000, "debug": 18_000_000, "kcsan": 72_000_000}[KIND]

STEPS = f"""
{MOUNT_DISK}
set_value $NUMAB 2
# Scans begin soon, and follow each other so.
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 20
set_value /sys/kernel/debug/sched/numa_balancing/scan_period_min_ms 20
set_value $TRACE/events/migrate/mm_migrate_pages/trigger \\
	'hist:keys=common_pid.execname:vals=succeeded if reason == 5'

# measure NAME ARGUMENTS...: a run of the benchmark and the counters around it
measure()
{{
	name=$1
	shift
	phase "$name"
	counters | report "before.$name"
	micro --threads 4 --bytes $(({MEGABYTES} << 20)) --accesses {ACCESSES} --provision 1 \\
		--cpus-node 0 "$@" | report "$name"
	settled
	counters | report "after.$name"
}}

insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
measure 4k --pages 4k
measure thp --pages thp
measure file --pages file --file /tmp/disk/a --write-share 0
measure shmem --pages file --file /tmp/a
rm /tmp/disk/a /tmp/a
report threads <$TRACE/events/migrate/mm_migrate_pages/hist
set_value $TRACE/events/migrate/mm_migrate_pages/trigger \\
	'!hist:keys=common_pid.execname:vals=succeeded if reason == 5'
rmmod pghot
counters | report unloaded

set_value $TRACE/events/migrate/mm_migrate_pages/trigger \\
	'hist:keys=common_pid.execname:vals=succeeded if reason == 5'
measure stock --pages 4k
report threads.stock <$TRACE/events/migrate/mm_migrate_pages/hist
"""

KINDS = ("4k", "thp", "file", "shmem")


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="promotion", timeout=600, files=disk_files())


@pytest.mark.parametrize("kind", KINDS)
def test_pages_reach_the_fast_node(guest: Guest, kind: str) -> None:
    result = micro(guest, kind)
    assert result["pages_per_node"]["0"] > 0.9 * PAGES, result["pages_per_node"]


@pytest.mark.parametrize("kind", (*KINDS, "stock"))
def test_contents_survive(guest: Guest, kind: str) -> None:
    assert micro(guest, kind)["verified"] is True


@pytest.mark.parametrize("kind", KINDS)
def test_promotions_are_counted_as_the_kernel_counts(guest: Guest, kind: str) -> None:
    change = difference(guest, f"before.{kind}", f"after.{kind}")
    assert change["pghot_promoted"] > 0.9 * PAGES
    assert change["pgpromote_success"] == change["pghot_promoted"]
    assert change["numa_pages_migrated"] == change["pghot_promoted"]


def test_nothing_stays_isolated(guest: Guest) -> None:
    after = counters(guest, "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0


def test_huge_pages_move_whole(guest: Guest) -> None:
    change = difference(guest, "before.thp", "after.thp")
    assert change["thp_migration_success"] >= 0.9 * PAGES / 512
    assert change["thp_migration_split"] == 0


def test_no_promotion_in_the_faulting_process(guest: Guest) -> None:
    threads = migrations_by_thread(guest, "threads")
    promoted = counters(guest, "after.shmem")["pghot_promoted"]
    assert sum(threads.values()) == promoted
    assert {name.partition("/")[0] for name in threads} == {"kworker"}, threads


def test_stock_again_after_unload(guest: Guest) -> None:
    threads = migrations_by_thread(guest, "threads.stock")
    change = difference(guest, "before.stock", "after.stock")
    assert set(threads) == {"micro"}, threads
    assert change["pgpromote_success"] == threads["micro"]
    assert threads["micro"] > 0.9 * PAGES
