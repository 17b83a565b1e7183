# SPDX-License-Identifier: GPL-2.0
"""One JSON file per run: all that a table or a picture needs, and where it came from."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, get_origin

from pghotlab.base.errors import ResultError

FORMAT = 3

# What of a result is known before its run: where it is the same, the result would be.
IDENTITY = (
    *("format", "policy", "provision", "settings", "machine"),
    *("workload", "workload_options", "workload_command", "seed", "kernel", "qemu", "binaries"),
)


def fingerprint(values: Mapping[str, Any]) -> str:
    """The identity among a result's values, as a sha256."""
    identity = json.dumps({name: values[name] for name in IDENTITY}, sort_keys=True)
    return hashlib.sha256(identity.encode()).hexdigest()


@dataclass(frozen=True)
class RunResult:
    """What one run gave. All counts are whole numbers, times are in the unit they name."""

    format: int
    policy: str
    provision: str
    settings: dict[str, Any]
    """The policy's sysctl, files and pghot parameters, and the command that it runs, if any."""
    machine: dict[str, Any]
    """name, file, sha256 of the file, fast_nodes, slow_nodes."""
    workload: str
    workload_options: dict[str, str]
    workload_command: str
    seed: int
    kernel: str
    qemu: str
    binaries: dict[str, Any]
    """sha256 of the plugin, the workload's program and the module's sources: None if it was not
    loaded; and of the program that the policy runs, if any."""
    command: list[str]
    """QEMU's command line."""
    console: str
    """The kernel log, relative to the tree."""
    host_seconds: float
    guest: dict[str, Any]
    """What the workload printed; vmstat there are differences between begin and end."""
    region: dict[str, Any]
    """The plugin's counts between the workload's begin and end; "hot" there is None if the
    workload named no hot set."""
    census: list[Any]
    """Of each node: how many of the workload's pages (frames) were there after the region, and
    of how many memory served in the region (served): nothing, one access, 2 or 3, 4 to 7, ...
    Empty where the workload takes none."""
    vmstat: dict[str, int]
    """Differences over the whole workload, provisioning and verification included."""
    pghot: dict[str, int]
    """Differences of pghot's counters, over the same time; empty without it."""

    @property
    def name(self) -> str:
        """The file's name without suffix."""
        return f"{self.policy}-{self.seed}"

    @property
    def promoted(self) -> int:
        """Pages promoted between the workload's begin and end, whoever did it.

        The kernel counts no promotions by DAMON: they are what it copied.
        """
        if self.settings.get("run", "").startswith("damon "):
            return sum(map(sum, self.copies_to_fast))
        promoted: int = self.guest["vmstat"].get("pgpromote_success", 0)
        return promoted

    @property
    def copies_to_fast(self) -> list[list[int]]:
        """Pages that the kernel copied, in intervals of time, a list for each pair of nodes."""
        copies = self.region["copies"]
        return [
            copies[slow]["nodes"][fast]
            for slow in self.machine["slow_nodes"]
            for fast in self.machine["fast_nodes"]
        ]

    @property
    def promoted_by_kmigrated(self) -> int:
        """Of these, pages promoted by pghot."""
        return self.promoted - self.promoted_in_fault

    @property
    def promoted_in_fault(self) -> int:
        """Of these, pages promoted by the faulting process.

        Where pghot runs, it is what over the whole run its own counter does not have.
        """
        if not self.pghot:
            return self.promoted
        return self.vmstat.get("pgpromote_success", 0) - self.pghot["promoted"]

    @property
    def _reads_files(self) -> bool:
        """Whether system calls make the workload's accesses: the kernel's loads stand for them.

        Nearly all of these are, the rest are of the kernel's own memory and of migrations.
        """
        return self.workload_options.get("pages") == "read"

    @property
    def fast_share(self) -> float:
        """The part of the workload's memory accesses that fast nodes served, 0 to 1."""
        kinds = ("kernel_read",) if self._reads_files else ("user_read", "user_write")
        counts = [sum(node[kind] for kind in kinds) for node in self.region["nodes"]]
        fast = sum(counts[node] for node in self.machine["fast_nodes"])
        return fast / sum(counts) if sum(counts) else 0.0

    @property
    def accesses_over_time(self) -> dict[str, Any]:
        """The workload's memory accesses: interval_ns, and for each node a count per interval."""
        series: dict[str, Any] = self.region["hot" if self._reads_files else "series"]
        return series

    @property
    def hot_accesses_over_time(self) -> dict[str, Any]:
        """The same of the hot set alone; of all accesses where there is none."""
        return self.region["hot"] or self.accesses_over_time


