# SPDX-License-Identifier: GPL-2.0
"""Memory stays where those who use it may have it: memory policies and cpusets, for all sources."""

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, difference, run

PAGES = 2048  # of a program: ageing leaves less than 512 alone
# How long each source looks for hot pages, s: several rounds of ageing.
LOOK = 15 if DEBUG else 5
# What holds memory on its node, and what does not: the kernel's own promotion does the same.
# Code that several processes map stays, too: its lines are in the caches of many CPUs.
KEPT = (
    "bind",
    "both",
    "prefer",
    "interleave",
    "task",
    "half",
    "cpuset",
    "code.2",
    "bound-file",
)
# Who could map the pages, but has none of them in their page table, has no say: "apart", "unread".
MOVED = ("mapped", "balanced", "wide", "code.1", "file", "apart", "unread")
# Sources besides the tests' own, by their bit: accessed bits, ageing, and hint faults.
SOURCES = {"accessed": 4, "mglru": 16, "hintfault": 1}

# Node 2 of three is slow; 0 and 1 are fast.
STEPS = f"""
CGROUP=/tmp/cgroup
mkdir $CGROUP
mount -t cgroup2 cgroup $CGROUP
set_value $CGROUP/cgroup.subtree_control "+memory +cpuset"
mkdir $CGROUP/narrow $CGROUP/wide $CGROUP/first
set_value $CGROUP/narrow/cpuset.mems 2
set_value $CGROUP/wide/cpuset.mems 0-2
set_value $CGROUP/first/cpuset.mems 0,2
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value $NUMAB 0
# Scans begin soon, and follow each other so.
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 20
set_value /sys/kernel/debug/sched/numa_balancing/scan_period_min_ms 20
mkfifo /tmp/in

# inside GROUP PROGRAM...: run it there
inside()
{{
	echo 0 >"$CGROUP/$1/cgroup.procs"
	shift
	exec "$@"
}}

# begin NAME GROUP HOW NUMBER: a program that has memory of node 2, and uses it
begin()
{{
	phase "$1"
	name=$1
	rm -f /tmp/out
	(inside "$2" holds 2 {PAGES} "$3" "$4") </tmp/in >/tmp/out &
	exec 8>/tmp/in
	eventually grep -q ready /tmp/out
	set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
	begun=$(so_far)
	counters | report "before.$name"
}}

# finish: where its memory is in the end
finish()
{{
	counters | report "after.$name"
	echo >&8
	eventually grep -q '^[0-9]' /tmp/out
	grep '^[0-9]' /tmp/out | report "$name"
	exec 8>&-
	wait $!
}}

# so_far: pages that were promoted, or that have to stay, since pghot's load
so_far()
{{
	awk '{{ sum += $1 }} END {{ print sum }}' $PGHOT/stats/promoted $PGHOT/stats/refused_policy
}}

# are_decided NUMBER: whether these are so many, or more
are_decided()
{{
	[ $(so_far) -ge $1 ]
}}

# decided: wait until what becomes of the program's pages is known, and nothing is on its way
decided()
{{
	eventually are_decided $((begun + {PAGES})) || true
	settled
}}

# received: by node, what was promoted to it so far
received()
{{
	grep -H . $PGHOT/node[01]/received | sed 's,.*/node,received.,; s,/received:, ,'
}}

# recorded NAME GROUP HOW NUMBER: its memory is recorded, as used from node 1
recorded()
{{
	begin "$@"
	insmod /lib/recorder.ko nid=2 nr_pages=1000000 accessor=1 # all there are
	rmmod recorder
	decided
	finish
}}

insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 promote_freq_window_ms=3968
for how in mapped bind both balanced prefer interleave task; do
	recorded $how . $how 1
done
recorded half . half 3
recorded apart . apart 3
recorded cpuset narrow mapped 1
recorded wide wide mapped 1
received | report received.before.first
recorded first first mapped 1
received | report received.after.first
set_value $PGHOT/target_nid 1
received | report received.before.chosen
recorded chosen first mapped 1
received | report received.after.chosen
set_value $PGHOT/target_nid -1

# of_files NAME HOW NUMBER: likewise for pages of a file
mkdir /tmp/ramfs
mount -t ramfs ramfs /tmp/ramfs
of_files()
{{
	begin "$1" . "$2" "$3"
	insmod /lib/recorder.ko nid=2 nr_pages=1000000 accessor=1 file=1
	rmmod recorder
	decided
	finish
	rm -f /tmp/ramfs/code
}}
of_files code.1 code 1
of_files code.2 code 2
of_files unread unread 3
of_files file file 0
of_files bound-file bound-file 0

# found NAME BIT HOW: it is found by a source
found()
{{
	set_value $PGHOT/enabled_sources $2
	begin "$1.$3" . "$3" 1
	sleep {LOOK}
	finish
}}

tlbflush 200000 >/dev/null # or what is used enough to stay in a TLB looks idle
for how in mapped bind; do
	found accessed {SOURCES["accessed"]} $how
	found mglru {SOURCES["mglru"]} $how
	set_value $NUMAB 2
	found hintfault {SOURCES["hintfault"]} $how
	set_value $NUMAB 0
done
kill $(pidof tlbflush)

phase "page cache"
set_value $PGHOT/enabled_sources 8
# read_file NAME GROUP: a file whose pages are charged to the group
read_file()
{{
	(inside "$2" head -c $(({PAGES} << 12)) /dev/zero >/tmp/$1)
	counters | report "before.$1"
	for i in 1 2 3 4; do cat /tmp/$1 >/dev/null; done
	settled
	counters | report "after.$1"
	rm /tmp/$1
}}
set_value $CGROUP/wide/cpuset.mems 2 # so that its file is there
(inside wide head -c $(({PAGES} << 12)) /dev/zero >/tmp/cache.wide)
set_value $CGROUP/wide/cpuset.mems 0-2
counters | report before.cache.wide
for i in 1 2 3 4; do cat /tmp/cache.wide >/dev/null; done
settled
counters | report after.cache.wide
rm /tmp/cache.wide
read_file cache.narrow narrow

rmmod pghot
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="policy", machine="three-node", timeout=900)


def pages_kept(guest: Guest, name: str) -> int:
    """How many pages are on their node in the end."""
    return int(guest.report.text(name))


@pytest.mark.parametrize("name", KEPT)
def test_memory_stays_where_it_has_to(guest: Guest, name: str) -> None:
    change = difference(guest, f"before.{name}", f"after.{name}")
    assert change["pghot_recorded_accesses"] >= PAGES
    assert pages_kept(guest, name) == PAGES


@pytest.mark.parametrize("name", KEPT)
def test_what_stays_is_counted_once(guest: Guest, name: str) -> None:
    change = difference(guest, f"before.{name}", f"after.{name}")
    assert change["pghot_refused_policy"] >= PAGES
    # A cpuset that a shell enters takes its memory along, which others share and may move. One
    # of these pages may be recorded twice, or be in use by someone else when it would be moved.
    others = change["pghot_recorded_accesses"] - change["pghot_refused_policy"]
    assert change["pghot_promoted"] <= others < 100
    assert name == "cpuset" or change["pghot_promoted"] == others


@pytest.mark.parametrize("name", MOVED)
def test_memory_moves_where_it_may(guest: Guest, name: str) -> None:
    change = difference(guest, f"before.{name}", f"after.{name}")
    assert pages_kept(guest, name) == 0
    assert change["pghot_promoted"] >= PAGES
    assert change["pghot_refused_policy"] == 0


@pytest.mark.parametrize("name", ("first", "chosen"))
def test_memory_goes_only_to_nodes_of_the_cpuset(guest: Guest, name: str) -> None:
    """Node 1 uses it, and is the administrator's choice for the second; node 0 is allowed."""
    change = difference(guest, f"before.{name}", f"after.{name}")
    assert pages_kept(guest, name) == 0
    assert change["pghot_promoted"] >= PAGES
    received = difference(guest, f"received.before.{name}", f"received.after.{name}")
    assert received["received.0"] >= PAGES
    # What a shell had, and others share, is none of the program's.
    assert received["received.1"] == change["pghot_promoted"] - received["received.0"] < 100


@pytest.mark.parametrize("source", SOURCES)
def test_sources_leave_bound_memory_alone(guest: Guest, source: str) -> None:
    assert pages_kept(guest, f"{source}.mapped") < PAGES / 10
    assert pages_kept(guest, f"{source}.bind") == PAGES


def test_page_cache_stays_in_the_cpuset_of_its_cgroup(guest: Guest) -> None:
    wide = difference(guest, "before.cache.wide", "after.cache.wide")
    assert wide["pghot_promoted"] > 0.9 * PAGES
    narrow = difference(guest, "before.cache.narrow", "after.cache.narrow")
    assert narrow["pghot_promoted"] == 0
    assert narrow["pghot_refused_policy"] > 0.9 * PAGES
