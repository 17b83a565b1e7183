# SPDX-License-Identifier: GPL-2.0
"""What a table is made of: lab/tables/*.toml."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import UsageError
from pghotlab.base.strict import Table, parse_toml
from pghotlab.hardware.machine import Machine, check_modelled, load_machine
from pghotlab.measure.policy import BOUND, Policy, choose, load_policies
from pghotlab.measure.run import Run
from pghotlab.measure.workload import Workload, make_workload
from pghotlab.rows.summary import TIME, Score

BETTER = ("higher", "lower")


@dataclass(frozen=True)
class Case:
    """A part of a table: one workload on one machine.

    published: the score that the seed texts give for some of the policies.
    """

    name: str
    workload: Workload
    machine: Machine
    policies: tuple[Policy, ...]
    published: dict[str, float]

    @property
    def page_kind(self) -> str | None:
        """How the workload has its memory: 4k, thp, file or read; None if it does not say."""
        return self.workload.options.get("pages")


@dataclass(frozen=True)
class Recipe:
    """All runs of a table: each case with each policy and seed.

    score: by what they are compared; columns: what else of the workload's output is shown.
    bound: the policy that nothing can be better than; bound_machine: what it runs on where the
    workload does not fit the fast nodes of the case's machine, else None.
    """

    path: Path
    title: str
    seeds: tuple[int, ...]
    cases: tuple[Case, ...]
    score: Score
    columns: tuple[str, ...]
    bound: str
    bound_machine: Machine | None

    @property
    def name(self) -> str:
        """The table's name."""
        return self.path.stem

    @property
    def shipped(self) -> bool:
        """Whether it comes with the lab."""
        return self.path.resolve().parent == paths.TABLES

    def runs(self, case: Case) -> list[Run]:
        """A case's runs, seeds interleaved over policies."""
        return [
            Run(self.machine(case, policy), policy, case.workload, seed)
            for seed in self.seeds
            for policy in case.policies
        ]

    def machine(self, case: Case, policy: Policy) -> Machine:
        """The machine that a policy of a case runs on."""
        if self.bound_machine and policy.name == self.bound:
            return self.bound_machine
        return case.machine

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


def _read_machine(table: Table, key: str = "machine") -> Machine:
    name = table.text(key)
    try:
        machine = load_machine(name)
        check_modelled(machine)
    except UsageError as error:
        raise table.fail(key, str(error)) from None
    return machine


def _read_policies(table: Table) -> Sequence[Policy]:
    names = table.texts("policies")
    try:
        return [policy for policy in choose(names, load_policies()) if policy.offered]
    except UsageError as error:
        raise table.fail("policies", str(error)) from None


def _read_case(
    table: Table,
    machine: Machine | None,
    policies: Sequence[Policy],
    settings: dict[str, str],
    run: str,
) -> Case:
    name = table.text("name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise table.fail("name", f"{name!r} is not a plain folder name")
    if machine is None or table.has("machine"):
        machine = _read_machine(table)
    if not policies or table.has("policies"):
        policies = _read_policies(table)
    settings = {**settings, **table.scalars("settings")}
    policies = [
        replace(policy, files={**settings, **policy.files}, run=policy.run or run)
        for policy in policies
    ]
    workload, options = table.text("workload"), table.scalars("options")
    try:
        made = make_workload(workload, options, machine)
    except UsageError as error:
        raise table.fail("options" if options else "workload", str(error)) from None
    published = table.floats("published")
    for policy in published:
        if policy not in [known.name for known in policies]:
            raise table.fail("published", f"{policy!r} is not one of the case's policies")
    table.end()
    return Case(name, made, machine, tuple(policies), published)


def _read_score(table: Table) -> Score:
    key, name, better = table.text("key"), table.text("name"), table.text("better")
    if better not in BETTER:
        raise table.fail("better", f"must be one of {', '.join(BETTER)}, not {better!r}")
    table.end()
    return Score(key, name, better == "higher")


def load_recipe(name: str) -> Recipe:
    """Read and check a table's recipe, by name or path; UsageError names file and key.

    Machine and policies are those of all cases that do not name their own, but that the bound
    runs on the bound_machine. Settings are
    values for files of the kernel, for all policies that do not set them; a case's own come
    before the table's. The table's run is a command for all policies that have none.
    """
    path = Path(name) if name.endswith(".toml") else paths.TABLES / f"{name}.toml"
    try:
        root = parse_toml(path, path.read_bytes(), UsageError)
    except OSError as error:
        known = ", ".join(shipped_tables())
        raise UsageError(
            f"--table: {path}: {error.strerror} (tables that come with the lab: {known})"
        ) from None
    title = root.text("title")
    settings = root.scalars("settings")
    run = root.text("run") if root.has("run") else ""
    machine = _read_machine(root) if root.has("machine") else None
    seeds = root.numbers("seeds", 1)
    if not seeds or len(set(seeds)) != len(seeds):
        raise root.fail("seeds", "must be one or more numbers, none of them twice")
    policies = _read_policies(root) if root.has("policies") else ()
    cases = [_read_case(table, machine, policies, settings, run) for table in root.tables("case")]
    if len({case.name for case in cases}) != len(cases):
        raise root.fail("case", "two have the same name")
    score = _read_score(root.table("score")) if root.has("score") else TIME
    columns = tuple(root.texts("columns")) if root.has("columns") else ()
    bound = root.text("bound") if root.has("bound") else BOUND
    if bound not in load_policies():
        raise root.fail("bound", f"no policy {bound!r}")
    bound_machine = _read_machine(root, "bound_machine") if root.has("bound_machine") else None
    root.end()
    return Recipe(path, title, seeds, tuple(cases), score, columns, bound, bound_machine)
