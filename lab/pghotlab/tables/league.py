# SPDX-License-Identifier: GPL-2.0
"""`make league`: some cases of the tables, with few seeds and policies, in one go."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from pghotlab.base import paths
from pghotlab.base.errors import UsageError
from pghotlab.base.strict import Table, parse_toml
from pghotlab.measure.policy import OWN, choose, load_policies
from pghotlab.measure.results import write_json
from pghotlab.measure.run import Run
from pghotlab.measure.workload import make_workload
from pghotlab.rows.summary import Row
from pghotlab.tables.bench import LEAGUE, RUNS, Rows, key_of, make_rows, read_rows, row_files
from pghotlab.tables.compare import USUAL_SECONDS, Job, run_jobs
from pghotlab.tables.recipe import Case, Recipe, load_recipe, shipped_tables


@dataclass(frozen=True)
class Entry:
    """A case that takes part: its table's recipe without all that does not."""

    recipe: Recipe

    @property
    def case(self) -> Case:
        """The only case."""
        (case,) = self.recipe.cases
        return case

    @property
    def name(self) -> str:
        """TABLE/CASE."""
        return f"{self.recipe.name}/{self.case.name}"

    @property
    def runs(self) -> list[Run]:
        """All of its runs."""
        return self.recipe.runs(self.case)


def _read_entry(table: Table, policies: Sequence[str], seeds: tuple[int, ...]) -> Entry:
    if table.has("policies"):
        policies = _read_policies(table)
    name, options = table.text("case"), table.scalars("options")
    title = table.text("table")
    table.end()
    try:
        recipe = load_recipe(title)
    except UsageError as error:
        raise table.fail("table", str(error).removeprefix("--table: ")) from None
    cases = {case.name: case for case in recipe.cases}
    if name not in cases:
        raise table.fail("case", f"{title} has no case {name!r}; there are: {', '.join(cases)}")
    case = cases[name]
    known = {policy.name: policy for policy in case.policies}
    for policy in policies:
        if policy not in known:
            raise table.fail("case", f"{title}/{name} has no policy {policy!r}")
    workload = case.workload
    if options:
        try:
            given = {**workload.options, **options}
            workload = make_workload(workload.name, given, case.machine)
        except UsageError as error:
            raise table.fail("options", str(error)) from None
    chosen = tuple(known[policy] for policy in policies)
    case = replace(case, workload=workload, policies=chosen, published={})
    return Entry(replace(recipe, cases=(case,), seeds=seeds))


def _read_policies(table: Table) -> list[str]:
    names = table.texts("policies")
    try:
        chosen = choose(names, load_policies())
    except UsageError as error:
        raise table.fail("policies", str(error)) from None
    if OWN not in names:
        raise table.fail("policies", f"must have {OWN!r}, which all others are compared with")
    return [policy.name for policy in chosen if policy.offered]


def load_league(path: Path = paths.LEAGUE) -> list[Entry]:
    """Read and check the file of the league; UsageError names file and key."""
    try:
        root = parse_toml(path, path.read_bytes(), UsageError)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    seeds = root.numbers("seeds", 1)
    if not seeds or len(set(seeds)) != len(seeds):
        raise root.fail("seeds", "must be one or more numbers, none of them twice")
    policies = _read_policies(root)
    entries = [_read_entry(table, policies, seeds) for table in root.tables("case")]
    if len({entry.name for entry in entries}) != len(entries):
        raise root.fail("case", "two are the same case of the same table")
    root.end()
    return entries


def load_all() -> list[Entry]:
    """All cases of all tables, each with the first seed of its table.

    Of their policies all but those of pghot with sources that were chosen by hand.
    """
    entries = []
    for recipe in map(load_recipe, shipped_tables()):
        for case in recipe.cases:
            chosen = [policy for policy in case.policies if policy.pghot is None]
            chosen += [policy for policy in case.policies if policy.name == OWN]
            whole = replace(case, policies=tuple(chosen))
            entries.append(Entry(replace(recipe, cases=(whole,), seeds=recipe.seeds[:1])))
    return entries


