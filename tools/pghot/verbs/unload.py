# SPDX-License-Identifier: GPL-2.0
"""pghot unload: take the module out, or say who holds it."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import command
from pghot.errors import PghotError
from pghot.read.holders import Holder, read_holders
from pghot.read.module import read_module
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Verb


@dataclass(frozen=True)
class Unloaded:
    """was_loaded: whether there was something to unload."""

    was_loaded: bool


def _line(holder: Holder) -> str:
    return f"\n    {holder.kind} {holder.name}: {holder.holds}"


def run(context: Context, _args: Namespace) -> Iterator[Unloaded]:
    """Unload it; PghotError names who holds it."""
    if not read_module(context.root):
        yield Unloaded(False)
        return
    try:
        command.run(("rmmod", "pghot"))
    except PghotError as error:
        holders = read_holders(context.root)
        held = "".join(map(_line, holders))
        by = f"\nIt may be held by:{held}" if held else ""
        raise PghotError(f"the module cannot be unloaded: {error}{by}") from None
    yield Unloaded(True)


def show(unloaded: Unloaded, screen: Screen) -> None:
    """What has happened."""
    screen.line("pghot is unloaded." if unloaded.was_loaded else "pghot was not loaded.")


VERB = Verb(
    name="unload",
    summary="unload the module, or name who holds it",
    about=(
        "Unloads the module. Promoted pages stay where they are, and the kernel works as it does "
        "without pghot. If somebody holds the module, it stays, and those who hold it are named: "
        "modules, processes that have its files open, and tracing.",
    ),
    result=Unloaded,
    run=run,
    show=show,
    examples=(Example("sudo pghot unload", "take it out"),),
)
