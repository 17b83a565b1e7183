# SPDX-License-Identifier: GPL-2.0
"""The workloads' options: defaults from lab/workloads.toml, and how a guest runs one."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import UsageError
from pghotlab.base.strict import parse_toml
from pghotlab.base.units import KIB, MIB, format_size, parse_size
from pghotlab.hardware.machine import Machine

CHOICES = {
    "pages": ("4k", "thp", "file", "read"),
    "pattern": ("even", "normal", "linear", "zipf"),
    "bind": ("all", "hot", "none"),
    "timed": ("no", "yes"),
    "scenario": ("migrated", "direct"),
    "spread": ("set", "zipf"),
    "reader": ("none", "rest", "own"),
    "start": ("rest", "hot"),
}
# When a policy begins: before the workload does, or when it has its memory.
BEGINS = ("before", "placed")
# Whether what a workload does before its region is modelled.
LOADING = ("modelled", "unmodelled")
# Host seconds after which a measured run counts as hung.
TIMEOUT = 1200
# Numbers that may be 0.
MAY_BE_ZERO = ("-share", "rate", "moves", "burst", "pause-us")
# As lab/guest/workloads/micro.c has it.
MAX_MOVES = 63
# On tmpfs, so that the file's pages are memory of the nodes.
FILE = "/tmp/workload"


@dataclass(frozen=True)
class Workload:
    """A guest program and its options, sizes in bytes."""

    name: str
    program: str
    options: dict[str, str]
    packages: str | None = None
    """The set of Debian packages that the guest needs for it, one of guest/packages.py."""
    same_start: bool = False
    """Whether all policies begin with the same placement: the program calls the guest's command
    `policy` when its memory is placed."""
    loads_unmodelled: bool = False
    """Whether only time is counted until the region begins: loading data takes little time then,
    but accesses cost nothing."""
    files: Path | None = None
    """An archive of the files that the guest needs for it, if they are not those of packages."""
    words: tuple[str, ...] = ()
    """What the program is given behind its options: the command that it runs."""
    timeout: float = TIMEOUT
    """Host seconds after which a run of it counts as hung."""

    @property
    def memory(self) -> int | None:
        """Bytes of memory that it uses all of, and takes a census of; None if it does neither."""
        return int(self.options["bytes"]) if "bytes" in self.options else None

    def command(self, machine: Machine, provision: str, seed: int, more: str = "") -> str:
        """The shell command of one run; provision is "fast" or "slow", more: further options."""
        # Where no memory is slow, it all is fast.
        slow = provision == "slow" and machine.slow_nodes
        node = (slow or machine.fast_nodes)[0]
        words = [self.program]
        for name, value in self.options.items():
            words += [f"--{name}", shlex.quote(value)]
        if self.options.get("pages") in ("file", "read"):
            words += ["--file", FILE]
        words += ["--seed", str(seed), "--provision", str(node)]
        if len(set(machine.cpu_nodes)) == 1:
            words += ["--cpus-node", str(machine.cpu_nodes[0])]
        if more:
            words.append(more)
        if self.words:
            words += ["--", shlex.join(self.words)]
        return " ".join(words)


def workload_names(path: Path = paths.WORKLOADS) -> list[str]:
    """All workloads, in the file's order."""
    return parse_toml(path, path.read_bytes(), UsageError).remaining()


@dataclass(frozen=True)
class _Entry:
    """What the file says of a workload."""

    program: str
    packages: str | None
    same_start: bool
    loads_unmodelled: bool
    options: dict[str, str]


def _load(name: str, path: Path) -> _Entry:
    root = parse_toml(path, path.read_bytes(), UsageError)
    if not root.has(name):
        raise UsageError(f"no workload {name!r}; there are: {', '.join(root.remaining())}")
    options = root.scalars(name)
    if "program" not in options:
        raise root.fail(f"{name}.program", "missing")
    chosen = {}
    for key, known in (("policy-begins", BEGINS), ("loading", LOADING)):
        value = chosen[key] = options.pop(key, known[0])
        if value not in known:
            raise root.fail(f"{name}.{key}", f"must be one of {', '.join(known)}, not {value!r}")
    return _Entry(
        program=options.pop("program"),
        packages=options.pop("packages", None),
        same_start=chosen["policy-begins"] == "placed",
        loads_unmodelled=chosen["loading"] == "unmodelled",
        options=options,
    )


def load_defaults(name: str, path: Path = paths.WORKLOADS) -> dict[str, str]:
    """A workload's options with their defaults, as the file writes them."""
    return _load(name, path).options


def _is_size(option: str) -> bool:
    return option.endswith("bytes")


def _parse_number(name: str, value: str) -> int:
    try:
        number = parse_size(value) if _is_size(name) else int(value)
    except ValueError:
        kind = "size like 256M" if _is_size(name) else "whole number"
        raise UsageError(f"--{name}: {value!r} is not a {kind}") from None
    if number < (0 if name.endswith(MAY_BE_ZERO) else 1):
        raise UsageError(f"--{name}: {value!r} is too small")
    if name.endswith("-share") and number > 100:
        raise UsageError(f"--{name}: {value!r} is more than 100 percent")
    return number


def _check_memory(size: int, options: Mapping[str, str], machine: Machine) -> None:
    """Of a workload with its own memory: that it fits, and its options to one another."""
    sizes = [node.size for node in machine.nodes]
    bound = options.get("bind", "all") == "all"
    room = min(sizes) if bound else sum(sizes)
    if size > room * 3 // 4:
        raise UsageError(
            f"--bytes: {format_size(size)} does not fit {'a node' if bound else 'the nodes'} of "
            f"{format_size(room)} of machine {machine.name}: at most three quarters of it"
        )
    unit = 2 * MIB if options["pages"] == "thp" else 4 * KIB
    for option in filter(_is_size, options):
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


def make_workload(name: str, given: Mapping[str, str], machine: Machine) -> Workload:
    """A workload with options over its defaults; UsageError when one is wrong."""
    entry = _load(name, paths.WORKLOADS)
    options = entry.options
    for option, value in given.items():
        if option not in options:
            raise UsageError(f"--{option}: {name} has no such option")
        options[option] = value
    for option, value in options.items():
        if option not in CHOICES:
            options[option] = str(_parse_number(option, value))
        elif value not in CHOICES[option]:
            raise UsageError(f"--{option}: {value!r} is not one of {', '.join(CHOICES[option])}")
    workload = Workload(
        name,
        entry.program,
        options,
        packages=entry.packages,
        same_start=entry.same_start,
        loads_unmodelled=entry.loads_unmodelled,
    )
    if workload.memory is not None:
        _check_memory(workload.memory, options, machine)
    return workload
