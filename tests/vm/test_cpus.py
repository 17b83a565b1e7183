# SPDX-License-Identifier: GPL-2.0
"""kmigrated and its workers run where the administrator wants them to."""

import re

import pytest

from pghotlab.vm import Guest
from support import SHRINK, counters, run

# Fewer than the hog maps: its last pages wait for their list in a per-CPU batch.
PAGES = 4000 // SHRINK
# CPUs of kmigrated, and of the workers, one round each: of the node that the pages go to, 0,
# and of the other one.
ROUNDS = ((1, 3), (3, 0), (2, 1))

STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 target_nid=0
kmigrated=$(pidof kmigrated2)

confined() # KMIGRATED WORKERS
{{
	taskset -pc "$1" "$kmigrated"
	printf '%x' $((1 << $2)) >/sys/devices/virtual/workqueue/pghot/cpumask
	trigger='hist:keys=common_cpu:vals=nr_pages'
	set_value $TRACE/events/pghot/pghot_promote/trigger "$trigger"
	rm -f /tmp/hog
	hog 2 16 >/tmp/hog &
	hog=$!
	until grep -q ready /tmp/hog 2>/dev/null; do usleep 100000; done
	insmod /lib/recorder.ko nid=2 nr_pages={PAGES}
	rmmod recorder
	sleep 2
	counters | report "$1.counters"
	cut -d ' ' -f 39 /proc/"$kmigrated"/stat | report "$1.kmigrated"
	report "$1.workers" <$TRACE/events/pghot/pghot_promote/hist
	set_value $TRACE/events/pghot/pghot_promote/trigger "!$trigger"
	kill $hog
	wait $hog || true
}}

{"".join(f"confined {kmigrated} {workers}{chr(10)}" for kmigrated, workers in ROUNDS)}
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="cpus", machine="three-node")


@pytest.mark.parametrize(("kmigrated", "workers"), ROUNDS)
def test_run_where_they_are_told_to(guest: Guest, kmigrated: int, workers: int) -> None:
    assert guest.report.text(f"{kmigrated}.kmigrated") == str(kmigrated)
    told = guest.report.text(f"{kmigrated}.workers")
    assert re.findall(r"common_cpu: +(\d+)", told) == [str(workers)]


def test_promote_as_before(guest: Guest) -> None:
    promoted = [
        counters(guest, f"{kmigrated}.counters")["pghot_promoted"] for kmigrated, _ in ROUNDS
    ]
    assert promoted == [PAGES * (n + 1) for n in range(len(ROUNDS))]
