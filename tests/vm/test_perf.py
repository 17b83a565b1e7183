# SPDX-License-Identifier: GPL-2.0
"""Performance counters: the event of minor page faults stands for those that need a PMU."""

import re

import pytest

from pghotlab.base import descriptors
from pghotlab.guest.vm import Guest
from support import DEBUG, SHRINK, counters, difference, log_has, run

MEGABYTES = 16 // SHRINK
PAGES = MEGABYTES * 256
OTHERS_MEGABYTES = max(MEGABYTES, 8)  # below 2 the multi-gen LRU is not looked at
FAULTS = "1 5 0 0"  # PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN
CLOCK = "1 0 0 0"  # a timer: samples without addresses
UNKNOWN = "4294967295 0 0 0"
LONG = " ".join(["18446744073709551615"] * 7)
BAD = (
    *(" ", "1", "1 5 0", "1 5 0 0 0 0", "1 5 0 0 4", "1 5 0 0 -1", "1  5 0 0", " 1 5 0 0"),
    *("1 5 0 0 ", "1 5 0 0\\n\\n", "1 5\\n0 0", "0x100000000 5 0 0", "1 0x10000000000000000 0 0"),
    *(
        "one 5 0 0",
        "1;5;0;0",
        "1, 5, 0, 0",
        "2 5 0 0",
        "5 0 0 0",
        "None",
        "none 0",
        "1 5 0 0\\0",
        LONG,
    ),
)
FLOOD = 4096  # pages, while nothing else runs on their CPU
CYCLES = 4
CPUS = 8
CPU = 2  # that goes away and comes back
SECONDS = 2
FIRST = 8  # events: the period of a CPU where nothing happens
BOUND = 4  # permille

# Every fault is a sample, as long as a step does not ask for less.
STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
EVENT=$PGHOT/perf_event
hotplug()
{{
	grep -c pghot/perf /sys/devices/system/cpu/hotplug/states || true
}}

# sampled NAME COMMAND...: a command, and the counters before and after
sampled()
{{
	name=$1
	shift
	phase "$name"
	counters | report "before.$name"
	"$@" | report "$name"
	settled
	counters | report "after.$name"
}}
# The worker adds what a counter did to one sum after the other.
same_times()
{{
	[ "$(cat $PGHOT/stats/perf_enabled_ns)" = "$(cat $PGHOT/stats/perf_running_ns)" ]
}}
hog_for_a_while()
{{
	hog 1 {MEGABYTES} again >/tmp/hog &
	hog=$!
	sleep 3
	cat /tmp/hog
	counters | report moved
	kill $hog
	wait $hog || true
}}
count_up() # runs in user mode for a second or more
{{
	i=0
	while [ $i -lt 100000 ]; do i=$((i + 1)); done
}}
limits="freq_threshold=1 perf_period=1 perf_period_min=1 perf_overhead_permille=1000"

phase refused
insmod /lib/pghot.ko enabled_sources=3 $limits
cat $EVENT | report none
hotplug | report hotplug.load
{{
	refused $PGHOT/enabled_sources 32
	set_value $EVENT "{UNKNOWN}"
	refused $PGHOT/enabled_sources 32
	set_value $EVENT "{FAULTS}"
	{
    "".join(
        f'''
	refused $EVENT "{text}"'''
        for text in BAD
    )
}
	for file in perf_period perf_period_min perf_overhead_permille; do
		refused $PGHOT/$file 0
	done
	refused $PGHOT/perf_overhead_permille 1001
	refused $PGHOT/perf_period 134217713
}} | report refused
cat $EVENT | report event
cat $PGHOT/sources | report sources.refused
sampled off faults 1 1

set_value $PGHOT/enabled_sources 32
cat $PGHOT/sources | report sources.on
hotplug | report hotplug.on
refused $EVENT "{CLOCK}" | report refused.on
set_value $TRACE/events/pghot/pghot_record/enable 1
set_value $TRACE/events/pghot/pghot_perf_sample/enable 1
sampled hog hog_for_a_while
for event in pghot_record pghot_perf_sample; do
	set_value $TRACE/events/pghot/$event/enable 0
	sed -n "s/.* $event: pfn=[^ ]* \\\\(.*\\\\)/\\\\1/p" $TRACE/trace |
		sort -u | report trace.$event
done
sampled other faults 1 {MEGABYTES}
eventually same_times
sampled full faults 1 {FLOOD >> 8} fifo

