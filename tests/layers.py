# SPDX-License-Identifier: GPL-2.0
"""The order of layers: who may include whom in the module.

A layer uses those below it only. Two layers on one level do not use each other.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from pghotlab.base import paths

# The module's layers, from the lowest to the highest, by folder or file below kernel/. A file
# belongs to the longest name that its path begins with.
KERNEL_LAYERS: Sequence[Sequence[str]] = (
    ("pghot.h", "testing"),
    ("wrapper",),
    ("core",),
    # What sources share, then a source that another one builds upon, then all others.
    ("promote", "sources"),
    ("sources/chmu",),
    (
        "sources/accessed",
        "sources/hintfaults",
        "sources/hwhints",
        "sources/mglru",
        "sources/mprof",
        "sources/pagecache",
        "sources/perf",
        "sources/vhmu",
    ),
    ("surface",),
    ("main.c",),
)
# Two rooms that are above one another in the list, and still know nothing of each other.
KERNEL_STRANGERS = (
    ("promote", "sources"),
    ("sources", "promote"),
    ("surface", "sources"),
    ("surface", "promote"),
)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

Edge = tuple[str, str]


def room_of(name: str, layers: Sequence[Sequence[str]]) -> str:
    """The room that a file belongs to; empty if no layer has it."""
    rooms = [room for layer in layers for room in layer]
    found = [room for room in rooms if name == room or name.startswith(f"{room}/")]
    return max(found, key=len, default="")


def upward(edges: Iterable[Edge], layers: Sequence[Sequence[str]]) -> Iterator[str]:
    """What is wrong with who uses whom: a line for each file that uses one it may not use."""
    level = {room: i for i, layer in enumerate(layers) for room in layer}
    for user, used in edges:
        above, below = room_of(user, layers), room_of(used, layers)
        if not above or not below:
            yield f"{user} uses {used}: {user if not above else used} is in no layer"
        elif above != below and level[above] <= level[below]:
            yield f"{user} uses {used}: {below} is not below {above}"


def circle(edges: Iterable[Edge]) -> str:
    """Files that use one another in a circle, as one line; empty if there are none."""
    users: dict[str, set[str]] = {}
    for user, used in edges:
        users.setdefault(user, set()).add(used)
    try:
        TopologicalSorter(users).prepare()
    except CycleError as error:
        return f"a circle: {' -> '.join(reversed(error.args[1]))}"
    return ""


def includes(folder: Path) -> list[Edge]:
    """Which file of a folder includes which other one, by their paths in it."""
    return [
        (file.relative_to(folder).as_posix(), included)
        for file in sorted(folder.rglob("*.[ch]"))
        for included in INCLUDE.findall(file.read_text())
    ]


def units(edges: Iterable[Edge]) -> list[Edge]:
    """The same between pairs of .c and .h of one name, for circles that go through both."""
    pairs = {
        (Path(a).with_suffix("").as_posix(), Path(b).with_suffix("").as_posix()) for a, b in edges
    }
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def strange(edges: Iterable[Edge], strangers: Iterable[Edge]) -> Iterator[str]:
    """Uses between rooms that are to know nothing of each other."""
    for user, used in edges:
        for a, b in strangers:
            if user.startswith(f"{a}/") and used.startswith(f"{b}/"):
                yield f"{user} uses {used}: {a} knows nothing of {b}"


def check_kernel_layers(folder: Path = paths.MODULE_SOURCES) -> str:
    """The module's layers, as the list above has them."""
    edges = includes(folder)
    problems = [*upward(edges, KERNEL_LAYERS), *strange(edges, KERNEL_STRANGERS)]
    return "\n".join(filter(None, [*problems, circle(units(edges))]))
