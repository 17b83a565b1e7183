# SPDX-License-Identifier: GPL-2.0
"""What is run to try a program: a table's recipe that was made from the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pghotlab.base.errors import MachineError
from pghotlab.base.units import MIB
from pghotlab.hardware.machine import Machine
from pghotlab.measure.policy import BOUND, OWN, REFERENCE, Policy
from pghotlab.measure.workload import Workload
from pghotlab.rows.summary import TIME
from pghotlab.tables.league import Entry
from pghotlab.tables.recipe import Case, Recipe
from pghotlab.trial.footprint import Footprint

# The policies if nobody asks for others.
NOTHING = "numab0"
USUAL = (BOUND, NOTHING, REFERENCE, OWN, "damon")
# As in the tables of over-committed memory: idle pages may make room, under every policy. The
# kernel finds them by accessed bits, so TLBs have to forget, as those of hardware do.
DEMOTION = {"/sys/kernel/mm/numa/demotion_enabled": "1"}
FORGET = "tlbflush 2000"
# The kernel keeps some of each node for itself: a program gets no more than this share.
USABLE = 0.9


def case_name(share: float) -> str:
    """The name of the case with this share of the footprint in fast memory, in per cent."""
    return f"fast-{share:g}"


def share_of(case: Case) -> float:
    """The share that a case is named after, in per cent."""
    return float(case.name.removeprefix("fast-"))


def fast_bytes(footprint: Footprint, share: float) -> int:
    """How much fast memory a share in per cent is: whole MiB, at least one."""
    return max(1, round(footprint.peak * share / 100 / MIB)) * MIB


def with_fast(policy: Policy, size: int, settings: Mapping[str, str]) -> Policy:
    """The policy with so much fast memory; one whose memory is fast gets all that there is."""
    limit = "" if policy.provision == "fast" else f"--fast-bytes {size}"
    files = {**DEMOTION, **settings, **policy.files}
    return replace(policy, files=files, run=policy.run or FORGET, arguments=limit)


def check_tiered(machine: Machine) -> None:
    """MachineError if the machine has no slow memory."""
    if not machine.slow_nodes:
        raise MachineError(
            f"--machine: {machine.name} has no slow memory: nothing could be tried. Take one that "
            "has memory that is slower than DRAM, such as one-socket-cxl"
        )


def check_fits(
    machine: Machine, footprint: Footprint, shares: Sequence[float], policies: Sequence[Policy]
) -> None:
    """MachineError if the program does not fit the machine's nodes as it would have to."""
    peak = footprint.peak // MIB
    free = footprint.fast_free // MIB
    fast = [policy.name for policy in policies if policy.provision == "fast"]
    if fast and peak > free:
        raise MachineError(
            f"--machine: the program needs {peak} MiB at most, and {machine.name} has only "
            f"{free} MiB of fast memory free, so that {', '.join(fast)} cannot be run. Take a "
            "machine with more fast memory, give the program less to do, or leave that policy out "
            "with --policies"
        )
    slow = int(sum(machine.nodes[n].size for n in machine.slow_nodes) * USABLE) // MIB
    for share in shares:
        size = fast_bytes(footprint, share)
        if size // MIB > free:
            raise MachineError(
                f"--fast: {share:g} % of the program's {peak} MiB are {size // MIB} MiB, and "
                f"{machine.name} has only {free} MiB of fast memory free: take a smaller share, or "
                "a machine with more fast memory"
            )
        if peak - size // MIB > slow:
            raise MachineError(
                f"--fast: with {share:g} % of the program's {peak} MiB in fast memory, the rest "
                f"does not fit the slow nodes of {machine.name}, which take {slow} MiB: take a "
                "larger share, or a machine with more slow memory"
            )


def make_recipe(
    *,
    name: str,
    machine: Machine,
    workload: Workload,
    policies: Sequence[Policy],
    shares: Sequence[float],
    seeds: Sequence[int],
    settings: Mapping[str, str],
    footprint: Footprint,
) -> Recipe:
    """A table with a case for each share of the footprint, in per cent, in fast memory."""
    cases = []
    for share in shares:
        size = fast_bytes(footprint, share)
        limited = tuple(with_fast(policy, size, settings) for policy in policies)
        cases.append(Case(case_name(share), workload, machine, limited, {}))
    title = f"{name} on {machine.name}"
    path = Path(f"{name}.toml")
    return Recipe(path, title, tuple(seeds), tuple(cases), TIME, (), BOUND, None)


def entries(recipe: Recipe) -> list[Entry]:
    """Its cases one by one, for one queue."""
    return [Entry(replace(recipe, cases=(case,))) for case in recipe.cases]
