# SPDX-License-Identifier: GPL-2.0
"""Settings of the kernel that change while pghot is loaded: it follows them, and says so."""

from pathlib import Path

import pytest

from pghotlab.base import descriptors
from pghotlab.guest.vm import Guest
from support import DEBUG, log_has, micro, run

BITS = {source.name: 1 << source.bit for source in descriptors.sources()}
CHOSEN = BITS["windows"] + BITS["pagecache"] + BITS["hwhints"]
MEGABYTES = 16
RATE = 200_000
SECONDS = 90 if DEBUG else 30

STEPS = f"""
# At boot, modules are loaded before sysctls are set.
set_value $NUMAB 1
insmod /lib/pghot.ko
sources_are()
{{
	[ "$(cat $PGHOT/enabled_sources)" = $1 ]
}}
numab_is()
{{
	[ "$(cat $NUMAB)" = $1 ]
}}
set_value $NUMAB 2
eventually sources_are {CHOSEN + BITS["hintfaults"]}
set_value $NUMAB 1
eventually sources_are {CHOSEN}
eventually numab_is 0
# What the administrator sets while balancing is paused stays.
set_value $NUMAB 3
eventually sources_are {CHOSEN + BITS["hintfaults"]}
rmmod pghot
cat $NUMAB | report numab.unloaded

phase "by hand"
set_value $NUMAB 1
insmod /lib/pghot.ko enabled_sources=1
cat $PGHOT/freq_threshold | report threshold.alone
set_value $NUMAB 2
sleep 3
set_value $NUMAB 0
sleep 3
set_value $PGHOT/enabled_sources {BITS["windows"] + 1}
cat $PGHOT/freq_threshold | report threshold.both
set_value $PGHOT/enabled_sources 1
set_value $PGHOT/freq_threshold 2
set_value $PGHOT/enabled_sources 0
set_value $PGHOT/enabled_sources 1
cat $PGHOT/freq_threshold | report threshold.set
refused $PGHOT/freq_threshold 9 | report threshold.refused
rmmod pghot

phase "hint faults alone"
set_value /sys/kernel/mm/transparent_hugepage/enabled never
set_value /sys/kernel/debug/sched/numa_balancing/scan_delay_ms 100
set_value $NUMAB 2
insmod /lib/pghot.ko enabled_sources=1
micro --threads 2 --bytes $(({MEGABYTES} << 20)) --pages 4k --provision 1 --cpus-node 0 \\
	--rate {RATE} --accesses $(({RATE} * {SECONDS})) | report micro
cat $PGHOT/stats/promoted | report promoted
rmmod pghot
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(STEPS, name="follow", timeout=600)


def test_tiering_mode_is_followed(guest: Guest) -> None:
    """The steps wait for what is chosen."""
    for state in ("on", "off"):
        text = f"pghot: tiering mode of kernel.numa_balancing is {state} now, choosing the sources"
        assert log_has(guest, text)
    assert guest.report.text("numab.unloaded") == "3"


def test_by_hand_it_is_only_said(guest: Guest) -> None:
    assert log_has(guest, "hint faults: none will arrive until kernel.numa_balancing has tiering")
    assert log_has(guest, "kernel.numa_balancing is on now: hint faults arrive")
    assert log_has(guest, "kernel.numa_balancing is off now: hint faults do not arrive any more")


def test_threshold_suits_the_sources(guest: Guest) -> None:
    assert guest.report.text("threshold.alone") == "1"
    assert guest.report.text("threshold.both") == "2"


def test_threshold_that_was_set_stays(guest: Guest) -> None:
    assert guest.report.text("threshold.set") == "2"


def test_the_range_is_named(guest: Guest) -> None:
    assert guest.report.text("threshold.refused") == ""
    assert log_has(guest, "pghot: freq_threshold=9: must be a number from 1 to 3")


def test_hint_faults_alone_promote_by_default(guest: Guest) -> None:
    assert micro(guest, "micro")
    assert int(guest.report.text("promoted")) > MEGABYTES * 256 * 3 // 4


def test_hint_faults_that_cannot_come_are_told() -> None:
    steps = """
set_value $NUMAB 2
insmod /lib/pghot.ko enabled_sources=1 slow_nodes=1 slow_nodes_force=1
"""
    machine = Path(__file__).parent / "one-tier.toml"
    guest = run(steps, name="blind", machine=machine)
    assert log_has(guest, "pghot: hint faults: none will arrive from node 1, which is slow by name")
