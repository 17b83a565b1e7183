# SPDX-License-Identifier: GPL-2.0
"""What is run to try a program."""

import re
from pathlib import Path

import pytest

from pghotlab import cli
from pghotlab.base import paths
from pghotlab.base.errors import MachineError
from pghotlab.base.units import GIB, MIB
from pghotlab.hardware.machine import load_machine
from pghotlab.measure.policy import choose, load_policies
from pghotlab.measure.workload import Workload
from pghotlab.tables.recipe import Recipe
from pghotlab.trial import plan
from pghotlab.trial.footprint import Footprint

MACHINE = load_machine("two-node")
NEEDS = Footprint(peak=200 * MIB, fast_free=1800 * MIB, seconds=10)


def recipe(*shares: float) -> Recipe:
    return plan.make_recipe(
        name="job",
        machine=MACHINE,
        workload=Workload("job", "try", {"folder": "/x"}, loads_unmodelled=True, words=("/job",)),
        policies=choose(plan.USUAL, load_policies()),
        shares=shares,
        seeds=(1,),
        settings={"/sys/x": "never"},
        footprint=NEEDS,
    )


def test_a_case_for_each_share() -> None:
    cases = recipe(25, 12.5).cases
    assert [(case.name, plan.share_of(case)) for case in cases] == [
        ("fast-25", 25),
        ("fast-12.5", 12.5),
    ]
    (run,) = [run for run in recipe(25).runs(cases[0]) if run.policy.name == "pghot"]
    assert run.command == (
        f"try --folder /x --seed 1 --provision 1 --cpus-node 0 --fast-bytes {50 * MIB} -- /job"
    )
    assert run.policy.files["/sys/kernel/mm/numa/demotion_enabled"] == "1"
    assert run.policy.files["/sys/x"] == "never"
    assert "mark arm" not in run.steps()


def test_fast_memory_alone_is_the_same_at_all_shares() -> None:
    """So it is run once. The others are not."""
    made = recipe(25, 50)
    for policy, different in (("all-fast", 1), ("numab0", 2)):
        runs = [run for case in made.cases for run in made.runs(case)]
        assert len({run.command for run in runs if run.policy.name == policy}) == different


def test_tlbs_forget_under_all_policies() -> None:
    for policy in recipe(25).cases[0].policies:
        assert re.match(r"(tlbflush 2000|damon )", policy.run), policy.name


def test_one_queue() -> None:
    entries = plan.entries(recipe(25, 50))
    assert [entry.name for entry in entries] == ["job/fast-25", "job/fast-50"]


@pytest.mark.parametrize(
    ("machine", "peak", "share", "policies", "reason"),
    [
        ("two-node", 1900 * MIB, 90, ("all-fast",), "needs 1900 MiB .* only 1800 MiB of fast"),
        ("two-node", 1900 * MIB, 25, ("numab0",), "the rest does not fit the slow nodes"),
        ("two-node", 2 * GIB, 100, ("numab0",), "100 % .* only 1800 MiB of fast memory free"),
    ],
)
def test_what_does_not_fit(
    machine: str, peak: int, share: float, policies: tuple[str, ...], reason: str
) -> None:
    chosen = choose(policies, load_policies())
    found = Footprint(peak, 1800 * MIB, 10)
    with pytest.raises(MachineError, match=reason):
        plan.check_fits(load_machine(machine), found, (share,), chosen)


def test_what_fits() -> None:
    plan.check_fits(MACHINE, NEEDS, (1, 100), choose(plan.USUAL, load_policies()))
    assert plan.fast_bytes(NEEDS, 0.01) == MIB


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        ([], "no program is given: try \\[OPTIONS\\] -- COMMAND"),
        (["--fast", "much", "--", "x"], "--fast: 'much' is not a share like 25%"),
        (["--fast", "0", "--", "x"], "--fast: '0' is not above 0"),
        (["--fast", "101%", "--", "x"], "at most 100 %"),
        (["--fast", "25%", "--sweep", "--", "x"], "--fast and --sweep: give only one"),
        (["--sweep", "25%", "--", "x"], "--sweep: needs two shares or more"),
        (["--sweep", "25", "25%", "--", "x"], "none of them twice"),
        (["--limit", "0", "--", "x"], "--limit: 0 minutes are no time"),
        (["--policies", "pghot", "pghot", "--", "x"], "a policy is given twice"),
        (["--policies", "good", "--", "x"], "no policy 'good'"),
        (["--machine", "none", "--", "x"], "none.toml: No such file"),
        (["--machine", "eight-node", "--", "sort"], "eight-node has no slow memory: nothing"),
        (["--name", "a/b", "--", "x"], "--name: 'a/b' is not a plain folder name"),
        (["--marks", "--start", "x", "--", "sort"], "--marks: the program says itself when"),
        (["--", "no-such-program"], "no-such-program: there is no such program"),
    ],
)
def test_wrong_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    argv: list[str],
    reason: str,
) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    assert cli.main(["try", *argv]) == 2
    said = capsys.readouterr().err
    assert re.search(reason, said), said
    assert not list(tmp_path.rglob("*.json"))
