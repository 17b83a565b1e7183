# SPDX-License-Identifier: GPL-2.0
"""The first table of docs/scale.md: what grows with the number of CPUs, before and after.

From the module's own constants, and from what `make bench-cpus` has measured.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from pghotlab.base import paths
from pghotlab.rows.summary import Row

CPUS = (8, 128, 512)
# Before: pages in a list that is unmapped, threads of a slow node, workers of each.
LIST_BEFORE = 8
THREADS_BEFORE = 1
PAGE = 4096


def constant(file: str, name: str) -> int:
    """The value of a macro of the module."""
    found = re.search(rf"^#define {name}\s+(\d+)", (paths.ROOT / "kernel" / file).read_text(), re.M)
    if not found:
        raise ValueError(f"kernel/{file} does not define {name}")
    return int(found[1])


def threads(cpus: int) -> int:
    """Threads of kmigrated for a slow node, as kernel/core/core.c sets pghot_hot_parts."""
    each, most = (constant("core/hotmap.h", f"HOT_{name}") for name in ("PART_CPUS", "PARTS_MAX"))
    return min(max(cpus // each, 1), most)


def unmapped(cpus: int) -> int:
    """Base pages that are unmapped at a time, as unmapped_max() of kernel/wrapper/folio.c says."""
    least, factor = (constant("wrapper/folio.c", f"UNMAPPED_{name}") for name in ("MIN", "FACTOR"))
    return max(least, math.ceil(round(factor * math.cbrt(cpus), 6)))


def interrupts(cpus: int, flushes: Mapping[int, Row]) -> tuple[float, float]:
    """For each base page, before and after; counted where there is a guest with so many CPUs."""
    row = flushes.get(cpus)
    if not row:
        return (cpus - 1) / LIST_BEFORE, (cpus - 1) / unmapped(cpus)
    to_broadcast = row["interrupts"] / row["broadcasts"]
    return to_broadcast / LIST_BEFORE, row["interrupts"] / row["promoted"]


def look_ns(moves: Row) -> float:
    """CPU time that kmigrated takes for a base page, ns: modelled."""
    return float(moves["passes_cpu_ns"] / moves["promoted"])


def copy_ns(moves: Row) -> float:
    """CPU time that a worker takes for a base page, ns: modelled."""
    return float((moves["kmigrated_cpu_ns"] - moves["passes_cpu_ns"]) / moves["promoted"])


def gigabytes(nr: int, page_ns: float) -> float:
    """What so many threads get done in a second, in base pages, GB."""
    return nr * PAGE / page_ns


def table(kept: Mapping[str, Any]) -> str:
    """The table as Markdown, of what is in cpus.json."""
    flushes = {row["cpus"]: row for row in kept["flushes"]}
    page_ns = look_ns(kept["moves"])
    parallel = constant("promote/promoter.c", "PARALLEL_MAX")
    room = constant("promote/room.c", "ROOM_WORKERS")
    lines = {
        "interrupts for each base page that is moved": lambda n: "{:.2f} / {:.2f}".format(
            *interrupts(n, flushes)
        ),
        "base pages that are unmapped at a time": lambda n: f"{LIST_BEFORE} / {unmapped(n)}",
        "threads that look at what is ready, for each slow node": lambda n: (
            f"{THREADS_BEFORE} / {threads(n)}"
        ),
        "what they look at in a second, in base pages, GB": lambda n: (
            f"{gigabytes(THREADS_BEFORE, page_ns):.1f} / {gigabytes(threads(n), page_ns):.1f}"
        ),
        "workers that promote, for each slow node, at most": lambda n: (
            f"{parallel} / {parallel * threads(n)}"
        ),
        "workers that demote base pages, for each fast node, at most": lambda n: (
            f"{room} / {room * threads(n)}"
        ),
        "times that `lru_lock` is taken to isolate a page": lambda n: "1 / 1",
    }
    head = ["before / after, with so many CPUs", *map(str, CPUS)]
    body = [[name, *map(cell, CPUS)] for name, cell in lines.items()]
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))
