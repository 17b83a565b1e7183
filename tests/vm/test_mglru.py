# SPDX-License-Identifier: GPL-2.0
"""What the ageing of the multi-gen LRU finds accessed is promoted, and nothing else."""

import re

import pytest

from pghotlab.guest.vm import Guest
from support import (
    AGING_HOOK,
    DEBUG,
    SHRINK,
    counters,
    difference,
    log_has,
    micro,
    run,
    without_symbol,
)

MEGABYTES = 64 // SHRINK  # that each run touches
PAGES = MEGABYTES * 256
# Of each thread, in a second: every page several times, and asleep between.
RATE = 50_000
SECONDS = 12 if DEBUG else 8  # for several rounds of ageing
IDLE = 32 // SHRINK * 256  # pages of a program that sleeps
CYCLES = 4
HOOK = AGING_HOOK
LACKED = "try_to_inc_max_seq"

# Balancing is off: nothing but the source reports accesses.
STEPS = f"""
set_value $NUMAB 0
CGROUP=/tmp/cgroup
mkdir $CGROUP
mount -t cgroup2 cgroup $CGROUP
set_value $CGROUP/cgroup.subtree_control +memory
mkdir $CGROUP/group
hooked()
{{
	grep -c '^{HOOK} ' $TRACE/enabled_functions || true
}}
# generations NODE: how often ageing has moved on, of the root cgroup
generations()
{{
	awk -v node=$1 '/^memcg/ {{ root = $3 == "/" }}
		root && /node/ {{ of = $2 }}
		root && of == node && /^ +[0-9]+ / {{ last = $1 }}
		END {{ print last }}' /sys/kernel/debug/lru_gen
}}

# measure NAME ARGUMENTS...: a run of the benchmark, and the counters around it
measure()
{{
	name=$1
	shift
	phase "$name"
	counters | report "before.$name"
	micro --threads 4 --bytes $(({MEGABYTES} << 20)) --rate {RATE} --accesses {RATE * SECONDS} \\
		--provision 1 --cpus-node 0 "$@" | report "$name"
	settled
	counters | report "after.$name"
}}

insmod /lib/pghot.ko enabled_sources=3
hooked | report hooked.load
[ -z "$(pidof pghot_mglru)" ]
generations 1 | report generations.off
phase off
micro --threads 4 --bytes $((4 << 20)) --accesses 8000000 --provision 1 --cpus-node 0 \\
	--pages 4k | report off
sleep 3
generations 1 | report generations.still
counters | report after.off

set_value $PGHOT/enabled_sources 16
hooked | report hooked.on
[ -n "$(pidof pghot_mglru)" ]
sleep 2 # all CPUs tell what they have mapped, once a second
counters | report before.empty
sleep 2
counters | report after.empty
set_value $TRACE/events/pghot/pghot_mglru_round/enable 1
measure 4k --pages 4k
set_value $TRACE/events/pghot/pghot_mglru_round/enable 0
sed -n 's/.*pghot_mglru_round: //p' $TRACE/trace | report rounds
: >$TRACE/trace
measure thp --pages thp
measure file --pages file --file /tmp/a
rm /tmp/a
(echo 0 >$CGROUP/group/cgroup.procs && measure cgroup --pages 4k)
generations 1 | report generations.on

phase idle
# A round may come while a page is being filled, and the next finds it used again: so a page
# that is being filled must not be a large part of all.
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value $PGHOT/freq_threshold 1
counters | report before.once
hog 1 $(({IDLE} >> 8)) >/tmp/hog &
hog=$!
until grep -q ready /tmp/hog; do usleep 100000; done
sleep 2
counters | report before.idle
sleep 6
counters | report after.idle
kill $hog
wait $hog || true

phase "shared memory that is used once"
set_value $PGHOT/enabled_sources 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
hog 1 $(({IDLE} >> 8)) share >/tmp/hog &
hog=$!
until grep -q ready /tmp/hog; do usleep 100000; done
sleep 2 # all CPUs tell what they have mapped, once a second
set_value $TRACE/events/pghot/pghot_mglru_round/enable 1
set_value $PGHOT/enabled_sources 16
sleep 2
set_value $TRACE/events/pghot/pghot_mglru_round/enable 0
sed -n 's/.*pghot_mglru_round: //p' $TRACE/trace | report rounds.shared
: >$TRACE/trace
kill $hog
wait $hog || true

set_value /sys/kernel/mm/transparent_hugepage/enabled always
set_value $PGHOT/freq_threshold 2
set_value /sys/kernel/mm/transparent_hugepage/enabled always

phase "switched off by the administrator"
set_value /sys/kernel/mm/lru_gen/enabled 0
sleep 2
counters | report before.without
sleep 3
counters | report after.without
set_value $PGHOT/enabled_sources 0
refused $PGHOT/enabled_sources 16 | report refused
set_value /sys/kernel/mm/lru_gen/enabled 7

phase "with others"
set_value $NUMAB 2
set_value $PGHOT/enabled_sources 31
set_value $TRACE/events/pghot/pghot_record/enable 1
set_value $TRACE/buffer_size_kb 16384
measure others --pages 4k
set_value $TRACE/events/pghot/pghot_record/enable 0
sed -n 's/.*pghot_record: .* \\(nid=.*\\) freq.*/\\1/p' $TRACE/trace | sort | uniq -c | report trace
set_value $NUMAB 0
set_value $PGHOT/enabled_sources 3
hooked | report hooked.off
[ -z "$(pidof pghot_mglru)" ]
rmmod pghot

phase "comes and goes"
(while [ ! -e /tmp/enough ]; do
	churn 1 32 1 || exit 1 # processes that check what they wrote
done) &
for i in $(seq {CYCLES}); do
	insmod /lib/pghot.ko enabled_sources=16 freq_threshold=1 kmigrated_sleep_ms=1
	usleep $(((i % 5) * 400000))
	rmmod pghot
done
touch /tmp/enough
wait $!
hooked | report hooked.unloaded
counters | report unloaded

phase "not available"
if insmod /lib/without-{HOOK}.ko enabled_sources=16; then
	echo loaded
fi 2>&1 | report missing.hook
if insmod /lib/without-{LACKED}.ko enabled_sources=16; then
	echo loaded
fi 2>&1 | report missing.ageing
insmod /lib/without-{LACKED}.ko
"""

