# SPDX-License-Identifier: GPL-2.0
"""Does pghot in the kernel's tree do as the module does: `make series-bench`.

The demo's benchmark is run on two kernels of one source and one configuration: one without the
patch series and with the module, and one with all patches and pghot built in. Guest time should be
the same to within 1 %. `make series-bench SEEDS="1 2"` makes runs with these seeds.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from pghotlab.base.errors import LabError
from pghotlab.hardware.machine import load_machine
from pghotlab.measure.policy import choose, load_policies
from pghotlab.measure.results import read_result, write_json
from pghotlab.measure.run import Run
from pghotlab.measure.workload import make_workload
from pghotlab.rows.summary import Row, format_table, make_row
from pghotlab.series.against import RESULTS, TOLERANCE, compare, in_tree, lines
from pghotlab.series.pair import MODULE, pair
from pghotlab.series.write import OUT
from pghotlab.tables.compare import Job, run_jobs

MACHINE = "two-node"
WORKLOAD = "micro"
# Nothing is moved, which one seed shows; and pghot decides by itself.
NONE = "numab0"
POLICIES = (NONE, "pghot")
SEEDS = (1, 2, 3)
# Folders of what the runs leave behind, by whether pghot is in the tree.
FOLDERS = {False: OUT / "results" / "module", True: OUT / "results" / "tree"}


def jobs(seeds: Sequence[int]) -> list[Job]:
    """All runs, both of a policy and seed side by side."""
    machine = load_machine(MACHINE)
    workload = make_workload(WORKLOAD, {}, machine)
    without, with_all = pair()
    found = []
    for seed in seeds:
        for policy in choose(POLICIES, load_policies()):
            if policy.name == NONE and seed != seeds[0]:
                continue
            module = Run(machine, policy, workload, seed, without, MODULE)
            tree = replace(module, policy=in_tree(policy), kernel=with_all)
            found += [
                Job(run, FOLDERS[one], f"{'tree' if one else 'module'} {run.name}")
                for one, run in ((False, module), (True, tree))
            ]
    return found


def row(job: Job) -> Row:
    """The row of a run that was made."""
    made = make_row(read_result(job.folder / f"{job.run.name}.json"))
    return {**made, "in_tree": job.folder == FOLDERS[True]}


def wanted_seeds(words: Sequence[str]) -> list[int]:
    """The seeds that the command line names, or the usual ones."""
    parser = argparse.ArgumentParser(prog="series", description=__doc__.splitlines()[0])
    known = range(1, 2**32)
    parser.add_argument("seeds", nargs="*", type=int, metavar="SEED", help="default: 1 2 3")
    seeds: list[int] = parser.parse_args(words).seeds or list(SEEDS)
    if len(set(seeds)) != len(seeds) or not all(seed in known for seed in seeds):
        parser.error(f"seeds: {' '.join(words)}: different numbers from 1 to {known[-1]}")
    return seeds


def main(words: Sequence[str]) -> int:
    """Run all, print the table, and write the rows; 1 if times are further apart than they may."""
    seeds = wanted_seeds(words)
    try:
        wanted = jobs(seeds)
        run_jobs(wanted, "series", lambda _result: None)
        rows = list(map(row, wanted))
    except LabError as error:
        print(f"series: {error}", file=sys.stderr)
        return 1
    write_json(RESULTS, rows)
    compared = compare(rows)
    print(f"{format_table(lines(compared))}\n\n{RESULTS}")
    apart = [one for one in compared if not one.same]
    for one in apart:
        print(
            f"series: {one.policy}: the times differ by {abs(one.ratio - 1):.1%}, more than "
            f"{TOLERANCE:.0%}",
            file=sys.stderr,
        )
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
