# SPDX-License-Identifier: GPL-2.0
"""A program that has as much promoted as it can: what it may take, and what is left to others."""

from random import Random

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, SHRINK, difference, log_has, run

PAGE_MB = 256  # pages of a MiB
CPUS = 8
PERCENT = 5
# CPU time that promotion may use in a second, ns.
BUDGET_NS = CPUS * 10**7 * PERCENT
# How long promotion is watched during each attack, and after it: what batches took beyond the
# budget is made up for then. In seconds; an attack itself is ended.
ATTACK = 12
AFTER = 6
FOR_EVER = 3600
# The adversary's memory and the victim's, MiB. All of the victim's is said to be hot as often as
# the host lets the guest say so, and it has to want more than half of the budget at any such rate.
ADVERSARY = 96 // SHRINK
VICTIM = 24 // SHRINK
LIMIT = 2  # MiB/s
FOUND = 1000  # pages that accessed bits have found before promotion is watched
BATCH = 512 // SHRINK  # pages: costs less than the budget of a second

# What is written to the file, of groups that exist: /limited, /victim, "/a b", /bare/below, which
# has no memory controller, and the root.
GOOD = [b"/limited/a 7\n", b"/limited/a 1048576", b"/a b 5", b"/ 1048576", b"/ max\n"]
BAD = [
    *((text, "EINVAL") for text in (b"\n", b" ", b"/", b"/victim", b"/victim ", b"victim 5", b"5")),
    *((b"/victim " + text, "EINVAL") for text in (b"x", b"-1", b"1.5", b"0x10", b"maximum", b"5 ")),
    *((b"/victim " + text, "EINVAL") for text in (b"5\n\n", b"5\0", b"5\n/limited 5", b"\n5")),
    *((b"/victim " + text, "ERANGE") for text in (b"1048577", b"4294967296", b"9" * 40)),
    *((b"/" + text + b" 5", "ENOENT") for text in (b"x", b"victim/x", b"..", b"\377", b"limi")),
    (b"/victim/cgroup.procs 5", "ENOTDIR"),
    (b"/bare/below 5", "ENODEV"),
    (b"/" + b"x" * 4000 + b" 5", "ENOENT"),
]
random = Random(1)
# Of the alphabet of what is taken, too; but no group has such a name.
FUZZ = [
    bytes(random.choice((random.randrange(30), *b"/ 0123456789maxq")) for _ in range(size))
    for size in [random.randrange(1, 40) for _ in range(400)]
]


def put(texts: list[bytes]) -> str:
    """A shell command that writes each text to the file and shows its first line."""
    octal = "".join(f"\\{byte:03o}" for text in texts for byte in text + b"\036")
    return f"printf '{octal}' | put $PGHOT/cgroups"


