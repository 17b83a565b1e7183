# SPDX-License-Identifier: GPL-2.0
"""pghot metrics: figures for Prometheus."""

import os
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pghot.decide.view import PAGE
from pghot.errors import PghotError
from pghot.read.machine import Machine, read_machine
from pghot.show.prometheus import Metric, Sample, expose
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Option, Verb
from pghot.version import VERSION

NS = 1e9
# Sums of pghot that have a metric of their own by node, or none, as other figures say the same.
BY_NODE = ("promoted", "received", "demoted", "passes", "batches")
UNITS = {"_cpu_ns": "_cpu_seconds_total", "_ns": "_seconds_total"}


@dataclass(frozen=True)
class Metrics:
    """text: in the text format of Prometheus 0.0.4. file: where it was written, or null."""

    text: str
    file: str | None


def _name(stat: str) -> tuple[str, float]:
    """The metric's name of a sum, and what its values are divided by."""
    for ending, unit in UNITS.items():
        if stat.endswith(ending):
            return f"pghot_{stat.removesuffix(ending)}{unit}", NS
    return f"pghot_{stat}_total", 1


def _module(machine: Machine) -> list[Metric]:
    module = machine.module
    if not module:
        return []
    pages = {
        "promoted": "Bytes that pghot promoted from the node",
        "received": "Bytes that pghot promoted to the node",
        "demoted": "Bytes that pghot demoted from the node, to make room",
    }
    found = [
        Metric(
            f"pghot_node_{name}_bytes_total",
            "counter",
            about,
            [
                Sample(stats[name] * PAGE, {"node": str(nid)})
                for nid, stats in module.nodes.items()
                if name in stats
            ],
        )
        for name, about in pages.items()
    ]
    reasons = [name for name in module.stats if name.startswith("refused_")]
    found.append(
        Metric(
            "pghot_refused_pages_total",
            "counter",
            "Hot pages that were not promoted, by reason",
            [
                Sample(stats[name], {"node": str(nid), "reason": name.removeprefix("refused_")})
                for nid, stats in module.nodes.items()
                for name in reasons
                if name in stats
            ],
        )
    )
    recorded = {name: value for name, value in module.stats.items() if name.startswith("recorded_")}
    found.append(
        Metric(
            "pghot_recorded_total",
            "counter",
            "Accesses that each source has reported",
            [
                Sample(value, {"source": name.removeprefix("recorded_")})
                for name, value in recorded.items()
                if name != "recorded_accesses"
            ],
        )
    )
    shown = {*pages, *reasons, *recorded, "promoted_bytes"}
    for stat, value in module.stats.items():
        if stat not in shown:
            name, divisor = _name(stat)
            about = f"Sum of pghot's counter {stat}, see pghot(4)"
            found.append(Metric(name, "counter", about, [Sample(value / divisor)]))
    found += [
        Metric(
            "pghot_source_on",
            "gauge",
            "Whether a source of hotness is on",
            [Sample(int(source.on), {"source": source.name}) for source in module.sources],
        ),
        Metric(
            "pghot_policy_auto",
            "gauge",
            "Whether the policy decides, and not the administrator",
            [Sample(int(module.policy == "auto"))],
        ),
        Metric("pghot_record_bytes", "gauge", "Bytes of records", [Sample(module.record_bytes)]),
        Metric(
            "pghot_tunable",
            "gauge",
            "Value of a tunable",
            [Sample(value, {"name": name}) for name, value in module.tunables.items()],
        ),
    ]
    if module.state:
        kinds = module.state.kinds
        found += [
            Metric(
                "pghot_policy_verdict",
                "gauge",
                "1 for what the policy does with hot pages of a kind",
                [Sample(1, {"kind": kind.name, "verdict": kind.verdict}) for kind in kinds],
            ),
            Metric(
                "pghot_access_seconds",
                "gauge",
                "What an access takes, as pghot has measured it",
                [
                    Sample(module.state.fast_ns / NS, {"memory": "fast"}),
                    Sample(module.state.slow_ns / NS, {"memory": "slow"}),
                ],
            ),
        ]
    return found


def make(machine: Machine) -> list[Metric]:
    """All metrics of a machine."""
    version = machine.module.version if machine.module else ""
    slow = {node.id for node in machine.slow}
    return [
        Metric(
            "pghot_build_info",
            "gauge",
            "1, with the versions of command and module as labels",
            [Sample(1, {"command": VERSION, "module": version})],
        ),
        Metric(
            "pghot_loaded", "gauge", "Whether the module is loaded", [Sample(int(bool(version)))]
        ),
        Metric(
            "pghot_node_slow",
            "gauge",
            "Whether pghot promotes from the node",
            [Sample(int(node.id in slow), {"node": str(node.id)}) for node in machine.nodes],
        ),
        *_module(machine),
    ]


def write(path: Path, text: str) -> None:
    """Replace a file in one piece, so that nobody reads half of it."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        half.write_text(text)
        half.chmod(0o644)
        half.replace(path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise PghotError(f"{path}: {error.strerror}") from None


def run(context: Context, args: Namespace) -> Iterator[Metrics]:
    """All figures once."""
    text = expose(make(read_machine(context.root)))
    if args.output:
        write(args.output, text)
    yield Metrics(text, str(args.output) if args.output else None)


def show(metrics: Metrics, screen: Screen) -> None:
    """As Prometheus reads it; nothing if it went to a file."""
    if metrics.file is None:
        screen.out.write(metrics.text)


VERB = Verb(
    name="metrics",
    summary="print figures for Prometheus",
    about=(
        "Prints all counters and settings in the text format of Prometheus. With --output a file "
        "is replaced in one piece, as the textfile collector of node_exporter needs it: the timer "
        "pghot-metrics.timer does this once in 15 seconds. Without the module, pghot_loaded is 0.",
    ),
    result=Metrics,
    run=run,
    show=show,
    options=(
        Option(
            ("-o", "--output"), "the file to write", metavar="FILE", type=Path, values=("FILE",)
        ),
    ),
    examples=(
        Example(
            "sudo pghot metrics -o /var/lib/prometheus/node-exporter/pghot.prom",
            "for node_exporter",
        ),
    ),
)
