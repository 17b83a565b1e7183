# SPDX-License-Identifier: GPL-2.0
"""pghot lab try: run a program of the user's own on a modelled machine, in the lab."""

import os
import shlex
import subprocess
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pghot.errors import FAILED, OK, USAGE, PghotError, UsageError
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Option, Verb

# Where the lab is, if it is not named on the command line.
VARIABLE = "PGHOT_LAB"
# The source that this file is part of; of an installed command it is no such thing.
SOURCE = Path(__file__).parents[3]
# The lab's exit status for wrong input.
LAB_USAGE = 2


@dataclass(frozen=True)
class Tried:
    """lab: the folder with the source of pghot. status: the lab's exit status, 0 if all was run."""

    lab: str
    status: int


def is_lab(folder: Path) -> bool:
    """Whether a folder has the source of pghot with its lab."""
    return (folder / "lab" / "pghotlab").is_dir() and (folder / "Makefile").is_file()


def find_lab(named: str | None, environment: Mapping[str, str], places: Sequence[Path]) -> Path:
    """The folder with the lab: the named one, or that of the environment, or one of the places.

    UsageError if a folder is named that has no lab, and if there is none.
    """
    for name, text in (("--lab", named), (VARIABLE, environment.get(VARIABLE))):
        if text:
            folder = Path(text).resolve()
            if not is_lab(folder):
                raise UsageError(f"{name}: {text}: has no lab of pghot (its folder lab/pghotlab)")
            return folder
    for folder in places:
        if is_lab(folder):
            return folder.resolve()
    raise UsageError(
        "the lab is not here. It is a part of pghot's source, and no package has it. Get the "
        f"source, and name its folder with --lab FOLDER or in the variable {VARIABLE}"
    )


def _call(words: Sequence[str], variables: Mapping[str, str], output: int | None) -> int:
    """Run a part of the lab, which tells its progress itself; its exit status."""
    try:
        done = subprocess.run(
            list(words), env={**os.environ, **variables}, stdout=output, check=False
        )
    except OSError as error:
        raise PghotError(f"cannot run {words[0]}: {error.strerror}") from None
    return done.returncode


def run(context: Context, args: Namespace) -> Iterator[Tried]:
    """Build what the lab needs, and have it try the program. The lab says what is wrong."""
    if not args.command:
        raise UsageError("no program is given: pghot lab try -- COMMAND")
    here = Path.cwd()
    lab = find_lab(args.lab, os.environ, (SOURCE, here, *here.parents))
    # With --json only the result may be there.
    output = sys.stderr.fileno() if args.json else None
    sys.stdout.flush()
    if _call(("make", "--silent", "-C", str(lab), "lab"), {}, output):
        raise PghotError(f"{lab}: the lab cannot be built; the lines above say why")
    status = _call(
        (
            str(lab / ".cache" / "venv" / "bin" / "python"),
            *("-m", "pghotlab", "try", *args.options, "--", *args.command),
        ),
        {"PYTHONPATH": str(lab / "lab")},
        output,
    )
    yield Tried(str(lab), status)


def show(_tried: Tried, _screen: Screen) -> None:
    """Nothing: the lab has said all of it."""


def exit_status(tried: Tried) -> int:
    """The command's for the lab's."""
    return {0: OK, LAB_USAGE: USAGE}.get(tried.status, FAILED)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: {error}") from None


VERB = Verb(
    name="lab",
    action="try",
    summary="try a program of yours on a machine with slow memory, which is modelled",
    about=(
        "Runs a program in pghot's lab: on a modelled machine with fast and slow memory, under "
        "several policies, pghot among them. It says how much slow memory slows the program down, "
        "how much fast memory it needs, and which policy helps it most. Neither this machine's "
        "memory nor its kernel has anything to do with it, and pghot need not be loaded.",
        "The lab is a part of pghot's source, and no package has it. Its folder is the one that "
        f"--lab or the variable {VARIABLE} names. Else it is the one that this command was started "
        "from, or the folder where you are. The first time, the lab downloads what it needs. "
        "docs/try.md in that folder has all options, and says how to go on.",
    ),
    result=Tried,
    run=run,
    show=show,
    status=exit_status,
    options=(
        Option(("--lab",), "the folder with the source of pghot", metavar="FOLDER"),
        Option(
            ("--options",),
            "options for the lab, those of docs/try.md, in quotes and behind a =",
            metavar="OPTIONS",
            type=_words,
            default=(),
        ),
        Option(
            ("command",),
            "the program with its arguments, behind all options and --",
            metavar="COMMAND",
            many="*",
        ),
    ),
    examples=(
        Example("pghot lab try -- ./job 64", "does slow memory matter to this program?"),
        Example(
            "pghot lab try --options='--fast 50% --file data.csv' -- ./job data.csv",
            "the same with fast memory for half of it, and a file",
        ),
        Example(
            "pghot lab try --options='--sweep' -- ./job 64",
            "a curve of the time against the share of fast memory",
        ),
    ),
)
