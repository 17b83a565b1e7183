# SPDX-License-Identifier: GPL-2.0
"""pghot on large machines, by count and by simulation: `make bench-scale`.

The module's own files are compiled in user space (bench/scale/, bench/core/). What is counted is
exact. Of times, which are CPU time of the thread, there are several repeats.

- accessors: do pages reach the node of their process where physical memory is fragmented?
- shares: what do fair shares and limits of memory cgroups cost, and how fair are they?
- batches: how large are batches if pages of many memory cgroups lie side by side?
- scans: how long does kmigrated look for what is ready in 1, 4 and 6 TiB?
- lines: which cache lines do CPUs write that record accesses, and do others write them, too?

Into docs/results: scale.json and scale.png. `make bench-scale SCALE="lines scans"` makes some of
these tables, and keeps the others. docs/scale.md shows all of them.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import programs
import scale_batches
import scale_tables
from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.hardware.machine import host_available
from pghotlab.measure.results import write_json

Row = dict[str, Any]

MODES = ("default", "precise")
SEEDS = (1, 2, 3)
REPEATS = 7
TERABYTES = (1, 4, 6)
# Of the largest map.
HOST_BYTES = 8 << 30
DOCS = paths.ROOT / "docs" / "results"


def rows_of(program: str, *arguments: object) -> list[Row]:
    """What a program printed, a row in each line."""
    words = [str(argument) for argument in arguments]
    print(f"scale: {program} {' '.join(words)}", flush=True)
    done = subprocess.run(
        [str(paths.BUILD / "bench" / program), *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise LabError(f"{program} {' '.join(words)}: status {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def accessors() -> list[Row]:
    """Rows of all seeds, one for each case."""
    cases: dict[str, Row] = {}
    for mode in MODES:
        for seed in SEEDS:
            for row in rows_of("accessors", mode, seed):
                del row["seed"]
                key = " ".join(str(row[name]) for name in scale_tables.CASE)
                case = cases.setdefault(key, {name: row[name] for name in scale_tables.CASE})
                case.setdefault("seeds", []).append(
                    {name: value for name, value in row.items() if name not in case}
                )
    return list(cases.values())


def shares() -> list[Row]:
    """Times of single calls, and what each of many memory cgroups gets."""
    return rows_of("shares", REPEATS)


def scans() -> list[Row]:
    """As bench/core.py measures them, and of more memory."""
    if host_available() < HOST_BYTES:
        raise LabError(f"scans: needs {HOST_BYTES >> 30} GiB of free memory")
    return [
        row
        for mode in MODES
        for terabytes in TERABYTES
        for row in rows_of(f"measure-{mode}", terabytes, REPEATS, "scans")
        if row["what"] != "bytes_empty"
    ]


def lines() -> list[Row]:
    """Writes to cache lines that CPUs share."""
    return [row for mode in MODES for row in rows_of("lines", mode)]


TABLES: dict[str, Callable[[], list[Row]]] = {
    "accessors": accessors,
    "shares": shares,
    "batches": scale_batches.rows,
    "scans": scans,
    "lines": lines,
}


def wanted() -> list[str]:
    """The tables to be made, by the command line."""
    parser = argparse.ArgumentParser(description="pghot on large machines, by count.")
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)}; without any, all"
    )
    tables: list[str] = parser.parse_args().tables
    for name in tables:
        if name not in TABLES:
            parser.error(f"TABLE {name}: there are {', '.join(TABLES)}")
    return tables or list(TABLES)


def main() -> int:
    """Make the tables, print them, and write the files."""
    names = wanted()
    started = time.monotonic()
    file = DOCS / "scale.json"
    try:
        programs.build("core")
        programs.build("scale")
        results = json.loads(file.read_text()) if file.exists() else {}
        for name in names:
            results[name] = TABLES[name]()
    except LabError as error:
        print(f"scale: {error}", file=sys.stderr)
        return 1
    write_json(file, {name: results[name] for name in TABLES if name in results})
    for name in names:
        print(f"\n{scale_tables.MAKERS[name](results[name])}")
    if "accessors" in results:
        scale_tables.draw(results["accessors"], DOCS / "scale.png")
    print(f"\n{file} ({time.monotonic() - started:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
