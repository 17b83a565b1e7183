# SPDX-License-Identifier: GPL-2.0
"""Putting a state of the series into a kernel's tree."""

import os
from pathlib import Path

import pytest

from faketree import KERNEL, make, write
from pghotlab.series.cut import cut, git
from pghotlab.series.plan import load_series
from pghotlab.series.tree import Tree, newest
from pghotlab.setup import kernels


@pytest.fixture(name="tree")
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Some One")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "one@example.org")
    fake = make(tmp_path)
    tree = Tree(tmp_path / "series", "1.0", fake.intree)
    write(tree.linux, KERNEL)
    write(tree.originals, KERNEL)
    series = load_series(fake.intree, fake.module)
    cut(series, fake.repo, tree.original, fake.module, fake.intree)
    return tree


def repo_of(tree: Tree) -> Path:
    return tree.folder.parent / "git"


def there(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def test_a_state_is_put_in_place(tree: Tree) -> None:
    tree.put(repo_of(tree))
    assert there(tree.linux) == there(repo_of(tree))
    git(repo_of(tree), "checkout", "-q", "--detach", "series~2")
    tree.put(repo_of(tree))
    assert there(tree.linux) == there(repo_of(tree))
    assert (tree.linux / "mm/pghot/async.c").exists()
    assert (tree.linux / "MAINTAINERS").read_text() == KERNEL["MAINTAINERS"]


def test_what_is_right_is_left_alone(tree: Tree) -> None:
    tree.put(repo_of(tree))
    file = tree.linux / "mm/memory.c"
    os.utime(file, (1, 1))
    tree.put(repo_of(tree))
    assert file.stat().st_mtime == 1


def test_object_files_stay(tree: Tree) -> None:
    tree.put(repo_of(tree))
    built = tree.linux / "mm/pghot/main.o"
    built.touch()
    tree.put(repo_of(tree))
    assert built.exists()


def test_originals_are_those_before_the_series(tree: Tree) -> None:
    assert tree.original("mm/memory.c") == KERNEL["mm/memory.c"]
    assert tree.original("mm/none.c") is None


def test_the_newest_kernel_is_debians() -> None:
    found = newest()
    assert found.archive == "debian"
    others = [one for one in kernels.load_kernels().values() if one.archive == "debian"]
    assert all(kernels.version(found.number) >= kernels.version(one.number) for one in others)
