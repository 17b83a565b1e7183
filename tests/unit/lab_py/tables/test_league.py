# SPDX-License-Identifier: GPL-2.0
"""The league's file and its runs: which there are, what is kept, what is wrong is named."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from handmade import result
from pghotlab import cli
from pghotlab.base import paths
from pghotlab.base.errors import LabError, ResultError, UsageError
from pghotlab.cli import main
from pghotlab.measure.results import RunResult, check_result, write_json
from pghotlab.measure.run import Run
from pghotlab.rows.summary import make_row
from pghotlab.tables import bench, league
from pghotlab.tables.compare import USUAL_SECONDS, Estimate, Job, bar
from pghotlab.tables.league import (
    Entry,
    Times,
    load_all,
    load_league,
    only,
    run_league,
    with_seeds,
)
from pghotlab.tables.recipe import load_recipe, shipped_tables

FILE = """
seeds = [1]
policies = ["numab0", "pghot"]
[[case]]
table = "micro"
case = "4k"
[[case]]
table = "overcommit"
case = "warm"
"""
NAMES = ["micro/4k", "overcommit/warm"]


def write(tmp_path: Path, text: str = FILE) -> Path:
    path = tmp_path / "league.toml"
    path.write_text(text)
    return path


def test_shipped() -> None:
    """Few enough runs, of all that pghot has to be better than."""
    entries = load_league()
    assert sum(len(entry.runs) for entry in entries) <= 80
    for entry in entries:
        policies = {policy.name for policy in entry.case.policies}
        assert {"pghot", "numab0", "numab2", "damon", entry.recipe.bound} <= policies


def test_runs_are_those_of_the_tables() -> None:
    """So that what either has made is not made again."""
    for entry in load_league():
        (case,) = load_recipe(entry.recipe.name).only([entry.case.name]).cases
        assert set(map(str, entry.runs)) <= set(map(str, load_recipe(entry.recipe.name).runs(case)))


def test_all_are_those_of_the_tables() -> None:
    """With pghot without parameters, and whom it has to be better than."""
    entries = load_all()
    assert [entry.name for entry in entries] == [
        f"{table}/{case.name}" for table in shipped_tables() for case in load_recipe(table).cases
    ]
    for entry in entries:
        policies = [policy.name for policy in entry.case.policies]
        assert [name for name in policies if name.startswith("pghot")] == ["pghot"]
        assert len(policies) > 2
        table = load_recipe(entry.recipe.name)
        runs = map(str, table.runs(table.only([entry.case.name]).cases[0]))
        assert set(map(str, entry.runs)) <= set(runs)
        assert {run.seed for run in entry.runs} == {table.seeds[0]}


def test_a_case_may_differ(tmp_path: Path) -> None:
    more = 'options = { accesses = 1000 }\npolicies = ["pghot", "numab2"]\n'
    first, second = load_league(write(tmp_path, FILE + more))
    assert [first.name, second.name] == NAMES
    usual = {policy.name: policy for policy in load_recipe("overcommit").cases[0].policies}
    assert [run.name for run in first.runs] == ["numab0-1", "pghot-1"]
    assert second.case.workload.options["accesses"] == "1000"
    assert second.case.workload.options["hot-share"] == "90"
    assert second.case.policies == (usual["pghot"], usual["numab2"])
    assert "tlbflush" in second.case.policies[0].run
    assert [run.seed for entry in with_seeds([second], [4, 5]) for run in entry.runs] == [
        4,
        4,
        5,
        5,
    ]


def test_only(tmp_path: Path) -> None:
    entries = load_league(write(tmp_path))
    assert only(entries, ["micro"]) == only(entries, ["micro/4k"]) == entries[:1]
    assert only(entries, ["overcommit/warm", "micro"]) == entries
    with pytest.raises(UsageError, match=r"the league has no '4k'; there are: micro/4k, overcom"):
        only(entries, ["4k"])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[1]", "[]", "seeds: must be one or more"),
        ("[1]", "[2, 2]", "seeds: must be one or more"),
        (', "pghot"', "", "policies: must have 'pghot'"),
        ('"numab0"', '"numab9"', "policies: no policy 'numab9'"),
        ('"numab0"', '"unpinned"', r"case\[0\].case: micro/4k has no policy 'unpinned'"),
        ('"micro"', '"macro"', r"case\[0\].table: .*macro.toml: No such file"),
        ('"4k"', '"5k"', r"case\[0\].case: micro has no case '5k'; there are: 4k, thp"),
        ('"4k"', '"4k"\ncolour = 1', r"case\[0\].colour: unknown key"),
        ('"4k"', '"4k"\noptions = { colour = 1 }', r"case\[0\].options: --colour: micro has no"),
        ('"overcommit"\ncase = "warm"', '"micro"\ncase = "4k"', "case: two are the same"),
        ("seeds", "colour = 1\nseeds", "colour: unknown key"),
        ("seeds", "seeds = ", "not TOML"),
    ],
)
def test_wrong_file(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in FILE
    with pytest.raises(UsageError, match=f"league.toml: {reason}"):
        load_league(write(tmp_path, FILE.replace(old, new, 1)))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none.toml: No such file"):
        load_league(tmp_path / "none.toml")


def made(run: Run, seconds: float = 50.0) -> RunResult:
    settings = {"sysctl": run.policy.sysctl, "files": run.policy.files, "pghot": run.policy.pghot}
    machine = {**result()["machine"], "name": run.machine.name}
    data = result(run.policy.name, run.seed, settings=settings, machine=machine)
    data |= {"workload": run.workload.name, "workload_options": run.workload.options}
    return check_result(data | {"host_seconds": seconds})


def known(run: Run) -> dict[str, Any]:
    return vars(made(run))


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """What was run, all by hand; the third one ever fails."""
    jobs: list[Job] = []

    def run_jobs(given: Sequence[Job], name: str, finished: Callable[[RunResult], None]) -> None:
        assert name == "league"
        for job in given:
            jobs.append(job)
            if len(jobs) == 3:
                raise LabError("the third one")
            finished(made(job.run))

    monkeypatch.setattr(league, "run_jobs", run_jobs)
    monkeypatch.setattr(bench, "identity", known)
    return jobs


def test_what_is_broken_off_goes_on(
    tmp_path: Path, ran: list[Job], capsys: pytest.CaptureFixture[str]
) -> None:
    entries, folder, kept = load_league(write(tmp_path)), tmp_path / "league", tmp_path / "kept"
    with pytest.raises(LabError, match="the third one"):
        run_league(entries, folder, kept)
    found = run_league(entries, folder, kept)
    assert "league: 2 of 4 runs kept" in capsys.readouterr().out
    labels = [job.label for job in ran]
    assert labels == [
        *("micro/4k numab0-1", "micro/4k pghot-1", "overcommit/warm numab0-1"),
        *("overcommit/warm numab0-1", "overcommit/warm pghot-1"),
    ]
    assert ran[0].folder == folder / "micro" / "4k"
    assert [entry.name for entry, _ in found] == NAMES
    written = bench.read_rows(folder / "league.json")
    assert written == [row for _, rows in found for row in rows]
    assert [row["result"] for row in written[:3]] == [
        *("micro/4k/numab0-1.json", "micro/4k/pghot-1.json", "overcommit/warm/numab0-1.json"),
    ]

    # A part does not lose the others' rows, and finds its own.
    ran.clear()
    run_league(entries[1:], folder, kept)
    assert not ran
    again = bench.read_rows(folder / "league.json")
    assert sorted(row["result"] for row in again) == sorted(row["result"] for row in written)


def test_rows_of_another_make_are_replaced(
    tmp_path: Path, ran: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries, folder = load_league(write(tmp_path))[:1], tmp_path / "league"
    run_league(entries, folder, tmp_path)
    monkeypatch.setattr(bench, "identity", lambda run: {**known(run), "kernel": "6.1"})
    with pytest.raises(LabError):
        run_league(entries, folder, tmp_path)
    assert len(bench.read_rows(folder / "league.json")) == 2


def test_runs_are_shared_with_the_tables(tmp_path: Path, ran: list[Job]) -> None:
    """Both ways."""
    entries = load_league(write(tmp_path))[:1]
    table = entries[0].recipe
    rows = bench.make_rows(table, entries[0].case, [make_row(made(run)) for run in entries[0].runs])
    write_json(tmp_path / "kept" / "micro.json", rows)
    run_league(entries, tmp_path / "built" / "league", tmp_path / "kept")
    assert not ran
    bench.bench(table, tmp_path / "built" / "micro", tmp_path / "nothing", whole=False)
    assert [
        row["result"] for row in bench.read_rows(tmp_path / "built" / "micro" / "micro.json")
    ] == [
        *("4k/numab0-1.json", "4k/pghot-1.json"),
    ]


def test_rows_of_a_kept_league_are_found(tmp_path: Path, ran: list[Job]) -> None:
    """By a league, and by a table."""
    entries = load_league(write(tmp_path))[:1]
    run_league(entries, tmp_path / "kept" / "league", tmp_path / "nothing")
    ran.clear()
    run_league(entries, tmp_path / "built" / "league", tmp_path / "kept")
    table = entries[0].recipe
    bench.bench(table, tmp_path / "other" / "micro", tmp_path / "kept", whole=False)
    assert not ran


def test_a_league_goes_on_elsewhere(
    tmp_path: Path, ran: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is broken off there as well, all rows so far are in one file again."""
    first, second = load_league(write(tmp_path))
    kept, there = tmp_path / "kept", tmp_path / "there"
    write_json(kept / "league" / "runs.json", [make_row(made(run)) for run in first.runs])

    def broken_off(jobs: Sequence[Job], _name: str, finished: Callable[[RunResult], None]) -> None:
        ran.append(jobs[0])
        finished(made(jobs[0].run))
        raise KeyboardInterrupt

    monkeypatch.setattr(league, "run_jobs", broken_off)
    with pytest.raises(KeyboardInterrupt):
        run_league([first, second], there, kept)
    assert [job.run for job in ran] == second.runs[:1]
    assert len(bench.read_rows(there / "league.json")) == len(first.runs) + 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [('[\n{"policy"', "truncated or not JSON"), ("{}", "is not a list of rows"), ("[1]", "rows")],
)
def test_a_broken_file_of_rows(tmp_path: Path, ran: list[Job], text: str, reason: str) -> None:
    entries, file = load_league(write(tmp_path)), tmp_path / "league" / "league.json"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(ResultError, match=rf"league\.json: .*{reason}"):
        run_league(entries, file.parent, tmp_path)
    assert file.read_text() == text
    assert not ran


