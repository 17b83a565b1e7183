# SPDX-License-Identifier: GPL-2.0
"""Default mode promotes to the node that uses the memory, whichever that is.

Where several use it, NUMA balancing leaves it where pghot has put it.
"""

import pytest

from pghotlab.guest.vm import Guest
from support import DEBUG, SHRINK, difference, micro, run

MEGABYTES = 64 // SHRINK
PAGES = MEGABYTES * 256
# Enough for all pages to be found and promoted meanwhile, also by a slow kernel.
ACCESSES = 60_000_000 if DEBUG else 20_000_000
DELAY = 20_000 if DEBUG else 10_000  # ms

STEPS = f"""
set_value $NUMAB 2
insmod /lib/pghot.ko enabled_sources=3 freq_threshold=1
for node in 0 1; do
	phase "used by node $node"
	micro --threads 2 --bytes $(({MEGABYTES} << 20)) --accesses {ACCESSES} --provision 2 \\
		--cpus-node $node | report node$node
done
rmmod pghot

# A source that does not know who uses a page: its process says so. By itself, all would go to the
# node that is nearest to the slow one.
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1
# all_recorded WANTED: what is on the slow node now; whether so much was promoted by then
all_recorded()
{{
	has_promoted "$1" && return
	insmod /lib/recorder.ko nid=2 nr_pages=1000000
	rmmod recorder
	return 1
}}
# Its main thread sets the memory up, and may sleep meanwhile. Of a process that sleeps, nobody can
# say where it runs: its pages go to the nearest node.
all_run()
{{
	set -- /proc/$(pidof micro)/task/*
	[ $# -eq 3 ]
}}
for node in 0 1; do
	phase "used by node $node, as nobody says"
	wanted=$(($(cat $PGHOT/stats/promoted) + {PAGES} * 95 / 100))
	taskset -c $((2 * node)) micro --threads 2 --bytes $(({MEGABYTES} << 20)) \
		--accesses {ACCESSES} --provision 2 --cpus-node $node --pages 4k |
		report unknown$node &
	eventually all_run
	eventually all_recorded $wanted
	wait $!
done
rmmod pghot

phase "used by both nodes"
# Balancing looks at the memory when pghot has promoted it.
set_value $NUMAB 1
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms {DELAY}
insmod /lib/pghot.ko enabled_sources=512
# faults PAGES: whether there were so many hint faults since the first counters, or more
faults()
{{
	[ $(($(awk '/^numa_hint_faults / {{ print $2 }}' /proc/vmstat) - faults)) -ge "$1" ]
}}

counters | report before
faults=$(awk '/^numa_hint_faults / {{ print $2 }}' /proc/vmstat)
micro --threads 4 --bytes $(({MEGABYTES} << 20)) --accesses 1000000000000 --provision 2 \\
	>/dev/null &
eventually has_promoted $(({PAGES} * 9 / 10)) && echo in time | report promoted
counters | report between
for _ in $(seq 5); do
	eventually faults {PAGES} && break
done
counters | report after
kill $!
wait $! || true
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="target", machine="three-node")


@pytest.mark.parametrize("kind", ("node", "unknown"))
@pytest.mark.parametrize("node", ("0", "1"))
def test_promoted_to_the_node_that_uses_it(guest: Guest, node: str, kind: str) -> None:
    assert micro(guest, f"{kind}{node}")["pages_per_node"][node] > 0.9 * PAGES


def test_balancing_does_not_move_it_at_once(guest: Guest) -> None:
    """It finds all of the memory used, half of it or more by CPUs of the other node."""
    assert guest.report.text("promoted").strip() == "in time"
    assert difference(guest, "before", "between")["numa_hint_faults"] < PAGES / 10
    change = difference(guest, "before", "after")
    assert change["numa_hint_faults"] > 0.9 * PAGES
    assert change["numa_pages_migrated"] - change["pghot_promoted"] < PAGES / 10
