# SPDX-License-Identifier: GPL-2.0
"""What detection costs, from rows made by hand."""

from pathlib import Path

import pytest

import detection
from pghotlab import paths
from pghotlab.summary import Row

TOLD = {"kernel_instructions": 1000, "guest_ns": 200, "pages_promoted": 100}


def row(policy: str, kernel: int, ns: int, promoted: int = 100) -> Row:
    return {
        "policy": policy,
        "kernel_instructions": kernel,
        "guest_ns": ns,
        "pages_promoted": promoted,
        "result": "4k/x.json",
    }


def test_what_a_run_takes_beyond_promotion() -> None:
    """Less an instruction for each 2 ns that it is longer, which numab0 takes, too."""
    rows = [
        row("numab0", 300, 600, 0),
        row("numab2", 1500, 300),
        row("numab2", 1700, 300),
        row("numab2", 1400, 300),
        row("pghot", 1100, 100),
        row("partly", 1200, 100, 98),
    ]
    assert detection.detection(rows, TOLD) == {"numab2": 450.0, "pghot": 150.0}


def test_only_the_case_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    assert detection.main() == 1
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "sources.json").write_text(
        '[{"result": "thp/a.json"}, {"result": "4k/b.json"}]'
    )
    assert detection.table_rows() == [{"result": "4k/b.json"}]


def test_the_guest_is_told_of_all_pages_after_they_are_in_place() -> None:
    steps = detection.steps("micro --x 1", 131072)
    assert "hold 1 512\n" in steps
    assert steps.count("record nr_pages=131072\n") == 2
    assert steps.index("micro --x 1 >/tmp/out &") < steps.index("wait $workload")
