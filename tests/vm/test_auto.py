# SPDX-License-Identifier: GPL-2.0
"""The policy that chooses by itself: what it switches on and off, what it moves, what it leaves."""

import re

import pytest

from pghotlab.base import descriptors
from pghotlab.guest.vm import Guest
from support import (
    DEBUG,
    EXACT_SLABS,
    FILL,
    SWAP_ON,
    counters,
    difference,
    ftrace_stops,
    leaks,
    log_has,
    micro,
    run,
    swap_files,
)

BITS = {source.name: 1 << source.bit for source in descriptors.sources()}
CHOSEN = BITS["windows"] + BITS["pagecache"] + BITS["hwhints"]
WITH_HINT_FAULTS = CHOSEN + BITS["hintfaults"]
# Texts that are no policy, and what comes of each.
NONSENSE = (
    "x",
    "autom",
    "aut",
    "AUTO",
    "0",
    "1",
    " auto",
    "auto ",
    "auto\n\n",
    "auto\0",
    "manual1",
    "a" * 100,
    "\n",
    "auto manual",
    "manual,auto",
    "\0",
)
# For printf, with a record separator after each.
OCTAL = "".join(f"\\{byte:03o}" for text in NONSENSE for byte in f"{text}\036".encode())
# Values of enabled_sources that cannot be had: without an event, and of no source.
UNAVAILABLE = {BITS["perf"]: "ENOENT", 2 * max(BITS.values()): "ERANGE"}

CHOICE = f"""
# state NAME: which way is in force, the sources, and the kernel's setting
state()
{{
	echo $(cat $PGHOT/policy $PGHOT/enabled_sources $NUMAB) | report "$1"
}}

# cycle NAME NUMAB [PARAMETER]...: load, look, unload, look
cycle()
{{
	name=$1
	set_value $NUMAB "$2"
	shift 2
	insmod /lib/pghot.ko "$@"
	state "$name"
	rmmod pghot
	cat $NUMAB | report "$name.unloaded"
}}

cycle plain 1
cycle off 0
cycle tiering 2
cycle both 3
cycle named 1 enabled_sources={CHOSEN}
cycle none 1 enabled_sources=0

set_value $NUMAB 1
insmod /lib/pghot.ko
cat $PGHOT/sources | report sources
pidof pghot_windows | report thread
cat $PGHOT/policy_state | report policy_state
refused $PGHOT/policy_state auto 2>&1 | report policy_state.written

phase nonsense
printf '{OCTAL}' |
	put $PGHOT/policy | report nonsense
for mask in {" ".join(map(str, UNAVAILABLE))}; do
	printf $mask | put $PGHOT/enabled_sources $PGHOT/policy
done | report unavailable
state nonsense.after

phase choice
set_value $PGHOT/enabled_sources {BITS["windows"]}
state by_hand
echo auto >$PGHOT/policy
state back
printf auto >$PGHOT/policy
state again
set_value $PGHOT/policy manual
state kept
echo auto >$PGHOT/policy
set_value $PGHOT/enabled_sources {CHOSEN}
state as_chosen
set_value $PGHOT/enabled_sources 0
state nothing
echo auto >$PGHOT/policy
state from_nothing

# The administrator's mode stays, whenever it was set.
set_value $NUMAB 2
set_value $PGHOT/policy manual
set_value $PGHOT/enabled_sources {CHOSEN} # pghot may have seen the mode, and chosen again
state tiering_meanwhile
echo auto >$PGHOT/policy
state tiering_then
set_value $NUMAB 1
set_value $PGHOT/policy manual
echo auto >$PGHOT/policy
state plain_then
set_value $NUMAB 3
rmmod pghot
cat $NUMAB | report unloaded

phase "without ftrace"
set_value $NUMAB 2
ftrace 0
insmod /lib/pghot.ko
state without_ftrace
cat $PGHOT/sources | report without_ftrace.sources
ftrace 1
set_value $TRACE/events/pghot/pghot_source/enable 1
echo manual >$PGHOT/policy
echo auto >$PGHOT/policy
state with_ftrace
set_value $PGHOT/enabled_sources 0
ftrace 0
echo {BITS["hintfaults"]} 2>/dev/null >$PGHOT/enabled_sources || true
ftrace 1
sed -n 's/.* pghot_source: //p' $TRACE/trace | report switched
rmmod pghot
"""

