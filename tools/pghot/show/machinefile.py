# SPDX-License-Identifier: GPL-2.0
"""A machine file for the lab, from what was measured: scaled down to what the lab models."""

from collections.abc import Sequence

from pghot.read.caches import Cache
from pghot.read.nodes import Node

MIB = 1 << 20
# What a machine of the lab has at most, so that it runs on a small host.
CPUS = 8
MEMORY = 3 << 30
BLOCK = 2 * MIB
# How many random misses a core keeps in flight, where a CPU of the lab keeps one.
IN_FLIGHT = 4


def _power(value: float) -> int:
    """The power of two that is nearest below, 1 at least."""
    return 1 << max(0, int(value).bit_length() - 1)


def _shares(nodes: Sequence[Node]) -> dict[int, list[int]]:
    """The lab's CPUs of each node: in proportion, one at least, numbered through."""
    total = sum(len(node.cpus) for node in nodes)
    found, first = {}, 0
    for node in nodes:
        count = max(1, CPUS * len(node.cpus) // total) if node.cpus else 0
        found[node.id] = list(range(first, first + count))
        first += count
    return found


def _cache(caches: Sequence[Cache], level: int, scale: float, ns: str) -> str:
    known = [cache for cache in caches if cache.level == level] or list(caches[-1:])
    size, ways = (known[0].size, known[0].ways) if known else (32 * 1024, 8)
    ways = _power(ways)
    return f'{{ size = "{max(_power(size * scale) // 1024, ways)}K", ways = {ways}{ns} }}'


def machine_file(
    name: str,
    nodes: Sequence[Node],
    latency: dict[tuple[int, int], float],
    bandwidth: dict[int, float],
    caches: Sequence[Cache],
) -> str:
    """The file's text; ValueError if the lab cannot model such a machine.

    latency: ns, by node with CPUs and node with memory. bandwidth: MB/s by node.
    """
    if [node.id for node in nodes] != list(range(len(nodes))) or not nodes[0].cpus:
        raise ValueError("nodes must be numbered from 0, and node 0 must have CPUs")
    cpus = sum(len(node.cpus) for node in nodes)
    total = sum(node.total for node in nodes)
    shares = _shares(nodes)
    memory = min(1.0, MEMORY / total)
    links = min(1.0, sum(map(len, shares.values())) / cpus) / IN_FLIGHT
    lines = [
        "# SPDX-License-Identifier: GPL-2.0",
        f'name = "{name}"',
        'description = "Measured with `pghot measure`"',
        'scale = """',
        f"CPUs: {cpus} -> {sum(map(len, shares.values()))}. They execute in order.",
        f"Sizes: 1/{1 / memory:.0f} of {total // MIB} MiB in all.",
        f"Bandwidth: 1/{1 / links:.0f}, for the number of CPUs, and as a real core keeps about "
        f"{IN_FLIGHT}",
        "random misses in flight where one of the lab keeps one.",
        "Latencies are as measured.",
        '"""',
        "insn_ps = 1000 # model time of one instruction, picoseconds",
    ]
    for node in nodes:
        lines += [
            "",
            "[[node]]",
            f"id = {node.id}",
            f'size = "{max(64, int(node.total * memory) // BLOCK * BLOCK // MIB)}M"',
            f"cpus = {shares[node.id]}",
            f"bandwidth_mbps = {max(1, round(bandwidth[node.id] * links))}",
        ]
    lines += ["", "[latency] # idle load-to-use, ns"]
    for one in nodes:
        if one.cpus:
            row = [max(1, round(latency[one.id, other.id])) for other in nodes]
            lines.append(f"node{one.id} = {row}")
    lines += ["", "[distance] # ACPI SLIT"]
    lines += [f"node{one.id} = {[one.distances[other.id] for other in nodes]}" for one in nodes]
    lines += [
        "",
        "[cache]",
        f"l1 = {_cache(caches, 1, 1, '')}",
        f"l2 = {_cache(caches, 2, 1, ', ns = 4')}",
        f"llc = {_cache(caches, 3, max(memory, 1 / 64), ', ns = 15')}",
        "streams = 10",
    ]
    return "\n".join(lines) + "\n"