# Balancing is off: a device says, five times a second, that all memory of the slow node is hot.
STEPS = f"""
CGROUP=/tmp/cgroup
mkdir $CGROUP
mount -t cgroup2 cgroup $CGROUP
set_value $CGROUP/cgroup.subtree_control +memory
mkdir $CGROUP/adversary $CGROUP/victim $CGROUP/limited $CGROUP/out
set_value $CGROUP/limited/cgroup.subtree_control +memory
set_value $CGROUP/out/cgroup.subtree_control +memory
mkdir $CGROUP/limited/a $CGROUP/limited/b $CGROUP/out/a
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never

# attack GROUP MEGABYTES THREADS: a program in GROUP that keeps MEGABYTES on the slow node, until
# it is watched no more
attackers=
attack()
{{
	(
		exec 2>/dev/kmsg
		echo 0 >"$CGROUP/$1/cgroup.procs"
		exec adversary 1 "$2" "$3" {FOR_EVER}
	) >"/tmp/attack.$(echo "$1" | tr / _)" &
	attackers="$attackers $!"
}}

# watch NAME GROUP...: what pghot and the groups count before and after the attacks that run
watch()
{{
	name=$1
	shift
	for group in "$@"; do
		until grep -q ready "/tmp/attack.$(echo "$group" | tr / _)"; do usleep 10000; done
	done
	snapshot "$name.before" "$@"
	end=$(($(cut -d . -f 1 /proc/uptime) + {ATTACK}))
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
		insmod /lib/recorder.ko nid=1 nr_pages=100000
		rmmod recorder
		usleep 200000
	done
	kill $attackers
	wait $attackers || true
	attackers=
	sleep {AFTER}
	snapshot "$name.after" "$@"
}}

snapshot() # NAME GROUP...
{{
	snap=$1
	shift
	for group in "$@"; do
		cat /proc/sys/vm/stat_refresh $CGROUP/"$group"/memory.stat >/dev/null
	done
	sleep 3 # statistics of groups are up to 2 s old
	{{
		counters
		awk '{{ printf "ms %d\\n", $1 * 1000 }}' /proc/uptime
		for group in "$@"; do
			awk -v group="$group" '$1 == "pgpromote_success" {{ print group, $2 }}' \\
				$CGROUP/"$group"/memory.stat
		done
	}} | report "$snap"
}}

insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 promote_cpu_percent={PERCENT} \
	kmigrated_batch_nr={BATCH}

phase bounded
attack adversary {ADVERSARY} 4
attack victim {VICTIM} 1
watch bounded adversary victim

phase limits
set_value $PGHOT/promote_cpu_percent 100
set_value $PGHOT/cgroups "/limited {LIMIT}"
set_value $PGHOT/cgroups "/out 0"
report listed <$PGHOT/cgroups
for group in limited/a limited/b out/a victim; do
	attack $group {VICTIM} 1
done
watch limits limited/a limited/b out/a victim
rmdir $CGROUP/out/a $CGROUP/out
report listed.removed <$PGHOT/cgroups
set_value $PGHOT/cgroups "/limited/a 1"
set_value $PGHOT/cgroups "/limited max"
report listed.left <$PGHOT/cgroups

phase accessed
# Nobody tells of accesses but the processor: two users without privileges, of whom one keeps its
# memory on the slow node and uses all of it, and the other only wants to run.
set_value $PGHOT/cgroups "/limited/a max"
set_value $PGHOT/promote_cpu_percent {PERCENT}
set_value $PGHOT/enabled_sources 4
nobody adversary 1 {ADVERSARY} 4 {FOR_EVER} used >/tmp/adversary &
adversary=$!
# shellcheck disable=SC2016 # for the shell that runs it
nobody sh -c 'while :; do n=$((n + 1)); [ $((n % 10000)) -ne 0 ] || echo $n; done' >/tmp/victim &
victim=$!
eventually grep -q ready /tmp/adversary
# is_found: whether much of what the adversary uses was promoted, since then
is_found()
{{
	[ $(cat $PGHOT/stats/promoted) -ge $((promoted + {FOUND})) ]
}}
promoted=$(cat $PGHOT/stats/promoted)
eventually is_found || eventually is_found || eventually is_found || true
snapshot accessed.before
tail -n 1 /tmp/victim | report victim.before
sleep {ATTACK}
snapshot accessed.after
tail -n 1 /tmp/victim | report victim.after
kill $adversary $victim
wait $adversary $victim || true
set_value $PGHOT/enabled_sources 2

phase nonsense
mkdir "$CGROUP/a b" $CGROUP/bare $CGROUP/bare/below
{put(GOOD)} | report good
set_value $PGHOT/cgroups "/a b max"
{put([text for text, _ in BAD])} | report bad
{put(FUZZ)} | cut -d ' ' -f 2- | sort -u | report fuzz
rmmod pghot
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="adversary", timeout=600)


@pytest.fixture(scope="module")
def uncharged() -> Guest:
    """A kernel that charges memory to no group of version 2."""
    steps = """
    insmod /lib/pghot.ko enabled_sources=2
    refused $PGHOT/cgroups "/ 5" | report refused
    """
    return run(steps, name="uncharged", kernel_arguments="cgroup_disable=memory")


def grown(guest: Guest, name: str) -> dict[str, int]:
    """What was counted while attacks ran."""
    return difference(guest, f"{name}.before", f"{name}.after")


def test_cpu_time_is_bounded(guest: Guest) -> None:
    """In the mean: a second's budget may have been saved, and one used just when watching began."""
    counted = grown(guest, "bounded")
    assert counted["pghot_refused_share"] > 0
    assert counted["pghot_kmigrated_cpu_ns"] <= BUDGET_NS * (counted["ms"] / 1000 + 2)


