# SPDX-License-Identifier: GPL-2.0
"""The verb: check each patch of the series, and keep a kernel of each for the tests to boot.

Each patch has to apply to what the patches before it have made, and checkpatch has to be content.
Then the files of the series are compiled by `make W=1 C=1`, with the options of the series and
without them. What the compiler and sparse say of these, and do not say without the series, is an
error. Then the whole kernel is built. Each time only what has changed is compiled anew.
"""

import itertools
import json
import re
import shutil
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from pghotlab.base.errors import LabError
from pghotlab.series import kernel, remarks
from pghotlab.series.cut import git
from pghotlab.series.kernel import KIND
from pghotlab.series.plan import FOLDER
from pghotlab.series.record import APPLIES, BUILDS, CHECKS, COMPILES, STYLE, Patch, Record, key
from pghotlab.series.tree import Tree, fetch_tree
from pghotlab.series.write import OUT, write_series
from pghotlab.setup import debugkernel
from pghotlab.setup.fetch import say

# The kernel asks sparse for an operator that releases of it do not have yet: it takes the one that
# keeps qualifiers instead.
SPARSE = ("C=1", "CF=-D__typeof_unqual__=__typeof__")
# What make says if it does not take sparse as it is.
NO_SPARSE = re.compile(r"C=1 specified, but .*")
# In the folder of the series: a line for each patch, and the kernels with the options.
LOG = "log"
BOOT = "boot"


def image(number: int, out: Path = OUT) -> Path:
    """Where the kernel of a patch is kept, with its options on."""
    return out / BOOT / f"{number:02}.bzImage"


def patches(repo: Path, files: Sequence[Path]) -> list[Patch]:
    """The kernel without the series, and all patches.

    files: those of the patches, in their order.
    """
    found = []
    lines = git(repo, "log", "--reverse", "--format=%H %T %s", "series").splitlines()
    for number, (line, path) in enumerate(zip(lines, (None, *files), strict=True)):
        commit, tree, title = line.split(" ", 2)
        changed = git(repo, "show", "--format=", "--name-only", commit).split()
        found.append(Patch(number, title, commit, tree, tuple(changed), path))
    return found


def apply(repo: Path, before: Patch, patch: Patch) -> None:
    """Apply the file of a patch; LabError if it does not make what the patch is to make."""
    git(repo, "checkout", "-q", "--detach", before.commit)
    who = ("-c", "user.name=pghot", "-c", "user.email=pghot")
    try:
        git(repo, *who, "am", "-q", str(patch.path))
    except LabError as error:
        raise LabError(f"it does not apply: {error}") from None
    if git(repo, "rev-parse", "HEAD^{tree}").strip() != patch.tree:
        raise LabError("its file makes something else than its commit has")


def style(tree: Tree, patch: Patch) -> None:
    """LabError with what checkpatch says of a patch."""
    assert patch.path
    said = remarks.checkpatch(tree.linux, patch.path)
    if said:
        raise LabError("\n  ".join(("there are remarks:", *said)))


class Builder:
    """Builds kernels with the series in its tree.

    tree: where. repo: with all states of the series.
    """

    def __init__(self, tree: Tree, repo: Path) -> None:
        self.tree = tree
        self.repo = repo
        self.config = KIND.config()
        self._there: tuple[str, bool] | None = None

    def depends(self, patch: Patch, *, on: bool) -> str:
        """What a kernel depends on, as a key.

        Without the options of the series that is nothing in its folder. So a patch that only
        changes that folder needs no build of its own.
        """
        content = patch.tree
        if not on:
            lines = git(self.repo, "ls-tree", "-r", patch.commit).splitlines()
            content = "\n".join(line for line in lines if _is_built(line.split("\t")[1]))
        return key(self.tree.version, debugkernel.compiler(), self.config, content)

    def _put(self, patch: Patch, *, on: bool) -> list[str]:
        """Have a state in the tree, and configure it; what to compile of the kernel's own files."""
        KIND.log.unlink(missing_ok=True)
        if self._there != (patch.commit, on):
            git(self.repo, "checkout", "-q", "--detach", patch.commit)
            self.tree.put(self.repo)
            kconfig = self.repo / FOLDER / "Kconfig"
            options = kconfig.read_text() if kconfig.exists() else ""
            debugkernel.configure(KIND, kernel.wanted(self.config, options, on=on))
            self._there = patch.commit, on
        names = git(self.repo, "ls-files", "*.c").split()
        return [f"{name[:-2]}.o" for name in names if not name.startswith(f"{FOLDER}/")]

    def compile(self, patch: Patch, *, on: bool) -> set[str]:
        """Compile the files of a state; what the compiler and sparse say of them."""
        objects = self._put(patch, on=on)
        # Nothing is missed that was said to a check that was broken off.
        for name in patch.files:
            (self.tree.linux / name).with_suffix(".o").unlink(missing_ok=True)
        debugkernel.make(KIND, "W=1", *SPARSE, *objects, *([f"{FOLDER}/"] if on else []))
        log = KIND.log.read_text(errors="replace")
        if found := NO_SPARSE.search(log):
            raise LabError(found[0])
        return remarks.warnings(log, self.tree.linux, git(self.repo, "ls-files").split())

    def check(self, patch: Patch, before: Collection[str], *, on: bool) -> None:
        """Compile the files of a patch; LabError if something is said that is not in before."""
        said = self.compile(patch, on=on) - set(before)
        if said:
            raise LabError("\n  ".join(("there are warnings:", *sorted(said))))

    def build(self, patch: Patch, *more: str, on: bool) -> Path:
        """Build a whole kernel; its image.

        more: targets of make besides.
        """
        self._put(patch, on=on)
        debugkernel.make(KIND, "W=1", "bzImage", *more)
        return KIND.tree / "arch" / "x86" / "boot" / "bzImage"

    def keep(self, patch: Patch, *more: str, on: bool, out: Path = OUT) -> Path:
        """Build a whole kernel as build() does; the image that is kept of it for guests."""
        built = self.build(patch, *more, on=on)
        to = image(patch.number, out)
        to.parent.mkdir(parents=True, exist_ok=True)
        half = to.with_suffix(".half")
        shutil.copyfile(built, half)
        half.replace(to)
        return to


