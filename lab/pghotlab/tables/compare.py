# SPDX-License-Identifier: GPL-2.0
"""Compare policies: run each with each seed, side by side, then table, summary and picture."""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path

from pghotlab.base.errors import LabError
from pghotlab.hardware.machine import Machine, check_fits, host_available
from pghotlab.measure import run
from pghotlab.measure.policy import Policy
from pghotlab.measure.results import RunResult, write_json
from pghotlab.measure.run import Run
from pghotlab.measure.workload import Workload
from pghotlab.rows.summary import Row, compare_rows, format_table, make_row, table

# A guest keeps one host core busy; more than this many at once gain little.
MAX_SIDE_BY_SIDE = 8
PROGRESS_SECONDS = 10
# What a run takes here if nothing is known of it.
USUAL_SECONDS = 60.0
# The length of a bar, and how much of a job that goes on may look done.
BAR = 20
MOST_OF_A_JOB = 0.95


@dataclass(frozen=True)
class Job:
    """A run, the folder for what it leaves, and its name in lines of progress.

    seconds: how long it may take on this host.
    """

    run: Run
    folder: Path
    label: str
    seconds: float = USUAL_SECONDS


def side_by_side(machine: Machine) -> int:
    """How many guests this host takes at once; MachineError when not even one."""
    available = host_available()
    check_fits(machine, available)
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, available // machine.host_memory, MAX_SIDE_BY_SIDE))


class Estimate:
    """How long jobs may still take, several side by side: as the first ones were, so the others."""

    def __init__(self, jobs: Sequence[Job], abreast: int) -> None:
        self._abreast = abreast
        self._total = sum(job.seconds for job in jobs)
        self._done = 0.0
        self._taken = 0.0
        self._begun: dict[str, tuple[float, float]] = {}

    def began(self, job: Job, now: float) -> None:
        """A job has begun; now: a clock in seconds."""
        self._begun[job.label] = job.seconds, now

    def finished(self, job: Job, seconds: float) -> None:
        """A job has ended, and took so long here."""
        self._begun.pop(job.label, None)
        self._done += job.seconds
        self._taken += seconds

    @property
    def _pace(self) -> float:
        """How many seconds one of what was expected takes here."""
        return self._taken / self._done if self._done else 1.0

    def share(self, now: float) -> float:
        """How much of all work is done, 0 to 1. No job is taken to be done before it ends."""
        going = sum(
            min(seconds * MOST_OF_A_JOB, (now - begun) / self._pace)
            for seconds, begun in self._begun.values()
        )
        return (self._done + going) / self._total if self._total else 1.0

    def left(self, now: float) -> float:
        """Seconds until all have ended."""
        return (1 - self.share(now)) * self._total * self._pace / self._abreast


def bar(share: float) -> str:
    """A share of 0 to 1 as a bar."""
    filled = int(share * BAR)
    return f"[{'#' * filled}{'.' * (BAR - filled)}] {share:4.0%}"


class _Progress:
    """Progress lines of several guests, each at its own changes of phase and now and then."""

    def __init__(self, name: str, jobs: Sequence[Job], abreast: int) -> None:
        self._name = name
        self._total = len(jobs)
        self._done = 0
        self._estimate = Estimate(jobs, abreast)
        self._started = time.monotonic()
        self._lock = threading.Lock()

    def say(self, text: str) -> None:
        now = time.monotonic()
        with self._lock:
            done, left = bar(self._estimate.share(now)), self._estimate.left(now) / 60
            times = f"[{now - self._started:4.0f} s, about {left:.0f} min left]"
            print(f"{self._name} {done} {times} {text}", flush=True)

    def watcher(self, job: Job) -> "_Watcher":
        with self._lock:
            self._estimate.began(job, time.monotonic())
        return _Watcher(self, job.label)

    def finished(self, job: Job, result: RunResult) -> None:
        with self._lock:
            self._done += 1
            self._estimate.finished(job, result.host_seconds)
        self.say(
            f"{job.label}: {result.guest['guest_ns'] / 1e9:.3f} guest s, "
            f"{result.host_seconds:.0f} s here ({self._done} of {self._total} done)"
        )


class _Watcher:
    """Turns one guest's polls into lines."""

    def __init__(self, progress: _Progress, label: str) -> None:
        self._progress = progress
        self._label = label
        self._phase = ""
        self._next = 0.0

    def __call__(self, phase: str, guest_seconds: float) -> None:
        now = time.monotonic()
        if phase == self._phase and now < self._next:
            return
        self._phase = phase
        self._next = now + PROGRESS_SECONDS
        self._progress.say(f"{self._label}: {phase}, guest clock {guest_seconds:.1f} s")


def run_jobs(jobs: Sequence[Job], name: str, finished: Callable[[RunResult], None]) -> None:
    """Execute the jobs, several at once; the first failure stops what has not started.

    finished: is told of each result, in a thread of its own.
    """
    machines = {job.run.machine.name: job.run.machine for job in jobs}
    abreast = min(len(jobs), *map(side_by_side, machines.values()))
    progress = _Progress(name, jobs, abreast)
    kinds = f"machine{'s' if len(machines) > 1 else ''} {', '.join(machines)}"
    progress.say(f"{len(jobs)} runs on {kinds}, {abreast} side by side")

    def one(job: Job) -> None:
        try:
            result = run.execute(job.run, job.folder, progress.watcher(job))
        except LabError as error:
            raise type(error)(f"{job.label}: {error}") from error
        finished(result)
        progress.finished(job, result)

    with ThreadPoolExecutor(abreast) as pool:
        futures: list[Future[None]] = [pool.submit(one, job) for job in jobs]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            for future in futures:
                future.cancel()
    problems = [str(f.exception()) for f in futures if not f.cancelled() and f.exception()]
    if problems:
        raise LabError("\n".join(problems))


def run_all(
    runs: Sequence[Run], folder: Path, name: str, finished: Callable[[RunResult], None]
) -> None:
    """Execute runs that leave what they leave in one folder, as run_jobs()."""
    run_jobs([Job(run, folder, run.name) for run in runs], name, finished)


def compare(
    *,
    name: str,
    machine: Machine,
    policies: Sequence[Policy],
    seeds: Sequence[int],
    workload: Workload,
    settings: Mapping[str, str],
    folder: Path,
) -> str:
    """Run everything (seeds interleaved over policies) and give the table as text.

    settings: values for files of the kernel, for all policies that do not set them.
    Into the folder: NAME-SEED.json per run, summary.json, fast-share.png.
    """
    # Only comparisons draw, and matplotlib is slow to load.
    from pghotlab.draw.picture import draw_fast_share  # noqa: PLC0415

    policies = [replace(policy, files={**settings, **policy.files}) for policy in policies]
    runs = [Run(machine, policy, workload, seed) for seed in seeds for policy in policies]
    made: dict[str, Row] = {}
    run_all(runs, folder, name, lambda result: made.update({result.name: make_row(result)}))
    rows = compare_rows(made[f"{policy.name}-{seed}"] for policy in policies for seed in seeds)
    write_json(folder / "summary.json", rows)
    options = " ".join(f"{key}={value}" for key, value in {**workload.options, **settings}.items())
    draw_fast_share(
        rows,
        f"{workload.name} on {machine.name} (modelled machine)",
        folder / "fast-share.png",
    )
    lines = [
        f"machine {machine.name}, {workload.name} {options}, seeds {' '.join(map(str, seeds))}",
        "",
        format_table(table(rows)),
        "",
        f"{folder / 'summary.json'}",
        f"{folder / 'fast-share.png'}",
    ]
    return "\n".join(lines)
