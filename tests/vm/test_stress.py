# SPDX-License-Identifier: GPL-2.0
"""Promotion while processes fork and die, the fast node is full, or pghot comes and goes."""

import pytest

from pghotlab.guest.vm import Guest
from support import EXACT_SLABS, KIND, SHRINK, counters, difference, leaks, micro, run

CYCLES = 20 if KIND == "kcsan" else 100  # there one takes 15 s
ROOM = 96 // SHRINK  # MiB

STEPS = f"""
set_value $NUMAB 2
set_value /sys/kernel/mm/numa/demotion_enabled 1
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1

phase churn
counters | report before.churn
churn 1 128 4
set_value /sys/kernel/mm/transparent_hugepage/enabled never
churn 1 128 4
counters | report after.churn

# The fast node full but for a little, and more hot memory than fits there.
phase pressure
free=$(awk '/MemFree/ {{ print int($4 / 1024) }}' /sys/devices/system/node/node0/meminfo)
hog 0 $((free - {ROOM})) >/tmp/hog &
hog=$!
until grep -q ready /tmp/hog; do usleep 100000; done
counters | report before.pressure
micro --threads 4 --bytes $((256 << 20)) --accesses 12000000 --provision 1 --cpus-node 0 \\
	--pages 4k | report pressure
counters | report after.pressure
kill $hog
wait $hog || true
"""

CYCLE_STEPS = f"""
set_value $NUMAB 2
# Scans are by CPU time, of which the benchmark takes little.
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 10
set_value /sys/kernel/debug/sched/numa_balancing/scan_period_min_ms 10

# cycles N: load and unload so often, while the benchmark runs, not so fast that loading, which
# waits for all CPUs again and again, takes its time from nothing but waiting
cycles()
{{
	rm -f /tmp/enough
	(while [ ! -e /tmp/enough ]; do
		if micro --threads 2 --bytes $((32 << 20)) --accesses 600000 --rate 300000 --provision 1 \
			--cpus-node 0 --pages 4k >/tmp/micro.run 2>>/tmp/failures; then
			mv /tmp/micro.run /tmp/micro.cycles
		else
			echo "exit $?" >>/tmp/failures
		fi
	done) &
	for i in $(seq "$1"); do
		insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1 kmigrated_sleep_ms=1
		usleep $(((i % 5) * 20000))
		rmmod pghot
	done
	touch /tmp/enough
	wait
}}

cycles 10
for half in 0 1; do
	memory | report memory.$half
	phase "cycles, half $half"
	cycles {CYCLES // 2}
done
memory | report memory.2
report cycles </tmp/micro.cycles
report failures </tmp/failures
counters | report vmstat.after.cycles
"""


@pytest.fixture(scope="module")
def cycles() -> Guest:
    return run(CYCLE_STEPS, name="cycles", timeout=1200, kernel_arguments=EXACT_SLABS)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="stress", timeout=900)


def test_churn_is_promoted(guest: Guest) -> None:
    assert difference(guest, "before.churn", "after.churn")["pghot_promoted"] > 10000


def test_pressure_survived(guest: Guest) -> None:
    change = difference(guest, "before.pressure", "after.pressure")
    assert micro(guest, "pressure")["verified"] is True
    assert change["pghot_refused_full"] > 0
    assert change["pghot_promoted"] > 0
    assert change["oom_kill"] == 0


def test_cycles_under_load(cycles: Guest) -> None:
    assert micro(cycles, "cycles")["verified"] is True


def test_cycles_promote(cycles: Guest) -> None:
    assert counters(cycles, "vmstat.after.cycles")["pgpromote_success"] > 10000


def test_cycles_fail_no_benchmark(cycles: Guest) -> None:
    assert cycles.report.text("failures") == ""


def test_cycles_leave_nothing(cycles: Guest) -> None:
    assert leaks(cycles, CYCLES // 2) == {}


def test_cycles_leave_nothing_isolated(cycles: Guest) -> None:
    after = counters(cycles, "vmstat.after.cycles")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0
