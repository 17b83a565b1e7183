# SPDX-License-Identifier: GPL-2.0
"""On each kernel: pghot loads with all types as it believes, promotes, and leaves nothing behind.

It needs nothing that is built for the kernel but pghot. `make test` runs it on all of them.
"""

import re

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, difference, log_has, micro, run

MEGABYTES = 8 if DEBUG else 16  # that each run touches
PAGES = MEGABYTES * 256
# Of each thread, in a second, for so many seconds.
RATE = 400_000
SECONDS = 60 if DEBUG else 15

STEPS = f"""
set_value /sys/kernel/mm/transparent_hugepage/enabled never

# measure NAME ARGUMENTS...: a run of the benchmark, with the counters around it
measure()
{{
	name=$1
	shift
	phase "$name"
	counters | report "before.$name"
	micro --threads 4 --bytes $(({MEGABYTES} << 20)) --pages 4k --provision 1 --cpus-node 0 \\
		--rate {RATE} --accesses $(({RATE} * {SECONDS})) | report "$name"
	settled
	counters | report "after.$name"
}}

# QEMU's TLB never forgets a page by itself, and what it has looks idle by its accessed bit.
tlbflush 10000 >/dev/null
insmod /lib/pghot.ko
measure policy
rmmod pghot
kill $(pidof tlbflush)
remains | report policy.remains

set_value $NUMAB 2
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 20
set_value /sys/kernel/debug/sched/numa_balancing/scan_period_min_ms 20
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
measure hintfaults
rmmod pghot
remains | report hintfaults.remains

# Each source that needs no hardware can be switched on, and off again.
echo 7 >/sys/kernel/mm/lru_gen/enabled
insmod /lib/pghot.ko enabled_sources=0
for bit in 1 2 4 8 16 512; do
	set_value $PGHOT/enabled_sources $bit
	cat $PGHOT/enabled_sources
done | report switched
rmmod pghot
remains | report switched.remains
"""

RUNS = ("policy", "hintfaults")
# How many pages may stay where they are, at most. The policy does not look for less than 2 MiB.
STAY = {"policy": 512, "hintfaults": PAGES // 10}


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="smoke", timeout=600)


def test_all_types_are_as_believed(guest: Guest) -> None:
    if not DEBUG:
        log = "\n".join(guest.console)
        counts = re.findall(r"pghot: (\d+) of (\d+) types of this kernel checked", log)
        assert len(counts) == 3
        assert all(checked == known for checked, known in counts)
    assert not log_has(guest, "in this kernel, and ")
    assert not log_has(guest, "this kernel has no symbol")


@pytest.mark.parametrize("name", RUNS)
def test_hot_pages_are_promoted(guest: Guest, name: str) -> None:
    result = micro(guest, name)
    assert result["verified"] is True
    promoted = PAGES - STAY[name]
    assert result["pages_per_node"]["0"] > promoted
    change = difference(guest, f"before.{name}", f"after.{name}")
    assert change["pghot_promoted"] > promoted
    assert change["pgpromote_success"] == change["pghot_promoted"]


def test_sources_are_switched(guest: Guest) -> None:
    assert guest.report.text("switched").split() == ["1", "2", "4", "8", "16", "512"]


@pytest.mark.parametrize("name", (*RUNS, "switched"))
def test_nothing_is_left(guest: Guest, name: str) -> None:
    assert guest.report.text(f"{name}.remains") == ""
