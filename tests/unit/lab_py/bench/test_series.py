# SPDX-License-Identifier: GPL-2.0
"""What bench/series.py runs, and what it says of the results. No guest is booted."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import series
from handmade import result
from pghotlab.measure.results import RunResult, check_result, write_result
from pghotlab.series.kernel import SeriesKernel
from pghotlab.series.pair import MODULE
from pghotlab.tables.compare import Job

WITHOUT, WITH_ALL = (
    SeriesKernel("7.3.4-1", "7.3.4-series", "gcc-12", Path("linux"), Path(f"{number:02}.bzImage"))
    for number in (0, 14)
)


@pytest.fixture(name="kept")
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the rows; the kernels are there."""
    monkeypatch.setattr(series, "pair", lambda: (WITHOUT, WITH_ALL))
    monkeypatch.setattr(series, "FOLDERS", {one: tmp_path / str(one) for one in (False, True)})
    monkeypatch.setattr(series, "RESULTS", tmp_path / "series.json")
    return tmp_path / "series.json"


def test_each_policy_and_seed_is_run_on_both_kernels(kept: Path) -> None:
    runs = [job.run for job in series.jobs(series.SEEDS)]
    assert len(runs) == 2 * (1 + len(series.SEEDS))
    for module, tree in zip(runs[::2], runs[1::2], strict=True):
        assert (module.name, module.workload) == (tree.name, tree.workload)
        assert (module.kernel, tree.kernel) == (WITHOUT, WITH_ALL)
        assert tree.module is None
        assert module.module == (None if module.policy.name == series.NONE else MODULE)
    assert len({(job.folder, job.run.name) for job in series.jobs(series.SEEDS)}) == len(runs)


def runner(tree_ns: int) -> Callable[..., None]:
    """Stands for run_jobs: each run in the tree takes so long, the others two seconds."""

    def run(jobs: Sequence[Job], _name: str, _finished: Callable[[RunResult], None]) -> None:
        for job in jobs:
            ns = tree_ns if job.run.kernel is WITH_ALL else 2_000_000_000
            made = check_result(result(job.run.policy.name, job.run.seed))
            made.guest["guest_ns"] = ns
            write_result(job.folder / f"{job.run.name}.json", made)

    return run


@pytest.mark.parametrize(("tree_ns", "status"), [(2_010_000_000, 0), (2_030_000_000, 1)])
def test_times_that_differ_are_a_failure(
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tree_ns: int,
    status: int,
) -> None:
    monkeypatch.setattr(series, "run_jobs", runner(tree_ns))
    assert series.main(["1", "4"]) == status
    said = capsys.readouterr()
    assert f"2.000 / {tree_ns / 1e9:.3f}" in said.out
    assert ("series: pghot: the times differ by 1.5%, more than 1%" in said.err) is bool(status)
    rows = json.loads(kept.read_text())
    assert {row["seed"] for row in rows} == {1, 4}
    assert len(rows) == 2 * (1 + 2)
    assert sum(row["in_tree"] for row in rows) == len(rows) / 2


@pytest.mark.parametrize("words", [["1", "1"], ["0"], ["4294967296"], ["x"]])
def test_seeds_that_are_none_are_refused(words: list[str], kept: Path) -> None:
    with pytest.raises(SystemExit):
        series.main(words)
    assert not kept.exists()


def test_seeds_may_be_left_out() -> None:
    assert series.wanted_seeds([]) == list(series.SEEDS)
