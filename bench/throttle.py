# SPDX-License-Identifier: GPL-2.0
"""Is the promotion rate limit held, does the hot threshold converge: `make bench-throttle`.

A load with pauses, mostly asleep, on the two-node machine. A locked hog leaves the
fast node so little memory that the shortcut for roomy nodes (more free than the
promotion watermark and a gigabyte) is never taken. Demotion makes the room that
promotion needs, so the traffic does not end. A tuning period is 4 s, not 60, so that a
run has about fifteen.

All rows have the same settings but for the policy's own. NUMA balancing scans for the
time that threads run: as these mostly sleep, it is told to scan more often, and smaller
pieces, so that hint faults come evenly. The watermarks are further apart than usual:
between the upper two lies the room for a second's promotions.
"""

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.guest.vm import Guest, boot
from pghotlab.hardware.machine import Machine, load_machine
from pghotlab.measure.results import write_json
from pghotlab.measure.workload import make_workload
from pghotlab.rows.summary import format_table
from pghotlab.tables.compare import side_by_side

FOLDER = paths.RESULTS / "throttle"
DOCS = paths.ROOT / "docs" / "results"
TIMEOUT = 900

REFERENCE_MS = 1000  # where the hot threshold starts, as the kernel's own does
UNIT_MS = REFERENCE_MS // 8
HIGHEST_MS = 2 * REFERENCE_MS
TUNE_MS = 4000
SAMPLE_MS = 20
HALF_SAMPLE_S = SAMPLE_MS / 2000
PAGES_PER_MB = 256
# Of the fast node, what the hog leaves free, MiB.
FREE_MB = 128
# How long nothing is promoted before a second whose beginning is seen for sure: another
# one's ended there, all of the limit used up.
QUIET_S = 0.1
# How far from the limit a second's promotions may be, and a tuning period's candidates.
RATE_TOLERANCE = 0.05
TUNE_TOLERANCE = 0.1
# Tuning periods at the end of a run that say where the threshold came to.
LAST = 6


@dataclass(frozen=True)
class Case:
    """One row: a limit in MB/s, and pghot's mode or None for the stock kernel."""

    name: str
    title: str
    limit: int
    mode: str | None = None

    @property
    def pages_per_s(self) -> int:
        """The limit in pages."""
        return self.limit * PAGES_PER_MB


CASES = (
    Case("pghot-4", "pghot", 4, "default"),
    Case("pghot-8", "pghot", 8, "default"),
    Case("pghot-16", "pghot", 16, "default"),
    Case("pghot-precise-8", "pghot, precise mode", 8, "precise"),
    Case("numab2-8", "stock NUMAB2", 8),
)

PGHOT_FILES = {
    "candidates": "/sys/kernel/mm/pghot/node0/candidates",
    "promoted": "/sys/kernel/mm/pghot/node0/received",
    "threshold_ms": "/sys/kernel/mm/pghot/node0/hot_threshold_ms",
    "refused_cold": "/sys/kernel/mm/pghot/node1/refused_cold",
    "refused_rate": "/sys/kernel/mm/pghot/node1/refused_rate",
    "refused_full": "/sys/kernel/mm/pghot/node1/refused_full",
    "kmigrated_cpu_ns": "/sys/kernel/mm/pghot/node1/kmigrated_cpu_ns",
    "passes": "/sys/kernel/mm/pghot/node1/passes",
}
# Kept per CPU, and added up now and then: a second's figure may be some percent off.
STOCK_FILES = {
    "candidates": "/sys/devices/system/node/node0/vmstat:pgpromote_candidate",
    "promoted": "/sys/devices/system/node/node0/vmstat:pgpromote_success",
}
VMSTAT = ("numa_hint_faults", "numa_pte_updates", "pgdemote_kswapd")

