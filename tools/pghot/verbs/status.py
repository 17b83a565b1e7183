# SPDX-License-Identifier: GPL-2.0
"""pghot status: one screen of what goes on."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import look
from pghot.decide import hotset
from pghot.decide.verdict import verdict
from pghot.decide.view import KERNEL_DEMOTIONS, PAGE, View
from pghot.errors import PghotError
from pghot.read.machine import lower_tiers
from pghot.read.module import Source
from pghot.read.root import format_list
from pghot.read.trace import Event, tracing
from pghot.show.screen import Screen, duration, size
from pghot.verb import Context, Example, Verb, watch_option
from pghot.version import VERSION


@dataclass(frozen=True)
class NodeLine:
    """A node with memory. Sizes are in bytes.

    slow: whether pghot promotes from it. why: who says so. distance: from the nearest CPUs.
    """

    id: int
    slow: bool
    why: str
    cpus: list[int]
    size: int
    free: int
    distance: int | None
    latency_ns: int | None
    tier: int | None


@dataclass(frozen=True)
class Flow:
    """Memory that moves. Rates are bytes a second, totals are bytes since the module was loaded."""

    promoted_per_second: float
    promoted: int
    demoted_per_second: float
    demoted: int
    kernel_demoted_per_second: float


@dataclass(frozen=True)
class Status:
    """What goes on. Fields of the module are null while it is not loaded.

    hot_bytes: memory in use within one window of the policy, an estimate; null if it is unknown.
    cpu_share: CPU time of pghot in this time, as a part of one CPU. cpu_ns: since load.
    """

    version: str
    module_version: str | None
    kernel: str
    verdict: str
    seconds: float
    nodes: list[NodeLine]
    policy: str | None
    decisions: list[str]
    sources: list[Source]
    numa_balancing: int | None
    demotion_enabled: bool | None
    flow: Flow
    hot_bytes: int | None
    fast_bytes: int
    cpu_share: float
    cpu_ns: int
    record_bytes: int


CPU_COUNTERS = (
    "kmigrated_cpu_ns",
    "windows_cpu_ns",
    "accessed_cpu_ns",
    "mglru_cpu_ns",
    "perf_cpu_ns",
    "hmu_cpu_ns",
)


def _nodes(view: View) -> list[NodeLine]:
    slow, lower = {node.id for node in view.now.slow}, lower_tiers(view.now.nodes)
    lines = []
    for node in view.now.nodes:
        near = [
            one.distances[node.id]
            for one in view.now.nodes
            if one.cpus and node.id in one.distances
        ]
        if node.id in slow:
            why = "below the kernel's top tier" if node.id in lower else "named by slow_nodes="
        else:
            why = "not named by slow_nodes=" if node.id in lower else "top tier"
        lines.append(
            NodeLine(
                id=node.id,
                slow=node.id in slow,
                why=why,
                cpus=node.cpus,
                size=node.total,
                free=node.free,
                distance=min(near, default=None),
                latency_ns=node.latency_ns,
                tier=node.tier,
            )
        )
    return lines


def _decisions(view: View) -> list[str]:
    state = view.module.state if view.module else None
    if not state:
        return []
    return [f"{kind.name}: {kind.verdict}: {kind.reason}" for kind in state.kinds]


def make(view: View, looks: list[Event] | None = None) -> Status:
    """What two looks at a machine tell. looks: the policy's own, if they could be traced."""
    module = view.module
    hot = hotset.estimate(view, looks)
    return Status(
        version=VERSION,
        module_version=module.version if module else None,
        kernel=view.now.kernel.release,
        verdict=verdict(view),
        seconds=round(view.seconds, 3),
        nodes=_nodes(view),
        policy=module.policy if module else None,
        decisions=_decisions(view) if module and module.policy == "auto" else [],
        sources=module.sources if module else [],
        numa_balancing=view.now.kernel.numa_balancing,
        demotion_enabled=view.now.kernel.demotion_enabled,
        flow=Flow(
            promoted_per_second=round(view.per_second(view.grew("promoted") * PAGE)),
            promoted=module.stat("promoted") * PAGE if module else 0,
            demoted_per_second=round(view.per_second(view.grew("demoted") * PAGE)),
            demoted=module.stat("demoted") * PAGE if module else 0,
            kernel_demoted_per_second=round(
                view.per_second(
                    max(0, view.kernel_grew(*KERNEL_DEMOTIONS) - view.grew("demoted")) * PAGE
                )
            ),
        ),
        hot_bytes=hot.bytes,
        fast_bytes=hot.capacity,
        cpu_share=round(view.per_second(sum(map(view.grew, CPU_COUNTERS))) / 1e9, 4),
        cpu_ns=sum(map(module.stat, CPU_COUNTERS)) if module else 0,
        record_bytes=module.record_bytes if module else 0,
    )