def only(entries: Sequence[Entry], names: Sequence[str]) -> list[Entry]:
    """The entries with these names, each TABLE/CASE, or TABLE for all of its cases."""
    for name in names:
        if not any(name in (entry.name, entry.recipe.name) for entry in entries):
            known = ", ".join(entry.name for entry in entries)
            raise UsageError(f"--cases: the league has no {name!r}; there are: {known}")
    return [entry for entry in entries if {entry.name, entry.recipe.name} & set(names)]


def with_seeds(entries: Iterable[Entry], seeds: Sequence[int]) -> list[Entry]:
    """The same with other seeds."""
    return [Entry(replace(entry.recipe, seeds=tuple(seeds))) for entry in entries]


def _what(row: Row) -> tuple[str, ...]:
    """What was run, whoever made the programs and the module."""
    keys = ("policy", "seed", "machine", "workload", "workload_options", "settings")
    return tuple(str(row.get(key)) for key in keys)


class Times:
    """How long runs took here, by the rows that are known."""

    def __init__(self, rows: Iterable[Row], usual: float = USUAL_SECONDS) -> None:
        """usual: seconds of a run if nothing like it is known."""
        self._usual = usual
        self._times: dict[str, dict[str, list[float]]] = {}
        for row in rows:
            same = self._times.setdefault(self._key(row["workload"], row["workload_options"]), {})
            same.setdefault(row["policy"], []).append(row["host_seconds"])

    @staticmethod
    def _key(workload: str, options: Mapping[str, str]) -> str:
        return f"{workload} {sorted(options.items())}"

    def expected(self, run: Run) -> float:
        """Seconds, as with the same workload under this policy, or else under any."""
        same = self._times.get(self._key(run.workload.name, run.workload.options), {})
        times = same.get(run.policy.name) or [one for found in same.values() for one in found]
        return median(times) if times else self._usual


def run_entries(
    entries: Sequence[Entry], rows: Rows, folder: Path, name: str, usual: float = USUAL_SECONDS
) -> list[tuple[Entry, list[Row]]]:
    """Run what is missing of the entries, all in one queue, and give the rows of each.

    rows: those that are known, and where new ones go. Into the folder: ENTRY/POLICY-SEED.json for
    each run. name: for lines of progress. usual: seconds of a run if nothing like it is known.
    """
    times = Times(rows.known, usual)
    runs = [(entry, run) for entry in entries for run in entry.runs]
    missing = [(entry, run) for entry, run in runs if not rows.find(run)]
    print(f"{name}: {len(runs) - len(missing)} of {len(runs)} runs kept", flush=True)
    # Several tables may have the same case: its runs are made once.
    jobs = {
        key_of(run): Job(run, folder / entry.name, f"{entry.name} {run.name}", times.expected(run))
        for entry, run in reversed(missing)
    }
    if jobs:
        run_jobs([*reversed(jobs.values())], name, rows.add)
    found = []
    for entry in entries:
        known = [row for run in entry.runs if (row := rows.find(run))]
        made = make_rows(entry.recipe, entry.case, known)
        made = [{**row, "result": f"{entry.recipe.name}/{row['result']}"} for row in made]
        found.append((entry, made))
    return found


def run_league(entries: Sequence[Entry], folder: Path, kept: Path) -> list[tuple[Entry, list[Row]]]:
    """Run what is missing of the entries, and give the rows of each, as run_entries().

    Into the folder also league.json with all rows, even of entries that are not asked for now. What
    has a row there, in the folder kept, or in the folder of a table beside this one is not run
    again. A league that began elsewhere goes on from the rows in the folder kept.
    """
    file = folder / f"{LEAGUE}.json"
    rows = Rows(file, row_files(kept, folder.parent), begun=[kept / LEAGUE / RUNS])
    found = run_entries(entries, rows, folder, LEAGUE)
    put_rows(file, [row for _, made in found for row in made])
    return found


def put_rows(file: Path, new: Sequence[Row]) -> None:
    """Put rows into a league's file, in the place of rows of the same cases and policies."""
    replaced = set(map(_what, new))
    others = read_rows(file) if file.exists() else []
    write_json(file, [*new, *(row for row in others if _what(row) not in replaced)])
