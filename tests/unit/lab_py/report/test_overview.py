# SPDX-License-Identifier: GPL-2.0
"""All tables in one: which cases it has, and what it says of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from pghotlab.measure.policy import choose, load_policies
from pghotlab.measure.results import write_json
from pghotlab.report.overview import HEADER, markdown, overview
from pghotlab.rows.summary import Row, Score
from pghotlab.tables.recipe import Case, Recipe, load_recipe

NAMES = ("all-fast", "numab0", "numab2", "pghot-default", "pghot-accessed", "pghot-mglru")
# Of both seeds, to NUMAB2.
RATIOS = {
    "all-fast": (0.5, 0.5),
    "numab0": (2.0, 2.0),
    "numab2": (1.0, 1.0),
    "pghot-default": (0.9, 1.1),
    "pghot-accessed": (0.75, 0.85),
    "pghot-mglru": (0.7, 1.5),
}


def recipe(name: str = "sources", score: Score | None = None) -> Recipe:
    shipped = load_recipe("sources")
    policies = tuple(choose(NAMES, load_policies()))
    cases = (replace(shipped.cases[0], name="4k", policies=policies),)
    path = shipped.path.with_name(f"{name}.toml")
    return replace(shipped, path=path, seeds=(1, 2), cases=cases, score=score or shipped.score)


def rows(case: Case) -> list[Row]:
    published = {"numab0": 1.25, "numab2": 1.0}
    return [
        {
            "case": case.name,
            "policy": policy.name,
            "seed": seed,
            "score_to_numab2": RATIOS[policy.name][seed - 1],
            "score_to_bound": 2 * RATIOS[policy.name][seed - 1],
            "published_to_numab2": published.get(policy.name),
            **{"measured": {}, "settings": {}, "series": {}, "heat": None},
        }
        for policy in case.policies
        for seed in (1, 2)
    ]


def line(of: Recipe, kept: Path) -> tuple[str, ...]:
    header, (only,) = overview([of], kept)[0], overview([of], kept)[1:]
    assert header == HEADER
    return only


def test_times_are_inverted(tmp_path: Path) -> None:
    """Medians first: of 0.75 and 0.85 it is 0.8, so 1.25 times as fast."""
    write_json(tmp_path / "sources.json", rows(recipe().cases[0]))
    assert line(recipe(), tmp_path) == (
        *("sources of hotness: 4k", "2", "0.50", "1.00", "1.25 (accessed)", "-", "2.00"),
        *("0.80", "-", "sources.json"),
    )


def test_rates_are_not(tmp_path: Path) -> None:
    of = recipe(score=Score("tps", "transactions a second", more_is_better=True))
    write_json(tmp_path / "sources.json", rows(of.cases[0]))
    assert line(of, tmp_path)[2:7] == ("2.00", "1.00", "1.10 (mglru)", "-", "0.50")
    assert line(of, tmp_path)[7] == "1.25"


def test_without_numab2_the_bound_is_the_measure(tmp_path: Path) -> None:
    of = recipe()
    (case,) = of.cases
    of = replace(of, cases=(replace(case, policies=case.policies[:2]),))
    write_json(tmp_path / "sources.json", rows(of.cases[0]))
    assert line(of, tmp_path)[2:7] == ("0.25", "-", "-", "-", "1.00")


@pytest.mark.parametrize("missing", [0, 5, 11])
def test_seeds_that_lack_a_run_do_not_count(tmp_path: Path, missing: int) -> None:
    found = rows(recipe().cases[0])
    left = 2 - found.pop(missing)["seed"]
    write_json(tmp_path / "sources.json", found)
    assert line(recipe(), tmp_path)[1] == "1"
    best = max(1 / RATIOS[name][left] for name in ("pghot-accessed", "pghot-mglru"))
    assert line(recipe(), tmp_path)[4].startswith(f"{best:.2f} ")


def test_a_case_without_a_whole_seed_has_no_line(tmp_path: Path) -> None:
    found = rows(recipe().cases[0])
    del found[0], found[2]
    write_json(tmp_path / "sources.json", found)
    assert overview([recipe()], tmp_path) == [HEADER]
    assert overview([recipe("none")], tmp_path) == [HEADER]


def test_a_policy_without_rows_is_left_out(tmp_path: Path) -> None:
    """As it came to the recipe after the table was made."""
    found = [row for row in rows(recipe().cases[0]) if row["policy"] != "pghot-accessed"]
    write_json(tmp_path / "sources.json", found)
    assert line(recipe(), tmp_path)[1:5] == ("2", "0.50", "1.00", "1.00 (default)")


def test_pghot_by_itself_takes_the_place_of_its_best(tmp_path: Path) -> None:
    """In all lines, also in those of tables that were made before it was there."""
    found = rows(recipe().cases[0])
    write_json(tmp_path / "sources.json", found)
    more = [{**row, "policy": "pghot"} for row in found if row["policy"] == "pghot-accessed"]
    write_json(tmp_path / "micro.json", [*found, *more])
    (case,) = recipe().cases
    policies = (*case.policies, *choose(["pghot"], load_policies()))
    moved = replace(case, policies=policies, workload=replace(case.workload, name="other"))
    header, *lines = overview([recipe(), replace(recipe("micro"), cases=(moved,))], tmp_path)
    assert header == tuple("pghot" if name == "pghot at its best" else name for name in HEADER)
    assert [line[4] for line in lines] == ["-", "1.25"]


def test_rows_of_an_earlier_version_have_no_line(tmp_path: Path) -> None:
    found = rows(recipe().cases[0])
    del found[3]["score_to_numab2"]
    write_json(tmp_path / "sources.json", found)
    assert overview([recipe()], tmp_path) == [HEADER]


def test_the_same_case_has_one_line(tmp_path: Path) -> None:
    for name in ("micro", "sources"):
        write_json(tmp_path / f"{name}.json", rows(recipe().cases[0]))
    assert [one[-1] for one in overview([recipe("micro"), recipe()], tmp_path)[1:]] == [
        "micro.json"
    ]


def test_what_compares_something_else_has_its_own_line(tmp_path: Path) -> None:
    whole, units = recipe("micro"), recipe("hmu")
    (case,) = units.cases
    unhinted = tuple(policy for policy in case.policies if policy.name != "pghot-default")
    units = replace(units, cases=(replace(case, policies=unhinted),))
    for of in (units, whole):
        write_json(tmp_path / f"{of.name}.json", rows(of.cases[0]))
    found = overview([units, whole], tmp_path)[1:]
    assert [one[-1] for one in found] == ["hmu.json", "micro.json"]
    assert found[0][3] == "-"


def test_markdown_links_to_the_results() -> None:
    lines = markdown([("case", "results"), ("a: b", "x.json")]).splitlines()
    assert lines == [
        "| case | results |",
        "| --- | --- |",
        "| a: b | [x.json](results/x.json) |",
    ]
