# SPDX-License-Identifier: GPL-2.0
"""Runs over time, in few points."""

import pytest

from handmade import result
from pghotlab.overtime import POINTS, fast_shares, intervals_per_point, points, series
from pghotlab.results import check_result


@pytest.mark.parametrize("count", [1, POINTS, POINTS + 1, 10 * POINTS + 3])
def test_no_more_points_than_a_picture_shows(count: int) -> None:
    step = intervals_per_point(count)
    shares = fast_shares([[3] * count, [1] * count], [0], step)
    assert len(shares) <= POINTS
    assert shares == [0.75] * len(shares)


def test_shares_are_of_all_accesses_of_a_point() -> None:
    nodes = [[90, 0, 0, 0, 1], [0, 10, 0, 0, 0]]
    assert fast_shares(nodes, [0], 2) == [0.9, None, 1.0]
    assert fast_shares(nodes, [0, 1], 5) == [1.0]


def test_series() -> None:
    made = series(check_result(result()))
    assert made == {"interval_ns": 10_000_000, "fast_share": [0, 0.5, None], "hot_share": [0, 0.8]}
    times, shares = points(made, "fast_share")
    assert times == pytest.approx([0.005, 0.015])
    assert shares == [0, 0.5]
