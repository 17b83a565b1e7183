# SPDX-License-Identifier: GPL-2.0
"""For Python: mark("start") and mark("end") say when the measured part of a program begins or ends.

They say it to `pghotlab try --marks`. Elsewhere they do nothing.
"""

import os
from pathlib import Path


def mark(what: str) -> None:
    """Give the mark "start" or "end"."""
    if path := os.environ.get("PGHOT_MARKS"):
        with Path(path).open("w") as marks:
            marks.write(f"{what}\n")
