# SPDX-License-Identifier: GPL-2.0
"""Control groups: pages count for the one they are charged to, and stay in its cpuset.mems."""

import pytest

from pghotlab.guest.vm import Guest
from support import SHRINK, difference, micro, run

# The leaves, and how much memory a program has in each, MiB.
LEAVES = {"a": 16 // SHRINK, "b": 24 // SHRINK}
GROUPS = ("both", *(f"both/{leaf}" for leaf in LEAVES))
PAGE = 4096
# Groups whose pages alternate in memory, and how many each has.
TURNS = [f"turn{i}" for i in range(64)]
TURN_PAGES = 64
MEGABYTES = 32 // SHRINK  # that each run in the cpuset touches

STEPS = f"""
CGROUP=/tmp/cgroup
mkdir $CGROUP
mount -t cgroup2 cgroup $CGROUP
set_value $CGROUP/cgroup.subtree_control "+memory +cpuset"
mkdir $CGROUP/both $CGROUP/slow
set_value $CGROUP/both/cgroup.subtree_control +memory
mkdir {" ".join(f"$CGROUP/both/{leaf}" for leaf in LEAVES)}
set_value /sys/kernel/mm/transparent_hugepage/enabled never

# inside GROUP PROGRAM...: run it there
inside()
{{
	echo 0 >"$CGROUP/$1/cgroup.procs"
	shift
	exec "$@"
}}

# snapshot NAME: what the groups and the kernel count, and where the groups' memory is
snapshot()
{{
	sleep 3 # statistics of groups are up to 2 s old
	counters | report "$1.all"
	for group in {" ".join(GROUPS)}; do
		grep -E '^(pgpromote_success|numa_pages_migrated) ' $CGROUP/$group/memory.stat |
			report "$1.$group"
		awk '/^(anon|pgpromote_success) / {{
			for (i = 2; i <= NF; i++) {{
				split($i, of, "=")
				print $1 "." of[1], of[2]
			}}
		}}' $CGROUP/$group/memory.numa_stat | report "$1.$group.nodes"
	done
}}

phase memory
set_value $NUMAB 0
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
# At the same time: their pages alternate.
for leaf in {" ".join(LEAVES)}; do
	case $leaf in
	{" ".join(f"{leaf}) megabytes={megabytes} ;;" for leaf, megabytes in LEAVES.items())}
	esac
	inside both/$leaf hog 1 $megabytes >/tmp/hog.$leaf &
done
for leaf in {" ".join(LEAVES)}; do
	until grep -q ready /tmp/hog.$leaf 2>/dev/null; do usleep 100000; done
done
snapshot before
insmod /lib/recorder.ko nid=1 nr_pages=100000
rmmod recorder
settled
snapshot after

kill %1 %2
phase turns
mkdir {" ".join(f"$CGROUP/{turn}" for turn in TURNS)}
# snapshot_turns NAME
snapshot_turns()
{{
	sleep 3
	counters | report "$1.all"
	for group in {" ".join(TURNS)}; do
		sed -n "s/^pgpromote_success /$group /p" $CGROUP/$group/memory.stat
	done | report "$1.groups"
}}
turns 1 {TURN_PAGES} {" ".join(f"$CGROUP/{turn}" for turn in TURNS)} >/tmp/turns &
eventually grep -q ready /tmp/turns
set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
snapshot_turns turns.before
insmod /lib/recorder.ko nid=1 nr_pages=100000
rmmod recorder
settled
snapshot_turns turns.after
kill $!

phase cpuset
set_value $NUMAB 2
set_value $CGROUP/slow/cpuset.mems 1
touch_slow() # GROUP
{{
	inside "$1" micro --threads 4 --bytes $(({MEGABYTES} << 20)) --accesses 12000000 \\
		--provision 1 --cpus-node 0 --pages 4k
}}
(touch_slow slow) | report pghot
(touch_slow .) | report pghot.free
set_value $PGHOT/enabled_sources 0
(touch_slow slow) | report kernel
(touch_slow .) | report kernel.free
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="cgroup", timeout=600)


def grown(guest: Guest, name: str) -> dict[str, int]:
    """What a block of the second snapshot has more than the first."""
    return difference(guest, f"before.{name}", f"after.{name}")


@pytest.mark.parametrize("leaf", LEAVES)
def test_promotion_counts_for_the_group_of_the_page(guest: Guest, leaf: str) -> None:
    counted, nodes = grown(guest, f"both/{leaf}"), grown(guest, f"both/{leaf}.nodes")
    promoted = nodes["anon.N0"] // PAGE
    assert promoted > 0.9 * LEAVES[leaf] * 256
    assert counted == {"pgpromote_success": promoted, "numa_pages_migrated": promoted}
    assert nodes["pgpromote_success.N0"] == promoted
    assert nodes["pgpromote_success.N1"] == 0


def test_parent_has_what_its_children_have(guest: Guest) -> None:
    leaves = [grown(guest, f"both/{leaf}") for leaf in LEAVES]
    parent = grown(guest, "both")
    for name in ("pgpromote_success", "numa_pages_migrated"):
        assert parent[name] == sum(leaf[name] for leaf in leaves)


def test_groups_have_what_was_promoted(guest: Guest) -> None:
    everything = grown(guest, "all")
    assert everything["pghot_promoted"] == grown(guest, "both")["pgpromote_success"]
    assert everything["pgpromote_success"] == everything["pghot_promoted"]


def test_a_batch_holds_pages_of_many_groups(guest: Guest) -> None:
    """A batch for each group would hold a page or two, as their pages alternate."""
    everything = difference(guest, "turns.before.all", "turns.after.all")
    assert everything["pghot_promoted"] > 0.9 * len(TURNS) * TURN_PAGES
    assert everything["pghot_promoted"] > 64 * everything["pghot_batches"]


def test_each_group_of_a_batch_has_its_own_pages(guest: Guest) -> None:
    everything = difference(guest, "turns.before.all", "turns.after.all")
    groups = difference(guest, "turns.before.groups", "turns.after.groups")
    assert sorted(groups) == sorted(TURNS)
    assert all(0.8 * TURN_PAGES < pages <= TURN_PAGES + 16 for pages in groups.values())
    # Some of what was promoted may be of no group of these.
    assert sum(groups.values()) <= everything["pghot_promoted"]


@pytest.mark.parametrize("who", ("pghot", "kernel"))
def test_cpuset_keeps_memory(guest: Guest, who: str) -> None:
    assert micro(guest, who)["pages_per_node"]["0"] == 0


def test_other_memory_moves(guest: Guest) -> None:
    assert micro(guest, "pghot.free")["pages_per_node"]["0"] > 0.9 * MEGABYTES * 256
    assert micro(guest, "kernel.free")["pages_per_node"]["0"] > 0.9 * MEGABYTES * 256
