# SPDX-License-Identifier: GPL-2.0
"""Recipes of tables: what ships is right, what is wrong is named."""

from pathlib import Path

import pytest

from pghotlab.base.errors import UsageError
from pghotlab.base.units import MIB, parse_size
from pghotlab.cli import main
from pghotlab.measure.policy import REFERENCE
from pghotlab.rows.summary import TIME, Score
from pghotlab.tables.recipe import load_recipe, shipped_tables

PEERS = {"numab0", "numab2", "damon"}
DEMOTION = "/sys/kernel/mm/numa/demotion_enabled"
RECIPE = """
title = "a table"
machine = "two-node"
seeds = [1, 2]
policies = ["numab2", "pghot-default"]
[[case]]
name = "one"
workload = "micro"
options = { threads = 2 }
[[case]]
name = "two"
workload = "moving"
options = { pages = "thp" }
"""


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", shipped_tables())
def test_shipped(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.name == name
    assert recipe.shipped
    for case in recipe.cases:
        names = {policy.name for policy in case.policies}
        # Without slow memory there is nothing that the reference would do.
        assert names >= ({recipe.bound, REFERENCE} if case.machine.slow_nodes else {recipe.bound})
        # Everywhere pghot without parameters, and all that it has to be better than.
        assert "pghot" in names
        assert names >= PEERS or not case.machine.slow_nodes
        # Where fast memory cannot hold all, that is with demotion.
        full = case.machine.name == "dram-pmem"
        assert ("damon-cold" in names) == full
        assert all(DEMOTION in policy.files for policy in case.policies) == full


def test_the_table_of_sources_has_all_kinds_of_page() -> None:
    assert {case.page_kind for case in load_recipe("sources").cases} == {
        *("4k", "thp", "file", "read")
    }


def test_over_committed_memory_is_more_than_is_fast() -> None:
    """And fits both nodes; each case is there with both kinds of pages."""
    cases = {case.name: case for case in load_recipe("overcommit").cases}
    for name, case in cases.items():
        options = {
            key: parse_size(value) for key, value in case.workload.options.items() if "bytes" in key
        }
        if case.workload.name == "tenants":
            whole = options["tenant-bytes"] * int(case.workload.options["tenants"])
            whole += options["reader-bytes"] if case.workload.options["reader"] == "own" else 0
            hot = options["hot-bytes"] * int(case.workload.options["tenants"])
            assert hot < options["fast-bytes"] or hot == whole
            assert not any(size % (2 * MIB) for size in options.values())
        else:
            whole = options["bytes"]
        fast, slow = (node.size for node in case.machine.nodes)
        assert fast < whole < (fast + slow) * 3 // 4
        if name.endswith("-thp"):
            other = cases[name.removesuffix("-thp")].workload.options
            changed = dict(case.workload.options.items() - other.items())
            assert changed.pop("pages") == "thp"
            # Huge pages need blocks that are free as a whole, and so a little more room.
            assert set(changed) <= {"fast-bytes"}
            assert all(int(size) < int(other[key]) for key, size in changed.items())
            assert set(case.workload.options) == set(other)
        else:
            assert f"{name}-thp" in cases


def test_runs_interleave_seeds(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, RECIPE))
    assert (recipe.name, recipe.title, recipe.shipped) == ("mine", "a table", False)
    assert (recipe.score, recipe.columns, recipe.bound) == (TIME, (), "all-fast")
    one, two = recipe.cases
    assert one.machine.name == two.machine.name == "two-node"
    names = ["numab2-1", "pghot-default-1", "numab2-2", "pghot-default-2"]
    assert [run.name for run in recipe.runs(one)] == names
    assert one.workload.options["threads"] == "2"
    assert (two.name, two.workload.name, two.page_kind) == ("two", "moving", "thp")
    assert recipe.only(["two"]).cases == (two,)
    with pytest.raises(UsageError, match="no case 'three'; there are: one, two"):
        recipe.only(["two", "three"])


