# SPDX-License-Identifier: GPL-2.0
"""`make soak`: everything that can happen to pghot happens, drawn from a seed, for so many minutes.

Prints the seed, lines of progress, what happened how often, and what is wrong. Ends with status 1
if something is, and with the command that runs the same schedule again.
"""

import argparse
import secrets
import sys

from pghotlab.base.errors import LabError
from pghotlab.measure.results import write_json
from support import BUILD, DEBUG
from tests.soak.actions import ONLY
from tests.soak.run import Outcome, soak
from tests.soak.schedule import draw

TARGET = "debug-soak" if DEBUG else "soak"


def _whole(lowest: int, text: str) -> int:
    if not text.isdecimal() or int(text) < lowest:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {lowest} on")
    return int(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=TARGET, description=__doc__)
    parser.add_argument("--minutes", type=lambda text: _whole(1, text), required=True)
    parser.add_argument("--seed", type=lambda text: _whole(0, text), help="a new one without")
    parser.add_argument(
        "--only",
        choices=ONLY,
        default="",
        help="load and unload pghot, or move pages, all the time",
    )
    return parser.parse_args()


class Lines:
    """Shows each phase of the guest once."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, phase: str, _seconds: float) -> None:
        """Show the phase, if it is another one."""
        if phase != self._last:
            self._last = phase
            print(phase, flush=True)


def _summary(outcome: Outcome, again: str) -> str:
    width = max(map(len, outcome.counts), default=0)
    lines = [f"{name:{width}} {number}" for name, number in outcome.counts.items()]
    lines += [f"finding: {finding}" for finding in outcome.findings]
    return "\n".join([*lines, f"{len(outcome.findings)} findings; again: {again}"])


def main() -> int:
    """Run it; status 1 if something is wrong."""
    arguments = _arguments()
    seed = secrets.randbelow(1 << 32) if arguments.seed is None else arguments.seed
    only = f" ONLY={arguments.only}" if arguments.only else ""
    again = f"make {TARGET} MINUTES={arguments.minutes} SEED={seed}{only}"
    print(f"soak: {again}", flush=True)
    try:
        schedule = draw(seed, arguments.minutes * 60, arguments.only)
        outcome = soak(schedule, f"soak-{seed}", Lines())
    except LabError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 1
    file = BUILD / "soak" / f"{seed}.json"
    write_json(file, {"command": again, **outcome.row()})
    print(_summary(outcome, again))
    print(f"soak: {file}")
    return 1 if outcome.findings else 0


if __name__ == "__main__":
    sys.exit(main())
