# SPDX-License-Identifier: GPL-2.0
"""The virtual monitoring unit's driver, with devices that the test makes up, right and wrong.

The guest has an ivshmem device of zeroes; the test puts a device's memory there, and what
the device would write later.
"""

import struct
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from hotplug import DeviceMemory
from pghotlab.base import paths
from pghotlab.base.units import GIB, MIB
from pghotlab.guest.vm import Guest
from pghotlab.hardware.machine import MEMORY_BLOCK, Hmu
from support import BUILD, BUILT, DEBUG, EXACT_SLABS, counters, difference, leaks, log_has, run

MACHINE = paths.ROOT / "tests" / "vm" / "two-slow.toml"
BLOCK = 4096
LENGTH = 0x100
ENTRIES = 1024
WIDTH = 16
UNIT = 21  # log2
EPOCH_MS = 20
THRESHOLD = 7
COUNT = 5
# Where the slow nodes are, device and host: (device address, bytes, host address).
NODES = ((0, 256 * MIB, GIB), (GIB, 768 * MIB, GIB + 256 * MIB))
# Of the first, this is memory of another device, whose driver knows it.
DEVICE = DeviceMemory(node=1, address=GIB + 160 * MIB, size=32 * MIB)
# A memory block of the second to take offline, by device and host address: ZONE_MOVABLE, as
# the kernel's own memory is a third of this on each node.
OFFLINE = (GIB + 128 * MIB, GIB + 384 * MIB)
KERNEL = 384 * MIB
FAST = 8 * GIB  # device address of the fast node's memory, with the holes of low memory
BEYOND = 16 * GIB  # device address of what the host has no memory for
# Of a hog, MiB: with the debug kernel, promoting 16 takes longer than a record is kept.
HOG = 4 if DEBUG else 16
HELD = HOG * 256 - 100  # pages of a hog; its last ones wait for their list in a per-CPU batch
CYCLES = 4
ALLOCATIONS = 2  # of a start, each of which may fail
FUZZ = 20
SHARE = 10  # % of one CPU
NONSENSE_MAX = 1000  # polls in a row


@dataclass(frozen=True)
class Device:
    """The memory of a device; each field may be wrong."""

    ranges: tuple[tuple[int, ...], ...] = NODES
    version: int = 1
    block: int = BLOCK
    instances: int = 2
    length: int = LENGTH
    units: int = 1 << UNIT - 8
    entries: int = ENTRIES
    list_at: int = 2 * LENGTH
    cfg0: int = THRESHOLD << 32 | 3
    enabled: int = 1
    width: int = WIDTH
    gone: bool = False
    unit: int = UNIT
    epoch_ms: int = EPOCH_MS
    lists: tuple[tuple[int, ...], ...] = field(default=((), ()))

    def instance(self, number: int) -> bytes:
        """Registers and range bitmap of an instance."""
        # Epochs from 100 us to 4 s.
        cap0 = 1 << 10 | 5 << 16 | 4 << 20 | 1 << 32 | 1 << 36 | self.entries << 48
        cap1 = self.units | 1 << 32 | 1 << 48
        cfg1 = self.unit | 2 << 48 | self.epoch_ms << 52
        head_and_tail = len(self.lists[number]) << 16
        status = self.enabled | self.width << 32
        bitmap = (0x1, 0xFFFF_FFFF_FFFF_FFF0)[number]
        list_at = self.list_at + number * (ENTRIES * 8 - LENGTH)
        registers = struct.pack("<4Q", cap0, cap1, 0x80, list_at).ljust(0x40, b"\0")
        registers += struct.pack("<3Q", self.cfg0, cfg1, 0).ljust(0x20, b"\0")
        registers += struct.pack("<QQ", status, head_and_tail).ljust(0x20, b"\0")
        return (registers + struct.pack("<Q", bitmap)).ljust(LENGTH, b"\0")

    def image(self) -> bytes:
        """All of it."""
        header = struct.pack("<8sQQQ", b"pghotHMU", self.version, self.block, len(self.ranges))
        header = header.ljust(0x40, b"\0")
        for one in self.ranges:
            header += struct.pack("<6Q", *(*one, 1, 0, 0)[:6])
        image = header.ljust(BLOCK, b"\0")
        if self.gone:
            return image + b"\xff" * (2 * LENGTH + 16)
        image += struct.pack("<QQ", 1 | self.instances << 8, self.length)
        image += self.instance(0) + self.instance(1)
        for entries in self.lists:
            image += struct.pack(f"<{len(entries)}Q", *entries).ljust(ENTRIES * 8, b"\0")
        return image


