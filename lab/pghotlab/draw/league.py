# SPDX-License-Identifier: GPL-2.0
"""The league as a picture: a line for each case, with a mark for each peer."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

MARKERS = "osD^v"
# Of the parts of a run, the first is filled.
FILLED = ("full", "none")
# A speed of 0.5 or of 2 is always in the picture.
WIDEST = 2.0


def draw_league(
    marks: Mapping[str, Mapping[str, Mapping[str, float]]],
    peers: Sequence[str],
    spans: Sequence[str],
    title: str,
    path: Path,
) -> None:
    """Speeds to peers, to the right where pghot is faster.

    marks: by case, by part of the run, by peer. peers and spans: all that there are, in order.
    """
    figure = Figure(figsize=(9, 1.8 + 0.32 * len(marks)), layout="constrained")
    axes = figure.subplots()
    farthest = WIDEST
    for height, parts in enumerate(marks.values()):
        for span, fill in zip(spans, FILLED, strict=False):
            for number, peer in enumerate(peers):
                speed = parts.get(span, {}).get(peer)
                if speed is None:
                    continue
                farthest = max(farthest, speed, 1 / speed)
                axes.plot(
                    *(speed, height),
                    color=f"C{number}",
                    marker=MARKERS[number % len(MARKERS)],
                    fillstyle=fill,
                    linestyle="none",
                )
    for number, peer in enumerate(peers):
        for span, fill in zip(spans, FILLED, strict=False):
            axes.plot(
                *([], []),
                color=f"C{number}",
                marker=MARKERS[number % len(MARKERS)],
                fillstyle=fill,
                linestyle="none",
                label=f"to {peer}" if len(spans) == 1 else f"to {peer}, {span}",
            )
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlim(1 / farthest / 1.05, farthest * 1.05)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    ticks = [
        tick for tick in (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4) if 1 / farthest <= tick <= farthest
    ]
    axes.set_xticks(ticks)
    axes.set_yticks(range(len(marks)), list(marks))
    axes.set_ylim(len(marks) - 0.5, -0.5)
    axes.grid(alpha=0.3)
    axes.set_xlabel("pghot's speed to that of the peer; to the right of 1 it is faster")
    axes.set_title(title)
    figure.legend(loc="outside lower center", ncols=len(peers))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