MEGABYTES = 16
HOT = MEGABYTES * 256  # pages that are in use on the slow node
# Where they take the place of others, which has to pay, fewer pages are used more often. Moving one
# takes up to 600 us in a guest on a busy host. One that is used 780 times in a second gains that in
# 13 s.
SWAP_MEGABYTES = 8
SWAP_HOT = SWAP_MEGABYTES * 256
# Accesses of each of four threads in a second: each page several times in a window.
RATE = 400_000
SECONDS = 60 if DEBUG else 15
# More than half of these are on the slow node and in use after as long: what is a little late, or
# waits for room at the end, is no failure.
MOST = SWAP_HOT * 9 // 10
# So few mapped pages of slow nodes are not looked at any more (SLOW_MIN, kernel/sources/windows/).
# Where nothing else is there, so many of those that are hot may stay, too.
FEW = 512
FORMATS = {
    "pghot_policy": r"kind=(small|huge) verdict=(unknown|promote|swap|no_gain|no_demotion) "
    r"hot=\d+ cold=\d+ cost_ns=\d+ access_ns=\d+ horizon_ms=\d+ bar=\d+ price=\d+",
    "pghot_policy_look": r"kind=(small|huge) looked=\d+ used=\d+ found=\d+ window_us=\d+ "
    r"percent=\d+",
    "pghot_demote": r"from=0 to=1 nr_pages=\d+ nr_asked=\d+",
}

MOVES = (
    FILL
    + SWAP_ON
    + f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value /proc/sys/vm/watermark_boost_factor 0
set_value $NUMAB 1

# work NAME SECONDS MEGABYTES: by four threads on so much of node 1's memory, and the counters
# around it
work()
{{
	phase "$1"
	seconds=$2
	for event in {" ".join(FORMATS)}; do
		set_value $TRACE/events/pghot/$event/enable 1
	done
	counters | report "$1.before"
	micro --threads 4 --bytes $(($3 << 20)) --pages 4k --provision 1 --cpus-node 0 \\
		--rate {RATE} --accesses $(({RATE} * seconds)) >/tmp/micro &
	micro=$!
	for i in $(seq $seconds); do
		sleep 1
		cat $PGHOT/policy_state >>/tmp/state.$1
	done
	wait $micro
	report "$1" </tmp/micro
	counters | report "$1.after"
	sort -u /tmp/state.$1 | report "$1.state"
	for event in {" ".join(FORMATS)}; do
		set_value $TRACE/events/pghot/$event/enable 0
		sed -n "s/.* $event: //p" $TRACE/trace | sort -u | report "$1.$event"
	done
	: >$TRACE/trace
	cat /proc/zoneinfo | report "$1.zones"
}}

insmod /lib/pghot.ko
set_value /sys/kernel/mm/numa/demotion_enabled 0
work free {SECONDS} {MEGABYTES}
rmmod pghot

set_value /sys/kernel/mm/numa/demotion_enabled 1
occupy 0 $(($(free_megabytes 0) + 64))
fill 0
insmod /lib/pghot.ko
work stays {SECONDS} {MEGABYTES}
rmmod pghot
fill 1
insmod /lib/pghot.ko
# Beside other guests one look at all memory takes up to 7 seconds, and it takes a few of them.
work full {3 * SECONDS} {SWAP_MEGABYTES}
rmmod pghot
"""
)

CYCLES = 16
UNDER_LOAD = (
    FILL
    + f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value /sys/kernel/mm/numa/demotion_enabled 1
set_value $NUMAB 1

# cycles N: load and unload so often, while hot pages take the place of idle ones. Most of the fast
# node is bound to it, so that there is little to look at
cycles()
{{
	hog 0 $(($(free_megabytes 0) - 96)) bound >/tmp/bound &
	hogs=$!
	until grep -q ready /tmp/bound 2>/dev/null; do usleep 100000; done
	for cycle in $(seq "$1"); do
		fill 1
		micro --threads 2 --bytes $((16 << 20)) --accesses 1200000 --rate 300000 --provision 1 \\
			--cpus-node 0 --pages 4k >/tmp/micro 2>>/tmp/failures &
		micro=$!
		insmod /lib/pghot.ko kmigrated_sleep_ms=1
		usleep $(((cycle % 3) * 1300000))
		cat $PGHOT/stats/demoted >>/tmp/demoted
		cat $PGHOT/stats/promoted >>/tmp/promoted
		rmmod pghot
		wait $micro || echo $? >>/tmp/failures
	done
	kill $hogs
	wait || true
	rm -f /tmp/bound
}}

cycles 4
for half in 0 1; do
	memory | report memory.$half
	phase "cycles, half $half"
	cycles {CYCLES // 2}
done
memory | report memory.2
report failures </tmp/failures
for name in demoted promoted; do
	report $name </tmp/$name
done
counters | report after
cat $NUMAB | report numab
{{
	pidof pghot_windows kmigrated1 || true
	for path in $PGHOT /sys/module/pghot /sys/devices/virtual/workqueue/pghot \\
		/sys/kernel/debug/pghot /proc/sys/vm/pghot_*; do
		[ ! -e $path ] || echo $path
	done
	grep pghot /proc/vmallocinfo $TRACE/enabled_functions || true
}} | report remains
"""
)


