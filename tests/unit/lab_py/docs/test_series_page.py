# SPDX-License-Identifier: GPL-2.0
"""The page about the series shows what was measured of it."""

import pytest

from pghotlab.base import paths
from pghotlab.measure.results import read_json
from pghotlab.series.against import RESULTS, compare, lines

PAGE = " ".join((paths.ROOT / "docs" / "series.md").read_text().split())
ROWS = read_json(RESULTS)
COMPARED = compare(ROWS)


@pytest.mark.parametrize("line", lines(COMPARED), ids=lambda line: line[0])
def test_the_table_is_that_of_the_rows(line: tuple[str, ...]) -> None:
    assert f"| {' | '.join(line)} |" in PAGE


def test_both_take_the_same_time_where_nothing_is_promoted() -> None:
    (none,) = (one for one in COMPARED if not any(one.promoted))
    assert none.same


def test_what_the_page_says_of_single_runs() -> None:
    times = {
        (row["seed"], row["in_tree"]): row["guest_ns"] for row in ROWS if row["policy"] == "pghot"
    }
    seeds = sorted({seed for seed, _ in times})
    parts = [
        f"with seed {seed} it took {abs(ratio - 1):.1%} {'longer' if ratio > 1 else 'less'}"
        for seed in seeds
        if (ratio := times[seed, True] / times[seed, False])
    ]
    module = [times[seed, False] for seed in seeds]
    parts.append(f"module's own runs differ by {max(module) / min(module) - 1:.1%}")
    for part in parts:
        assert part.replace("%", " %") in PAGE