phase "CPUs go and come"
online=/sys/devices/system/cpu/cpu{CPU}/online
(while [ ! -e /tmp/enough ]; do churn 1 4 1 || exit 1; done) &
for i in 1 2; do
	set_value $online 0
	usleep 300000
	set_value $online 1
	usleep 300000
done
touch /tmp/enough
wait $!
sampled again taskset $(printf %x $((1 << {CPU}))) faults 1 {MEGABYTES}
set_value $PGHOT/enabled_sources 0
counters | report after.stop
hotplug | report hotplug.off

phase "no addresses"
set_value $EVENT "{CLOCK}"
set_value $PGHOT/perf_period 4000000
set_value $PGHOT/perf_period_min 4000000
counters | report before.clock
set_value $PGHOT/enabled_sources 32
count_up
set_value $PGHOT/enabled_sources 0
counters | report after.clock # no sample comes while they are read

phase "little overhead"
rm /tmp/enough
(while [ ! -e /tmp/enough ]; do taskset 2 churn 1 4 1 || exit 1; done) &
set_value $EVENT "{FAULTS}"
set_value $PGHOT/perf_period 1
set_value $PGHOT/perf_period_min 1
counters | report begin.all
set_value $PGHOT/enabled_sources 32
sleep {SECONDS}
counters | report end.all
set_value $PGHOT/enabled_sources 0
set_value $PGHOT/perf_overhead_permille {BOUND}
set_value $TRACE/trace ""
set_value $TRACE/events/pghot/pghot_perf_period/enable 1
set_value $PGHOT/enabled_sources 32
sleep 3 # settles
counters | report begin.little
sleep {SECONDS}
counters | report end.little
touch /tmp/enough
wait $!
grep pghot_perf_period: $TRACE/trace | report periods.busy
set_value $TRACE/trace ""
set_value $PGHOT/perf_period {FIRST}
sleep 7 # more than ten halvings
grep pghot_perf_period: $TRACE/trace | report periods.idle
set_value $TRACE/events/pghot/pghot_perf_period/enable 0

phase "with others"
set_value $NUMAB 2
set_value $PGHOT/perf_overhead_permille 1000
set_value $PGHOT/enabled_sources 63
sampled others churn 1 {OTHERS_MEGABYTES} 4
set_value $NUMAB 0
rmmod pghot

phase "comes and goes"
rm /tmp/enough
(while [ ! -e /tmp/enough ]; do
	churn 1 16 1 || exit 1 # processes that check what they wrote
done) &
for i in $(seq {CYCLES}); do
	insmod /lib/pghot.ko $limits enabled_sources=32 kmigrated_sleep_ms=1 \
		perf_event={FAULTS.replace(" ", ",")}
	usleep $(((i % 3) * 300000))
	rmmod pghot
done
touch /tmp/enough
wait $!
hotplug | report hotplug.unloaded
counters | report unloaded

phase "loads that fail"
{{
	for arguments in perf_event=1,5,0 perf_event=5,0,0,0 perf_event=; do
		if insmod /lib/pghot.ko $arguments; then
			echo "loaded with $arguments"
		fi
	done
	if insmod /lib/pghot.ko enabled_sources=32; then
		echo "loaded without an event"
	fi
}} 2>/dev/null | report loads
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="perf", timeout=900)


def test_what_is_sampled_is_promoted(guest: Guest) -> None:
    change = difference(guest, "before.hog", "moved")
    assert change["pghot_perf_samples"] > 2 * PAGES
    # What the kernel has not put on an LRU list when the worker comes is not recorded: that is
    # why the hog takes its faults again.
    assert change["pghot_promoted"] > 0.8 * PAGES
    assert change["pgpromote_success"] == change["pghot_promoted"]
    assert change["pghot_recorded_perf"] >= change["pghot_recorded_accesses"]


def test_nothing_is_lost_uncounted(guest: Guest) -> None:
    """Samples are recorded or dropped for a reason."""
    change = difference(guest, "after.off", "after.stop")
    kept = ("recorded_perf", "perf_kernel", "perf_cached", "perf_unmapped", "samples_lost")
    told = sum(change[f"pghot_{name}"] for name in kept)
    assert change["pghot_samples_lost"] > 0
    assert told == change["pghot_perf_samples"]
    assert change["pghot_perf_kernel"] == change["pghot_perf_cached"] == 0


def test_full_ring_loses_what_comes(guest: Guest) -> None:
    """While the sampled program keeps the worker from its CPU there is room for 512."""
    assert difference(guest, "before.hog", "after.hog")["pghot_samples_lost"] < 0.1 * PAGES
    change = difference(guest, "before.full", "after.full")
    assert change["pghot_samples_lost"] > 0.5 * FLOOD
    assert change["pghot_recorded_perf"] >= 512


