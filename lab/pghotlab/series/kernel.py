# SPDX-License-Identifier: GPL-2.0
"""The kernel with a state of the series, with its options or without them."""

import re
from dataclasses import dataclass
from pathlib import Path

from pghotlab.series.tree import Tree, newest
from pghotlab.setup import debugkernel
from pghotlab.setup.debugkernel import Kind
from pghotlab.setup.fetch import Kernel

# It is built as those that check themselves are, but without checkers.
KIND = Kind("series", newest(), (*newest().debug, "series.config"), "series-check", 1)


def options(kconfig: str) -> list[str]:
    """The options of a Kconfig that somebody may choose."""
    blocks = re.split(r"^(?=config )", kconfig, flags=re.MULTILINE)[1:]
    return [block.split()[1] for block in blocks if re.search(r'^\tbool "', block, re.MULTILINE)]


def wanted(config: str, kconfig: str, *, on: bool) -> str:
    """A configuration with all options of the series on or off.

    kconfig: mm/pghot/Kconfig as it is in the tree, "" if there is none.
    """
    lines = (f"CONFIG_{name}={'y' if on else 'n'}\n" for name in options(kconfig))
    return config + "".join(lines)


@dataclass(frozen=True)
class SeriesKernel(Kernel):
    """A kernel with the series up to a patch, to be booted; it has no modules."""

    image: Path

    @property
    def vmlinuz(self) -> Path:
        """The kernel image."""
        return self.image


def built(tree: Tree, image: Path) -> SeriesKernel:
    """A kernel that was built in a tree, by the image that was kept of it."""
    release = (tree.linux / "include" / "config" / "kernel.release").read_text().strip()
    return SeriesKernel(tree.version, release, debugkernel.compiler(), tree.folder, image)
