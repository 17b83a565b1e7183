# SPDX-License-Identifier: GPL-2.0
"""pghot top: what moves, by node, control group and process, again and again."""

import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import look
from pghot.decide.verdict import verdict
from pghot.decide.view import PAGE, View
from pghot.errors import PghotError
from pghot.read.cgroup import groups, read_cgroup
from pghot.read.machine import Machine, read_machine
from pghot.read.process import largest, parse_numa_maps
from pghot.read.root import Root
from pghot.show.screen import Screen, size
from pghot.verb import Context, Example, Option, Verb, seconds

# Processes with most memory whose pages are looked for: asking takes time for each page.
PROCESSES = 16


@dataclass(frozen=True)
class NodeTop:
    """Memory that moves, bytes a second. waiting: pages a second that found fast nodes full."""

    id: int
    slow: bool
    free: int
    promoted_from: float
    promoted_to: float
    demoted_from: float
    refused: dict[str, float]


@dataclass(frozen=True)
class CgroupTop:
    """fast, slow: bytes. promoted, demoted: bytes a second."""

    path: str
    fast: int
    slow: int
    promoted: float
    demoted: float


@dataclass(frozen=True)
class ProcessTop:
    """fast, slow: bytes on fast and slow nodes. slow_less: by how much slow became less, bytes a
    second; negative if it became more."""

    pid: int
    name: str
    fast: int
    slow: int
    slow_less: float


@dataclass(frozen=True)
class Top:
    """time: seconds since the epoch."""

    time: float
    verdict: str
    nodes: list[NodeTop]
    cgroups: list[CgroupTop]
    processes: list[ProcessTop]


@dataclass(frozen=True)
class Sample:
    """What one look found. cgroups: promoted and demoted pages, and bytes by node. processes: name
    and pages by node."""

    machine: Machine
    cgroups: dict[str, tuple[int, int, dict[int, int]]]
    processes: dict[int, tuple[str, dict[int, int]]]


def sample(root: Root) -> Sample:
    """Look once. Processes that one may not look at, and groups that go, are left out."""
    found = {}
    for path in groups(root):
        try:
            group = read_cgroup(root, path)
        except PghotError:
            continue
        found[group.path] = (group.promoted, group.demoted, group.bytes)
    processes = {}
    for pid in largest(root, PROCESSES):
        maps = root.lines(f"proc/{pid}/numa_maps")
        pages: dict[int, int] = {}
        for _, by_node in parse_numa_maps(maps).values():
            for nid, amount in by_node.items():
                pages[nid] = pages.get(nid, 0) + amount
        if pages:
            processes[pid] = (root.text(f"proc/{pid}/comm") or "?", pages)
    return Sample(read_machine(root), found, processes)


def _nodes(view: View) -> list[NodeTop]:
    slow = {node.id for node in view.now.slow}
    found = []
    for node in view.now.nodes:

        def rate(name: str, nid: int = node.id) -> float:
            return round(view.per_second(view.node_grew(nid, name)) * PAGE)

        stats = view.module.nodes.get(node.id, {}) if view.module else {}
        names = [name for name in stats if name.startswith("refused_")]
        grew = {name.removeprefix("refused_"): view.node_grew(node.id, name) for name in names}
        found.append(
            NodeTop(
                id=node.id,
                slow=node.id in slow,
                free=node.free,
                promoted_from=rate("promoted"),
                promoted_to=rate("received"),
                demoted_from=rate("demoted"),
                refused={n: round(view.per_second(v), 1) for n, v in grew.items() if v},
            )
        )
    return found


def _parts(by_node: dict[int, int], slow: set[int]) -> tuple[int, int]:
    """How much of it is on fast nodes, and on slow ones."""
    low = sum(amount for nid, amount in by_node.items() if nid in slow)
    return sum(by_node.values()) - low, low