KINDS = ("4k", "thp", "file", "cgroup", "others")


@pytest.fixture(scope="module")
def guest() -> Guest:
    broken = [without_symbol(symbol) for symbol in (HOOK, LACKED)]
    files = {f"lib/{path.name}": path for path in broken}
    return run(STEPS, name="mglru", timeout=900, files=files)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_used_is_promoted(guest: Guest, kind: str) -> None:
    change = difference(guest, f"before.{kind}", f"after.{kind}")
    assert micro(guest, kind)["pages_per_node"]["0"] > 0.9 * PAGES
    assert change["pghot_promoted"] > 0.9 * PAGES
    # With other sources a page of the shell may be promoted between the two counters.
    assert kind == "others" or change["pgpromote_success"] == change["pghot_promoted"]
    assert change["pghot_recorded_mglru"] > 0
    assert change["pghot_mglru_rounds"] > 1
    assert change["pghot_mglru_cpu_ns"] > 0


@pytest.mark.parametrize("kind", (*KINDS, "off"))
def test_contents_survive(guest: Guest, kind: str) -> None:
    assert micro(guest, kind)["verified"] is True


def test_rounds_are_traced(guest: Guest) -> None:
    rounds = guest.report.text("rounds").splitlines()
    line = re.compile(r"used_ns=\d+ again=([01]) pause_ms=\d+")
    assert {match[1] for text in rounds if (match := line.fullmatch(text))} == {"0", "1"}
    assert all(line.fullmatch(text) for text in rounds)


def test_off_at_load_and_then_nothing_is_hooked(guest: Guest) -> None:
    assert [guest.report.text(f"hooked.{when}") for when in ("load", "on", "off", "unloaded")] == [
        *("0", "1", "0", "0")
    ]
    off = counters(guest, "after.off")
    assert off["pghot_recorded_mglru"] == off["pghot_mglru_rounds"] == 0


def test_ageing_is_asked_for(guest: Guest) -> None:
    """While the source is on, and while nobody is short of memory by nobody else."""
    off, still, on = (
        int(guest.report.text(f"generations.{when}")) for when in ("off", "still", "on")
    )
    assert off == still
    assert on > still + 4


def test_what_nobody_uses_stays(guest: Guest) -> None:
    change = difference(guest, "before.idle", "after.idle")
    # Of 6 s, with pauses that grow to a second.
    assert 1 < change["pghot_mglru_rounds"] <= 13
    assert change["pghot_promoted"] < 0.05 * IDLE


def test_where_nothing_is_mapped_nothing_is_aged(guest: Guest) -> None:
    assert difference(guest, "before.empty", "after.empty")["pghot_mglru_rounds"] == 0


def test_what_is_used_once_stays(guest: Guest) -> None:
    """Even where one access makes a page hot: the round that meets it first does not count."""
    change = difference(guest, "before.once", "after.idle")
    assert change["pghot_promoted"] < 0.05 * IDLE


def test_shared_memory_is_met_once_in_a_round(guest: Guest) -> None:
    """By two processes that have used it once, each through an entry of its own."""
    first, *others = guest.report.text("rounds.shared").splitlines()
    assert others
    assert "again=0" in first


def test_heeds_the_administrators_switch(guest: Guest) -> None:
    change = difference(guest, "before.without", "after.without")
    assert change["pghot_recorded_mglru"] == 0
    assert guest.report.text("refused") == ""


def test_trace_names_the_source(guest: Guest) -> None:
    found = {line.split(maxsplit=1)[1] for line in guest.report.text("trace").splitlines()}
    assert "nid=-1 src=mglru" in found


def test_comes_and_goes_under_load(guest: Guest) -> None:
    after = counters(guest, "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0


def test_says_why_it_is_not_available(guest: Guest) -> None:
    because = "pghot: multi-gen LRU: not available, because"
    assert log_has(guest, f"{because} /sys/kernel/mm/lru_gen/enabled lacks 1 or 2")
    assert "loaded" not in guest.report.text("missing.hook")
    assert log_has(guest, f"{because} this kernel has no function {HOOK[:-2]}__ to watch")
    assert "loaded" not in guest.report.text("missing.ageing")
    assert log_has(guest, f"{because} this kernel does not let its ageing be called")