@pytest.fixture(scope="module")
def choice() -> Guest:
    return run(CHOICE, name="auto-choice")


@pytest.fixture(scope="module")
def moves() -> Guest:
    return run(MOVES, name="auto-moves", files=swap_files(), timeout=900)


@pytest.fixture(scope="module")
def under_load() -> Guest:
    return run(UNDER_LOAD, name="auto-load", timeout=900, kernel_arguments=EXACT_SLABS)


@pytest.mark.parametrize(
    ("name", "way", "sources", "numab"),
    (
        ("plain", "auto", CHOSEN, 0),
        ("off", "auto", CHOSEN, 0),
        ("tiering", "auto", WITH_HINT_FAULTS, 2),
        ("both", "auto", WITH_HINT_FAULTS, 3),
        ("named", "manual", CHOSEN, 1),
        ("none", "manual", 0, 1),
        ("nonsense.after", "auto", CHOSEN, 0),
        ("by_hand", "manual", BITS["windows"], 1),
        ("back", "auto", CHOSEN, 0),
        ("again", "auto", CHOSEN, 0),
        ("kept", "manual", CHOSEN, 1),
        ("as_chosen", "manual", CHOSEN, 1),
        ("nothing", "manual", 0, 1),
        ("from_nothing", "auto", CHOSEN, 0),
        ("tiering_meanwhile", "manual", CHOSEN, 2),
        ("tiering_then", "auto", WITH_HINT_FAULTS, 2),
        ("plain_then", "auto", CHOSEN, 0),
        pytest.param(
            *("without_ftrace", "auto", BITS["windows"] + BITS["hwhints"], 2),
            marks=ftrace_stops,
        ),
        ("with_ftrace", "auto", WITH_HINT_FAULTS, 2),
    ),
)
def test_way_sources_and_balancing(
    choice: Guest, name: str, way: str, sources: int, numab: int
) -> None:
    assert choice.report.text(name) == f"{way} {sources} {numab}"


@pytest.mark.parametrize(
    ("name", "numab"),
    {"plain": 1, "off": 0, "tiering": 2, "both": 3, "named": 1, "none": 1}.items(),
)
def test_balancing_is_as_before_after_unload(choice: Guest, name: str, numab: int) -> None:
    assert choice.report.text(f"{name}.unloaded") == str(numab)


def test_balancing_that_was_set_meanwhile_stays(choice: Guest) -> None:
    assert choice.report.text("unloaded") == "3"
    assert log_has(choice, "kernel.numa_balancing is 0 while pghot decides")


def test_who_else_moves_pages_is_told(choice: Guest) -> None:
    """Of the loads with sources that were chosen, each time that balancing is in plain mode."""
    assert log_has(
        choice, "pghot: kernel.numa_balancing is 1: the kernel moves pages of slow nodes"
    )


def test_sources_are_listed(choice: Guest) -> None:
    lines = choice.report.text("sources").splitlines()
    wanted = {"hwhints", "pagecache", "windows"}
    assert {line.split()[0] for line in lines if line.split()[2] == "on"} == wanted
    assert choice.report.text("thread").split()


@ftrace_stops
def test_source_that_cannot_be_had_says_why(choice: Guest) -> None:
    lines = choice.report.text("without_ftrace.sources").splitlines()
    for name in ("hintfaults", "pagecache"):
        (line,) = (line for line in lines if line.startswith(f"{name} "))
        assert " off: " in line, name


@ftrace_stops
def test_each_switch_of_a_source_is_traced(choice: Guest) -> None:
    *switched, last = choice.report.text("switched").splitlines()
    # The event was switched on when windows and hwhints were on already.
    expected = [f"src={name} on=1 reason=" for name in ("hintfaults", "pagecache")]
    expected += [
        f"src={name} on=0 reason=" for name in ("hintfaults", "hwhints", "pagecache", "windows")
    ]
    assert sorted(switched) == sorted(expected)
    assert re.fullmatch(r"src=hintfaults on=0 reason=.+", last)


