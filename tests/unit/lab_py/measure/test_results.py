# SPDX-License-Identifier: GPL-2.0
"""Result files: written whole, read with clear errors."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from handmade import result
from pghotlab.base.errors import ResultError
from pghotlab.measure.results import check_result, read_result, write_json, write_result


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "new" / "numab2-1.json"
    made = check_result(result())
    write_result(path, made)
    assert read_result(path) == made
    assert [p.name for p in path.parent.iterdir()] == ["numab2-1.json"]


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write_result(path, check_result(result()))
    whole = path.read_text().rstrip()
    for length in range(len(whole)):
        path.write_text(whole[:length])
        with pytest.raises(ResultError, match=r"r\.json: truncated or not JSON"):
            read_result(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match=r"none\.json: No such file"):
        read_result(tmp_path / "none.json")


def test_promotions_of_damon_are_copies() -> None:
    copies: list[dict[str, Any]] = copy.deepcopy(result()["region"]["copies"])
    copies[0]["nodes"] = [[0, 0], [7, 70]]
    copies[1]["nodes"] = [[2, 40, 0], [0, 0, 5]]
    data = result(**region(copies=copies))
    assert check_result(data).promoted == 950
    data["settings"]["run"] = "damon hot=1"
    assert check_result(data).promoted == 42


@pytest.mark.parametrize("key", sorted(result()))
def test_each_key_is_needed(key: str) -> None:
    data = result()
    del data[key]
    with pytest.raises(ValueError, match=f"{key}|format None"):
        check_result(data)


@pytest.mark.parametrize("key", sorted(result()))
def test_each_key_has_its_type(key: str) -> None:
    with pytest.raises(ValueError, match=key):
        check_result(result() | {key: None})


def region(**changes: Any) -> dict[str, Any]:
    return {"region": copy.deepcopy(result()["region"]) | changes}


HOT, USED, HEAT = (result()["region"][name] for name in ("hot", "used", "heat"))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"extra": 1}, "unknown keys: extra"),
        ({"format": 1}, "format 1, this lab reads 3"),
        (region(insn_kernel=1.5), r"region\.insn_kernel"),
        (region(nodes=[]), r"region\.nodes"),
        (region(nodes=[{"user_read": 1}]), r"region\.nodes\[0\]\.user_write"),
        (region(series={}), r"region\.series"),
        (region(series={"interval_ns": 1, "nodes": [[1]]}), r"region\.series\.nodes"),
        (region(series={"interval_ns": 1, "nodes": [[1], [1, 2]]}), r"region\.series\.nodes"),
        (region(hot=1), r"region\.hot is missing"),
        (region(hot={"interval_ns": 1, "nodes": [[1], [1, 2]]}), r"region\.hot\.nodes"),
        (region(hot=HOT | {"moves_ns": []}), r"region\.hot\.moves_ns"),
        (region(hot=HOT | {"moves_ns": [0.5]}), r"region\.hot\.moves_ns"),
        ({"census": [{}]}, "census has 1 nodes, the region 2"),
        (region(used={}), r"region\.used"),
        (region(copies=[]), r"region\.copies is"),
        (region(copies=[USED, USED | {"nodes": [[]]}]), r"region\.copies\[1\]\.nodes"),
        (region(heat=None), r"region\.heat is missing"),
        (region(heat=HEAT | {"piece_bytes": None}), r"region\.heat is missing"),
        (region(heat=HEAT | {"interval_ns": None}), r"region\.heat is missing"),
        (region(heat=HEAT | {"nodes": [[[1]]]}), r"region\.heat\.nodes"),
        (region(heat=HEAT | {"nodes": [[[1]], [[1, 2]]]}), r"region\.heat\.nodes"),
        ({"census": [{}, {}]}, r"census\[0\]\.served"),
        ({"census": [{"frames": 1, "served": [1]}, None]}, r"census\[1\]\.served"),
        ({"census": [{"frames": 1, "served": [2]}] * 2}, r"census\[0\]\.frames"),
        ({"machine": {"fast_nodes": [2]}}, r"machine\.fast_nodes"),
        ({"machine": {}}, r"machine\.fast_nodes"),
        ({"vmstat": {"x": "1"}}, r"vmstat\.x"),
        ({"pghot": {"promoted": None}}, r"pghot\.promoted"),
        ({"guest": {"guest_ns": 0}}, "guest_ns"),
        ({"guest": {}}, "guest_ns"),
        ({"guest": {"guest_ns": 1}}, r"guest\.vmstat"),
        ({"guest": {"guest_ns": 1, "vmstat": {"x": 0.5}}}, r"guest\.vmstat\.x"),
        ({"pghot": {"recorded": 5}}, r"pghot\.promoted"),
    ],
)
def test_malformed(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        check_result(result(**changes))


def test_not_an_object() -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        check_result([1])


def test_figures() -> None:
    made = check_result(result(pghot={"promoted": 990, "recorded": 5}))
    assert made.promoted == 950
    assert made.promoted_by_kmigrated == 940
    assert made.promoted_in_fault == 10
    assert made.fast_share == 0.75
    assert made.accesses_over_time == made.region["series"]
    assert made.hot_accesses_over_time == made.region["hot"]


def test_kernel_loads_stand_for_the_reads_of_a_file() -> None:
    data = result(workload_options={"pages": "read"})
    data["region"]["nodes"][0]["kernel_read"] = 3
    made = check_result(data)
    assert made.fast_share == 0.75
    assert made.accesses_over_time == made.hot_accesses_over_time == made.region["hot"]


def test_no_accesses_give_no_share() -> None:
    data = result()
    for node in data["region"]["nodes"]:
        node |= {"user_read": 0, "user_write": 0}
    assert check_result(data).fast_share == 0


def test_rows_are_one_line_each(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    write_json(path, [{"a": 1}, {"a": [1, 2]}])
    assert path.read_text() == '[\n{"a": 1},\n{"a": [1, 2]}\n]\n'
    assert json.loads(path.read_text()) == [{"a": 1}, {"a": [1, 2]}]


def test_neither_hot_set_nor_census() -> None:
    made = check_result(result(census=[], **region(hot=None)))
    assert made.hot_accesses_over_time == made.region["series"]
    without = region()
    del without["region"]["hot"]
    with pytest.raises(ValueError, match=r"region\.hot is missing"):
        check_result(result(**without))
