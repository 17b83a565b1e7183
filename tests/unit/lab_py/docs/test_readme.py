# SPDX-License-Identifier: GPL-2.0
"""The figures of the README are those of the result files that it names."""

import json

import pytest

from docs.shipped import RESULTS, TEXT, percent, shown_rows
from pghotlab.rows.summary import table
from pghotlab.setup.kernels import load_kernels

# What the README calls each policy's row.
ROWS = {
    "all-fast": "all memory fast",
    "numab0": "all memory slow",
    "numab2": "NUMAB2",
    "numab2-demotion": "NUMAB2 with demotion",
    "pghot-default": "pghot hint faults",
    "pghot": "pghot no parameters",
}


@pytest.mark.parametrize("policy", ROWS)
def test_demo_row(policy: str) -> None:
    summary = table(json.loads((RESULTS / "demo" / "summary.json").read_text()))
    (row,) = (row for row in summary if row[0] == policy)
    time, ratio, share, promoted, in_fault = (cell.replace(",", "") for cell in row[1:6])
    wanted = [time.replace(" ", ""), ratio, share, promoted, in_fault]
    start = ROWS[policy].replace(" ", "")
    assert any(cells[0].startswith(start) and cells[1:6] == wanted for cells in shown_rows()), (
        wanted
    )


def test_newest_kernel_rows() -> None:
    newest = list(load_kernels())[-1]
    folder = RESULTS / newest / "demo"
    rows = table(json.loads((folder / "summary.json").read_text()))[1:]
    for row in rows:
        wanted = [cell.replace(",", "") for cell in row[1:5]]
        assert any(cells[1:] == wanted for cells in shown_rows()), wanted
    policies = [row[0] for row in rows]
    assert f'make demo KERNEL={newest} DEMO="--policies {" ".join(policies)}"' in TEXT
    releases = {json.loads((folder / f"{name}-1.json").read_text())["kernel"] for name in policies}
    (release,) = releases
    assert f"Debian's kernel {release.partition('+')[0]}, the newest one" in TEXT


@pytest.mark.parametrize("folder", ["three-node", "three-node-one-scan"])
def test_three_node_row(folder: str) -> None:
    rows = table(json.loads((RESULTS / folder / "summary.json").read_text()))
    found = {row[0]: [row[1].replace(" ", ""), row[2]] for row in rows}
    wanted = [found["numab2"][0], *found["pghot-default"], *found["pghot"]]
    assert any(cells[1:6] == wanted for cells in shown_rows()), wanted


def test_demo_text() -> None:
    """What the README says of its first table, and of the same without idle CPUs."""
    ratios: dict[tuple[str, str], float] = {}
    for folder in ("demo", "three-node"):
        rows = table(json.loads((RESULTS / folder / "summary.json").read_text()))
        ratios |= {(folder, row[0]): float(row[2]) - 1 for row in rows[1:]}
    assert ratios["demo", "pghot"] < 0
    assert f"pghot takes {percent(-ratios['demo', 'pghot'])} less time than NUMAB2" in TEXT
    summary = table(json.loads((RESULTS / "demo" / "summary.json").read_text()))
    took = {row[0]: float(row[1].split()[0]) for row in summary[1:]}
    by_medians = took["numab2"] / took["pghot"]
    assert f"in the README's first table, it is at {by_medians:.3f}, and the goal is missed" in TEXT
    assert by_medians < 1.5
    alone, hinted = (ratios["three-node", policy] for policy in ("pghot", "pghot-default"))
    assert alone < 0 < hinted
    less, more = percent(-alone), percent(hinted)
    assert f"{less} less time without parameters, and {more} more with" in TEXT
    for file in RESULTS.glob("demo/pghot-[0-9].json"):
        series = json.loads(file.read_text())["region"]["series"]
        first = next(i for i, count in enumerate(series["nodes"][0]) if i and count)
        assert 0.15 <= first * series["interval_ns"] / 1e9 < 0.25
    assert "It promotes the first hot pages after about 0.2 s" in TEXT
    runs = [json.loads(file.read_text()) for file in RESULTS.glob("three-node/pghot-[0-9].json")]
    looks, passes = (
        [run["pghot"][name] / 1e9 for run in runs] for name in ("windows_cpu_ns", "passes_cpu_ns")
    )
    assert len(runs) == 3
    assert f"for {min(looks):.1f} to {max(looks):.1f} s of CPU time (`windows_cpu_ns`)" in TEXT
    assert f"{min(passes):.1f} s to choose" in TEXT
    assert f"{max(passes):.1f} s to choose" in TEXT


def test_three_node_sockets() -> None:
    """What part of the pages each run's larger share is."""
    parts = []
    for file in RESULTS.glob("three-node*/pghot-default-*.json"):
        frames = [node["frames"] for node in json.loads(file.read_text())["census"]]
        parts.append(max(frames) / sum(frames))
    assert len(parts) == 6
    text = f"here {min(parts) * 100:.0f} to {percent(max(parts))} went to one"
    assert text in TEXT
