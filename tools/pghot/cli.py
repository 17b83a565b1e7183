# SPDX-License-Identifier: GPL-2.0
"""The command's arguments, errors and exit status."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pghot.errors import OK, USAGE, PghotError
from pghot.read.root import Root
from pghot.show.schema import dump
from pghot.show.screen import Progress, Screen
from pghot.verb import Context, Option, Verb
from pghot.verbs import VERBS
from pghot.version import VERSION

INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line, with a status of its own."""

    def error(self, message: str) -> NoReturn:
        """Ends the program."""
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(USAGE)


def _add(parser: argparse.ArgumentParser, option: Option) -> None:
    # argparse takes a per cent sign for a format.
    about = option.help.replace("%", "%%")
    if option.is_positional:
        parser.add_argument(
            option.flags[0],
            help=about,
            type=option.type,
            default=option.default,
            nargs=option.many or None,
            metavar=option.metavar or None,
        )
    elif option.metavar:
        parser.add_argument(
            *option.flags,
            help=about,
            metavar=option.metavar,
            type=option.type,
            default=option.default,
            choices=option.values or None if option.values != ("FILE",) else None,
        )
    else:
        parser.add_argument(*option.flags, help=about, action="store_true")


def _epilog(verb: Verb) -> str:
    lines = [f"  {one.command}\n      {one.about}" for one in verb.examples]
    return "examples:\n" + "\n".join(lines) if lines else ""


def make_parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    parser = Parser(prog="pghot", description="Hot-page promotion on this machine.")
    parser.add_argument("--version", action="version", version=f"pghot {VERSION}")
    parser.add_argument(
        "--root",
        type=Path,
        default=Path("/"),
        metavar="FOLDER",
        help="read sysfs, procfs and settings below this folder",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=Parser)
    for verb in VERBS.values():
        group, word = verbs, verb.name
        if verb.action:
            outer = verbs.add_parser(verb.name, help=verb.summary)
            group, word = outer.add_subparsers(metavar=verb.action, required=True), verb.action
        one = group.add_parser(
            word,
            help=verb.summary,
            description="\n\n".join(verb.about),
            epilog=_epilog(verb),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        one.add_argument("-j", "--json", action="store_true", help="print JSON, an object a line")
        for option in verb.options:
            _add(one, option)
    return parser


def _run(verb: Verb, context: Context, args: argparse.Namespace) -> int:
    screen, status = Screen(sys.stdout), OK
    try:
        for result in verb.run(context, args):
            context.progress.done()
            if args.json:
                print(dump(result), flush=True)
            else:
                verb.show(result, screen)
            status = verb.status(result)
    finally:
        context.progress.done()
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; its exit status."""
    args = make_parser().parse_args(argv)
    context = Context(Root(args.root), Progress())
    try:
        status = _run(VERBS[args.verb], context, args)
        sys.stdout.flush()
    except PghotError as error:
        print(f"pghot {args.verb}: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Who reads it has seen enough. Python is not to complain of it once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    return status
