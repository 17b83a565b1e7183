# SPDX-License-Identifier: GPL-2.0
"""Which file enters with which patch: intree/series.toml."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import UsageError
from pghotlab.base.strict import Table, parse_toml

# Where pghot is in the kernel's tree, and where its interface and its documentation are.
FOLDER = "mm/pghot"
PLACES = {
    "pghot.h": "include/linux/pghot.h",
    "pghot.rst": "Documentation/admin-guide/mm/pghot.rst",
}
# Files that are in the tree only, or are others there, by their names in the plan.
OWN = {
    "async.c": "async.c",
    "pghot.rst": "pghot.rst",
    "wrapper/functions.h": "functions.h",
    "wrapper/probe.c": "probe.c",
    "wrapper/probe.h": "probe.h",
    "sources/all.c": "all.c",
}


@dataclass(frozen=True)
class Patch:
    """One patch of the series.

    files: what it adds, by names in kernel/, or of OWN.
    removes: what it takes out again that an earlier patch has added.
    changes: names of files of intree/tree, applied in this order.
    option: the option that it adds and that its object files depend on; "" if that is PGHOT.
    shared: its object files that another option needs, too: these depend on PGHOT_PAGE_TABLES.
    sources: names of the sources that it adds to the list of all.
    """

    title: str
    message: str
    files: tuple[str, ...]
    removes: tuple[str, ...]
    changes: tuple[str, ...]
    option: str
    shared: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Series:
    """All patches, in their order."""

    title: str
    patches: tuple[Patch, ...]


def place(name: str) -> str:
    """Where a file of the plan is in the kernel's tree."""
    return PLACES.get(name, f"{FOLDER}/{re.sub('^wrapper/', 'mm/', name)}")


def _matching(table: Table, names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """The names that fit, by pattern; a pattern that none fits is wrong."""
    found: list[str] = []
    names = sorted(names)
    for pattern in patterns:
        fitting = [name for name in names if fnmatchcase(name, pattern)]
        if not fitting:
            raise table.fail("files", f"there is no file {pattern}")
        found += fitting
    return found


def _texts(table: Table, key: str) -> tuple[str, ...]:
    return tuple(table.texts(key)) if table.has(key) else ()


def _patch(table: Table, names: Sequence[str]) -> Patch:
    patterns = table.texts("files")
    patch = Patch(
        title=table.text("title"),
        message=table.text("message").strip() + "\n",
        files=tuple(_matching(table, names, [name for name in patterns if name[0] != "-"])),
        removes=tuple(name[1:] for name in patterns if name[0] == "-"),
        changes=_texts(table, "changes"),
        option=table.text("option") if table.has("option") else "",
        shared=_texts(table, "shared"),
        sources=_texts(table, "sources"),
    )
    table.end()
    return patch


def load_series(folder: Path = paths.INTREE, module: Path = paths.MODULE_SOURCES) -> Series:
    """The plan; UsageError if a file of the module is in no patch or in several."""
    path = folder / "series.toml"
    root = parse_toml(path, path.read_bytes(), UsageError)
    head = root.table("series")
    there = [file.relative_to(module).as_posix() for file in module.rglob("*.[ch]")]
    names = {*there, *OWN}
    never = set(_matching(head, names, head.texts("never")))
    title = head.text("title")
    head.end()
    patches = [_patch(table, sorted(names - never)) for table in root.tables("patch")]
    root.end()
    taken = [name for patch in patches for name in patch.files]
    twice = {name for name in taken if taken.count(name) > 1}
    if twice:
        raise root.fail("patch", f"in several patches: {', '.join(sorted(twice))}")
    left = names - never - set(taken)
    if left:
        raise root.fail("patch", f"in no patch: {', '.join(sorted(left))}")
    return Series(title, tuple(patches))
