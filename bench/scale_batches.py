# SPDX-License-Identifier: GPL-2.0
"""How large are batches of promotion if pages of many memory cgroups lie side by side?

A simulation of two rules of what a batch holds (kernel/promote/promoter.c). All pages of a piece of
physical memory are ready, and are taken in the order of their addresses. They belong to cgroups in
runs whose mean length is given. Each cgroup uses one of the fast nodes.
"""

import random
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PAGES = 1 << 18
BATCH = 512
GROUPS = (1, 8, 64, 300)
RUNS = (1, 8, 64)
NODES = (1, 4)

Page = tuple[int, int]  # its cgroup, and the node that it goes to


@dataclass(frozen=True)
class Rule:
    """What the pages of a batch have in common, besides the slow node that they are on.

    by_group: its pages are of one memory cgroup; groups: as many cgroups it holds at most;
    opened: as many batches are filled at a time.
    """

    name: str
    by_group: bool
    groups: int
    opened: int = 8


RULES = (
    Rule("by cgroup", by_group=True, groups=1),
    Rule("by node", by_group=False, groups=64),
)


def pages(groups: int, run: int, nodes: int) -> Iterator[Page]:
    """The pages of the memory, in the order of their addresses."""
    chance = random.Random(1)
    left, group = 0, 0
    for _ in range(PAGES):
        if not left:
            group = chance.randrange(groups)
            left = 1
            while chance.random() >= 1 / run:
                left += 1
        left -= 1
        yield group, group % nodes


def batches(rule: Rule, found: Iterator[Page]) -> list[int]:
    """The sizes of all batches."""
    filling: OrderedDict[object, tuple[int, set[int]]] = OrderedDict()
    sent = []
    for group, node in found:
        key = (group, node) if rule.by_group else node
        if key in filling and group not in filling[key][1] and len(filling[key][1]) == rule.groups:
            sent.append(filling.pop(key)[0])
        if key not in filling and len(filling) == rule.opened:
            sent.append(filling.popitem(last=False)[1][0])
        size, members = filling.get(key, (0, set()))
        members.add(group)
        filling[key] = (size + 1, members)
        if size + 1 == BATCH:
            sent.append(filling.pop(key)[0])
    return sent + [size for size, _ in filling.values()]


def rows() -> list[dict[str, Any]]:
    """A row for each case: how many batches there were, and their mean size."""
    made = []
    for rule in RULES:
        for nodes in NODES:
            for groups in GROUPS:
                for run in RUNS:
                    sizes = batches(rule, pages(groups, run, nodes))
                    assert sum(sizes) == PAGES
                    made.append(
                        {
                            "rule": rule.name,
                            "nodes": nodes,
                            "groups": groups,
                            "run": run,
                            "batches": len(sizes),
                            "mean": round(PAGES / len(sizes), 1),
                        }
                    )
    return made
