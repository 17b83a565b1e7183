# SPDX-License-Identifier: GPL-2.0
"""Builds the documentation as pages: `make docs` writes build/docs/html.

The pages are those of this folder, tables out of the module's descriptors, and a page for
each part of the module that the kernel's own kernel-doc makes from the comments in its files.
A warning is an error: a link that leads nowhere, a comment that does not fit its function.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from docs import house, reference
from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.setup import fetch, kernels
from tests.layers import KERNEL_LAYERS

DOCS = paths.ROOT / "docs"
OUT = paths.BUILD / "docs"
# A link or a picture: its mark, its text, where it leads, the heading there.
LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)#\s]*)(#[^)]*)?\)")
# What a file of the module says first: what it is for.
PURPOSE = re.compile(r"(?://|/\*) SPDX[^\n]*\n/\*\*\n \* DOC: \S")


def kernel_doc() -> Path:
    """The kernel's script that makes pages of comments, from the package of its headers."""
    kernel = fetch.fetch_kernel(kernels.default_series())
    found = sorted(
        (kernel.folder / "tree" / "usr" / "lib").glob("linux-kbuild-*/scripts/kernel-doc")
    )
    if not found:
        raise LabError(f"{kernel.release}: its headers came without scripts/kernel-doc")
    return found[-1]


def run(command: Sequence[str | Path]) -> str:
    """What a program prints; LabError with what it says if it fails or warns."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or "warning:" in done.stderr:
        raise LabError(f"{Path(command[0]).name}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def pages() -> list[Path]:
    """All pages that are written by hand."""
    return [paths.ROOT / "README.md", paths.ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]


def with_links(page: Path) -> str:
    """A page whose links fit the pages' folder. What is no page is named, but not linked to."""
    folder = DOCS if page.parent == paths.ROOT else page.parent

    def linked(found: re.Match[str]) -> str:
        picture, text, target, anchor = found.groups(default="")
        if re.match(r"\w+:", target) or not target:
            return found[0]
        file = (page.parent / target).resolve()
        if not file.exists():
            raise LabError(f"{page.relative_to(paths.ROOT)}: there is no {target}")
        if picture or file in pages():
            place = DOCS / file.name if file.parent == paths.ROOT else file
            return f"{picture}[{text}]({os.path.relpath(place, folder)}{anchor})"
        return text

    return LINK.sub(linked, page.read_text())


def rooms() -> list[str]:
    """The folders of the module, and its files that are in none, from the highest to the lowest."""
    layers = reversed(KERNEL_LAYERS)
    return list(dict.fromkeys(room.partition("/")[0] for layer in layers for room in layer))


def files_of(room: str, kernel: Path = paths.MODULE_SOURCES) -> list[Path]:
    """The files of a room; of one that is a file, that file."""
    place = kernel / room
    return sorted(place.rglob("*.[ch]")) if place.is_dir() else [place]


def without_purpose(kernel: Path = paths.MODULE_SOURCES) -> str:
    """Files of the module that do not begin with a kernel-doc block about their purpose."""
    return "\n".join(
        f"{file.relative_to(kernel)}:2: no `/** DOC: ...` that says what the file is for"
        for file in sorted(kernel.rglob("*.[ch]"))
        if not PURPOSE.match(file.read_text())
    )


def internals(folder: Path) -> None:
    """Writes the pages of the module's parts."""
    folder.mkdir(parents=True)
    script = kernel_doc()
    for room in rooms():
        title = f"{room}/" if (paths.MODULE_SOURCES / room).is_dir() else room
        page = [title, "=" * len(title), ""]
        for file in files_of(room):
            name = file.relative_to(paths.MODULE_SOURCES).as_posix()
            said = run(["perl", script, "-Werror", "-rst", "-sphinx-version", "8.0.0", file])
            page += [name, "-" * len(name), "", said]
        (folder / f"{room}.rst").write_text("\n".join(page))
    names = "\n".join(f"   {room}" for room in rooms())
    (folder / "index.rst").write_text(
        f"The module's internals\n======================\n\n.. toctree::\n\n{names}\n"
    )


def build() -> Path:
    """Builds all pages. Returns the first one; LabError with what is wrong."""
    source = OUT / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("*.json", "__pycache__"))
    for page in pages():
        place = source if page.parent == paths.ROOT else source / page.parent.relative_to(DOCS)
        (place / page.name).write_text(with_links(page))
    (source / "house.svg").write_text(house.draw())
    (source / "reference.md").write_text(reference.page())
    internals(source / "internals")
    run(
        [
            *(sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto"),
            *("-b", "html", source, OUT / "html"),
        ]
    )
    return OUT / "html" / "index.html"


def check() -> str:
    """What keeps the pages from being built; empty if nothing does."""
    try:
        build()
    except LabError as error:
        return str(error)
    return ""


def main() -> int:
    """Builds the pages and says where they are; status 1 if that fails."""
    try:
        print(build())
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
