# SPDX-License-Identifier: GPL-2.0
"""pghot load: load the module, and say why that does not work."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from pghot import command
from pghot.decide.causes import loading
from pghot.decide.tunables import LOAD_ONLY, PARAMETERS, TUNABLES, unknown
from pghot.decide.view import View
from pghot.errors import PghotError, UsageError
from pghot.read.machine import Machine, read_machine
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Option, Verb


@dataclass(frozen=True)
class Loaded:
    """already: it was loaded before. log: what the module said while it was being loaded."""

    already: bool
    version: str
    slow_nodes: list[int]
    log: list[str]


def parse(settings: list[str], machine: Machine) -> dict[str, str]:
    """NAME=VALUE arguments; UsageError for names and values that the module would not take."""
    found = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if name not in PARAMETERS:
            raise UsageError(unknown(name))
        if not equals:
            raise UsageError(f"{text}: write {name}=VALUE")
        found[name] = value
    mode = found.get("mode", "default")
    if mode not in ("default", "precise"):
        raise UsageError(f"mode={mode}: must be default or precise")
    nodes = [node.id for node in machine.nodes]
    for name, value in found.items():
        if name in TUNABLES:
            TUNABLES[name].check(value, mode, nodes)
    return found


def _why(machine: Machine) -> str:
    """The cause of a load that failed, if it is a known one."""
    view = View(machine, machine)
    causes = (loading.no_module, loading.not_signed)
    found = [finding for cause in causes for finding in cause(view)]
    return "".join(f"\n{one.what}\n" + "\n".join(f"    {c}" for c in one.remedy) for one in found)


def load(context: Context, settings: list[str]) -> Loaded:
    """Load the module with these parameters; PghotError with the reason if that fails."""
    before = read_machine(context.root)
    wanted = parse(settings, before)
    if before.module:
        if any(name in LOAD_ONLY for name in wanted) or wanted:
            raise PghotError(
                "pghot is loaded already, and takes parameters only when it is loaded: use "
                "`pghot set`, or `pghot unload` first"
            )
        return Loaded(True, before.module.version, before.module.slow_nodes, [])
    old = len(before.kernel.pghot_log or ())
    try:
        command.run(("modprobe", "pghot", *(f"{name}={value}" for name, value in wanted.items())))
    except PghotError as error:
        machine = read_machine(context.root)
        said = [line for line in (machine.kernel.pghot_log or [])[old:] if "pghot: " in line]
        log = "".join(f"\nthe kernel's log says: {line}" for line in said)
        raise PghotError(f"the module cannot be loaded: {error}{log}{_why(machine)}") from None
    after = read_machine(context.root)
    if not after.module:
        raise PghotError("modprobe has loaded something, but there is no /sys/kernel/mm/pghot")
    log_lines = (after.kernel.pghot_log or [])[old:]
    return Loaded(False, after.module.version, after.module.slow_nodes, log_lines)


def run(context: Context, args: Namespace) -> Iterator[Loaded]:
    """Load it."""
    yield load(context, args.setting)


def show(loaded: Loaded, screen: Screen) -> None:
    """What has happened."""
    if loaded.already:
        screen.line(f"pghot {loaded.version} is loaded already.")
        return
    screen.line(f"pghot {loaded.version} is loaded.")
    for line in loaded.log:
        screen.line(f"    {line}")


VERB = Verb(
    name="load",
    summary="load the module",
    about=(
        "Loads the module with modprobe, after it has checked the parameters: the kernel itself "
        "ignores parameters that do not exist. If the module is loaded already, parameters are an "
        "error, because they would have no effect. If the load fails, the kernel's log and the "
        "cause, if it is a known one, are printed.",
    ),
    result=Loaded,
    run=run,
    show=show,
    options=(Option(("setting",), "parameters of the module", metavar="NAME=VALUE", many="*"),),
    examples=(
        Example("sudo pghot load", "with what /etc/modprobe.d says"),
        Example("sudo pghot load mode=precise", "with a parameter"),
    ),
)
