# SPDX-License-Identifier: GPL-2.0
"""Runs over time, in few points."""

import pytest

from handmade import result
from pghotlab.measure.results import RunResult, check_result
from pghotlab.rows.overtime import (
    POINTS,
    fast_shares,
    frames_in_use,
    heat,
    intervals_per_point,
    last_half_ns,
    per_time,
    points,
    promotions,
    series,
)


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
    assert made == {
        **{"interval_ns": 10_000_000, "fast_share": [0, 0.5, None], "hot_share": [0, 0.8]},
        "promoted_per_s": [0, 2000, 0],
        **{"used_interval_ns": 500_000_000, "used_pages": [[8, 9, 0, 0], [7, 6, 0, 0]]},
    }
    times, shares = points(made, "fast_share")
    assert times == pytest.approx([0.005, 0.015])
    assert shares == [0, 0.5]


def test_the_last_interval_is_as_long_as_the_region() -> None:
    assert per_time([10, 10], 100, 150, 1000) == [100, 200]
    assert per_time([10, 10], 100, 200, 1000) == [100, 100]
    # Something was put into the interval that begins at the end.
    assert per_time([10, 1], 100, 100, 1000) == [100, 1000]
    assert per_time([], 100, 100, 1000) == []


def test_copies_from_slow_to_fast_nodes_are_promotions() -> None:
    copies = [{"nodes": [[1000 * a + 100 * b + 1] * (b + 1) for b in range(3)]} for a in range(3)]
    made = check_result(result())
    made.region["copies"] = copies
    made.machine.update(fast_nodes=[0, 1], slow_nodes=[2])
    assert promotions(made) == [2001 + 2101, 2101]
    made.machine.update(fast_nodes=[0], slow_nodes=[1, 2])
    assert promotions(made) == [3002]


def test_promotions_of_a_point_are_those_of_all_its_intervals() -> None:
    data = result()
    count = 2 * POINTS
    data["region"] |= {"guest_ns": count * 10_000_000}
    data["region"]["series"]["nodes"] = [[1] * count, [0] * count]
    data["region"]["copies"][1]["nodes"] = [[1, 3, 0, 5], [0, 0, 0, 0]]
    made = series(check_result(data))
    assert made["promoted_per_s"] == [200, 250, *[0] * (POINTS - 2)]


@pytest.mark.parametrize(
    ("intervals", "end", "interval", "pages"),
    [
        (3, 300, 100, [1, 2, 3]),
        # The last one is cut off.
        (3, 299, 100, [1, 2]),
        (1, 50, 100, [1]),
        (2 * POINTS, 200 * POINTS, 200, [2 * i + 1.5 for i in range(POINTS)]),
        (POINTS + 2, 100 * POINTS + 100, 200, [*(2 * i + 1.5 for i in range(50)), POINTS + 1]),
    ],
)
def test_frames_in_use(intervals: int, end: int, interval: int, pages: list[float]) -> None:
    used = {"interval_ns": 100, "nodes": [[1000 * (i + 1) for i in range(intervals)], []]}
    assert frames_in_use(used, end) == (
        interval,
        [[1000 * page for page in pages], [0] * len(pages)],
    )


def test_heat() -> None:
    made = heat(check_result(result()))
    assert made == {
        **{"interval_ns": 1_000_000_000, "piece_bytes": 1 << 30},
        "nodes": [[[0, 7], []], [[9, 2]]],
    }


@pytest.mark.parametrize(
    ("nodes", "ns"),
    [
        # All at one pace: half of the time, also where the last interval is cut off.
        ([[10, 10, 10, 5], [0, 0, 0, 0]], 175),
        ([[10, 0, 10, 5], [0, 10, 0, 0]], 175),
        # Half of them before, within, and after an interval.
        ([[30, 10, 10, 10]], 250),
        ([[40, 20, 10, 10]], 250),
        ([[10, 20, 60, 30]], 350 - 250),
        ([[0, 0, 0, 8]], 25),
        ([[8, 0, 0, 0]], 300),
        # What is put into the interval that begins at the end takes no time.
        ([[0, 0, 0, 0, 1]], 0),
        ([[0, 0, 0, 0]], None),
        ([[], []], None),
    ],
)
def test_the_last_half_is_of_accesses(nodes: list[list[int]], ns: int | None) -> None:
    data = result()
    end = 400 if len(nodes[0]) > 4 else 350
    hot = {"interval_ns": 100, "t0_ns": 7, "nodes": nodes, "moves_ns": [0]}
    data["region"] |= {"guest_ns": end, "hot": hot}
    made = RunResult(**data)
    assert last_half_ns(made) == ns
    # Without a hot set those of the workload count.
    made.region["hot"], made.region["series"] = None, hot
    assert last_half_ns(made) == ns
