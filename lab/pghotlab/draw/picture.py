# SPDX-License-Identifier: GPL-2.0
"""Pictures over guest time: of a comparison, and of the throttle at work."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pghotlab.rows.overtime import points
from pghotlab.rows.summary import Row

# Lines that lie on one another stay visible.
STYLES = ("-", "-", "-", "--", "-.")
COLOURS = 10


def _style(number: int) -> str:
    """Of the line with this number: dotted when the colours begin anew."""
    return STYLES[number % len(STYLES)] if number < COLOURS else ":"


Line = tuple[str, tuple[Sequence[float], Sequence[float]]]
"""A policy; times in s, and what was there."""


def plot(axes: Axes, lines: Iterable[Line]) -> None:
    """By policy: lines of one policy share a colour."""
    colours: dict[str, str] = {}
    for policy, (times, values) in lines:
        first = policy not in colours
        colour = colours.setdefault(policy, f"C{len(colours)}")
        axes.plot(
            times,
            values,
            color=colour,
            label=policy if first else None,
            linewidth=1.6,
            linestyle=_style(list(colours).index(policy)),
        )
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)


def plot_shares(axes: Axes, lines: Iterable[Line]) -> None:
    """The same of shares, in per cent."""
    plot(
        axes,
        ((policy, (times, [100 * part for part in parts])) for policy, (times, parts) in lines),
    )
    axes.set_ylim(-2, 102)


def draw_fast_share(rows: Sequence[Row], title: str, path: Path) -> None:
    """One line per run; runs of one policy share a colour."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    plot_shares(axes, ((row["policy"], points(row["series"], "fast_share")) for row in rows))
    axes.set_xlabel("guest time since the first access, s")
    axes.set_ylabel("accesses served by fast memory, %")
    axes.set_title(title)
    axes.legend()
    figure.savefig(path, dpi=120)


def draw_hot_share(cases: Mapping[str, Sequence[Row]], title: str, path: Path) -> None:
    """Of the accesses to the hot set, a panel for each case with one line per run."""
    figure = Figure(figsize=(9, 0.8 + 2.6 * len(cases)), layout="constrained")
    panels = figure.subplots(len(cases), squeeze=False)[:, 0]
    for axes, (name, rows) in zip(panels, cases.items(), strict=True):
        plot_shares(axes, ((row["policy"], points(row["series"], "hot_share")) for row in rows))
        axes.set_title(name)
        axes.set_ylabel("served fast, %")
    panels[-1].set_xlabel("guest time since the first access, s")
    figure.suptitle(title)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=120)


@dataclass(frozen=True)
class ThrottleLine:
    """A run under a rate limit: (start, MB/s) of its seconds, (start, ms) of its tuning periods."""

    label: str
    limit: int
    rates: Sequence[tuple[float, float]]
    thresholds: Sequence[tuple[float, float]]


def draw_throttle(lines: Sequence[ThrottleLine], path: Path) -> None:
    """Promotion rates above, hot thresholds below; limits are dotted."""
    figure = Figure(figsize=(9, 8), layout="constrained")
    above, below = figure.subplots(2, sharex=True)
    for number, line in enumerate(lines):
        colour, style = f"C{number}", STYLES[number % len(STYLES)]
        for axes, steps in ((above, line.rates), (below, line.thresholds)):
            if steps:
                axes.step(
                    *zip(*steps, strict=True),
                    where="post",
                    color=colour,
                    label=line.label,
                    linewidth=1.4,
                    linestyle=style,
                )
    for limit in sorted({line.limit for line in lines}):
        above.axhline(limit, color="black", linestyle=":", linewidth=0.8)
    above.set_ylabel("promoted, MB/s, in each second of the limit")
    below.set_ylabel("hot threshold, ms")
    below.set_xlabel("guest time, s")
    for axes in (above, below):
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=120)
