# SPDX-License-Identifier: GPL-2.0
"""The kernel at each patch of the series: it boots, promotes in the background, has its files.

`make series-check` builds the kernels. What a patch adds is looked for from that patch on.
"""

from functools import cache

import pytest

from pghotlab.base import descriptors
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import load_machine
from pghotlab.series import kernel
from pghotlab.series.check import image
from pghotlab.series.plan import load_series
from pghotlab.series.tree import fetch_tree
from pghotlab.series.write import OUT
from support import PRELUDE, counters, difference, micro, migrations_by_thread

PATCHES = load_series().patches
NUMBERS = range(1, len(PATCHES) + 1)
MEGABYTES = 16  # that each run touches
PAGES = MEGABYTES * 256
# Of each thread, in a second, for so many seconds.
RATE = 400_000
SECONDS = 15
# How many pages may stay where they are. The policy does not look for less than 2 MiB.
STAY = {"async": PAGES // 10, "hintfaults": PAGES // 10, "policy": 512}
# The patch that starts all parts, and the one whose source the policy uses.
STARTS = next(n for n in NUMBERS if "hintfaults" in PATCHES[n - 1].sources)
POLICY = next(n for n in NUMBERS if "windows" in PATCHES[n - 1].sources)
# The guest has no hardware for these sources.
HARDWARE = ("perf", "mprof", "chmu")
SOURCES = {source.name: source.bit for source in descriptors.sources()}

MEASURE = f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never
# Scans of hint faults begin soon, and follow each other so.
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 20
set_value /sys/kernel/debug/sched/numa_balancing/scan_period_min_ms 20
# QEMU's TLB never forgets a page by itself, and what it has looks idle by its accessed bit.
tlbflush 10000 >/dev/null

# measure NAME: a run of the benchmark, the counters around it, and who has moved pages
measure()
{{
	phase "$1"
	set_value $TRACE/events/migrate/mm_migrate_pages/trigger \\
		'hist:keys=common_pid.execname:vals=succeeded if reason == 5'
	counters | report "before.$1"
	micro --threads 4 --bytes $(({MEGABYTES} << 20)) --pages 4k --provision 1 --cpus-node 0 \\
		--rate {RATE} --accesses $(({RATE} * {SECONDS})) | report "$1"
	settled
	counters | report "after.$1"
	report "threads.$1" <$TRACE/events/migrate/mm_migrate_pages/hist
	set_value $TRACE/events/migrate/mm_migrate_pages/trigger \\
		'!hist:keys=common_pid.execname:vals=succeeded if reason == 5'
}}
"""

# Before all parts are there: NUMA balancing decides, and workers move.
ASYNC = """
set_value $NUMAB 2
measure async
ls -d $PGHOT 2>/dev/null | report home || true
"""

FILES = """
cat $PGHOT/sources | report sources
find $PGHOT -type f | sed "s,$PGHOT/,," | report files
ls /proc/sys/vm | report sysctls
"""

POLICY_STEPS = "measure policy\n"

HINTFAULTS = """
set_value $NUMAB 2
set_value $PGHOT/freq_threshold 1
set_value $PGHOT/enabled_sources 3
measure hintfaults
"""

# switch BITS...: each source alone is switched on, and off again by the next
SWITCH = """
set_value /sys/kernel/mm/lru_gen/enabled 7
for bit in {bits}; do
	set_value $PGHOT/enabled_sources $bit
	cat $PGHOT/enabled_sources
done | report switched
set_value $PGHOT/enabled_sources 0
"""


def sources(number: int) -> list[str]:
    """The sources that the patches up to one have added, by their bits."""
    names = {name for patch in PATCHES[:number] for name in patch.sources}
    return sorted(names, key=SOURCES.__getitem__)


def runs(number: int) -> list[str]:
    """The runs of the benchmark at a patch."""
    if number < STARTS:
        return ["async"]
    return ["policy", "hintfaults"] if number >= POLICY else ["hintfaults"]


def bits(number: int) -> list[str]:
    """The bits of those sources that need no hardware."""
    return [str(1 << SOURCES[name]) for name in sources(number) if name not in HARDWARE]


def steps(number: int) -> str:
    """What the guest does at a patch."""
    if number < STARTS:
        return ASYNC
    switch = SWITCH.format(bits=" ".join(bits(number)))
    return FILES + (POLICY_STEPS if number >= POLICY else "") + HINTFAULTS + switch


@cache
def guest(number: int) -> Guest:
    """A guest with the kernel at a patch."""
    booted = kernel.built(fetch_tree(), image(number))
    assert booted.vmlinuz.exists(), f"no kernel of patch {number}: run `make series-check`"
    return boot(
        load_machine("two-node"),
        PRELUDE + MEASURE + steps(number),
        timeout=900,
        kernel=booted,
        folder=OUT / "vm" / f"{number:02}",
    )


RUNS = [(number, name) for number in NUMBERS for name in runs(number)]
WITH_FILES = range(STARTS, len(PATCHES) + 1)


@pytest.mark.parametrize(("number", "name"), RUNS)
def test_hot_pages_are_promoted(number: int, name: str) -> None:
    result = micro(guest(number), name)
    assert result["verified"] is True
    assert result["pages_per_node"]["0"] > PAGES - STAY[name]
    change = difference(guest(number), f"before.{name}", f"after.{name}")
    assert change["pgpromote_success"] > PAGES - STAY[name]
    if number >= STARTS:
        assert change["pgpromote_success"] == change["pghot_promoted"]


@pytest.mark.parametrize(("number", "name"), RUNS)
def test_no_promotion_in_the_faulting_process(number: int, name: str) -> None:
    threads = migrations_by_thread(guest(number), f"threads.{name}")
    assert {thread.partition("/")[0] for thread in threads} == {"kworker"}, threads


@pytest.mark.parametrize("number", range(1, STARTS))
def test_the_first_patches_have_no_files(number: int) -> None:
    assert guest(number).report.text("home") == ""


@pytest.mark.parametrize("number", WITH_FILES)
def test_files_are_there(number: int) -> None:
    report = guest(number).report
    listed = [line.split()[0] for line in report.text("sources").splitlines()]
    assert listed == sources(number)
    files = set(report.text("files").split())
    assert {"enabled_sources", "policy_state", "sources", "stats/promoted"} <= files
    tunables = {one.name: one for one in descriptors.tunables() if one.name in files}
    doors = {one.name for one in tunables.values() if "sysctl" in one.doors}
    assert doors
    assert {f"pghot_{name}" for name in doors} <= set(report.text("sysctls").split())


@pytest.mark.parametrize("number", WITH_FILES)
def test_sources_are_switched(number: int) -> None:
    assert guest(number).report.text("switched").split() == bits(number)
    assert counters(guest(number), "after.hintfaults")["pghot_promoted"] > 0
