# SPDX-License-Identifier: GPL-2.0
"""Where nodes lie in the guest's physical memory, q35's hole included."""

from pathlib import Path

import pytest

from hardware.machinefile import GOOD
from pghotlab.base import paths
from pghotlab.base.arch import ARM64
from pghotlab.base.units import GIB, MIB
from pghotlab.hardware import nodemap, qemu
from pghotlab.hardware.machine import Machine, load_machine, parse_machine
from pghotlab.hardware.nodemap import GuestMap, GuestNode


def machine_of(first: str, second: str) -> Machine:
    text = GOOD.replace('size = "1G"', f'size = "{second}"', 1)
    text = text.replace('size = "2G"', f'size = "{first}"', 1)
    return parse_machine(Path("m.toml"), text.encode())


@pytest.mark.parametrize(
    ("memory", "below"),
    [
        (128 * MIB, 128 * MIB),
        (2 * GIB, 2 * GIB),
        (0xB0000000 - 128 * MIB, 0xB0000000 - 128 * MIB),
        (0xB0000000, 2 * GIB),
        (3 * GIB, 2 * GIB),
        (16 * GIB, 2 * GIB),
    ],
)
def test_below_4g(memory: int, below: int) -> None:
    assert nodemap.below_4g(memory) == below


@pytest.mark.parametrize(
    ("first", "second", "ranges"),
    [
        ("1G", "512M", [[(0, GIB)], [(GIB, GIB + 512 * MIB)]]),
        ("2G", "1G", [[(0, 2 * GIB)], [(4 * GIB, 5 * GIB)]]),
        ("1G", "3G", [[(0, GIB)], [(GIB, 2 * GIB), (4 * GIB, 6 * GIB)]]),
        ("3G", "1G", [[(0, 2 * GIB), (4 * GIB, 5 * GIB)], [(5 * GIB, 6 * GIB)]]),
        # The last size without a split, and the first with one.
        ("2G", "640M", [[(0, 2 * GIB)], [(2 * GIB, 2 * GIB + 640 * MIB)]]),
        ("2G", "768M", [[(0, 2 * GIB)], [(4 * GIB, 4 * GIB + 768 * MIB)]]),
    ],
)
def test_node_ranges(first: str, second: str, ranges: list[list[tuple[int, int]]]) -> None:
    machine = machine_of(first, second)
    assert nodemap.node_ranges(machine) == ranges
    assert f"below4g {nodemap.below_4g(machine.memory)}\n" in qemu.plugin_config(
        machine, Path("o"), Path("p")
    )


def blocks(first: int, count: int) -> frozenset[int]:
    return frozenset(range(first, first + count))


def test_guest_agrees() -> None:
    report = "block_size 8000000\nnode 0 cpus=0-1 blocks "
    report += " ".join(map(str, range(16))) + "\nnode 1 cpus= blocks 32 33 34 35 36 37 38 39"
    guest = nodemap.parse_guest_map(report)
    assert guest.nodes[0].cpus == (0, 1)
    assert nodemap.differences(machine_of("2G", "1G"), guest) == []


def test_differences_are_named() -> None:
    machine = machine_of("2G", "1G")
    shifted = {0: GuestNode((0, 1), blocks(0, 16)), 1: GuestNode((), blocks(16, 8))}
    (text,) = nodemap.differences(machine, GuestMap(128 * MIB, shifted))
    assert text.startswith("node 1: memory blocks [16, 17")
    assert "expected [32, 33" in text
    moved = {0: GuestNode((0,), blocks(0, 16)), 1: GuestNode((1,), blocks(32, 8))}
    assert len(nodemap.differences(machine, GuestMap(128 * MIB, moved))) == 2
    one = {0: GuestNode((0, 1), blocks(0, 16))}
    assert nodemap.differences(machine, GuestMap(128 * MIB, one)) == ["the guest has nodes [0]"]