SETTINGS = f"""
NUMAB=/sys/kernel/debug/sched/numa_balancing
set_value $NUMAB/scan_delay_ms 4
set_value $NUMAB/scan_period_max_ms {TUNE_MS} # stock NUMAB2's tuning period
set_value $NUMAB/scan_size_mb 8
set_value $NUMAB/hot_threshold_ms {REFERENCE_MS}
set_value /proc/sys/vm/watermark_scale_factor 100
set_value /sys/kernel/mm/numa/demotion_enabled 1
"""


def files(case: Case) -> dict[str, str]:
    """What is sampled, by name."""
    own = PGHOT_FILES if case.mode else STOCK_FILES
    return own | {name: f"/proc/vmstat:{name}" for name in VMSTAT}


def policy(case: Case) -> str:
    """The shell step that sets the limit."""
    if not case.mode:
        return f"set_value /proc/sys/kernel/numa_balancing_promote_rate_limit_MBps {case.limit}"
    return (
        f"insmod /lib/pghot.ko enabled_sources=3 mode={case.mode} freq_threshold=1 "
        f"promote_freq_window_ms={REFERENCE_MS} promote_rate_limit_MBps={case.limit} "
        f"promote_threshold_window_ms={TUNE_MS}"
    )


def steps(case: Case, workload: str) -> str:
    """The guest's steps."""
    return f"""{SETTINGS}
{policy(case)}
free=$(awk '/MemFree/ {{ print int($4 / 1024) }}' /sys/devices/system/node/node0/meminfo)
hog 0 $((free - {FREE_MB})) lock >/tmp/hog &
until grep -q ready /tmp/hog; do usleep 100000; done
set_value /proc/sys/kernel/numa_balancing 2
mark arm
phase workload
sample {SAMPLE_MS} {" ".join(files(case).values())} >/tmp/samples &
sampler=$!
{workload} >/tmp/out
kill $sampler
phase collect
report samples </tmp/samples
report workload </tmp/out
"""


@dataclass(frozen=True)
class Samples:
    """Numbers over guest time: seconds since the first sample, and columns by name."""

    times: tuple[float, ...]
    columns: dict[str, tuple[int, ...]]

    def grew(self, name: str, first: int, last: int) -> int:
        """How much a counter grew between two samples."""
        return self.columns[name][last] - self.columns[name][first]


