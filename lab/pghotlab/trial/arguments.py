# SPDX-License-Identifier: GPL-2.0
"""The options of `try` on the command line, but those that other verbs have as well."""

import argparse
from pathlib import Path

from pghotlab.base.errors import UsageError
from pghotlab.trial.tree import Program

USUAL_SHARE = "25%"
USUAL_SHARES = ("10%", "25%", "50%", "75%")
USUAL_MINUTES = 60


def shown(*shares: str) -> str:
    """Shares as argparse wants them in a help text, where a single % is a mark."""
    return " ".join(shares).replace("%", "%%")


def add(verb: argparse.ArgumentParser) -> None:
    """Give a parser the options."""
    verb.add_argument(
        "command",
        nargs="*",
        metavar="-- COMMAND",
        help="the program with its arguments, behind all options and --",
    )
    needs = verb.add_argument_group("what the program needs, besides its libraries")
    needs.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="PATH",
        help="a file or folder, which is in the same place in the guest; several times for several",
    )
    needs.add_argument(
        "--package",
        action="append",
        default=[],
        metavar="NAME",
        help="a Debian package, with all that it depends on; several times for several",
    )
    needs.add_argument(
        "--rootfs",
        metavar="TAR",
        help="a root file system, such as `docker export` writes of a container",
    )
    what = verb.add_argument_group("what is measured (default: all of the run)")
    what.add_argument(
        "--start",
        default="",
        metavar="TEXT",
        help="measure from the first line of the program's output that has this text in it",
    )
    what.add_argument(
        "--end",
        default="",
        metavar="TEXT",
        help="measure to the first line with this text, and end the program then",
    )
    what.add_argument(
        "--marks",
        action="store_true",
        help="the program itself says when, with one of the files of lab/marks",
    )
    fast = verb.add_argument_group("how much fast memory the program gets")
    fast.add_argument(
        "--fast",
        metavar="SHARE",
        help=f"a share of the most memory that it needs at a time (default {shown(USUAL_SHARE)})",
    )
    fast.add_argument(
        "--sweep",
        nargs="*",
        metavar="SHARE",
        help=f"several shares, for a curve (without any: {shown(*USUAL_SHARES)})",
    )
    verb.add_argument("--name", help="folder of build/results/try (default: the program's name)")
    verb.add_argument(
        "--limit",
        type=float,
        default=USUAL_MINUTES,
        metavar="MINUTES",
        help=f"a run that takes longer here counts as hung (default {USUAL_MINUTES})",
    )


def program(args: argparse.Namespace) -> Program:
    """What is to be run, of these arguments; UsageError if nothing is."""
    if not args.command:
        raise UsageError(
            "no program is given: try [OPTIONS] -- COMMAND, or make try PROG='COMMAND' "
            "TRY='OPTIONS'"
        )
    if args.limit <= 0:
        raise UsageError(f"--limit: {args.limit:g} minutes are no time")
    return Program(
        command=tuple(args.command),
        files=tuple(map(Path, args.file)),
        packages=tuple(args.package),
        rootfs=Path(args.rootfs) if args.rootfs else None,
        folder=Path.cwd(),
    )


def parse_share(option: str, text: str) -> float:
    """A share such as 25% or 25, in per cent."""
    try:
        share = float(text.removesuffix("%"))
    except ValueError:
        raise UsageError(f"{option}: {text!r} is not a share like 25%") from None
    if not 0 < share <= 100:
        raise UsageError(f"{option}: {text!r} is not above 0 and at most 100 %")
    return share


def shares(args: argparse.Namespace) -> tuple[float, ...]:
    """The shares of fast memory, in per cent."""
    if args.sweep is None:
        return (parse_share("--fast", args.fast or USUAL_SHARE),)
    if args.fast:
        raise UsageError("--fast and --sweep: give only one of them")
    found = [parse_share("--sweep", text) for text in args.sweep or USUAL_SHARES]
    if len(found) < 2 or len(set(found)) != len(found):
        raise UsageError("--sweep: needs two shares or more, none of them twice")
    return tuple(sorted(found))
