# SPDX-License-Identifier: GPL-2.0
"""Running other programs."""

import subprocess
from collections.abc import Sequence

from pghot.errors import PghotError


def run(command: Sequence[str]) -> str:
    """What a program prints; PghotError with what it complains of, if it fails."""
    try:
        done = subprocess.run(list(command), capture_output=True, text=True, check=False)
    except OSError as error:
        raise PghotError(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip() or f"status {done.returncode}"
        raise PghotError(f"{command[0]}: {said}")
    return done.stdout
