# SPDX-License-Identifier: GPL-2.0
"""Machine files: what comes with the lab is right, and each kind of mistake names its key."""

import re
import textwrap
from pathlib import Path

import pytest

from hardware.machinefile import GOOD
from pghotlab.base import paths
from pghotlab.base.errors import MachineError
from pghotlab.base.units import GIB, KIB, MIB
from pghotlab.hardware.machine import (
    Hmu,
    Machine,
    TlbLevel,
    check_fits,
    check_modelled,
    load_machine,
    parse_machine,
    shipped_machines,
)

# (text to replace, its replacement, key that the error names, reason in the error)
MISTAKES = [
    ('description = "two nodes"', "", "description", "missing"),
    ('scale = "1:1"', 'scale = " "', "scale", "is empty"),
    ('name = "m"', 'name = "other"', "name", "differs from the file's name"),
    ("insn_ps = 1000", "insn_ps = 1000\nturbo = 1", "turbo", "unknown key"),
    ("insn_ps = 1000", "insn_ps = 0", "insn_ps", "at least 1"),
    ("insn_ps = 1000", 'insn_ps = "fast"', "insn_ps", "must be a whole number"),
    ("insn_ps = 1000", "insn_ps = true", "insn_ps", "must be a whole number"),
    ("insn_ps = 1000", "insn_ps = 1.5", "insn_ps", "must be a whole number"),
    ('size = "1G"', 'size = "1G"\ncolour = 1', "node[1].colour", "unknown key"),
    ('size = "1G"', "", "node[1].size", "missing"),
    ('size = "1G"', "size = 1", "node[1].size", "must be a size"),
    ('size = "1G"', 'size = "1 GB"', "node[1].size", "is not a size"),
    ('size = "1G"', 'size = "0"', "node[1].size", "multiple of 2M"),
    ('size = "1G"', 'size = "1001M"', "node[1].size", "multiple of 2M"),
    ('size = "1G"', 'size = "1000M"\nhotplug = "dimm"', "node[1].size", "multiple of 128M"),
    ("id = 1", "id = 2", "node[1].id", "must be 1"),
    ("id = 1", "id = -1", "node[1].id", "at least 0"),
    ('size = "1G"', 'size = "1G"\nhotplug = ""', "node[1].hotplug", "is empty"),
    ('size = "1G"', 'size = "1G"\nhotplug = true', "node[1].hotplug", "must be a text"),
    ('size = "1G"', 'size = "1G"\nhotplug = "card"', "node[1].hotplug", "one of dimm, nvdimm"),
    ('size = "2G"', 'size = "2G"\nhotplug = "dimm"', "node[0].hotplug", "without CPUs"),
    ('size = "1G"', 'size = "128M"\nhotplug = "nvdimm"', "node[1].size", "first block"),
    ("bandwidth_mbps = 800\n", "bandwidth_mbps = 0\n", "node[1].bandwidth_mbps", "at least 1"),
    ("bandwidth_mbps = 800\n", "", "node[1].bandwidth_mbps", "missing"),
    ("cpus = [0, 1]", "cpus = []", "node[0].cpus", "node 0 needs CPUs"),
    ("cpus = [0, 1]", "cpus = 2", "node[0].cpus", "list of whole numbers"),
    ("cpus = [0, 1]", 'cpus = ["0"]', "node[0].cpus", "whole numbers"),
    ("cpus = [0, 1]", "cpus = [0, -1]", "node[0].cpus", "at least 0"),
    ("cpus = [0, 1]", "cpus = [0, 2]", "node", "CPU 1 is on no node"),
    ("cpus = [0, 1]", "cpus = [1]", "node", "CPU 0 is on no node"),
    ("cpus = [0, 1]", "cpus = [0, 0]", "node[0].cpus", "CPU 0 is on node 0 already"),
    ("cpus = []", "cpus = [1]", "node[1].cpus", "CPU 1 is on node 0 already"),
    ("node0 = [80, 250]", "", "latency.node0", "missing"),
    ("node0 = [80, 250]", "node0 = [80]", "latency.node0", "needs 2 numbers"),
    ("node0 = [80, 250]", "node0 = [80, 0]", "latency.node0", "at least 1"),
    ("node0 = [80, 250]", "node0 = [80, 2.5]", "latency.node0", "whole numbers"),
    ("node0 = [80, 250]", "node0 = [80, 250]\nnode1 = [1, 1]", "latency.node1", "unknown key"),
    ("[latency]\nnode0 = [80, 250]", "", "latency", "missing"),
    ("node1 = [50, 10]", "", "distance.node1", "missing"),
    ("node1 = [50, 10]", "node1 = [50, 10, 50]", "distance.node1", "needs 2 numbers"),
    ("node1 = [50, 10]", "node1 = [60, 10]", "distance.node0", "back from node 1"),
    ("node1 = [50, 10]", "node1 = [50, 20]", "distance.node1", "to itself is 10"),
    ("node1 = [50, 10]", "node1 = [5, 10]", "distance.node1", "at least 10"),
    ("node0 = [10, 50]", "node0 = [10, 255]", "distance.node0", "at most 254"),
    ("node0 = [10, 50]", "node0 = [10, 10]", "distance.node0", "more than 10"),
    ("streams = 10", "", "cache.streams", "missing"),
    ("streams = 10", "streams = 10\nl4 = 1", "cache.l4", "unknown key"),
    ("streams = 10", "streams = 257", "cache.streams", "at most 256"),
    ("streams = 10", "streams = 10\nwindow = 0", "cache.window", "at least 1"),
    ("streams = 10", "streams = 10\nwindow = 100001", "cache.window", "at most 100000"),
    ('l2 = { size = "1M", ways = 8, ns = 4 }', "", "cache.l2", "missing"),
    ("ways = 8, ns = 4", "ways = 8", "cache.l2.ns", "missing"),
    ("ways = 8, ns = 4", "ways = 6, ns = 4", "cache.l2.ways", "power of two"),
    ("ways = 8, ns = 4", "ways = 8, ns = 0", "cache.l2.ns", "at least 1"),
    ('"32K", ways = 2', '"33K", ways = 2', "cache.l1.size", "power of two"),
    ('"32K", ways = 2', '"64", ways = 2', "cache.l1.size", "less than 2 ways"),
    ('"32K", ways = 2', '"32K", ways = 2, ns = 1', "cache.l1.ns", "unknown key"),
]


