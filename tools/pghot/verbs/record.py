# SPDX-License-Identifier: GPL-2.0
"""pghot record: tracepoints and counters to a file, for `pghot report`."""

import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pghot import recording
from pghot.errors import PghotError
from pghot.read.blocks import read_ranges
from pghot.read.machine import read_machine
from pghot.read.nodes import read_nodes
from pghot.read.process import parse_numa_maps
from pghot.read.trace import Trace, tracing
from pghot.recording import EVENTS, FORMAT, Head, Interval
from pghot.show.screen import Screen, size
from pghot.verb import Context, Example, Option, Verb, seconds
from pghot.version import VERSION

STEP = 0.25


@dataclass(frozen=True)
class Recorded:
    """seconds: how long. lost: events that found no room in the kernel's buffers."""

    file: str
    bytes: int
    intervals: int
    seconds: float
    lost: int


def _resident(context: Context, pid: int | None) -> dict[int, int]:
    if pid is None:
        return {}
    pages: dict[int, int] = {}
    for _, by_node in parse_numa_maps(context.root.lines(f"proc/{pid}/numa_maps")).values():
        for nid, amount in by_node.items():
            pages[nid] = pages.get(nid, 0) + amount
    return pages


def _intervals(
    context: Context, trace: Trace, pid: int | None, length: float
) -> Iterator[Interval]:
    begin = time.monotonic()
    end = begin + length
    try:
        while (now := time.monotonic()) < end:
            time.sleep(min(STEP, end - now))
            free = {node.id: node.free for node in read_nodes(context.root)}
            passed = time.monotonic() - begin
            yield recording.gather(passed, trace.read(), free, _resident(context, pid))
            context.progress.show(f"recorded {passed:.0f} of {length:.0f} s; Ctrl-C ends it")
    except KeyboardInterrupt:  # enough: what was recorded stays
        return


def run(context: Context, args: Namespace) -> Iterator[Recorded]:
    """Record."""
    machine = read_machine(context.root)
    if not machine.module:
        raise PghotError("the module is not loaded (sudo pghot load)")
    name = None
    if args.pid is not None:
        if not context.root.lines(f"proc/{args.pid}/numa_maps"):
            raise PghotError(f"there is no process {args.pid}, or one may not look at it")
        name = f"{context.root.text(f'proc/{args.pid}/comm')} (process {args.pid})"
    head = Head(
        format=FORMAT,
        version=VERSION,
        kernel=machine.kernel.release,
        policy=machine.module.policy,
        slow=machine.module.slow_nodes,
        sizes={node.id: node.total for node in machine.nodes},
        ranges=read_ranges(context.root),
        process=name,
        began=round(time.time(), 3),
    )
    begin = time.monotonic()
    with tracing(context.root, EVENTS) as trace:
        intervals = _intervals(context, trace, args.pid, args.seconds)
        number = recording.write(args.output, head, intervals)
        lost = trace.lost()
    took = round(time.monotonic() - begin, 3)
    yield Recorded(str(args.output), args.output.stat().st_size, number, took, lost)


def show(recorded: Recorded, screen: Screen) -> None:
    """Where it is."""
    screen.line(
        f"{recorded.file}: {size(recorded.bytes)}, {recorded.intervals} intervals in "
        f"{recorded.seconds:.1f} s"
    )
    if recorded.lost:
        screen.line(f"{recorded.lost} events were lost, because there were too many of them.")
    screen.line(f"pages for a browser: pghot report {recorded.file}")


VERB = Verb(
    name="record",
    summary="record tracepoints and counters to a file",
    about=(
        "Records which slow memory is used, what is promoted, demoted and refused, and how much "
        "memory each node has free, in steps of a quarter of a second. `pghot report` makes a page "
        "for a browser from it. It takes root. The tracepoints are in an instance of their own, "
        "so that other users of tracing are not disturbed.",
    ),
    result=Recorded,
    run=run,
    show=show,
    options=(
        Option(
            ("-o", "--output"),
            "the file; pghot.record without this option",
            metavar="FILE",
            type=Path,
            default=Path("pghot.record"),
            values=("FILE",),
        ),
        Option(
            ("-s", "--seconds"),
            "how long; 30 without this option",
            metavar="SECONDS",
            type=seconds,
            default=30.0,
        ),
        Option(
            ("--pid",), "watch where the memory of this process is, too", metavar="PID", type=int
        ),
    ),
    examples=(Example("sudo pghot record -s 60 --pid $(pidof mysqld)", "a minute of a database"),),
)