def units(start: int, size: int) -> tuple[int, ...]:
    """Entries for all units of a piece of device memory."""
    return tuple((start + at) >> UNIT << WIDTH | COUNT for at in range(0, size, 1 << UNIT))


ALL = tuple(units(start, size) for start, size, _ in NODES)
GOOD = Device(lists=ALL)
# What names memory that is not there, not slow, or of another node; and what names nothing.
NONSENSE = (
    *(*units(FAST, GIB)[:480], *units(BEYOND, GIB)[:100]),
    *(0, 1, COUNT, 2**64 - 1, 2**63, 0xFFFF, 1 << 30 << WIDTH, units(1 << 50, 1 << UNIT)[0]),
    *units(OFFLINE[0], 16 * MIB),
    *units(DEVICE.address - NODES[0][2], DEVICE.size),
)
# Units of 2 GiB of one device in 16, in pieces of 512 bytes: each is a page elsewhere.
LARGEST = 31
DEVICES = {
    "large": Device(
        ranges=((0, 16 << LARGEST, 0, 16, 512, 3),),
        units=1 << LARGEST - 8,
        unit=LARGEST,
        epoch_ms=1,
        lists=((COUNT,) * 8, ()),
    ),
    "babbler": Device(epoch_ms=1),
    "good": GOOD,
    "empty": Device(),
    "nonsense": Device(
        ranges=(*NODES, (FAST, GIB, 0), (BEYOND, GIB, 1 << 50)), lists=(NONSENSE, ())
    ),
}
# Devices that are refused, and what the log says of them.
WRONG = {
    "width-0": (replace(GOOD, width=0), "instance 0 has counters of a width that cannot be"),
    "width-64": (replace(GOOD, width=64), "instance 0 has counters of a width that cannot be"),
    "list-0": (replace(GOOD, entries=0), "instance 0 has no room in its hotlist"),
    "list-65535": (replace(GOOD, entries=65535, list_at=15 * MIB), "has its hotlist elsewhere"),
    "no-unit": (replace(GOOD, units=0xF), "instance 0 has no unit of a page or more"),
    "no-instance": (replace(GOOD, instances=0), "has no instances"),
    "many": (replace(GOOD, instances=255, length=0xFFF8), "instance 1 has no unit of a page"),
    "end": (replace(GOOD, block=MIB - 64), "has no room for registers"),
    "length": (replace(GOOD, length=8), "has instances of a length that cannot be"),
    "gone": (replace(GOOD, gone=True), "does not answer"),
    "in-use": (replace(GOOD, cfg0=1 << 16), "instance 0 is in use"),
    "dead": (replace(GOOD, enabled=0), "instance 0 does not start"),
    "no-map": (replace(GOOD, ranges=()), "its map has no ranges, or too many"),
    "wild-map": (replace(GOOD, ranges=((0, GIB, 1 << 60),)), "a range is beyond all host memory"),
    "ways": (replace(GOOD, ranges=((0, GIB, 0, 0),)), "a range has a number of ways"),
    "no-block": (replace(GOOD, block=1 << 60), "has no room for registers"),
    "version": (replace(GOOD, version=2), "there is no such device that can be used"),
}

# Maps of CXL memory, which has a door of its own.
MAP = """0000:35:00.0 0x0 0x40000000 0x100000000 2 256 1
0000:36:00.0 0x0 0x40000000 0x100000000 2 256 0
0000:36:00.0 0x40000000 0x10000000 0x200000000 1 256 0"""
MAPS_WRONG = (
    *("x", "x 0 4096 0 1 0", "x 0 4096 0 1 0 0 0", "x 0 4096 0 1 0 y", "x 0  4096 0 1 0 0"),
    *(" 0 4096 0 1 0 0", "x 0 4096 0 1 0 0 ", "x 0 -1 0 1 0 0", "x 0 0x1ffffffffffffffff 0 1 0 0"),
    *("0000:0000:0000:35:00.0 0 4096 0 1 0 0", "x 0 0 0 1 0 0", "x 0 4096 0 0 0 0"),
    *("x 0 4096 0 2 3 0", "x 0 4096 0 1 0 0\\nx 0 4096 0 1 0 0", "x 0 4096 0 1 0 0\\0"),
    "\\n".join(f"x {i} 1 0 1 0 0" for i in range(65)),
)