def test_half_a_row_does_not_count(tmp_path: Path, ran: list[Job]) -> None:
    (entry, *_), file = load_league(write(tmp_path)), tmp_path / "league" / "league.json"
    row = make_row(made(entry.runs[0]))
    del row["series"]
    write_json(file, [row])
    run_league([entry], file.parent, tmp_path)
    assert len(ran) == 2


def test_times(tmp_path: Path) -> None:
    """By the same policy, else by others with the same workload, else as usual."""
    micro, warm = load_league(write(tmp_path))
    first, second = micro.runs
    times = Times([make_row(made(first, 70.0)), make_row(made(first, 90.0))])
    found = [times.expected(run) for run in (first, second, warm.runs[0])]
    assert found == [80, 80, USUAL_SECONDS]


def test_time_left(tmp_path: Path) -> None:
    runs = load_league(write(tmp_path))[0].runs
    jobs = [Job(run, tmp_path, run.name, 40.0) for run in (*runs, *runs)]
    estimate = Estimate(jobs, 2)
    assert estimate.left(0) == 80
    estimate.finished(jobs[0], 60.0)
    assert estimate.left(0) == 90
    # One that goes on counts in part, and is never taken to be done.
    estimate.began(jobs[1], 100.0)
    assert estimate.left(130.0) == 75
    assert estimate.share(130.0) == pytest.approx(0.375)
    assert estimate.share(10000.0) < 0.5
    for job in jobs[1:]:
        estimate.finished(job, 60.0)
    assert estimate.left(10000.0) == 0
    assert estimate.share(10000.0) == 1


