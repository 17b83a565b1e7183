# SPDX-License-Identifier: GPL-2.0
"""`pghot doctor` names causes that lie in the machine's memory, and a module of another version."""

from pathlib import Path

from doctor import findings, run_doctor
from support import run_modelled

LARGE_SLOW = Path(__file__).with_name("large-slow.toml")
ONE_NODE = Path(__file__).with_name("one-node.toml")

OTHER = """
insmod /lib/pghot.ko
sed -i 's/^VERSION = .*/VERSION = "9.9.9"/' /lib/command/pghot/version.py
look other
rmmod pghot
"""

SINGLE = """
insmod /lib/pghot.ko
look single
rmmod pghot
"""

RECORDS = """
insmod /lib/pghot.ko mode=precise
look records
rmmod pghot
"""

# Firmware says nothing of the slow node, so that it is slow by name only.
NO_SOURCE = """
set_value $NUMAB 2
insmod /lib/pghot.ko slow_nodes=1 enabled_sources=1
look blind
rmmod pghot
"""

# Programs begin on the slow node one after the other, and the kernel moves their pages itself.
BALANCED = """
set_value $NUMAB 1
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 20
set_value /sys/kernel/debug/sched/numa_balancing/scan_period_min_ms 20
insmod /lib/pghot.ko enabled_sources=2
(
	until [ -e /tmp/enough ]; do
		micro --threads 2 --bytes $((64 << 20)) --accesses 3000000 --provision 1 \\
			--cpus-node 0 --pages 4k >/dev/null
	done
) &
look moved 8
touch /tmp/enough
wait $!
rmmod pghot
"""

# Slow memory is named as fast, and the other way round. Both are in use, and pghot measures that.
# If all that is hot were promoted within a few windows, there might be too few reads of one tier.
FASTER = """
tlbflush 2000 >/dev/null
insmod /lib/pghot.ko slow_nodes=0 slow_nodes_force=1 promote_rate_limit_MBps=8
hold mapped 4000 1
mark arm
micro --threads 2 --cpus-node 0 --provision 0 --bytes $((64 << 20)) --accesses 6000000 \\
	--pages 4k >/tmp/micro &
working=$!
measured()
{
	! grep -q 'access:.* 0 ns' $PGHOT/policy_state
}
eventually measured
look faster
wait $working
mark rest
let_go
rmmod pghot
"""


def test_another_version_is_found() -> None:
    found = findings(run_doctor(OTHER, name="doctor-version"), "other")
    assert "9.9.9" in found["other-version"]


def test_a_machine_with_one_node_is_found() -> None:
    found = findings(run_doctor(SINGLE, name="doctor-one-node", machine=ONE_NODE), "single")
    assert "one-node" in found


def test_a_source_that_sees_nothing_is_found() -> None:
    guest = run_doctor(NO_SOURCE, name="doctor-blind", kernel_arguments="numa=nohmat")
    assert "no-source-sees" in findings(guest, "blind")


def test_pages_that_the_kernel_moves_are_found() -> None:
    assert "kernel-moves-pages" in findings(run_doctor(BALANCED, name="doctor-moved"), "moved")


def test_large_records_are_found() -> None:
    found = findings(run_doctor(RECORDS, name="doctor-records", machine=LARGE_SLOW), "records")
    assert "records-large" in found
    assert "mode=precise" in found["records-large"]


def test_slow_memory_that_is_faster_is_found() -> None:
    guest = run_doctor(FASTER, name="doctor-faster", boots=run_modelled)
    assert "slow-is-faster" in findings(guest, "faster")
