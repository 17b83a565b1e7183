# SPDX-License-Identifier: GPL-2.0
"""Checking the patches of a small series; nothing is compiled."""

import itertools
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from faketree import KERNEL, Fake, make, write
from pghotlab.base.errors import LabError
from pghotlab.series import check as checking
from pghotlab.series.check import Builder, Check, apply, image, patches, style
from pghotlab.series.cut import cut, write_patches
from pghotlab.series.kernel import KIND
from pghotlab.series.plan import load_series
from pghotlab.series.record import APPLIES, STYLE, Patch, Record
from pghotlab.series.tree import Tree
from pghotlab.setup import debugkernel
from pghotlab.setup.debugkernel import Kind


@pytest.fixture(name="fake")
def _fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Some One")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "one@example.org")
    return make(tmp_path)


@pytest.fixture(name="all_")
def _all(fake: Fake, tmp_path: Path) -> list[Patch]:
    series = load_series(fake.intree, fake.module)
    cut(series, fake.repo, fake.original, fake.module, fake.intree)
    return patches(fake.repo, write_patches(fake.repo, tmp_path / "out", series, "")[1:])


def test_patches_are_found(all_: list[Patch]) -> None:
    assert [patch.number for patch in all_] == [0, 1, 2, 3]
    assert all_[1].title == "mm: promote later"
    assert all_[1].path and all_[1].path.name == "0001-mm-promote-later.patch"
    assert {"mm/memory.c", "mm/pghot/async.c", "mm/pghot/Kconfig"} <= set(all_[1].files)
    assert len({patch.tree for patch in all_}) == 4


def test_files_of_patches_apply(fake: Fake, all_: list[Patch]) -> None:
    for before, patch in itertools.pairwise(all_):
        apply(fake.repo, before, patch)


def test_a_patch_that_does_not_apply_is_an_error(fake: Fake, all_: list[Patch]) -> None:
    with pytest.raises(LabError, match="it does not apply"):
        apply(fake.repo, all_[1], all_[3])


def test_a_patch_that_makes_something_else_is_an_error(fake: Fake, all_: list[Patch]) -> None:
    wrong = all_[1].path
    assert wrong
    wrong.write_text(wrong.read_text().replace("+hook", "+trap"))
    with pytest.raises(LabError, match="something else"):
        apply(fake.repo, all_[0], all_[1])


def test_remarks_of_checkpatch_are_an_error(fake: Fake, all_: list[Patch]) -> None:
    tree = Tree(fake.kernel.parent, "1.0", fake.intree)
    write(tree.linux, {"scripts/checkpatch.pl": "print 'a.c:1: ERROR:X: bad';"})
    with pytest.raises(LabError, match=r"there are remarks:\n  a\.c:1: ERROR:X: bad"):
        style(tree, all_[2])


def test_a_check_is_done_once(tmp_path: Path) -> None:
    patch = Patch(1, "One", "c", "t", ())
    done: list[str] = []

    def check() -> Check:
        return Check([replace(patch, number=0), patch], Record(tmp_path / "checked"), tmp_path)

    for depends in ("a", "a", "b"):
        check().do(patch, APPLIES, depends, partial(done.append, depends))
    assert done == ["a", "b"]
    assert (
        (tmp_path / "log")
        .read_text()
        .startswith("01 One: passed: applies; NOT CHECKED: checkpatch,")
    )


def test_a_check_that_fails_is_not_passed(tmp_path: Path) -> None:
    patch = Patch(1, "One", "c", "t", ())
    check = Check([patch], Record(tmp_path / "checked"), tmp_path)
    check.do(patch, STYLE, "a", lambda: None)

    def fail() -> None:
        raise LabError("no")

    with pytest.raises(LabError, match=r"^patch 1 \(One\): checkpatch: no$"):
        check.do(patch, STYLE, "b", fail)
    assert not Record(tmp_path / "checked").passed


class Compiler:
    """Stands for make: takes what it is told to say, and notes how it was called."""

    def __init__(self, log: Path, says: str) -> None:
        self.log = log
        self.says = says
        self.calls: list[tuple[str, ...]] = []
        self.configs: list[str] = []

    def make(self, _kind: Kind, *arguments: str) -> None:
        self.calls.append(arguments)
        self.log.write_text(self.says)

    def configure(self, _kind: Kind, config: str) -> None:
        self.configs.append(config)


