# SPDX-License-Identifier: GPL-2.0
"""pghot measure: latency and bandwidth of each node, and a machine file for the lab from it."""

import json
import os
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pghot import command
from pghot.errors import PghotError
from pghot.read.caches import read_caches
from pghot.read.machine import read_machine
from pghot.show.machinefile import machine_file
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Option, Verb

# The program that measures: as it is installed, and as `make guest` builds it.
PROGRAMS = (
    Path("/usr/libexec/pghot/calibrate"),
    Path("/usr/local/libexec/pghot/calibrate"),
    Path(__file__).parents[3] / "build" / "guest" / "bin" / "calibrate",
)
MIB = 1 << 20
# Memory that is read for the latency, if it is to be found: much more than caches hold.
CHASE = 256 * MIB
STREAM = 64 * MIB


@dataclass(frozen=True)
class Latency:
    """ns: from an access to its answer, with the page table walks of base pages."""

    cpu_node: int
    node: int
    ns: float


@dataclass(frozen=True)
class Bandwidth:
    """mbps: MB/s (10^6) that all CPUs together read from the node."""

    node: int
    threads: int
    mbps: float


@dataclass(frozen=True)
class Measured:
    """machine_file: where one was written, or null."""

    latency: list[Latency]
    bandwidth: list[Bandwidth]
    machine_file: str | None


def parse(text: str) -> tuple[list[Latency], list[Bandwidth]]:
    """What the program prints."""
    try:
        found = json.loads(text)
        return (
            [Latency(one["cpu_node"], one["node"], one["latency_ns"]) for one in found["latency"]],
            [Bandwidth(one["node"], one["threads"], one["mbps"]) for one in found["bandwidth"]],
        )
    except (ValueError, KeyError, TypeError):
        raise PghotError(f"the measuring program printed nonsense: {text[:200]!r}") from None


def measure(context: Context, mib: int) -> tuple[list[Latency], list[Bandwidth]]:
    """Run the program. PghotError if it is not there, or if a node has too little free memory."""
    for program in PROGRAMS:
        if os.access(program, os.X_OK):
            break
    else:
        raise PghotError(f"cannot find the measuring program {PROGRAMS[0]} (package pghot-tools)")
    machine = read_machine(context.root)
    for node in machine.nodes:
        if node.free < (mib + STREAM // MIB) * MIB:
            raise PghotError(
                f"node {node.id} has only {node.free // MIB} MiB free, and {mib} are needed; "
                "--mib takes less"
            )
    context.progress.show("measuring all nodes")
    sizes = (f"--chase-bytes={mib * MIB}", f"--stream-bytes={min(STREAM, mib * MIB)}")
    return parse(command.run((str(program), "--insn-ps=1", *sizes)))


def run(context: Context, args: Namespace) -> Iterator[Measured]:
    """Measure, and write the machine file if it is wanted."""
    latency, bandwidth = measure(context, args.mib)
    if args.machine_file:
        machine = read_machine(context.root)
        try:
            text = machine_file(
                args.machine_file.stem,
                machine.nodes,
                {(one.cpu_node, one.node): one.ns for one in latency},
                {one.node: one.mbps for one in bandwidth},
                read_caches(context.root, machine.nodes[0].cpus[0]),
            )
            args.machine_file.write_text(text)
        except (ValueError, KeyError, IndexError) as error:
            raise PghotError(f"the lab has no machine like this: {error}") from None
        except OSError as error:
            raise PghotError(f"{args.machine_file}: {error.strerror}") from None
    yield Measured(latency, bandwidth, str(args.machine_file) if args.machine_file else None)


def show(measured: Measured, screen: Screen) -> None:
    """Two tables."""
    rows = [("from CPUs of", "to node", "latency")]
    rows += [(str(one.cpu_node), str(one.node), f"{one.ns:.0f} ns") for one in measured.latency]
    screen.table(rows)
    screen.line()
    rows = [("node", "CPUs", "bandwidth")]
    rows += [
        (str(one.node), str(one.threads), f"{one.mbps:.0f} MB/s") for one in measured.bandwidth
    ]
    screen.table(rows)
    if measured.machine_file:
        screen.line(f"written: {measured.machine_file}")


def _power_of_two(text: str) -> int:
    value = int(text)
    if value < 1 or value & (value - 1):
        raise ValueError
    return value


def _machine_path(text: str) -> Path:
    path = Path(text)
    if path.suffix != ".toml":
        raise ArgumentTypeError(f"{text}: a machine file's name ends with .toml")
    return path


VERB = Verb(
    name="measure",
    summary="measure latency and bandwidth of each node",
    about=(
        "Measures how long a read from each node takes, from the CPUs of each node, and how much "
        "all CPUs together read from a node in a second. It takes some seconds, and some memory of "
        "each node. Other load on the machine disturbs it.",
        "Reads go to base pages in an order that no cache knows, so the latency includes walks of "
        "page tables.",
    ),
    result=Measured,
    run=run,
    show=show,
    options=(
        Option(
            ("--mib",),
            "memory for the latency, a power of two, several times the size of the caches; 256 "
            "without this option",
            metavar="MIB",
            type=_power_of_two,
            default=CHASE // MIB,
        ),
        Option(
            ("--machine-file",),
            "write a machine file for pghot's lab, scaled to what it models",
            metavar="FILE",
            type=_machine_path,
            values=("FILE",),
        ),
    ),
    examples=(
        Example("pghot measure", "is the slow memory really slower?"),
        Example("pghot measure --machine-file mine.toml", "for the lab"),
    ),
)