# Key, a wrong value of [hmu], reason in the error
HMU_MISTAKES = [
    ("unit", "4096", 'must be a size like "512M"'),
    ("unit", '"2K"', "power of two from 4K to 2M"),
    ("unit", '"12K"', "power of two from 4K to 2M"),
    ("unit", '"4M"', "power of two from 4K to 2M"),
    ("epoch_us", "99", "at least 100"),
    ("epoch_us", "150", "multiple of 100"),
    ("epoch_us", "409600", "above 409500 of 1000"),
    ("epoch_us", "4096000", "above 4095000 of 10000"),
    ("epoch_us", "10000100", "at most 10000000"),
    ("threshold", "0", "at least 1"),
    ("threshold", "65536", "at most 65535"),
    ("sampling", "0", "at least 1"),
    ("sampling", "3", "power of two, not 3"),
    ("sampling", "65536", "at most 32768"),
    ("loss", "-1", "at least 0"),
    ("loss", "101", "at most 100"),
    ("loss", "1.5", "must be a whole number"),
    ("entries", "1", "at least 2"),
    ("entries", "65536", "at most 65535"),
    ("colour", "1", "unknown key"),
]


TLB = """
[tlb]
l1_4k = { entries = 64, ways = 4 }
l1_2m = { entries = 32, ways = 4 }
l1_1g = { entries = 16, ways = 4 }
l2 = { entries = 1536, ways = 12, ns = 2 }
pde = 32
pdpte = 4
pml4e = 4
"""

