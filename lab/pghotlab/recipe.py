# SPDX-License-Identifier: GPL-2.0
"""What a table is made of: lab/tables/*.toml."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pghotlab import paths
from pghotlab.errors import UsageError
from pghotlab.machine import Machine, check_modelled, load_machine
from pghotlab.policy import Policy, choose, load_policies
from pghotlab.run import Run
from pghotlab.strict import Table, parse_toml
from pghotlab.workload import Workload, make_workload


@dataclass(frozen=True)
class Case:
    """A part of a table: one workload."""

    name: str
    workload: Workload

    @property
    def page_kind(self) -> str:
        """How the workload has its memory: 4k, thp, file or read."""
        return self.workload.options["pages"]


@dataclass(frozen=True)
class Recipe:
    """All runs of a table: each case with each policy and seed."""

    name: str
    title: str
    machine: Machine
    seeds: tuple[int, ...]
    policies: tuple[Policy, ...]
    cases: tuple[Case, ...]

    def runs(self, case: Case) -> list[Run]:
        """A case's runs, seeds interleaved over policies."""
        return [
            Run(self.machine, policy, case.workload, seed)
            for seed in self.seeds
            for policy in self.policies
        ]

    def only(self, names: Sequence[str]) -> "Recipe":
        """The same with the named cases alone."""
        known = [case.name for case in self.cases]
        for name in names:
            if name not in known:
                raise UsageError(f"--cases: no case {name!r}; there are: {', '.join(known)}")
        return replace(self, cases=tuple(case for case in self.cases if case.name in names))


def shipped_tables() -> list[str]:
    """Names of the tables that come with the lab."""
    return sorted(path.stem for path in paths.TABLES.glob("*.toml"))


def _read_case(table: Table, machine: Machine) -> Case:
    name = table.text("name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise table.fail("name", f"{name!r} is not a plain folder name")
    workload, options = table.text("workload"), table.scalars("options")
    try:
        case = Case(name, make_workload(workload, options, machine))
    except UsageError as error:
        raise table.fail("options" if options else "workload", str(error)) from None
    table.end()
    return case


def load_recipe(name: str) -> Recipe:
    """Read and check a table's recipe, by name or path; UsageError names file and key."""
    path = Path(name) if name.endswith(".toml") else paths.TABLES / f"{name}.toml"
    try:
        root = parse_toml(path, path.read_bytes(), UsageError)
    except OSError as error:
        known = ", ".join(shipped_tables())
        raise UsageError(
            f"--table: {path}: {error.strerror} (tables that come with the lab: {known})"
        ) from None
    title = root.text("title")
    machine_name = root.text("machine")
    try:
        machine = load_machine(machine_name)
        check_modelled(machine)
    except UsageError as error:
        raise root.fail("machine", str(error)) from None
    seeds = root.numbers("seeds", 1)
    if not seeds or len(set(seeds)) != len(seeds):
        raise root.fail("seeds", "must be one or more numbers, none of them twice")
    names = root.texts("policies")
    try:
        policies = choose(names, load_policies())
    except UsageError as error:
        raise root.fail("policies", str(error)) from None
    cases = [_read_case(table, machine) for table in root.tables("case")]
    if len({case.name for case in cases}) != len(cases):
        raise root.fail("case", "two have the same name")
    root.end()
    return Recipe(path.stem, title, machine, seeds, tuple(policies), tuple(cases))