@pytest.mark.parametrize(
    "report",
    ["", "node 0 cpus=0 blocks 0", "block_size zz", "block_size 8000000\nrubbish", "node 0 1 2 3"],
)
def test_wrong_guest_map(report: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        nodemap.parse_guest_map(report)


def test_id_list() -> None:
    assert nodemap.parse_id_list("0-3,8,10-11\n") == (0, 1, 2, 3, 8, 10, 11)
    assert nodemap.parse_id_list("") == ()


def test_sockets_never_span_nodes() -> None:
    assert qemu.sockets(load_machine("two-node")) == 1
    assert qemu.sockets(load_machine("three-node")) == 2
    uneven = GOOD.replace("cpus = [0, 1]", "cpus = [0]").replace("cpus = []", "cpus = [1, 2]")
    uneven = uneven.replace("node0 = [80, 250]", "node0 = [80, 250]\nnode1 = [250, 80]")
    assert qemu.sockets(parse_machine(Path("m.toml"), uneven.encode())) == 3


def test_qemu_arguments() -> None:
    words = " ".join(qemu.memory_arguments(load_machine("three-node")))
    assert "-m 5120M -smp 4,sockets=2" in words
    assert "node,nodeid=1,memdev=mem1,initiator=1,cpus=2,cpus=3" in words
    assert "node,nodeid=2,memdev=mem2,initiator=0" in words
    assert "dist,src=1,dst=2,val=60" in words
    assert (
        "hmat-lb,initiator=1,target=2,hierarchy=memory,data-type=access-latency,latency=300"
    ) in words
    assert "initiator=2," not in words


def hotplug_machine(first: str, kinds: tuple[str, str]) -> Machine:
    """GOOD with two hotplug nodes of 512 MiB."""
    text = GOOD.replace('size = "2G"', f'size = "{first}"')
    text = text.replace('size = "1G"', f'size = "512M"\nhotplug = "{kinds[0]}"')
    more = f'[[node]]\nid = 2\nsize = "512M"\nhotplug = "{kinds[1]}"\ncpus = []\n'
    text = text.replace("[latency]", more + "bandwidth_mbps = 9\n[latency]")
    text = text.replace("node0 = [80, 250]", "node0 = [80, 250, 300]")
    text = text.replace("node0 = [10, 50]", "node0 = [10, 50, 60]")
    text = text.replace("node1 = [50, 10]", "node1 = [50, 10, 70]\nnode2 = [60, 70, 10]")
    return parse_machine(Path("m.toml"), text.encode())


def test_arm64_has_no_hole() -> None:
    assert nodemap.node_ranges(machine_of("3G", "1G"), ARM64) == [
        [(GIB, 4 * GIB)],
        [(4 * GIB, 5 * GIB)],
    ]
    plugged = nodemap.node_ranges(hotplug_machine("3200M", ("dimm", "nvdimm")), ARM64)
    middle = 5 * GIB + 512 * MIB
    assert plugged[1:] == [[(5 * GIB, middle)], [(middle, middle + 512 * MIB)]]
    guest = GuestMap(
        128 * MIB, {0: GuestNode((0, 1), blocks(8, 16)), 1: GuestNode((), blocks(24, 8))}
    )
    assert nodemap.differences(machine_of("2G", "1G"), guest, ARM64) == []
    assert len(nodemap.differences(machine_of("2G", "1G"), guest)) == 2


def test_arm64_arguments() -> None:
    machine = load_machine("two-node")
    words = " ".join(qemu.machine_arguments(machine, 1, ARM64))
    assert (
        "-machine virt,gic-version=3,hmat=on -cpu max,pauth-impdef=on -bios QEMU_EFI.fd " in words
    )
    assert "shift=2,sleep=off" in qemu.accelerator_arguments(None, Path("c"), ARM64)
    assert "-icount" not in qemu.accelerator_arguments(None, Path("c"))
    told = qemu.kernel_arguments(machine, ARM64)
    assert told[0] == "console=ttyAMA0,115200"
    assert qemu.kernel_arguments(machine)[0] == "console=ttyS0,115200"
    assert not any(word.startswith("tsc=") for word in told)


@pytest.mark.parametrize(("first", "base"), [("2G", 4 * GIB), ("3G", 5 * GIB), ("3200M", 6 * GIB)])
def test_hotplug_lies_behind_all_else(first: str, base: int) -> None:
    ranges = nodemap.node_ranges(hotplug_machine(first, ("dimm", "nvdimm")))
    middle = base + 512 * MIB
    assert ranges[1:] == [[(base, middle)], [(middle, middle + 512 * MIB)]]


def test_persistent_memory_is_no_node_after_boot() -> None:
    machine = hotplug_machine("2G", ("dimm", "nvdimm"))
    nodes = {0: GuestNode((0, 1), blocks(0, 16)), 1: GuestNode((), blocks(32, 4))}
    assert nodemap.differences(machine, GuestMap(128 * MIB, nodes)) == []
    nodes[2] = GuestNode((), blocks(36, 4))
    assert nodemap.differences(machine, GuestMap(128 * MIB, nodes)) == [
        "the guest has nodes [0, 1, 2]"
    ]


def test_hotplug_arguments() -> None:
    machine = hotplug_machine("2G", ("dimm", "nvdimm"))
    words = " ".join(qemu.machine_arguments(machine, 1))
    assert "-machine q35,hmat=on,nvdimm=on " in words
    assert "-m 2048M,slots=2,maxmem=3072M" in words
    assert "node,nodeid=1,initiator=0 -device pc-dimm,memdev=mem1,node=1" in words
    assert "node,nodeid=2,initiator=0 -device nvdimm,memdev=mem2,node=2" in words
    assert "memhp_default_state=online_movable" in qemu.kernel_arguments(machine)
    dimms = qemu.machine_arguments(hotplug_machine("2G", ("dimm", "dimm")), 1)
    assert "q35,hmat=on" in dimms
    assert "memhp" not in " ".join(qemu.kernel_arguments(load_machine("two-node")))


def test_plugin_config() -> None:
    lines = qemu.plugin_config(load_machine("three-node"), Path("/o/x"), Path("/o/p")).splitlines()
    assert lines[0] == "out /o/x"
    assert [line for line in lines if line.startswith("node")] == [
        "node 2147483648 4000",
        "node 2147483648 4000",
        "node 1073741824 400",
    ]
    assert "cpus 0 0 1 1" in lines
    assert "latency 1 140 80 300" in lines
    assert "llc 8388608 16 15" in lines
    assert not [line for line in lines if line.startswith(("tlb", "window", "device"))]


def test_plugin_config_of_a_window() -> None:
    machine = load_machine(paths.ROOT / "tests" / "vm" / "small-cores.toml")
    lines = qemu.plugin_config(machine, Path("/o/x"), Path("/o/p")).splitlines()
    assert "window 224" in lines


def test_plugin_of_a_machine_whose_devices_take_time() -> None:
    machine = load_machine(paths.ROOT / "tests" / "vm" / "device-reads.toml")
    lines = qemu.plugin_config(machine, Path("/o/x"), Path("/o/p")).splitlines()
    assert "device_read_ns 1000" in lines
    assert qemu.plugin_of(machine) == paths.PLUGIN_DEVICES
    assert qemu.plugin_of(load_machine("two-node")) == paths.PLUGIN


def test_plugin_config_of_tlbs() -> None:
    machine = load_machine("two-node-tlb")
    lines = qemu.plugin_config(machine, Path("/o/x"), Path("/o/p")).splitlines()
    assert [line for line in lines if line.startswith("tlb")] == [
        "tlb_4k 64 4",
        "tlb_2m 32 4",
        "tlb_1g 16 4",
        "tlb_l2 1536 12 2",
        "tlb_upper 32 4 4",
    ]
