# SPDX-License-Identifier: GPL-2.0
"""Tracepoints: each says what its format promises, and as much as the counters count."""

import re

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, difference, run

FORMATS = {
    "pghot_record": r"pfn=0x[0-9a-f]+ nid=(0 src=hintfaults|-1 src=hwhints) freq=[1-3] ready=[01]",
    "pghot_ready": r"pfn=0x[0-9a-f]+ nid=1",
    "pghot_refuse": r"pfn=0x[0-9a-f]+ nid=1 reason=full",
    "pghot_promote": r"from=1 to=0 nr_pages=\d+ nr_asked=\d+",
    "pghot_threshold": r"nid=0 old_ms=\d+ new_ms=\d+",
    "pghot_accessed_mm_enter": r"tgid=\d+",
    "pghot_accessed_mm_exit": r"tgid=\d+",
    "pghot_accessed_find": r"visited=\d+",
    "pghot_accessed_scan_start": r"tgid=\d+ address=0x[0-9a-f]+ scan_size_mb=\d+",
    "pghot_accessed_scan_end": r"tgid=\d+ pages=\d+ useful=\d+ scan_period_ms=\d+ "
    r"scan_size_mb=\d+ target_node=(-1|0)",
}
# Events of what is off here: tests of their own look at them.
ELSEWHERE = (
    "pghot_source",
    "pghot_policy",
    "pghot_policy_look",
    "pghot_demote",
    "pghot_mglru_round",
    "pghot_perf_sample",
    "pghot_perf_period",
    "pghot_mprof_sample",
    "pghot_hmu",
)
# Pages that the test's own source records while the fast node is full.
REFUSED = 1000
# Of each event's lines, what travels to the host.
SHOWN = 500
# Where the hot threshold starts, and how far it moves at a time, ms.
WINDOW = 3000
UNIT = WINDOW // 8
# After so long all pages have been judged, us.
JUDGED = 1_000_000 if DEBUG else 200_000

