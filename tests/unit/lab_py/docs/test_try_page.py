# SPDX-License-Identifier: GPL-2.0
"""The tables of docs/try.md are those of the result files that it names."""

import json
import re
import statistics
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
    assert f"up to {up} pages were promoted, and up to {down} demoted, of which" in TEXT
    shares = {row["case"] for row in rows}
    found = {
        float(share.removeprefix("fast-")): words.slowdowns(
            row for row in rows if row["case"] == share
        )
        for share in shares
    }
    near = {
        policy: [share for share in sorted(found) if found[share][policy] <= 1 + words.NEAR]
        for policy in ("numab0", "pghot", "damon")
    }
    assert near["numab0"] == [75] and near["pghot"] == near["damon"] == [50, 75]
    assert f"which is just within them ({found[50]['pghot']:.3f})" in readme


def test_what_is_said_of_single_seeds() -> None:
    def seconds(program: str, policy: str) -> list[float]:
        rows = json.loads((RESULTS / "try" / f"{program}.json").read_text())
        of_policy = sorted((row for row in rows if row["policy"] == policy), key=seed)
        return [row["guest_ns"] / 1e9 for row in of_policy]

    def seed(row: summary.Row) -> int:
        return int(row["seed"])

    def listed(program: str, policy: str) -> str:
        first, second, third = (f"{value:.2f}" for value in seconds(program, policy))
        return f"{first}, {second} and {third} s"

    def faster(program: str, policy: str) -> str:
        none, own = (statistics.median(seconds(program, name)) for name in ("numab0", policy))
        return f"{100 * (none / own - 1):.0f} %"

    assert f"With three seeds pghot takes {listed('sqlite', 'pghot')}." in TEXT
    for title, policy in (("NUMAB2 takes", "numab2"), ("pghot", "pghot"), ("DAMON", "damon")):
        assert f"{title} {listed('numpy', policy)}" in TEXT
    assert f"pghot is {faster('numpy-hbm', 'pghot')} faster, and NUMAB2" in TEXT
    assert f"and NUMAB2 {faster('numpy-hbm', 'numab2')}." in TEXT
    assert f"pghot is {faster('h2', 'pghot')} faster than without balancing." in TEXT
