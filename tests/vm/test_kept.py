# SPDX-License-Identifier: GPL-2.0
"""Pages that others hold as well, and pages that have become something else."""

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, counters, difference, run

# More mappings than the references that make a small folio look pinned (1,024).
TIMES = 1100
MAPPED = 16
PINNED = 512
# Pages of processes that end while their pages wait.
WAITING = 2000
TAKEN = 12_000

# Balancing is off: what is promoted was recorded by the test's own source, once.
STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko mode=precise enabled_sources=2 freq_threshold=1 \\
	promote_freq_window_ms=16383
mkfifo /tmp/in

# hold PAGES KIND TIMES: pages of node 1 that are held so, until the descriptor 8 is closed
hold()
{{
	rm -f /tmp/out # the last one's says that it is ready
	holds 1 "$@" </tmp/in >/tmp/out &
	exec 8>/tmp/in
	eventually grep -q ready /tmp/out
	set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
}}

# held KIND PAGES TIMES: pages of node 1 that are held so, and are recorded
held()
{{
	phase "$1"
	hold $2 $1 $3
	counters | report $1.before
	insmod /lib/recorder.ko nid=1 nr_pages=$2
	rmmod recorder
	settled
	counters | report $1.after
	sleep 2
	counters | report $1.later
	echo >&8
	eventually grep -q '^[0-9]' /tmp/out
	grep '^[0-9]' /tmp/out | report $1
	exec 8>&-
	wait $!
}}

held mapped {MAPPED} {TIMES}
held pinned {PINNED} 1

phase "other use"
reserve=/proc/sys/vm/min_free_kbytes
saved=$(cat $reserve)
hold {WAITING} mapped 1
set_value $reserve 2000000 # the fast node counts as full
counters | report other.before
insmod /lib/recorder.ko nid=1 nr_pages={WAITING}
rmmod recorder
sleep 1
exec 8>&- # they are freed
wait $!
insmod /lib/taker.ko nid=1 nr_pages={TAKEN}
sleep 2 # a pass follows another one after a second at the latest
counters | report other.taken
sleep 2
counters | report other.later
rmmod taker
set_value $reserve "$saved"
rmmod pghot
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="kept", timeout=600)


def test_pages_that_many_map_are_promoted(guest: Guest) -> None:
    change = difference(guest, "mapped.before", "mapped.later")
    assert change["pghot_refused_pinned"] == 0
    assert guest.report.text("mapped") == "0"


def test_pinned_pages_stay(guest: Guest) -> None:
    change = difference(guest, "pinned.before", "pinned.after")
    assert change["pghot_recorded_accesses"] == PINNED
    assert change["pghot_promoted"] == 0
    assert guest.report.text("pinned") == str(PINNED)


def test_pinned_pages_are_looked_at_once_an_access(guest: Guest) -> None:
    assert difference(guest, "pinned.before", "pinned.after")["pghot_refused_pinned"] == PINNED
    later = difference(guest, "pinned.after", "pinned.later")
    assert later["pghot_refused_pinned"] == 0
    assert later["pghot_passes"] == 0


@pytest.mark.skipif(DEBUG, reason="which pages the kernel takes depends on its checks")
def test_nothing_waits_for_pages_that_are_gone(guest: Guest) -> None:
    """All that waited was freed. That pages of the kernel are left alone is a unit test."""
    waited = difference(guest, "other.before", "other.taken")
    assert waited["pghot_refused_full"] > 0
    assert difference(guest, "other.taken", "other.later")["pghot_passes"] == 0
    assert counters(guest, "other.later")["pghot_failed_migrate"] == 0
