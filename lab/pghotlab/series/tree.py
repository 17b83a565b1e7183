# SPDX-License-Identifier: GPL-2.0
"""The kernel's tree that the series is for: Debian's source of the newest series of kernels.

It is in .cache/series. The series is put into it for a build. What its files were before is kept
beside it.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pghotlab.base import paths
from pghotlab.series.cut import changed_files, new_files
from pghotlab.series.plan import FOLDER, PLACES
from pghotlab.setup import fetch, kernels
from pghotlab.setup.kernels import Series as KernelSeries

_STAMP = "source.json"


@dataclass(frozen=True)
class Tree:
    """A kernel's source, and its files as they were before the series."""

    folder: Path
    version: str
    """Of Debian's package."""
    intree: Path = paths.INTREE
    """What the series is made of, besides the module."""

    @property
    def linux(self) -> Path:
        """The source, in which it is built."""
        return self.folder / "linux"

    @property
    def originals(self) -> Path:
        """Those of its files that the series changes, without the series."""
        return self.folder / "originals"

    def original(self, name: str) -> str | None:
        """A file without the series, None if there is none."""
        file = self.originals / name
        return file.read_text() if file.exists() else None

    def put(self, repo: Path) -> None:
        """Have the files of a repository of cut.py here, and no others of the series.

        A file that has the right content already is left alone, so that it is not built again.
        """
        wanted = set(_files(repo))
        ours = {*_files(self.linux / FOLDER, self.linux), *PLACES.values()}
        ours.update(new_files(self.intree / "tree"))
        for name in sorted(ours - wanted):
            (self.linux / name).unlink(missing_ok=True)
        for name in sorted(wanted):
            content = (repo / name).read_bytes()
            file = self.linux / name
            if not file.exists() or file.read_bytes() != content:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)


def _files(folder: Path, top: Path | None = None) -> Iterator[str]:
    """Sources in a folder, by their paths from `top`: not what a build or git leaves there."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(top or folder)
        built = path.name.startswith(".") or path.suffix in (".o", ".a", ".order")
        if path.is_file() and ".git" not in name.parts and not built:
            yield name.as_posix()


def newest() -> KernelSeries:
    """The newest series of kernels that Debian has the source of."""
    known = [one for one in kernels.load_kernels().values() if one.archive == "debian"]
    return max(known, key=lambda one: kernels.version(one.number))


def fetch_tree(intree: Path = paths.INTREE, folder: Path = paths.CACHE / "series") -> Tree:
    """Fetch the source, unless it is there."""
    stamp = folder / _STAMP
    if not stamp.exists():
        shutil.rmtree(folder, ignore_errors=True)
        version = fetch.fetch_source(newest(), folder / "linux")
        stamp.write_text(json.dumps({"version": version}) + "\n")
    tree = Tree(folder, json.loads(stamp.read_text())["version"], intree)
    for name in changed_files(intree / "tree"):
        kept, file = tree.originals / name, tree.linux / name
        if not kept.exists() and file.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, kept)
    return tree