# (text of TLB to replace, its replacement, key that the error names, reason in the error)
TLB_MISTAKES = [
    ("pde = 32", "", "tlb.pde", "missing"),
    ("pde = 32", "pde = 0", "tlb.pde", "at least 1"),
    ("pde = 32", "pde = 65", "tlb.pde", "at most 64, not 65"),
    ("pde = 32", "pde = 32\ncolour = 1", "tlb.colour", "unknown key"),
    ("l1_1g = { entries = 16, ways = 4 }", "", "tlb.l1_1g", "missing"),
    ("entries = 64, ways = 4", "entries = 64, ways = 4, ns = 1", "tlb.l1_4k.ns", "unknown key"),
    ("entries = 64, ways = 4", "entries = 64", "tlb.l1_4k.ways", "missing"),
    ("entries = 64, ways = 4", "entries = 96, ways = 4", "tlb.l1_4k.entries", "power of two"),
    ("entries = 64, ways = 4", "entries = 66, ways = 4", "tlb.l1_4k.entries", "power of two"),
    ("entries = 64, ways = 4", "entries = 128, ways = 128", "tlb.l1_4k.ways", "at most 64"),
    ("ways = 12, ns = 2", "ways = 12", "tlb.l2.ns", "missing"),
    ("ways = 12, ns = 2", "ways = 12, ns = 1001", "tlb.l2.ns", "at most 1000"),
    ("entries = 1536", "entries = 2097152", "tlb.l2.entries", "at most 1048576"),
]


def parse(text: str) -> Machine:
    return parse_machine(Path("m.toml"), text.encode())


def test_good() -> None:
    machine = parse(GOOD)
    assert machine.memory == 3 * GIB
    assert machine.cpu_nodes == (0, 0)
    assert machine.fast_nodes == (0,)
    assert machine.slow_nodes == (1,)
    assert machine.latency_ns == {0: (80, 250)}
    assert machine.nearest_initiator(1) == 0
    assert machine.l1.ns == 0
    assert len(machine.sha256) == 64


@pytest.mark.parametrize(("old", "new", "key", "reason"), MISTAKES)
def test_mistake(old: str, new: str, key: str, reason: str) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(MachineError) as error:
        parse(GOOD.replace(old, new))
    assert str(error.value).startswith(f"m.toml: {key}: ")
    assert reason in str(error.value)


@pytest.mark.parametrize("kind", ["dimm", "nvdimm"])
def test_hotplug(kind: str) -> None:
    machine = parse(GOOD.replace('size = "1G"', f'size = "1G"\nhotplug = "{kind}"'))
    assert [(node.id, node.hotplug) for node in machine.hotplug_nodes] == [(1, kind)]
    assert (machine.memory, machine.fixed_memory) == (3 * GIB, 2 * GIB)
    assert machine.slow_nodes == (1,)
    with pytest.raises(MachineError, match=r"^m\.toml: node\[1\]\.hotplug: the memory model"):
        check_modelled(machine)
    check_modelled(parse(GOOD))


def test_hmu() -> None:
    assert parse(GOOD).hmu == parse(GOOD + "[hmu]\n").hmu == Hmu()
    hmu = parse(GOOD + '[hmu]\nunit = "64K"\nepoch_us = 410000\nsampling = 8\n').hmu
    assert (hmu.unit, hmu.epoch_us, hmu.sampling) == (64 * KIB, 410_000, 8)
    assert (hmu.threshold, hmu.loss, hmu.entries) == (Hmu().threshold, 0, Hmu().entries)
    hmu = parse(GOOD + "[hmu]\nthreshold = 65535\nloss = 100\nentries = 65535\n").hmu
    assert (hmu.threshold, hmu.loss, hmu.entries) == (65535, 100, 65535)
    with pytest.raises(MachineError, match=r"^m\.toml: hmu: must be a table"):
        parse("hmu = 1\n" + GOOD)


