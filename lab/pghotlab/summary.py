# SPDX-License-Identifier: GPL-2.0
"""Rows and tables out of result files, and nothing else."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from pghotlab.policy import REFERENCE
from pghotlab.results import RunResult

Row = dict[str, Any]


def make_row(result: RunResult, reference_ns: int | None) -> Row:
    """One run as a row; reference_ns is the reference policy's time with the same seed."""
    region = result.region
    guest_ns = result.guest["guest_ns"]
    return {
        "policy": result.policy,
        "machine": result.machine["name"],
        "workload": result.workload,
        "workload_options": result.workload_options,
        "seed": result.seed,
        "guest_ns": guest_ns,
        "ratio_to_numab2": round(guest_ns / reference_ns, 4) if reference_ns else None,
        "fast_share": round(result.fast_share, 6),
        "pages_promoted": result.promoted,
        "promoted_in_fault": result.promoted_in_fault,
        "promoted_by_kmigrated": result.promoted_by_kmigrated,
        "pages_demoted": sum(
            count for name, count in result.guest["vmstat"].items() if name.startswith("pgdemote_")
        ),
        "hint_faults": result.guest["vmstat"].get("numa_hint_faults", 0),
        "kernel_instructions": region["insn_kernel"] + region["insn_module"],
        "insn_kernel": region["insn_kernel"],
        "insn_module": region["insn_module"],
        "insn_user": region["insn_user"],
        "stall_ns": region["stall_ns"],
        "queue_ns": region["queue_ns"],
        "host_seconds": result.host_seconds,
        "result": f"{result.name}.json",
    }


def make_rows(results: Iterable[RunResult]) -> list[Row]:
    """One row per run, ratios to the reference policy's run of the same seed."""
    results = list(results)
    reference = {
        result.seed: result.guest["guest_ns"] for result in results if result.policy == REFERENCE
    }
    return [make_row(result, reference.get(result.seed)) for result in results]


def _spread(values: Sequence[float]) -> float:
    """Half the range over the median."""
    middle = median(values)
    return (max(values) - min(values)) / 2 / middle if middle else 0.0


def whole(value: float) -> str:
    """A number without its fraction."""
    return f"{round(value):,}"


def _millions(value: float) -> str:
    return f"{value / 1e6:,.1f}"


def middle(rows: Sequence[Row], key: str) -> float:
    """The median of a number."""
    return float(median(row[key] for row in rows))


def _time(rows: Sequence[Row]) -> str:
    time = f"{middle(rows, 'guest_ns') / 1e9:.3f}"
    if len(rows) > 1:
        time += f" +-{_spread([row['guest_ns'] for row in rows]):.1%}"
    return time


def _ratio(rows: Sequence[Row]) -> str:
    known = all(row["ratio_to_numab2"] is not None for row in rows)
    return f"{middle(rows, 'ratio_to_numab2'):.3f}" if known else "-"


Column = Callable[[Sequence[Row]], str]
"""A cell out of the rows of one policy, one for each seed."""

TIME_COLUMNS: dict[str, Column] = {"guest time s": _time, "to NUMAB2": _ratio}
PROMOTED: dict[str, Column] = {"promoted": lambda rows: whole(middle(rows, "pages_promoted"))}
KERNEL: dict[str, Column] = {
    "kernel Minsn": lambda rows: _millions(middle(rows, "kernel_instructions"))
}
COLUMNS: dict[str, Column] = {
    **TIME_COLUMNS,
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