_REGION_COUNTS = ("guest_ns", "insn_user", "insn_kernel", "insn_module", "stall_ns", "queue_ns")
_NODE_COUNTS = ("user_read", "user_write", "kernel_read", "kernel_write", "writeback", "streamed")


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_region(region: dict[str, Any], machine: dict[str, Any]) -> None:
    for key in _REGION_COUNTS:
        if not _whole(region.get(key)):
            raise ValueError(f"region.{key} is missing or no whole number")
    nodes = region.get("nodes")
    if not isinstance(nodes, list) or not nodes:
        raise ValueError("region.nodes is missing or empty")
    for i, node in enumerate(nodes):
        for key in _NODE_COUNTS:
            if not isinstance(node, dict) or not _whole(node.get(key)):
                raise ValueError(f"region.nodes[{i}].{key} is missing or no whole number")
    fast = machine.get("fast_nodes")
    if not isinstance(fast, list) or not all(_whole(n) and 0 <= n < len(nodes) for n in fast):
        raise ValueError("machine.fast_nodes does not name nodes of the region")
    _check_series("region.series", region.get("series"), len(nodes))
    _check_memory(region, len(nodes))
    if "hot" not in region:
        raise ValueError("region.hot is missing")
    if region["hot"] is None:
        return
    _check_series("region.hot", region["hot"], len(nodes))
    moves = region["hot"].get("moves_ns")
    if not isinstance(moves, list) or not moves or not all(map(_whole, moves)):
        raise ValueError("region.hot.moves_ns is missing, empty or no list of whole numbers")


def _check_memory(region: dict[str, Any], nr_nodes: int) -> None:
    """Frames in use, copies by the node they are from, and the heat map."""
    _check_series("region.used", region.get("used"), nr_nodes)
    copies, heat = region.get("copies"), region.get("heat")
    if not isinstance(copies, list) or len(copies) != nr_nodes:
        raise ValueError("region.copies is not one series per node")
    for i, series in enumerate(copies):
        _check_series(f"region.copies[{i}]", series, nr_nodes)
    if not isinstance(heat, dict) or not _whole(heat.get("piece_bytes")):
        raise ValueError("region.heat is missing or has no piece_bytes")
    nodes = heat.get("nodes")
    if not isinstance(nodes, list) or len(nodes) != nr_nodes:
        raise ValueError("region.heat.nodes is not one list per node")
    pieces = [piece for node in nodes for piece in node]
    _check_series("region.heat", {**heat, "nodes": pieces}, len(pieces))


def _check_series(name: str, series: object, nr_nodes: int) -> None:
    if not isinstance(series, dict) or not _whole(series.get("interval_ns")):
        raise ValueError(f"{name} is missing or has no interval_ns")
    rows = series.get("nodes")
    if (
        not isinstance(rows, list)
        or len(rows) != nr_nodes
        or not all(isinstance(row, list) and all(map(_whole, row)) for row in rows)
        or len({len(row) for row in rows}) != 1
    ):
        raise ValueError(f"{name}.nodes is not one equally long list of numbers per node")


def _check_census(census: list[Any], nr_nodes: int) -> None:
    if census and len(census) != nr_nodes:
        raise ValueError(f"census has {len(census)} nodes, the region {nr_nodes}")
    for i, node in enumerate(census):
        served = node.get("served") if isinstance(node, dict) else None
        if not isinstance(served, list) or not all(map(_whole, served)):
            raise ValueError(f"census[{i}].served is missing or no list of whole numbers")
        if node.get("frames") != sum(served):
            raise ValueError(f"census[{i}].frames is not the sum of served")


def _check_counts(name: str, counts: dict[str, Any]) -> None:
    for key, value in counts.items():
        if not _whole(value):
            raise ValueError(f"{name}.{key} is no whole number")


def check_result(data: object) -> RunResult:
    """A result from parsed JSON; ValueError names what is wrong in it."""
    if not isinstance(data, dict):
        raise ValueError("is not a JSON object")
    if data.get("format") != FORMAT:
        raise ValueError(f"has format {data.get('format')!r}, this lab reads {FORMAT}")
    for field in fields(RunResult):
        if field.name not in data:
            raise ValueError(f"has no {field.name}")
        kind: Any = get_origin(field.type) or field.type
        if not isinstance(data[field.name], (float, int) if kind is float else kind):
            raise ValueError(f"{field.name} is not a {kind.__name__}")
    unknown = sorted(data.keys() - {field.name for field in fields(RunResult)})
    if unknown:
        raise ValueError(f"has unknown keys: {', '.join(unknown)}")
    _check_region(data["region"], data["machine"])
    _check_census(data["census"], len(data["region"]["nodes"]))
    _check_counts("vmstat", data["vmstat"])
    _check_counts("pghot", data["pghot"])
    if not _whole(data["guest"].get("guest_ns")) or data["guest"]["guest_ns"] <= 0:
        raise ValueError("guest.guest_ns is missing or not positive")
    if not isinstance(data["guest"].get("vmstat"), dict):
        raise ValueError("guest.vmstat is missing or no object")
    _check_counts("guest.vmstat", data["guest"]["vmstat"])
    if data["pghot"] and "promoted" not in data["pghot"]:
        raise ValueError("pghot.promoted is missing")
    return RunResult(**data)


def read_json(path: Path) -> Any:
    """What a JSON file holds; ResultError when there is none, or it is broken."""
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ResultError(f"{path}: truncated or not JSON: {error}") from None


def read_result(path: Path) -> RunResult:
    """Read a result file; ResultError says what is wrong with it."""
    try:
        return check_result(read_json(path))
    except ValueError as error:
        raise ResultError(f"{path}: {error}") from None


def write_json(path: Path, data: dict[str, Any] | list[Any]) -> None:
    """Write a JSON file, complete or not at all, one line per key or row."""
    if isinstance(data, dict):
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in data.items()]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
    else:
        text = "[\n" + ",\n".join(json.dumps(row) for row in data) + "\n]\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.replace(path)


def write_result(path: Path, result: RunResult) -> None:
    """Write a result file."""
    write_json(path, asdict(result))
