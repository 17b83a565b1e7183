# SPDX-License-Identifier: GPL-2.0
"""Recipes of tables: what ships is right, what is wrong is named."""

from pathlib import Path

import pytest

from pghotlab.cli import main
from pghotlab.errors import UsageError
from pghotlab.policy import REFERENCE
from pghotlab.recipe import load_recipe, shipped_tables

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
    assert REFERENCE in [policy.name for policy in recipe.policies]


def test_the_table_of_sources_has_all_kinds_of_page() -> None:
    assert {case.page_kind for case in load_recipe("sources").cases} == {
        *("4k", "thp", "file", "read")
    }


def test_runs_interleave_seeds(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, RECIPE))
    assert (recipe.name, recipe.title, recipe.machine.name) == ("mine", "a table", "two-node")
    one, two = recipe.cases
    names = ["numab2-1", "pghot-default-1", "numab2-2", "pghot-default-2"]
    assert [run.name for run in recipe.runs(one)] == names
    assert one.workload.options["threads"] == "2"
    assert (two.name, two.workload.name, two.page_kind) == ("two", "moving", "thp")
    assert recipe.only(["two"]).cases == (two,)
    with pytest.raises(UsageError, match="no case 'three'; there are: one, two"):
        recipe.only(["two", "three"])


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
