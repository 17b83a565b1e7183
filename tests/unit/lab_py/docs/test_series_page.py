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


# From here on a run belongs to the slow ones; none is near.
SLOW_NS = 730e6


def of_kernels(key: str) -> list[dict[int, float]]:
    """By seed, of pghot: the module's, and those in the tree."""
    return [
        {
            row["seed"]: row[key]
            for row in ROWS
            if row["policy"] == "pghot" and row["in_tree"] is one
        }
        for one in (False, True)
    ]


def test_what_the_page_says_of_means() -> None:
    module, tree = (mean(of.values()) / 1e6 for of in of_kernels("guest_ns"))
    assert f"By means it takes {1 - tree / module:.1%}".replace("%", " %") in PAGE
    assert f"less, {tree:.0f} ms for {module:.0f} ms" in PAGE
    (until,) = {f"{mean(of.values()) / 1e6:.0f}" for of in of_kernels("ns_to_90_percent_fast")}
    assert f"is the same with both, {until} ms" in PAGE


def test_what_the_page_says_of_slow_runs() -> None:
    kinds: dict[bool, list[float]] = {False: [], True: []}
    seeds = []
    for times in of_kernels("guest_ns"):
        seeds.append([seed for seed, ns in times.items() if ns > SLOW_NS])
        for ns in times.values():
            kinds[ns > SLOW_NS].append(ns / 1e6)
    (a, b), (c, d) = seeds
    assert f"seeds {a} and {b} with the module, and seeds {c} and {d} in the tree" in PAGE
    quick, slow = (f"{min(kinds[one]):.0f} to {max(kinds[one]):.0f} ms" for one in (False, True))
    assert quick in PAGE
    assert slow in PAGE
