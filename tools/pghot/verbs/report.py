# SPDX-License-Identifier: GPL-2.0
"""pghot report: a page for a browser from a recording."""

import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pghot import recording
from pghot.decide.blocked import REFUSALS
from pghot.decide.heat import PAGE, heat
from pghot.errors import PghotError
from pghot.read.root import format_list
from pghot.recording import Head, Interval
from pghot.show import chart, page
from pghot.show.screen import Screen, size
from pghot.verb import Context, Example, Option, Verb

MIB = 1 << 20


@dataclass(frozen=True)
class Report:
    """promoted, demoted: pages. file: the page."""

    file: str
    seconds: float
    promoted: int
    demoted: int


def _rates(intervals: list[Interval], name: str) -> list[float]:
    """MiB a second of what moved in each interval."""
    before, found = 0.0, []
    for one in intervals:
        length = one.time - before
        found.append(getattr(one, name) * PAGE / MIB / length if length > 0 else 0.0)
        before = one.time
    return found


def _figures(head: Head, intervals: list[Interval]) -> list[str]:
    times = [one.time for one in intervals]
    moved = {name: _rates(intervals, name) for name in ("promoted", "demoted")}
    most = ", ".join(f"{name} {max(rates, default=0):.0f}" for name, rates in moved.items())
    used = {
        f"node {nid}, {'slow' if nid in head.slow else 'fast'}": [
            (total - one.free.get(nid, total)) / MIB for one in intervals
        ]
        for nid, total in head.sizes.items()
    }
    figures = [
        page.figure(
            "Pages that move",
            chart.lines(times, moved, "MiB/s", f"MiB a second over time. At most: {most}."),
        ),
        page.figure(
            "Memory in use on each node",
            chart.lines(times, used, "MiB", "Memory in use over time, a line for each node."),
        ),
    ]
    if head.process:
        resident = {
            f"node {nid}": [one.resident.get(nid, 0) * PAGE / MIB for one in intervals]
            for nid in head.sizes
        }
        figures.append(
            page.figure(
                f"Where the memory of {head.process} is",
                chart.lines(times, resident, "MiB", "Memory of the process on each node."),
            )
        )
    for nid in head.slow:
        rows = heat(intervals, head.ranges.get(nid, []))
        if rows and rows[0]:
            ends = head.ranges[nid]
            labels = [f"{ends[0][0] >> 30} GiB", f"{ends[-1][1] / (1 << 30):.1f} GiB"]
            uses = sum(map(sum, rows))
            alt = f"Uses of node {nid} by physical address and time: {uses} were recorded."
            figures.append(
                page.figure(
                    f"Accesses found on slow node {nid}, by physical address",
                    chart.heat_map(rows, times[-1], labels, alt),
                )
            )
    return ['<div class="plots">', *figures, "</div>"]


def make(head: Head, intervals: list[Interval]) -> str:
    """The page."""
    promoted, demoted = (sum(getattr(one, n) for one in intervals) for n in ("promoted", "demoted"))
    refused: Counter[str] = Counter()
    for one in intervals:
        refused.update(one.refused)
    began = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(head.began))
    body = [
        f"<p>pghot {head.version} on kernel {head.kernel}, policy {head.policy}, slow nodes "
        f"{format_list(head.slow)}. Recorded from {began} on, for {intervals[-1].time:.1f} s. "
        f"{size(promoted * PAGE)} were promoted and {size(demoted * PAGE)} demoted.</p>",
        *_figures(head, intervals),
    ]
    if refused:
        rows = [
            (reason, str(times), REFUSALS.get(reason, ""))
            for reason, times in refused.most_common()
        ]
        body.append(page.table(("reason", "times", "meaning"), rows, "Hot pages that were refused"))
    return page.page("pghot report", body)


def run(_context: Context, args: Namespace) -> Iterator[Report]:
    """Read the recording, and write the page."""
    head, intervals = recording.read(args.recording)
    if not intervals:
        raise PghotError(f"{args.recording}: nothing was recorded")
    output = args.output or args.recording.with_suffix(".html")
    try:
        output.write_text(make(head, intervals))
    except OSError as error:
        raise PghotError(f"{output}: {error.strerror}") from None
    yield Report(
        str(output),
        intervals[-1].time,
        sum(one.promoted for one in intervals),
        sum(one.demoted for one in intervals),
    )


def show(report: Report, screen: Screen) -> None:
    """Where it is."""
    screen.line(f"written: {report.file}")


VERB = Verb(
    name="report",
    summary="make a page for a browser from a recording",
    about=(
        "Makes a page with a heat map of the slow memory in use (address and time), what was "
        "promoted, demoted and refused, and where memory was. The page needs nothing from "
        "elsewhere.",
    ),
    result=Report,
    run=run,
    show=show,
    options=(
        Option(
            ("recording",),
            "the file that `pghot record` has written; pghot.record without it",
            metavar="FILE",
            type=Path,
            default=Path("pghot.record"),
            many="?",
            values=("FILE",),
        ),
        Option(
            ("-o", "--output"),
            "the page; the recording's name with .html without this option",
            metavar="FILE",
            type=Path,
            values=("FILE",),
        ),
    ),
    examples=(Example("pghot report && xdg-open pghot.html", "look at it"),),
)
