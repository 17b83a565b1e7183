# SPDX-License-Identifier: GPL-2.0
"""kmigrated and its workers run where the administrator wants them to."""

import itertools
import re

import pytest

from pghotlab.base import paths
from pghotlab.guest.vm import Guest
from support import SHRINK, counters, run

HERE = paths.ROOT / "tests" / "vm"

# Fewer than the hog maps: its last pages wait for their list in a per-CPU batch.
PAGES = 4000 // SHRINK
# CPUs of kmigrated, and of the workers, one round each: of the node that the pages go to, 0,
# and of the other one.
ROUNDS = ((1, 3), (3, 0), (2, 1))

# And of batches that are not told where to, one at a time: all idle, and those of the node
# that the pages go to busy.
BATCH = 400 // SHRINK
BATCHES = 7
FREE = {"idle": {0, 1}, "busy": {2, 3}}

# round NAME PAGES TIMES: has so many pages promoted, so often, and reports on which CPUs
ROUND = """
round()
{
	trigger='hist:keys=common_cpu:vals=nr_pages'
	set_value $TRACE/events/pghot/pghot_promote/trigger "$trigger"
	rm -f /tmp/hog
	hog 2 16 >/tmp/hog &
	hog=$!
	until grep -q ready /tmp/hog 2>/dev/null; do usleep 100000; done
	for _ in $(seq "$3"); do
		wanted=$(($(cat $PGHOT/stats/promoted) + $2))
		insmod /lib/recorder.ko nid=2 nr_pages="$2"
		rmmod recorder
		eventually has_promoted $wanted
	done
	settled
	counters | report "$1.counters"
	report "$1.workers" <$TRACE/events/pghot/pghot_promote/hist
	set_value $TRACE/events/pghot/pghot_promote/trigger "!$trigger"
	kill $hog
	wait $hog || true
}
"""

STEPS = f"""
{ROUND}
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 target_nid=0
kmigrated=$(pidof kmigrated2)

confined() # KMIGRATED WORKERS
{{
	taskset -pc "$1" "$kmigrated"
	printf '%x' $((1 << $2)) >/sys/devices/virtual/workqueue/pghot/cpumask
	round "$1" {PAGES} 1
	cut -d ' ' -f 39 /proc/"$kmigrated"/stat | report "$1.kmigrated"
}}

{"".join(f"confined {kmigrated} {workers}{chr(10)}" for kmigrated, workers in ROUNDS)}
echo f >/sys/devices/virtual/workqueue/pghot/cpumask
pin 2,3
taskset -pc 3 "$kmigrated"
round idle {BATCH} {BATCHES}
for cpu in 0 1; do
	taskset -c $cpu sh -c 'while :; do :; done' &
done
sleep 1
taskset -pc 0 "$kmigrated"
round busy {BATCH} {BATCHES}
kill $(jobs -p)
"""

# Each CPU has caches of its own. The one that kmigrated runs on has other work, too.
CACHES_STEPS = f"""
{ROUND}
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 target_nid=0
taskset -pc 1 "$(pidof kmigrated2)"
taskset -c 1 sh -c 'while :; do :; done' &
busy=$!
sleep 1
round caches {BATCH} {BATCHES}
kill $busy
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="cpus", machine="three-node")


@pytest.fixture(scope="module")
def caches() -> Guest:
    return run(CACHES_STEPS, name="caches", machine=HERE / "many-caches.toml")


def workers_ran(guest: Guest, name: str) -> dict[int, int]:
    """By CPU, how many batches a worker promoted there."""
    report = guest.report.text(f"{name}.workers")
    ran = re.findall(r"common_cpu: +(\d+) } hitcount: +(\d+)", report)
    return {int(cpu): int(hits) for cpu, hits in ran}


@pytest.mark.parametrize(("kmigrated", "workers"), ROUNDS)
def test_run_where_they_are_told_to(guest: Guest, kmigrated: int, workers: int) -> None:
    assert guest.report.text(f"{kmigrated}.kmigrated") == str(kmigrated)
    assert list(workers_ran(guest, str(kmigrated))) == [workers]


@pytest.mark.parametrize("name", FREE)
def test_workers_run_where_a_cpu_is_idle(guest: Guest, name: str) -> None:
    """On the node that they promote to, if one of its CPUs is. The scheduler may move them."""
    ran = workers_ran(guest, name)
    assert sum(ran.values()) == BATCHES
    assert sum(hits for cpu, hits in ran.items() if cpu in FREE[name]) > BATCHES // 2


def test_workers_leave_a_busy_cache_alone(caches: Guest) -> None:
    """A workqueue that is told a node alone has work done at the cache of who queues it."""
    ran = workers_ran(caches, "caches")
    assert sum(ran.values()) == BATCHES
    assert ran.get(1, 0) <= BATCHES // 3


def test_promote_as_before(guest: Guest) -> None:
    rounds = {str(kmigrated): PAGES for kmigrated, _ in ROUNDS} | dict.fromkeys(
        FREE, BATCH * BATCHES
    )
    promoted = [counters(guest, f"{name}.counters")["pghot_promoted"] for name in rounds]
    assert promoted == list(itertools.accumulate(rounds.values()))
