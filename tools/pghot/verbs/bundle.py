# SPDX-License-Identifier: GPL-2.0
"""pghot bundle: one file for a bug report, or for a result from real hardware."""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pghot import look
from pghot.decide.causes import diagnose
from pghot.decide.private import clean
from pghot.decide.view import View
from pghot.errors import PghotError
from pghot.read.caches import read_caches
from pghot.read.machine import Machine
from pghot.read.root import Root
from pghot.show.screen import Screen
from pghot.verb import Context, Example, Option, Verb, seconds
from pghot.verbs import measure, selftest, status
from pghot.version import VERSION

# Sources that nobody has run on hardware yet: each has a line that says whether it worked.
UNTRIED = {
    "perf": "AMD IBS, Intel PEBS",
    "mprof": "AMD memory profiler",
    "chmu": "CXL hotness monitoring units",
}
CPU_FIELDS = ("vendor_id", "cpu family", "model", "model name", "stepping", "microcode")


@dataclass(frozen=True)
class Bundle:
    """file: null if it was shown and not written. content: all that is in it, as JSON text."""

    file: str | None
    content: str


def cpu(root: Root) -> dict[str, str]:
    """What kind of CPU this is."""
    found: dict[str, str] = {}
    for line in root.lines("proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in CPU_FIELDS:
            found.setdefault(name.strip(), value.strip())
    return found


def untried(view: View) -> list[str]:
    """A line for each source that never ran on hardware."""
    module = view.module
    lines = []
    for name, about in UNTRIED.items():
        source = next((s for s in module.sources if s.name == name), None) if module else None
        if not module or not source:
            lines.append(f"{name} ({about}): not looked at, as the module is not loaded")
            continue
        count = module.stat(f"recorded_{name}")
        if source.on:
            worked = "worked" if count else "is on and has recorded nothing"
        else:
            worked = "has worked, and is off now" if count else "was not tried"
        if source.reason:
            worked = f"did not start: {source.reason}"
        lines.append(f"{name} ({about}): {worked}; {count} accesses recorded")
    return lines


def _machine(root: Root, machine: Machine) -> dict[str, Any]:
    kernel = machine.kernel
    return {
        "cpu": cpu(root),
        "caches": [asdict(one) for one in read_caches(root, 0)],
        "nodes": [asdict(node) for node in machine.nodes],
        "kernel": {name: value for name, value in asdict(kernel).items() if name != "vmstat"},
        "installed": [asdict(one) for one in machine.installed],
        "settings": asdict(machine.settings),
        "module": asdict(machine.module) if machine.module else None,
    }


def _tried(what: str, context: Context, args: Namespace) -> Any:
    """What a part found, or why it could not be done."""
    try:
        if what == "selftest":
            wanted = Namespace(node=None, mib=64.0, seconds=30.0)
            return asdict(next(selftest.run(context, wanted)))
        latency, bandwidth = measure.measure(context, args.mib)
        return {
            "latency": [asdict(o) for o in latency],
            "bandwidth": [asdict(o) for o in bandwidth],
        }
    except PghotError as error:
        return f"not done: {error}"


def make(context: Context, args: Namespace) -> str:
    """The content: JSON that people can read, without names of host, users, groups and programs."""
    view = look.watch(context, args.seconds)
    grown = {name: view.grew(name) for name in view.module.stats} if view.module else {}
    vmstat = {n: view.kernel_grew(n) for n in view.now.kernel.vmstat}
    content = {
        "format": 1,
        "pghot": VERSION,
        "machine": _machine(context.root, view.now),
        "status": asdict(status.make(view)),
        "findings": [asdict(finding) for finding in diagnose(view)],
        "counters": {"seconds": round(view.seconds, 3), "pghot": grown, "kernel": vmstat},
        "untried_sources": untried(view),
        "measured": _tried("measure", context, args),
        "selftest": _tried("selftest", context, args),
    }
    host = context.root.text("proc/sys/kernel/hostname") or ""
    return clean(json.dumps(content, indent=1, ensure_ascii=False), [host]) + "\n"


def _agreed(text: str) -> bool:
    """Show it, and ask. Without a terminal nobody can agree."""
    if not sys.stdin.isatty():
        raise PghotError("nothing is written before it was looked at: use --yes without a terminal")
    print(text, file=sys.stderr)
    print("Write this file? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def run(context: Context, args: Namespace) -> Iterator[Bundle]:
    """Gather, show, ask, write."""
    content = make(context, args)
    if args.show:
        yield Bundle(None, content)
        return
    if not args.yes and not _agreed(content):
        raise PghotError("nothing was written")
    try:
        # New, and for its owner only: whose it is decides who else sees it.
        file = os.open(args.output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w") as out:
            out.write(content)
    except OSError as error:
        raise PghotError(f"{args.output}: {error.strerror}") from None
    yield Bundle(str(args.output), content)


def show(bundle: Bundle, screen: Screen) -> None:
    """Where it is, or what it is."""
    if bundle.file:
        screen.line(f"written: {bundle.file}")
    else:
        screen.out.write(bundle.content)


VERB = Verb(
    name="bundle",
    summary="gather all that a bug report or a result from hardware needs in one file",
    about=(
        "Gathers the machine's CPU, caches, nodes and tiers, pghot's settings, what the counters "
        "did over a minute, the kernel log's lines about pghot, measured latencies and "
        "bandwidths, and what `pghot selftest` has found. For each source that never ran on "
        "hardware (IBS, PEBS, AMD's profiler, CXL units) a line says whether it worked.",
        "The file has no names of the host, of users, control groups or programs, and no addresses "
        "of networks. It is shown before it is written.",
    ),
    result=Bundle,
    run=run,
    show=show,
    options=(
        Option(
            ("-o", "--output"),
            "the file, which must not exist; pghot-bundle.json without this option",
            metavar="FILE",
            type=Path,
            default=Path("pghot-bundle.json"),
            values=("FILE",),
        ),
        Option(
            ("-s", "--seconds"),
            "for how long to watch counters; 60 without this option",
            metavar="SECONDS",
            type=seconds,
            default=60.0,
        ),
        Option(
            ("--mib",),
            "memory for measuring latencies; 256 without this option",
            metavar="MIB",
            type=int,
            default=256,
        ),
        Option(("--show",), "only show what would be written"),
        Option(("-y", "--yes"), "write it without asking"),
    ),
    examples=(Example("sudo pghot bundle", "gather, look at it, write pghot-bundle.json"),),
)
