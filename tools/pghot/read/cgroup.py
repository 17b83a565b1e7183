# SPDX-License-Identifier: GPL-2.0
"""Control groups of version 2: their memory by node, and what moved for them."""

import re
from dataclasses import dataclass

from pghot.errors import PghotError
from pghot.read.root import Root

TOP = "sys/fs/cgroup"
# Lines of memory.numa_stat that are memory of programs and files, in bytes.
KINDS = ("anon", "file")


@dataclass(frozen=True)
class Cgroup:
    """bytes: memory by node, with that of groups below. mems: nodes of its cpuset, or empty.

    promoted: pages, by pghot and the kernel. limit: MiB/s that pghot promotes at most; None for
    no limit, or if one may not see it.
    """

    path: str
    bytes: dict[int, int]
    mems: list[int]
    promoted: int
    demoted: int
    limit: int | None
    processes: list[int]


def parse_numa_stat(lines: list[str]) -> dict[int, int]:
    """Bytes by node."""
    found: dict[int, int] = {}
    for line in lines:
        if line.split(" ")[0] in KINDS:
            for nid, value in re.findall(r"\bN(\d+)=(\d+)", line):
                found[int(nid)] = found.get(int(nid), 0) + int(value)
    return found


def _limit(root: Root, path: str) -> int | None:
    for line in root.lines("sys/kernel/mm/pghot/cgroups"):
        name, _, value = line.rpartition(" ")
        if name == path and value.isdigit():
            return int(value)
    return None


def groups(root: Root) -> list[str]:
    """The paths of all groups with a memory controller, the root group's files left out."""
    return [
        name.removeprefix(TOP).removesuffix("/memory.numa_stat")
        for name in root.names(f"{TOP}/**/memory.numa_stat")
        if name != f"{TOP}/memory.numa_stat"
    ]


def read_cgroup(root: Root, path: str) -> Cgroup:
    """A group by its path below /sys/fs/cgroup; PghotError if there is none."""
    folder = f"{TOP}/{path.strip('/')}".rstrip("/")
    if not root.has(f"{folder}/cgroup.procs"):
        raise PghotError(f"there is no control group {path}")
    stat = root.table(f"{folder}/memory.stat")
    inside = [folder, *(n.rpartition("/")[0] for n in root.names(f"{folder}/**/cgroup.procs"))]
    pids = {int(line) for one in inside for line in root.lines(f"{one}/cgroup.procs")}
    return Cgroup(
        path=f"/{path.strip('/')}",
        bytes=parse_numa_stat(root.lines(f"{folder}/memory.numa_stat")),
        mems=root.numbers(f"{folder}/cpuset.mems.effective"),
        promoted=stat.get("pgpromote_success", 0),
        demoted=sum(value for name, value in stat.items() if name.startswith("pgdemote_")),
        limit=_limit(root, f"/{path.strip('/')}"),
        processes=sorted(pids),
    )
