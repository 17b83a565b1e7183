# SPDX-License-Identifier: GPL-2.0
"""A trial from its command line to its files, with guests that are not booted."""

import json
from pathlib import Path
from typing import Any

import pytest

from handmade import result
from pghotlab import cli
from pghotlab.base import paths
from pghotlab.base.errors import RunError
from pghotlab.base.units import MIB
from pghotlab.measure import run as run_module
from pghotlab.measure.results import RunResult, check_result, write_result
from pghotlab.measure.run import Run
from pghotlab.trial import trial
from pghotlab.trial.footprint import Footprint

SECONDS = {"all-fast": 10, "numab0": 20, "numab2": 15, "pghot": 11, "damon": 14}


@pytest.fixture
def executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands of runs, which take as long as SECONDS says."""
    commands: list[str] = []

    def identity(run: Run) -> dict[str, Any]:
        data = result(run.policy.name, run.seed, provision=run.policy.provision)
        return {**data, "workload": run.workload.name, "workload_command": run.command}

    def execute(run: Run, folder: Path, _progress: object) -> RunResult:
        commands.append(run.command)
        data = {**identity(run), "census": []}
        data["guest"]["guest_ns"] = SECONDS[run.policy.name] * 10**9
        made = check_result(data)
        write_result(folder / f"{run.name}.json", made)
        return made

    def measure(*_arguments: object) -> Footprint:
        return Footprint(peak=400 * MIB, fast_free=1800 * MIB, seconds=3)

    monkeypatch.setattr(run_module, "execute", execute)
    monkeypatch.setattr("pghotlab.tables.bench.identity", identity)
    monkeypatch.setattr(trial, "measure", measure)
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    return commands


def test_a_trial(tmp_path: Path, executed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["try", "--start", "a b", "--", "sort", "/dev/null"]) == 0
    said = capsys.readouterr().out
    assert len(executed) == len(SECONDS)
    limited = f"--start 'a b' --seed 1 --provision 1 --cpus-node 0 --fast-bytes {100 * MIB} --"
    assert sum(limited in command for command in executed) == len(SECONDS) - 1
    assert "25 % of 400 MiB in fast memory, 100 MiB:" in said
    assert "with pghot 10 % longer" in said
    assert "The best is pghot: it is 82 % faster than without balancing." in said
    folder = tmp_path / "try" / "sort"
    assert (folder / "fast-share.png").exists()
    page = (folder / "report" / "sort.html").read_text()
    assert "pghot, no parameters" in page
    rows = json.loads((folder / "sort.json").read_text())
    assert [row["policy"] for row in rows] == list(SECONDS)


def test_it_goes_on_where_it_was_broken_off(
    executed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for policies in (["all-fast", "numab0"], ["all-fast", "numab0", "pghot"]):
        assert cli.main(["try", "--policies", *policies, "--", "sort"]) == 0
    assert len(executed) == 3
    assert "sort: 2 of 3 runs kept" in capsys.readouterr().out


def test_a_run_that_fails_late(
    executed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def execute(*_arguments: object) -> RunResult:
        raise RunError("x/console.log:7: the steps ended with status 1")

    monkeypatch.setattr(run_module, "execute", execute)
    assert cli.main(["try", "--policies", "numab0", "--", "sort"]) == 1
    said = capsys.readouterr().err
    assert "fast-25 numab0-1: x/console.log:7: the steps ended with status 1\n" in said
    assert "The same command goes on with what is missing." in said
    assert executed == []


def test_a_sweep(tmp_path: Path, executed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--policies", "all-fast", "numab0", "pghot", "--sweep", "50", "25%", "--name", "x"]
    assert cli.main(["try", *argv, "--", "sort"]) == 0
    # Fast memory alone is the same at both shares.
    assert len(executed) == 5
    said = capsys.readouterr().out
    assert "time in relation to all-fast, by the share of fast memory:" in said
    assert "It comes within 5 % of fast memory alone: without balancing at none" in said
    assert (tmp_path / "try" / "x" / "sweep.png").exists()


def test_files_that_are_too_many(
    executed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trial, "MOST_FILES", 1e-4)
    assert cli.main(["try", "--", "sort"]) == 2
    assert "MiB of files, and two-node boots with at most" in capsys.readouterr().err
    assert executed == []