def _cgroups(view: View, before: Sample, now: Sample) -> list[CgroupTop]:
    slow = {node.id for node in view.now.slow}
    found = []
    for path, (promoted, demoted, by_node) in now.cgroups.items():
        old_promoted, old_demoted, _ = before.cgroups.get(path, (promoted, demoted, by_node))
        up, down = max(0, promoted - old_promoted), max(0, demoted - old_demoted)
        rates = (round(view.per_second(pages * PAGE)) for pages in (up, down))
        found.append(CgroupTop(path, *_parts(by_node, slow), *rates))
    return sorted(found, key=lambda one: (-one.promoted, -one.slow))


def _processes(view: View, before: Sample, now: Sample) -> list[ProcessTop]:
    slow = {node.id for node in view.now.slow}
    found = []
    for pid, (name, pages) in now.processes.items():
        fast, low = _parts(pages, slow)
        _, old_pages = before.processes.get(pid, (name, pages))
        less = round(view.per_second((_parts(old_pages, slow)[1] - low) * PAGE))
        found.append(ProcessTop(pid, name, fast * PAGE, low * PAGE, less))
    return sorted(found, key=lambda one: (-one.slow_less, -one.slow))


def make(before: Sample, now: Sample) -> Top:
    """What two samples tell."""
    view = View(before.machine, now.machine)
    return Top(
        time=round(time.time(), 3),
        verdict=verdict(view),
        nodes=_nodes(view),
        cgroups=_cgroups(view, before, now),
        processes=_processes(view, before, now),
    )


def run(context: Context, args: Namespace) -> Iterator[Top]:
    """Look, wait, look."""
    before, left = sample(context.root), args.count
    while left is None or left > 0:
        look.wait(context, args.seconds, "watching")
        now = sample(context.root)
        yield make(before, now)
        before, left = now, None if left is None else left - 1


def _node_table(top: Top) -> list[tuple[str, ...]]:
    header = ("node", "is", "free", "promoted from", "promoted to", "demoted from", "refused a s")
    return [
        header,
        *(
            (
                str(one.id),
                "slow" if one.slow else "fast",
                size(one.free),
                f"{size(one.promoted_from)}/s",
                f"{size(one.promoted_to)}/s",
                f"{size(one.demoted_from)}/s",
                ", ".join(f"{name} {rate:.0f}" for name, rate in one.refused.items()),
            )
            for one in top.nodes
        ),
    ]


def _cgroup_table(top: Top) -> list[tuple[str, ...]]:
    return [
        ("control group", "fast", "slow", "promoted", "demoted"),
        *(
            (
                one.path,
                size(one.fast),
                size(one.slow),
                f"{size(one.promoted)}/s",
                f"{size(one.demoted)}/s",
            )
            for one in top.cgroups[:8]
        ),
    ]


def _process_table(top: Top) -> list[tuple[str, ...]]:
    return [
        ("process", "name", "fast", "slow", "slow became less by"),
        *(
            (str(one.pid), one.name, size(one.fast), size(one.slow), f"{size(one.slow_less)}/s")
            for one in top.processes[:10]
        ),
    ]


def show(top: Top, screen: Screen) -> None:
    """Three tables, each as long as it is of interest."""
    screen.clear()
    screen.line(time.strftime("pghot top, %H:%M:%S", time.localtime(top.time)))
    screen.line(screen.paint(top.verdict, "bold"))
    screen.line()
    for table in (_node_table(top), _cgroup_table(top), _process_table(top)):
        if len(table) > 1:
            screen.table(table)
            screen.line()


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


VERB = Verb(
    name="top",
    summary="show what moves, by node, control group and process, again and again",
    about=(
        "Shows, again and again, what is promoted and demoted on each node, in each control group, "
        f"and for the {PROCESSES} processes with most memory how much of it is on slow nodes. "
        "Where the output is no terminal, the tables are printed one after another.",
        "Only root sees the processes of others.",
    ),
    result=Top,
    run=run,
    show=show,
    options=(
        Option(
            ("-s", "--seconds"),
            "between two looks; 2 without this option",
            metavar="SECONDS",
            type=seconds,
            default=2.0,
        ),
        Option(("-n", "--count"), "end after so many", metavar="COUNT", type=_count),
    ),
    examples=(
        Example("sudo pghot top", "until Ctrl-C"),
        Example("sudo pghot top -n 1 -j", "one look, for a program"),
    ),
)
