# SPDX-License-Identifier: GPL-2.0
"""Debian packages with all that they depend on, unpacked as a tree that can be a root."""

import fcntl
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError, UsageError
from pghotlab.guest.packages import GUEST_LIBRARIES
from pghotlab.setup import apt, fetch

# Of a root, links to the folders of the same names in usr, as Debian has them.
MERGED = ("bin", "sbin", "lib", "lib64")
# What no program reads while it runs.
LEFT_OUT = ("doc", "man", "locale", "info", "lintian", "bug")


def check_name(package: str) -> None:
    """UsageError if no package can have this name."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", package):
        raise UsageError(
            f"--package: {package!r} is no name of a Debian package. `apt-cache search WORD` finds "
            "packages"
        )


def merge(tree: Path) -> None:
    """Move the root's folders with programs and libraries to usr, and leave links to them."""
    for name in MERGED:
        top, into = tree / name, tree / "usr" / name
        into.mkdir(parents=True, exist_ok=True)
        if top.is_symlink():
            continue
        if top.is_dir():
            shutil.copytree(top, into, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(top)
        top.symlink_to(f"usr/{name}")


def link_libraries(tree: Path) -> None:
    """Link each library in a folder of its own from the folder where the loader looks for it.

    When Debian installs a package, update-alternatives makes such links for libraries that several
    packages have, such as libblas.so.3. Here nothing is installed.
    """
    folder = tree / GUEST_LIBRARIES
    for library in sorted(folder.glob("*/lib*.so.*")):
        link = folder / library.name
        there = link.exists() or link.is_symlink()
        if re.fullmatch(r"lib.+\.so\.\d+", library.name) and not there:
            link.symlink_to(library.relative_to(folder))


def _make(packages: Sequence[str], tree: Path) -> list[str]:
    """Fills the tree; the packages it is from, each as NAME_VERSION_ARCHITECTURE."""
    fetch.say(f"{', '.join(packages)}: package lists")
    root = fetch.host_root(f"try-{'+'.join(packages)}")
    try:
        debs: list[Path] = []
        for package in packages:
            fetch.say(f"{package}: download with all that it depends on")
            try:
                debs = root.download_with_dependencies(package)
            except LabError as error:
                raise UsageError(
                    f"--package: {package}: {error}. `apt-cache search WORD` finds packages"
                ) from None
        fetch.say(f"unpack {len(debs)} packages")
        shutil.rmtree(tree, ignore_errors=True)
        apt.unpack(debs, tree)
    finally:
        root.remove()
    merge(tree)
    for name in LEFT_OUT:
        shutil.rmtree(tree / "usr" / "share" / name, ignore_errors=True)
    return [deb.stem for deb in debs]


def unpacked(packages: Sequence[str]) -> Path:
    """The tree of these packages, which nobody may change; made when it is first asked for.

    UsageError if Debian has no such package.
    """
    for package in packages:
        check_name(package)
    name = "+".join(sorted(set(packages)))
    folder = paths.CACHE / "packages" / "try"
    folder.mkdir(parents=True, exist_ok=True)
    tree, stamp = folder / name, folder / f"{name}.versions"
    # Two may want it at once.
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists():
            versions = _make(sorted(set(packages)), tree)
            stamp.write_text("\n".join(versions) + "\n")
    return tree
