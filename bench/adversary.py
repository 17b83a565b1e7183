# SPDX-License-Identifier: GPL-2.0
"""What a program that has as much promoted as it can takes from one that only wants to run.

Run from `make bench-adversary`; writes docs/results/adversary.json and prints a table. All CPUs
of the three-node machine are busy with the victim, a thread of fixed work on each, in a cgroup of
its own. The adversary, in another one, keeps its memory on the slow node, with a thread for each
CPU. A device says, five times a second, that all of that memory is hot; what that takes is in the
rows with pghot, too, and is no part of promotion.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import load_machine
from pghotlab.measure.results import write_json
from pghotlab.rows.summary import format_table
from pghotlab.tables.compare import side_by_side

FOLDER = paths.RESULTS / "adversary"
DOCS = paths.ROOT / "docs" / "results"
TIMEOUT = 1800
MACHINE = "three-node"
SLOW = 2
CPUS = 4
ADVERSARY_MB = 128
# The victim's work on each CPU: steps through so much memory, MiB, so often. Several seconds, as
# the budget is one of seconds.
WORK_MB = 64
ROUNDS = 10
# Longer than any row's victim takes.
ATTACK_S = 600


@dataclass(frozen=True)
class Case:
    """One row: whether the adversary runs, and promote_cpu_percent, or None without pghot."""

    name: str
    title: str
    attacked: bool
    percent: int | None = None


CASES = (
    Case("alone", "alone", attacked=False),
    Case("no-pghot", "beside the adversary, no pghot", attacked=True),
    Case("unbounded", "beside it, promote_cpu_percent=100", attacked=True, percent=100),
    Case("default", "beside it, promote_cpu_percent=50 (default)", attacked=True, percent=50),
    Case("tenth", "beside it, promote_cpu_percent=10", attacked=True, percent=10),
)


def steps(case: Case) -> str:
    """The guest's steps."""
    lines = [
        "PGHOT=/sys/kernel/mm/pghot",
        "mkdir /tmp/cgroup",
        "mount -t cgroup2 cgroup /tmp/cgroup",
        'set_value /tmp/cgroup/cgroup.subtree_control "+memory +cpu"',
        "mkdir /tmp/cgroup/victim /tmp/cgroup/adversary",
        "set_value /sys/kernel/mm/transparent_hugepage/enabled never",
    ]
    if case.percent:
        lines.append(
            "insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1 "
            f"promote_cpu_percent={case.percent}"
        )
    if case.attacked:
        lines += [
            "(echo 0 >/tmp/cgroup/adversary/cgroup.procs",
            f"exec adversary {SLOW} {ADVERSARY_MB} {CPUS} {ATTACK_S}) >/tmp/adversary &",
            "until grep -q ready /tmp/adversary; do usleep 10000; done",
        ]
    lines.append("mark arm")
    if case.percent:
        lines.append(
            f"(while :; do insmod /lib/recorder.ko nid={SLOW} nr_pages=1000000; rmmod recorder; "
            "usleep 200000; done) &"
        )
    lines += [
        "phase workload",
        "cut -d ' ' -f 1 /proc/uptime | report begin",
        "(echo 0 >/tmp/cgroup/victim/cgroup.procs",
        f"for cpu in $(seq 0 {CPUS - 1}); do",
        f"(for _ in $(seq {ROUNDS}); do taskset -c $cpu chase {WORK_MB}; done) >/dev/null &",
        "done",
        "wait)",
        "cut -d ' ' -f 1 /proc/uptime | report end",
        "phase collect",
    ]
    if case.percent:
        lines += [
            f"cat $PGHOT/stats/{name} | report {name}"
            for name in ("promoted", "kmigrated_cpu_ns", "refused_share")
        ]
    return "\n".join(lines)


def result(case: Case, guest: Guest) -> dict[str, Any]:
    """The row of a run."""
    seconds = float(guest.report.text("end")) - float(guest.report.text("begin"))
    row: dict[str, Any] = {
        "name": case.name,
        "title": case.title,
        "promote_cpu_percent": case.percent,
        "victim_s": round(seconds, 2),
        "steps": steps(case).splitlines(),
        "kernel": guest.kernel,
        "qemu": guest.qemu,
        "machine": {"name": MACHINE, "sha256": load_machine(MACHINE).sha256},
    }
    if case.percent:
        cpu_ns = int(guest.report.text("kmigrated_cpu_ns"))
        row |= {
            "promoted": int(guest.report.text("promoted")),
            "refused_share": int(guest.report.text("refused_share")),
            "promotion_cpu_percent": round(cpu_ns / 1e7 / seconds / CPUS, 1),
        }
    return row


def run(case: Case) -> dict[str, Any]:
    """Boot a guest for one row."""
    built = paths.KERNEL_BUILD / "tests"
    guest = boot(
        load_machine(MACHINE),
        steps(case),
        timeout=TIMEOUT,
        plugin=paths.PLUGIN,
        modules={
            "lib/pghot.ko": paths.MODULE,
            "lib/recorder.ko": built / "modules" / "recorder.ko",
            "bin/adversary": built / "bin" / "adversary",
            "bin/chase": built / "bin" / "chase",
        },
        folder=FOLDER / case.name,
    )
    print(f"adversary: {case.name}: {guest.seconds:.0f} s here", flush=True)
    return result(case, guest)


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as text."""
    alone = rows[0]["victim_s"]
    heads = ["victim", "guest s", "to alone", "promoted", "refused_share", "CPU %"]
    lines = [
        [
            row["title"],
            f"{row['victim_s']:.2f}",
            f"{row['victim_s'] / alone:.2f}",
            str(row.get("promoted", "-")),
            str(row.get("refused_share", "-")),
            str(row.get("promotion_cpu_percent", "-")),
        ]
        for row in rows
    ]
    return format_table([heads, *lines])


def main() -> int:
    """Run all rows, print the table, and write the file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        with ThreadPoolExecutor(side_by_side(load_machine(MACHINE))) as pool:
            rows = list(pool.map(run, CASES))
    except LabError as error:
        print(f"adversary: {error}", file=sys.stderr)
        return 1
    print(table(rows))
    write_json(DOCS / "adversary.json", rows)
    print(DOCS / "adversary.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
