# SPDX-License-Identifier: GPL-2.0
"""What promotion costs the CPUs of a process, and itself: `make bench-cpus`.

Two kinds of figures:

- Interrupts, counted in guests with 8 to 128 CPUs. A page is unmapped before it is moved, and all
  CPUs that its process runs on have to forget the mapping. One of them broadcasts that to the
  others, with an interrupt for each. pghot unmaps some pages at a time, and more if the process
  runs on more CPUs (kernel/wrapper/folio.c). Here a program computes on each CPU of a guest, and a
  test module says that its memory on the slow node is hot. The program does not use this memory,
  because who waits for a page needs no interrupt. Workers that move pages run on one CPU. The
  kernel counts the broadcasts (tracepoint tlb_flush) and the interrupts that CPUs got for them
  (line TLB of /proc/interrupts). The same without promotion is subtracted.
  These are counts, and no times: the guests run without the memory model, and have more CPUs than
  the host.
- What kmigrated and its workers take for a base page: modelled, from a run of micro/4k.

Into docs/results: cpus.json. docs/scale.md shows it.
"""

import re
import sys
from dataclasses import replace
from typing import Any

from pghotlab.base import paths
from pghotlab.base.errors import LabError, ResultError
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import Machine, load_machine
from pghotlab.measure.results import write_json
from pghotlab.measure.run import Run, execute
from pghotlab.rows.summary import format_table
from pghotlab.tables.recipe import load_recipe

FOLDER = paths.RESULTS / "cpus"
DOCS = paths.ROOT / "docs" / "results"
CPUS = (8, 32, 128)
PAGES = 4096
# What is modelled.
TABLE, CASE = "micro", "4k"
# Of host time. All CPUs of a guest share one host thread.
TIMEOUT = 1800
# TLB_REMOTE_SEND_IPI of enum tlb_flush_reason.
BROADCAST = 4


def machine(cpus: int) -> Machine:
    """The two-node machine with so many CPUs."""
    two = load_machine("two-node")
    fast, *others = two.nodes
    return replace(two, nodes=(replace(fast, cpus=tuple(range(cpus))), *others))


def steps(cpus: int) -> str:
    """The guest's steps."""
    return f"""
PGHOT=/sys/kernel/mm/pghot
FLUSH=/sys/kernel/tracing/events/tlb/tlb_flush/trigger
set_value /proc/sys/kernel/numa_balancing 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never
insmod /lib/pghot.ko enabled_sources=2 freq_threshold=1
# A CPU that runs a worker needs no interrupt, so all workers are on one.
echo 1 >/sys/devices/virtual/workqueue/pghot/cpumask

# interrupts: how many CPUs got to flush their TLBs
interrupts()
{{
	awk '$1 == "TLB:" {{ for (i = 2; i <= {cpus} + 1; i++) sum += $i; print sum }}' \\
		/proc/interrupts
}}

# record NAME: have the memory of node 1 reported as hot, and count
record()
{{
	set_value $FLUSH "hist:keys=reason"
	before=$(interrupts)
	promoted=$(cat $PGHOT/stats/promoted)
	insmod /lib/recorder.ko nid=1 nr_pages={PAGES}
	rmmod recorder
	# Until nothing more is promoted.
	was=-1
	while [ "$(cat $PGHOT/stats/promoted)" != $was ]; do
		was=$(cat $PGHOT/stats/promoted)
		sleep 2
	done
	echo $(($(interrupts) - before)) | report "$1.interrupts"
	echo $((was - promoted)) | report "$1.promoted"
	report "$1.reasons" <${{FLUSH%trigger}}hist
	set_value $FLUSH "!hist:keys=reason"
}}

phase workload
spin 1 {PAGES * 4096 >> 20} >/tmp/spin &
until grep -q ready /tmp/spin; do usleep 100000; done
set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
set_value $PGHOT/enabled_sources 0
record idle
set_value $PGHOT/enabled_sources 2
record promotion
kill $!
"""


def broadcasts(guest: Guest, name: str) -> int:
    """How many the tracepoint saw."""
    text = guest.report.text(f"{name}.reasons")
    found = re.search(rf"reason: +{BROADCAST} }} hitcount: +(\d+)", text)
    return int(found[1]) if found else 0


def run(cpus: int) -> dict[str, Any]:
    """Boot a guest with so many CPUs; the row."""
    tests = paths.KERNEL_BUILD / "tests"
    guest = boot(
        machine(cpus),
        steps(cpus),
        timeout=TIMEOUT,
        modules={
            "lib/pghot.ko": paths.MODULE,
            "lib/recorder.ko": tests / "modules" / "recorder.ko",
            "bin/spin": tests / "bin" / "spin",
        },
        folder=FOLDER / str(cpus),
    )
    print(f"cpus: {cpus} CPUs: {guest.seconds:.0f} s here", flush=True)
    promoted = int(guest.report.text("promotion.promoted"))
    if promoted < PAGES // 2:
        raise ResultError(f"{cpus} CPUs: {promoted} of {PAGES} pages were promoted")
    interrupts = [int(guest.report.text(f"{name}.interrupts")) for name in ("promotion", "idle")]
    return {
        "cpus": cpus,
        "promoted": promoted,
        "broadcasts": broadcasts(guest, "promotion") - broadcasts(guest, "idle"),
        "interrupts": interrupts[0] - interrupts[1],
        "kernel": guest.kernel,
        "qemu": guest.qemu,
    }


def moved() -> dict[str, Any]:
    """What a modelled run says of the CPU time of promotion."""
    recipe = load_recipe(TABLE).only([CASE])
    (modelled,) = [one for one in recipe.runs(recipe.cases[0]) if _is_pghot(one)]
    result = execute(modelled, FOLDER)
    return {
        "machine": modelled.machine.name,
        "case": f"{TABLE}/{CASE}",
        "seed": modelled.seed,
        "promoted": result.pghot["promoted"],
        "passes_cpu_ns": result.pghot["passes_cpu_ns"],
        "kmigrated_cpu_ns": result.pghot["kmigrated_cpu_ns"],
    }


def _is_pghot(run: Run) -> bool:
    return run.policy.name == "pghot" and run.seed == 1


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as text."""
    heads = ["CPUs", "pages to a broadcast", "interrupts to a broadcast", "interrupts to a page"]
    lines = [
        [
            str(row["cpus"]),
            f"{row['promoted'] / row['broadcasts']:.1f}",
            f"{row['interrupts'] / row['broadcasts']:.1f}",
            f"{row['interrupts'] / row['promoted']:.2f}",
        ]
        for row in rows
    ]
    return format_table([heads, *lines])


def main() -> int:
    """Run all rows, print the table, and write the file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        rows = [run(cpus) for cpus in CPUS]
        moves = moved()
    except LabError as error:
        print(f"cpus: {error}", file=sys.stderr)
        return 1
    print(table(rows))
    write_json(DOCS / "cpus.json", {"flushes": rows, "moves": moves})
    print(DOCS / "cpus.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