def test_bar() -> None:
    assert bar(0) == "[....................]   0%"
    assert bar(0.5) == "[##########..........]  50%"
    assert bar(1) == "[####################] 100%"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree in which nothing was run yet."""
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "built")
    monkeypatch.setattr(paths, "KEPT", tmp_path / "kept")
    entries = load_league(write(tmp_path))
    monkeypatch.setattr(cli, "load_league", lambda: entries)
    return tmp_path


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["--cases", "micro/5k"], "--cases: the league has no 'micro/5k'; there are: micro/4k"),
        (["--seeds", "0"], "--seeds: '0'"),
        (["--kept", "--seeds", "1"], "--kept: is of all tables"),
        (["--kept", "--all"], "--kept: is of all tables"),
        (["--keep"], "--keep: what is kept"),
        (["--kept"], "--kept: no table in"),
    ],
)
def test_wrong_arguments(
    built: Path, argv: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["league", *argv]) == 2
    assert reason in capsys.readouterr().err
    assert not (built / "built").exists()


def test_the_command(built: Path, ran: list[Job], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["league", "--cases", "micro"]) == 0
    assert [job.label for job in ran] == ["micro/4k numab0-1", "micro/4k pghot-1"]
    out = capsys.readouterr().out
    folder = built / "built" / "league"
    assert (folder / "league.md").read_text() in f"{out}\n"
    assert (folder / "league.png").stat().st_size > 0
    standing, *_ = json.loads((folder / "standings.json").read_text())["standings"]
    assert (standing["table"], standing["case"], standing["to_none"]) == ("micro", "4k", 1.0)
    assert main(["league"]) == 1
    assert "the third one" in capsys.readouterr().err


def test_the_same_case_of_two_tables_is_run_once(
    built: Path, ran: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[Job] = []

    def run_jobs(given: Sequence[Job], _name: str, finished: Callable[[RunResult], None]) -> None:
        jobs.extend(given)
        for job in given:
            finished(made(job.run))

    monkeypatch.setattr(league, "run_jobs", run_jobs)
    argv = ["--cases", "hmu/4k", "micro/4k", "--seeds", "7"]
    assert main(["league", "--all", *argv]) == 0
    assert not (built / "kept").exists()
    names = [job.run.name for job in jobs]
    assert {"pghot-7", "numab0-7", "numab1-7", "damon-7"} <= set(names)
    assert len(set(names)) == len(names)
    jobs.clear()
    assert main(["league", "--all", "--keep", *argv]) == 0
    assert not jobs
    rows = bench.read_rows(built / "kept" / "league" / "league.json")
    results = [row["result"] for row in rows]
    assert {"hmu/4k/pghot-7.json", "micro/4k/pghot-7.json"} <= set(results)
    assert len(set(results)) == len(results)


def test_entries_have_one_case(tmp_path: Path) -> None:
    (entry, *_) = load_league(write(tmp_path))
    assert isinstance(entry, Entry)
    assert entry.recipe.cases == (entry.case,)
