# SPDX-License-Identifier: GPL-2.0
"""AMD's memory profiler, against a model of it: no CPU here has one.

The model has registers for each CPU, counts ops, and sends real NMIs. What it accesses, the
steps tell it by parameters of the module.
"""

import re

import pytest

from hotplug import DeviceMemory
from pghotlab.base.units import MIB
from pghotlab.guest.vm import Guest
from support import BUILD, SHRINK, counters, difference, log_has, run

CPUS = 8
LAST = CPUS - 1
MEGABYTES = 16 // SHRINK  # of the hog
# Ops of each CPU in a ms: with the usual period a sample in 5 ms. An NMI takes long here.
OPS = 2000 // SHRINK
PERIODS = (10_000, 50_000)
# Samples of a burst: some, and more than a ring holds.
SOME = 100
FLOOD = 2000
RING = 512
SPURIOUS = 5

# Of a start, each of which may fail.
ALLOCATIONS = 3

# What an op may be other than a load of user memory that misses all caches: parameters of the
# model, and how many of SOME are sampled and filtered.
KINDS = {
    "store": ("data3=0x160082", SOME, 0),
    "prefetch": ("data3=0x360081", SOME, 0),
    "cxl": ("data2=0x40", SOME, 0),
    "l3": ("data2=1", 0, 0),
    "l2": ("data3=0x60081", 0, 0),
    "far_cache": ("data2=5", SOME, SOME),
    "device": ("data2=7", SOME, SOME),
    "no_access": ("data3=0x160080", SOME, SOME),
    "no_address": ("data3=0x120081", SOME, SOME),
    "kernel": ("kernel=1", 0, 0),
    "kernel_address": ("linaddr=0xffff888000001000", SOME, SOME),
}
# Memory of a device, with memory of the slow node before and after it in the same block.
DEVICE = DeviceMemory(node=1, address=0x1_0A00_0000, size=32 * MIB)
# Page frames that have no record: in a hole, above all memory, above what can be, of the fast
# node, of memory that is offline, of a device.
NONSENSE = (
    *("0xa0", str(1 << 35), str((1 << 40) - 1), "$fast", "$offline"),
    str(DEVICE.address // 4096),
)
# Starts that fail: a parameter of the model.
FAILURES = {
    "absent": (f"absent={LAST}", "not all CPUs can be set up (-95)"),
    "no_interrupt": ("ibsctl=0x101", "firmware has given it no interrupt"),
    "shared": ("ibsctl=0x1010101", "firmware has given it the interrupt of IBS"),
    "unknown": ("ibsctl=0x1050101", "this kernel does not know the interrupt that firmware has"),
    "taken": ("taken=2", "its interrupt, extended LVT 2, is taken"),
}
USUAL = {
    "absent": "-1",
    "ibsctl": "0x1020101",
    "taken": "-1",
    "data2": "3",
    "data3": "0x160081",
    "linaddr": "0x7f0000001000",
    "kernel": "0",
}
EVENT = "pghot_mprof_sample"
FORMAT = (
    r"pfn=0x[0-9a-f]+ op=load source=(dram|far_ccx) distance=(local|node|socket) "
    r"verdict=(record|cached)"
)


def with_parameter(parameter: str, steps: str) -> str:
    """Steps while a parameter of the model has this value."""
    name, value = parameter.split("=")
    return f"model {name} {value}\n{steps}\nmodel {name} {USUAL[name]}\n"


FAILING = "".join(with_parameter(how, f"fails {name}") for name, (how, _) in FAILURES.items())
FILTERING = "".join(with_parameter(kind, f"burst {name}") for name, (kind, *_) in KINDS.items())

STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
EVENT={EVENT}
STATES=/sys/devices/system/cpu/hotplug/states
CPU=/sys/devices/system/cpu/cpu{LAST}

model() # PARAMETER VALUE
{{
	set_value /sys/module/pghot/parameters/mprof_$1 $2
}}

# fails NAME: the source must not start; reports what happened, and what is left of it
fails()
{{
	refused $PGHOT/enabled_sources 64 | report failure.$1
	grep mprof $STATES | report states.$1 || true
}}

# burst NAME [PERIODS]: have one CPU go through them, and the counters around it
burst()
{{
	counters | report before.$1
	model burst ${{2-{SOME}}}
	eventually grep -qx 0 /sys/module/pghot/parameters/mprof_burst
	usleep 100000
	counters | report after.$1
}}

# frames PID: the longest run of page frames in its mapping of so many MiB, first and last
frames()
{{
	while read -r range rights rest; do
		begin=$((0x${{range%-*}}))
		if [ $((0x${{range#*-}} - begin)) = {MEGABYTES << 20} ]; then
			dd if=/proc/$1/pagemap bs=8 skip=$((begin / 4096)) count={MEGABYTES << 8} \
				2>/dev/null
		fi
	done </proc/$1/maps | od -An -v -t x8 -w8 | sed 's/.*\\(.\\{{10\\}}\\)$/0x\\1/' |
		xargs printf '%d\\n' | sort -n | awk '
			$1 != last + 1 {{ first = $1 }}
			{{ last = $1 }}
			last - first >= end - begin {{ begin = first; end = last }}
			END {{ print begin, end }}'
}}

# traced SCRIPT: what sed makes of the trace. Nothing is traced meanwhile: the CPUs write so much
# that the reader might never come to the end
traced()
{{
	set_value $TRACE/tracing_on 0
	sed -n "$1" $TRACE/trace
	set_value $TRACE/tracing_on 1
}}

# sampled: CPUs that take samples, from the tracepoint
sampled()
{{
	echo >$TRACE/trace
	usleep {100_000 + 200_000 * SHRINK}
	traced "s/.*\\[0*\\([0-9][0-9]*\\)\\].* $EVENT: .*/\\1/p" | sort -nu | tr '\\n' ' '
}}

phase stock
if insmod /lib/pghot.ko enabled_sources=64; then
	echo loaded
fi 2>&1 | report stock.load
insmod /lib/pghot.ko enabled_sources=3
refused $PGHOT/enabled_sources 64 | report stock.refused
rmmod pghot

phase "failing starts"
insmod /lib/pghot-inject.ko freq_threshold=1 enabled_sources=0
pin 0 # not the CPU that lacks it
{FAILING}
# Each allocation of a start, ten times; with one more the start succeeds.
awk '/^Percpu:/ {{ print $2 }}' /proc/meminfo | report percpu.before
for i in $(seq 10); do
	for n in $(seq {ALLOCATIONS}); do
		set_value /sys/module/pghot/parameters/inject_alloc $n
		fails alloc
	done
done
sleep 1 # chunks are freed late
awk '/^Percpu:/ {{ print $2 }}' /proc/meminfo | report percpu.after
set_value /sys/module/pghot/parameters/inject_alloc {ALLOCATIONS + 1}
pin 0-{LAST}
phase promotion
set_value $PGHOT/enabled_sources 64
grep mprof $STATES | report states.on
hog 1 {MEGABYTES} >/tmp/hog &
hog=$!
until grep -q ready /tmp/hog; do usleep 100000; done
set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
frames $hog >/tmp/frames
report frames </tmp/frames
read -r first last </tmp/frames
pages=$((last - first + 1))
model pfn $first
model pages $pages
counters | report before.promotion
model ops {OPS}
eventually has_promoted $pages || true
model ops 0
settled
counters | report after.promotion
kill $hog
wait $hog || true

phase filters
{FILTERING}
phase flood
burst flood {FLOOD}

phase nonsense
{DEVICE.steps}
fast=$(sed -n '/Node 0, zone *DMA32/,$ s/ *start_pfn: *//p' /proc/zoneinfo | head -n 1)
eventually offlined $(ls -r /sys/devices/system/node/node1/memory[0-9]*/state)
cat $state | report offline
size=$((0x$(cat /sys/devices/system/memory/block_size_bytes)))
block=${{state%/state}}
offline=$((${{block##*/memory}} * size / 4096))
model pages 1000
i=0
for pfn in {" ".join(NONSENSE)}; do
	model pfn $pfn
	burst nonsense.$i
	i=$((i + 1))
done
set_value $state online
model pfn $first
model pages $pages

phase periods
for period in {" ".join(map(str, PERIODS))}; do
	set_value $PGHOT/mprof_period $period
	model counted 0
	counters | report before.period.$period
	model ops {OPS}
	sleep 1
	model ops 0
	usleep 100000
	counters | report after.period.$period
	cat /sys/module/pghot/parameters/mprof_counted | report counted.$period
done
set_value $PGHOT/mprof_period {PERIODS[0]}
set_value $PGHOT/enabled_sources 0
set_value $PGHOT/enabled_sources 64 # at once, not from the next sample on

phase "spurious interrupts"
counters | report before.spurious
model spurious_nmi {SPURIOUS}
usleep 100000
counters | report after.spurious
burst spurious.later

phase "lost interrupt"
model mute 1
burst mute
model mute 0
counters | report before.found
model spurious_nmi {8 * CPUS} # one of them on the CPU that waits
usleep 200000
counters | report after.found
burst mute.later

phase "CPU goes and comes"
set_value $TRACE/events/pghot/$EVENT/enable 1
model ops {OPS}
sampled | report cpus.all
for i in 1 2 3; do
	set_value $CPU/online 0
	sampled | report cpus.off.$i
	set_value $CPU/online 1
	sampled | report cpus.on.$i
done
set_value $CPU/online 0
model absent {LAST}
set_value $CPU/online 1
sampled | report cpus.without
set_value $CPU/online 0
model absent -1
set_value $CPU/online 1
sampled | report cpus.again
# As if by a suspend, of which the kernel's own test leaves out the rest.
model lose 0
sampled | report cpus.lost
set_value /sys/power/pm_test freezer
set_value /sys/power/state freeze
sampled | report cpus.resumed
set_value $PGHOT/enabled_sources 0
set_value /sys/power/state freeze
set_value $PGHOT/enabled_sources 64
model data2 0x205
usleep 100000
model data2 0x13
usleep 100000
model data2 3
traced "s/.* $EVENT: //p" | sort -u | report trace
set_value $TRACE/events/pghot/$EVENT/enable 0

phase "late interrupts"
model ops 0
model late 1
counters | report before.late
set_value $PGHOT/enabled_sources 0
counters | report after.late
model late 0

phase "interrupts of others after the end"
set_value $PGHOT/enabled_sources 64
model foreign {LAST} # others ended before
set_value $PGHOT/enabled_sources 0
model foreign -1

phase "off"
grep mprof $STATES | report states.off || true
model ops {OPS}
usleep 100000
counters | report off

phase "unloading"
rmmod pghot
for i in 1 2 3 4; do
	insmod /lib/pghot-inject.ko freq_threshold=1 enabled_sources=$((i % 2 ? 64 : 95)) \\
		mprof_ops={OPS} mprof_pfn=$first mprof_pages=$pages
	usleep $((i * 50000))
	rmmod pghot
done
grep mprof $STATES | report states.unloaded || true
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    files = {"lib/pghot-inject.ko": BUILD / "inject" / "pghot.ko", **DEVICE.files}
    return run(
        STEPS, name="mprof", timeout=900, files=files, kernel_arguments=DEVICE.kernel_argument
    )


def mprof(guest: Guest, name: str) -> dict[str, int]:
    """What the profiler's counters grew by around a step."""
    change = difference(guest, f"before.{name}", f"after.{name}")
    names = ("samples", "filtered", "spurious")
    return {short: change[f"pghot_mprof_{short}"] for short in names} | {
        "lost": change["pghot_samples_lost"],
        "reported": change["pghot_recorded_mprof"],
        "recorded": change["pghot_recorded_accesses"],
    }


def in_phase(guest: Guest, name: str) -> list[str]:
    """Lines of the kernel log from a phase of the steps."""
    marks = [i for i, line in enumerate(guest.console) if "lab: phase " in line]
    for begin, end in zip(marks, [*marks[1:], len(guest.console)], strict=True):
        if guest.console[begin].endswith(f"lab: phase {name}"):
            return guest.console[begin:end]
    pytest.fail(f"no phase {name}")


def unknown_nmis(guest: Guest, name: str) -> int:
    """How many NMIs nobody knew of in a phase, as the kernel tells, which may leave some out."""
    return sum("NMI received for unknown reason" in line for line in in_phase(guest, name))


def test_refused_where_no_cpu_has_it(guest: Guest) -> None:
    assert "loaded" not in guest.report.text("stock.load")
    assert guest.report.text("stock.refused") == ""
    because = "pghot: AMD memory profiler: not available, because this CPU has none"
    assert sum(because in line for line in in_phase(guest, "stock")) >= 2


@pytest.mark.parametrize("failure", FAILURES)
def test_failing_start_says_why_and_changes_nothing(guest: Guest, failure: str) -> None:
    _, why = FAILURES[failure]
    assert guest.report.text(f"failure.{failure}") == ""
    assert guest.report.text(f"states.{failure}") == ""
    assert log_has(guest, f"pghot: AMD memory profiler: not available, because {why}")


def test_start_without_memory_leaves_nothing(guest: Guest) -> None:
    blocks = guest.report.blocks
    assert blocks["failure.alloc"] == blocks["states.alloc"] == [""] * 10 * ALLOCATIONS
    before, after = (int(guest.report.text(f"percpu.{when}")) for when in ("before", "after"))
    # KiB; the rings of one start are 100.
    assert after - before < 300


def test_what_is_sampled_is_promoted(guest: Guest) -> None:
    first, last = map(int, guest.report.text("frames").split())
    pages = last - first + 1
    assert pages >= 64
    change = difference(guest, "before.promotion", "after.promotion")
    assert change["pghot_promoted"] == change["pgpromote_success"] == pages
    told = mprof(guest, "promotion")
    assert told["filtered"] == told["spurious"] == 0
    assert told["samples"] == told["reported"] + told["lost"]
    assert told["reported"] >= told["recorded"] >= pages


@pytest.mark.parametrize("kind", KINDS)
def test_only_accesses_to_memory_by_programs_count(guest: Guest, kind: str) -> None:
    _, samples, filtered = KINDS[kind]
    told = mprof(guest, kind)
    assert (told["samples"], told["filtered"]) == (samples, filtered)
    assert told["reported"] == samples - filtered


def test_flood_is_lost_and_counted(guest: Guest) -> None:
    told = mprof(guest, "flood")
    assert told["samples"] == FLOOD
    assert told["reported"] >= RING
    assert told["lost"] == FLOOD - told["reported"] > 0


@pytest.mark.parametrize("which", range(len(NONSENSE)))
def test_nonsense_addresses_do_no_harm(guest: Guest, which: int) -> None:
    assert guest.report.text("offline") == "offline"
    DEVICE.check(guest)
    told = mprof(guest, f"nonsense.{which}")
    assert told["reported"] == SOME
    assert told["recorded"] == 0


@pytest.mark.parametrize("period", PERIODS)
def test_period_is_held(guest: Guest, period: int) -> None:
    counted = int(guest.report.text(f"counted.{period}"))
    samples = mprof(guest, f"period.{period}")["samples"]
    assert counted > 50 * period / SHRINK
    # Each CPU's first sample has the old period, its last ops have none.
    assert abs(samples - counted / period) <= CPUS * max(PERIODS) / min(PERIODS)


def test_interrupts_of_others_are_passed_on(guest: Guest) -> None:
    told = mprof(guest, "spurious")
    assert (told["spurious"], told["samples"]) == (SPURIOUS, 0)
    assert unknown_nmis(guest, "spurious interrupts") > 0
    assert mprof(guest, "spurious.later")["samples"] == SOME


def test_sample_whose_interrupt_is_lost_is_found_later(guest: Guest) -> None:
    assert mprof(guest, "mute")["samples"] == 0
    found = mprof(guest, "found")
    assert (found["samples"], found["spurious"]) == (1, 8 * CPUS - 1)
    assert mprof(guest, "mute.later")["samples"] == SOME


def test_cpus_that_go_and_come(guest: Guest) -> None:
    every = " ".join(map(str, range(CPUS)))
    others = " ".join(map(str, range(LAST)))
    assert guest.report.text("cpus.all").strip() == every
    for i in (1, 2, 3):
        assert guest.report.text(f"cpus.off.{i}").strip() == others
        assert guest.report.text(f"cpus.on.{i}").strip() == every


def test_cpu_that_lacks_it_may_come(guest: Guest) -> None:
    others = " ".join(map(str, range(LAST)))
    assert guest.report.text("cpus.without").strip() == others
    assert log_has(guest, f"pghot: AMD memory profiler: CPU {LAST} is not sampled (-95)")
    assert guest.report.text("cpus.again").strip() == f"{others} {LAST}"


def test_suspend_is_followed(guest: Guest) -> None:
    """Also by the CPU that stays online, whose registers are lost without CPU hotplug."""
    every = " ".join(map(str, range(CPUS)))
    assert guest.report.text("cpus.lost").strip() == every.partition(" ")[2]
    assert guest.report.text("cpus.resumed").strip() == every


def test_tracepoint_says_what_a_sample_is(guest: Guest) -> None:
    lines = guest.report.text("trace").splitlines()
    assert [line for line in lines if not re.fullmatch(FORMAT, line)] == []
    seen = {line.partition("source=")[2] for line in lines}
    assert seen == {
        "dram distance=local verdict=record",
        "dram distance=node verdict=record",
        "far_ccx distance=socket verdict=cached",
    }


def test_interrupt_after_the_end_is_no_surprise(guest: Guest) -> None:
    assert mprof(guest, "late")["spurious"] == CPUS
    assert unknown_nmis(guest, "late interrupts") == 0


def test_interrupts_of_others_after_the_end_are_not_swallowed(guest: Guest) -> None:
    assert unknown_nmis(guest, "interrupts of others after the end") > 0


def test_off_is_off(guest: Guest) -> None:
    assert "pghot/mprof:online" in guest.report.text("states.on")
    assert guest.report.text("states.off") == guest.report.text("states.unloaded") == ""
    late, off = counters(guest, "after.late"), counters(guest, "off")
    assert off["pghot_mprof_samples"] == late["pghot_mprof_samples"]
