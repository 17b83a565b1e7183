# SPDX-License-Identifier: GPL-2.0
"""How pghot stands to its peers: ratios, means and goals, as text, as data and as a picture."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pghotlab.base import paths
from pghotlab.base.errors import ResultError
from pghotlab.cli import main
from pghotlab.measure.results import write_json
from pghotlab.report.league import (
    LAST_HALF,
    WHOLE,
    Contest,
    Standing,
    Verdict,
    as_json,
    goals,
    kept_contests,
    last_half,
    markdown,
    means,
    said,
    standings,
    table,
    verdicts,
)
from pghotlab.report.lost import lost
from pghotlab.report.written import write_league
from pghotlab.rows.summary import Row
from pghotlab.tables.recipe import load_recipe

# Seconds, of two seeds; the last half's are half of it, but for pghot, whose are 0.4 s.
TIMES = {
    "all-fast": (1.0, 1.0),
    "numab0": (5.0, 4.0),
    "numab2": (2.5, 2.5),
    "damon": (4.0, 1.0),
    "damon-cold": (2.4, 2.4),
    "pghot": (2.0, 2.0),
}


def rows(times: Mapping[str, tuple[float, ...]] = TIMES, half: bool = False) -> list[Row]:
    return [
        {
            "policy": policy,
            "seed": seed,
            "score": time,
            "measured": {"last_half_ns": 4e8 if policy == "pghot" else time / 2 * 1e9}
            if half
            else {},
        }
        for policy, seconds in times.items()
        for seed, time in enumerate(seconds, 1)
    ]


def contest(given: list[Row], name: str = "micro/4k", **changes: Any) -> Contest:
    table_name, case = name.split("/")
    made = Contest(table_name, case, "a table", more_is_better=False, bound="all-fast", rows=given)
    return replace(made, **changes)


def standing(given: list[Row], **changes: Any) -> Standing:
    (found,) = standings([contest(given, **changes)])
    return found


def test_speeds() -> None:
    """To each peer the median of both seeds; the better of DAMON's is the one that is harder."""
    found = standing(rows())
    assert (found.span, found.seeds) == (WHOLE, 2)
    assert found.to_none == pytest.approx(2.25)
    ratios = (found.to_numab2, found.to_damon, found.to_best)
    assert ratios == pytest.approx((1.25, 1.2, 1.2))
    assert (found.damon, found.best) == ("damon-cold", "damon-cold")
    assert found.to_bound == pytest.approx(0.5)
    # 3 of 4 s, 2 of 3 s.
    assert found.way == pytest.approx((3 / 4 + 2 / 3) / 2)


def test_rates() -> None:
    rates = {policy: tuple(1 / time for time in times) for policy, times in TIMES.items()}
    found, wanted = standing(rows(rates), more_is_better=True), standing(rows())
    for key in ("to_none", "to_numab2", "to_damon", "to_best", "to_bound", "way"):
        assert getattr(found, key) == pytest.approx(getattr(wanted, key))


def test_other_stock_peers_are_for_the_best_alone() -> None:
    more = {"numab3": (1.0, 1.0), "pghot-vhmu": (0.1, 0.1), "numab2-recent": (0.1, 0.1)}
    found = standing(rows({**TIMES, **more}))
    assert found.to_best == pytest.approx(0.5)
    assert found.best == "numab3"


def test_without_slow_memory() -> None:
    """As for the Java instances: what is not pinned is no balancing."""
    times = {"pinned": (1.0,), "unpinned": (2.0,), "numab1": (1.1,), "pghot": (1.25,)}
    found = standing(rows(times), bound="pinned")
    assert (found.to_none, found.to_numab2, found.to_damon) == (1.6, None, None)
    assert (found.to_best, found.to_bound, found.way) == pytest.approx((0.88, 0.8, 0.75))
    assert found.best == "numab1"


def test_only_the_same_seeds_are_compared() -> None:
    found = standing(rows({"numab0": (3.0,), "pghot": (1.0, 9.0)}))
    assert (found.seeds, found.to_none, found.to_numab2, found.way) == (2, 3.0, None, None)


def test_nothing_to_gain_is_no_way() -> None:
    assert standing(rows({**TIMES, "all-fast": (6.0, 6.0)})).way is None


def test_a_case_without_pghot_has_no_line() -> None:
    times = {name: times for name, times in TIMES.items() if name != "pghot"}
    assert standings([contest(rows(times))]) == []


def test_last_half() -> None:
    whole, half = standings([contest(rows(half=True))])
    assert (whole.span, half.span) == (WHOLE, LAST_HALF)
    assert half.to_none == pytest.approx((2.5 / 0.4 + 2 / 0.4) / 2)
    assert half.to_best == pytest.approx(1.2 / 0.4)
    assert half.best == "damon-cold"
    # As a key of the row itself, too.
    given = [{**row, "last_half_ns": 7, "measured": {}} for row in rows()]
    assert standings([contest(given)])[1].to_none == 1


