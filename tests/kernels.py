# SPDX-License-Identifier: GPL-2.0
"""The module on all kernels but the selected one: built, loaded, used and unloaded.

Each other series of lab/kernels.toml is fetched if it is not there, and has to be: what cannot be
fetched or built is a failure. While a guest tries one, which keeps one CPU busy, the next is built.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from pghotlab.base import paths
from pghotlab.setup.kernels import Series, load_kernels, selected


def _passes(series: Series, what: str, command: Sequence[str]) -> bool:
    """Whether a step for a series succeeds; says so, and what the command has said."""
    name = "" if series.default else series.name
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=paths.ROOT,
        env={**os.environ, "PGHOT_KERNEL": name},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    verdict = "failed" if done.returncode else "ok"
    seconds = time.monotonic() - started
    print(f"{done.stdout}kernel {series.name}: {what}: {verdict} ({seconds:.0f} s)", flush=True)
    return not done.returncode


def is_built(series: Series) -> bool:
    """Whether the module and what guests need can be made for a series."""
    # As an argument: make also gets those of the make that runs the tests.
    make = ("make", "--no-print-directory", "-s", f"KERNEL={series.name}")
    return _passes(series, "build", (*make, "guest", "lab-module"))


def works(series: Series) -> bool:
    """Whether the module, which has been built, works in a guest."""
    pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    return _passes(series, "in the guest", (*pytest, "tests/vm/test_smoke.py"))


def main() -> int:
    """Check all of them; status 1 when one fails."""
    others = [series for series in load_kernels().values() if series != selected()]
    with ThreadPoolExecutor(1) as guests:
        tries = [guests.submit(works, series) for series in others if is_built(series)]
    good = len(tries) == len(others) and all(one.result() for one in tries)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
