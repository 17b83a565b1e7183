# SPDX-License-Identifier: GPL-2.0
"""pghot sources: the ways to find hot pages, and which of them find something."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import look
from pghot.decide.sources import COUNTERS, SOURCES
from pghot.decide.view import View
from pghot.errors import PghotError
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Verb, watch_option

ABOUT = {source.name: source.about for source in SOURCES}


@dataclass(frozen=True)
class SourceLine:
    """recorded: accesses since load. per_second: accesses a second in this time."""

    name: str
    about: str
    bit: int
    on: bool
    reason: str
    recorded: int
    per_second: float


@dataclass(frozen=True)
class Sources:
    """policy: auto if pghot has chosen these sources, or manual."""

    policy: str
    enabled_sources: int
    sources: list[SourceLine]


def make(view: View) -> Sources:
    """What two looks at a machine tell."""
    if not view.module:
        raise PghotError("the module is not loaded (sudo pghot load)")
    return Sources(
        view.module.policy,
        sum(source.bit for source in view.module.sources if source.on),
        [
            SourceLine(
                name=source.name,
                about=ABOUT.get(source.name, ""),
                bit=source.bit,
                on=source.on,
                reason=source.reason,
                recorded=view.module.stat(COUNTERS.get(source.name, "")),
                per_second=round(view.per_second(view.grew(COUNTERS.get(source.name, ""))), 1),
            )
            for source in view.module.sources
        ],
    )


def run(context: Context, args: Namespace) -> Iterator[Sources]:
    """Watch, and tell."""
    yield make(look.watch(context, args.seconds))


def show(sources: Sources, screen: Screen) -> None:
    """A line for each."""
    rows = [("source", "bit", "is", "accesses", "a second", "finds hot pages by")]
    rows += [
        (
            one.name,
            str(one.bit),
            "on" if one.on else "off",
            str(one.recorded),
            f"{one.per_second:.0f}",
            one.about,
        )
        for one in sources.sources
    ]
    screen.table(rows)
    for one in sources.sources:
        if one.reason:
            screen.paragraph(f"{one.name} could not be started: {one.reason}", "    ", "")
    chosen = "pghot's policy has" if sources.policy == "auto" else "an administrator has"
    screen.line(f"enabled_sources is {sources.enabled_sources}; {chosen} chosen them.")


VERB = Verb(
    name="sources",
    summary="list the sources of hotness, and what each of them finds",
    about=(
        "Lists the ways to find hot pages, which of them are on, and how many accesses each "
        "of them has recorded.",
    ),
    result=Sources,
    run=run,
    show=show,
    options=(watch_option(1),),
    examples=(Example("pghot sources", "which sources are on, and find something"),),
)