STEPS = f"""
set_value $NUMAB 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
DEVICES=/sys/bus/pci/devices
DRIVER=/sys/bus/pci/drivers/pghot_vhmu
ADDRESS=$(basename $(dirname $(grep -l 0x1110 $DEVICES/*/device)))
BAR=$DEVICES/$ADDRESS/resource2
set_value $DEVICES/$ADDRESS/enable 1

become() {{ bar $BAR put 0 </lib/$1.hmu; }}
# tail INSTANCE HEXADECIMAL: what the device writes there, low byte first
tail_of() {{ printf "$2" | bar $BAR put $(({BLOCK} + 16 + $1 * {LENGTH} + 0x6a)); }}
# has_read INSTANCE: whether the driver has read all of its list
has_read()
{{
	bar $BAR get $(({BLOCK} + 16 + $1 * {LENGTH} + 0x68)) 4 >/tmp/ends
	[ "$(head -c 2 /tmp/ends | od -An -tx1)" = "$(tail -c 2 /tmp/ends | od -An -tx1)" ]
}}
hold() # NODE
{{
	rm -f /tmp/hog
	hog $1 {HOG} >/tmp/hog &
	hog=$!
	until grep -q ready /tmp/hog 2>/dev/null; do usleep 20000; done
	set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
}}
let_go() {{ kill $hog; wait $hog || true; }}

phase "map as a parameter"
insmod /lib/pghot.ko enabled_sources=0 "chmu_map={MAP.replace(" ", ",").replace(chr(10), ";")}"
cat $PGHOT/chmu_map | report map.parameter
rmmod pghot
if insmod /lib/pghot.ko enabled_sources=0 "chmu_map=x,0,4096;" 2>/dev/null; then
	echo loaded
fi | report map.loaded

phase "no device"
insmod /lib/pghot.ko enabled_sources=0
refused $PGHOT/enabled_sources 256 | report refused
[ ! -e $DRIVER ]

phase "map of CXL memory"
for source in 128 384; do
	refused $PGHOT/enabled_sources $source
done | report refused.chmu
set_value $PGHOT/chmu_map "{MAP}"
while IFS= read -r wrong; do
	refused $PGHOT/chmu_map "$wrong"
done <<'end' | report map.taken
{chr(10).join(MAPS_WRONG)}
end
report map <$PGHOT/chmu_map
refused $PGHOT/enabled_sources 128
set_value $PGHOT/chmu_map ""
report map.empty <$PGHOT/chmu_map

for name in {" ".join(WRONG)}; do
	phase "wrong $name"
	become $name
	refused $PGHOT/enabled_sources 256
done | report taken
[ ! -e $DRIVER ]

phase "hot once"
become good
counters | report before.once
hold 1
first=$hog
hold 2
set_value $PGHOT/enabled_sources 256
eventually has_read 0
eventually has_read 1
usleep 200000
counters | report after.once
set_value $PGHOT/enabled_sources 0

phase good
set_value $PGHOT/freq_threshold 1
become good
counters | report before.good
set_value $TRACE/events/pghot/pghot_record/enable 1
set_value $PGHOT/enabled_sources 256
[ -e $DRIVER/$ADDRESS ]
eventually has_promoted {2 * HELD} || true
eventually has_read 1
counters | report after.good
set_value $TRACE/events/enable 0
sed -n 's/.*pghot_record: .*\\(nid=.*\\) freq.*/\\1/p' $TRACE/trace | sort -u | report accesses
bar $BAR get $(({BLOCK} + 16)) $((2 * {LENGTH})) | od -An -v -tx8 | report registers
let_go
kill $first
wait $first || true

phase "lists that are none"
counters | report before.tail
tail_of 0 '\\0\\4' # just beyond
usleep 200000
tail_of 0 '\\377\\377'
usleep 200000
counters | report after.tail
tail_of 0 '\\7\\0'
eventually has_read 0

phase "full list"
STATUS=$(({BLOCK} + 16 + 0x60))
counters | report before.full
printf '\\1\\0\\0\\0\\20\\1\\0\\0' | bar $BAR put $STATUS # on, wide as before, and full
usleep 200000
counters | report after.full
bar $BAR get $STATUS 8 | od -An -tx8 | report cleared
printf '\\1\\0\\0\\0\\20\\0\\0\\0' | bar $BAR put $STATUS

phase "threshold"
set_value $PGHOT/enabled_sources 0
bar $BAR get $(({BLOCK} + 16 + 0x40)) 8 | od -An -tx8 | report off
set_value $PGHOT/hmu_threshold 100000 # more than counters count
set_value $PGHOT/enabled_sources 256
bar $BAR get $(({BLOCK} + 16 + 0x40)) 8 | od -An -tx8 | report threshold
set_value $PGHOT/hmu_threshold 0
set_value $PGHOT/enabled_sources 0

phase "taken over"
CONFIGURATION=$(({BLOCK} + 16 + 0x40))
set_value $PGHOT/enabled_sources 256
printf '\\3\\0\\0\\0' | bar $BAR put $CONFIGURATION # off, and soon on again
usleep 300000
printf '\\3\\0\\1\\0' | bar $BAR put $CONFIGURATION
set_value $PGHOT/enabled_sources 0
bar $BAR get $CONFIGURATION 8 | od -An -tx8 | report taken.over
bar $BAR get $((CONFIGURATION + {LENGTH})) 8 | od -An -tx8 | report taken.other

phase "another source starts"
become dead # it is waited for, and then it has not started
set_value $PGHOT/perf_event "1 5 0 0" # page faults
set_value $PGHOT/perf_period_min 1
set_value $PGHOT/perf_period 1
for i in 1 2 3; do
	(while [ ! -e /tmp/enough ]; do faults 1 1 >/dev/null; done) &
	loops="${{loops:-}} $!"
done
counters | report before.starting
refused $PGHOT/enabled_sources 288 | report starting
counters | report after.starting
touch /tmp/enough
wait $loops

phase nonsense
become nonsense
{DEVICE.steps}
eventually offlined /sys/devices/system/memory/memory{OFFLINE[1] // MEMORY_BLOCK}/state
cat $state | report offline
hold 1
counters | report before.nonsense
set_value $TRACE/events/pghot/pghot_hmu/enable 1
set_value $PGHOT/enabled_sources 256
eventually has_read 0
usleep 200000
counters | report after.nonsense
set_value $TRACE/events/pghot/enable 0
sed -n 's/.*pghot_hmu: //p' $TRACE/trace | report trace
let_go
set_value $state online

phase "large units"
set_value $PGHOT/enabled_sources 0
set_value $PGHOT/scan_cpu_percent {SHARE}
become large
set_value $TRACE/events/pghot/pghot_hmu/enable 1
counters | report before.large
started=$(awk '{{ print int($1 * 1000) }}' /proc/uptime)
set_value $PGHOT/enabled_sources 256
sleep 5
set_value $PGHOT/enabled_sources 0
counters | report after.large
echo $(($(awk '{{ print int($1 * 1000) }}' /proc/uptime) - started)) | report large.ms
set_value $TRACE/events/pghot/enable 0
become large
set_value $PGHOT/scan_cpu_percent 100
echo >$TRACE/trace
set_value $TRACE/events/pghot/pghot_hmu/enable 1
set_value $PGHOT/enabled_sources 256
reported() {{ grep -q pghot_hmu: $TRACE/trace; }}
(eventually reported || eventually reported || eventually reported) || true
set_value $PGHOT/enabled_sources 0
sed -n 's/.*pghot_hmu: //p' $TRACE/trace | sort -u | report large.units
set_value $TRACE/events/pghot/enable 0
set_value $PGHOT/scan_cpu_percent 50

phase "nothing but nonsense"
become babbler
counters | report before.babbler
set_value $PGHOT/enabled_sources 256
tail_of 1 '\\377\\377'
let_go_of() {{ [ $(cat $PGHOT/stats/hmu_errors) -ge $1 ]; }}
errors=$(cat $PGHOT/stats/hmu_errors)
(eventually let_go_of $((errors + 100))) || true
(eventually let_go_of $((errors + {NONSENSE_MAX - 100}))) || true
sleep 3
counters | report after.babbler
for instance in 0 1; do
	bar $BAR get $(({BLOCK} + 16 + instance * {LENGTH} + 0x40)) 8 | od -An -tx8
done | report babbler.off

phase fuzz
set_value $PGHOT/enabled_sources 0
become good
set_value $PGHOT/enabled_sources 256
hold 1
counters | report before.fuzz
for i in $(seq {FUZZ}); do
	head -c 16384 /dev/urandom | bar $BAR put $(({BLOCK} + 16 + 2 * {LENGTH}))
	for instance in 0 1; do
		# Half of them are in the list.
		{{ head -c 1 /dev/urandom; printf "\\\\$((i % 8))"; }} |
			bar $BAR put $(({BLOCK} + 16 + instance * {LENGTH} + 0x6a))
	done
	usleep 30000
done
counters | report after.fuzz
let_go

phase "removed while on"
become good
set_value $DEVICES/$ADDRESS/remove 1
[ ! -e $DRIVER/$ADDRESS ]
[ "$(cat $PGHOT/enabled_sources)" = 256 ]
set_value /sys/bus/pci/rescan 1
[ -e $DRIVER/$ADDRESS ]
eventually has_read 1
set_value $DRIVER/unbind $ADDRESS
become good
set_value $DRIVER/bind $ADDRESS
eventually has_read 1
counters | report before.gone
head -c 65536 /dev/zero | tr '\\0' '\\377' | bar $BAR put 0
usleep 300000
counters | report after.gone
set_value $PGHOT/enabled_sources 3
[ ! -e $DRIVER ]
rmmod pghot

phase "comes and goes under load"
become good
(while [ ! -e /tmp/enough ]; do
	churn 1 4 1 || exit 1 # processes that check what they wrote
done) &
churner=$!
(while [ ! -e /tmp/enough ]; do
	tail_of 0 '\\0\\0'
	tail_of 1 '\\377\\3'
	usleep 20000
done) &
for i in $(seq {CYCLES}); do
	become good
	insmod /lib/pghot.ko enabled_sources=256 freq_threshold=1 kmigrated_sleep_ms=1
	usleep $(((i % 3) * 150000))
	counters | report "under.load.$i"
	rmmod pghot
done
touch /tmp/enough
wait $churner
wait
counters | report unloaded

phase "failing starts"
LEFT=/sys/module/pghot/parameters/inject_alloc
become good
for half in 0 1 2; do
	memory | report memory.$half
	[ $half = 2 ] || for i in $(seq {CYCLES}); do
		insmod /lib/pghot-inject.ko enabled_sources=0
		for n in $(seq {ALLOCATIONS}); do
			set_value $LEFT $n
			refused $PGHOT/enabled_sources 256
			[ ! -e $DRIVER ]
			cat $LEFT
		done | report failing
		set_value $LEFT {ALLOCATIONS + 1}
		set_value $PGHOT/enabled_sources 256
		[ -e $DRIVER/$ADDRESS ]
		cat $LEFT | report left
		[ $i != 1 ] || eventually has_read 1
		rmmod pghot
		become good
	done
done
"""


