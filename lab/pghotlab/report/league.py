# SPDX-License-Identifier: GPL-2.0
"""The league: in each case, how fast pghot without parameters is to each of its peers.

Speeds are compared between runs of the same seed, and the median over seeds counts: above 1, pghot
is faster. All of it are functions of rows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from pghotlab.base.errors import ResultError
from pghotlab.measure.policy import OWN, REFERENCE
from pghotlab.rows.summary import Row, whole_rows
from pghotlab.tables import bench
from pghotlab.tables.recipe import Case, Recipe

# Of several names the first that has rows counts. Where no memory is slow, none is moved at first.
NONE = ("numab0", "unpinned")
DAMON = ("damon", "damon-cold", "damon-goals")
STOCK = (*NONE, "numab1", REFERENCE, "numab3", *DAMON)
"""All that a stock kernel can do."""
FAR_BELOW = 0.98
"""Of the best: below it is a case that is lost."""

WHOLE = "whole run"
LAST_HALF = "last half"
SPANS = (WHOLE, LAST_HALF)

Speeds = Mapping[str, Mapping[int, float]]
"""Of each policy, by seed."""


@dataclass(frozen=True)
class Contest:
    """A case of a table, and its rows.

    more_is_better: whether the rows' score is a rate, else it is a time.
    bound: the policy that none can be better than.
    """

    table: str
    case: str
    title: str
    more_is_better: bool
    bound: str
    rows: Sequence[Row]

    @property
    def name(self) -> str:
        """TABLE/CASE."""
        return f"{self.table}/{self.case}"


@dataclass(frozen=True)
class Standing:
    """How pghot stands in a case, over a part of the run.

    to_...: its speed to that of a peer, None where there is no such row; peers are named where
    there are several to choose from. way: which part of the time that all memory fast takes less
    than no balancing pghot takes less; None where that gains nothing.
    """

    table: str
    case: str
    title: str
    span: str
    seeds: int
    to_none: float | None
    to_numab2: float | None
    to_damon: float | None
    damon: str | None
    to_best: float | None
    best: str | None
    to_bound: float | None
    way: float | None

    @property
    def name(self) -> str:
        """TABLE/CASE."""
        return f"{self.table}/{self.case}"


@dataclass(frozen=True)
class Mean:
    """A geometric mean over cases, of a key of Standing; lost: how many are far below 1."""

    span: str
    key: str
    value: float
    cases: int
    lost: int


@dataclass(frozen=True)
class Verdict:
    """A goal and what was reached; value is None where no case tells.

    case: the one that decides, where it is the worst of several.
    """

    goal: str
    span: str
    least: float
    value: float | None
    case: str | None
    cases: int

    @property
    def met(self) -> bool | None:
        """Whether it was reached; None if no case tells."""
        return None if self.value is None else self.value >= self.least


def contest(recipe: Recipe, case: Case, rows: Sequence[Row]) -> Contest:
    """A case with its rows, as they are compared."""
    more, bound = recipe.score.more_is_better, recipe.bound
    return Contest(recipe.name, case.name, recipe.title, more, bound, rows)


def _positive(row: Row, value: object, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        where = row.get("result") or row.get("policy")
        raise ResultError(f"the row of {where}: {key} is missing or not above 0")
    return float(value)


def _speed(of: Contest, row: Row, span: str) -> float | None:
    if span == LAST_HALF:
        measured = row.get("measured", {})
        ns = row.get("last_half_ns", measured.get("last_half_ns"))
        return None if ns is None else 1 / _positive(row, ns, "last_half_ns")
    score = _positive(row, row.get("score"), "score")
    return score if of.more_is_better else 1 / score


def speeds(of: Contest, span: str) -> Speeds:
    """Of the rows that have one."""
    found: dict[str, dict[int, float]] = {}
    for row in of.rows:
        speed = _speed(of, row, span)
        if speed is not None:
            found.setdefault(row["policy"], {})[row["seed"]] = speed
    return found


def _to(found: Speeds, other: str | None) -> float | None:
    """pghot's speed to another's: the median of the seeds that both have."""
    theirs = found.get(other, {}) if other else {}
    ratios = [speed / theirs[seed] for seed, speed in found[OWN].items() if seed in theirs]
    return median(ratios) if ratios else None


def _first(found: Speeds, names: Iterable[str]) -> str | None:
    return next((name for name in names if _to(found, name) is not None), None)


def _fastest(found: Speeds, names: Iterable[str]) -> str | None:
    """The one to which pghot is slowest."""
    ratios = {name: ratio for name in names if (ratio := _to(found, name)) is not None}
    return min(ratios, key=lambda name: ratios[name], default=None)


def _way(found: Speeds, none: str | None, bound: str) -> float | None:
    slow, fast = found.get(none, {}) if none else {}, found.get(bound, {})
    parts = [
        (1 / slow[seed] - 1 / speed) / (1 / slow[seed] - 1 / fast[seed])
        for seed, speed in found[OWN].items()
        if seed in slow and seed in fast and fast[seed] > slow[seed]
    ]
    return median(parts) if parts else None


def _standing(of: Contest, span: str) -> Standing | None:
    found = speeds(of, span)
    if OWN not in found:
        return None
    none = _first(found, NONE)
    damon, best = _fastest(found, DAMON), _fastest(found, STOCK)
    return Standing(
        table=of.table,
        case=of.case,
        title=of.title,
        span=span,
        seeds=len(found[OWN]),
        to_none=_to(found, none),
        to_numab2=_to(found, REFERENCE),
        to_damon=_to(found, damon),
        damon=damon,
        to_best=_to(found, best),
        best=best,
        to_bound=_to(found, of.bound),
        way=_way(found, none, of.bound),
    )


def standings(contests: Iterable[Contest]) -> list[Standing]:
    """For each contest that pghot has a row in, the whole run, and the last half if it is known."""
    return [
        standing
        for of in contests
        for span in SPANS
        if (standing := _standing(of, span)) is not None
    ]


def of_span(lines: Iterable[Standing], span: str) -> list[Standing]:
    """Those of one part of the run."""
    return [line for line in lines if line.span == span]


RATIOS = ("to_none", "to_numab2", "to_damon", "to_best", "to_bound")


def _values(lines: Iterable[Standing], key: str) -> dict[str, float]:
    """Of each case that has one."""
    return {line.name: value for line in lines if (value := getattr(line, key)) is not None}


def means(lines: Sequence[Standing]) -> list[Mean]:
    """Of each ratio that some case has."""
    found = []
    for span in SPANS:
        for key in RATIOS:
            values = _values(of_span(lines, span), key).values()
            if values:
                lost = sum(value < FAR_BELOW for value in values)
                found.append(Mean(span, key, geometric_mean(values), len(values), lost))
    return found


@dataclass(frozen=True)
class Goal:
    """What a key of all cases, or of some, has to be at least.

    cases: of these tables and cases, whatever a case's name has after a "-"; empty for all.
    mean: the geometric mean counts, else the worst case.
    """

    text: str
    key: str
    least: float
    cases: tuple[tuple[str, str], ...] = ()
    mean: bool = False

    def concerns(self, line: Standing) -> bool:
        """Whether a case is one of them."""
        return not self.cases or any(
            line.table == table and (line.case == case or line.case.startswith(f"{case}-"))
            for table, case in self.cases
        )


GOALS = (
    Goal("every case, to the best of the stock kernel", "to_best", FAR_BELOW),
    Goal("all cases, to the best of the stock kernel, mean", "to_best", 1.10, mean=True),
    Goal("all cases, to NUMAB2, mean", "to_numab2", 1.35, mean=True),
    Goal(
        "over-committed, warm: way from no balancing to all memory fast",
        *("way", 0.60, (("overcommit", "warm"),)),
    ),
    Goal("over-committed, cold: the same", "way", 0.80, (("overcommit", "cold"),)),
    Goal(
        "nothing to gain (uniform, well-placed), to no balancing",
        *("to_none", 0.99, (("overcommit", "uniform"), ("overcommit", "well-placed"))),
    ),
    Goal(
        "micro-benchmark with 4 KiB and huge pages, to NUMAB2",
        *("to_numab2", 1.5, (("micro", "4k"), ("micro", "thp"))),
    ),
    Goal("no idle CPUs, to NUMAB2", "to_numab2", 1.0, (("busy", "4k"),)),
)
"""What the project asks of pghot without parameters."""


def _verdict(goal: Goal, span: str, lines: Iterable[Standing]) -> Verdict:
    values = _values(filter(goal.concerns, lines), goal.key)
    if not values:
        return Verdict(goal.text, span, goal.least, None, None, 0)
    if goal.mean:
        mean = geometric_mean(values.values())
        return Verdict(goal.text, span, goal.least, mean, None, len(values))
    worst = min(values, key=lambda name: values[name])
    return Verdict(goal.text, span, goal.least, values[worst], worst, len(values))


def verdicts(lines: Sequence[Standing]) -> list[Verdict]:
    """Of each goal and part of the run; of the last half only if some case has it."""
    return [
        _verdict(goal, span, here)
        for goal in GOALS
        for span in SPANS
        if (here := of_span(lines, span)) or span == WHOLE
    ]


NOTHING = "-"


def _cell(value: float | None, name: str | None = None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.3f}" + (f" ({name})" if name else "")


COLUMNS: dict[str, tuple[str, Callable[[Standing], str]]] = {
    "to_none": ("no balancing", lambda line: _cell(line.to_none)),
    "to_numab2": ("NUMAB2", lambda line: _cell(line.to_numab2)),
    "to_damon": ("DAMON", lambda line: _cell(line.to_damon)),
    "to_best": ("best stock peer", lambda line: _cell(line.to_best, line.best)),
    "to_bound": ("all fast", lambda line: _cell(line.to_bound)),
}


def as_markdown(lines: Sequence[Sequence[str]]) -> str:
    """A table, of which the first line is the header."""
    header, *body = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *body))


def table(lines: Sequence[Standing], span: str = WHOLE) -> list[list[str]]:
    """Header, a line for each case, then the means and how many cases are far below 1."""
    out = [["case", "seeds", *(name for name, _ in COLUMNS.values())]]
    for line in of_span(lines, span):
        cells = [cell(line) for _, cell in COLUMNS.values()]
        out.append([f"{line.title}: {line.case}", str(line.seeds), *cells])
    known = {mean.key: mean for mean in means(lines) if mean.span == span}
    bottom: dict[str, Callable[[Mean], str]] = {
        "**geometric mean**": lambda mean: f"**{mean.value:.3f}**",
        f"**cases below {FAR_BELOW}**": lambda mean: f"{mean.lost} of {mean.cases}",
    }
    for name, cell in bottom.items():
        cells = [cell(known[key]) if key in known else NOTHING for key in COLUMNS]
        out.append([name, "", *cells])
    return out


def said(verdict: Verdict) -> str:
    """Whether a goal is met, by how much, and which case decides."""
    if verdict.value is None:
        return "not measured"
    by = verdict.value - verdict.least
    case = f", {verdict.case}" if verdict.case and verdict.cases > 1 else ""
    text = f"{verdict.value:.3f} ({by:+.3f}{case})"
    return f"**met**: {text}" if verdict.met else f"missed: {text}"


def goals(lines: Sequence[Standing]) -> list[list[str]]:
    """Header and a line for each goal."""
    spans = [span for span in SPANS if span == WHOLE or of_span(lines, span)]
    told = {(verdict.goal, verdict.span): said(verdict) for verdict in verdicts(lines)}
    body = [
        [goal.text, f"{goal.least:.2f}", *(told[goal.text, span] for span in spans)]
        for goal in GOALS
    ]
    return [["goal", "at least", *spans], *body]


def markdown(lines: Sequence[Standing]) -> str:
    """The league as the README has it: cases, then goals."""
    return f"{as_markdown(table(lines))}\n\n{as_markdown(goals(lines))}"


def last_half(lines: Sequence[Standing]) -> str:
    """The same of the last half of the run, of the cases that tell of it; empty without any."""
    return as_markdown(table(lines, LAST_HALF)) if of_span(lines, LAST_HALF) else ""


def as_json(lines: Sequence[Standing]) -> dict[str, Any]:
    """All of it as data."""
    return {
        "standings": [asdict(line) for line in lines],
        "means": [asdict(mean) for mean in means(lines)],
        "goals": [{**asdict(verdict), "met": verdict.met} for verdict in verdicts(lines)],
    }


PEERS = {"to_none": "no balancing", "to_numab2": "NUMAB2", "to_damon": "DAMON, the better policy"}
"""What the picture shows of a case."""


def marks(lines: Sequence[Standing]) -> dict[str, dict[str, dict[str, float]]]:
    """For the picture: by case, by part of the run, pghot's speed to each peer."""
    return {
        f"{whole.title}: {whole.case}": {
            line.span: {
                name: value
                for key, name in PEERS.items()
                if (value := getattr(line, key)) is not None
            }
            for line in lines
            if line.name == whole.name
        }
        for whole in of_span(lines, WHOLE)
    }


