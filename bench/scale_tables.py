# SPDX-License-Identifier: GPL-2.0
"""The tables of docs/scale.md, and its picture, out of the rows of `make bench-scale`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.figure import Figure

from core_tables import Row, select

# What tells one case of the accessors from another.
CASE = ("mode", "order", "slow_nodes", "wait_ms", "rule", "run")
ORDERS = {"as they come": "accesses as they come", "by process": "process by process"}
WAITS = {4: "4 ms", 1000: "1 s"}
RULES = ("record", "process")
# Of which the table of scans shows the times, of those that were measured.
READY = (0, 1, 1000, 100000)


def _table(lines: Sequence[Sequence[str]]) -> str:
    heads, *body = lines
    every = [heads, ["---"] * len(heads), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in every)


def _one(rows: Sequence[Row], **where: object) -> Row:
    (row,) = select(rows, **where)
    return row


def _values(rows: Sequence[Row], key: str) -> list[Any]:
    return list(dict.fromkeys(row[key] for row in rows))


def own_share(row: Row) -> float:
    """Of private pages that were promoted, the part that went to their process's node."""
    return float(median(seed["own"] / (seed["own"] + seed["elsewhere"]) for seed in row["seeds"]))


def unevenness(row: Row, key: str) -> float:
    """Pages of the node with most of them, to those of the node with fewest."""
    return float(median(max(seed[key]) / min(seed[key]) for seed in row["seeds"]))


def accessors(rows: Sequence[Row]) -> str:
    """Default mode, one slow node: by the record alone, and with the process asked."""
    columns = [(order, wait) for order in ORDERS for wait in WAITS]
    lines = [["pages in a run", *(f"{ORDERS[order]}, {WAITS[wait]}" for order, wait in columns)]]
    for run in _values(rows, "run"):
        cells = []
        for order, wait in columns:
            where = {"order": order, "wait_ms": wait, "run": run, "mode": "default"}
            shares = [own_share(_one(rows, **where, slow_nodes=1, rule=rule)) for rule in RULES]
            cells.append(" / ".join(f"{share * 100:.1f}" for share in shares))
        lines.append([str(run), *cells])
    return _table(lines)


def shares(rows: Sequence[Row]) -> str:
    """ns for each call, us for a new second, and what cgroups get of what is their due."""
    lines = [
        [
            *("cgroups", "ask", "take", "settle", "ask, 64 limits"),
            *("new second, us", "after a minute, us", "least share", "largest share"),
        ]
    ]
    for groups in _values(rows, "groups"):

        def middle(what: str, limits: int = 0, of: int = groups) -> float:
            return float(median(_one(rows, what=what, groups=of, limits=limits)["values"]))

        fair = _one(rows, what="fairness", groups=groups)
        lines.append(
            [
                f"{groups:,}",
                *(f"{middle(what):.0f}" for what in ("ask", "take", "settle")),
                f"{middle('ask', 64):.0f}",
                *(f"{max(middle(what), 0) / 1000:.1f}" for what in ("second", "minute")),
                *(f"{fair[which]:.2f}" for which in ("least", "most")),
            ]
        )
    return _table(lines)


def batches(rows: Sequence[Row]) -> str:
    """Mean pages of a batch."""
    columns = [("by cgroup", 4), ("by node", 4), ("by node", 1)]
    names = [f"{rule}, {nodes} fast node{'s' * (nodes > 1)}" for rule, nodes in columns]
    lines = [["cgroups", "pages in a run", *names]]
    for groups in _values(rows, "groups"):
        for run in _values(rows, "run"):
            found = [
                _one(rows, rule=rule, nodes=nodes, groups=groups, run=run)["mean"]
                for rule, nodes in columns
            ]
            lines.append([str(groups), str(run), *(f"{mean:.1f}" for mean in found)])
    return _table(lines)


def _microseconds(row: Row) -> str:
    us = median(row["values"]) / 1000
    return f"{us:,.0f}" if us >= 10 else f"{us:.2f}"


