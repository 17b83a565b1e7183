# SPDX-License-Identifier: GPL-2.0
"""The policies that can be compared: lab/policies.toml."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pghotlab.base import descriptors, paths
from pghotlab.base.errors import UsageError
from pghotlab.base.strict import Table, parse_toml
from pghotlab.hardware.machine import Hmu, read_hmu
from pghotlab.setup import kernels

PROVISIONS = ("fast", "slow")
# All ratios are to this one: what a stock kernel does.
REFERENCE = "numab2"
# And to this one: the best there is.
BOUND = "all-fast"
# pghot as it is without parameters: what the league is about.
OWN = "pghot"
# The rows of a table if nobody asks for others.
USUAL = ("all-fast", "numab0", "numab2", "numab2-demotion", "pghot-default", OWN)

# Nothing moves pages with these, and nothing looks for what to move.
NEUTRAL_SYSCTL = {"kernel.numa_balancing": "0"}
NEUTRAL_FILES = {"/sys/kernel/mm/numa/demotion_enabled": "0"}


@dataclass(frozen=True)
class Policy:
    """Kernel settings and, where pghot is loaded, its parameters.

    hmu: how its monitoring unit differs from that of the machine, by the names of Hmu.
    arguments: more of them for the workload's program.
    run: a command of the guest's that puts it in force, after the settings.
    since: the first kernel series that has what it needs, if not all have.
    needs: a part of the kernel that some builds are without, by its name in kernels.toml.
    """

    name: str
    title: str
    provision: str
    sysctl: dict[str, str]
    files: dict[str, str]
    pghot: dict[str, str] | None
    hmu: dict[str, int] = field(default_factory=dict)
    arguments: str = ""
    run: str = ""
    since: str = ""
    needs: str = ""

    @property
    def missing(self) -> str:
        """What it needs and the selected kernel does not have; "" if it has everything."""
        series = kernels.selected()
        if self.since and kernels.version(series.number) < kernels.version(self.since):
            return f"a kernel of {self.since} or newer"
        if self.needs in series.lacks:
            return f"{self.needs}, which the kernel {series.name} does not have"
        return ""

    @property
    def offered(self) -> bool:
        """Whether the selected kernel has what it needs."""
        return not self.missing

    def setup_steps(self) -> str:
        """Shell steps that put the policy in force."""
        lines = [
            f"set_value /proc/sys/{name.replace('.', '/')} {value}"
            for name, value in self.sysctl.items()
        ]
        lines += [f"set_value {file} {value}" for file, value in self.files.items()]
        if self.run:
            lines.append(self.run)
        if self.pghot is not None:
            parameters = [f"{name}={value}" for name, value in self.pghot.items()]
            lines.append(" ".join(["insmod /lib/pghot.ko", *parameters]))
        return "\n".join(lines) + "\n"

    @property
    def neutral(self) -> "Policy":
        """What is in force until a workload has its memory, if the policy is to begin after that.

        A table's settings are in it, as they may say which pages a workload gets.
        """
        files = {**self.files, **NEUTRAL_FILES}
        return replace(self, sysctl=NEUTRAL_SYSCTL, files=files, pghot=None, hmu={}, run="")

    @property
    def uses_hmu(self) -> bool:
        """Whether the guest needs the virtual hotness monitoring unit."""
        return "vhmu" in (sources(self.pghot) or "").split("+")

    def hmu_of(self, usual: Hmu) -> Hmu | None:
        """The guest's monitoring unit, None if it needs none; usual: the machine's."""
        return replace(usual, **self.hmu) if self.uses_hmu else None


def _read_hmu(table: Table) -> dict[str, int]:
    """Of a monitoring unit, what the table says."""
    said = table.remaining()
    hmu = vars(read_hmu(table))
    return {name: hmu[name] for name in said}


def _read_since(table: Table) -> str:
    series = table.text("since")
    if not re.fullmatch(r"\d+\.\d+", series):
        raise table.fail("since", f"must be a series of kernels, such as 6.12, not {series!r}")
    return series


def _read_policy(name: str, table: Table) -> Policy:
    provision = table.text("provision")
    if provision not in PROVISIONS:
        raise table.fail("provision", f"must be one of {', '.join(PROVISIONS)}, not {provision!r}")
    policy = Policy(
        name=name,
        title=table.text("title"),
        provision=provision,
        sysctl=table.scalars("sysctl"),
        files=table.scalars("files"),
        pghot=table.scalars("pghot") if table.has("pghot") else None,
        hmu=_read_hmu(table.table("hmu")) if table.has("hmu") else {},
        arguments=table.text("arguments") if table.has("arguments") else "",
        run=table.text("run") if table.has("run") else "",
        since=_read_since(table) if table.has("since") else "",
        needs=table.text("needs") if table.has("needs") else "",
    )
    if policy.hmu and not policy.uses_hmu:
        raise table.fail("hmu", "is for policies with the source vhmu")
    table.end()
    return policy


def load_policies(path: Path = paths.POLICIES) -> dict[str, Policy]:
    """All policies by name, in the file's order."""
    root = parse_toml(path, path.read_bytes(), UsageError)
    return {name: _read_policy(name, root.table(name)) for name in root.remaining()}


def sources(pghot: Mapping[str, str] | None) -> str | None:
    """The sources that pghot's parameters switch on, such as accessed+pagecache; None without it.

    Without the parameter pghot chooses them by itself: auto.
    """
    if pghot is None:
        return None
    if "enabled_sources" not in pghot:
        return "auto"
    mask = int(pghot["enabled_sources"], 0)
    return "+".join(s.name for s in descriptors.sources() if mask >> s.bit & 1)


def choose(names: Iterable[str], policies: dict[str, Policy]) -> list[Policy]:
    """The named policies; UsageError for one that is not there."""
    chosen = []
    for name in names:
        if name not in policies:
            raise UsageError(f"no policy {name!r}; there are: {', '.join(policies)}")
        chosen.append(policies[name])
    return chosen
