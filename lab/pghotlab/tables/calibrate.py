# SPDX-License-Identifier: GPL-2.0
"""Calibration: what a guest measures with its own clock, against what its machine file says."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pghotlab.base import paths
from pghotlab.base.errors import LabError, RunError
from pghotlab.guest.vm import boot
from pghotlab.hardware import qemu
from pghotlab.hardware.machine import CACHE_LINE, Machine
from pghotlab.measure.results import write_json
from pghotlab.rows.summary import format_table
from pghotlab.tables.compare import side_by_side
from pghotlab.tables.reach import measurements, walk_ns

TOLERANCE = 0.05
TIMEOUT = 900
# The guest's streaming loop: 8 loads of a line each, and 3 instructions around them.
STREAM_INSNS_PER_LINE = 11 / 8
# NUMA balancing would move what is measured to the CPU's node.
STEPS = """\
set_value /proc/sys/kernel/numa_balancing 0
sleep 3
phase calibrate
calibrate --insn-ps {insn_ps} >/tmp/out
report calibrate </tmp/out
"""


@dataclass(frozen=True)
class Figure:
    """One measured figure: what it is, what the machine file says, what the guest saw."""

    name: str
    unit: str
    measured: float
    expected: float
    at_most: bool = False
    """The measured figure may be anything up to the expected one."""

    @property
    def ok(self) -> bool:
        """Whether the figure is as it should be."""
        if self.at_most:
            return self.measured <= self.expected
        return abs(self.measured - self.expected) <= TOLERANCE * self.expected

    def row(self) -> tuple[str, ...]:
        """The figure as a line of a table."""
        off = "" if self.at_most else f"{self.measured / self.expected - 1:+.1%}"
        expected = f"{'<= ' if self.at_most else ''}{self.expected:.1f}"
        return (
            self.name,
            f"{self.measured:.1f}",
            expected,
            self.unit,
            off,
            "ok" if self.ok else "OFF",
        )


def stream_limit(machine: Machine, node: int) -> float:
    """Bandwidth that all CPUs together can ask of a node, or the node gives, MB/s."""
    insn_ns = STREAM_INSNS_PER_LINE * machine.insn_ps / 1000
    asked = sum(
        CACHE_LINE * 1000 / (insn_ns + machine.latency_ns[cpu_node][node] / machine.streams)
        for cpu_node in machine.cpu_nodes
    )
    return min(asked, machine.nodes[node].bandwidth_mbps)


def figures(machine: Machine, output: dict[str, Any]) -> list[Figure]:
    """Every figure of the guest's output; KeyError or TypeError when the output lacks one."""
    found = []
    latency = {(item["cpu_node"], item["node"]): item["latency_ns"] for item in output["latency"]}
    for cpu_node, row in machine.latency_ns.items():
        for node, expected in enumerate(row):
            name = f"latency, CPU node {cpu_node} to node {node}"
            walked = expected + walk_ns(machine)
            found.append(Figure(name, "ns", latency[cpu_node, node], walked))
    bandwidth = {item["node"]: item["mbps"] for item in output["bandwidth"]}
    for mem in machine.nodes:
        name = f"streaming bandwidth, node {mem.id}"
        found.append(Figure(name, "MB/s", bandwidth[mem.id], stream_limit(machine, mem.id)))
    for item in output["sleep"]:
        asked = item["ask_ns"] / 1e3
        found.append(
            Figure(f"{item['kind']}, {asked / 1e3:g} ms", "us", item["mean_ns"] / 1e3, asked)
        )
    for reach in measurements(machine):
        found.append(Figure(reach.name, "ns", output["reach"][reach.name], reach.expected))
    clock = output["clock"]
    found.append(Figure("clock steps back", "", clock["backward"], 0, at_most=True))
    # vCPUs take turns of one slice: closer than that they cannot agree.
    slice_us = qemu.SLICE_NS / 1e3
    skew = clock["max_skew_ns"] / 1e3
    found.append(Figure("clock skew between CPUs", "us", skew, slice_us, at_most=True))
    return found


def _steps(machine: Machine) -> str:
    steps = STEPS.format(insn_ps=machine.insn_ps)
    # On node 0, as is expected of them.
    on_cpu = f"taskset -c {machine.nodes[0].cpus[0]}"
    return steps + "".join(f"{on_cpu} {reach.step}\n" for reach in measurements(machine))


def measure(machine: Machine, folder: Path) -> list[Figure]:
    """Boot the machine and compare."""
    guest = boot(
        machine,
        _steps(machine),
        timeout=TIMEOUT,
        plugin=qemu.plugin_of(machine),
        folder=folder / machine.name,
    )
    try:
        output = json.loads(guest.report.text("calibrate"))
        output["reach"] = {
            reach.name: float(guest.report.text(f"reach {reach.name}"))
            for reach in measurements(machine)
        }
        found = figures(machine, output)
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(
            f"{guest.folder / 'report.txt'}: no usable output of calibrate: {error!r}"
        ) from None
    write_json(folder / f"{machine.name}.json", {"machine": machine.name, "guest": output})
    return found


def _kept(machine: Machine, found: Sequence[Figure]) -> dict[str, Any]:
    figures = [asdict(figure) for figure in found]
    return {"machine": machine.name, "sha256": machine.sha256, "figures": figures}


def calibrate(machines: Sequence[Machine], keep: Path | None = None) -> None:
    """Measure the machines, print a table each; LabError names the figures that are off.

    keep: a file for what was measured, and of which machine files, if nothing is off.
    """
    print(f"calibrate: {', '.join(machine.name for machine in machines)}", flush=True)
    jobs = min(side_by_side(machine) for machine in machines)
    folder = paths.RESULTS / "calibrate"
    problems = []
    with ThreadPoolExecutor(jobs) as pool:
        everything = list(pool.map(lambda machine: measure(machine, folder), machines))
    for machine, found in zip(machines, everything, strict=True):
        header = (machine.name, "measured", "expected", "unit", "off by", "")
        print("\n" + format_table([header, *(figure.row() for figure in found)]), flush=True)
        problems += [
            f"{machine.path}: {figure.name}: {figure.measured:.1f}, expected {figure.expected:.1f}"
            for figure in found
            if not figure.ok
        ]
    if keep and not problems:
        write_json(keep, list(map(_kept, machines, everything)))
        print(keep)
    if problems:
        raise LabError(f"off by more than {TOLERANCE:.0%}:\n" + "\n".join(problems))