@pytest.fixture(name="tree")
def _tree(fake: Fake, all_: list[Patch]) -> Tree:
    assert all_
    tree = Tree(fake.repo.parent / "series", "1.0", fake.intree)
    write(tree.linux, KERNEL)
    return tree


def compiled(monkeypatch: pytest.MonkeyPatch, folder: Path, says: str) -> Compiler:
    kind = replace(KIND, name=str(folder / "kind"))
    kind.folder.mkdir()
    compiler = Compiler(kind.log, says)
    monkeypatch.setattr(checking, "KIND", kind)
    monkeypatch.setattr(debugkernel, "make", compiler.make)
    monkeypatch.setattr(debugkernel, "configure", compiler.configure)
    return compiler


SAYS = (
    "mm/memory.c:3:1: warning: old\nmm/pghot/main.c:2:1: warning: new\nfs/x.c:1: warning: other\n"
)


def test_only_new_warnings_of_the_series_count(
    fake: Fake, all_: list[Patch], tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = compiled(monkeypatch, tmp_path, SAYS)
    builder = Builder(tree, fake.repo)
    before = builder.compile(all_[0], on=False)
    assert before == {"mm/memory.c: warning: old"}
    builder.check(all_[1], before, on=True)
    with pytest.raises(LabError, match=r"warnings:\n  mm/pghot/main\.c: warning: new$"):
        builder.check(all_[2], before, on=True)
    assert compiler.calls[0][-1] == "mm/memory.o"
    assert compiler.calls[1][-2:] == ("mm/memory.o", "mm/pghot/")
    assert compiler.configs[1].endswith("CONFIG_PGHOT=y\n")
    assert "PGHOT=" not in compiler.configs[0]


def test_what_a_patch_changes_is_compiled_anew(
    fake: Fake, all_: list[Patch], tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiled(monkeypatch, tmp_path, "")
    write(tree.linux, {"mm/memory.o": "", "mm/other.o": ""})
    Builder(tree, fake.repo).check(all_[1], (), on=True)
    assert not (tree.linux / "mm/memory.o").exists()
    assert (tree.linux / "mm/other.o").exists()


def test_a_build_without_sparse_is_no_success(
    fake: Fake, all_: list[Patch], tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    says = "Makefile:1: C=1 specified, but sparse is not available or not up to date\n"
    compiled(monkeypatch, tmp_path, says)
    with pytest.raises(LabError, match="sparse is not available"):
        Builder(tree, fake.repo).check(all_[1], (), on=False)


def test_what_is_the_same_without_options_is_built_once(
    fake: Fake, all_: list[Patch], tree: Tree
) -> None:
    builder = Builder(tree, fake.repo)
    without = [builder.depends(patch, on=False) for patch in all_]
    assert without[0] != without[1] != without[2] == without[3]
    assert len({builder.depends(patch, on=True) for patch in all_}) == 4


def test_a_kernel_is_kept_for_guests(
    fake: Fake, all_: list[Patch], tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = compiled(monkeypatch, tmp_path, "")
    write(compiler.log.parent / "linux", {"arch/x86/boot/bzImage": "kernel"})
    kept = Builder(tree, fake.repo).keep(all_[2], on=True, out=tmp_path / "out")
    assert kept == image(2, tmp_path / "out")
    assert kept.read_text() == "kernel"


def test_a_state_is_configured_once(
    fake: Fake, all_: list[Patch], tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = compiled(monkeypatch, tmp_path, "")
    builder = Builder(tree, fake.repo)
    for patch, on in ((all_[1], True), (all_[2], True), (all_[2], False)):
        builder.check(patch, (), on=on)
        builder.build(patch, on=on)
    assert len(compiler.configs) == 3


def test_a_whole_kernel_is_built_with_the_same_flags(
    fake: Fake, all_: list[Patch], tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = compiled(monkeypatch, tmp_path, "")
    Builder(tree, fake.repo).build(all_[3], "modules", on=False)
    assert compiler.calls == [("W=1", "bzImage", "modules")]
    assert compiler.configs[0].endswith("CONFIG_PGHOT=n\nCONFIG_PGHOT_PERF=n\n")
    assert (tree.linux / "mm/pghot/sources/perf/perf.c").exists()
