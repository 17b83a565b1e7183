# SPDX-License-Identifier: GPL-2.0
"""How soon the hot set is on fast nodes, and what moved in vain, from series made by hand."""

from collections.abc import Sequence

import pytest

from handmade import result
from pghotlab.measure.results import RunResult, check_result
from pghotlab.rows.hotset import ns_to_90_percent_fast, wasted_promotions

MS = 1_000_000


def run(shares: Sequence[int], moves_ms: Sequence[float] = (0,)) -> RunResult:
    """A run whose intervals of 10 ms had these shares in percent, of 100 hot accesses each."""
    hot = {
        "interval_ns": 10 * MS,
        "t0_ns": 5,
        "nodes": [list(shares), [100 - share for share in shares]],
        "moves_ns": [round(ms * MS) for ms in moves_ms],
    }
    data = result()
    data["region"]["hot"] = hot
    return check_result(data)


def test_wasted() -> None:
    assert wasted_promotions(check_result(result())) == 130
    assert wasted_promotions(check_result(result(provision="fast"))) is None
    assert wasted_promotions(check_result(result(census=[]))) is None
    free = result(workload_options={"bind": "none"})
    assert wasted_promotions(check_result(free)) is None


@pytest.mark.parametrize(
    ("shares", "ms"),
    [
        ([100] * 10, 10),
        ([0] * 10, None),
        ([0] * 10 + [100] * 10, 110),
        # Never for long.
        ([100] * 10 + [0] * 10, None),
        # The last interval of slow accesses is outvoted in its windows, the one before not.
        ([0, 0, 60] + [100] * 10, 30),
        ([0, 0, 40] + [100] * 10, 40),
        ([0] * 5 + [96, 86] * 10, 60),
        ([85] * 30, None),
        # Shorter than a window.
        ([90, 90], 10),
        ([0, 100], None),
    ],
)
def test_settles(shares: list[int], ms: int | None) -> None:
    assert ns_to_90_percent_fast(run(shares)) == (None if ms is None else ms * MS)


def test_intervals_without_accesses_say_nothing() -> None:
    made = run([0] * 10 + [100] * 10)
    for i in (0, 1, 12, 13, 19):
        for row in made.region["hot"]["nodes"]:
            row[i] = 0
    assert ns_to_90_percent_fast(made) == 110 * MS
    for row in made.region["hot"]["nodes"]:
        row[:] = [0] * 20
    assert ns_to_90_percent_fast(made) is None
    for row in made.region["hot"]["nodes"]:
        row.clear()
    assert ns_to_90_percent_fast(made) is None


def test_the_median_over_moves() -> None:
    phases = [[0] * n + [100] * (20 - n) for n in (10, 2, 7)]
    shares = [share for phase in phases for share in phase]
    assert ns_to_90_percent_fast(run(shares, [0, 200, 400])) == 80 * MS
    # An interval in which the set moves is of neither phase.
    assert ns_to_90_percent_fast(run(shares, [0, 198, 396])) == 84 * MS


def test_never_is_infinite_in_the_median() -> None:
    fast, never = [100] * 10, [0] * 10
    assert ns_to_90_percent_fast(run(fast + never + fast, [0, 100, 200])) == 10 * MS
    assert ns_to_90_percent_fast(run(never + fast + never, [0, 100, 200])) is None
    assert ns_to_90_percent_fast(run(never + fast, [0, 100])) is None
    # A hot set that moved on within an interval was nowhere for long enough.
    assert ns_to_90_percent_fast(run(fast, [0, 3, 98])) is None
