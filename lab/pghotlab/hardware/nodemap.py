# SPDX-License-Identifier: GPL-2.0
"""Which guest-physical addresses belong to which node, and whether the guest agrees.

QEMU's q35 machine leaves a hole below 4 GiB for PCI: with 2.75 GiB of RAM or
more, 2 GiB lie below it and the rest starts at 4 GiB. QEMU's virt machine, for arm64, has
RAM in one piece. Nodes follow one another in RAM order; those with hotplug lie behind
all others, from a multiple of 1 GiB.
"""

from dataclasses import dataclass

from pghotlab.base.arch import AMD64, Arch
from pghotlab.base.units import GIB, MIB
from pghotlab.hardware.machine import Machine

_SPLIT_FROM = 0xB000_0000
_ABOVE = 4 * GIB


@dataclass(frozen=True)
class GuestNode:
    """What the guest says about one node."""

    cpus: tuple[int, ...]
    blocks: frozenset[int]


@dataclass(frozen=True)
class GuestMap:
    """What the guest says about its memory: block size in bytes, and the nodes."""

    block_size: int
    nodes: dict[int, GuestNode]


def below_4g(memory: int) -> int:
    """How much of the RAM lies below the PCI hole, bytes."""
    return 2 * GIB if memory >= _SPLIT_FROM else memory


def node_ranges(machine: Machine, arch: Arch = AMD64) -> list[list[tuple[int, int]]]:
    """Each node's guest-physical ranges [start, end)."""
    if not arch.hole:
        return _ranges_without_hole(machine, arch.ram)
    split = below_4g(machine.fixed_memory)
    plug_start = _ABOVE + -(-(machine.fixed_memory - split) // GIB) * GIB
    ranges = []
    start = 0
    for node in machine.nodes:
        if node.hotplug:
            ranges.append([(plug_start, plug_start + node.size)])
            plug_start += node.size
            continue
        end = start + node.size
        pieces = []
        if start < split:
            pieces.append((start, min(end, split)))
        if end > split:
            pieces.append((max(start, split) - split + _ABOVE, end - split + _ABOVE))
        ranges.append(pieces)
        start = end
    return ranges


def _ranges_without_hole(machine: Machine, start: int) -> list[list[tuple[int, int]]]:
    ranges = []
    plug_start = start + -(-machine.fixed_memory // GIB) * GIB
    for node in machine.nodes:
        begin = plug_start if node.hotplug else start
        ranges.append([(begin, begin + node.size)])
        if node.hotplug:
            plug_start += node.size
        else:
            start += node.size
    return ranges


def parse_id_list(text: str) -> tuple[int, ...]:
    """The numbers of a kernel list such as "0-3,8"."""
    numbers: list[int] = []
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)


def parse_guest_map(report: str) -> GuestMap:
    """Read the guest's report: `block_size HEX`, then per node `node N cpus=LIST blocks IDs`.

    ValueError when a line is not of that form.
    """
    block_size = 0
    nodes = {}
    for line in report.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "block_size":
            block_size = int(words[1], 16)
        elif len(words) >= 4 and words[0] == "node" and words[2].startswith("cpus="):
            cpus = parse_id_list(words[2].removeprefix("cpus="))
            blocks = frozenset(int(word) for word in words[4:])
            nodes[int(words[1])] = GuestNode(cpus, blocks)
        else:
            raise ValueError(f"not a line of the guest's memory map: {line!r}")
    if not block_size:
        raise ValueError("the guest's memory map has no block_size")
    return GuestMap(block_size, nodes)


def differences(machine: Machine, guest: GuestMap, arch: Arch = AMD64) -> list[str]:
    """Where the guest's view after boot differs from the machine; empty when they agree."""
    found = []
    # Persistent memory is no node's memory yet.
    if sorted(guest.nodes) != [node.id for node in machine.nodes if node.hotplug != "nvdimm"]:
        found.append(f"the guest has nodes {sorted(guest.nodes)}")
    for node, ranges in zip(machine.nodes, node_ranges(machine, arch), strict=True):
        seen = guest.nodes.get(node.id)
        if seen is None:
            continue
        if seen.cpus != node.cpus:
            found.append(f"node {node.id}: CPUs {list(seen.cpus)}, expected {list(node.cpus)}")
        expected = {
            block
            for start, end in ranges
            for block in range(start // guest.block_size, -(-end // guest.block_size))
        }
        if seen.blocks != expected:
            found.append(
                f"node {node.id}: memory blocks {sorted(seen.blocks)} of "
                f"{guest.block_size // MIB} MiB, expected {sorted(expected)}"
            )
    return found
