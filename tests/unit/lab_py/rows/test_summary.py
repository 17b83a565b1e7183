# SPDX-License-Identifier: GPL-2.0
"""Rows and tables from runs made by hand."""

import pytest

from handmade import result
from pghotlab.measure.results import RunResult, check_result, fingerprint
from pghotlab.rows.summary import (
    COLUMNS,
    Row,
    Score,
    compare_rows,
    figures,
    format_table,
    make_row,
    table,
)

RATE = Score("tps", "transactions/s", more_is_better=True)


def run(policy: str, seed: int, guest_ns: int, **printed: object) -> RunResult:
    data = result(policy, seed)
    data["guest"] |= {"guest_ns": guest_ns, **printed}
    return check_result(data)


def make_rows(runs: list[RunResult]) -> list[Row]:
    return compare_rows(map(make_row, runs))


def test_row() -> None:
    (row,) = make_rows([run("numab2", 1, 2_000_000_000)])
    assert row["policy"] == "numab2"
    assert row["machine"] == "two-node"
    assert row["workload"] == "micro"
    assert row["seed"] == 1
    assert row["guest_ns"] == 2_000_000_000
    assert row["ratio_to_numab2"] == 1
    assert row["last_half_ns"] == 2_000_000_000 - 13_666_667
    assert row["last_half_to_numab2"] == 1
    assert row["fast_share"] == 0.75
    assert row["pages_promoted"] == row["promoted_in_fault"] == 950
    assert row["promoted_by_kmigrated"] == 0
    assert row["pages_demoted"] == 4
    assert row["hint_faults"] == 1050
    assert row["kernel_instructions"] == 42
    assert row["result"] == "numab2-1.json"
    assert row["measured"] == {"promoted_mbps": 1.9}
    assert row["source"] is None
    assert row["latency"] is None
    assert row["wasted_promotions"] == 130
    assert row["ns_to_90_percent_fast"] is None
    assert row["identity"] == fingerprint(result("numab2", 1))
    assert row["series"]["hot_share"] == [0.0, 0.8]
    assert row["score"] == 2
    assert row["score_to_numab2"] == 1
    assert row["score_to_bound"] is None


def test_ratio_is_to_the_same_seed() -> None:
    rows = make_rows(
        [run("numab2", 1, 100), run("numab2", 2, 200), run("x", 1, 150), run("x", 2, 150)]
    )
    assert [row["ratio_to_numab2"] for row in rows] == [1, 1, 1.5, 0.75]


def test_no_reference_no_ratio() -> None:
    rows = make_rows([run("x", 1, 150)])
    assert rows[0]["ratio_to_numab2"] is None
    assert table(rows)[1][2] == "-"


def test_table_of_one_seed() -> None:
    header, line = table(make_rows([run("numab2", 1, 2_345_600_000)]))
    assert header == ("policy", *COLUMNS)
    assert line == ("numab2", "2.346", "1.000", "75.0%", "950", "950", "0", "0.0")


def test_table_of_several_seeds_gives_median_and_spread() -> None:
    runs = [run("numab2", seed, ns) for seed, ns in ((1, 900), (2, 1000), (3, 1100))]
    runs += [run("x", seed, 500) for seed in (1, 2, 3)]
    lines = table(make_rows([run("numab2", 4, 1000), *runs]))
    assert [line[0] for line in lines[1:]] == ["numab2", "x"]
    assert lines[1][1].endswith("+-10.0%")
    assert lines[2][1].endswith("+-0.0%")
    assert lines[2][2] == "0.500"


def test_columns_line_up() -> None:
    text = format_table([("a", "bb"), ("cccc", "1")])
    assert text == "a     bb\n----  --\ncccc   1"


def test_identity_is_of_what_is_known_before() -> None:
    known = fingerprint(result())
    assert fingerprint(result(host_seconds=99, region={}, console="x")) == known
    assert fingerprint(result(seed=2)) != known
    assert fingerprint(result(kernel="6.13")) != known


def test_scores() -> None:
    runs = [run("all-fast", 1, 10, tps=400.0), run("numab2", 1, 10, tps=200, name="x", ok=True)]
    runs.append(run("pghot-default", 1, 20, tps=250))
    published = {"numab2": 1000.0, "pghot-default": 900.0}
    fast, stock, own = compare_rows(map(make_row, runs), RATE, published=published)
    assert stock["measured"]["tps"] == 200
    assert "name" not in stock["measured"]
    assert [row["score"] for row in (fast, stock, own)] == [400, 200, 250]
    assert [row["score_to_numab2"] for row in (fast, stock, own)] == [2, 1, 1.25]
    assert [row["score_to_bound"] for row in (fast, stock, own)] == [1, 0.5, 0.625]
    assert [row["published_to_numab2"] for row in (fast, stock, own)] == [None, 1, 0.9]
    assert own["published"] == 900
    assert own["ratio_to_numab2"] == 2
    (alone,) = compare_rows([own], RATE, bound="pghot-default")
    assert (alone["score_to_numab2"], alone["score_to_bound"]) == (None, 1)
    assert (alone["published"], alone["published_to_numab2"]) == (None, None)


@pytest.mark.parametrize(
    ("value", "text"), [(0.12345, "0.1235"), (12.3456, "12.35"), (1234.5, "1,234"), (0, "0")]
)
def test_figures(value: float, text: str) -> None:
    assert figures(value) == text
