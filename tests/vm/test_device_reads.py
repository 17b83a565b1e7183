# SPDX-License-Identifier: GPL-2.0
"""Reads of devices take the time that the machine file says: a program's, and those of pghot."""

from pathlib import Path

import pytest

from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware import qemu
from pghotlab.hardware.machine import load_machine
from pghotlab.tables.calibrate import TOLERANCE
from support import BUILD, DEBUG, STATISTICS_OFF, built_files, micro

MACHINE = load_machine(Path(__file__).parent / "device-reads.toml")
READS = 16_000
# The guest's kernel may work in some of these.
RUNS = 5

# The lab's monitoring unit is the only device that there is.
STEPS = f"""
{STATISTICS_OFF}
set_value /proc/sys/kernel/numa_balancing 0
# Newer kernels print what they said at boot from a thread, which waits for the serial line.
sleep 3
device=$(dirname "$(grep -l 0x1110 /sys/bus/pci/devices/*/device)")
# Its driver has it for itself later.
echo 1 >$device/enable
device_read $device/resource2 {READS} | report rested
mark arm
for run in $(seq {RUNS}); do
	device_read $device/resource2 {READS}
done | report read
echo 0 >$device/enable
insmod /lib/pghot.ko freq_threshold=1 enabled_sources=256
micro --threads 2 --bytes $((32 << 20)) --accesses 1500000 --provision 1 --cpus-node 0 |
	report micro
for counter in hmu_entries hmu_cpu_ns; do
	report $counter </sys/kernel/mm/pghot/stats/$counter
done
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    if DEBUG:
        pytest.skip("the memory model is calibrated with the stock kernel")
    return boot(
        MACHINE,
        STEPS,
        timeout=1200,
        modules=built_files(),
        plugin=qemu.plugin_of(MACHINE),
        folder=BUILD / "vm" / "device-reads",
        hmu=MACHINE.hmu,
    )


def test_a_read_takes_what_the_machine_file_says(guest: Guest) -> None:
    ns = min(map(float, guest.report.text("read").split()))
    assert ns == pytest.approx(MACHINE.device_read_ns + 1.125, rel=TOLERANCE)


def test_only_the_model_makes_it_take_time(guest: Guest) -> None:
    assert 0 < float(guest.report.text("rested")) < 10


def test_the_hot_list_costs_what_its_reads_cost(guest: Guest) -> None:
    """Each entry is a read, and what pghot does with it takes half as long again."""
    assert micro(guest, "micro")["verified"] is True
    entries, ns = (int(guest.report.text(name)) for name in ("hmu_entries", "hmu_cpu_ns"))
    assert entries > 1000
    assert 1.2 < ns / (entries * MACHINE.device_read_ns) < 2