def test_state_says_that_nothing_is_known_yet(choice: Guest) -> None:
    lines = choice.report.text("policy_state").splitlines()
    for kind in ("small", "huge"):
        assert f"{kind}: unknown: too few hot pages, or idle ones, have been found" in lines
    assert "bar: 1" in lines
    effort = r"effort: \d+ % of a CPU, (all memory|a sample)"
    assert any(re.fullmatch(effort, line) for line in lines)
    assert any(re.fullmatch(r"access: fast \d+ ns, slow \d+ ns", line) for line in lines)
    assert choice.report.text("policy_state.written") == ""


def test_nonsense_is_refused(choice: Guest) -> None:
    lines = choice.report.text("nonsense").splitlines()
    assert dict(zip(NONSENSE, lines, strict=True)) == dict.fromkeys(NONSENSE, "EINVAL auto")


def test_sources_that_cannot_be_had_are_no_choice(choice: Guest) -> None:
    expected = [f"{error} {CHOSEN} auto" for error in UNAVAILABLE.values()]
    assert choice.report.text("unavailable").splitlines() == expected


@pytest.mark.parametrize("name", ("free", "full", "stays"))
def test_what_works_is_whole(moves: Guest, name: str) -> None:
    assert micro(moves, name)["verified"] is True
    change = difference(moves, f"{name}.before", f"{name}.after")
    assert change["oom_kill"] == 0
    # 4 KiB pages of which nobody is at work on the disk.
    assert change["pswpout"] == change["pghot_demote_to_swap"] == 0


def test_hot_pages_go_to_free_memory(moves: Guest) -> None:
    change = difference(moves, "free.before", "free.after")
    assert change["pghot_promoted"] > HOT - FEW
    assert micro(moves, "free")["pages_per_node"]["0"] > HOT - FEW
    assert change["pghot_demoted"] == change["pgdemote_kswapd"] == change["pgdemote_direct"] == 0
    assert change["pgpromote_success"] == change["pghot_promoted"]
    assert "kind=small verdict=promote" in moves.report.text("free.pghot_policy")


def test_hot_pages_take_the_place_of_idle_ones(moves: Guest) -> None:
    change = difference(moves, "full.before", "full.after")
    assert change["pghot_promoted"] > MOST
    assert micro(moves, "full")["pages_per_node"]["0"] > MOST
    assert change["pgdemote_kswapd"] >= change["pghot_demoted"] > SWAP_HOT / 2
    # Room is made for what comes, and a little ahead: 4 MiB, and what one more look finds.
    assert change["pghot_demoted"] < 3 * SWAP_HOT
    assert change["pghot_bounced"] < SWAP_HOT / 10
    assert "small: swap: promoting hot pages pays for demoting idle ones" in moves.report.text(
        "full.state"
    )
    assert "kind=small verdict=swap" in moves.report.text("full.pghot_policy")


def test_nothing_is_demoted_against_the_administrators_will(moves: Guest) -> None:
    change = difference(moves, "stays.before", "stays.after")
    assert change["pghot_demoted"] == change["pgdemote_kswapd"] == change["pgdemote_direct"] == 0
    # What CPUs keep for themselves, and what is free below the watermark, is taken.
    assert micro(moves, "stays")["pages_per_node"]["0"] < 0.75 * HOT
    assert "small: quiet: fast nodes are full, and demotion_enabled is 0" in moves.report.text(
        "stays.state"
    )
    assert "kind=small verdict=no_demotion" in moves.report.text("stays.pghot_policy")
    assert moves.report.text("stays.pghot_demote") == ""


@pytest.mark.parametrize("event", FORMATS)
def test_events_are_as_promised(moves: Guest, event: str) -> None:
    lines = moves.report.text(f"full.{event}").splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(FORMATS[event], line)] == []


def test_comes_and_goes_while_it_moves_pages(under_load: Guest) -> None:
    for name in ("demoted", "promoted"):
        counted = list(map(int, under_load.report.text(name).split()))
        assert len(counted) == CYCLES + 4
        assert sum(counted) > HOT / 2, name
    assert under_load.report.text("failures") == ""


def test_leaves_nothing(under_load: Guest) -> None:
    assert leaks(under_load, CYCLES // 2) == {}
    assert under_load.report.text("remains") == ""
    assert under_load.report.text("numab") == "1"
    after = counters(under_load, "after")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0
    assert after["oom_kill"] == 0
