# SPDX-License-Identifier: GPL-2.0
"""Tables, summary and picture out of the rows of `make bench-core`, and nothing else.

A row: what was measured, where (mode, terabytes, ...), and one value for each repeat.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pghotlab.rows.summary import format_table

Row = dict[str, Any]

GOAL_INSTRUCTIONS = 60
READY_WORDS = 128
# Of a record, the figure that stands for all: pages anywhere in the largest map.
PATTERN = "random"

# Instructions, each with what it adds to the one before.
KINDS = {
    "off": "call, checks and return: source is off",
    "elsewhere": "... count, RCU, find section: not slow memory",
    "record_first": "... look at page, first access to it",
    "record_again": "... one more in the window",
    "record_ready": "... that makes it ready",
    "record_more": "... one more, ready already",
    "clock": "beside these: reading the clock",
}
PATTERNS = {
    "random": "any page",
    "hot": "4096 hot pages",
    "ready": "4096 ready pages",
    "aged": "any page, line to be aged",
}
AGEING = {"none": "no records", "kept": "64 records, all kept", "expired": "64 records, none kept"}


def _middle(row: Row) -> float:
    return float(median(row["values"]))


def select(rows: Sequence[Row], **where: object) -> Iterator[Row]:
    """The rows that have these values."""
    for row in rows:
        if all(row.get(key) == value for key, value in where.items()):
            yield row


def _one(rows: Sequence[Row], **where: object) -> float:
    (row,) = select(rows, **where)
    return _middle(row)


def _modes(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["mode"] for row in rows))


def _sizes(rows: Sequence[Row]) -> list[int]:
    return sorted({row["terabytes"] for row in rows if row.get("terabytes")})


def _instructions(rows: Sequence[Row], mode: str) -> dict[str, float]:
    return {row["kind"]: _middle(row) for row in select(rows, what="instructions", mode=mode)}


def _scans(rows: Sequence[Row], *, spread: bool) -> list[Row]:
    return [
        {key: row[key] for key in ("mode", "terabytes", "ready")} | {"ns": _middle(row)}
        for row in select(rows, what="scan", spread=spread)
    ]


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Medians: record_instructions, record_ns, scan_ns, bytes_per_terabyte, then details."""
    modes, largest = _modes(rows), _sizes(rows)[-1]
    instructions = {mode: _instructions(rows, mode) for mode in modes}
    return {
        # The dearer of what most accesses are: a page's first, and another one.
        "record_instructions": {
            mode: round(max(by_kind["record_first"], by_kind["record_again"]))
            for mode, by_kind in instructions.items()
        },
        "record_instructions_goal": GOAL_INSTRUCTIONS,
        "record_ns": {
            mode: {
                str(row["threads"]): _middle(row)
                for row in select(
                    rows, what="record", mode=mode, terabytes=largest, pattern=PATTERN
                )
            }
            for mode in modes
        },
        "scan_ns": _scans(rows, spread=True),
        "bytes_per_terabyte": {
            mode: round(_one(rows, what="bytes", mode=mode, terabytes=largest) / largest)
            for mode in modes
        },
        "bytes_of_empty_map": {
            mode: round(_one(rows, what="bytes_empty", mode=mode, terabytes=largest))
            for mode in modes
        },
        "instructions": instructions,
        "record_patterns_ns": [
            {key: row[key] for key in ("mode", "terabytes", "pattern", "threads")}
            | {"ns": _middle(row), "min": min(row["values"]), "max": max(row["values"])}
            for row in select(rows, what="record")
        ],
        "age_line_ns": [
            {key: row[key] for key in ("mode", "terabytes", "records")} | {"ns": _middle(row)}
            for row in select(rows, what="age")
        ],
        "scan_clustered_ns": _scans(rows, spread=False),
    }


def _spread(values: Sequence[float], scale: float = 1) -> str:
    middle, low, high = (scale * value for value in (median(values), min(values), max(values)))
    digits = 0 if middle >= 100 else 1 if middle >= 10 else 2
    return f"{middle:,.{digits}f} ({low:,.{digits}f}-{high:,.{digits}f})"


def _columns(rows: Sequence[Row]) -> list[tuple[str, int]]:
    return [(mode, size) for mode in _modes(rows) for size in _sizes(rows)]


def _table(
    rows: Sequence[Row], title: str, lines: Sequence[tuple[str, dict[str, object], float]]
) -> str:
    """Median (lowest-highest) for each mode and size; lines: text, which rows, scale."""
    table = [(title, *(f"{mode}, {size} TB" for mode, size in _columns(rows)))]
    for name, where, scale in lines:
        cells = []
        for mode, size in _columns(rows):
            (row,) = select(rows, mode=mode, terabytes=size, **where)
            cells.append(_spread(row["values"], scale))
        table.append((name, *cells))
    return format_table(table)


def _instruction_table(rows: Sequence[Row]) -> str:
    modes = _modes(rows)
    by_mode = [_instructions(rows, mode) for mode in modes]
    table: list[tuple[str, ...]] = [("instructions of a record", *modes, "goal")]
    for kind, name in KINDS.items():
        goal = str(GOAL_INSTRUCTIONS) if kind.startswith("record_") else ""
        table.append((name, *(f"{by_kind[kind]:.0f}" for by_kind in by_mode), goal))
    return format_table(table)