def _short(kept: Path) -> dict[str, list[Row]]:
    """The rows of `make league` in the folder kept, by TABLE/CASE."""
    path = kept / bench.LEAGUE / f"{bench.LEAGUE}.json"
    found: dict[str, list[Row]] = {}
    for row in bench.read_rows(path) if path.exists() else []:
        found.setdefault(str(Path(row["result"]).parent), []).append(row)
    return found


def kept_contests(recipes: Sequence[Recipe], kept: Path) -> list[Contest]:
    """The cases of tables in the folder kept that have rows of pghot without parameters.

    Of the seeds that all policies have a row of. Until a table has such rows, those of a league
    that is kept there stand for it. Several tables may have the same case: the one that is named as
    the workload has it, if there is one, else the first.
    """
    made: list[tuple[Recipe, Case, list[Row]]] = []
    short = _short(kept)
    for recipe in recipes:
        rows = bench.read_kept(recipe, kept)
        for case in recipe.cases:
            of_table = [row for row in rows if row["case"] == case.name]
            for given in (of_table, short.get(f"{recipe.name}/{case.name}", [])):
                mine = whole_rows(given)
                if any(row["policy"] == OWN for row in mine):
                    made.append((recipe, case, mine))
                    break
    chosen: dict[str, str] = {}
    for recipe, case, _ in sorted(made, key=lambda one: one[0].name != one[1].workload.name):
        chosen.setdefault(same_case(case), recipe.name)
    return [
        contest(recipe, case, rows)
        for recipe, case, rows in made
        if chosen[same_case(case)] == recipe.name
    ]


def same_case(case: Case) -> str:
    """What cases that are the same have in common, whichever policies a table compares."""
    first = case.policies[0]
    return str((case.machine.name, case.workload.name, case.workload.options, first.files))
