# SPDX-License-Identifier: GPL-2.0
"""Promotion while processes fork and die, the fast node is full, or pghot comes and goes."""

import pytest

from pghotlab.vm import Guest
from support import counters, difference, micro, run

CYCLES = 100

STEPS = f"""
set_value $NUMAB 2
set_value /sys/kernel/mm/numa/demotion_enabled 1
insmod /lib/pghot.ko freq_threshold=1

phase churn
counters | report before.churn
churn 1 64 3
set_value /sys/kernel/mm/transparent_hugepage/enabled never
churn 1 64 3
counters | report after.churn

# The fast node full but for a little, and more hot memory than fits there.
phase pressure
free=$(awk '/MemFree/ {{ print int($4 / 1024) }}' /sys/devices/system/node/node0/meminfo)
hog 0 $((free - 96)) >/tmp/hog &
hog=$!
until grep -q ready /tmp/hog; do usleep 100000; done
counters | report before.pressure
micro --threads 4 --bytes $((256 << 20)) --accesses 12000000 --provision 1 --cpus-node 0 \\
	--pages 4k | report pressure
counters | report after.pressure
kill $hog
wait $hog || true

# memory: what the kernel holds for itself, in KiB, by kind
memory()
{{
	sync
	set_value /proc/sys/vm/drop_caches 3
	awk '/^(Slab|SUnreclaim|VmallocUsed|Percpu|KernelStack):/ {{ print $1, $2 }}' /proc/meminfo |
		tr -d :
}}

phase cycles
(while [ ! -e /tmp/enough ]; do
	micro --threads 4 --bytes $((64 << 20)) --accesses 5000000 --provision 1 --cpus-node 0 \\
		--pages 4k >/tmp/micro.cycles
done) &
load=$!
rmmod pghot
cycle()
{{
	insmod /lib/pghot.ko freq_threshold=1 kmigrated_sleep_ms=1
	usleep $((($1 % 5) * 20000))
	rmmod pghot
}}
for i in $(seq 10); do cycle "$i"; done
memory | report before.cycles
counters | report vmstat.before.cycles
for i in $(seq {CYCLES}); do cycle "$i"; done
memory | report after.cycles
touch /tmp/enough
wait $load
report cycles </tmp/micro.cycles
sleep 1
counters | report vmstat.after.cycles
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="stress", timeout=400)


def test_churn_is_promoted(guest: Guest) -> None:
    assert difference(guest, "before.churn", "after.churn")["pghot_promoted"] > 10000


def test_pressure_survived(guest: Guest) -> None:
    change = difference(guest, "before.pressure", "after.pressure")
    assert micro(guest, "pressure")["verified"] is True
    assert change["pghot_refused_full"] > 0
    assert change["pghot_promoted"] > 0
    assert change["oom_kill"] == 0


def test_refused_pages_keep_their_place(guest: Guest) -> None:
    """What found no room is promoted, or expires; it is not recorded for nothing."""
    after = counters(guest, "after.pressure")
    settled = after["pghot_promoted"] + after["pghot_expired"] + after["pghot_migrate_failed"]
    assert settled > 0
    assert after["nr_isolated_anon"] == 0


def test_cycles_under_load(guest: Guest) -> None:
    assert micro(guest, "cycles")["verified"] is True


@pytest.mark.parametrize("kind", ("Slab", "SUnreclaim", "VmallocUsed", "Percpu"))
def test_cycles_leave_nothing(guest: Guest, kind: str) -> None:
    """100 loads leave less behind than the smallest leak would: one page each."""
    grown = counters(guest, "after.cycles")[kind] - counters(guest, "before.cycles")[kind]
    assert grown < CYCLES * 4, f"{kind} grew by {grown} KiB"


def test_cycles_leave_nothing_isolated(guest: Guest) -> None:
    after = counters(guest, "vmstat.after.cycles")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0