def test_passes_take_half_of_it(guest: Guest) -> None:
    """The rest is the workers': pages that cannot be promoted do not take their time."""
    counted = grown(guest, "bounded")
    assert 0 < counted["pghot_passes_cpu_ns"] <= BUDGET_NS / 2 * (counted["ms"] / 1000 + 1)


def test_cpu_time_is_bounded_where_accessed_bits_tell(guest: Guest) -> None:
    """Who makes memory hot needs no privilege and no device."""
    counted = grown(guest, "accessed")
    assert counted["pghot_recorded_pgtscans"] > 0
    assert counted["pghot_promoted"] > 0
    assert counted["pghot_kmigrated_cpu_ns"] <= BUDGET_NS * (counted["ms"] / 1000 + 2)
    assert counted["pghot_passes_cpu_ns"] <= BUDGET_NS / 2 * (counted["ms"] / 1000 + 1)


def test_victim_that_only_runs_runs_on(guest: Guest) -> None:
    before, after = (int(guest.report.text(f"victim.{when}")) for when in ("before", "after"))
    assert after > before


@pytest.mark.skipif(DEBUG, reason="too few pages are promoted to tell whose they are")
def test_victim_is_not_starved(guest: Guest) -> None:
    """It has a quarter of the adversary's memory, and gets half of what both get, or near it."""
    counted = grown(guest, "bounded")
    assert counted["adversary"] > 0
    assert counted["victim"] > (counted["victim"] + counted["adversary"]) / 3


def test_nothing_of_a_group_that_is_left_out(guest: Guest) -> None:
    assert grown(guest, "limits")["out/a"] == 0


def test_limit_is_shared_by_all_below(guest: Guest) -> None:
    counted = grown(guest, "limits")
    limited = counted["limited/a"] + counted["limited/b"]
    assert 0 < limited <= LIMIT * PAGE_MB * (counted["ms"] / 1000 + 1)
    assert counted["pghot_refused_cgroup"] > 0


@pytest.mark.skipif(DEBUG, reason="promotes less than the limit, which has no lower value")
def test_others_have_no_limit(guest: Guest) -> None:
    counted = grown(guest, "limits")
    assert counted["victim"] > counted["limited/a"] + counted["limited/b"]


def test_limits_are_listed(guest: Guest) -> None:
    assert guest.report.text("listed") == f"/limited {LIMIT}\n/out 0"
    assert guest.report.text("listed.removed") == f"/limited {LIMIT}"
    assert guest.report.text("listed.left") == "/limited/a 1"


def test_sense_is_taken(guest: Guest) -> None:
    lines = guest.report.text("good").splitlines()
    assert lines == [f"taken {line}" for line in ("/limited/a 7", *["/limited/a 1048576"] * 4)]


def test_nonsense_is_refused(guest: Guest) -> None:
    lines = guest.report.text("bad").splitlines()
    for (text, error), line in zip(BAD, lines, strict=True):
        assert line == f"{error} /limited/a 1048576", text


def test_fuzzed(guest: Guest) -> None:
    assert guest.report.text("fuzz") == "/limited/a 1048576"


def test_refused_where_memory_is_not_charged(uncharged: Guest) -> None:
    assert uncharged.report.text("refused") == ""
    assert log_has(uncharged, "cgroups: memory is not charged to control groups of version 2")
