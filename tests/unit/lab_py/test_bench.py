# SPDX-License-Identifier: GPL-2.0
"""Tables out of recipes: what is run and what is kept, rows, text and picture."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from handmade import result
from pghotlab import bench, picture
from pghotlab.policy import load_policies
from pghotlab.recipe import Recipe, load_recipe
from pghotlab.results import RunResult, check_result
from pghotlab.run import Run
from pghotlab.summary import Row, make_rows, table

POLICIES = ("all-fast", "numab2", "pghot-accessed-hintfaults")


def recipe() -> Recipe:
    known = load_policies()
    policies = tuple(known[name] for name in POLICIES)
    return replace(load_recipe("sources").only(["4k"]), seeds=(2, 1), policies=policies)


def made(run: Run, **changes: Any) -> RunResult:
    settings = {"sysctl": {}, "files": {}, "pghot": run.policy.pghot}
    data = result(run.policy.name, run.seed, settings=settings, provision=run.policy.provision)
    return check_result(data | changes)


def rows() -> list[Row]:
    (case,) = recipe().cases
    return bench.make_rows(case, [made(run) for run in recipe().runs(case)])


def test_rows_are_the_demos_and_more() -> None:
    (case,) = recipe().cases
    plain = make_rows([made(run) for run in recipe().runs(case)])
    more = {"source", "page_kind", "wasted_promotions", "ns_to_90_percent_fast"}
    for row, before in zip(rows(), plain, strict=True):
        assert row.keys() == before.keys() | more
        assert row["result"] == f"4k/{before['result']}"
        assert row["page_kind"] == "4k"
    assert [row["source"] for row in rows()[:3]] == [None, None, "hintfaults+accessed"]
    assert [row["wasted_promotions"] for row in rows()[:3]] == [None, 130, 130]
    assert rows()[0]["ns_to_90_percent_fast"] is None


def test_text() -> None:
    given = rows()
    for row in given[3:]:
        row["ns_to_90_percent_fast"] = 250_000_000
    header, *lines = table(given, bench.COLUMNS)
    assert header[:4] == ("policy", "source", "guest time s", "to NUMAB2")
    columns = [header.index(name) for name in ("source", "wasted", "s to 90 %")]
    cells = [[line[column] for column in columns] for line in lines]
    assert cells == [
        ["-", "-", "never"],
        ["-", "130", "never"],
        ["hintfaults+accessed", "130", "never"],
    ]
    for row in given:
        row["ns_to_90_percent_fast"] = 250_000_000
    assert table(given, bench.COLUMNS)[1][header.index("s to 90 %")] == "0.25"


def test_lines_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By colour or by style, also where there are more than colours."""
    drawn: list[tuple[str, str]] = []
    monkeypatch.setattr(
        Axes,
        "plot",
        lambda _axes, *_points, color, linestyle, **_: drawn.append((color, linestyle)),
    )
    policies = load_recipe("sources").policies
    runs = [check_result(result(policy.name, 1)) for policy in policies]
    figure = Figure()
    picture._plot_shares(
        figure.subplots(), ((run.policy, run.hot_share_over_time()) for run in runs)
    )
    looks = {(to_rgba(colour), style) for colour, style in drawn}
    assert len(looks) == len(policies) > picture.COLOURS


def test_what_is_there_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[str] = []

    def run_all(runs: Sequence[Run], folder: Path, name: str) -> list[RunResult]:
        assert (folder, name) == (tmp_path / "4k", "sources 4k")
        ran.extend(run.name for run in runs)
        return [made(run) for run in runs]

    def kept(run: Run, folder: Path) -> RunResult | None:
        assert folder == tmp_path / "4k"
        return made(run) if run.seed == 2 else None

    monkeypatch.setattr(bench, "run_all", run_all)
    monkeypatch.setattr(bench, "kept", kept)
    text = bench.bench(recipe(), tmp_path)
    assert ran == [f"{name}-1" for name in POLICIES]
    assert "sources 4k: 3 of 6 runs kept" in capsys.readouterr().out
    written = json.loads((tmp_path / "sources.json").read_text())
    order = [(row["policy"], row["seed"]) for row in written]
    assert order == [(name, seed) for name in POLICIES for seed in (2, 1)]
    assert (tmp_path / "sources.png").stat().st_size > 0
    assert "pghot-accessed-hintfaults  hintfaults+accessed" in text
    # All are there: nothing runs.
    monkeypatch.setattr(bench, "kept", lambda run, folder: made(run))
    ran.clear()
    bench.bench(recipe(), tmp_path)
    assert not ran