def _files() -> dict[str, Path]:
    """The devices' memories, and a module that can be made to fail, by path in the guest."""
    files = {"lib/pghot-inject.ko": BUILD / "inject" / "pghot.ko"}
    folder = BUILT / "hmu"
    folder.mkdir(parents=True, exist_ok=True)
    made = DEVICES | {name: device for name, (device, _) in WRONG.items()}
    for name, device in made.items():
        (folder / f"{name}.hmu").write_bytes(device.image())
    return files | {f"lib/{name}.hmu": folder / f"{name}.hmu" for name in made}


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(
        STEPS,
        name="vhmu",
        machine=MACHINE,
        timeout=900,
        files=_files() | dict(DEVICE.files),
        # Without the first the kernel lets nobody map what a driver has, and without the second it
        # may lie itself where memory is to go.
        kernel_arguments=f"iomem=relaxed nokaslr kernelcore={KERNEL} {EXACT_SLABS} "
        f"{DEVICE.kernel_argument}",
        hmu=Hmu(),
    )


def words(guest: Guest, name: str) -> list[int]:
    """64-bit words of a dump."""
    return [int(word, 16) for word in guest.report.text(name).split()]


def test_says_why_it_is_not_available(guest: Guest) -> None:
    assert guest.report.text("refused") == ""
    assert log_has(guest, "pghot: virtual HMU: not available, because there is no such device")