def test_other_users_count_as_ever(guest: Guest) -> None:
    count, enabled, running = map(int, guest.report.text("other").split())
    assert count >= PAGES
    assert enabled == running > 0
    # The guest itself waits until both times are the same.
    assert difference(guest, "before.other", "after.other")["pghot_perf_running_ns"] > 0


def test_cpu_that_came_back_is_sampled(guest: Guest) -> None:
    assert difference(guest, "before.again", "after.again")["pghot_perf_samples"] > PAGES


def test_off_at_load_and_then_nothing_runs(guest: Guest) -> None:
    assert guest.report.text("none") == "none"
    assert [guest.report.text(f"hotplug.{when}") for when in ("load", "on", "off", "unloaded")] == [
        *("0", "1", "0", "0")
    ]
    assert difference(guest, "before.off", "after.off")["pghot_perf_samples"] == 0


def test_bad_events_change_nothing(guest: Guest) -> None:
    assert guest.report.text("refused") == ""
    assert guest.report.text("refused.on") == ""
    assert guest.report.text("event") == "1 0x5 0x0 0x0 0"
    assert guest.report.text("loads") == ""


def test_says_why_it_is_not_available(guest: Guest) -> None:
    because = "pghot: performance counters: not available, because"
    assert log_has(guest, f"{because} perf_event is none")
    assert log_has(guest, f"{because} no CPU knows PMU or event of perf_event")


def test_sources_are_listed_with_the_reason(guest: Guest) -> None:
    """All sources, whether they are on, and why one could not be started the last time."""
    listed = guest.report.text("sources.refused").splitlines()
    assert [line.split()[:2] for line in listed] == [
        [source.name, str(1 << source.bit)] for source in descriptors.sources()
    ]
    assert listed[0] == "hintfaults 1 on"
    assert listed[5] == "perf 32 off: no CPU knows PMU or event of perf_event"
    listed = guest.report.text("sources.on").splitlines()
    assert [line for line in listed if not line.endswith(" off")] == ["perf 32 on"]


def test_samples_without_address(guest: Guest) -> None:
    change = difference(guest, "before.clock", "after.clock")
    assert change["pghot_recorded_perf"] == 0
    assert change["pghot_perf_unmapped"] == change["pghot_perf_samples"] > 0


def test_trace_names_source_and_node(guest: Guest) -> None:
    records = guest.report.text("trace.pghot_record").splitlines()
    assert {" ".join(line.split()[:2]) for line in records} == {"nid=0 src=perf"}
    assert guest.report.text("trace.pghot_perf_sample") == "served=unknown"


def periods(guest: Guest, name: str) -> list[tuple[int, int, int]]:
    found = re.findall(
        r"cpu=(\d+) old_period=(\d+) new_period=(\d+)", guest.report.text(f"periods.{name}")
    )
    return [(int(cpu), int(old), int(new)) for cpu, old, new in found]


def test_period_follows_the_bound(guest: Guest) -> None:
    """From every event to so few that sampling costs little, and back when nothing happens.

    Not to the shortest, as nobody knows what the next load will cost.
    """
    everything, little = (
        difference(guest, f"begin.{name}", f"end.{name}") for name in ("all", "little")
    )
    assert little["pghot_perf_samples"] < 0.2 * everything["pghot_perf_samples"]
    # Of one CPU: the load is not even, and others do little. Both times are added up twice a
    # second, by the same look, so that they are of the same span. On the debug kernel a sample
    # alone takes 0.3 ms.
    looked_at = little["pghot_perf_enabled_ns"] / CPUS
    assert DEBUG or little["pghot_perf_cpu_ns"] < 5 * BOUND * looked_at / 1000
    busy = [new for cpu, _old, new in periods(guest, "busy") if cpu == 1]
    assert max(busy) > 16
    last = {cpu: new for cpu, _old, new in periods(guest, "idle")}
    assert last[1] == FIRST


def test_with_others(guest: Guest) -> None:
    """All that there are at once; what is promoted meanwhile is what its process wrote."""
    change = difference(guest, "before.others", "after.others")
    assert change["pghot_recorded_perf"] > 0
    assert change["pghot_promoted"] > 0
    assert change["pghot_mglru_rounds"] > 0


def test_comes_and_goes_under_load(guest: Guest) -> None:
    after = counters(guest, "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0
