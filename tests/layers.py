# SPDX-License-Identifier: GPL-2.0
"""Dependencies run one way: what may use what, as lists of layers, and what breaks them."""

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from pghotlab.base import paths

Uses = Mapping[str, Collection[str]]
"""All files by name, each with the names of those among them that it uses."""
Layers = Sequence[Collection[str]]
"""Rooms, the lowest layer first; rooms of one layer know nothing of each other."""

LAB_PACKAGE = paths.LAB / "pghotlab"
# Its rooms are its folders; a file that is in none is a room of its own.
LAB_LAYERS: Layers = (
    ("__init__",),
    ("base",),
    ("hardware", "setup"),
    ("guest",),
    ("measure",),
    ("rows",),
    ("draw",),
    ("tables",),
    ("report", "series"),
    ("trial",),
    ("cli",),
    ("__main__",),
)

COMMAND_PACKAGE = paths.ROOT / "tools" / "pghot"
COMMAND_LAYERS: Layers = (
    ("__init__", "errors", "version"),
    ("read", "command", "buffer"),
    ("recording", "persist"),
    ("decide",),
    ("show",),
    ("verb",),
    ("look", "made"),
    ("verbs",),
    ("cli", "make"),
    ("__main__",),
)

KERNEL_LAYERS: Layers = (
    ("pghot.h", "testing"),
    ("wrapper",),
    ("core",),
    ("policy",),
    # What sources share, then a source that another one builds upon, then all others.
    ("promote", "sources"),
    ("sources/chmu",),
    ("sources/*",),
    ("sources/all",),
    ("surface",),
    ("main.c",),
)
"""The module's rooms in kernel/: a folder, a file, or a pair of .c and .h by the name of both.

A file is in the longest that has it. `*` are all folders there that no layer names, so that a new
source is a room of its own.
"""
KERNEL_STRANGERS = (("sources", "promote"), ("surface", "promote"), ("surface", "sources"))
"""Folders of which the first is above the second, and still does not use it."""
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def misfits(uses: Uses, room_of: Callable[[str], str], layers: Layers) -> list[str]:
    """Files whose room is in no layer, and rooms of layers that have no file."""
    known = {room for rooms in layers for room in rooms}
    rooms = {name: room_of(name) for name in uses}
    return [
        *(
            f"{name}: no layer has its room {rooms[name]}"
            for name in rooms
            if rooms[name] not in known
        ),
        *(
            f"no file is in the room {room} of the layers"
            for room in sorted(known - {*rooms.values()})
        ),
    ]


def wrong_ways(uses: Uses, room_of: Callable[[str], str], layers: Layers) -> list[str]:
    """Each use of another room that is not in a layer below; files of one room may use each other.

    room_of: the room of a file. Files that are in no layer are left to misfits().
    """
    height = {room: number for number, rooms in enumerate(layers) for room in rooms}
    found = []
    for user, all_used in uses.items():
        for used in sorted(all_used):
            room, other = room_of(user), room_of(used)
            if room != other and {room, other} <= height.keys() and height[other] >= height[room]:
                found.append(f"{user}: uses {used}, but {other} is not below {room}")
    return found


def circles(uses: Uses) -> list[str]:
    """Files that use one another in a circle, each as `a -> b -> a`, as many as it takes to see
    that without one use of each there is none."""
    left = {name: sorted(used) for name, used in uses.items()}
    found = []
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]
            found.append(" -> ".join(circle))
            left[circle[0]].remove(circle[1])
        else:
            return found


def problems(uses: Uses, room_of: Callable[[str], str], layers: Layers) -> str:
    """All that breaks the layers, a line for each."""
    circle = [f"a circle: {circle}" for circle in circles(uses)]
    return "\n".join([*misfits(uses, room_of, layers), *wrong_ways(uses, room_of, layers), *circle])


