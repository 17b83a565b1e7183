# SPDX-License-Identifier: GPL-2.0
"""pghot setup: have pghot work after each boot, and the way back."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import persist
from pghot.decide.tunables import PARAMETERS
from pghot.errors import UsageError
from pghot.persist import Change
from pghot.read.machine import read_machine
from pghot.read.root import Root
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Option, Verb
from pghot.verbs.load import parse

MODES = ("0", "1", "2", "3")


@dataclass(frozen=True)
class SetUp:
    """files: those that were written or, with undone, put back. now: commands for this boot."""

    undone: bool
    files: list[str]
    now: list[str]


def changes(
    root: Root, options: dict[str, str], demotion: bool, balancing: str | None
) -> list[Change]:
    """The files that are to be written. options: of the module, beside those that are there."""
    demote = f"w /sys/kernel/mm/numa/demotion_enabled - - - - {int(demotion)}\n"
    found = [
        persist.options_change(persist.options(root) | options),
        Change(persist.TMPFILES, persist.HEAD + demote),
        persist.boot_change(root),
    ]
    if balancing is not None:
        sysctl = f"kernel.numa_balancing = {balancing}\n"
        found.append(Change(persist.SYSCTL, persist.HEAD + sysctl))
    # A file that is not there, and is not to be, stays out of it.
    return [c for c in found if c.text is not None or c.link is not None or root.has(c.file)]


def run(context: Context, args: Namespace) -> Iterator[SetUp]:
    """Write the files, or put back what was there."""
    if args.undo:
        if args.setting or args.no_demotion or args.numa_balancing:
            raise UsageError("--undo takes no settings: it puts back all that was changed")
        yield SetUp(True, persist.undo(context.root), [])
        return
    machine = read_machine(context.root)
    options = parse(args.setting, machine)
    wanted = changes(context.root, options, not args.no_demotion, args.numa_balancing)
    persist.apply(context.root, wanted)
    now = []
    if machine.kernel.demotion_enabled is not None and (
        machine.kernel.demotion_enabled == args.no_demotion
    ):
        value = int(not args.no_demotion)
        now.append(f"echo {value} | sudo tee /sys/kernel/mm/numa/demotion_enabled")
    if args.numa_balancing is not None:
        now.append(f"sudo sysctl kernel.numa_balancing={args.numa_balancing}")
    if machine.module and options:
        now.append("sudo pghot unload")
    if not machine.module or options:
        now.append("sudo pghot load")
    yield SetUp(False, [f"/{change.file}" for change in wanted], now)


def show(setup: SetUp, screen: Screen) -> None:
    """What was written, and what to do now."""
    for file in setup.files:
        screen.line(f"{'as before' if setup.undone else 'written'}: {file}")
    if setup.undone:
        screen.line("This counts from the next boot on." if setup.files else "Nothing was set up.")
        return
    screen.line("This counts from the next boot on.")
    if setup.now:
        screen.line("To have it now as well:")
    for command in setup.now:
        screen.line(f"    {command}")


VERB = Verb(
    name="setup",
    summary="have pghot work after each boot, or undo that",
    about=(
        "Writes files of its own, so that pghot is loaded at each boot with these parameters, and "
        "so that the kernel may demote idle pages to make room. Where the unit pghot.service is "
        "installed, it is enabled; it fails visibly if there is no module for a new kernel. "
        f"Without it, /{persist.MODULES_LOAD} is written.",
        "With --undo all these files are as they were before the first `pghot setup` or "
        "`pghot set --persist`. What is in force at this moment is left alone both times.",
    ),
    result=SetUp,
    run=run,
    show=show,
    options=(
        Option(
            ("setting",),
            "parameters of the module; NAME= forgets one",
            metavar="NAME=VALUE",
            many="*",
            values=tuple(f"{name}=" for name in PARAMETERS),
        ),
        Option(("--no-demotion",), "leave idle pages on fast nodes (demotion_enabled=0)"),
        Option(
            ("--numa-balancing",),
            "set kernel.numa_balancing at each boot, too; 2 is the tiering mode, for hint faults",
            metavar="MODE",
            values=MODES,
        ),
        Option(("--undo",), "put back what was there before"),
    ),
    examples=(
        Example("sudo pghot setup", "load pghot at each boot"),
        Example("sudo pghot setup slow_nodes=2-3", "name the slow nodes"),
        Example("sudo pghot setup --undo", "as it was before"),
    ),
)
