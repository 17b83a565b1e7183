# SPDX-License-Identifier: GPL-2.0
"""`make fuzz`: runs the fuzz targets of this folder, which `make -C tests/fuzz` has built.

A target first runs the inputs that are kept in the tree, then changes of them. What finds new ways
through the code is kept in build/fuzz/corpus, and the next run begins with it. `make test` does the
same for two seconds each, always with the same seed, and keeps nothing.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base import paths

SOURCES = Path(__file__).parent
KEPT = SOURCES / "corpus"
BUILD = paths.BUILD / "fuzz"
FAILED = BUILD / "failed"
TEST_SECONDS = 2
TEST_SEED = 1
# No text that is written to a file of sysfs is longer.
INPUT_MAX = 4096
# No input may take longer, seconds.
INPUT_SECONDS = 10
# Between two lines of progress, seconds.
PROGRESS_S = 60
# A line of libFuzzer's at the end, and what tells why it stopped before.
DONE = re.compile(r"^#(\d+)\s+DONE\s+cov: (\d+) ft: \d+ corp: (\d+)/", re.MULTILINE)
REASON = re.compile(r"^.*(?:Assertion `|runtime error:|ERROR: |SUMMARY: ).*$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """How all targets are run."""

    seconds: int
    seed: int
    # Where new inputs are kept; None: nowhere.
    found: Path | None


def say(target: str, text: str) -> None:
    """A line of progress or of a result."""
    print(f"fuzz: {target}: {text}", flush=True)


def targets() -> list[str]:
    """The names of all targets."""
    return sorted(path.stem for path in SOURCES.glob("*.c"))


def command(program: Path, run: Run, corpus: Path) -> list[str]:
    """The command that runs a target; new inputs go to @corpus."""
    return [
        str(program),
        *(f"-max_total_time={run.seconds}", f"-seed={run.seed}"),
        *(f"-max_len={INPUT_MAX}", f"-timeout={INPUT_SECONDS}"),
        f"-artifact_prefix={FAILED / program.name}-",
        *(str(corpus), str(KEPT / program.name)),
    ]


def verdict(program: Path, log: Path, status: int, seconds: int) -> str | None:
    """What went wrong in a run that has ended; None and a line about it if nothing did."""
    output = log.read_text(errors="replace")
    done = DONE.search(output)
    if status == 0 and done:
        runs, places, inputs = done.groups()
        text = f"ok, {runs} runs in {seconds} s, {inputs} inputs reach {places} places of the code"
        say(program.name, text)
        return None
    reasons = "".join(f"\n    {line.strip()}" for line in REASON.findall(output)[:3])
    written = re.search(r"Test unit written to (\S+)", output)
    again = f"; to run it again: {program} {written[1]}" if written else ""
    return f"FAILED with status {status}, see {log}{again}{reasons}"


def fuzz(program: Path, run: Run) -> bool:
    """Run one target; whether it went well."""
    log = BUILD / "log" / f"{program.name}.log"
    for folder in (log.parent, FAILED):
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as nowhere, log.open("wb") as file:
        corpus = run.found / program.name if run.found else Path(nowhere)
        corpus.mkdir(parents=True, exist_ok=True)
        ended = threading.Event()
        progress = threading.Thread(target=tell, args=(program.name, run.seconds, ended))
        progress.start()
        try:
            status = subprocess.run(
                command(program, run, corpus),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1"},
                check=False,
            ).returncode
        finally:
            ended.set()
            progress.join()
    wrong = verdict(program, log, status, run.seconds)
    if wrong:
        say(program.name, wrong)
    return not wrong


def tell(target: str, seconds: int, ended: threading.Event) -> None:
    """Say now and then that a target still runs."""
    passed = 0
    while not ended.wait(PROGRESS_S):
        passed += PROGRESS_S
        say(target, f"{passed} of {seconds} s")


def number(text: str) -> int:
    """An argument that is a positive number."""
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the targets, as many at a time as there are CPUs; 1 when one failed."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--target", choices=targets(), help="only this one")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--seconds", type=number, default=60, help="for each target, default 60")
    how.add_argument("--test", action="store_true", help="as `make test` does")
    args = parser.parse_args(argv)
    run = Run(args.seconds, random.randrange(1, 1 << 31), BUILD / "corpus")
    if args.test:
        run = Run(TEST_SECONDS, TEST_SEED, None)
    names = [args.target] if args.target else targets()
    print(f"fuzz: {len(names)} targets, {run.seconds} s each, seed {run.seed}", flush=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        good = sum(pool.map(lambda name: fuzz(BUILD / name, run), names))
    print(f"{good} passed, {len(names) - good} failed")
    return 1 if good < len(names) else 0


if __name__ == "__main__":
    sys.exit(main())
