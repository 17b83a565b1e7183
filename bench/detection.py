# SPDX-License-Identifier: GPL-2.0
"""What finding hot pages costs, in kernel instructions: `make bench-detection`.

The 4 KiB case of the sources' table once more with each seed, but a test module tells pghot
of all pages at once, at the beginning: promotion without detection. What a row of the table
took beyond this is its detection, and all that its own way to promote takes more, such as
smaller batches.
Telling is taken off by a region in which it makes nothing ready, and what the machine does by
itself in the time that two runs differ by as numab0 has it.
"""

import json
import sys
from statistics import median

import recording
from pghotlab.base.errors import LabError, ResultError
from pghotlab.base.units import KIB
from pghotlab.measure.policy import REFERENCE
from pghotlab.rows.summary import Row
from pghotlab.tables.recipe import Recipe, load_recipe

TABLE, CASE = "sources", "4k"
REGIONS = ("tell", "told")
NOTHING = "numab0"
ALL = 0.99  # of the pages promoted: a run that is compared


def steps(command: str, pages: int) -> str:
    """The guest's: tell of pages that then stay, and the workload, told of."""
    return f"""
hold 1 {pages // 256}
load_pghot freq_threshold=3
mark arm
sleep 2
mark begin
record nr_pages={pages}
mark end
kill $!
wait $! || true
rmmod pghot

load_pghot freq_threshold=1
{command} >/tmp/out &
workload=$!
# It has threads as soon as its memory is where it is to be.
until [ "$(ls /proc/$workload/task | wc -l)" -gt 1 ]; do usleep 1000; done
record nr_pages={pages}
wait $workload
cat $PGHOT/stats/promoted | report promoted
report workload </tmp/out
"""


def measure_told(recipe: Recipe, seed: int) -> dict[str, int]:
    """Kernel instructions of promotion, guest time and pages promoted."""
    (case,) = recipe.cases
    pages = int(case.workload.options["bytes"]) // (4 * KIB)
    command = case.workload.command(case.machine, "slow", seed)
    guest, cost = recording.measure(
        steps(command, pages), REGIONS, f"detection/told-{seed}", seed=seed
    )
    workload = json.loads(guest.report.text("workload"))
    promoted = int(guest.report.text("promoted"))
    if not workload["verified"] or promoted < ALL * pages:
        raise LabError(f"{guest.folder}: {promoted} of {pages} pages promoted, {workload}")
    return {
        "seed": seed,
        "kernel_instructions": cost["told"] - cost["tell"],
        "guest_ns": workload["guest_ns"],
        "pages_promoted": promoted,
    }


def table_rows() -> list[Row]:
    """The case's rows of the table; ResultError when it has none of what is compared with."""
    rows = [
        row
        for row in recording.kept_rows(f"{TABLE}/{TABLE}.json", f"bench TABLE={TABLE}")
        if row["result"].startswith(f"{CASE}/")
    ]
    for policy in (NOTHING, REFERENCE):
        if policy not in [row["policy"] for row in rows]:
            raise ResultError(f"{TABLE}.json: no row of case {CASE} with policy {policy}")
    return rows


def detection(rows: list[Row], told: list[dict[str, int]]) -> dict[str, float]:
    """Kernel instructions for detection, by policy that promotes: the median of its seeds."""
    idle = median(
        row["kernel_instructions"] / row["guest_ns"] for row in rows if row["policy"] == NOTHING
    )
    by_seed = {run["seed"]: run for run in told}
    costs: dict[str, list[float]] = {}
    for row in rows:
        run = by_seed[row["seed"]]
        if row["pages_promoted"] < ALL * run["pages_promoted"]:
            continue
        longer = row["guest_ns"] - run["guest_ns"]
        cost = row["kernel_instructions"] - run["kernel_instructions"] - idle * longer
        costs.setdefault(row["policy"], []).append(cost)
    return {policy: median(values) for policy, values in costs.items()}


def main() -> int:
    """Measure, print the table, and write detection.json."""
    try:
        rows = table_rows()
        recipe = load_recipe(TABLE).only([CASE])
        seeds = sorted({row["seed"] for row in rows})
        told = []
        for seed in seeds:
            print(f"told, seed {seed} of {seeds}", flush=True)
            told.append(measure_told(recipe, seed))
    except LabError as error:
        print(f"detection: {error}", file=sys.stderr)
        return 1
    found = detection(rows, told)
    print("kernel instructions for detection, in the 4 KiB case of the sources' table")
    for policy, cost in found.items():
        print(f"{cost / 1e6:>10,.1f} M  {cost / found[REFERENCE]:>6.2f} of NUMAB2's  {policy}")
    recording.keep("detection", {"told": told, "detection": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
