# SPDX-License-Identifier: GPL-2.0
"""Tables out of recipes: what is run and what is kept, rows, text and picture."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from handmade import result
from pghotlab.base.errors import LabError, ResultError
from pghotlab.draw import picture
from pghotlab.hardware.machine import load_machine
from pghotlab.measure.policy import load_policies
from pghotlab.measure.results import RunResult, check_result, fingerprint
from pghotlab.measure.run import Run
from pghotlab.report.html import table_page
from pghotlab.rows.overtime import points
from pghotlab.rows.summary import Row, Score, compare_rows, make_row, table
from pghotlab.tables import bench
from pghotlab.tables.recipe import Case, Recipe, load_recipe

POLICIES = ("all-fast", "numab2", "pghot-accessed-hintfaults")


def recipe() -> Recipe:
    known = load_policies()
    policies = tuple(known[name] for name in POLICIES)
    made = replace(load_recipe("sources").only(["4k"]), seeds=(2, 1))
    (case,) = made.cases
    return replace(made, cases=(replace(case, policies=policies),))


def made(run: Run, **changes: Any) -> RunResult:
    settings = {"sysctl": {}, "files": {}, "pghot": run.policy.pghot}
    data = result(run.policy.name, run.seed, settings=settings, provision=run.policy.provision)
    return check_result(data | changes)


def known(run: Run) -> dict[str, Any]:
    return vars(made(run))


def rows() -> list[Row]:
    (case,) = recipe().cases
    return bench.make_rows(recipe(), case, [make_row(made(run)) for run in recipe().runs(case)])


def test_rows_are_the_demos_and_more() -> None:
    (case,) = recipe().cases
    plain = compare_rows(make_row(made(run)) for run in recipe().runs(case))
    for row, before in zip(rows(), plain, strict=True):
        heat = before["heat"] if row["seed"] == recipe().seeds[0] else None
        added = {"case": "4k", "page_kind": "4k", "heat": heat}
        assert row == before | added | {"result": f"4k/{before['result']}"}
    assert [row["seed"] for row in rows() if row["heat"]] == [2, 2, 2]
    assert [row["source"] for row in rows()[:3]] == [None, None, "hintfaults+accessed"]
    assert [row["wasted_promotions"] for row in rows()[:3]] == [None, 130, 130]
    assert rows()[0]["ns_to_90_percent_fast"] is None


def columns_of(given: list[Row], case: Case, of: Recipe) -> tuple[tuple[str, ...], ...]:
    return tuple(table(given, bench.columns(of, case)))


def test_text() -> None:
    given, (case,) = rows(), recipe().cases
    for row in given[3:]:
        row["ns_to_90_percent_fast"] = 250_000_000
    header, *lines = columns_of(given, case, recipe())
    assert header[:4] == ("policy", "guest time s", "to NUMAB2", "to all-fast")
    assert "published" not in header
    columns = [header.index(name) for name in ("wasted", "s to 90 %")]
    cells = [[line[column] for column in columns] for line in lines]
    assert cells == [["-", "never"], ["130", "never"], ["130", "never"]]
    for row in given:
        row["ns_to_90_percent_fast"] = 250_000_000
    assert columns_of(given, case, recipe())[1][header.index("s to 90 %")] == "0.25"


def test_rows_without_a_last_half_have_a_table() -> None:
    """As an earlier version of the lab has made them, alone or beside newer ones."""
    (case,) = recipe().cases
    runs = [make_row(made(run)) for run in recipe().runs(case)]
    for row in runs[:3]:
        del row["last_half_ns"]
    header, *lines = columns_of(bench.make_rows(recipe(), case, runs), case, recipe())
    columns = [header.index(name) for name in ("last half s", "of it to NUMAB2")]
    assert [[line[column] for column in columns] for line in lines] == [["-", "-"]] * 3
    assert "last_half_ns" not in bench.SHOWN


def test_texts_name_the_bounds_machine() -> None:
    of = replace(recipe(), bound_machine=load_machine("dram-large"))
    assert "4k: micro on two-node," in bench.text(recipe(), {"4k": rows()})
    assert "4k: micro on two-node (all-fast: dram-large)," in bench.text(of, {"4k": rows()})
    page = "<dt>Machine of all-fast</dt><dd>dram-large, modelled: "
    assert page not in table_page(recipe(), {"4k": rows()})
    assert page in table_page(of, {"4k": rows()})


def test_text_of_a_score() -> None:
    """With what was published beside it, and what else the workload measured."""
    (case,) = recipe().cases
    workload = replace(case.workload, options={})
    case = replace(case, workload=workload, published={"numab2": 50.0, "all-fast": 60.0})
    of = replace(recipe(), score=Score("tps", "tps", more_is_better=True), columns=("p99_us",))
    runs = [made(run) for run in of.runs(case)]
    for number, run in enumerate(runs):
        run.guest.update({"tps": 100 + number, "p99_us": 7.25})
    given = bench.make_rows(of, case, [make_row(run) for run in runs])
    header, fast, stock, own = columns_of(given, case, of)
    assert header[1:] == (
        *("tps", "to NUMAB2", "to all-fast", "published", "published to NUMAB2"),
        *("last half s", "of it to NUMAB2", "p99_us", "promoted", "kernel Minsn"),
    )
    assert fast[1:6] == ("101.5 +-1.5%", "0.990", "1.000", "60", "1.200")
    assert fast[6:9] == ("1.986", "1.000", "7.25")
    assert stock[4:6] == ("50", "1.000")
    assert own[4:6] == ("-", "-")


def test_lines_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By colour or by style, also where there are more than colours."""
    drawn: list[tuple[str, str]] = []
    monkeypatch.setattr(
        Axes,
        "plot",
        lambda _axes, *_points, color, linestyle, **_: drawn.append((color, linestyle)),
    )
    policies = load_recipe("sources").cases[0].policies
    runs = [make_row(check_result(result(policy.name, 1))) for policy in policies]
    figure = Figure()
    picture.plot_shares(
        figure.subplots(),
        ((run["policy"], points(run["series"], "hot_share")) for run in runs),
    )
    looks = {(to_rgba(colour), style) for colour, style in drawn}
    assert len(looks) == len(policies) > picture.COLOURS


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was run, all by hand; the last of seed 1 fails."""
    names: list[str] = []

    def run_all(
        runs: Sequence[Run], _folder: Path, name: str, finished: Callable[[RunResult], None]
    ) -> None:
        assert name == "sources 4k"
        for run in runs:
            names.append(run.name)
            if names == [f"{policy}-{seed}" for seed in (2, 1) for policy in POLICIES]:
                raise LabError("the last one")
            finished(made(run))

    monkeypatch.setattr(bench, "run_all", run_all)
    monkeypatch.setattr(bench, "identity", known)
    return names


def test_what_is_there_is_kept(
    tmp_path: Path, ran: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, kept = tmp_path / "built", tmp_path / "kept"
    kept.mkdir()
    with pytest.raises(LabError, match="the last one"):
        bench.bench(recipe(), folder, kept, whole=True)
    assert len(json.loads((folder / "runs.json").read_text())) == 5
    assert not list(kept.iterdir())

    text = bench.bench(recipe(), folder, kept, whole=True)
    assert ran[-2:] == [f"{POLICIES[-1]}-1"] * 2
    assert "sources 4k: 5 of 6 runs kept" in capsys.readouterr().out
    written = json.loads((folder / "sources.json").read_text())
    order = [(row["policy"], row["seed"]) for row in written]
    assert order == [(name, seed) for name in POLICIES for seed in (2, 1)]
    assert written[0]["result"] == "4k/all-fast-2.json"
    assert written == bench.read_rows(kept / "sources.json")
    assert (kept / "sources.png").stat().st_size > 0
    assert "pghot-accessed-hintfaults" in text

    # From what is kept alone, as in a new clone; a part does not become the whole.
    ran.clear()
    before = (kept / "sources.json").read_bytes()
    bench.bench(replace(recipe(), seeds=(2,)), tmp_path / "new", kept, whole=False)
    assert not ran
    assert (kept / "sources.json").read_bytes() == before
    with pytest.raises(LabError):
        bench.bench(recipe(), tmp_path / "other", None, whole=True)
    assert len(ran) == 6


def test_a_part_in_between_loses_no_run(tmp_path: Path, ran: list[str]) -> None:
    with pytest.raises(LabError, match="the last one"):
        bench.bench(recipe(), tmp_path, None, whole=True)
    bench.bench(replace(recipe(), seeds=(2,)), tmp_path, None, whole=False)
    assert {row["seed"] for row in bench.read_rows(tmp_path / "sources.json")} == {2}
    bench.bench(recipe(), tmp_path, None, whole=True)
    assert ran[6:] == [f"{POLICIES[-1]}-1"]
    assert len(bench.read_rows(tmp_path / "sources.json")) == 6


@pytest.mark.parametrize("file", ["kept/micro.json", "micro/runs.json"])
def test_a_run_of_another_table_is_not_made_again(
    tmp_path: Path, ran: list[str], file: str
) -> None:
    """The case may have another name there."""
    (tmp_path / file).parent.mkdir()
    case = recipe().cases[0]
    rows = [made(run) for run in recipe().runs(case)]
    others = bench.make_rows(recipe(), replace(case, name="other"), map(make_row, rows))
    (tmp_path / file).write_text(json.dumps(others))
    bench.bench(recipe(), tmp_path / "sources", tmp_path / "kept", whole=False)
    assert not ran
    written = bench.read_rows(tmp_path / "sources" / "sources.json")
    assert [row["case"] for row in written] == ["4k"] * 6
    assert written[0]["result"] == "4k/all-fast-2.json"


@pytest.mark.parametrize(
    ("text", "reason"),
    [('[\n{"policy"', "truncated or not JSON"), ("{}", "is not a list of rows"), ("[1]", "rows")],
)
def test_a_broken_table(tmp_path: Path, ran: list[str], text: str, reason: str) -> None:
    (tmp_path / "runs.json").write_text(text)
    with pytest.raises(ResultError, match=rf"runs\.json: .*{reason}"):
        bench.bench(recipe(), tmp_path, None, whole=True)
    assert (tmp_path / "runs.json").read_text() == text
    assert not ran


def test_rows_of_another_make_are_not_kept(tmp_path: Path, ran: list[str]) -> None:
    old = [make_row(made(run, kernel="6.1")) for run in recipe().runs(recipe().cases[0])]
    assert fingerprint(known(recipe().runs(recipe().cases[0])[0])) != old[0]["identity"]
    (tmp_path / "runs.json").write_text(json.dumps(old))
    with pytest.raises(LabError, match="the last one"):
        bench.bench(recipe(), tmp_path, None, whole=True)
    assert len(ran) == 6
