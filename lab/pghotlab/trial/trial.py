# SPDX-License-Identifier: GPL-2.0
"""Try a user's program: what it needs is collected, its memory measured, and policies compared.

run_trial(Trial("job", Program(("./job",), folder=Path.cwd()), machine, policies), folder)
"""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pghotlab.base.errors import LabError, MachineError, UsageError
from pghotlab.base.units import MIB
from pghotlab.guest.initramfs import build_tree, guest_programs
from pghotlab.hardware.machine import Machine, check_fits, host_available
from pghotlab.measure.policy import BOUND, Policy
from pghotlab.measure.results import write_json
from pghotlab.measure.workload import TIMEOUT, Workload
from pghotlab.rows import summary
from pghotlab.rows.summary import Row
from pghotlab.setup import fetch
from pghotlab.tables.bench import RUNS, Rows
from pghotlab.tables.league import run_entries
from pghotlab.tables.recipe import Recipe
from pghotlab.trial import plan, words
from pghotlab.trial.footprint import Footprint, measure
from pghotlab.trial.hottest import hottest_bytes
from pghotlab.trial.tree import Program, forgotten, plant

# The guest's script that runs a program, and its place for the program's files.
SCRIPT = "try"
TREE = "try"
# What the guest boots from is in its memory twice for a moment: of node 0, this share at most.
MOST_FILES = 3 / 8
# How much longer a modelled run takes than one without the model, until one is known.
MODELLED = 10
# Of a run that fails though the one without the model did not.
LATE = (
    "Without the memory model the program ran to its end. What it wrote last is in report.txt, in "
    "the folder that is named above. --limit gives a run more time. The same command goes on with "
    "what is missing."
)


@dataclass(frozen=True)
class Trial:
    """What is to be tried, and how.

    shares: of the program's memory in fast memory, in per cent; several give a curve.
    settings: values for files of the kernel, for all policies that do not set them.
    start, end: what a line of the output has in it when the measured region begins and ends.
    marks: whether the program says so itself.
    limit: host seconds after which a run counts as hung.
    """

    name: str
    program: Program
    machine: Machine
    policies: tuple[Policy, ...]
    shares: tuple[float, ...]
    seeds: tuple[int, ...] = (1,)
    settings: Mapping[str, str] = field(default_factory=dict)
    start: str = ""
    end: str = ""
    marks: bool = False
    limit: float = TIMEOUT

    @property
    def options(self) -> dict[str, str]:
        """Those of the guest's script that do not depend on the policy."""
        given = {
            "folder": str(self.program.folder),
            "start": self.start,
            "end": self.end,
            "marks": "yes" if self.marks else "",
        }
        return {name: value for name, value in given.items() if value}


def say(name: str, text: str) -> None:
    """A progress line."""
    print(f"{name}: {text}", flush=True)


