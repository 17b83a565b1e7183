# SPDX-License-Identifier: GPL-2.0
"""Pictures of a case's runs over guest time, small enough for a page of many; rows of one seed."""

from collections.abc import Sequence

from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from pghotlab.base.units import GIB, MIB
from pghotlab.draw.picture import Line, plot, plot_shares
from pghotlab.rows.overtime import points
from pghotlab.rows.summary import Row

WIDTH = 5.2
TIME = "guest time since the first access, s"
PAGE_MIB = 4096 / MIB
LEGEND_COLUMNS = 2


def _legend_height(rows: Sequence[Row]) -> float:
    return 0.21 * -(-len(rows) // LEGEND_COLUMNS)


def _finish(figure: Figure) -> Figure:
    axes = figure.axes[-1]
    axes.set_xlabel(TIME)
    figure.legend(
        *axes.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=LEGEND_COLUMNS,
        fontsize="small",
        frameon=False,
    )
    return figure


def fast_share(rows: Sequence[Row], name: str) -> Figure:
    """A share over time, fast_share or hot_share: a line for each run."""
    figure = Figure(figsize=(WIDTH, 3 + _legend_height(rows)), layout="constrained")
    axes = figure.subplots()
    plot_shares(axes, ((row["policy"], points(row["series"], name)) for row in rows))
    axes.set_ylabel("served by fast memory, %")
    return _finish(figure)


def promotions(rows: Sequence[Row]) -> Figure:
    """Pages promoted per second over time: a line for each run."""
    figure = Figure(figsize=(WIDTH, 3 + _legend_height(rows)), layout="constrained")
    axes = figure.subplots()
    lines = ((row["policy"], points(row["series"], "promoted_per_s")) for row in rows)
    plot(axes, ((name, (times, [n / 1000 for n in counts])) for name, (times, counts) in lines))
    axes.set_ylim(bottom=0)
    axes.set_ylabel("promotions, 1000 pages/s")
    return _finish(figure)


def kind(row: Row, node: int) -> str:
    """Whether it is a fast node."""
    return "fast" if node in row["fast_nodes"] else "slow"


def occupancy(rows: Sequence[Row]) -> Figure:
    """Memory in use over time: a panel for each node with a line for each run."""
    nodes = range(len(rows[0]["series"]["used_pages"]))
    height = 0.6 + 1.7 * len(nodes) + _legend_height(rows)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    panels = figure.subplots(len(nodes), sharex=True, sharey=True, squeeze=False)[:, 0]
    for node, axes in zip(nodes, panels, strict=True):
        lines: list[Line] = []
        for row in rows:
            used = row["series"]["used_pages"][node]
            step = row["series"]["used_interval_ns"] / 1e9
            times = [(i + 0.5) * step for i in range(len(used))]
            lines.append((row["policy"], (times, [pages * PAGE_MIB for pages in used])))
        plot(axes, lines)
        axes.set_ylabel("in use, MiB")
        axes.set_title(f"node {node}, {kind(rows[0], node)}", fontsize="medium")
    # They share it, and a limit is that of what was drawn until then.
    panels[0].set_ylim(bottom=0)
    return _finish(figure)


def hottest(rows: Sequence[Row]) -> int:
    """The highest number in the heat maps of the rows."""
    return max(
        (max(piece, default=0) for row in rows for node in row["heat"]["nodes"] for piece in node),
        default=0,
    )


def heat_map(row: Row, highest: int) -> Figure:
    """Uses by address (upwards, node after node) and time (to the right); colours to highest."""
    heat = row["heat"]
    columns = max(1, *(len(piece) for node in heat["nodes"] for piece in node))
    pieces = [piece or [0] * columns for node in heat["nodes"] for piece in node]
    figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
    axes = figure.subplots()
    gib = heat["piece_bytes"] / GIB
    image = axes.imshow(
        [[max(number, 1) for number in piece] for piece in pieces],
        norm=LogNorm(1, max(highest, 10)),
        cmap="inferno",
        aspect="auto",
        interpolation="nearest",
        origin="lower",
        extent=(0, columns * heat["interval_ns"] / 1e9, 0, len(pieces) * gib),
    )
    begin = 0.0
    for node, its in enumerate(heat["nodes"]):
        if node:
            axes.axhline(begin, color="white", linewidth=0.8)
        axes.text(
            *(0.99, begin + len(its) * gib / 2, f"node {node}, {kind(row, node)}"),
            transform=axes.get_yaxis_transform(),
            color="white",
            horizontalalignment="right",
            verticalalignment="center",
            fontsize="small",
            bbox={"facecolor": "black", "alpha": 0.6, "linewidth": 0, "pad": 2},
        )
        begin += len(its) * gib
    axes.set_xlabel(TIME)
    axes.set_ylabel("physical memory, GiB")
    figure.colorbar(image, label="uses in a millisecond")
    return figure
