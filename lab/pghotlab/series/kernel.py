# SPDX-License-Identifier: GPL-2.0
"""The kernel with a state of the series, with its options or without them."""

import re

from pghotlab.series.tree import newest
from pghotlab.setup.debugkernel import Kind

# It is built as those that check themselves are, but without checkers.
KIND = Kind("series", newest(), ("debug.config", "series.config"), "series-check", 1)


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
