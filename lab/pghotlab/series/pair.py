# SPDX-License-Identifier: GPL-2.0
"""Two kernels of one source and configuration: one with the series, one for the module.

They are there to be measured against each other.
"""

from pathlib import Path

from pghotlab.series.check import Builder, image, patches
from pghotlab.series.kernel import SeriesKernel, built
from pghotlab.series.plan import load_series
from pghotlab.series.tree import fetch_tree
from pghotlab.series.write import OUT, write_series
from pghotlab.setup import debugkernel
from pghotlab.setup.fetch import say

# The module for the kernel without the series, which make builds in the tree as build_pair()
# leaves it.
MODULE = OUT / "kernel" / "pghot.ko"


def build_pair(out: Path = OUT) -> None:
    """Build the kernel with all patches, and then that without any, with what a module needs.

    The images are kept where those of `make series-check` are. What has not changed is not
    compiled again.
    """
    debugkernel.install_packages()
    files = write_series(out)[1:]
    tree = fetch_tree()
    all_ = patches(out / "git", files)
    builder = Builder(tree, out / "git")
    say(f"kernel with all {len(files)} patches")
    builder.keep(all_[-1], on=True, out=out)
    say("kernel without the series")
    # Modules are linked against the names that the kernel's own ones are.
    builder.keep(all_[0], "modules", on=False, out=out)


def pair() -> tuple[SeriesKernel, SeriesKernel]:
    """The kernel without the series, and that with all of it."""
    tree = fetch_tree()
    without, with_all = (built(tree, image(number)) for number in (0, len(load_series().patches)))
    return without, with_all
