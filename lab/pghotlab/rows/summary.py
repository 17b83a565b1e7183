# SPDX-License-Identifier: GPL-2.0
"""Rows out of result files, what they are to one another, and tables of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from pghotlab.base.units import KIB, MIB
from pghotlab.measure.policy import BOUND, REFERENCE, sources
from pghotlab.measure.results import RunResult, fingerprint
from pghotlab.rows.hotset import ns_to_90_percent_fast, wasted_promotions
from pghotlab.rows.overtime import heat, last_half_ns, series

Row = dict[str, Any]


@dataclass(frozen=True)
class Score:
    """By what the runs of a table are compared.

    key: of the workload's output; name: the column's, with its unit; more_is_better: whether
    it is a rate, else it is a time.
    """

    key: str
    name: str
    more_is_better: bool
    unit: float = 1
    """What of it the column shows one of."""


TIME = Score("guest_ns", "guest time s", more_is_better=False, unit=1e9)


def measured(result: RunResult) -> dict[str, float]:
    """The single numbers that a workload printed, but its time, and the rate of promotion.

    promoted_mbps: MiB a second, as the kernel's rate limit counts.
    """
    seconds = result.guest["guest_ns"] / 1e9
    return {
        name: value
        for name, value in result.guest.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and name != TIME.key
    } | {"promoted_mbps": round(result.promoted * 4 * KIB / MIB / seconds, 1)}


def make_row(result: RunResult) -> Row:
    """One run as a row, without what other runs are needed for."""
    region = result.region
    return {
        "policy": result.policy,
        "provision": result.provision,
        "settings": result.settings,
        "machine": result.machine["name"],
        "fast_nodes": result.machine["fast_nodes"],
        "workload": result.workload,
        "workload_options": result.workload_options,
        "seed": result.seed,
        "guest_ns": result.guest["guest_ns"],
        "last_half_ns": last_half_ns(result),
        "measured": measured(result),
        "fast_share": round(result.fast_share, 6),
        "pages_promoted": result.promoted,
        "promoted_in_fault": result.promoted_in_fault,
        "promoted_by_kmigrated": result.promoted_by_kmigrated,
        "pages_demoted": sum(
            count for name, count in result.guest["vmstat"].items() if name.startswith("pgdemote_")
        ),
        "hint_faults": result.guest["vmstat"].get("numa_hint_faults", 0),
        "pte_updates": result.guest["vmstat"].get("numa_pte_updates", 0),
        "kernel_instructions": region["insn_kernel"] + region["insn_module"],
        "insn_kernel": region["insn_kernel"],
        "insn_module": region["insn_module"],
        "insn_user": region["insn_user"],
        "stall_ns": region["stall_ns"],
        "queue_ns": region["queue_ns"],
        "host_seconds": result.host_seconds,
        "result": f"{result.name}.json",
        "source": sources(result.settings["pghot"]),
        "wasted_promotions": wasted_promotions(result),
        "ns_to_90_percent_fast": ns_to_90_percent_fast(result),
        "latency": region.get("latency"),
        "kernel": result.kernel,
        "identity": fingerprint(vars(result)),
        "series": series(result),
        "heat": heat(result),
    }


def _ratio(value: float | None, other: float | None) -> float | None:
    return round(value / other, 4) if value is not None and other else None


def _score(row: Row, score: Score) -> float:
    if score.key == TIME.key:
        return float(row[TIME.key])
    return float(row["measured"][score.key])


def compare_rows(
    rows: Iterable[Row],
    score: Score = TIME,
    bound: str = BOUND,
    published: Mapping[str, float] | None = None,
) -> list[Row]:
    """The rows of one machine and workload with their score, and what it is to others'.

    To the reference policy's and the bound's run of the same seed, each None if there is none;
    to the published score of the same policy, and that to the reference policy's. Rows that an
    earlier version of the lab made have no last half.
    """
    rows = list(rows)
    published = published or {}

    def of(policy: str, value: Callable[[Row], float | None]) -> dict[int, float | None]:
        return {row["seed"]: value(row) for row in rows if row["policy"] == policy}

    times = of(REFERENCE, lambda row: row[TIME.key])
    halves = of(REFERENCE, lambda row: row.get("last_half_ns"))
    reference, bounds = (of(name, lambda row: _score(row, score)) for name in (REFERENCE, bound))
    compared = []
    for row in rows:
        value, theirs = _score(row, score), published.get(row["policy"])
        compared.append(
            {
                **row,
                "ratio_to_numab2": _ratio(row[TIME.key], times.get(row["seed"])),
                "last_half_to_numab2": _ratio(row.get("last_half_ns"), halves.get(row["seed"])),
                "score": value / score.unit,
                "score_to_numab2": _ratio(value, reference.get(row["seed"])),
                "score_to_bound": _ratio(value, bounds.get(row["seed"])),
                "published": theirs,
                "published_to_numab2": theirs and _ratio(theirs, published.get(REFERENCE)),
            }
        )
    return compared


def whole_rows(rows: Iterable[Row]) -> list[Row]:
    """Of a case's rows those of the seeds that all policies that have rows have one of.

    A policy that came to the recipe after the table was made has none.
    """
    rows = list(rows)
    policies = {row["policy"] for row in rows}
    found: dict[int, set[str]] = {}
    for row in rows:
        found.setdefault(row["seed"], set()).add(row["policy"])
    return [row for row in rows if found[row["seed"]] == policies]


def spread(values: Sequence[float]) -> float:
    """Half the range over the median."""
    middle = median(values)
    return (max(values) - min(values)) / 2 / middle if middle else 0.0


def whole(value: float) -> str:
    """A number without its fraction."""
    return f"{round(value):,}"


def figures(value: float) -> str:
    """A number in four figures, or all before the point."""
    return whole(value) if value >= 1000 else f"{value:.4g}"


def middle(rows: Sequence[Row], key: str) -> float:
    """The median of a number."""
    return float(median(row[key] for row in rows))


def last_half_cell(rows: Sequence[Row]) -> str:
    """The median of the last halves' seconds; rows of an earlier version have none."""
    known = [ns for row in rows if (ns := row.get("last_half_ns")) is not None]
    return f"{median(known) / 1e9:.3f}" if len(known) == len(rows) else "-"