def test_hmu_as_the_lab_page_has_it() -> None:
    page = (paths.ROOT / "docs" / "lab.md").read_text()
    (shown,) = re.findall(r"^    (\[hmu\].*?)\n\n", page, re.DOTALL | re.MULTILINE)
    assert shown.count(" = ") == 6
    assert parse(GOOD + textwrap.dedent(f"    {shown}")).hmu == Hmu()


@pytest.mark.parametrize(("key", "value", "reason"), HMU_MISTAKES)
def test_hmu_mistake(key: str, value: str, reason: str) -> None:
    with pytest.raises(MachineError) as error:
        parse(f"{GOOD}[hmu]\n{key} = {value}\n")
    assert str(error.value).startswith(f"m.toml: hmu.{key}: ")
    assert reason in str(error.value)


def test_window() -> None:
    assert parse(GOOD).window == 0
    assert parse(GOOD.replace("streams = 10", "streams = 10\nwindow = 224")).window == 224


def test_reads_of_devices() -> None:
    assert parse(GOOD).device_read_ns == 0
    assert parse(GOOD + "[device]\nread_ns = 1000\n").device_read_ns == 1000
    for line, key, reason in (
        ("", "read_ns", "missing"),
        ("read_ns = 0", "read_ns", "at least 1"),
        ("read_ns = 1000001", "read_ns", "at most 1000000"),
        ("read_ns = 1\nwrite_ns = 1", "write_ns", "unknown key"),
    ):
        with pytest.raises(MachineError, match=rf"m\.toml: device\.{key}: .*{reason}"):
            parse(f"{GOOD}[device]\n{line}\n")


def test_tlb() -> None:
    assert parse(GOOD).tlb is None
    tlb = parse(GOOD + TLB).tlb
    assert tlb is not None
    assert tlb.l1_4k == TlbLevel(64, 4)
    assert tlb.l2 == TlbLevel(1536, 12, 2)
    assert (tlb.pde, tlb.pdpte, tlb.pml4e) == (32, 4, 4)


@pytest.mark.parametrize(("old", "new", "key", "reason"), TLB_MISTAKES)
def test_tlb_mistake(old: str, new: str, key: str, reason: str) -> None:
    assert TLB.count(old) == 1
    with pytest.raises(MachineError) as error:
        parse(GOOD + TLB.replace(old, new))
    assert str(error.value).startswith(f"m.toml: {key}: ")
    assert reason in str(error.value)


def test_the_machine_with_tlbs_is_two_node_otherwise() -> None:
    usual, tlb = load_machine("two-node"), load_machine("two-node-tlb")
    for name in ("insn_ps", "nodes", "latency_ns", "distance", "l1", "l2", "llc", "streams"):
        assert getattr(usual, name) == getattr(tlb, name)
    assert tlb.tlb is not None


def test_not_toml() -> None:
    with pytest.raises(MachineError, match=r"m\.toml: not TOML: .*line 2"):
        parse("a = 1\nb =\n")
    with pytest.raises(MachineError, match="not TOML"):
        parse_machine(Path("m.toml"), b"\xff\xfe")


def test_nearest_initiator_of_far_memory() -> None:
    text = GOOD.replace('size = "1G"\ncpus = []', 'size = "1G"\ncpus = [2]')
    text = text.replace("node0 = [80, 250]", "node0 = [80, 90, 300]\nnode1 = [90, 80, 250]")
    text = text.replace(
        "[latency]", '[[node]]\nid = 2\nsize = "1G"\ncpus = []\nbandwidth_mbps = 9\n[latency]'
    )
    text = text.replace(
        "node0 = [10, 50]\nnode1 = [50, 10]",
        "node0 = [10, 50, 60]\nnode1 = [50, 10, 60]\nnode2 = [60, 60, 10]",
    )
    machine = parse(text)
    assert machine.nearest_initiator(2) == 1
    assert machine.nearest_initiator(1) == 1


def test_fits() -> None:
    machine = parse(GOOD)
    check_fits(machine, 4 * GIB)
    with pytest.raises(MachineError, match=r"node\.size: the machine needs 3328 MiB .* 2048 MiB"):
        check_fits(machine, 2048 * MIB)


