# SPDX-License-Identifier: GPL-2.0
"""`make test`: every kind of test; ends with `N passed, N failed`.

The tests in guests leave a quarter of two CPUs idle: the other kinds run beside them, one after
the other, and give way to them. A stage that says how many tests it ran counts as these, any
other as one.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pghotlab import paths

PYTHON = sys.executable


@dataclass(frozen=True)
class Stage:
    """One kind of test and the command that runs it."""

    name: str
    command: Sequence[str]


QUICK = (
    Stage("style", (PYTHON, "tests/check.py")),
    Stage("unit, C", ("make", "--no-print-directory", "-C", "tests/unit")),
    Stage("unit, lab", (PYTHON, "-m", "pytest", "-n", "2", "tests/unit/lab_py")),
    # Of the others, calibrated by `make calibrate`, the kept figures are looked at.
    Stage(
        "calibration",
        (PYTHON, "-m", "pghotlab", "calibrate", "--machine", "two-node", "three-node"),
    ),
)

# Two guests at a time, each in one host thread, in the order of tests/vm/conftest.py.
GUESTS = Stage(
    "in the guest",
    (
        *(PYTHON, "-m", "pytest", "-v", "-n", "2", "--dist", "loadfile"),
        *("--no-loadscope-reorder", "tests/vm"),
    ),
)


def count(output: str, status: int) -> tuple[int, int]:
    """Passed and failed tests of a stage, from its output's closing lines.

    pytest's "3 failed, 10 passed, 1 error in 2 s" and plain "10 passed, 3 failed"
    lines add up; without any, the exit status makes it one test. A failing status
    counts as at least one failure.
    """
    passed = failed = 0
    for line in output.splitlines():
        if re.search(r"\b\d+ (?:passed|failed|errors?)\b(?:,| in |$)", line.strip(" =")):
            for number, kind in re.findall(r"(\d+) (passed|failed|errors?)\b", line):
                if kind == "passed":
                    passed += int(number)
                else:
                    failed += int(number)
    if passed + failed == 0:
        passed = 1
        if status:
            passed, failed = 0, 1
    return passed, max(failed, 1 if status else 0)


def run_stage(stage: Stage, *, aside: bool = False) -> tuple[int, int]:
    """Run one stage; its output is shown as it comes, or all of it in the end.

    aside: at the lowest priority, and with the output in the end.
    """
    started = time.monotonic()
    lines = [f"\n== {stage.name}\n"]
    if not aside:
        print(lines[0], end="", flush=True)
    with subprocess.Popen(
        ("nice", "-n", "19", *stage.command) if aside else stage.command,
        cwd=paths.ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(paths.LAB), "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if not aside:
                print(line, end="", flush=True)
    passed, failed = count("".join(lines), process.returncode)
    seconds = time.monotonic() - started
    verdict = f"FAILED, {failed} of" if failed else "ok,"
    ending = f"== {stage.name}: {verdict} {passed + failed} ({seconds:.0f} s)\n"
    print("".join((*lines, ending)) if aside else ending, end="", flush=True)
    return passed, failed


def main() -> int:
    """Run all stages; status 1 when a test failed."""
    with ThreadPoolExecutor(1) as beside:
        quick = [beside.submit(run_stage, stage, aside=True) for stage in QUICK]
        results = [run_stage(GUESTS), *(stage.result() for stage in quick)]
    passed = sum(good for good, _ in results)
    failed = sum(bad for _, bad in results)
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
