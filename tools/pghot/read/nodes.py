# SPDX-License-Identifier: GPL-2.0
"""NUMA nodes that have memory, as the kernel describes them."""

from dataclasses import dataclass

from pghot.read.root import Root

NODES = "sys/devices/system/node"
TIERS = "sys/devices/virtual/memory_tiering"
KIB = 1024


@dataclass(frozen=True)
class Node:
    """A node with memory. Sizes are in bytes.

    tier: the kernel's memory tier, a lower number is a faster one; None if it tells of none.
    latency_ns, bandwidth_mbps: of reads by the nearest CPUs, as firmware says; None if it does not.
    vmstat: counters of the node.
    """

    id: int
    cpus: list[int]
    distances: dict[int, int]
    tier: int | None
    total: int
    free: int
    mlocked: int
    huge_pages: int
    latency_ns: int | None
    bandwidth_mbps: int | None
    vmstat: dict[str, int]


def read_tiers(root: Root) -> dict[int, int]:
    """The kernel's memory tiers: the tier of each node."""
    return {
        nid: tier
        for tier, name in root.numbered(f"{TIERS}/memory_tier*").items()
        for nid in root.numbers(f"{name}/nodelist")
    }


def _meminfo(root: Root, folder: str) -> dict[str, int]:
    """Lines "Node 0 MemTotal: 1 kB", in the file's units."""
    found = {}
    for line in root.lines(f"{folder}/meminfo"):
        words = line.split()
        if len(words) > 3 and words[3].isdigit():
            found[words[2].rstrip(":")] = int(words[3])
    return found


def _huge_bytes(root: Root, folder: str) -> int:
    """Memory of the pools of hugetlb pages of all sizes."""
    return sum(
        size * KIB * (root.number(f"{name}/nr_hugepages") or 0)
        for name in root.names(f"{folder}/hugepages/hugepages-*kB")
        if (size := int(name.rpartition("-")[2].removesuffix("kB")))
    )


def read_nodes(root: Root) -> list[Node]:
    """All nodes with memory, by number."""
    folders = root.numbered(f"{NODES}/node[0-9]*")
    tiers = read_tiers(root)
    nodes = []
    for nid, folder in folders.items():
        memory = _meminfo(root, folder)
        if not memory.get("MemTotal"):
            continue
        distances = (root.text(f"{folder}/distance") or "").split()
        access = f"{folder}/access1/initiators"
        if not root.has(f"{access}/read_latency"):
            access = f"{folder}/access0/initiators"
        nodes.append(
            Node(
                id=nid,
                cpus=root.numbers(f"{folder}/cpulist"),
                distances=dict(zip(folders, map(int, distances), strict=False)),
                tier=tiers.get(nid),
                total=memory["MemTotal"] * KIB,
                free=memory.get("MemFree", 0) * KIB,
                mlocked=memory.get("Mlocked", 0) * KIB,
                huge_pages=_huge_bytes(root, folder),
                latency_ns=root.number(f"{access}/read_latency"),
                bandwidth_mbps=root.number(f"{access}/read_bandwidth"),
                vmstat=root.table(f"{folder}/vmstat"),
            )
        )
    return nodes
