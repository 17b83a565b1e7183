# SPDX-License-Identifier: GPL-2.0
"""A table out of its recipe: the runs that are not there yet, then rows, text and picture."""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from pghotlab import summary
from pghotlab.compare import run_all
from pghotlab.hotset import ns_to_90_percent_fast, wasted_promotions
from pghotlab.policy import sources
from pghotlab.recipe import Case, Recipe
from pghotlab.results import RunResult, write_json
from pghotlab.run import kept
from pghotlab.summary import Column, Row


def make_rows(case: Case, results: Sequence[RunResult]) -> list[Row]:
    """The rows of a case: those of any comparison, and what the table adds."""
    return [
        {
            **row,
            "result": f"{case.name}/{row['result']}",
            "source": sources(result.settings["pghot"]),
            "page_kind": case.page_kind,
            "wasted_promotions": wasted_promotions(result),
            "ns_to_90_percent_fast": ns_to_90_percent_fast(result),
        }
        for row, result in zip(summary.make_rows(results), results, strict=True)
    ]


def _wasted(rows: Sequence[Row]) -> str:
    if any(row["wasted_promotions"] is None for row in rows):
        return "-"
    return summary.whole(summary.middle(rows, "wasted_promotions"))


def _seconds_to_90(rows: Sequence[Row]) -> str:
    times = [row["ns_to_90_percent_fast"] for row in rows]
    time = median(math.inf if ns is None else ns for ns in times)
    return "never" if math.isinf(time) else f"{time / 1e9:.2f}"


COLUMNS: dict[str, Column] = {
    "source": lambda rows: rows[0]["source"] or "-",
    **summary.TIME_COLUMNS,
    **summary.PROMOTED,
    "wasted": _wasted,
    "s to 90 %": _seconds_to_90,
    **summary.KERNEL,
}


def _run_case(recipe: Recipe, case: Case, folder: Path) -> list[RunResult]:
    """All results of a case by policy, then seed; runs only what the folder does not have."""
    name = f"{recipe.name} {case.name}"
    runs = recipe.runs(case)
    results = {run.name: result for run in runs if (result := kept(run, folder))}
    print(f"{name}: {len(results)} of {len(runs)} runs kept", flush=True)
    missing = [run for run in runs if run.name not in results]
    if missing:
        results |= {result.name: result for result in run_all(missing, folder, name)}
    return [
        results[run.name]
        for policy in recipe.policies
        for run in runs
        if run.policy.name == policy.name
    ]


def bench(recipe: Recipe, folder: Path) -> str:
    """Run what is missing of a recipe, and give its tables as text.

    Into the folder: CASE/POLICY-SEED.json per run, NAME.json with all rows, and NAME.png of the
    first seed.
    """
    # Only comparisons draw, and matplotlib is slow to load.
    from pghotlab.picture import draw_hot_share  # noqa: PLC0415

    results = {case.name: _run_case(recipe, case, folder / case.name) for case in recipe.cases}
    rows = {case.name: make_rows(case, results[case.name]) for case in recipe.cases}
    files = [folder / f"{recipe.name}.{suffix}" for suffix in ("json", "png")]
    write_json(files[0], [row for case in rows.values() for row in case])
    first = {
        name: [result for result in case if result.seed == recipe.seeds[0]]
        for name, case in results.items()
    }
    title = f"{recipe.title}: accesses to the hot set, {recipe.machine.name} (modelled machine)"
    draw_hot_share(first, title, files[1])
    lines = [f"machine {recipe.machine.name}, seeds {' '.join(map(str, recipe.seeds))}"]
    for case in recipe.cases:
        options = " ".join(f"{key}={value}" for key, value in case.workload.options.items())
        table = summary.format_table(summary.table(rows[case.name], COLUMNS))
        lines += ["", f"{case.name}: {case.workload.name} {options}", "", table]
    return "\n".join([*lines, "", *map(str, files)])