@pytest.mark.parametrize("score", [None, 0, -1, "1", True])
def test_a_broken_score(score: object) -> None:
    given = rows()
    given[0]["score"] = score
    with pytest.raises(ResultError, match="the row of all-fast: score is missing or not above 0"):
        standings([contest(given)])
    given[0].pop("score")
    with pytest.raises(ResultError, match="score is missing"):
        standings([contest(given)])


def of_ratios(name: str, **ratios: Any) -> Standing:
    """A standing with these figures and no others."""
    table_name, case = name.split("/")
    none: dict[str, Any] = dict.fromkeys(("damon", "best", "way", "to_bound"))
    none |= dict.fromkeys(("to_none", "to_numab2", "to_damon", "to_best"))
    given = {"table": table_name, "case": case, "title": "t", "span": WHOLE, "seeds": 1}
    return Standing(**(none | given | ratios))


def test_means() -> None:
    lines = [
        of_ratios("a/x", to_none=0.5, to_best=0.97),
        of_ratios("a/y", to_none=2.0, to_best=0.98),
        of_ratios("a/z", to_none=8.0),
        of_ratios("a/z", to_none=1.0, span=LAST_HALF),
    ]
    found = {(mean.span, mean.key): mean for mean in means(lines)}
    assert set(found) == {(WHOLE, "to_none"), (WHOLE, "to_best"), (LAST_HALF, "to_none")}
    none, best = found[WHOLE, "to_none"], found[WHOLE, "to_best"]
    assert none.value == pytest.approx(2.0)
    assert (none.cases, none.lost) == (3, 1)
    assert (best.cases, best.lost) == (2, 1)


LINES = [
    of_ratios("micro/4k", to_none=2.5, to_numab2=1.6, to_best=1.3),
    of_ratios("micro/thp", to_none=2.5, to_numab2=1.4, to_best=1.2),
    of_ratios("micro/file", to_none=2.5, to_numab2=0.5, to_best=1.2),
    of_ratios("overcommit/warm", way=0.7, to_best=0.9),
    of_ratios("overcommit/cold-thp", way=0.79),
    of_ratios("overcommit/uniform", to_none=0.99),
    of_ratios("overcommit/well-placed", to_none=0.995),
]


def test_verdicts() -> None:
    found = {verdict.goal.split(":")[0]: verdict for verdict in verdicts(LINES)}
    assert {verdict.span for verdict in found.values()} == {WHOLE}
    told = [(verdict.met, verdict.case, verdict.cases, said(verdict)) for verdict in found.values()]
    mean = (1.3 * 1.2 * 1.2 * 0.9) ** 0.25
    numab2 = (1.6 * 1.4 * 0.5) ** (1 / 3)
    assert told == [
        (False, "overcommit/warm", 4, "missed: 0.900 (-0.080, overcommit/warm)"),
        (True, None, 4, f"**met**: {mean:.3f} ({mean - 1.1:+.3f})"),
        (False, None, 3, f"missed: {numab2:.3f} ({numab2 - 1.35:+.3f})"),
        (True, "overcommit/warm", 1, "**met**: 0.700 (+0.100)"),
        (False, "overcommit/cold-thp", 1, "missed: 0.790 (-0.010)"),
        (True, "overcommit/uniform", 2, "**met**: 0.990 (+0.000, overcommit/uniform)"),
        (False, "micro/thp", 2, "missed: 1.400 (-0.100, micro/thp)"),
        (None, None, 0, "not measured"),
    ]
    assert Verdict("g", WHOLE, 1.0, 0.9999, None, 1).met is False


def test_each_part_of_the_run_has_its_verdicts() -> None:
    half = [replace(line, span=LAST_HALF) for line in LINES[:2]]
    header, *body = goals([*LINES, *half])
    assert header == ["goal", "at least", WHOLE, LAST_HALF]
    assert [line[3] for line in body[3:6]] == ["not measured"] * 3
    assert body[0][3] == "**met**: 1.200 (+0.220, micro/thp)"


def test_table() -> None:
    lines = standings([contest(rows(half=True)), contest(rows(), "micro/thp")])
    header, first, second, mean, lost = table(lines)
    names = ["no balancing", "NUMAB2", "DAMON", "best stock peer", "all fast"]
    assert header == ["case", "seeds", *names]
    cells = ["2", "2.250", "1.250", "1.200", "1.200 (damon-cold)", "0.500"]
    assert first == ["a table: 4k", *cells]
    assert second == ["a table: thp", *cells]
    assert mean[:3] == ["**geometric mean**", "", "**2.250**"]
    assert lost[:3] == ["**cases below 0.98**", "", "0 of 2"]
    assert lost[6] == "2 of 2"
    assert len(table(lines, LAST_HALF)) == 4
    alone = of_ratios("a/x", to_none=1.0)
    assert table([alone])[1] == ["t: x", "1", "1.000", "-", "-", "-", "-"]
    assert table([alone])[2][2:4] == ["**1.000**", "-"]


