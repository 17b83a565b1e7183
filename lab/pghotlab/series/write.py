# SPDX-License-Identifier: GPL-2.0
"""The verb: the series as files for mail in build/series."""

from pathlib import Path

from pghotlab.base import paths
from pghotlab.series.cut import cut, write_patches
from pghotlab.series.letter import letter
from pghotlab.series.plan import load_series
from pghotlab.series.tree import fetch_tree
from pghotlab.setup.fetch import say

OUT = paths.BUILD / "series"


def write_series(out: Path = OUT) -> list[Path]:
    """Write the patches, the cover letter first; where they are."""
    series = load_series()
    tree = fetch_tree()
    repo = out / "git"
    say(f"cut {len(series.patches)} patches for Linux {tree.version}")
    cut(series, repo, tree.original)
    return write_patches(repo, out, series, letter())
