# SPDX-License-Identifier: GPL-2.0
"""Files of a tree that will be the root of something: absolute links in it lead to places in it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from pghotlab.base.errors import UsageError

# Of more links one after the other it is likely that they go in a circle.
MOST_LINKS = 40
# Where programs are looked for by their names, as the guest's variable PATH has it.
PROGRAMS = ("usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin")


def inside(tree: Path, name: str | Path) -> Path:
    """Where a name of the tree leads to, which may not be there: never out of the tree.

    UsageError if its links go in a circle.
    """
    left = [part for part in Path(name).parts if part != "/"]
    found: list[str] = []
    links = 0
    while left:
        part = left.pop(0)
        if part == "..":
            found = found[:-1]
            continue
        path = tree.joinpath(*found, part)
        if not path.is_symlink():
            found.append(part)
            continue
        links += 1
        if links > MOST_LINKS:
            raise UsageError(f"{path}: its links lead in a circle")
        target = path.readlink()
        if target.is_absolute():
            found = []
        left = [part for part in target.parts if part != "/"] + left
    return tree.joinpath(*found)


def place(tree: Path, name: str | Path, source: Path) -> None:
    """Copy a file or a folder to a place in the tree. In a folder, links stay links."""
    target = inside(tree, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy2(source, target)


def is_program(path: Path) -> bool:
    """Whether it is a file that may be run."""
    return path.is_file() and os.access(path, os.X_OK)


def find_program(tree: Path, name: str) -> str | None:
    """The place of a program in the tree: in the usual folders, else anywhere, if it is one file.

    Debian has some programs in folders of their own, and makes links to them when it installs them.
    """
    for folder in PROGRAMS:
        if is_program(inside(tree, f"{folder}/{name}")):
            return f"/{folder}/{name}"
    found = sorted({path.resolve() for path in _named(tree, name)})
    return f"/{found[0].relative_to(tree.resolve())}" if len(found) == 1 else None


def _named(tree: Path, name: str) -> Iterator[Path]:
    for path in tree.rglob(name):
        if not path.is_symlink() and is_program(path):
            yield path
