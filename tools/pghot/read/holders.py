# SPDX-License-Identifier: GPL-2.0
"""Who keeps the module from being unloaded."""

from dataclasses import dataclass

from pghot.read.module import SYSFS_MODULE
from pghot.read.root import Root

DEBUGFS = "sys/kernel/debug/pghot"
EVENTS = "sys/kernel/tracing"


@dataclass(frozen=True)
class Holder:
    """kind: module, process or tracing. name: of it, with the process id. holds: what."""

    kind: str
    name: str
    holds: str


def _open_files(root: Root) -> list[Holder]:
    found = []
    for link in root.names("proc/[0-9]*/fd/*"):
        try:
            target = str(root.path(link).readlink())
        except OSError:
            continue
        if f"/{DEBUGFS}/" in target or "events/pghot/" in target:
            pid = link.split("/")[1]
            comm = root.text(f"proc/{pid}/comm") or "?"
            found.append(Holder("process", f"{comm} (process {pid})", target))
        elif "anon_inode:[perf_event]" in target:
            pid = link.split("/")[1]
            comm = root.text(f"proc/{pid}/comm") or "?"
            one = Holder("process", f"{comm} (process {pid})", "perf events, maybe of pghot")
            if one not in found:
                found.append(one)
    return found


def _triggers(root: Root) -> list[Holder]:
    found = []
    for place in (EVENTS, *root.names(f"{EVENTS}/instances/*")):
        for name in root.names(f"{place}/events/pghot/*/trigger"):
            lines = [line for line in root.lines(name) if line and not line.startswith("#")]
            if lines:
                found.append(Holder("tracing", f"/{name}", lines[0]))
        for name in root.names(f"{place}/events/pghot/*/enable"):
            if root.text(name) == "1":
                found.append(Holder("tracing", f"/{name}", "the event is on"))
    return found


def read_holders(root: Root) -> list[Holder]:
    """All that can be found; of other users' processes only root sees the files."""
    modules = [
        Holder("module", name.rpartition("/")[2], "uses pghot's functions")
        for name in root.names(f"{SYSFS_MODULE}/holders/*")
    ]
    return [*modules, *_open_files(root), *_triggers(root)]
