# SPDX-License-Identifier: GPL-2.0
"""Rows and tables from runs made by hand."""

import pytest

from handmade import result
from pghotlab.picture import POINTS, thin
from pghotlab.results import RunResult, check_result
from pghotlab.summary import COLUMNS, format_table, make_rows, table


def run(policy: str, seed: int, guest_ns: int) -> RunResult:
    data = result(policy, seed)
    data["guest"]["guest_ns"] = guest_ns
    return check_result(data)


def test_row() -> None:
    (row,) = make_rows([run("numab2", 1, 2_000_000_000)])
    assert row["policy"] == "numab2"
    assert row["machine"] == "two-node"
    assert row["workload"] == "micro"
    assert row["seed"] == 1
    assert row["guest_ns"] == 2_000_000_000
    assert row["ratio_to_numab2"] == 1
    assert row["fast_share"] == 0.75
    assert row["pages_promoted"] == row["promoted_in_fault"] == 950
    assert row["promoted_by_kmigrated"] == 0
    assert row["pages_demoted"] == 4
    assert row["hint_faults"] == 1050
    assert row["kernel_instructions"] == 42
    assert row["result"] == "numab2-1.json"


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


@pytest.mark.parametrize("count", [0, 1, POINTS, POINTS + 1, 10 * POINTS + 3])
def test_thin_keeps_the_mean(count: int) -> None:
    times = [float(i) for i in range(count)]
    fewer, shares = thin(times, [0.25] * count)
    assert len(fewer) == len(shares) <= POINTS
    assert all(share == 0.25 for share in shares)
    assert fewer == sorted(fewer)
