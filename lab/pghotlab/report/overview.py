# SPDX-License-Identifier: GPL-2.0
"""All tables in one: how fast each case ran, to NUMAB2."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from pghotlab.measure.policy import OWN, REFERENCE
from pghotlab.rows.summary import Row, Score, whole_rows
from pghotlab.tables import bench
from pghotlab.tables.recipe import Case, Recipe

HINT_FAULTS = "pghot-default"
# What is shown of pghot besides: until it has rows without parameters, the best of its policies.
BEST = "pghot at its best"
HEADER = (
    *("case", "seeds", "NUMAB0", "pghot, hint faults", BEST, "DAMON", "bound"),
    *("published: NUMAB0", "pghot, hint faults", "results"),
)
NONE = "-"


def _speeds(recipe: Recipe, rows: Sequence[Row]) -> dict[str, float]:
    """Of each policy, the median over seeds; to NUMAB2, or the bound where that has no row."""
    names = dict.fromkeys(row["policy"] for row in rows)
    key = "score_to_numab2" if REFERENCE in names else "score_to_bound"
    ratios = {name: [row[key] for row in rows if row["policy"] == name] for name in names}
    return {name: _speed(recipe.score, median(values)) for name, values in ratios.items()}


def _speed(score: Score, ratio: float) -> float:
    return ratio if score.more_is_better else 1 / ratio


def _published(recipe: Recipe, rows: Sequence[Row], policy: str) -> str:
    for row in rows:
        if row["policy"] == policy and row["published_to_numab2"]:
            return f"{_speed(recipe.score, row['published_to_numab2']):.2f}"
    return NONE


def _line(recipe: Recipe, case: Case, rows: Sequence[Row], own_choice: bool) -> tuple[str, ...]:
    speeds = _speeds(recipe, rows)
    own = {name: speed for name, speed in speeds.items() if name.startswith("pghot-")}
    best = max(own, key=lambda name: own[name], default=None)
    one = {name: f"{speeds[name]:.2f}" for name in speeds}
    at_best = NONE if best is None else f"{one[best]} ({best.removeprefix('pghot-')})"
    return (
        f"{recipe.title}: {case.name}",
        str(len({row["seed"] for row in rows})),
        one.get("numab0", NONE),
        one.get(HINT_FAULTS, NONE),
        one.get(OWN, NONE) if own_choice else at_best,
        one.get("damon", NONE),
        one.get(recipe.bound, NONE),
        _published(recipe, rows, "numab0"),
        _published(recipe, rows, HINT_FAULTS),
        f"{recipe.name}.json",
    )


def overview(recipes: Sequence[Recipe], kept: Path) -> list[tuple[str, ...]]:
    """Header and a line for each case of whose seeds some have all runs in the folder kept: one
    of each policy that has runs at all.

    Speeds (or, where a table has a time for its score, its inverse) to NUMAB2's with the same
    seed, the median over these seeds: above 1 is faster. Several tables may have the same case: the
    first with hint faults has it, and the first without, which compares something else. Once some
    case has rows of pghot without parameters, these are shown in the place of its best policy.
    """
    found: list[tuple[Recipe, Case, list[Row]]] = []
    seen: list[tuple[object, ...]] = []
    for recipe in recipes:
        known = bench.read_kept(recipe, kept)
        for case in recipe.cases:
            rows = whole_rows(row for row in known if row["case"] == case.name)
            hinted = any(row["policy"] == HINT_FAULTS for row in rows)
            what = (case.machine.name, case.workload.name, case.workload.options, hinted)
            if what not in seen and rows:
                seen.append(what)
                found.append((recipe, case, rows))
    own_choice = any(row["policy"] == OWN for _, _, rows in found for row in rows)
    header = tuple(OWN if own_choice and name == BEST else name for name in HEADER)
    return [header, *(_line(recipe, case, rows, own_choice) for recipe, case, rows in found)]


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """A table for docs/results.md: the last column links to the results."""
    header, *body = lines
    out = [header, ["---"] * len(header)]
    out += [[*line[:-1], f"[{line[-1]}](results/{line[-1]})"] for line in body]
    return "\n".join(f"| {' | '.join(line)} |" for line in out)