def _imports(file: Path, top: Path) -> Iterator[tuple[str, str]]:
    """Modules that a file imports, also within functions, and what of each; "" for all of it."""
    for node in ast.walk(ast.parse(file.read_text(), file)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # Dots in front: a folder of the file's own package.
            folder = file.parents[node.level - 1].relative_to(top).parts if node.level else ()
            module = ".".join([*folder, *([node.module] if node.module else [])])
            yield from ((module, alias.name) for alias in node.names)


def python_uses(package: Path) -> dict[str, set[str]]:
    """What the files of a Python package import of it, by their paths within the package."""
    modules = {}
    for file in sorted(package.rglob("*.py")):
        name = ".".join(file.relative_to(package.parent).with_suffix("").parts)
        modules[name.removesuffix(".__init__")] = file
    uses: dict[str, set[str]] = {}
    for file in modules.values():
        used = (
            modules.get(f"{module}.{name}") or modules.get(module)
            for module, name in _imports(file, package.parent)
        )
        uses[str(file.relative_to(package))] = {str(f.relative_to(package)) for f in used if f}
    return uses


def python_room(name: str) -> str:
    """The room of a file by its path within the package."""
    return Path(name).with_suffix("").parts[0]


def check_lab_layers() -> str:
    """The rooms of the lab's runner: each import goes down, and no modules import in a circle."""
    return problems(python_uses(LAB_PACKAGE), python_room, LAB_LAYERS)


def check_command_layers() -> str:
    """The same of the command `pghot`."""
    return problems(python_uses(COMMAND_PACKAGE), python_room, COMMAND_LAYERS)


def kernel_uses(kernel: Path) -> dict[str, set[str]]:
    """What the module's files include of one another, by their paths in kernel/."""
    return {
        file.relative_to(kernel).as_posix(): set(INCLUDE.findall(file.read_text()))
        for file in sorted(kernel.rglob("*.[ch]"))
    }


def kernel_layers(names: Collection[str]) -> list[list[str]]:
    """The layers of the module, with all folders that a `*` stands for.

    names: the paths of all files in kernel/
    """
    named = {room for rooms in KERNEL_LAYERS for room in rooms}
    folders = {parent.as_posix() for name in names for parent in Path(name).parents}
    return [
        [
            room
            for pattern in rooms
            for room in (
                sorted(folder for folder in folders - named if Path(folder).match(pattern))
                if pattern.endswith("*")
                else [pattern]
            )
        ]
        for rooms in KERNEL_LAYERS
    ]


def kernel_room(name: str, layers: Layers) -> str:
    """The room of a file by its path in kernel/; its folder if no layer has one."""
    ways = {name, name.rpartition(".")[0], *(parent.as_posix() for parent in Path(name).parents)}
    found = [room for rooms in layers for room in rooms if room in ways]
    return max(found, key=len, default=name.rpartition("/")[0] or name)


def units(uses: Uses) -> dict[str, set[str]]:
    """The same for pairs of .c and .h of one name: a circle may go through both."""
    found: dict[str, set[str]] = {}
    for user, all_used in uses.items():
        unit = user.rpartition(".")[0]
        found.setdefault(unit, set()).update(
            name for used in all_used if (name := used.rpartition(".")[0]) != unit
        )
    return found


def strangers(uses: Uses, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Uses of a folder that the user's folder is to know nothing of."""
    return [
        f"{user}: uses {used}, but {above} knows nothing of {below}"
        for user, all_used in uses.items()
        for used in sorted(all_used)
        for above, below in pairs
        if user.startswith(f"{above}/") and used.startswith(f"{below}/")
    ]


def check_kernel_layers(kernel: Path = paths.MODULE_SOURCES) -> str:
    """The module's rooms: each include goes down, and no files include each other in a circle."""
    uses = kernel_uses(kernel)
    layers = kernel_layers(uses)

    def room_of(name: str) -> str:
        return kernel_room(name, layers)

    found = [
        *misfits(uses, room_of, layers),
        *wrong_ways(uses, room_of, layers),
        *strangers(uses, KERNEL_STRANGERS),
        *(f"a circle: {circle}" for circle in circles(units(uses))),
    ]
    return "\n".join(found)