def _millions(value: float) -> str:
    return f"{value / 1e6:,.1f}"


def _with_spread(text: str, values: Sequence[float]) -> str:
    return f"{text} +-{spread(values):.1%}" if len(values) > 1 else text


def _time(rows: Sequence[Row]) -> str:
    return _with_spread(f"{middle(rows, 'guest_ns') / 1e9:.3f}", [row["guest_ns"] for row in rows])


def score_cell(rows: Sequence[Row]) -> str:
    """The median of the scores, and their spread."""
    return _with_spread(figures(middle(rows, "score")), [row["score"] for row in rows])


Column = Callable[[Sequence[Row]], str]
"""A cell out of the rows of one policy, one for each seed."""


def ratio_column(key: str) -> Column:
    """The median of a ratio that rows may not have."""

    def cell(rows: Sequence[Row]) -> str:
        known = all(row.get(key) is not None for row in rows)
        return f"{middle(rows, key):.3f}" if known else "-"

    return cell


TIME_COLUMN: dict[str, Column] = {TIME.name: _time}
PROMOTED: dict[str, Column] = {"promoted": lambda rows: whole(middle(rows, "pages_promoted"))}
KERNEL: dict[str, Column] = {
    "kernel Minsn": lambda rows: _millions(middle(rows, "kernel_instructions"))
}
COLUMNS: dict[str, Column] = {
    **TIME_COLUMN,
    "to NUMAB2": ratio_column("ratio_to_numab2"),
    "fast share": lambda rows: f"{middle(rows, 'fast_share'):.1%}",
    **PROMOTED,
    "in fault": lambda rows: whole(middle(rows, "promoted_in_fault")),
    "kmigrated": lambda rows: whole(middle(rows, "promoted_by_kmigrated")),
    **KERNEL,
}


def table(rows: Sequence[Row], columns: Mapping[str, Column] = COLUMNS) -> list[tuple[str, ...]]:
    """Header and one line per policy; several seeds give median and spread."""
    lines: list[tuple[str, ...]] = [("policy", *columns)]
    for policy in dict.fromkeys(row["policy"] for row in rows):
        mine = [row for row in rows if row["policy"] == policy]
        lines.append((policy, *(column(mine) for column in columns.values())))
    return lines


def format_table(lines: Sequence[Sequence[str]]) -> str:
    """Columns lined up: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    out = []
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        out.append("  ".join(cells).rstrip())
    out.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(out)
