# SPDX-License-Identifier: GPL-2.0
"""What a run did for its hot set: how soon fast nodes served it, and what moved in vain."""

import math
from statistics import median
from typing import Any

from pghotlab.measure.results import RunResult

# Bins of the census below 64 accesses: 0, 1, 2-3, ..., 32-63. Promoting a page moves 64 lines.
BINS_BELOW_A_PAGE = 7
SETTLED_SHARE = 0.9
WINDOW_NS = 50_000_000


def wasted_promotions(result: RunResult) -> int | None:
    """Pages that did not pay for their own promotion.

    None if not all was put on slow memory, or no census was taken.

    These are on a fast node at the end, and memory served less than 64 accesses to the frame
    there, kernel stores (the promotion's own among them) left out: the promotion moved 64
    lines. A page that was promoted at the very end is one of them, whatever might have come.
    """
    all_slow = result.provision == "slow" and result.workload_options.get("bind", "all") == "all"
    if not all_slow or not result.census:
        return None
    fast = (result.census[node] for node in result.machine["fast_nodes"])
    return sum(sum(node["served"][:BINS_BELOW_A_PAGE]) for node in fast)


def _settled_ns(hot: dict[str, Any], fast: list[int], begin: int, end: int | None) -> float:
    """Of one phase; its end is None if it is the region's."""
    step = hot["interval_ns"]
    first = -(-begin // step)
    rows = list(zip(*hot["nodes"], strict=True))[first : None if end is None else end // step]
    width = WINDOW_NS // step
    settled = math.inf
    for i in reversed(range(max(1, len(rows) - width + 1))):
        window = rows[i : i + width]
        accesses = sum(map(sum, window))
        if sum(row[node] for row in window for node in fast) < SETTLED_SHARE * accesses:
            break
        if accesses:
            settled = (first + i + 1) * step - begin
    return settled


def ns_to_90_percent_fast(result: RunResult) -> int | None:
    """Guest ns until fast nodes serve 90 % of the accesses to the hot set; None: never.

    From where the hot set is new (the region's begin, and each of its moves) to the end of
    the first interval (10 ms) from which on that holds until it moves again: in each window
    of 50 ms that begins there or later, so that noise does not decide. The median over all
    places of the hot set, where never counts as infinite.

    Where system calls make the accesses, all of them count: see RunResult. So they do where
    the workload has no hot set.
    """
    hot = result.hot_accesses_over_time
    moves = hot.get("moves_ns", [0])
    ends = [*moves[1:], None]
    fast = result.machine["fast_nodes"]
    middle = median(_settled_ns(hot, fast, *phase) for phase in zip(moves, ends, strict=True))
    return None if math.isinf(middle) else round(middle)
