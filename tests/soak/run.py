# SPDX-License-Identifier: GPL-2.0
"""One soak run: the guest acts as its schedule says, and what is wrong afterwards is found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base.errors import RunError
from pghotlab.guest.console import Progress
from pghotlab.guest.vm import Guest
from support import BUILD, DEBUG, MOUNT_DISK, SWAP_ON, counters, disk_files, kernel, run, swap_files
from tests.soak.schedule import Schedule

GUEST = Path(__file__).parent / "guest"
# Of all memory, so much per node is for the kernel alone, and the rest can go offline.
KERNEL_ARGUMENTS = "kernelcore=512M"
# The guest decides when it ends. This is for one that does not any more: host seconds.
TIMEOUT_TIMES = 3
TIMEOUT_MORE = 1800
# Memory that the kernel may have kept for itself meanwhile, KiB: what KASAN keeps from being used
# again is part of it.
KEPT_KIB = (512 if DEBUG else 96) << 10


@dataclass(frozen=True)
class Outcome:
    """What a run came to. counts: empty if the guest did not come to its end."""

    schedule: Schedule
    kernel: str
    counts: Mapping[str, int]
    findings: Sequence[str]

    def row(self) -> dict[str, object]:
        """As a row of a results file."""
        return {
            "seed": self.schedule.seed,
            "minutes": self.schedule.seconds / 60,
            "machine": Path(self.schedule.machine).stem,
            "pages": self.schedule.pages,
            "kernel": self.kernel,
            "findings": list(self.findings),
            "counts": dict(self.counts),
        }


def _steps(schedule: Schedule) -> str:
    files = "\n".join(
        f"cat >/tmp/soak/schedule.{actor} <<'END'\n" + "\n".join(schedule.lines(actor)) + "\nEND"
        for actor in schedule.actions
    )
    return f"""
mkdir /tmp/soak
{files}
SOAK_ACTORS="{" ".join(schedule.actions)}"
SOAK_SECONDS={schedule.seconds}
SOAK_PAGES={schedule.pages}
mount_disk()
{{
{MOUNT_DISK}
}}
swap_on()
{{
{SWAP_ON}
}}
. /lab/soak.sh
"""


def _findings(guest: Guest, counts: Mapping[str, int]) -> list[str]:
    found = guest.report.text("findings").splitlines()
    kept = counts["kib_not_given_back"]
    if kept > KEPT_KIB:
        found.append(f"{kept} KiB of memory were not given back")
    return found


def soak(schedule: Schedule, name: str, progress: Progress | None = None) -> Outcome:
    """Have a guest act as the schedule says; its log is in BUILD/vm/NAME."""
    files = {f"lab/{path.name}": path for path in GUEST.glob("*.sh")}
    files["lib/pghot-inject.ko"] = BUILD / "inject" / "pghot.ko"
    release = kernel().release
    try:
        guest = run(
            _steps(schedule),
            name=name,
            machine=schedule.machine,
            timeout=TIMEOUT_TIMES * schedule.seconds + TIMEOUT_MORE,
            files=files | disk_files() | swap_files(),
            kernel_arguments=KERNEL_ARGUMENTS,
            progress=progress,
        )
    except RunError as error:
        return Outcome(schedule, release, {}, [str(error)])
    counts = counters(guest, "counts")
    return Outcome(schedule, release, counts, _findings(guest, counts))
