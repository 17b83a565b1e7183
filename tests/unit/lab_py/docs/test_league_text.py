# SPDX-License-Identifier: GPL-2.0
"""The league in the README and in docs/results.md is that of the kept rows."""

import json
import re
from pathlib import Path

from docs.shipped import DETAILS, FRONT, RESULTS, TEXT, percent
from pghotlab.measure.results import write_json
from pghotlab.report import league
from pghotlab.report.lost import lost
from pghotlab.report.overview import markdown, overview
from pghotlab.report.written import write_league
from pghotlab.tables.recipe import load_recipe, shipped_tables


def test_all_tables() -> None:
    recipes = [load_recipe(name) for name in shipped_tables()]
    assert f"\n{markdown(overview(recipes, RESULTS))}\n" in DETAILS


def league_problems(front: str, details: str, kept_in: Path) -> list[str]:
    """What a front page and its details lack of the league, or have in its place."""
    recipes = [load_recipe(name) for name in shipped_tables()]
    contests = league.kept_contests(recipes, kept_in)
    lines = league.standings(contests)
    if not lines:
        return []
    behind = lost(contests, lines)
    made, data = (
        kept_in / "league" / "standings.json",
        json.loads(json.dumps(league.as_json(lines))),
    )
    problems = {
        "the league's text": league.markdown(lines) not in details,
        "its last half": league.last_half(lines) not in details,
        "its lost cases": bool(behind) and league.as_markdown(behind) not in details,
        "its picture": "(docs/results/league/league.png)" not in front,
        "its data": not made.exists() or json.loads(made.read_text()) != data,
        "not pghot at its best": "pghot at its best" in front,
    }
    return [name for name, wrong in problems.items() if wrong]


def test_league() -> None:
    """If this fails: `PYTHONPATH=lab .cache/venv/bin/python -m pghotlab league --kept`."""
    assert league_problems(FRONT, DETAILS, RESULTS) == []


def test_front_page_sums_the_league_up() -> None:
    """Means of all cases, and how many are lost to the best peer: the table's last lines."""
    table = DETAILS[DETAILS.index("\n## The league\n") :].splitlines()
    rows = [line.strip("| ").split(" | ") for line in table]
    means = next(row[1:] for row in rows if row[0] == "**geometric mean**")
    lost_in = next(row[-2] for row in rows if row[0] == "**cases below 0.98**")
    for mean in [cell for cell in means if cell][:-1]:
        assert mean in FRONT
    assert f"In {lost_in} cases pghot is slower" in TEXT
    assert f"In {lost_in.split()[-1]} cases, all on modelled machines" in TEXT


def test_missed_goals() -> None:
    """What the README says of the cases behind them."""
    rows = {row["result"]: row for row in json.loads((RESULTS / "league/league.json").read_text())}
    cold = {name: rows[f"overcommit/cold/{name}-1.json"] for name in ("pghot", "damon")}
    begun, took = {}, {}
    for name, row in cold.items():
        series = row["series"]
        fast = next(i for i, share in enumerate(series["fast_share"]) if (share or 0) >= 0.05)
        begun[name] = f"{fast * series['interval_ns'] / 1e9:.2f} s"
        took[name] = f"{row['guest_ns'] / 1e9:.3f} s"
    assert f"**Over-committed, cold** ({took['pghot']}, DAMON {took['damon']})" in TEXT
    assert f"served fast after {begun['pghot']}, DAMON after {begun['damon']}." in TEXT
    micro = {
        name: rows[f"micro/4k/{name}-1.json"]["guest_ns"] / 1e9 for name in ("pghot", "numab2")
    }
    asked = f"would need {micro['numab2'] / 1.5:.2f} s, and the run took {micro['pghot']:.2f} s."
    assert asked in TEXT
    assert f"NUMAB2 took {micro['numab2']:.2f} s here" in TEXT
    assert f"({rows['busy/4k/pghot-1.json']['hint_faults']:,} in the run)" in TEXT
    lines = json.loads((RESULTS / "league/standings.json").read_text())["standings"]
    whole, half = (
        {f"{line['table']}/{line['case']}": line for line in lines if line["span"] == span}
        for span in (league.WHOLE, league.LAST_HALF)
    )
    assert f"pghot is {percent(1 - half['busy/4k']['to_numab2'])} slower there than NUMAB2" in TEXT
    assert f"it is {percent(1 - half['redis/even']['to_numab2'])} behind NUMAB2" in TEXT
    redis = [rows[f"redis/even/{name}-1.json"]["guest_ns"] for name in ("numab2", "pghot")]
    assert f"its whole run takes {percent(redis[0] / redis[1] - 1)} longer" in TEXT
    idle = half["overcommit/well-placed"]["to_none"]
    assert f"pghot takes {(1 / idle - 1) * 100:.1f} % longer than no balancing" in TEXT
    huge = rows["overcommit/well-placed-thp/pghot-1.json"]["pages_promoted"]
    to_none = whole["overcommit/well-placed-thp"]["to_none"]
    assert f"`well-placed-thp` takes {(1 / to_none - 1) * 100:.1f} % longer than no" in TEXT
    assert f"pghot promotes {huge:,} base pages there" in TEXT
    moving = half["micro/moving"]["to_numab2"]
    assert f"In `moving` it is {percent(1 - moving)} behind NUMAB2." in TEXT
    ways = [whole[f"overcommit/{case}"]["way"] for case in ("warm", "warm-thp")]
    assert f"(`warm` {ways[0]:.3f}, `warm-thp` {ways[1]:.3f} of the way)" in TEXT
    busy = rows["busy/4k/pghot-1.json"]["guest_ns"] / rows["busy/4k/numab2-1.json"]["guest_ns"]
    assert f"*no idle CPUs*, pghot takes {percent(1 - busy)} less time than NUMAB2" in TEXT
    assert f"pghot takes {percent(1 - busy)} less time than NUMAB2 there" in TEXT
    cases = {
        f"{name}/{case.name}": case for name in shipped_tables() for case in load_recipe(name).cases
    }
    told = TEXT[TEXT.index("Missing are `oltp") : TEXT.index("as some of their runs were not made")]
    made = {league.same_case(case) for name, case in cases.items() if name in whole}
    assert set(re.findall(r"`(\S+/\S+)`", told)) == {
        name
        for name, case in cases.items()
        if name not in whole and league.same_case(case) not in made
    }


