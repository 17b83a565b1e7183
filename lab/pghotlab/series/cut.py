# SPDX-License-Identifier: GPL-2.0
"""Cutting the series: a small git repository with a commit for each patch.

It holds only those files of the kernel that the series changes. Names of what is in a commit come
from its content, so that the patches apply to the whole tree as well.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.series import files
from pghotlab.series.convert import convert
from pghotlab.series.plan import FOLDER, OWN, Patch, Series, place

# What is in place of the author in files of intree/.
AUTHOR = "@AUTHOR@"


def git(repo: Path, *args: str, text: str | None = None) -> str:
    """What git says in a repository; LabError with its complaint if it fails."""
    env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(repo.parent), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["git", *args], cwd=repo, env=env, input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise LabError(f"git {args[0]}: {done.stderr.strip()}")
    return done.stdout


def author(folder: Path) -> str:
    """Who makes the series, as `NAME <MAIL>`: git's user.name and user.email."""
    found = git(folder, "var", "GIT_AUTHOR_IDENT")
    return re.sub(r" \d+ [+-]\d+\s*$", "", found)


def _named(folder: Path, pattern: str) -> list[str]:
    names: set[str] = set()
    for patch in folder.glob("*.patch"):
        names.update(re.findall(pattern, patch.read_text(), re.MULTILINE))
    return sorted(names)


def changed_files(folder: Path) -> list[str]:
    """Files that the kernel has and that the patches in a folder change."""
    added = new_files(folder)
    return [name for name in _named(folder, r"^--- a/(\S+)") if name not in added]


def new_files(folder: Path) -> list[str]:
    """Files that the patches in a folder add to the kernel."""
    return _named(folder, r"^--- /dev/null\n\+\+\+ b/(\S+)")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _apply(repo: Path, patch: Path) -> None:
    try:
        git(repo, "apply", str(patch))
    except LabError as error:
        raise LabError(f"{patch} does not fit: {error}") from None


class Cut:
    """The repository while it is made.

    repo: its folder. module: kernel/. intree: intree/.
    """

    def __init__(self, repo: Path, module: Path, intree: Path) -> None:
        self.repo = repo
        self.module = module
        self.intree = intree
        self.by = ""

    def begin(self, original: Callable[[str], str | None]) -> None:
        """An empty repository, and what the files to be changed are before the series.

        original: the content of a file of the kernel, None if it has no such file.
        """
        shutil.rmtree(self.repo, ignore_errors=True)
        self.repo.mkdir(parents=True)
        self.by = author(self.intree)
        git(self.repo, "init", "-q", "-b", "series")
        for name in changed_files(self.intree / "tree"):
            content = original(name)
            if content is not None:
                _write(self.repo / name, content)
        self._commit("The kernel\n")

    def _commit(self, message: str) -> None:
        git(self.repo, "add", "-A")
        name, _, mail = self.by.partition(" <")
        who = ("-c", f"user.name={name}", "-c", f"user.email={mail.rstrip('>')}")
        git(self.repo, *who, "commit", "-q", "--allow-empty", "-F", "-", text=message)

    def _file(self, name: str, patches: Sequence[Patch]) -> str:
        """A file of the plan as it is after these patches."""
        own = OWN.get(name)
        file = self.intree / own if own else self.module / name
        text = file.read_text() if own else convert(file.read_text())
        return files.source_list(text, patches) if name.startswith("sources/all.") else text

    def _put(self, names: Iterable[str], patches: Sequence[Patch]) -> None:
        for name in names:
            _write(self.repo / place(name), self._file(name, patches))
        wanted = {place(name) for name in names}
        for change in sorted((self.intree / "changes").glob("*.patch")):
            if changed_file(change) in wanted:
                _apply(self.repo, change)

    def add(self, patches: Sequence[Patch]) -> None:
        """Commit the last of these patches; the others are there."""
        patch = patches[-1]
        self._put(patch.files, patches)
        for name in patch.removes:
            (self.repo / place(name)).unlink()
        if patch.sources:
            for name in ("sources/all.c", "sources/all.h"):
                _write(self.repo / place(name), self._file(name, patches))
        folder = self.repo / FOLDER
        _write(folder / "Makefile", files.makefile(patches))
        kconfig = (self.intree / "Kconfig").read_text()
        _write(folder / "Kconfig", files.kconfig(kconfig, patches))
        for name in patch.changes:
            _apply(self.repo, self.intree / "tree" / f"{name}.patch")
        for name in changed_files(self.intree / "tree"):
            file = self.repo / name
            if file.exists() and AUTHOR in file.read_text():
                file.write_text(file.read_text().replace(AUTHOR, self.by))
        self._commit(f"{patch.title}\n\n{patch.message}\nSigned-off-by: {self.by}\n")


def changed_file(patch: Path) -> str:
    """The one file that a patch of intree/changes changes."""
    names = re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.MULTILINE)
    if len(names) != 1:
        raise LabError(f"{patch}: changes {len(names)} files, not one")
    return str(names[0])


def cut(
    series: Series,
    repo: Path,
    original: Callable[[str], str | None],
    module: Path = paths.MODULE_SOURCES,
    intree: Path = paths.INTREE,
) -> None:
    """Make the repository anew, with a commit for each patch."""
    work = Cut(repo, module, intree)
    places = {place(name) for patch in series.patches for name in patch.files}
    for change in sorted((intree / "changes").glob("*.patch")):
        if changed_file(change) not in places:
            raise LabError(f"{change}: no patch has the file that it changes")
    work.begin(original)
    for number in range(1, len(series.patches) + 1):
        work.add(series.patches[:number])


def write_patches(repo: Path, out: Path, series: Series, letter: str) -> list[Path]:
    """The series as files for mail, the cover letter first; what was there before is gone.

    letter: the text of the cover letter.
    """
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.patch"):
        old.unlink()
    base = f"HEAD~{len(series.patches)}"
    options = ("-q", "--zero-commit", "--no-signature", "--cover-letter")
    git(repo, "format-patch", *options, "-o", str(out), base)
    found = sorted(out.glob("*.patch"))
    cover = found[0].read_text()
    cover = cover.replace("*** SUBJECT HERE ***", series.title)
    found[0].write_text(cover.replace("*** BLURB HERE ***", letter.strip()))
    return found