STEPS = f"""
set_value $NUMAB 2
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value $TRACE/buffer_size_kb 8192
# Nothing is refused for CPU time, however slow the host is.
insmod /lib/pghot.ko enabled_sources=3 promote_cpu_percent=100
ls $TRACE/events/pghot | grep pghot_ | report events

touch_slow() # BYTES
{{
	micro --threads 4 --bytes "$1" --accesses 12000000 --provision 1 --cpus-node 0 \\
		--pages 4k >/tmp/micro
}}

phase "all off"
touch_slow $((8 << 20))
grep -c ' pghot_' $TRACE/trace | report off || true

phase "all on"
counters | report before
set_value $TRACE/events/pghot/enable 1
touch_slow $((32 << 20))
# The fast node counts as full below its watermarks: raise them over what is free.
reserve=/proc/sys/vm/min_free_kbytes
saved=$(cat $reserve)
set_value $reserve 2000000
hog 1 16 >/tmp/hog &
hog=$!
until grep -q ready /tmp/hog; do usleep 100000; done
insmod /lib/recorder.ko nid=1 nr_pages={REFUSED} rounds=2
rmmod recorder
usleep 500000
set_value $reserve "$saved"
kill $hog
wait $hog || true
settled
set_value $TRACE/events/pghot/enable 0
counters | report after

phase "threshold"
set_value $TRACE/events/pghot/pghot_threshold/enable 1
set_value $PGHOT/promote_freq_window_ms {WINDOW}
set_value $PGHOT/promote_threshold_window_ms 1000
# Short of memory: it has room, but no gigabyte.
free=$(awk '/MemFree/ {{ print int($4 / 1024) }}' /sys/devices/system/node/node0/meminfo)
hog 0 $((free - 600)) lock >/tmp/hog.fast &
fast=$!
until grep -q ready /tmp/hog.fast; do usleep 100000; done

# judge PAGES: have so many judged, in a tuning period of their own
judge()
{{
	rm -f /tmp/hog.slow
	hog 1 8 >/tmp/hog.slow &
	hog=$!
	until grep -q ready /tmp/hog.slow 2>/dev/null; do usleep 100000; done
	usleep 1100000
	insmod /lib/recorder.ko nid=1 nr_pages="$1" rounds=2
	rmmod recorder
	usleep {JUDGED}
	cat $PGHOT/node0/hot_threshold_ms >>/tmp/thresholds
	kill $hog
	wait $hog || true
}}
judge 100 # few: the threshold goes up
judge 100
set_value $PGHOT/promote_rate_limit_MBps 1
judge 1000
judge 100 # after too many: down
kill $fast
wait $fast || true
judge 100 # no threshold
set_value $TRACE/events/pghot/pghot_threshold/enable 0
report thresholds </tmp/thresholds

phase "scanner"
for event in $TRACE/events/pghot/pghot_accessed_*; do
	set_value $event/enable 1
done
set_value $PGHOT/enabled_sources 4
sleep 3
set_value $PGHOT/enabled_sources 0
for event in $TRACE/events/pghot/pghot_accessed_*; do
	set_value $event/enable 0
done
set_value $PGHOT/enabled_sources 3

for event in {" ".join(FORMATS)}; do
	sed -n "s/.* $event: //p" $TRACE/trace >/tmp/events
	head -n {SHOWN} /tmp/events | report $event
	wc -l </tmp/events | report $event.lines
done
sed -n 's/.*: pghot_record: .*freq=/freq=/p' $TRACE/trace | sort -u | report readiness
sed -n 's/.*: pghot_promote: .*nr_pages=\\([0-9]*\\) .*/\\1/p' $TRACE/trace |
	awk '{{ sum += $1 }} END {{ print sum }}' | report promoted

phase "unloading with all on"
set_value $TRACE/events/pghot/enable 1
touch_slow $((16 << 20))
rmmod pghot
[ ! -d $TRACE/events/pghot ]
touch_slow $((8 << 20))
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="trace", timeout=600)


def test_all_events_are_there(guest: Guest) -> None:
    assert sorted(guest.report.text("events").split()) == sorted([*FORMATS, *ELSEWHERE])


def test_silent_when_off(guest: Guest) -> None:
    assert guest.report.text("off") == "0"


@pytest.mark.parametrize("event", FORMATS)
def test_lines_are_as_promised(guest: Guest, event: str) -> None:
    lines = guest.report.text(event).splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(FORMATS[event], line)] == []


def test_ready_and_frequency_agree(guest: Guest) -> None:
    seen = set(guest.report.text("readiness").splitlines())
    assert {"freq=1 ready=0", "freq=2 ready=1"} <= seen
    assert seen <= {"freq=1 ready=0", "freq=2 ready=1", "freq=3 ready=1"}


def test_as_many_as_counted(guest: Guest) -> None:
    counted = difference(guest, "before", "after")
    lines = {event: int(guest.report.text(f"{event}.lines")) for event in FORMATS}
    assert lines["pghot_record"] == counted["pghot_recorded_accesses"]
    assert lines["pghot_ready"] == counted["pghot_made_ready"]
    assert lines["pghot_refuse"] == counted["pghot_refused_full"] > 0
    assert lines["pghot_promote"] == counted["pghot_batches"]
    assert int(guest.report.text("promoted")) == counted["pghot_promoted"] > 0


def test_each_change_of_the_threshold_is_told(guest: Guest) -> None:
    lines = guest.report.text("pghot_threshold").splitlines()
    changes = [tuple(map(int, re.findall(r"_ms=(\d+)", line))) for line in lines]
    assert [old for old, _ in changes] == [WINDOW, *(new for _, new in changes[:-1])]
    steps = [new - old for old, new in changes[:-1]]
    assert set(steps) == {UNIT, -UNIT}
    assert steps[:2] == [UNIT, UNIT]
    assert changes[-1][1] == WINDOW


def test_threshold_is_what_its_file_says(guest: Guest) -> None:
    told = [int(line) for line in guest.report.text("thresholds").splitlines()]
    lines = guest.report.text("pghot_threshold").splitlines()
    news = [int(line.rpartition("=")[2]) for line in lines]
    assert told[:2] == news[:2] == [WINDOW + UNIT, WINDOW + 2 * UNIT]
    assert set(told) <= set(news)
    assert told[-1] == news[-1] == WINDOW
