# SPDX-License-Identifier: GPL-2.0
"""Guests in which a test module records pages: what bench-costs and bench-core share.

No workload: a program sleeps on its memory of node 1, so that nothing else happens,
and the plugin counts the instructions of each marked region exactly.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pghotlab.base import paths
from pghotlab.base.errors import LabError, ResultError
from pghotlab.guest.console import Progress
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import load_machine
from pghotlab.rows.summary import Row

PAGES = 4096

# Regions of recorded_rounds, each over PAGES pages.
ROUNDS = ("clock", "record_first", "record_again", "record_ready", "record_more")

STEPS = f"""
PGHOT=/sys/kernel/mm/pghot
set_value /proc/sys/kernel/numa_balancing 0
set_value /sys/kernel/mm/transparent_hugepage/enabled never

# hold NODE MEGABYTES: a program that does nothing but have memory
hold()
{{
	hog "$@" >"/tmp/hog$1" &
	until grep -q ready "/tmp/hog$1"; do usleep 100000; done
}}

# load_pghot [PARAMETER]...: nobody but the recorder is a source
load_pghot()
{{
	insmod /lib/pghot.ko enabled_sources=2 "$@"
}}

# record [PARAMETER]...: of node 1, if nothing else is said
record()
{{
	insmod /lib/recorder.ko nid=1 "$@"
	rmmod recorder
}}

# A first access to each page, again, one that makes it ready, and one more; just after
# load_pghot freq_threshold=3, so that no line of records is old.
recorded_rounds()
{{
	record accessor=0 nr_pages={PAGES} rounds=4 mark=1
}}
"""


def measure(
    steps: str,
    regions: Sequence[str],
    folder: str,
    progress: Progress | None = None,
    *,
    of_cpus: Callable[[Iterable[int]], int] = sum,
    seed: int = 1,
) -> tuple[Guest, dict[str, int]]:
    """Boot a guest for the steps after STEPS; kernel instructions of its regions by name.

    folder: where in build/results the guest's files go.
    of_cpus: max where one CPU does it all: what others do meanwhile, for their ticks or
        for RCU, does not count.
    """
    tests = paths.KERNEL_BUILD / "tests"
    guest = boot(
        load_machine("two-node"),
        STEPS + steps,
        timeout=600,
        plugin=paths.PLUGIN,
        modules={
            "lib/pghot.ko": paths.MODULE,
            "lib/recorder.ko": tests / "modules" / "recorder.ko",
            "bin/hog": tests / "bin" / "hog",
        },
        folder=paths.RESULTS / folder / "guest",
        progress=progress,
        seed=seed,
    )
    if len(guest.regions) != len(regions):
        raise LabError(f"{guest.folder}: {len(guest.regions)} regions, not {len(regions)}")
    cost = {
        name: of_cpus(kernel + module for _, kernel, module in region["insn_cpu"])
        for name, region in zip(regions, guest.regions, strict=True)
    }
    return guest, cost


def kept_rows(table: str, make: str) -> list[Row]:
    """Rows of build/results/TABLE; ResultError when `make ...` has not made them, or not whole."""
    path = paths.RESULTS / table
    try:
        rows: list[Row] = json.loads(path.read_text())
    except FileNotFoundError:
        raise ResultError(f"{path}: there is none: run `make {make}` first") from None
    except json.JSONDecodeError as error:
        raise ResultError(f"{path}: truncated or not JSON: {error}") from None
    return rows


def keep(name: str, costs: Mapping[str, Any]) -> None:
    """Write build/results/NAME/NAME.json, and say so."""
    out = paths.RESULTS / name / f"{name}.json"
    out.write_text(json.dumps(costs, indent=1) + "\n")
    print(out)


def per_page(cost: Mapping[str, int], name: str, without: str = "") -> float:
    """Instructions for each page of a region, less those of another one."""
    return (cost[name] - (cost[without] if without else 0)) / PAGES
