# SPDX-License-Identifier: GPL-2.0
"""What a run did over time, in as few numbers as a picture needs: part of its row."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pghotlab.results import RunResult

POINTS = 100


def intervals_per_point(count: int) -> int:
    """How many neighbours become one, so that no more than POINTS points stay."""
    return -(-count // POINTS) or 1


def fast_shares(
    nodes: Sequence[Sequence[int]], fast: Iterable[int], step: int
) -> list[float | None]:
    """The fast nodes' share of the accesses, for `step` intervals at a time.

    nodes: for each node, its accesses per interval. None where there were none at all.
    """
    fast = list(fast)
    shares: list[float | None] = []
    for first in range(0, len(nodes[0]), step):
        counts = [sum(node[first : first + step]) for node in nodes]
        total = sum(counts)
        shares.append(round(sum(counts[n] for n in fast) / total, 4) if total else None)
    return shares


def points(series: Mapping[str, Any], name: str) -> tuple[list[float], list[float]]:
    """Guest seconds since the region's begin, and the value there, where there is one."""
    step = series["interval_ns"] / 1e9
    known = [((i + 0.5) * step, value) for i, value in enumerate(series[name]) if value is not None]
    return [time for time, _ in known], [value for _, value in known]


def series(result: RunResult) -> dict[str, Any]:
    """Of a run: interval_ns, and for each interval fast_share and hot_share, 0 to 1.

    hot_share is of the accesses to the hot set, or of all where there is none.
    """
    every, hot = result.accesses_over_time, result.hot_accesses_over_time
    step = intervals_per_point(len(every["nodes"][0]))
    fast = result.machine["fast_nodes"]
    return {
        "interval_ns": every["interval_ns"] * step,
        "fast_share": fast_shares(every["nodes"], fast, step),
        "hot_share": fast_shares(hot["nodes"], fast, step),
    }