class _Phases:
    """Tells each new phase of a guest."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last = ""

    def __call__(self, phase: str, guest_seconds: float) -> None:
        if phase != self._last:
            self._last = phase
            say(self._name, f"without the memory model: {phase}, guest clock {guest_seconds:.1f} s")


def pack(trial: Trial, folder: Path) -> tuple[Path, tuple[str, ...]]:
    """The archive with the program's files, in the folder, and its command in the guest.

    UsageError or MachineError say what is missing or too large.
    """
    say(trial.name, "collect what it needs")
    tree, archive = folder / "tree", folder / "files.cpio"
    shutil.rmtree(tree, ignore_errors=True)
    command = plant(trial.program, tree)
    for word in forgotten(trial.program, tree):
        say(trial.name, f"note: {word} is a file here, and not in the guest: --file {word}")
    content = build_tree(tree, TREE)
    archive.write_bytes(content)
    shutil.rmtree(tree)
    most = int(trial.machine.nodes[0].size * MOST_FILES)
    if len(content) > most:
        raise MachineError(
            f"--machine: what the program needs are {len(content) // MIB} MiB of files, and "
            f"{trial.machine.name} boots with at most {most // MIB} MiB: take a machine with a "
            "larger node 0, or fewer files"
        )
    say(trial.name, f"{len(content) / MIB:.0f} MiB of files")
    return archive, command


def make_workload(trial: Trial, archive: Path, command: tuple[str, ...]) -> Workload:
    """The workload that the program is."""
    return Workload(
        trial.name,
        SCRIPT,
        trial.options,
        loads_unmodelled=True,
        files=archive,
        words=command,
        timeout=trial.limit,
    )


def _footprint(trial: Trial, workload: Workload, archive: Path, folder: Path) -> Footprint:
    made_of = [
        workload.command(trial.machine, "fast", 1),
        trial.machine.sha256,
        fetch.kernel().release,
        *(
            hashlib.sha256(file.read_bytes()).hexdigest()
            for file in (archive, guest_programs()[SCRIPT], guest_programs()["observe"])
        ),
    ]
    key = hashlib.sha256(json.dumps(made_of).encode()).hexdigest()
    found = measure(trial.machine, workload, key, folder, _Phases(trial.name))
    say(
        trial.name,
        f"it needs {words.mib(found.peak)} of memory at most; {words.mib(found.fast_free)} of fast "
        f"memory are free for programs on {trial.machine.name}",
    )
    return found


def _check(trial: Trial) -> None:
    """UsageError if options do not go together."""
    if trial.marks and (trial.start or trial.end):
        raise UsageError("--marks: the program says itself when; without --start and --end")
    plan.check_tiered(trial.machine)
    check_fits(trial.machine, host_available())


def _write(recipe: Recipe, rows: Sequence[Row], trial: Trial, folder: Path) -> list[Path]:
    """Rows, pictures and the page; the files for a user to look at."""
    # Only this draws, and matplotlib is slow to load.
    from pghotlab.draw.picture import draw_fast_share  # noqa: PLC0415
    from pghotlab.draw.sweep import draw_sweep  # noqa: PLC0415
    from pghotlab.report.html import write_report  # noqa: PLC0415

    write_json(folder / f"{recipe.name}.json", list(rows))
    title = f"{recipe.title} (modelled machine)"
    pages = write_report([recipe], folder, folder / "report")
    if len(trial.shares) > 1:
        picture = folder / "sweep.png"
        draw_sweep(_by_share(recipe, rows), title, picture)
    else:
        picture = folder / "fast-share.png"
        draw_fast_share([row for row in rows if row["seed"] == trial.seeds[0]], title, picture)
    return [picture, pages[-1]]


def _by_share(recipe: Recipe, rows: Sequence[Row]) -> dict[float, dict[str, float]]:
    return {
        plan.share_of(case): words.slowdowns(row for row in rows if row["case"] == case.name)
        for case in recipe.cases
    }


def text(
    recipe: Recipe, rows: Sequence[Row], trial: Trial, found: Footprint, hottest: int | None
) -> str:
    """What to tell the user: tables and sentences. hottest: see hottest_bytes()."""
    by_share = _by_share(recipe, rows)
    lines = [f"{recipe.title}, seeds {' '.join(map(str, trial.seeds))}"]
    for case in recipe.cases:
        mine = [row for row in rows if row["case"] == case.name]
        share = plan.share_of(case)
        lines += [
            "",
            f"{share:g} % of {words.mib(found.peak)} in fast memory, "
            f"{words.mib(plan.fast_bytes(found, share))}:",
            "",
            summary.format_table(summary.table(mine, words.COLUMNS)),
        ]
    if len(by_share) > 1:
        lines += [
            "",
            f"time in relation to {BOUND}, by the share of fast memory:",
            "",
            summary.format_table(words.sweep_table(by_share)),
        ]
    lines.append("")
    if len(by_share) == 1:
        ((share, far),) = by_share.items()
        if far:
            lines.append(words.how_far(trial.name, share, found.peak, far))
        lines.append(words.advice(far))
    elif any(by_share.values()):
        lines.append(words.from_which(by_share))
    if hottest is not None:
        lines.append(words.enough(hottest, found.peak))
    lines += words.warnings(trial.machine, found.peak, rows)
    return "\n".join(line for i, line in enumerate(lines) if line or (i and lines[i - 1]))


def run_trial(trial: Trial, folder: Path) -> str:
    """Run what is missing of a trial, and say what comes of it.

    Into the folder: NAME.json with the rows, a picture, report/NAME.html, and what runs leave. What
    was run there before with the same program, files, machine and kernel is not run again.
    UsageError or RunError say what is wrong with the program, and what to do.
    """
    _check(trial)
    folder.mkdir(parents=True, exist_ok=True)
    archive, command = pack(trial, folder)
    workload = make_workload(trial, archive, command)
    found = _footprint(trial, workload, archive, folder)
    plan.check_fits(trial.machine, found, trial.shares, trial.policies)
    recipe = plan.make_recipe(
        name=trial.name,
        machine=trial.machine,
        workload=workload,
        policies=trial.policies,
        shares=trial.shares,
        seeds=trial.seeds,
        settings=trial.settings,
        footprint=found,
    )
    runs = Rows(folder / RUNS, [])
    try:
        made = run_entries(
            plan.entries(recipe), runs, folder, trial.name, usual=found.seconds * MODELLED
        )
    except LabError as error:
        raise LabError(f"{error}\n{LATE}") from None
    rows = [row for _, mine in made for row in mine]
    files = _write(recipe, rows, trial, folder)
    bounds = [row for row in rows if row["policy"] == BOUND]
    hottest = hottest_bytes(bounds[0], folder, words.MOST) if bounds else None
    return "\n".join([text(recipe, rows, trial, found, hottest), "", *map(str, files)])
