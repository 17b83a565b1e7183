# SPDX-License-Identifier: GPL-2.0
"""The workloads' options: defaults from lab/workloads.toml, and how a guest runs one."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pghotlab import paths
from pghotlab.errors import UsageError
from pghotlab.machine import Machine
from pghotlab.strict import parse_toml
from pghotlab.units import KIB, MIB, format_size, parse_size

SIZES = ("bytes", "hot-bytes")
CHOICES = {"pages": ("4k", "thp", "file", "read"), "pattern": ("even", "normal")}
# As lab/guest/micro.c has it.
MAX_MOVES = 63
# On tmpfs, so that the file's pages are memory of the nodes.
FILE = "/tmp/workload"


@dataclass(frozen=True)
class Workload:
    """A guest program and its options, sizes in bytes."""

    name: str
    program: str
    options: dict[str, str]

    def command(self, machine: Machine, provision: str, seed: int) -> str:
        """The shell command of one run; provision is "fast" or "slow"."""
        node = (machine.fast_nodes if provision == "fast" else machine.slow_nodes)[0]
        words = [self.program]
        for name, value in self.options.items():
            words += [f"--{name}", value]
        if self.options.get("pages") in ("file", "read"):
            words += ["--file", FILE]
        words += ["--seed", str(seed), "--provision", str(node)]
        if len(machine.fast_nodes) == 1:
            words += ["--cpus-node", str(machine.fast_nodes[0])]
        return " ".join(words)


def workload_names(path: Path = paths.WORKLOADS) -> list[str]:
    """All workloads, in the file's order."""
    return parse_toml(path, path.read_bytes(), UsageError).remaining()


def _load(name: str, path: Path) -> tuple[str, dict[str, str]]:
    root = parse_toml(path, path.read_bytes(), UsageError)
    if not root.has(name):
        raise UsageError(f"no workload {name!r}; there are: {', '.join(root.remaining())}")
    options = root.scalars(name)
    if "program" not in options:
        raise root.fail(f"{name}.program", "missing")
    return options.pop("program"), options


def load_defaults(name: str, path: Path = paths.WORKLOADS) -> dict[str, str]:
    """A workload's options with their defaults, as the file writes them."""
    return _load(name, path)[1]


def _parse_number(name: str, value: str) -> int:
    try:
        number = parse_size(value) if name in SIZES else int(value)
    except ValueError:
        kind = "size like 256M" if name in SIZES else "whole number"
        raise UsageError(f"--{name}: {value!r} is not a {kind}") from None
    if number < (0 if name.endswith(("-share", "rate", "moves")) else 1):
        raise UsageError(f"--{name}: {value!r} is too small")
    if name.endswith("-share") and number > 100:
        raise UsageError(f"--{name}: {value!r} is more than 100 percent")
    return number


def make_workload(name: str, given: Mapping[str, str], machine: Machine) -> Workload:
    """A workload with options over its defaults; UsageError when one is wrong."""
    program, options = _load(name, paths.WORKLOADS)
    for option, value in given.items():
        if option not in options:
            raise UsageError(f"--{option}: {name} has no such option")
        options[option] = value
    for option, value in options.items():
        if option not in CHOICES:
            options[option] = str(_parse_number(option, value))
        elif value not in CHOICES[option]:
            raise UsageError(f"--{option}: {value!r} is not one of {', '.join(CHOICES[option])}")
    size = int(options["bytes"])
    smallest = min(node.size for node in machine.nodes)
    if size > smallest * 3 // 4:
        raise UsageError(
            f"--bytes: {format_size(size)} does not fit a node of {format_size(smallest)} "
            f"of machine {machine.name}: at most three quarters of it"
        )
    unit = 2 * MIB if options["pages"] == "thp" else 4 * KIB
    for option in filter(options.__contains__, SIZES):
        if int(options[option]) % (unit if option == "bytes" else 4 * KIB):
            raise UsageError(f"--{option}: {options[option]} is not a multiple of the page size")
    hot, moves = int(options.get("hot-bytes", size)), int(options.get("moves", 0))
    if hot > size:
        raise UsageError("--hot-bytes: more than --bytes")
    if hot * (moves + 1) > size:
        raise UsageError(f"--moves: {moves} need {moves + 1} times --hot-bytes in --bytes")
    if moves > MAX_MOVES:
        raise UsageError(f"--moves: {moves} is more than {MAX_MOVES}")
    if options["pages"] == "read" and options["write-share"] != "0":
        raise UsageError("--write-share: must be 0 with --pages read")
    if options["pages"] == "read" and moves:
        raise UsageError("--moves: must be 0 with --pages read")
    return Workload(name, program, options)
