# SPDX-License-Identifier: GPL-2.0
"""`make test`: every kind of test in turn, quick ones first; ends with `N passed, N failed`.

Before that the stages are named in which something failed: their output may be far above.

A stage that says how many tests it ran counts as these, any other as one.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from pghotlab.base import paths
from pghotlab.base.arch import Arch
from pghotlab.setup.kernels import selected

PYTHON = sys.executable


@dataclass(frozen=True)
class Stage:
    """One kind of test and the command that runs it.

    plain: it has nothing to do with the kernel that is selected, and runs as for the default.
    """

    name: str
    command: Sequence[str]
    plain: bool = False


STAGES = (
    Stage("style", (PYTHON, "-m", "tests.check")),
    Stage("unit, C", ("make", "--no-print-directory", "-C", "tests/unit"), plain=True),
    Stage("fuzzing", (PYTHON, "-m", "tests.fuzz.run", "--test"), plain=True),
    Stage("unit, lab", (PYTHON, "-m", "pytest", "-n", "2", "tests/unit/lab_py"), plain=True),
    # Of the others, calibrated by `make calibrate`, the kept figures are looked at.
    Stage(
        "calibration",
        (
            *(PYTHON, "-m", "pghotlab", "calibrate"),
            *("--machine", "two-node", "two-node-tlb", "three-node"),
        ),
    ),
    Stage("other kernels", (PYTHON, "-m", "tests.kernels")),
    # Two guests at a time, each in one host thread, in the order of tests/vm/conftest.py. Those
    # that take long are named.
    Stage(
        "in the guest",
        (
            *(PYTHON, "-m", "pytest", "-v", "-n", "2", "--dist", "loadfile"),
            *("--no-loadscope-reorder", "--durations", "30", "tests/vm"),
        ),
    ),
)


# In place of all stages that are not plain, where the memory model does not know the guest.
UNMODELLED = Stage(
    "in the guest",
    (
        *(PYTHON, "-m", "pytest", "-v"),
        *(f"tests/vm/test_{name}.py" for name in ("smoke", "arm64", "source")),
    ),
)


def stages(arch: Arch) -> tuple[Stage, ...]:
    """What is run for a kernel of an architecture."""
    if arch.modelled:
        return STAGES
    return (*(stage for stage in STAGES if stage.plain), UNMODELLED)


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


def run_stage(stage: Stage) -> tuple[int, int]:
    """Run one stage, showing its output as it comes."""
    started = time.monotonic()
    print(f"\n== {stage.name}", flush=True)
    lines = []
    kernel = "" if stage.plain else paths.KERNEL_NAME
    with subprocess.Popen(
        stage.command,
        cwd=paths.ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(paths.LAB),
            "PYTHONUNBUFFERED": "1",
            "PGHOT_KERNEL": kernel,
        },
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            print(line, end="", flush=True)
    passed, failed = count("".join(lines), process.returncode)
    seconds = time.monotonic() - started
    verdict = f"FAILED, {failed} of" if failed else "ok,"
    print(f"== {stage.name}: {verdict} {passed + failed} ({seconds:.0f} s)", flush=True)
    return passed, failed


def closing(results: dict[str, tuple[int, int]]) -> str:
    """What is said at the end, from each stage's passed and failed tests."""
    lines = [f"FAILED: {name}, {bad}" for name, (_, bad) in results.items() if bad]
    passed = sum(good for good, _ in results.values())
    failed = sum(bad for _, bad in results.values())
    return "\n".join([*lines, f"{passed} passed, {failed} failed"])


def main() -> int:
    """Run all stages; status 1 when a test failed."""
    results = {stage.name: run_stage(stage) for stage in stages(selected().arch)}
    print(f"\n{closing(results)}")
    return 1 if any(bad for _, bad in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