def _is_built(name: str) -> bool:
    """Whether a file is a part of a kernel that is built without the options of the series."""
    return not name.startswith((f"{FOLDER}/", "Documentation/")) and name != "MAINTAINERS"


class Check:
    """Checks with their record.

    all_: the kernel without the series, and all patches. out: where the log is.
    """

    def __init__(self, all_: Sequence[Patch], record: Record, out: Path) -> None:
        self.all = all_
        self.record = record
        self.log = out / LOG

    def do(self, patch: Patch, check: str, depends: str, work: Callable[[], None]) -> None:
        """Do a check, unless it was passed; the log says what came of it."""
        if self.record.has(patch, check, depends):
            return
        self.record.add(patch, check, None)
        say(f"{patch.number:02}/{len(self.all) - 1:02} {check}: {patch.title}")
        try:
            work()
            self.record.add(patch, check, depends)
        except LabError as error:
            raise LabError(f"{patch.name}: {CHECKS[check]}: {error}") from None
        finally:
            self.write()

    def write(self) -> None:
        """Write the log."""
        lines = (self.record.line(patch) for patch in self.all[1:])
        self.log.write_text("\n".join(lines) + "\n")


def _check_files(check: Check, repo: Path, tree: Tree) -> None:
    """That all patches apply, and what checkpatch says of them."""
    for before, patch in itertools.pairwise(check.all):
        message = git(repo, "log", "-1", "--format=%B", patch.commit)
        depends = key(before.tree, patch.tree, message)
        check.do(patch, APPLIES, depends, partial(apply, repo, before, patch))
        check.do(patch, STYLE, depends, partial(style, tree, patch))


def _same(builder: Builder, last: Patch, patch: Patch, *, on: bool) -> Callable[[], None] | None:
    """What is to be done where the patch before has made the same kernel."""
    same = not on and builder.depends(last, on=on) == builder.depends(patch, on=on)
    return (lambda: None) if same else None


def _check_kernels(check: Check, builder: Builder, out: Path) -> None:
    """That the files of each patch compile, and its whole kernel builds.

    First with all options, then without them: so the options are switched once only, as much is
    compiled then. A kernel is built where its files have just been compiled, which so are not
    compiled again. What is built with the options is kept for the tests.
    """
    base = check.all[0]
    known = out / "without.json"

    def without_series() -> None:
        known.write_text(json.dumps(sorted(builder.compile(base, on=False))) + "\n")

    check.do(base, COMPILES[False], builder.depends(base, on=False), without_series)
    before = json.loads(known.read_text())
    for on in (True, False):
        for last, patch in itertools.pairwise(check.all):
            depends = builder.depends(patch, on=on)
            same = _same(builder, last, patch, on=on)
            compile_ = partial(builder.check, patch, before, on=on)
            build = partial(_build, builder, patch, on=on, out=out)
            check.do(patch, COMPILES[on], depends, same or compile_)
            check.do(patch, BUILDS[on], depends, same or build)


def _build(builder: Builder, patch: Patch, *, on: bool, out: Path) -> None:
    """Build a whole kernel, and keep it if it has the options."""
    if on:
        builder.keep(patch, on=on, out=out)
    else:
        builder.build(patch, on=on)


def check_series(out: Path = OUT) -> Path:
    """Check all patches; LabError names the first that fails. The log."""
    debugkernel.install_packages()
    files = write_series(out)[1:]
    tree = fetch_tree()
    repo = out / "git"
    check = Check(patches(repo, files), Record(out / "checked.json"), out)
    _check_files(check, repo, tree)
    builder = Builder(tree, repo)
    _check_kernels(check, builder, out)
    check.write()
    return check.log