def parse_samples(text: str, names: Sequence[str]) -> Samples:
    """Read what `sample` printed; LabError when a line is not of its form."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if len(words) != len(names) + 1:
            raise LabError(f"samples:{number}: {line!r} has not {len(names) + 1} numbers")
        rows.append([int(word) for word in words])
    if not rows:
        raise LabError("samples: there are none")
    times, *columns = zip(*rows, strict=True)
    return Samples(
        tuple((time - times[0]) / 1e9 for time in times), dict(zip(names, columns, strict=True))
    )


@dataclass(frozen=True)
class Span:
    """A stretch of time: seconds, pages, and the hot threshold in force (0: unknown).

    sharp: it was quiet before, so that it begins where it seems to.
    """

    start: float
    length: float
    candidates: int
    promoted: int
    threshold_ms: int
    sharp: bool


def spans(samples: Samples, least: float, event: str) -> list[Span]:
    """Cut time as the throttle cuts it: when a cut is `least` seconds old, at the next event.

    A second of the limit begins with a promotion, a tuning period with a candidate. Both
    are seen at the samples' distance, and the cut is before the event. What is after the
    last cut is left out.
    """
    cuts: list[int] = []
    for i in range(1, len(samples.times)):
        # The last event that cut may be as late as the sample after the cut.
        old = not cuts or samples.times[i] - samples.times[cuts[-1] + 1] > least - HALF_SAMPLE_S
        if old and samples.grew(event, i - 1, i):
            cuts.append(i - 1)
    quiet = round(QUIET_S * 1000 / SAMPLE_MS)
    thresholds = samples.columns.get("threshold_ms")
    return [
        Span(
            round(samples.times[a], 3),
            round(samples.times[b] - samples.times[a], 3),
            samples.grew("candidates", a, b),
            samples.grew("promoted", a, b),
            thresholds[(a + b) // 2] if thresholds else 0,
            not samples.grew(event, max(a - quiet, 0), a),
        )
        for a, b in pairwise(cuts)
    ]


def clear(seconds: Sequence[Span]) -> list[Span]:
    """Those of which both ends are seen for sure."""
    return [a for a, b in pairwise(seconds) if a.sharp and b.sharp]


def enough(seconds: Sequence[Span], limit: int) -> list[Span]:
    """Those in which more asked for a place than the limit takes."""
    return [s for s in seconds if s.candidates >= limit]


def mean_rate(seconds: Sequence[Span], limit: int) -> float:
    """Promotions over time, pauses included, as a part of the limit."""
    length = sum(s.length for s in seconds)
    return sum(s.promoted for s in seconds) / length / limit if seconds else 0.0


def is_held(seconds: Sequence[Span], limit: int) -> bool:
    """Whether no second has more than the limit, and those with enough candidates reach it."""
    sure = clear(seconds)
    busy = [s.promoted / limit for s in enough(sure, limit)]
    return (
        bool(busy)
        and min(busy) >= 1 - RATE_TOLERANCE
        and max(s.promoted / limit for s in sure) <= 1 + RATE_TOLERANCE
        and abs(mean_rate(enough(sure, limit), limit) - 1) <= RATE_TOLERANCE
    )


def candidate_ratio(tunings: Sequence[Span], limit: int) -> float:
    """Candidates of tuning periods as a part of what the limit allows for them."""
    return sum(t.candidates for t in tunings) / (limit * TUNE_MS / 1000 * len(tunings))


def convergence(tunings: Sequence[Span], limit: int) -> str:
    """What became of the threshold in the last tuning periods, in words."""
    last = tunings[-LAST:]
    thresholds = [t.threshold_ms for t in last]
    if len(last) < LAST or not all(thresholds):
        return "unknown"
    low, high = min(thresholds), max(thresholds)
    ratio = candidate_ratio(last, limit)
    if high == UNIT_MS and ratio > 1 + TUNE_TOLERANCE:
        return "at its floor"
    if low == HIGHEST_MS and ratio < 1 - TUNE_TOLERANCE:
        return "at its ceiling"
    if low == high:
        return "settled"
    if high - low == UNIT_MS:
        return "between two steps"
    if high - low == 2 * UNIT_MS and abs(ratio - 1) <= TUNE_TOLERANCE:
        return f"{low + UNIT_MS} +- a step"
    return "moving"


def result(case: Case, machine: Machine, command: str, guest: Guest) -> dict[str, Any]:
    """What one run gave, as it is written to its file."""
    samples = parse_samples(guest.report.text("samples"), list(files(case)))
    workload = json.loads(guest.report.text("workload"))
    if workload["verified"] is not True:
        raise LabError(f"{guest.folder}: the workload did not verify its memory's content")
    end = len(samples.times) - 1
    return {
        "case": asdict(case),
        "steps": steps(case, command).splitlines(),
        "machine": {"name": machine.name, "sha256": machine.sha256},
        "kernel": guest.kernel,
        "qemu": guest.qemu,
        "host_seconds": round(guest.seconds, 1),
        "guest": workload,
        "grew": {name: samples.grew(name, 0, end) for name in samples.columns},
        "seconds": [asdict(s) for s in spans(samples, 1.0, "promoted")],
        "tunings": [asdict(t) for t in spans(samples, TUNE_MS / 1000, "candidates")],
    }


def run(case: Case) -> dict[str, Any]:
    """Boot a guest for one row, and write its file."""
    machine = load_machine("two-node")
    command = make_workload("paced", {}, machine).command(machine, "slow", seed=1)
    guest = boot(
        machine,
        steps(case, command),
        timeout=TIMEOUT,
        plugin=paths.PLUGIN,
        modules={
            "lib/pghot.ko": paths.MODULE,
            "bin/hog": paths.KERNEL_BUILD / "tests" / "bin" / "hog",
        },
        folder=FOLDER / case.name,
    )
    data = result(case, machine, command, guest)
    write_json(FOLDER / f"{case.name}.json", data)
    print(f"throttle: {case.name}: {guest.seconds:.0f} s here", flush=True)
    return data


def summary(data: dict[str, Any]) -> dict[str, Any]:
    """The row of a run."""
    case = Case(**data["case"])
    limit = case.pages_per_s
    seconds = [Span(**s) for s in data["seconds"]]
    tunings = [Span(**t) for t in data["tunings"]]
    row: dict[str, Any] = {"name": case.name, "title": case.title, "limit_MBps": case.limit}
    # The stock kernel's counters are per CPU: no end of a second is sure.
    sure = clear(seconds) if case.mode else seconds
    busy = enough(sure, limit)
    row["seconds_with_enough"] = len(busy)
    if case.mode:
        row |= {
            "seconds": len(sure),
            "least_of_limit": round(min((s.promoted / limit for s in busy), default=0), 3),
            "most_of_limit": round(max((s.promoted / limit for s in sure), default=0), 3),
            "held": is_held(seconds, limit),
            "thresholds_ms": [t.threshold_ms for t in tunings],
            "convergence": convergence(tunings, limit),
        }
    return row | {
        "mean_of_limit": round(mean_rate(busy, limit), 3),
        "candidates_of_limit": [round(candidate_ratio([t], limit), 2) for t in tunings],
        "last_candidates_of_limit": round(candidate_ratio(tunings[-LAST:], limit), 2),
    }


LEGEND = f"""\
A second is the throttle's: it begins with its first promotion. enough: seconds with more
candidates than the limit takes. mean: promotions over time in these, percent of the
limit, with pauses after a second in which none asked, or all who waited had cooled.
least: pages of any of these seconds; most: of any second. held: all within 5 %.
candidates: of the last {LAST} tuning periods, percent of the limit; then the hot threshold
in each of all. Left out is what can not be told: seconds that begin or end in the middle
of others' promotions, and, as the stock kernel's counters are per CPU and its threshold
is not shown, single seconds of it."""


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as text."""

    def percent(part: float | None) -> str:
        return "-" if part is None else f"{100 * part:.1f}"

    heads = ["policy", "MB/s", "enough", "mean", "least", "most", "held"]
    heads += ["candidates", "threshold", "ms"]
    lines = [
        [
            row["title"],
            str(row["limit_MBps"]),
            str(row["seconds_with_enough"]),
            percent(row["mean_of_limit"]),
            percent(row.get("least_of_limit")),
            percent(row.get("most_of_limit")),
            {True: "yes", False: "no", None: "-"}[row.get("held")],
            percent(row["last_candidates_of_limit"]),
            row.get("convergence", "-"),
            " ".join(map(str, row.get("thresholds_ms", "-"))),
        ]
        for row in rows
    ]
    return f"{format_table([heads, *lines])}\n\n{LEGEND}"


def main() -> int:
    """Run all rows, print the table, and write the summary and the picture."""
    # Slow to load.
    from pghotlab.draw.picture import ThrottleLine, draw_throttle  # noqa: PLC0415

    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        with ThreadPoolExecutor(side_by_side(load_machine("two-node"))) as pool:
            results = list(pool.map(run, CASES))
    except LabError as error:
        print(f"throttle: {error}", file=sys.stderr)
        return 1
    rows = [summary(data) for data in results]
    print(table(rows))
    write_json(DOCS / "throttle.json", rows)
    lines = [
        ThrottleLine(
            f"{data['case']['title']}, {data['case']['limit']} MB/s",
            data["case"]["limit"],
            [(s["start"], s["promoted"] / s["length"] / PAGES_PER_MB) for s in data["seconds"]],
            [(t["start"], t["threshold_ms"]) for t in data["tunings"] if t["threshold_ms"]],
        )
        for data in results
    ]
    draw_throttle(lines, DOCS / "throttle.png")
    print(DOCS / "throttle.json")
    print(DOCS / "throttle.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
