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
PAGE_KINDS = ("4k", "thp", "file")
# On tmpfs, so that the file's pages are memory of the nodes.
FILE = "/tmp/workload"


@dataclass(frozen=True)
class Workload:
    """A guest program and its options, sizes in bytes."""

    program: str
    options: dict[str, str]

    def command(self, machine: Machine, provision: str, seed: int) -> str:
        """The shell command of one run; provision is "fast" or "slow"."""
        node = (machine.fast_nodes if provision == "fast" else machine.slow_nodes)[0]
        words = [self.program]
        for name, value in self.options.items():
            words += [f"--{name}", value]
        if self.options.get("pages") == "file":
            words += ["--file", FILE]
        words += ["--seed", str(seed), "--provision", str(node)]
        if len(machine.fast_nodes) == 1:
            words += ["--cpus-node", str(machine.fast_nodes[0])]
        return " ".join(words)


def load_defaults(program: str, path: Path = paths.WORKLOADS) -> dict[str, str]:
    """A workload's options with their defaults, as the file writes them."""
    return parse_toml(path, path.read_bytes(), UsageError).scalars(program)


def make_workload(program: str, given: Mapping[str, str], machine: Machine) -> Workload:
    """A workload with options over its defaults; UsageError when one is wrong."""
    options = load_defaults(program)
    for name, value in given.items():
        if name not in options:
            raise UsageError(f"--{name}: {program} has no such option")
        options[name] = value
    for name, value in options.items():
        if name == "pages":
            if value not in PAGE_KINDS:
                raise UsageError(f"--pages: {value!r} is not one of {', '.join(PAGE_KINDS)}")
            continue
        try:
            number = parse_size(value) if name in SIZES else int(value)
        except ValueError:
            kind = "size like 256M" if name in SIZES else "whole number"
            raise UsageError(f"--{name}: {value!r} is not a {kind}") from None
        if number < (0 if name.endswith("-share") else 1):
            raise UsageError(f"--{name}: {value!r} is too small")
        if name.endswith("-share") and number > 100:
            raise UsageError(f"--{name}: {value!r} is more than 100 percent")
        options[name] = str(number)
    size = int(options["bytes"])
    smallest = min(node.size for node in machine.nodes)
    if size > smallest * 3 // 4:
        raise UsageError(
            f"--bytes: {format_size(size)} does not fit a node of {format_size(smallest)} "
            f"of machine {machine.name}: at most three quarters of it"
        )
    unit = 2 * MIB if options["pages"] == "thp" else 4 * KIB
    for name in SIZES:
        if int(options[name]) % (unit if name == "bytes" else 4 * KIB):
            raise UsageError(f"--{name}: {options[name]} is not a multiple of the page size")
    if int(options["hot-bytes"]) > size:
        raise UsageError("--hot-bytes: more than --bytes")
    return Workload(program, options)
