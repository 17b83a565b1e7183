# SPDX-License-Identifier: GPL-2.0
"""The module on all kernels but the selected one: built, loaded, used and unloaded.

Each other series of lab/kernels.toml is fetched if it is not there, and has to be: what cannot be
fetched or built is a failure.
"""

import os
import subprocess
import sys
import time

from pghotlab.base import paths
from pghotlab.setup.kernels import Series, load_kernels, selected


def _steps(series: Series) -> list[list[str]]:
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return [
        # As an argument: make also gets those of the make that runs the tests.
        ["make", "--no-print-directory", "-s", f"KERNEL={series.name}", "guest", "lab-module"],
        [*pytest, "tests/vm/test_smoke.py"],
    ]


def check(series: Series) -> bool:
    """Whether the module is built for a series, and works there; what fails is shown."""
    name = "" if series.default else series.name
    environment = {**os.environ, "PGHOT_KERNEL": name}
    started = time.monotonic()
    for step in _steps(series):
        done = subprocess.run(step, cwd=paths.ROOT, env=environment, check=False)
        if done.returncode:
            print(f"kernel {series.name}: {' '.join(step)}: failed", flush=True)
            return False
    print(f"kernel {series.name}: ok ({time.monotonic() - started:.0f} s)", flush=True)
    return True


def main() -> int:
    """Check all of them; status 1 when one fails."""
    others = [series for series in load_kernels().values() if series != selected()]
    results = [check(series) for series in others]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
