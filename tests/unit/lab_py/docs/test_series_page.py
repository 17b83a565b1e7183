# SPDX-License-Identifier: GPL-2.0
"""The page about the series shows what was measured of it."""

from statistics import mean

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


def of_kernels(key: str) -> list[list[float]]:
    """Of pghot's runs: the module's, and those in the tree."""
    return [
        [row[key] for row in ROWS if row["policy"] == "pghot" and row["in_tree"] is one]
        for one in (False, True)
    ]


def test_what_the_page_says_of_times() -> None:
    assert all(one.same for one in COMPARED)
    (pghot,) = (one for one in COMPARED if any(one.promoted))
    assert f"By medians pghot in the tree takes {1 - pghot.ratio:.1%}".replace("%", " %") in PAGE
    times = [[ns / 1e6 for ns in of] for of in of_kernels("guest_ns")]
    module, tree = map(mean, times)
    assert f"By means it takes {tree:,.0f} ms for {module:,.0f} ms" in PAGE
    one, other = (f"from {min(of):,.0f} to {max(of):,.0f} ms" for of in times)
    assert f"{one} with the module, and {other} in the tree" in PAGE


def test_both_promote_the_same_pages() -> None:
    pages = [count for of in of_kernels("pages_promoted") for count in of]
    assert min(pages) > 0.9998 * max(pages)