def test_map_of_cxl_memory(guest: Guest) -> None:
    assert guest.report.text("map") == guest.report.text("map.parameter") == MAP
    assert guest.report.text("map.loaded") == ""
    assert guest.report.text("map.taken") == guest.report.text("map.empty") == ""
    assert log_has(guest, "pghot: chmu_map: line 1 is not a device and six numbers (-22)")
    assert log_has(guest, "pghot: chmu_map: x: its ranges overlap")


def test_cxl_units_are_not_available(guest: Guest) -> None:
    assert guest.report.text("refused.chmu") == ""
    because = "pghot: CXL HMU: not available, because no CXL memory device has one"
    assert log_has(guest, because)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_devices_are_refused_with_the_reason(guest: Guest, name: str) -> None:
    _, why = WRONG[name]
    phases = "\n".join(guest.console).split("lab: phase ")
    (said,) = (text for text in phases if text.startswith(f"wrong {name}\n"))
    assert why in said
    assert "not available, because there is no such device" in said
    assert guest.report.text("taken") == ""


def test_what_it_reports_is_promoted(guest: Guest) -> None:
    change = difference(guest, "before.good", "after.good")
    assert change["pghot_promoted"] >= 2 * HELD
    assert change["pghot_recorded_vhmu"] >= 2 * HELD
    assert change["pghot_hmu_entries"] == sum(map(len, ALL))
    assert change["pghot_hmu_unmapped"] == change["pghot_hmu_errors"] == 0
    assert change["pghot_hmu_overflows"] == 0
    assert change["pghot_hmu_cpu_ns"] > 0


