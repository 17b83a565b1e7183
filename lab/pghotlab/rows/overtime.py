# SPDX-License-Identifier: GPL-2.0
"""What a run did over time, in as few numbers as a picture needs: part of its row."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from pghotlab.measure.results import RunResult

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


def per_time(counts: Sequence[int], interval: int, end: int, unit: int) -> list[int]:
    """Counts of intervals as rates; the last one goes no further than the end. Times in ns."""
    lengths = [min(interval, max(1, end - i * interval)) for i in range(len(counts))]
    return [round(count * unit / length) for count, length in zip(counts, lengths, strict=True)]


def promotions(result: RunResult) -> list[int]:
    """Pages that the kernel copied from slow nodes to fast ones, per interval of the copies.

    Nearly all are promotions. What else is copied so, as after a fork, counts too, and a copy
    that an interrupt came into may be missing.
    """
    return [sum(counts) for counts in zip_longest(*result.copies_to_fast, fillvalue=0)]


def frames_in_use(used: Mapping[str, Any], end: int) -> tuple[int, list[list[int]]]:
    """Interval, and for each node the frames that were used in it; the mean over neighbours.

    An interval that the end cuts off has seen fewer than a whole one, and is left out unless
    there is no other.
    """
    whole = max(1, end // int(used["interval_ns"]))
    step = intervals_per_point(whole)
    pieces = [slice(first, min(first + step, whole)) for first in range(0, whole, step)]
    return used["interval_ns"] * step, [
        [round(sum(node[piece]) / (piece.stop - piece.start)) for piece in pieces]
        for node in used["nodes"]
    ]


def last_half_ns(result: RunResult) -> int | None:
    """Guest ns from where half of the region's accesses were served to the region's end.

    The accesses are those to the hot set that memory served, on any node, or the workload's where
    it names no hot set; None without any. Within an interval they are taken as evenly spread; an
    interval that the region's end cuts off ends there.
    """
    hot, end = result.hot_accesses_over_time, int(result.region["guest_ns"])
    step = int(hot["interval_ns"])
    counts: list[int] = [sum(nodes) for nodes in zip(*hot["nodes"], strict=True)]
    left = sum(counts) / 2
    for interval, count in enumerate(counts):
        if count and count >= left:
            begin = interval * step
            return round(end - begin - min(step, end - begin) * left / count)
        left -= count
    return None


def heat(result: RunResult) -> dict[str, Any]:
    """Which memory was used when: for each node and piece of it, uses in a millisecond.

    One number for each interval, in order; none for a piece where all would be 0.
    """
    region = result.region
    counted = region["heat"]
    rates = [
        [per_time(piece, counted["interval_ns"], region["guest_ns"], 10**6) for piece in node]
        for node in counted["nodes"]
    ]
    return {
        "interval_ns": counted["interval_ns"],
        "piece_bytes": counted["piece_bytes"],
        "nodes": [[piece if any(piece) else [] for piece in node] for node in rates],
    }


def points(series: Mapping[str, Any], name: str) -> tuple[list[float], list[float]]:
    """Guest seconds since the region's begin, and the value there, where there is one."""
    step = series["interval_ns"] / 1e9
    known = [((i + 0.5) * step, value) for i, value in enumerate(series[name]) if value is not None]
    return [time for time, _ in known], [value for _, value in known]


def series(result: RunResult) -> dict[str, Any]:
    """Of a run: interval_ns, and for each interval fast_share and hot_share, 0 to 1.

    hot_share is of the accesses to the hot set, or of all where there is none. Also
    promoted_per_s, pages copied from slow nodes to fast ones; and used_pages, for each node the
    frames of 4 KiB that were used in each interval of used_interval_ns.
    """
    region = result.region
    every, hot = result.accesses_over_time, result.hot_accesses_over_time
    step = intervals_per_point(len(every["nodes"][0]))
    fast = result.machine["fast_nodes"]
    interval, count = every["interval_ns"] * step, len(every["nodes"][0])
    promoted = promotions(result)
    used_interval, used = frames_in_use(region["used"], region["guest_ns"])
    return {
        "interval_ns": interval,
        "fast_share": fast_shares(every["nodes"], fast, step),
        "hot_share": fast_shares(hot["nodes"], fast, step),
        "promoted_per_s": per_time(
            [sum(promoted[first : first + step]) for first in range(0, count, step)],
            interval,
            region["guest_ns"],
            10**9,
        ),
        "used_interval_ns": used_interval,
        "used_pages": used,
    }
