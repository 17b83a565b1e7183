# SPDX-License-Identifier: GPL-2.0
"""Causes that lie in which nodes are fast and which are slow."""

from collections.abc import Iterator

from pghot.decide.causes.kernel import is_diverted
from pghot.decide.finding import BROKEN, WARNING, Finding
from pghot.decide.view import View
from pghot.read.machine import lower_tiers
from pghot.read.module import PolicyState
from pghot.read.nodes import Node
from pghot.read.root import format_list

HINT_FAULTS = "hintfaults"
# Slow memory counts as faster if it takes less than so many parts of what fast memory takes. The
# module's means are of 64 reads at least. Reads spread about as much as they take, as some find
# their line in a cache: such a mean is off by an eighth, and the difference of two of them by a
# sixth or a little more. That it is off by twice as much, a third, is chance in one of 40 looks.
FASTER = (2, 3)
# Where fast memory seems to take less, ns, what was read was in caches: DRAM takes 80 and more.
CACHES_NS = 60
# Sources that see memory which the kernel does not count as a lower tier.
SEEING = ("windows", "accessed", "pagecache", "mglru", "perf", "mprof", "chmu", "vhmu", "hwhints")


def _names(nodes: list[Node]) -> str:
    return format_list([node.id for node in nodes])


def one_tier(view: View) -> Iterator[Finding]:
    """The kernel sees one tier only, and nobody has named slow nodes."""
    if not view.module or view.module.slow_nodes:
        return
    nodes = view.now.nodes
    without_cpus = [node for node in nodes if not node.cpus]
    top = min((node.tier for node in nodes if node.cpus and node.tier is not None), default=0)
    unknown = [node for node in without_cpus if node.tier is None or node.tier >= top]
    if len(nodes) < 2:
        yield Finding(
            "one-node",
            BROKEN,
            "This machine has only one node with memory, so there is no slow memory to promote "
            "from. If it has CXL or persistent memory, that is not onlined as system memory yet.",
            ["daxctl list", "sudo daxctl reconfigure-device --mode=system-ram all"],
        )
    elif unknown:
        named = _names(unknown)
        yield Finding(
            "one-tier",
            BROKEN,
            f"All memory is in one tier of the kernel, so pghot does nothing. Node {named} has "
            "no CPUs and is probably slow memory that firmware does not describe (no HMAT).",
            [f"sudo pghot setup slow_nodes={named}", "sudo pghot unload && sudo pghot load"],
        )
    elif without_cpus:
        yield Finding(
            "one-tier",
            BROKEN,
            f"No memory is slower than that of nodes with CPUs. Node {_names(without_cpus)} has no "
            "CPUs, but firmware says that it is faster (such as HBM). There is nothing to promote.",
        )
    else:
        yield Finding(
            "one-tier",
            BROKEN,
            "All memory is in one tier, and all nodes have CPUs: this machine has no slow memory, "
            "and does not need pghot.",
        )


def _nearness(node: Node, others: list[Node]) -> int | None:
    """The distance from the nearest CPUs."""
    known = [
        other.distances[node.id] for other in others if other.cpus and node.id in other.distances
    ]
    return min(known, default=None)


def _is_clearly_faster(state: PolicyState) -> bool:
    """Whether accesses to slow nodes take less than those to fast ones, by more than chance."""
    parts, of = FASTER
    return state.fast_ns >= CACHES_NS and 0 < state.slow_ns * of < state.fast_ns * parts


def inverted(view: View) -> Iterator[Finding]:
    """A slow node is as good as a fast one, or better."""
    if not view.module:
        return
    slow, fast = view.now.slow, view.now.fast
    with_cpus = [node for node in slow if node.cpus]
    if with_cpus:
        yield Finding(
            "slow-node-has-cpus",
            BROKEN,
            f"Node {_names(with_cpus)} is named as slow, but has CPUs: pages are moved away from "
            "the CPUs that use them.",
            ["sudo pghot setup slow_nodes=", "sudo pghot unload && sudo pghot load"],
        )
    everybody = view.now.nodes
    for node in (node for node in slow if not node.cpus):
        better = [
            one
            for one in fast
            if one.latency_ns and node.latency_ns and node.latency_ns < one.latency_ns
        ]
        if not better and node.latency_ns is None:
            near = _nearness(node, everybody)
            distances = [(_nearness(one, everybody), one) for one in fast]
            better = [one for far, one in distances if near and far and near < far]
        if better:
            yield Finding(
                "inverted-tiers",
                WARNING,
                f"Node {node.id} counts as slow, but firmware says that it is nearer or faster "
                f"than node {_names(better)}, to which pages are promoted.",
                [
                    "pghot measure    # what the nodes really do",
                    "grep . /sys/devices/virtual/memory_tiering/*/nodelist",
                ],
            )
    if view.module.state and _is_clearly_faster(view.module.state):
        yield Finding(
            "slow-is-faster",
            WARNING,
            f"pghot has measured that accesses to slow nodes take {view.module.state.slow_ns} ns, "
            f"less than those to fast nodes ({view.module.state.fast_ns} ns).",
            ["pghot measure"],
        )


def blind(view: View) -> Iterator[Finding]:
    """Slow nodes that the kernel does not count as a lower tier, and hint faults only."""
    module = view.module
    if not module or not module.slow_nodes:
        return
    named = sorted(set(module.slow_nodes) - lower_tiers(view.now.nodes))
    if named and module.is_on(HINT_FAULTS) and not any(map(module.is_on, SEEING)):
        yield Finding(
            "no-source-sees",
            BROKEN,
            f"Node {format_list(named)} is slow only because of slow_nodes=. The kernel makes no "
            "hint faults for such a node, and no other source is on: nothing is found.",
            ["sudo pghot set policy=auto", "sudo pghot set enabled_sources=512    # or this one"],
        )
    elif not any(source.on for source in module.sources):
        yield Finding(
            "no-source",
            BROKEN,
            "No source is on, so no page is found hot.",
            ["sudo pghot set policy=auto"],
        )


def sources_failed(view: View) -> Iterator[Finding]:
    """A source could not be started."""
    if not view.module:
        return
    for source in view.module.sources:
        if source.reason and not source.on and not is_diverted(view, source):
            yield Finding(
                f"source-failed-{source.name}",
                WARNING,
                f"The source {source.name} could not be started: {source.reason}.",
                ["pghot sources", "sudo dmesg | grep pghot"],
            )
