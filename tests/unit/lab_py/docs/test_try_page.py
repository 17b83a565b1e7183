# SPDX-License-Identifier: GPL-2.0
"""The tables of docs/try.md are those of the result files that it names."""

import json
import re
from pathlib import Path

import pytest

from docs.shipped import RESULTS
from pghotlab.base import paths
from pghotlab.hardware.machine import load_machine, shipped_machines
from pghotlab.rows import summary
from pghotlab.trial import words

PAGE = (paths.ROOT / "docs" / "try.md").read_text()
TEXT = " ".join(PAGE.split())
# A trial each, with one share of fast memory.
FILES = sorted(RESULTS.glob("try/*.json"))


def test_a_trial_is_kept() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_table_is_that_of_the_file(file: Path) -> None:
    assert file.with_suffix(".png").exists()
    assert f"(results/try/{file.stem}.png)" in PAGE
    assert f"(results/try/{file.name})" in PAGE
    rows = json.loads(file.read_text())
    lines = [f"| {' | '.join(cells)} |" for cells in summary.table(rows, words.COLUMNS)]
    assert [line for line in lines if line not in PAGE] == []
    assert words.advice(words.slowdowns(rows)) in TEXT


def test_machines_are_those_of_the_lab() -> None:
    """With their latencies, those of each node with CPUs in a row."""
    start = PAGE.index("## Machines to choose from")
    lines = PAGE[start : PAGE.index("## ", start + 3)].splitlines()
    table = {line.split("`")[1]: line for line in lines if line.startswith("| `")}
    del table["--machine"]
    assert {"two-node", "one-socket-cxl"} <= table.keys() <= set(shipped_machines())
    for name, line in table.items():
        latencies = {str(ns) for row in load_machine(name).latency_ns.values() for ns in row}
        assert set(re.findall(r"\d+", line.split("|")[-2])) == latencies


@pytest.mark.parametrize(
    "file", sorted(RESULTS.glob("try/sweep/*.json")), ids=lambda file: file.stem
)
def test_sweep_is_that_of_the_file(file: Path) -> None:
    assert f"(results/try/sweep/{file.stem}.png)" in PAGE
    assert f"(results/try/sweep/{file.name})" in PAGE
    by_case: dict[str, list[summary.Row]] = {}
    for row in json.loads(file.read_text()):
        by_case.setdefault(row["case"], []).append(row)
    found = {
        float(case.removeprefix("fast-")): words.slowdowns(rows) for case, rows in by_case.items()
    }
    lines = [f"| {' | '.join(cells)} |" for cells in words.sweep_table(found)]
    assert len(lines) > 2
    assert [line for line in lines if line not in PAGE] == []


def test_what_is_said_of_the_sweep() -> None:
    rows = json.loads((RESULTS / "try" / "sweep" / "sqlite.json").read_text())
    case_rows = {
        share: [row for row in rows if row["case"] == f"fast-{share}"] for share in (10, 75)
    }
    tenth = words.slowdowns(case_rows[10])
    longer = {policy: f"{100 * (tenth[policy] - 1):.0f} %" for policy in ("numab0", "pghot")}
    readme = " ".join((paths.ROOT / "README.md").read_text().split())
    assert (
        f"takes {longer['numab0']} longer with a tenth of its memory in fast memory, "
        f"with pghot {longer['pghot']}." in readme
    )
    first = {row["policy"]: row["guest_ns"] for row in case_rows[75] if row["seed"] == 1}
    worst = 100 * (first["pghot"] / first["numab0"] - 1)
    assert f"pghot takes {worst:.1f} % longer than no balancing at 75 %" in TEXT
    own = [row for row in rows if row["policy"] == "pghot"]
    up, down = (f"{max(row[key] for row in own):,}" for key in ("pages_promoted", "pages_demoted"))
    assert f"it promoted up to {up} pages, and demoted up to {down}." in TEXT