def test_an_entry_is_one_access_whatever_its_count(guest: Guest) -> None:
    """freq_threshold is 2 here, and these pages were in one list."""
    change = difference(guest, "before.once", "after.once")
    assert change["pghot_hmu_entries"] == len(ALL[0]) + len(ALL[1])
    assert change["pghot_recorded_vhmu"] >= 2 * HELD
    assert change["pghot_made_ready"] == change["pghot_promoted"] == 0


def test_configures_each_instance_as_it_comes(guest: Guest) -> None:
    registers = words(guest, "registers")
    for number in (0, 1):
        instance = registers[number * LENGTH // 8 :]
        assert instance[0x40 // 8] == THRESHOLD << 32 | 1 << 16 | 3
        assert instance[0x48 // 8] == UNIT | 2 << 48 | EPOCH_MS << 52
        head, tail = instance[0x68 // 8] & 0xFFFF, instance[0x68 // 8] >> 16 & 0xFFFF
        assert head == tail == len(ALL[number])


def test_threshold_is_set_as_far_as_counters_reach(guest: Guest) -> None:
    assert words(guest, "off") == [THRESHOLD << 32 | 3]
    assert words(guest, "threshold") == [((1 << WIDTH) - 1) << 32 | 1 << 16 | 3]


def test_what_somebody_took_over_stays_on(guest: Guest) -> None:
    """Of the threshold that was set last the device makes what its counters reach."""
    most = ((1 << WIDTH) - 1) << 32
    assert words(guest, "taken.over") == [most | 1 << 16 | 3]
    assert words(guest, "taken.other") == [most | 3]


def test_what_is_reported_while_another_source_starts_counts(guest: Guest) -> None:
    change = difference(guest, "before.starting", "after.starting")
    assert guest.report.text("starting") == ""
    assert change["pghot_perf_samples"] > 0
    assert change["pghot_recorded_perf"] > 0


def test_ends_of_a_list_that_cannot_be(guest: Guest) -> None:
    change = difference(guest, "before.tail", "after.tail")
    assert change["pghot_hmu_errors"] > 2
    assert change["pghot_hmu_entries"] == 0


def test_full_list_is_counted_and_acknowledged(guest: Guest) -> None:
    change = difference(guest, "before.full", "after.full")
    assert change["pghot_hmu_overflows"] > 0
    # Just the bit: a device clears what it reads as one.
    assert words(guest, "cleared") == [1 << 40]


def test_nonsense_is_counted_and_does_nothing(guest: Guest) -> None:
    change = difference(guest, "before.nonsense", "after.nonsense")
    assert guest.report.text("offline") == "offline"
    DEVICE.check(guest)
    assert change["pghot_hmu_entries"] == len(NONSENSE)
    # All ones, half of them, beyond the units and beyond memory: no range is there.
    unmapped = [
        line for line in guest.report.text("trace").splitlines() if " pages=0 " in f"{line} "
    ]
    assert change["pghot_hmu_unmapped"] == len(unmapped) == 4
    # Of node 1 only the first two megabytes were named, by entries that are not nonsense.
    assert change["pghot_promoted"] < HELD


def test_polls_keep_to_their_share_of_a_cpu(guest: Guest) -> None:
    """Whatever an entry costs: each of these is millions of pages, far apart."""
    change = difference(guest, "before.large", "after.large")
    elapsed = int(guest.report.text("large.ms")) * 1_000_000
    assert change["pghot_hmu_cpu_ns"] > 0
    # The last poll has not rested yet.
    assert change["pghot_hmu_cpu_ns"] < 2 * SHARE / 100 * elapsed


def test_an_entry_that_takes_many_polls_is_reported_once_and_as_a_whole(guest: Guest) -> None:
    pages = (1 << LARGEST) // 512
    first, *_ = guest.report.text("large.units").splitlines()
    assert first == f"dpa=0x0 pages={pages} count={COUNT}"


def test_a_device_that_says_only_nonsense_is_let_go(guest: Guest) -> None:
    change = difference(guest, "before.babbler", "after.babbler")
    assert change["pghot_hmu_errors"] == NONSENSE_MAX
    said = f"said nothing but nonsense in {NONSENSE_MAX} looks at its lists, and is switched off"
    assert log_has(guest, said)
    assert [value >> 16 & 1 for value in words(guest, "babbler.off")] == [0, 0]


def test_random_lists(guest: Guest) -> None:
    change = difference(guest, "before.fuzz", "after.fuzz")
    for name in ("entries", "unmapped", "errors"):
        assert change[f"pghot_hmu_{name}"] > FUZZ


def test_trace_names_the_source(guest: Guest) -> None:
    assert guest.report.text("accesses") == "nid=-1 src=vhmu"
    assert f"dpa=0x{FAST:x} pages=512 count={COUNT}" in guest.report.text("trace").splitlines()


def test_a_device_that_vanishes_is_left_alone(guest: Guest) -> None:
    change = difference(guest, "before.gone", "after.gone")
    assert change["pghot_hmu_entries"] == change["pghot_hmu_errors"] == 0
    assert log_has(guest, "does not answer any more")


def test_comes_and_goes_under_load(guest: Guest) -> None:
    under_load = [counters(guest, f"under.load.{i + 1}") for i in range(CYCLES)]
    assert sum(load["pghot_hmu_entries"] for load in under_load) > 0
    after = counters(guest, "unloaded")
    assert after["nr_isolated_anon"] == after["nr_isolated_file"] == 0


def test_start_without_memory_fails_and_the_next_succeeds(guest: Guest) -> None:
    # Each time the allocation that was to fail was the last one; a start has one less.
    starts = 2 * CYCLES
    assert guest.report.blocks["failing"] == ["\n".join(["0"] * ALLOCATIONS)] * starts
    assert guest.report.blocks["left"] == ["1"] * starts
    why = "probe with driver pghot_vhmu failed with error -12"
    assert sum(why in line for line in guest.console) == ALLOCATIONS * starts


def test_loses_no_memory(guest: Guest) -> None:
    assert leaks(guest, CYCLES) == {}
