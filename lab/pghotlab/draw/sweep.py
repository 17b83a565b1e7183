# SPDX-License-Identifier: GPL-2.0
"""How long a program takes with more or less of its memory on fast nodes."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from pghotlab.draw.picture import plot


def draw_sweep(by_share: Mapping[float, Mapping[str, float]], title: str, path: Path) -> None:
    """A line for each policy: its time in relation to fast memory alone.

    by_share: by share of fast memory in per cent, by policy.
    """
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    policies = list(dict.fromkeys(policy for found in by_share.values() for policy in found))
    lines = []
    for policy in policies:
        shares = [share for share in sorted(by_share) if policy in by_share[share]]
        lines.append((policy, (shares, [by_share[share][policy] for share in shares])))
    plot(axes, lines)
    for line in axes.get_lines():
        line.set_marker("o")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xlim(0, 100)
    axes.set_xlabel("fast memory, % of the memory that the program needs")
    axes.set_ylabel("time, in relation to fast memory alone")
    axes.set_title(title)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