def run(context: Context, args: Namespace) -> Iterator[Status]:
    """Watch, and tell."""
    try:
        with tracing(context.root, [hotset.LOOK]) as trace:
            view = look.watch(context, args.seconds)
            looks: list[Event] | None = trace.read()
    except PghotError:
        view, looks = look.watch(context, args.seconds), None
    yield make(view, looks)


def _on(value: bool | int | None) -> str:
    return "unknown" if value is None else str(int(value))


def show(status: Status, screen: Screen) -> None:
    """One screen."""
    module = f"module {status.module_version}" if status.module_version else "module not loaded"
    screen.line(f"pghot {status.version}, {module}, kernel {status.kernel}")
    screen.paragraph(screen.paint(status.verdict, "bold"))
    screen.line()
    rows = [("node", "is", "because", "CPUs", "size", "free", "distance", "latency", "tier")]
    rows += [
        (
            str(node.id),
            "slow" if node.slow else "fast",
            node.why,
            format_list(node.cpus),
            size(node.size),
            size(node.free),
            "-" if node.distance is None else str(node.distance),
            "-" if node.latency_ns is None else f"{node.latency_ns} ns",
            "-" if node.tier is None else str(node.tier),
        )
        for node in status.nodes
    ]
    screen.table(rows)
    screen.line()
    lines = [
        (
            "kernel",
            f"numa_balancing {_on(status.numa_balancing)}, "
            f"demotion_enabled {_on(status.demotion_enabled)}",
        )
    ]
    if status.policy is not None:
        names = [source.name for source in status.sources if source.on]
        flow = status.flow
        hot = "unknown" if status.hot_bytes is None else f"about {size(status.hot_bytes)} in use"
        lines += [
            ("sources", ", ".join(names) or "none"),
            ("policy", status.policy),
            *(("", decision) for decision in status.decisions),
            ("promotion", f"{size(flow.promoted_per_second)}/s, {size(flow.promoted)} since load"),
            (
                "demotion",
                f"{size(flow.demoted_per_second)}/s, {size(flow.demoted)} since load; "
                f"by the kernel {size(flow.kernel_demoted_per_second)}/s",
            ),
            ("hot set", f"{hot}, fast nodes have {size(status.fast_bytes)}"),
            (
                "costs",
                f"{100 * status.cpu_share:.1f} % of a CPU, {duration(status.cpu_ns)} since load; "
                f"{size(status.record_bytes)} of records",
            ),
        ]
    screen.table(lines, header=False)


VERB = Verb(
    name="status",
    summary="show what goes on, on one screen",
    about=(
        "Shows versions, the nodes with memory and which of them are slow and why, the sources of "
        "hotness that are on, what the policy has decided, what is promoted and demoted now and "
        "since the module was loaded, how much memory is in use compared with the fast nodes, what "
        "pghot costs, and a sentence that sums it up.",
        "How much memory is in use can be told only by root, because it is found with tracepoints, "
        "and only while the source windows looks at memory.",
    ),
    result=Status,
    run=run,
    show=show,
    options=(watch_option(2),),
    examples=(
        Example("pghot status", "what goes on, watched for two seconds"),
        Example("pghot status -s 0 -j | jq .verdict", "the sentence, for a script"),
    ),
)
