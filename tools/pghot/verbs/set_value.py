# SPDX-License-Identifier: GPL-2.0
"""pghot set: change settings while pghot runs, and for the next boots, too."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import persist
from pghot.decide.tunables import LOAD_ONLY, OTHERS, TUNABLES, similar
from pghot.errors import PghotError, UsageError
from pghot.read.machine import Machine, read_machine
from pghot.read.module import HOME
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Option, Verb

POLICY = "policy"
WAYS = ("auto", "manual")


@dataclass(frozen=True)
class Changed:
    """A setting. before: the value that was in force."""

    name: str
    before: str
    value: str
    persistent: bool


@dataclass(frozen=True)
class Settings:
    """changed: in the order in which they were asked for."""

    changed: list[Changed]


def parse(settings: list[str], machine: Machine, persistent: bool) -> dict[str, str]:
    """What is asked for, checked as the module checks it; UsageError names the range."""
    if not machine.module:
        raise PghotError("the module is not loaded (sudo pghot load)")
    wanted: dict[str, str] = {}
    nodes = [node.id for node in machine.nodes]
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{text}: write NAME=VALUE")
        if name in LOAD_ONLY:
            raise UsageError(
                f"{name}: can be set only when the module is loaded: `pghot setup {name}={value}`, "
                "then unload and load it"
            )
        if name == POLICY and value not in WAYS:
            raise UsageError(f"{text}: must be auto or manual")
        if name == POLICY and persistent:
            raise UsageError("policy: cannot persist: it is auto unless enabled_sources is set")
        if name in TUNABLES:
            TUNABLES[name].check(value, machine.module.mode, nodes)
        elif name not in (*OTHERS, POLICY):
            meant = similar(name)
            hint = f"; did you mean {meant}?" if meant else ""
            raise UsageError(f"{name}: pghot has no such setting{hint}")
        wanted[name] = value
    return wanted


def set_values(context: Context, settings: list[str], persistent: bool) -> Settings:
    """Set them all, or none if one is wrong."""
    machine = read_machine(context.root)
    wanted = parse(settings, machine, persistent)
    before = {name: context.root.text(f"{HOME}/{name}") or "" for name in wanted}
    for name, value in wanted.items():
        context.root.write(f"{HOME}/{name}", value)
    if persistent:
        together = persist.options(context.root) | wanted
        persist.apply(context.root, [persist.options_change(together)])
    return Settings(
        [
            Changed(name, before[name], context.root.text(f"{HOME}/{name}") or "", persistent)
            for name in wanted
        ]
    )


def run(context: Context, args: Namespace) -> Iterator[Settings]:
    """Set them."""
    yield set_values(context, args.setting, args.persist)


def show(settings: Settings, screen: Screen) -> None:
    """What was, and what is."""
    for one in settings.changed:
        kept = f", and in /{persist.MODPROBE}" if one.persistent else ""
        screen.line(f"{one.name}: {one.before} -> {one.value}{kept}")


VERB = Verb(
    name="set",
    summary="change settings while the module runs",
    about=(
        "Changes tunables and the policy. A value out of range is refused, and the range is named; "
        "then nothing is changed. With --persist the values also count from the next load on: they "
        f"are written to /{persist.MODPROBE}.",
    ),
    result=Settings,
    run=run,
    show=show,
    options=(
        Option(
            ("setting",),
            "a tunable or the policy",
            metavar="NAME=VALUE",
            many="+",
            values=(*(f"{name}=" for name in TUNABLES), *(f"policy={way}" for way in WAYS)),
        ),
        Option(("--persist",), "let the values last beyond a reboot"),
    ),
    examples=(
        Example("sudo pghot set promote_rate_limit_MBps=500 --persist", "limit promotion"),
        Example("sudo pghot set policy=auto", "let pghot decide again"),
    ),
)