def test_missing_file_names_what_there_is() -> None:
    with pytest.raises(MachineError, match=r"nowhere\.toml: No such file .*two-node"):
        load_machine("nowhere")


def test_shipped_machines() -> None:
    for name in shipped_machines():
        load_machine(name)
    two = load_machine("two-node")
    assert two.distance == ((10, 50), (50, 10))
    assert (two.fast_nodes, two.slow_nodes) == ((0,), (1,))
    three = load_machine("three-node")
    assert three.distance == ((10, 32, 50), (32, 10, 60), (50, 60, 10))
    assert (three.fast_nodes, three.slow_nodes) == ((0, 1), (2,))
    eight = load_machine("eight-node")
    assert (len(eight.fast_nodes), eight.slow_nodes) == (8, ())
    # Latencies are its distances.
    assert [eight.latency_ns[node] for node in range(8)] == [
        tuple(10 * distance for distance in row) for row in eight.distance
    ]
    # Stock NUMA balancing skips its hotness test while a gigabyte is free.
    for machine in (two, three):
        for node in machine.fast_nodes:
            assert machine.nodes[node].size >= 2 * GIB


def test_memory_as_fast_as_dram_is_fast_without_cpus() -> None:
    machine = load_machine("hbm-dram-cxl")
    assert (machine.fast_nodes, machine.slow_nodes) == ((0, 1), (2,))
    # In the kernel's measure DRAM is at 576, and its tier ends at 640.
    for latency, bandwidth, hotplug, fast in (
        (88, 8000, "", True),  # 633
        (89, 8000, "", False),  # 640
        (88, 7900, "", False),  # 641
        (250, 30_000, "", True),
        (80, 8000, '\nhotplug = "dimm"', False),
    ):
        text = GOOD.replace("[80, 250]", f"[80, {latency}]")
        text = text.replace("bandwidth_mbps = 800\n", f"bandwidth_mbps = {bandwidth}{hotplug}\n")
        assert parse(text).fast_nodes == ((0, 1) if fast else (0,))


def test_dram_pmem_is_over_committed_as_published() -> None:
    machine = load_machine("dram-pmem")
    assert (machine.fast_nodes, machine.slow_nodes) == ((0,), (1,))
    # 126 GB of PMEM to the 30 GB of DRAM, of which ours loses 200 MiB to the kernel.
    fast, slow = machine.nodes
    assert slow.size / (fast.size - 200 * MIB) == pytest.approx(126 / 30, rel=0.05)


def test_graph500_machines_differ_in_the_place_of_their_nodes_and_one_link() -> None:
    far, near = load_machine("three-node-far"), load_machine("three-node-near")
    assert far.distance == ((10, 32, 50), (32, 10, 60), (50, 60, 10))
    assert near.distance == ((10, 12, 50), (12, 10, 50), (50, 50, 10))
    # Four ranks on the first CPUs: three and one, as 96 and 32; and two and two, as 64 and 64.
    assert far.cpu_nodes[:4] == (0, 0, 0, 1)
    assert near.cpu_nodes[:4] == (0, 0, 1, 1)
    assert [node.size for node in far.nodes] == [node.size for node in near.nodes]
    assert [node.bandwidth_mbps for node in far.nodes] == [4000, 4000, 400]
    # An edge takes 14.5 bytes, where 61 filled the published link of 50 GB/s.
    assert [node.bandwidth_mbps for node in near.nodes] == [4000, 4000, round(400 * 14.5 / 61)]
    for name in ("insn_ps", "l1", "l2", "llc", "streams", "hmu"):
        assert getattr(far, name) == getattr(near, name)
    # Both are three-node, slowed down.
    usual = load_machine("three-node")
    assert far.insn_ps == 4 * usual.insn_ps
    for cpu_node, row in usual.latency_ns.items():
        assert far.latency_ns[cpu_node] == tuple(4 * latency for latency in row)
