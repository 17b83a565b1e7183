# SPDX-License-Identifier: GPL-2.0
"""The picture of a comparison: share of accesses served from fast memory over guest time."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from pghotlab.results import RunResult

POINTS = 200
# Lines that lie on one another stay visible.
STYLES = ("-", "-", "-", "--", "-.")


def thin(times: Sequence[float], shares: Sequence[float]) -> tuple[list[float], list[float]]:
    """Mean over neighbours, so that no more than POINTS points stay."""
    step = -(-len(times) // POINTS) or 1
    pieces = [slice(i, i + step) for i in range(0, len(times), step)]
    return (
        [sum(times[piece]) / len(times[piece]) for piece in pieces],
        [sum(shares[piece]) / len(shares[piece]) for piece in pieces],
    )


def draw_fast_share(results: Sequence[RunResult], title: str, path: Path) -> None:
    """One line per run; runs of one policy share a colour."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    colours: dict[str, str] = {}
    for result in results:
        first = result.policy not in colours
        colour = colours.setdefault(result.policy, f"C{len(colours)}")
        times, shares = thin(*result.fast_share_over_time())
        axes.plot(
            times,
            [100 * share for share in shares],
            color=colour,
            label=result.policy if first else None,
            linewidth=1.6,
            linestyle=STYLES[list(colours).index(result.policy) % len(STYLES)],
        )
    axes.set_xlabel("guest time since the first access, s")
    axes.set_ylabel("accesses served by fast memory, %")
    axes.set_ylim(-2, 102)
    axes.set_xlim(left=0)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)
