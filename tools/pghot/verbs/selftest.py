# SPDX-License-Identifier: GPL-2.0
"""pghot selftest: memory of its own goes to a slow node, is used, and has to come back."""

import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import errors
from pghot.buffer import Buffer
from pghot.decide.sources import COUNTERS
from pghot.errors import PghotError
from pghot.read.machine import Machine, read_machine
from pghot.read.module import Source, read_module
from pghot.show.screen import Screen, size
from pghot.verb import Context, Example, Option, Verb, seconds

MIB = 1 << 20
# A part of it that has come back proves that promotion works; some pages may be held up.
ENOUGH = 0.5
# How long the buffer is used between two looks at where it is, seconds.
LOOK = 0.25


@dataclass(frozen=True)
class Selftest:
    """pages: of the buffer. away: those that were on the slow node at first. back: of these, those
    that came back. intact: whether the content is what was written. sources: with the accesses
    that each recorded meanwhile.
    """

    ok: bool
    sentence: str
    node: int
    pages: int
    away: int
    back: int
    seconds: float
    intact: bool
    recorded: dict[str, int]
    sources: list[Source]


def _slow_node(machine: Machine, wanted: int | None) -> int:
    slow = [node.id for node in machine.slow]
    if not machine.module:
        raise PghotError("the module is not loaded (sudo pghot load)")
    if not slow:
        raise PghotError("pghot promotes from no node (pghot doctor says why)")
    if wanted is not None and wanted not in slow:
        raise PghotError(f"node {wanted}: pghot does not promote from it, but from {slow}")
    # The one with most free memory has room for the buffer.
    free = {node.id: node.free for node in machine.slow}
    return wanted if wanted is not None else max(slow, key=lambda nid: free[nid])


def sentence(away: int, back: int, pages: int, intact: bool) -> str:
    """What has come of it."""
    if not intact:
        return "The content of the buffer has changed: this must not happen. Please report it."
    if away < pages * ENOUGH:
        return "The buffer could not be moved to the slow node, so nothing was tried."
    if back >= away * ENOUGH:
        return "Promotion works: the buffer came back from the slow node while it was used."
    if back:
        return "Promotion works slowly: some of the buffer came back in this time."
    return "Nothing of the buffer came back: `pghot doctor` may know why."


def run(context: Context, args: Namespace) -> Iterator[Selftest]:
    """Move it, use it, look."""
    if not context.root.is_real:
        raise PghotError("a self-test makes sense only on the machine itself")
    machine = read_machine(context.root)
    node = _slow_node(machine, args.node)
    slow = {one.id for one in machine.slow}
    before = machine.module
    buffer = Buffer(int(args.mib * MIB))
    try:
        buffer.fill()
        buffer.move(node)
        start = buffer.nodes()
        away = sum(nid in slow for nid in start)
        back, begin = 0, time.monotonic()
        while away and back < away and time.monotonic() - begin < args.seconds:
            buffer.use(LOOK)
            now = buffer.nodes()
            back = sum(
                a in slow and b not in slow and b >= 0 for a, b in zip(start, now, strict=True)
            )
            context.progress.show(f"{back} of {away} pages are back")
        took = time.monotonic() - begin
        intact = buffer.is_intact()
        pages = buffer.pages
    finally:
        buffer.close()
    after = read_module(context.root)
    recorded = {}
    if before and after:
        for source in after.sources:
            name = COUNTERS.get(source.name, "")
            recorded[source.name] = after.stat(name) - before.stat(name)
    yield Selftest(
        ok=intact and away >= pages * ENOUGH and back >= away * ENOUGH,
        sentence=sentence(away, back, pages, intact),
        node=node,
        pages=pages,
        away=away,
        back=back,
        seconds=round(took, 3),
        intact=intact,
        recorded=recorded,
        sources=after.sources if after else [],
    )


def show(test: Selftest, screen: Screen) -> None:
    """What has come of it."""
    screen.line(
        f"buffer: {size(test.pages * 4096)}, of which {size(test.away * 4096)} were moved "
        f"to node {test.node}"
    )
    screen.line(f"back on fast nodes: {size(test.back * 4096)} after {test.seconds:.1f} s of use")
    screen.line(f"content: {'intact' if test.intact else 'CHANGED'}")
    finds = [f"{name} {count}" for name, count in test.recorded.items() if count]
    screen.line(f"accesses recorded meanwhile: {', '.join(finds) or 'none'}")
    screen.line(screen.paint(test.sentence, "green" if test.ok else "red"))


def _mib(text: str) -> float:
    value = float(text)
    if not 1 <= value <= 65536:
        raise ValueError
    return value


VERB = Verb(
    name="selftest",
    summary="prove that promotion works, with memory of its own",
    about=(
        "Takes some memory, moves it to a slow node, uses it, and looks whether it comes back to "
        "a fast node with its content intact. Nobody else's memory is touched. It ends as soon as "
        "all of it is back.",
        "The exit status is 0 if at least half of it came back, else 2.",
    ),
    result=Selftest,
    run=run,
    show=show,
    options=(
        Option(
            ("--mib",),
            "size of the memory in MiB; 64 without this option",
            metavar="MIB",
            type=_mib,
            default=64.0,
        ),
        Option(("--node",), "the slow node", metavar="NODE", type=int),
        Option(
            ("-s", "--seconds"),
            "how long to wait for it; 30 without this option",
            metavar="SECONDS",
            type=seconds,
            default=30.0,
        ),
    ),
    examples=(Example("pghot selftest", "does promotion work at all?"),),
    status=lambda test: errors.OK if test.ok else errors.FAILED,
)
