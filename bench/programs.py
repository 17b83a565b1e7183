# SPDX-License-Identifier: GPL-2.0
"""Programs in user space that the module's own files are compiled into."""

import subprocess

from pghotlab.base import paths
from pghotlab.base.errors import LabError


def build(folder: str) -> None:
    """Make the programs of a folder of bench/."""
    done = subprocess.run(
        ["make", "--no-print-directory", "-C", str(paths.ROOT / "bench" / folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LabError(f"bench/{folder} does not build:\n{done.stdout}")
