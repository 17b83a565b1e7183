# SPDX-License-Identifier: GPL-2.0
"""What detection costs, from rows made by hand."""

import json
from pathlib import Path

import pytest

import detection
from pghotlab.base import paths
from pghotlab.rows.summary import Row


def row(policy: str, seed: int, kernel: int, ns: int, promoted: int = 100) -> Row:
    return {
        "policy": policy,
        "seed": seed,
        "kernel_instructions": kernel,
        "guest_ns": ns,
        "pages_promoted": promoted,
        "result": "4k/x.json",
    }


def told(seed: int, kernel: int, ns: int) -> dict[str, int]:
    return {"seed": seed, "kernel_instructions": kernel, "guest_ns": ns, "pages_promoted": 100}


def test_what_a_run_takes_beyond_promotion() -> None:
    """Less an instruction for each 2 ns that it is longer, which numab0 takes, too."""
    rows = [
        row("numab0", 1, 300, 600, 0),
        row("numab2", 1, 1500, 300),
        row("numab2", 2, 1800, 300),
        row("numab2", 3, 1450, 300),
        row("pghot", 1, 1100, 100),
        row("partly", 1, 1200, 100, 98),
    ]
    runs = [told(1, 1000, 200), told(2, 1100, 200), told(3, 1000, 100)]
    assert detection.detection(rows, runs) == {"numab2": 450.0, "pghot": 150.0}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "sources.json: there is none: run `make bench TABLE=sources` first"),
        ('[{"result"', "sources.json: truncated or not JSON"),
        ('[{"result": "thp/a.json", "policy": "numab0"}]', "no row of case 4k with policy numab0"),
        ('[{"result": "4k/a.json", "policy": "numab0"}]', "no row of case 4k with policy numab2"),
    ],
)
def test_no_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str | None,
    reason: str,
) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    (tmp_path / "sources").mkdir()
    if text is not None:
        (tmp_path / "sources" / "sources.json").write_text(text)
    assert detection.main() == 1
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "detection").exists()


def test_only_the_case_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    (tmp_path / "sources").mkdir()
    rows = [
        {"result": f"{case}/a.json", "policy": policy}
        for case in ("thp", "4k")
        for policy in ("numab0", "numab2")
    ]
    (tmp_path / "sources" / "sources.json").write_text(json.dumps(rows))
    assert detection.table_rows() == rows[2:]


def test_the_guest_is_told_of_all_pages_after_they_are_in_place() -> None:
    steps = detection.steps("micro --x 1", 131072)
    assert "hold 1 512\n" in steps
    assert steps.count("record nr_pages=131072\n") == 2
    assert steps.index("micro --x 1 >/tmp/out &") < steps.index("wait $workload")