def _memory_table(rows: Sequence[Row]) -> str:
    table: list[tuple[str, ...]] = [("memory", "bytes per TB", "MiB per TB", "of the memory")]
    for mode, size in summary(rows)["bytes_per_terabyte"].items():
        table.append((mode, f"{size:,}", f"{size / 2**20:.1f}", f"{size / 2**40:.4%}"))
    return format_table(table)


def text(rows: Sequence[Row]) -> str:
    """All tables, the goals beside what was measured."""
    ready = sorted({row["ready"] for row in select(rows, what="scan")} - {0})
    where: dict[str, object]
    records: list[tuple[str, dict[str, object], float]] = []
    for row in select(rows, what="record", mode=_modes(rows)[0], terabytes=_sizes(rows)[0]):
        where = {"what": "record", "pattern": row["pattern"], "threads": row["threads"]}
        threads = f", {row['threads']} threads" if row["threads"] > 1 else ""
        records.append((f"{PATTERNS[row['pattern']]}{threads}", where, 1))
    ageing: list[tuple[str, dict[str, object], float]] = [
        (name, {"what": "age", "records": records}, 1) for records, name in AGEING.items()
    ]
    scans: list[tuple[str, dict[str, object], float]] = [
        ("nothing ready", {"what": "scan", "ready": 0}, 1e-3)
    ]
    for spread in (True, False):
        for count in ready:
            where = {"what": "scan", "ready": count, "spread": spread}
            scans.append((f"{count:,} {'anywhere' if spread else 'side by side'}", where, 1e-3))
    each: list[tuple[str, dict[str, object], float]] = [
        (name, where, 1 / count)
        for name, where, _ in scans[1:]
        if isinstance(count := where["ready"], int)
    ]
    goal = (
        f"goal: with nothing ready, {READY_WORDS} words are read whatever the size, if kmigrated "
        "looks at all: it sleeps then. Else in proportion to what is ready:"
    )
    return "\n\n".join(
        (
            _instruction_table(rows),
            _table(rows, "ns per record and thread", records),
            _table(rows, "ns for ageing a line of 64", ageing),
            _table(rows, "us per scan", scans),
            f"{goal}\n{_table(rows, 'ns per ready page', each)}",
            _memory_table(rows),
        )
    )


def _draw_instructions(axes: Axes, rows: Sequence[Row]) -> None:
    kinds = ("record_first", "record_again", "record_ready", "record_more")
    modes = _modes(rows)
    for number, mode in enumerate(modes):
        by_kind = _instructions(rows, mode)
        places = [place + 0.4 * number for place in range(len(kinds))]
        bars = axes.bar(places, [by_kind[kind] for kind in kinds], 0.38, label=mode)
        axes.bar_label(bars, fmt="{:.0f}", fontsize=8)
    axes.axhline(GOAL_INSTRUCTIONS, color="k", linestyle="--", linewidth=1, label="goal")
    axes.set_xticks(
        [place + 0.2 * (len(modes) - 1) for place in range(len(kinds))],
        ["first", "again", "makes ready", "ready already"],
    )
    axes.set_ylabel("instructions (guest, exact)")
    axes.set_title("recording one access")


def _draw_records(axes: Axes, rows: Sequence[Row]) -> None:
    columns = _columns(rows)
    for number, (mode, size) in enumerate(columns):
        mine = list(select(rows, what="record", mode=mode, terabytes=size, threads=1))
        order = [next(row for row in mine if row["pattern"] == name) for name in PATTERNS]
        width = 0.8 / len(columns)
        places = [place + number * width for place in range(len(order))]
        axes.bar(places, [_middle(row) for row in order], 0.95 * width, label=f"{mode}, {size} TB")
    axes.set_xticks([place + 0.3 for place in range(len(PATTERNS))], list(PATTERNS))
    axes.set_ylabel("ns per record, one thread (host)")
    axes.set_title("recording, by what is recorded")


def _draw_scans(axes: Axes, rows: Sequence[Row]) -> None:
    for number, (mode, size) in enumerate(_columns(rows)):
        for spread in (True, False):
            mine = list(select(rows, what="scan", mode=mode, terabytes=size, spread=spread))
            axes.plot(
                [row["ready"] for row in mine],
                [_middle(row) / 1e3 for row in mine],
                color=f"C{number}",
                linestyle="-" if spread else ":",
                marker=".",
                label=f"{mode}, {size} TB" if spread else None,
            )
    axes.plot([], [], "k:", label="side by side")
    axes.set_xscale("symlog", linthresh=100)
    axes.set_yscale("log")
    axes.set_xlabel("ready pages")
    axes.set_ylabel("us per scan (host)")
    axes.set_title("scanning")


def draw(rows: Sequence[Row], path: Path) -> None:
    """Instructions, time of a record, time of a scan."""
    figure = Figure(figsize=(15, 4.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _draw_instructions(left, rows)
    _draw_records(middle, rows)
    _draw_scans(right, rows)
    for axes in (left, middle, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
