# SPDX-License-Identifier: GPL-2.0
"""Causes that lie in the administrator's files: options that do not reach the module."""

from collections.abc import Iterator

from pghot.decide.finding import WARNING, Finding
from pghot.decide.tunables import PARAMETERS, TUNABLES, unknown
from pghot.decide.view import View
from pghot.read.module import Module
from pghot.read.root import parse_list


def ignored(view: View) -> Iterator[Finding]:
    """Parameters that pghot does not have: the kernel ignores them without an error."""
    for option in view.now.settings.options:
        if option.name not in PARAMETERS or option.value is None:
            said = unknown(option.name) if option.name not in PARAMETERS else "has no value"
            yield Finding(
                "option-ignored",
                WARNING,
                f"{option.file}: {said}. The kernel ignores it.",
                [f"sudoedit {option.file}"],
            )
    for name in view.now.kernel.parameters:
        if name not in PARAMETERS:
            yield Finding(
                "option-ignored",
                WARNING,
                f"The kernel's command line: {unknown(name)}. The kernel ignores it.",
                ["sudoedit /etc/default/grub && sudo update-grub"],
            )


def running_value(module: Module, name: str) -> str | None:
    """What is in force for a parameter; None if the module does not show it."""
    if name == "mode":
        return module.mode
    if name == "slow_nodes":
        return ",".join(map(str, module.slow_nodes))
    value = module.tunables.get(name)
    return None if value is None else str(value)


def same(name: str, wanted: str, running: str) -> bool:
    """Whether a parameter's text stands for the value in force."""
    try:
        if name == "slow_nodes":
            # A node that is named may have no memory yet; without names the tiers tell.
            return not wanted or set(parse_list(running)) <= set(parse_list(wanted))
        if name in TUNABLES:
            return int(wanted, 0) == int(running, 0)
    except ValueError:
        return False
    return wanted == running


def differ(view: View) -> Iterator[Finding]:
    """Values in force are not those of the files."""
    if not view.module:
        return
    wanted = {one.name: (one.value, one.file) for one in view.now.settings.options}
    wanted |= {k: (v, "the kernel's command line") for k, v in view.now.kernel.parameters.items()}
    for name, (value, where) in wanted.items():
        running = running_value(view.module, name)
        if value is None or running is None or same(name, value, running):
            continue
        # What can be changed while pghot runs needs no reload.
        mend = (
            f"sudo pghot set {name}={value}"
            if name in TUNABLES
            else "sudo pghot unload && sudo pghot load"
        )
        yield Finding(
            "option-differs",
            WARNING,
            f"{name} is {running}, and {where} says {value}. Options count only when the module "
            "is loaded.",
            [mend],
        )


def sysctls_differ(view: View) -> Iterator[Finding]:
    """The same of sysctls. Those of pghot do not exist before it is loaded."""
    if not view.module:
        return
    wanted = {s.name: s for s in view.now.settings.sysctls if s.name.startswith("vm.pghot_")}
    for name, setting in wanted.items():
        tunable = name.removeprefix("vm.pghot_")
        running = view.module.tunables.get(tunable)
        if tunable not in TUNABLES:
            yield Finding(
                "sysctl-ignored",
                WARNING,
                f"{setting.file}: {name}: there is no such sysctl. {unknown(tunable)}.",
                [f"sudoedit {setting.file}"],
            )
        elif running is not None and not same(tunable, setting.value or "", str(running)):
            yield Finding(
                "sysctl-differs",
                WARNING,
                f"{name} is {running}, and {setting.file} says {setting.value}. Sysctls of pghot "
                "do not exist before the module is loaded, which is after sysctl.d was read.",
                [f"sudo pghot set {tunable}={setting.value} --persist"],
            )