def test_a_case_may_differ(tmp_path: Path) -> None:
    more = 'machine = "three-node"\npolicies = ["numab0"]\npublished = { numab0 = 2 }\n'
    score = '[score]\nkey = "tps"\nname = "tps"\nbetter = "higher"\n'
    more += 'settings = { "/sys/x" = 6 }\n'
    settings = '[settings]\n"/sys/x" = 5\n"/sys/y" = 7\n'
    top = 'columns = ["p50"]\nbound = "numab2"\n'
    recipe = load_recipe(write(tmp_path, top + RECIPE + more + score + settings))
    assert (recipe.score, recipe.columns, recipe.bound) == (
        Score("tps", "tps", more_is_better=True),
        ("p50",),
        "numab2",
    )
    one, two = recipe.cases
    assert (one.machine.name, two.machine.name) == ("two-node", "three-node")
    assert (one.published, two.published) == ({}, {"numab0": 2})
    assert [policy.name for policy in two.policies] == ["numab0"]
    for case, value in ((one, "5"), (two, "6")):
        files = [policy.files for policy in case.policies]
        assert {(file["/sys/x"], file["/sys/y"]) for file in files} == {(value, "7")}
    assert [run.machine.name for run in recipe.runs(two)] == ["three-node"] * 2


def test_what_a_table_runs_is_for_policies_that_run_nothing(tmp_path: Path) -> None:
    more = 'policies = ["numab0", "damon"]\n'
    recipe = load_recipe(write(tmp_path, 'run = "tlbflush 2000"\n' + RECIPE + more))
    runs = {policy.name: policy.run for case in recipe.cases for policy in case.policies}
    assert runs.pop("damon").startswith("damon sample_us=")
    assert runs == dict.fromkeys(("numab0", "numab2", "pghot-default"), "tlbflush 2000")


def test_the_bound_may_have_a_machine_of_its_own(tmp_path: Path) -> None:
    top = 'bound = "numab2"\nbound_machine = "three-node"\n'
    recipe = load_recipe(write(tmp_path, top + RECIPE))
    for case in recipe.cases:
        machines = {run.policy.name: run.machine.name for run in recipe.runs(case)}
        assert machines == {"numab2": "three-node", "pghot-default": "two-node"}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("published = { numab2 = 0 }", r"case\[1\].published.numab2: must be a number above 0"),
        ("published = { numab0 = 1 }", r"case\[1\].published: 'numab0' is not one of"),
        ('machine = "none"', r"case\[1\].machine: .*none.toml"),
        ('policies = ["none"]', r"case\[1\].policies: no policy 'none'"),
        ('[score]\nkey = "x"', "score.name: missing"),
        ('[score]\nkey = "x"\nname = "x"\nbetter = "more"', "score.better: must be one of higher"),
    ],
)
def test_wrong_case(tmp_path: Path, more: str, reason: str) -> None:
    with pytest.raises(UsageError, match=f"mine.toml: {reason}"):
        load_recipe(write(tmp_path, f"{RECIPE}{more}\n"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('title = "a table"', "", "title: missing"),
        ('"two-node"', '"none"', "machine: .*none.toml: No such file"),
        ("[1, 2]", "[]", "seeds: must be one or more"),
        ("[1, 2]", "[1, 1]", "seeds: must be one or more"),
        ("[1, 2]", "[0]", "seeds: must hold numbers of at least 1"),
        ('"numab2"', '"numab9"', "policies: no policy 'numab9'"),
        ('"numab2"', '"pghot-default"', "policies: has a text twice"),
        ('"numab2"', "2", "policies: must be one or more texts"),
        ('"two"', '"one"', "case: two have the same name"),
        ('"two"', '"../two"', r"case\[1\].name: '../two' is not a plain"),
        ('"moving"', '"none"', r"case\[1\].options: no workload 'none'"),
        ('"thp"', '"1g"', r"case\[1\].options: --pages: '1g' is not one of"),
        ("threads = 2", "colour = 2", r"case\[0\].options: --colour: micro has no such option"),
        ('name = "two"', 'name = "two"\nkind = 1', r"case\[1\].kind: unknown key"),
        ("seeds", "colour = 1\nseeds", "colour: unknown key"),
        ("seeds", 'bound = "none"\nseeds', "bound: no policy 'none'"),
        ("seeds", 'bound_machine = "none"\nseeds', "bound_machine: .*none.toml: No such file"),
        ('machine = "two-node"', "", r"case\[0\].machine: missing"),
        ("policies", "columns", r"case\[0\].policies: missing"),
    ],
)
def test_wrong_recipe(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in RECIPE
    with pytest.raises(UsageError, match=f"mine.toml: {reason}"):
        load_recipe(write(tmp_path, RECIPE.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["--table", "none"], "none.toml: No such file or directory (tables that come with"),
        (["--table", "sources", "--cases", "5k"], "--cases: no case '5k'; there are: 4k"),
        (["--table", "sources", "--seeds", "0"], "--seeds: '0'"),
    ],
)
def test_wrong_arguments(argv: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *argv]) == 2
    assert reason in capsys.readouterr().err
