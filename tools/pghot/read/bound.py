# SPDX-License-Identifier: GPL-2.0
"""Memory on slow nodes that a memory policy keeps there, in the processes with most memory."""

from collections.abc import Collection
from dataclasses import dataclass

from pghot.read.process import MOVING_POLICIES, PAGE, largest, parse_numa_maps
from pghot.read.root import Root

# Asking takes time for each page that a process has.
PROCESSES = 32


@dataclass(frozen=True)
class Bound:
    """bytes: on slow nodes, in mappings with this policy."""

    pid: int
    name: str
    policy: str
    bytes: int


def read_bound(root: Root, slow: Collection[int]) -> list[Bound]:
    """Most memory first. Processes that one may not look at are left out."""
    found = []
    for pid in largest(root, PROCESSES):
        by_policy: dict[str, int] = {}
        for policy, pages in parse_numa_maps(root.lines(f"proc/{pid}/numa_maps")).values():
            amount = sum(number for nid, number in pages.items() if nid in slow) * PAGE
            if amount and not policy.startswith(MOVING_POLICIES) and "balancing" not in policy:
                by_policy[policy] = by_policy.get(policy, 0) + amount
        name = root.text(f"proc/{pid}/comm") or "?"
        found += [Bound(pid, name, policy, amount) for policy, amount in by_policy.items()]
    return sorted(found, key=lambda one: -one.bytes)