def test_markdown() -> None:
    lines = markdown(standings([contest(rows())])).splitlines()
    assert lines[1] == "| --- | --- | --- | --- | --- | --- | --- |"
    assert lines[5:8] == ["", "| goal | at least | whole run |", "| --- | --- | --- |"]
    assert last_half(standings([contest(rows())])) == ""
    half = last_half(standings([contest(rows(half=True))])).splitlines()
    assert half[0] == lines[0]
    assert half[2].startswith("| a table: 4k | 2 | 5.625 |")
    assert lines[-1] == "| no idle CPUs, to NUMAB2 | 1.00 | not measured |"


def test_written(tmp_path: Path) -> None:
    contests = [contest(rows(half=True)), contest(rows(), "micro/thp")]
    text = write_league(contests, tmp_path / "new", "a title")
    assert (tmp_path / "new" / "league.md").read_text().strip() in text
    assert (tmp_path / "new" / "league.png").stat().st_size > 10_000
    data = as_json(standings(contests))
    assert [line["span"] for line in data["standings"]] == [WHOLE, LAST_HALF, WHOLE]
    assert data["goals"][0]["met"] is True
    with pytest.raises(ResultError, match="no case has rows of pghot"):
        write_league([contest(rows({"numab0": (1.0,)}))], tmp_path / "none", "a title")
    assert not (tmp_path / "none").exists()


def test_lost(tmp_path: Path) -> None:
    """What the two have done, where pghot is far below the best; not where it is not."""
    known = {"guest_ns": 2e9, "ns_to_90_percent_fast": None, "fast_share": 0.5}
    ahead = [{**row, **known} for row in rows()]
    behind = [
        {
            **row,
            **known,
            "pages_promoted": 1234,
            "pages_demoted": seed,
            "ns_to_90_percent_fast": 1e9,
        }
        if (seed := row["seed"]) and row["policy"] == "numab2"
        else {**row, **known, "pages_promoted": 0}
        for row in rows({**TIMES, "numab2": (1.0, 1.0)})
    ]
    contests = [contest(ahead, "micro/thp"), contest(behind)]
    header, line = lost(contests, standings(contests))
    assert dict(zip(header, line, strict=True)) == {
        "case": "a table: 4k",
        "to the best": "0.500",
        "the best": "numab2",
        "guest time, s": "2.00 / 2.00",
        "90 % fast after, s": "- / 1.00",
        "accesses served fast": "50 % / 50 %",
        "promoted": "0 / 1,234",
        "demoted": "- / 2",
    }
    assert lost(contests[:1], standings(contests[:1])) == []
    text = write_league(contests, tmp_path, "a title")
    assert f"\n\n| {' | '.join(header)} |\n" in (tmp_path / "league.md").read_text()
    assert f"\n| {' | '.join(line)} |\n" in text


def kept(tmp_path: Path, name: str) -> list[Row]:
    """Rows of a table, as `make bench` keeps them, with one seed that not all policies have."""
    more: dict[str, Any] = {"settings": {}, "series": {}, "heat": None}
    more |= dict.fromkeys(("score_to_numab2", "score_to_bound", "published_to_numab2"))
    given = [{**row, **more, "case": "4k"} for row in rows()]
    write_json(tmp_path / f"{name}.json", given[:-1])
    return given


def test_kept_tables(tmp_path: Path) -> None:
    """The same case of several tables counts once, for the one that has its name."""
    recipes = [load_recipe(name) for name in ("hmu", "micro", "redis", "sources")]
    for name in ("hmu", "micro", "sources"):
        kept(tmp_path, name)
    (found,) = kept_contests(recipes, tmp_path)
    assert found.name == "micro/4k"
    assert {row["seed"] for row in found.rows} == {1}
    (tmp_path / "micro.json").unlink()
    assert [one.name for one in kept_contests(recipes, tmp_path)] == ["hmu/4k"]


def test_a_kept_league_stands_for_a_table(tmp_path: Path) -> None:
    """As long as the table has no rows of pghot."""
    given = kept(tmp_path, "micro")
    write_json(tmp_path / "micro.json", [row for row in given if row["policy"] != "pghot"])
    league = [{**row, "result": f"micro/4k/{row['policy']}-{row['seed']}.json"} for row in given]
    write_json(tmp_path / "league" / "league.json", league)
    (found,) = kept_contests([load_recipe("micro")], tmp_path)
    assert (found.name, {row["seed"] for row in found.rows}) == ("micro/4k", {1, 2})
    write_json(tmp_path / "micro.json", given[:-1])
    (found,) = kept_contests([load_recipe("micro")], tmp_path)
    assert {row["seed"] for row in found.rows} == {1}


def test_kept_tables_without_pghot(tmp_path: Path) -> None:
    given = kept(tmp_path, "micro")
    write_json(tmp_path / "micro.json", [row for row in given if row["policy"] != "pghot"])
    assert kept_contests([load_recipe("micro")], tmp_path) == []


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "KEPT", tmp_path)
    kept(tmp_path, "micro")
    assert main(["league", "--kept"]) == 0
    assert "| micro-benchmark: 4k | 1 | 2.500 |" in capsys.readouterr().out
    assert (tmp_path / "league" / "league.png").exists()
    (tmp_path / "micro.json").write_text('[\n{"policy"')
    assert main(["league", "--kept"]) == 1
    assert "micro.json: truncated or not JSON" in capsys.readouterr().err
