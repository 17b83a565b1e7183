# SPDX-License-Identifier: GPL-2.0
"""A table out of its recipe: the runs that are not there yet, then rows, text and picture."""

import math
import shutil
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from pghotlab.base.errors import ResultError
from pghotlab.measure.results import RunResult, fingerprint, read_json, write_json
from pghotlab.measure.run import Run, identity
from pghotlab.rows import summary
from pghotlab.rows.summary import Column, Row
from pghotlab.tables.compare import run_all
from pghotlab.tables.recipe import Case, Recipe, shipped_tables

# What rows have had since tables are made of them alone.
SHOWN = {
    *("case", "measured", "settings", "series", "heat"),
    *("score_to_numab2", "score_to_bound", "published_to_numab2"),
}
# The folder and the file of the rows of `make league`.
LEAGUE = "league"
# In the folder of a table, or of a trial: a row for each run that was made there, so that a run of
# other cases in between does not have them made again.
RUNS = "runs.json"
# What a row has to have so that its run is not made again.
MADE = {
    *("identity", "policy", "seed", "machine", "workload", "workload_options", "guest_ns"),
    *("measured", "result", "series", "heat", "host_seconds"),
}


def read_rows(path: Path) -> list[Row]:
    """A table's rows as bench() wrote them; ResultError says what is wrong with the file."""
    rows = read_json(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ResultError(f"{path}: is not a list of rows")
    return rows


def read_kept(recipe: Recipe, kept: Path) -> list[Row]:
    """The rows of a recipe's table in the folder kept; none if they lack what tables show.

    As they do if an earlier version of the lab, or of the workload, made them.
    """
    path = kept / f"{recipe.name}.json"
    rows = read_rows(path) if path.exists() else []
    current = all(
        row.keys() >= SHOWN and row["measured"].keys() >= set(recipe.columns) for row in rows
    )
    return rows if current else []


def _wasted(rows: Sequence[Row]) -> str:
    if any(row["wasted_promotions"] is None for row in rows):
        return "-"
    return summary.whole(summary.middle(rows, "wasted_promotions"))


def _seconds_to_90(rows: Sequence[Row]) -> str:
    times = [row["ns_to_90_percent_fast"] for row in rows]
    time = median(math.inf if ns is None else ns for ns in times)
    return "never" if math.isinf(time) else f"{time / 1e9:.2f}"


def _published(rows: Sequence[Row]) -> str:
    score = rows[0]["published"]
    return summary.figures(score) if score else "-"


def _measured(key: str) -> Column:
    def cell(rows: Sequence[Row]) -> str:
        return summary.figures(median(row["measured"][key] for row in rows))

    return cell


def columns(recipe: Recipe, case: Case) -> dict[str, Column]:
    """The columns of a case's table."""
    shown: dict[str, Column] = {
        recipe.score.name: summary.score_cell,
        "to NUMAB2": summary.ratio_column("score_to_numab2"),
        f"to {recipe.bound}": summary.ratio_column("score_to_bound"),
    }
    if case.published:
        shown["published"] = _published
        shown["published to NUMAB2"] = summary.ratio_column("published_to_numab2")
    shown |= {
        "last half s": summary.last_half_cell,
        "of it to NUMAB2": summary.ratio_column("last_half_to_numab2"),
    }
    shown |= {key: _measured(key) for key in recipe.columns}
    shown |= summary.PROMOTED
    if case.workload.memory is not None:
        shown |= {"wasted": _wasted, "s to 90 %": _seconds_to_90}
    return shown | summary.KERNEL


def make_rows(recipe: Recipe, case: Case, rows: Iterable[Row]) -> list[Row]:
    """The rows of a case: those of any comparison, and what the table adds.

    Heat maps are large: only the first seed's stay.
    """
    named = [
        {
            **row,
            "result": f"{case.name}/{Path(row['result']).name}",
            "case": case.name,
            "page_kind": case.page_kind,
            "heat": row["heat"] if row["seed"] == recipe.seeds[0] else None,
        }
        for row in rows
    ]
    return summary.compare_rows(named, recipe.score, recipe.bound, case.published)


def key_of(run: Run) -> str:
    """What a run is made of: its row has the same as `identity`."""
    return fingerprint(identity(run))


class Rows:
    """Rows by what they were made of: those of earlier times, of any table, and new ones.

    Each new one is in the file at once, so that what is broken off goes on from there.
    """

    def __init__(self, file: Path, earlier: Iterable[Path], begun: Iterable[Path] = ()) -> None:
        """begun: files of rows that belong into the file, too, as the work began elsewhere."""
        self._file = file
        self._earlier = _by_identity(filter(Path.exists, earlier))
        self._own = _by_identity(filter(Path.exists, [*begun, file]))
        self._lock = threading.Lock()

    @property
    def known(self) -> list[Row]:
        """All of them."""
        return list({**self._earlier, **self._own}.values())

    def find(self, run: Run) -> Row | None:
        """The row of a run that was made before."""
        key = key_of(run)
        return self._own.get(key) or self._earlier.get(key)

    def add(self, result: RunResult) -> None:
        """A run has ended."""
        row = summary.make_row(result)
        with self._lock:
            self._own[row["identity"]] = row
            write_json(self._file, list(self._own.values()))


def _by_identity(files: Iterable[Path]) -> dict[str, Row]:
    """Rows that have what is asked of them; those of an earlier version of the lab may not."""
    return {row["identity"]: row for file in files for row in read_rows(file) if row.keys() >= MADE}


def _run_case(recipe: Recipe, case: Case, rows: Rows, folder: Path) -> list[Row]:
    """All rows of a case by policy, then seed; runs only what is not there yet."""
    name = f"{recipe.name} {case.name}"
    runs = recipe.runs(case)
    missing = [run for run in runs if not rows.find(run)]
    print(f"{name}: {len(runs) - len(missing)} of {len(runs)} runs kept", flush=True)
    if missing:
        run_all(missing, folder / case.name, name, rows.add)
    ordered = [run for policy in case.policies for run in runs if run.policy is policy]
    return make_rows(recipe, case, [row for run in ordered if (row := rows.find(run))])


def text(recipe: Recipe, rows: Mapping[str, Sequence[Row]]) -> str:
    """The tables of a recipe's cases."""
    lines = [f"{recipe.title}, seeds {' '.join(map(str, recipe.seeds))}"]
    for case in recipe.cases:
        options = " ".join(f"{key}={value}" for key, value in case.workload.options.items())
        table = summary.table(rows[case.name], columns(recipe, case))
        where = case.machine.name
        if recipe.bound_machine:
            where += f" ({recipe.bound}: {recipe.bound_machine.name})"
        lines += ["", f"{case.name}: {case.workload.name} on {where}, {options}", ""]
        lines.append(summary.format_table(table))
    return "\n".join(lines)


def _first_seed(recipe: Recipe, rows: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    return {
        name: [row for row in case if row["seed"] == recipe.seeds[0]] for name, case in rows.items()
    }


def row_files(kept: Path, built: Path) -> list[Path]:
    """Files whose rows may be those of a run: all that are kept, and all that were built here.

    built: the folder of the folders of tables and of the league. A league's rows are kept in a
    folder of the same name, until they are in tables.
    """
    return [
        *(kept / f"{name}.json" for name in shipped_tables()),
        kept / LEAGUE / f"{LEAGUE}.json",
        *(built / name / RUNS for name in shipped_tables()),
        built / LEAGUE / f"{LEAGUE}.json",
    ]


def bench(recipe: Recipe, folder: Path, kept: Path | None, whole: bool) -> str:
    """Run what is missing of a recipe, and give its tables as text.

    Into the folder: CASE/POLICY-SEED.json per run, runs.json with a row for each run that was ever
    made there, NAME.json with the recipe's rows, and NAME.png of the first seed. kept: where such
    tables are kept; what has a row in one of them, or in another table's folder beside this one, is
    not run again, and if the recipe is whole, the latter two files are put there.
    """
    # Only comparisons draw, and matplotlib is slow to load.
    from pghotlab.draw.picture import draw_hot_share  # noqa: PLC0415

    rows_file, picture = (folder / f"{recipe.name}.{suffix}" for suffix in ("json", "png"))
    rows = Rows(folder / RUNS, row_files(kept, folder.parent) if kept else [])
    cases = {case.name: _run_case(recipe, case, rows, folder) for case in recipe.cases}
    write_json(rows_file, [row for case in cases.values() for row in case])
    title = f"{recipe.title}: accesses to the hot set (modelled machines)"
    draw_hot_share(_first_seed(recipe, cases), title, picture)
    files = [rows_file, picture]
    if kept and whole:
        files = [Path(shutil.copy(file, kept)) for file in files]
    return "\n".join([text(recipe, cases), "", *map(str, files)])