def test_reasons_of_lost_cases() -> None:
    """Figures beside the table of these cases, and of `uniform-thp`."""
    rows = {row["result"]: row for row in json.loads((RESULTS / "league/league.json").read_text())}
    lines = json.loads((RESULTS / "league/standings.json").read_text())["standings"]
    whole = {
        f"{line['table']}/{line['case']}": line for line in lines if line["span"] == league.WHOLE
    }
    assert f"`8G-long` is {percent(whole['abench/8G-long']['to_numab2'] - 1)} faster" in TEXT
    many = whole["overcommit/many"]["to_best"]
    assert f"is {percent(many - 1)} faster than the best peer" in TEXT
    extra, bound = (rows[f"overcommit/uniform-thp/{name}-1.json"] for name in ("pghot", "all-fast"))
    assert whole["overcommit/uniform-thp"]["to_bound"] > 1
    assert f"as it promotes {extra['pages_promoted']:,} base pages into fast" in TEXT
    assert bound["pages_promoted"] == bound["pages_demoted"] == 0
    accesses = whole["pmbench/normal"]["to_none"]
    own, none = (rows[f"pmbench/normal/{name}-1.json"] for name in ("pghot", "numab0"))
    fast = (
        f"{percent(own['fast_share'])} of them are served fast, and {percent(none['fast_share'])}"
    )
    assert f"From the start to the end {fast} without balancing." in TEXT
    assert f"of which there are {(1 - accesses) * 100:.1f} % fewer" in TEXT
    assert f"its run takes {(own['guest_ns'] / none['guest_ns'] - 1) * 100:.1f} % longer" in TEXT
    assert own["pages_promoted"] == own["pages_demoted"] == 0
    assert rows["overcommit/many-thp/pghot-1.json"]["pages_promoted"] == 0


def test_league_of_given_rows(tmp_path: Path) -> None:
    rows = [row for row in json.loads((RESULTS / "micro.json").read_text()) if row["case"] == "4k"]
    own = [{**row, "policy": "pghot"} for row in rows if row["policy"] == "pghot-vhmu"]
    write_json(tmp_path / "micro.json", rows)
    assert league_problems("pghot at its best", "", tmp_path) == []
    write_json(tmp_path / "micro.json", [*rows, *own])
    found = league_problems("pghot at its best", "", tmp_path)
    assert found == ["the league's text", "its picture", "its data", "not pghot at its best"]
    contests = league.kept_contests([load_recipe("micro")], tmp_path)
    text = write_league(contests, tmp_path / "league", "a title")
    picture = "![it](docs/results/league/league.png)"
    assert league_problems(picture, text, tmp_path) == []
    assert "| micro-benchmark: 4k | 3 | 2." in text
