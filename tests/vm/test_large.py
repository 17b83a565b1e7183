# SPDX-License-Identifier: GPL-2.0
"""A machine with so many CPUs that several threads promote from each slow node."""

import pytest

from hotplug import HERE, run_hotplug
from pghotlab.guest.vm import Guest
from support import SHRINK, counters, difference

MEGABYTES = 320 // SHRINK
# Nearly all of the hog's: the last ones may be in a per-CPU batch.
PAGES = MEGABYTES * 256 * 9 // 10

STEPS = f"""
# threads NAME: those that promote, and their CPU time in clock ticks
threads()
{{
	for thread in $(pidof kmigrated0:0 kmigrated1:0 kmigrated1:1 || true); do
		awk '{{ print substr($2, 2, length($2) - 2), $14 + $15 }}' "/proc/$thread/stat"
	done | report "$1"
}}

# record NAME: have all memory of node 1 promoted, which a program fills
record()
{{
	rm -f /tmp/hog
	hog 1 {MEGABYTES} >/tmp/hog &
	eventually grep -q ready /tmp/hog
	set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
	wanted=$(($(cat $PGHOT/stats/promoted) + {PAGES}))
	insmod /lib/recorder.ko nid=1 nr_pages=1000000
	rmmod recorder
	eventually has_promoted $wanted || true
	counters | report "$1"
	kill $!
	wait $! || true
}}

set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
# The longest window: on a host with two cores, these CPUs take seconds to promote all, and a page
# that waits for longer than the window is no longer hot.
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 mode=precise \\
	promote_freq_window_ms=16383
counters | report before
threads threads.before
devdax
plug
threads threads.first
record first
threads threads.promoted
phase away
unplug
threads threads.away
phase again
plug
threads threads.second
record second

phase unload
hog 1 {MEGABYTES} >/tmp/hog &
eventually grep -q ready /tmp/hog
insmod /lib/recorder.ko nid=1 nr_pages=1000000
rmmod recorder
rmmod pghot
threads threads.unloaded
"""

NAMES = {"kmigrated1:0", "kmigrated1:1"}


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run_hotplug(STEPS, name="large", machine=HERE / "many-cpus.toml")


def test_two_threads_come_and_go_with_the_memory(guest: Guest) -> None:
    threads = ("before", "first", "away", "second", "unloaded")
    names = [set(counters(guest, f"threads.{name}")) for name in threads]
    assert names == [set(), NAMES, set(), NAMES, set()]


def test_both_promote(guest: Guest) -> None:
    before, after = counters(guest, "threads.first"), counters(guest, "threads.promoted")
    assert all(after[name] > before[name] for name in NAMES)


@pytest.mark.parametrize(("name", "earlier"), [("first", "before"), ("second", "first")])
def test_all_is_promoted(guest: Guest, name: str, earlier: str) -> None:
    assert difference(guest, earlier, name)["pghot_promoted"] >= PAGES
