# SPDX-License-Identifier: GPL-2.0
"""The programs and simulations of `make bench-scale`, and its tables."""

import itertools
import json
from pathlib import Path

import pytest

import programs
import scale
from pghotlab.base import paths
from pghotlab.base.errors import LabError
from scale_batches import BATCH, PAGES, RULES, batches, pages
from scale_tables import MAKERS, own_share, unevenness

BY_GROUP, BY_NODE = RULES


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("accessors", "wants MODE (default or precise) and SEED"),
        ("lines", "wants MODE (default or precise)"),
        ("shares", "wants REPEATS, 1 to 100"),
    ],
)
def test_programs_name_what_they_want(program: str, reason: str) -> None:
    programs.build("scale")
    with pytest.raises(LabError) as error:
        scale.rows_of(program, "wrong")
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("program", "terabytes"), [("measure-default", 33), ("measure-default", 0)]
)
def test_scans_refuse_a_size(program: str, terabytes: int) -> None:
    programs.build("core")
    with pytest.raises(LabError, match="TERABYTES must be 1 to 32"):
        scale.rows_of(program, terabytes, 1, "scans")


def test_scans_of_a_size_that_is_no_power_of_two() -> None:
    """Each visits exactly what was made ready, or the program fails."""
    programs.build("core")
    rows = scale.rows_of("measure-default", 3, 1, "scans")
    assert {row["what"] for row in rows} == {"bytes_empty", "bytes", "scan"}
    ready = {row["ready"] for row in rows if row["what"] == "scan"}
    assert ready == {0, 1, 1000, 10000, 100000, 1000000}


def test_unknown_tables_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["scale.py", "lines", "lies"])
    with pytest.raises(SystemExit) as end:
        scale.main()
    assert end.value.code == 2
    assert "TABLE lies: there are accessors, shares" in capsys.readouterr().err


def test_other_tables_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["scale.py", "batches"])
    monkeypatch.setattr(scale, "DOCS", tmp_path)
    monkeypatch.setattr(programs, "build", lambda folder: None)
    monkeypatch.setitem(scale.TABLES, "batches", lambda: [{"new": 1}])
    monkeypatch.setitem(MAKERS, "batches", str)
    (tmp_path / "scale.json").write_text('{"lines": [1], "batches": [2]}')
    assert scale.main() == 0
    assert json.loads((tmp_path / "scale.json").read_text()) == {
        "batches": [{"new": 1}],
        "lines": [1],
    }


def test_failing_programs_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> list[scale.Row]:
        raise LabError("lines default: status 1")

    monkeypatch.setattr("sys.argv", ["scale.py", "lines"])
    monkeypatch.setattr(scale, "DOCS", tmp_path)
    monkeypatch.setattr(programs, "build", lambda folder: None)
    monkeypatch.setitem(scale.TABLES, "lines", fail)
    assert scale.main() == 1
    assert "scale: lines default: status 1" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_pages_come_in_runs() -> None:
    found = list(pages(groups=300, run=8, nodes=4))
    assert len(found) == PAGES
    ends = sum(one != other for one, other in itertools.pairwise(found))
    assert PAGES / ends == pytest.approx(8, rel=0.05)
    assert {group % 4 == node for group, node in found} == {True}


def test_a_batch_is_sent_when_a_ninth_is_needed() -> None:
    turns = [(group, 0) for _ in range(3) for group in range(9)]
    assert batches(BY_GROUP, iter(turns)) == [1] * 27
    assert batches(BY_GROUP, iter(turns[:8] + turns[:8])) == [2] * 8


def test_a_batch_is_sent_when_it_is_full() -> None:
    assert batches(BY_GROUP, iter([(0, 0)] * (BATCH + 1))) == [BATCH, 1]
    assert batches(BY_NODE, iter([(0, 0), (1, 0)] * BATCH)) == [BATCH] * 2


def test_a_batch_is_sent_when_its_table_is_full() -> None:
    assert batches(BY_NODE, iter([(group, 0) for group in range(130)])) == [64, 64, 2]
    # Those that are in the table find a place.
    assert batches(BY_NODE, iter([(group % 64, 0) for group in range(130)])) == [130]


def test_shares_of_made_up_rows() -> None:
    seeds = [
        {"own": 9, "elsewhere": 1, "placed": [4, 2]},
        {"own": 1, "elsewhere": 1, "placed": [3, 3]},
        {"own": 3, "elsewhere": 1, "placed": [5, 1]},
    ]
    assert own_share({"seeds": seeds}) == 0.75
    assert unevenness({"seeds": seeds}, "placed") == 2


def test_kept_rows_make_all_tables() -> None:
    results = json.loads((paths.ROOT / "docs" / "results" / "scale.json").read_text())
    assert set(results) == set(MAKERS)
    for name, rows in results.items():
        assert len(MAKERS[name](rows).splitlines()) > 5
