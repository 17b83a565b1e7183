# SPDX-License-Identifier: GPL-2.0
"""What a verb of the command is: its arguments, its result, and how that is shown."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pghot.errors import OK
from pghot.read.root import Root
from pghot.show.screen import Progress, Screen


@dataclass(frozen=True)
class Option:
    """An argument of a verb: one for argparse, manuals and completion.

    flags: `-s`, `--seconds`; of a positional argument its name alone. metavar: what stands for
    the value; empty if the option has none. values: what can be completed; "FILE" for files.
    many: several values; "+" at least one, "*" none as well, "?" one or none.
    """

    flags: tuple[str, ...]
    help: str
    metavar: str = ""
    type: Callable[[str], Any] = str
    default: Any = None
    values: tuple[str, ...] = ()
    many: str = ""

    @property
    def is_positional(self) -> bool:
        """Whether it is given without a flag."""
        return not self.flags[0].startswith("-")


@dataclass(frozen=True)
class Example:
    """A command, and what it is good for."""

    command: str
    about: str


@dataclass(frozen=True)
class Context:
    """What a verb works with. root: the file system to read."""

    root: Root
    progress: Progress


@dataclass(frozen=True)
class Verb:
    """A verb.

    action: a second word, which has to follow the name; empty if there is none.
    summary: a phrase. about: paragraphs for manual and --help. result: the dataclass of what it
    finds. run: gives results, one or, if it goes on, one after another. show: writes one of
    them for people. status: the exit status for the last result.
    """

    name: str
    summary: str
    about: tuple[str, ...]
    result: type
    run: Callable[[Context, Namespace], Iterator[Any]]
    show: Callable[[Any, Screen], None]
    action: str = ""
    options: tuple[Option, ...] = ()
    examples: tuple[Example, ...] = ()
    status: Callable[[Any], int] = field(default=lambda _result: OK)

    @property
    def words(self) -> tuple[str, ...]:
        """What calls it, behind `pghot`."""
        return (self.name, self.action) if self.action else (self.name,)


def seconds(text: str) -> float:
    """A time that somebody has given; ValueError unless it is from 0 to a day."""
    value = float(text)
    if not 0 <= value <= 86400:
        raise ValueError
    return value


def watch_option(default: float) -> Option:
    """For how long a verb watches."""
    return Option(
        ("-s", "--seconds"),
        f"for how long to watch counters; {default:g} without this option",
        metavar="SECONDS",
        type=seconds,
        default=default,
    )