def scans(rows: Sequence[Row]) -> str:
    """us for a scan, and MiB of records."""
    columns = [
        (mode, size) for mode in _values(rows, "mode") for size in _values(rows, "terabytes")
    ]
    lines = [["ready pages", *(f"{mode}, {size} TiB" for mode, size in columns)]]
    for ready in READY:
        for spread in (True, False):
            found = [
                list(
                    select(rows, what="scan", mode=mode, terabytes=size, ready=ready, spread=spread)
                )
                for mode, size in columns
            ]
            if all(found):
                place = " anywhere" if spread else " side by side"
                name = f"{ready:,}{place if ready > 1 else ''}"
                lines.append([name, *(_microseconds(row) for (row,) in found)])
    sizes = [_one(rows, what="bytes", mode=mode, terabytes=size) for mode, size in columns]
    lines.append(["MiB of records", *(f"{row['values'][0] / 2**20:,.0f}" for row in sizes)])
    return _table(lines)


def per(row: Row, kind: str, whole: str = "accesses") -> float:
    """Writes to a kind of cache line, for each access or each page that was taken."""
    return float(row[kind]["writes"] / row[whole])


def met(row: Row, kind: str, whole: str = "accesses") -> float:
    """Those of the writes that met one of another CPU, for another page."""
    return float(row[kind]["false"] / row[whole])


def lines(rows: Sequence[Row]) -> str:
    """Writes for each access (record, head) and each page taken (section, node)."""
    modes = _values(rows, "mode")
    kinds = [("record", "accesses"), ("head", "accesses"), ("section", "taken"), ("node", "taken")]
    heads = [f"{kind}, {mode}" for mode in modes for kind, _ in kinds[:2]]
    made = [["pages are", *heads, *(kind for kind, _ in kinds[2:])]]
    for waiting in (True, False):
        for spread in (False, True):
            for shared in (False, True):
                where = {"waiting": waiting, "spread": spread, "shared": shared}
                found = [_one(rows, mode=mode, **where) for mode in modes]
                cells = [
                    f"{per(row, kind, whole):.2f} ({met(row, kind, whole) * 100:.1f} %)"
                    for row in found
                    for kind, whole in kinds[:2]
                ] + [
                    "-"
                    if waiting
                    else f"{per(found[0], kind, whole):.2f} "
                    f"({met(found[0], kind, whole) * 100:.1f} %)"
                    for kind, whole in kinds[2:]
                ]
                name = ", ".join(
                    (
                        "waiting" if waiting else "taken",
                        "spread" if spread else "side by side",
                        "of all nodes" if shared else "of one node",
                    )
                )
                made.append([name, *cells])
    return _table(made)


MAKERS: dict[str, Callable[[Sequence[Row]], str]] = {
    "accessors": accessors,
    "shares": shares,
    "batches": batches,
    "scans": scans,
    "lines": lines,
}


def draw(rows: Sequence[Row], path: Path) -> None:
    """Private pages on the node of their process, by the length of runs."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    for axes, (order, title) in zip(figure.subplots(1, 2), ORDERS.items(), strict=True):
        for number, (wait, name) in enumerate(WAITS.items()):
            for rule in RULES:
                mine = list(
                    select(rows, mode="default", order=order, slow_nodes=1, wait_ms=wait, rule=rule)
                )
                axes.plot(
                    [row["run"] for row in mine],
                    [own_share(row) * 100 for row in mine],
                    color=f"C{number}",
                    linestyle="-" if rule == "process" else ":",
                    marker=".",
                    label=f"after {name}, by {'record' if rule == 'record' else 'process'}",
                )
        axes.axhline(25, color="k", linewidth=1, linestyle="--", label="chance")
        axes.set_xscale("log", base=2)
        axes.set_ylim(0, 103)
        axes.set_xlabel("mean run of a process's pages in physical memory")
        axes.set_ylabel("on the node of their process, %")
        axes.set_title(title)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
