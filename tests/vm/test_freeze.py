# SPDX-License-Identifier: GPL-2.0
"""When the machine is about to sleep, promotion stops with all else, and goes on afterwards."""

import re
from itertools import pairwise

import pytest

from pghotlab.guest.vm import Guest
from support import difference, run

# The sources find the first of them before the device says that all are hot.
PAGES = 8000
# A flag of tasks that the freezer leaves alone, and where /proc/PID/stat has the flags.
PF_NOFREEZE = 0x8000
FLAGS = 8
# What the kernel's test of the freezer holds all tasks for, s.
HELD = 3

# Under a rate limit of 256 pages a second there is something to promote all the time.
STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value /proc/sys/vm/min_free_kbytes 1200000 # not so roomy that there is no limit
insmod /lib/pghot.ko mode=precise enabled_sources=22 freq_threshold=1 \\
	promote_freq_window_ms=16383 promote_rate_limit_MBps=1
mkfifo /tmp/in
holds 1 {PAGES} mapped 1 </tmp/in >/tmp/out &
exec 8>/tmp/in
eventually grep -q ready /tmp/out
set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
for thread in kmigrated1 pghot_accessed pghot_mglru; do
	cat /proc/$(pidof $thread)/stat
done | report threads

echo mono >$TRACE/trace_clock
set_value $TRACE/events/pghot/pghot_promote/enable 1
counters | report before
insmod /lib/recorder.ko nid=1 nr_pages={PAGES}
sleep 1
echo {HELD} >/sys/module/suspend/parameters/pm_test_delay
echo freezer >/sys/power/pm_test
promoted=$(cat $PGHOT/stats/promoted)
echo freeze >/sys/power/state
# has_gone_on: four seconds' worth of pages were promoted since
has_gone_on()
{{
	[ $(cat $PGHOT/stats/promoted) -ge $((promoted + 4 * 256)) ]
}}
eventually has_gone_on
counters | report after
report trace <$TRACE/trace
exec 8>&-
wait $!
rmmod recorder
rmmod pghot
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="freeze", timeout=600)


def promotions(guest: Guest) -> list[float]:
    """When batches were promoted, s."""
    return [
        float(time)
        for time in re.findall(r"(\d+\.\d+): pghot_promote:", guest.report.text("trace"))
    ]


def test_threads_can_be_frozen(guest: Guest) -> None:
    flags = [
        int(line.rpartition(")")[2].split()[FLAGS - 2])
        for line in guest.report.text("threads").splitlines()
    ]
    assert len(flags) == 3
    assert [flag for flag in flags if flag & PF_NOFREEZE] == []


def test_nothing_is_promoted_meanwhile(guest: Guest) -> None:
    times = promotions(guest)
    gaps = [later - sooner for sooner, later in pairwise(times)]
    assert max(gaps) > HELD - 0.1


def test_promotion_goes_on_afterwards(guest: Guest) -> None:
    times = promotions(guest)
    gaps = [later - sooner for sooner, later in pairwise(times)]
    assert len(times) - 1 - gaps.index(max(gaps)) > 1
    change = difference(guest, "before", "after")
    assert change["pghot_promoted"] > 3 * 256
