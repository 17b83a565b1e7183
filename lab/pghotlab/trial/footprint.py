# SPDX-License-Identifier: GPL-2.0
"""How much memory a program needs: it is run once without the memory model, which is quick.

Nearly all that can be wrong with a program shows here, before anything takes long.
"""

import json
import signal
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pghotlab.base.errors import LabError, RunError
from pghotlab.base.units import MIB
from pghotlab.guest.console import CONSOLE, Progress
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import Machine
from pghotlab.measure.results import read_json, write_json
from pghotlab.measure.workload import Workload

# Without the model the guest's clock is the host's. On a host that is busy a CPU of the guest may
# wait for a long time until it goes on, which the kernel takes for a lockup of its own.
PATIENT = "nowatchdog rcupdate.rcu_cpu_stall_suppress=1"
# As shells have them.
NOT_FOUND = 127
BY_SIGNAL = 128


@dataclass(frozen=True)
class Footprint:
    """What the run without the model has shown.

    peak: the most memory that the program had at one time, bytes. All that the kernel counts for
    its memory cgroup is in it: also files that it writes, and page tables.
    fast_free: what fast nodes had free for programs before it, bytes.
    seconds: how long the whole run took on this host.
    """

    peak: int
    fast_free: int
    seconds: float


def steps(command: str) -> str:
    """The guest's shell steps."""
    return f"phase workload\n{command} >/tmp/out || true\nreport workload </tmp/out"


def complaint(workload: Workload, found: dict[str, Any], output: str) -> str:
    """What was wrong with a run, by what observe.c says of it, and what to do; empty if nothing."""
    said = f"; its last lines:\n{output}" if output.strip() else ", and it has written nothing"
    status = found["status"]
    if status == NOT_FOUND:
        return (
            "it, or a program that it starts, was not found in the guest. Give what is missing as "
            f"--file or --package{said}"
        )
    if not found["begun"] and "marks" in workload.options:
        return (
            f'it never gave the mark "start" (its status: {status}). Does it use one of the files '
            f"of lab/marks{said}"
        )
    if not found["begun"]:
        return (
            f"--start: no line of its output had {workload.options['start']!r} in it (its status: "
            f"{status}). Give a part of a line that it writes{said}"
        )
    if status == BY_SIGNAL + signal.SIGILL:
        return (
            "it used an instruction that the modelled CPU does not have. Build it for another CPU, "
            f"such as -march=x86-64-v3{said}"
        )
    if status > BY_SIGNAL:
        name = signal.strsignal(status - BY_SIGNAL)
        return f"it crashed in the guest (signal {status - BY_SIGNAL}, {name}){said}"
    if status:
        return (
            f"it ended with status {status}. If it misses a file, give that as --file, or its "
            f"Debian package as --package{said}"
        )
    if not found["ended"]:
        return (
            f"--end: after the start no line of its output had {workload.options['end']!r} in it. "
            f"Give a part of a line that it writes then{said}"
        )
    return ""


def _read(workload: Workload, guest: Guest) -> dict[str, Any]:
    where = f"{guest.folder / CONSOLE}"
    try:
        found: dict[str, Any] = json.loads(guest.report.text("workload"))
    except (KeyError, json.JSONDecodeError):
        raise RunError(
            f"{where}: the guest could not run the program; the last lines there say why"
        ) from None
    problem = complaint(workload, found, "\n".join(guest.report.blocks.get("output", [])))
    if problem:
        raise RunError(f"{workload.name}: {problem}")
    return found


def _boot(machine: Machine, workload: Workload, folder: Path, progress: Progress | None) -> Guest:
    try:
        return boot(
            machine,
            steps(workload.command(machine, "fast", 1)),
            timeout=workload.timeout,
            packages=workload.files,
            folder=folder,
            kernel_arguments=PATIENT,
            progress=progress,
        )
    except RunError as error:
        if "Out of memory" in str(error):
            raise RunError(
                f"{workload.name}: it needs more memory than machine {machine.name} has, which is "
                f"{machine.memory // MIB} MiB with the kernel's own. Give it less to do, or take a "
                "larger --machine"
            ) from None
        if "the guest hangs in phase" in str(error):
            raise RunError(
                f"{workload.name}: it did not come to its end within {workload.timeout / 60:.0f} "
                "minutes. If it never ends by itself, give --end. If it only takes long, give it "
                f"less to do, or a higher --limit ({error})"
            ) from None
        raise


def measure(
    machine: Machine, workload: Workload, key: str, folder: Path, progress: Progress | None = None
) -> Footprint:
    """Run the program once in the folder, or take what a run with the same key has shown there.

    So a trial that is continued leaves as much fast memory as before. RunError says what was wrong
    with the program, and what to do.
    """
    file = folder / "footprint.json"
    if file.exists():
        try:
            kept = read_json(file)
            if kept.pop("key") == key:
                return Footprint(**kept)
        except (LabError, KeyError, TypeError, AttributeError):
            pass  # another version of the lab wrote it
    guest = _boot(machine, workload, folder / "footprint", progress)
    found = _read(workload, guest)
    footprint = Footprint(found["peak_bytes"], found["fast_free_bytes"], round(guest.seconds, 1))
    write_json(file, {"key": key, **asdict(footprint)})
    return footprint
