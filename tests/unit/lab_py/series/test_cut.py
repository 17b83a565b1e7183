# SPDX-License-Identifier: GPL-2.0
"""Cutting a small series, and this one."""

import re
from pathlib import Path

import pytest

from faketree import INTREE, Fake, make
from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.series.convert import convert
from pghotlab.series.cut import changed_file, changed_files, cut, git, new_files, write_patches
from pghotlab.series.plan import Series, load_series


@pytest.fixture(autouse=True)
def _author(monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Some One")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "one@example.org")


def made(fake: Fake) -> Series:
    series = load_series(fake.intree, fake.module)
    cut(series, fake.repo, fake.original, fake.module, fake.intree)
    return series


def test_each_patch_is_a_commit(tmp_path: Path) -> None:
    fake = make(tmp_path)
    made(fake)
    subjects = git(fake.repo, "log", "--format=%s").splitlines()
    assert subjects == ["mm/pghot: count", "mm/pghot: record", "mm: promote later", "The kernel"]
    last = git(fake.repo, "log", "-1", "--format=%b")
    assert last == "How.\n\nSigned-off-by: Some One <one@example.org>\n\n"


def test_files_are_converted_and_changed(tmp_path: Path) -> None:
    fake = make(tmp_path)
    made(fake)
    assert "return migrate_pages(list);" in (fake.repo / "mm/pghot/mm/folio.c").read_text()
    assert (fake.repo / "mm/pghot/main.c").read_text().startswith("#include <linux/init.h>\n")
    assert (fake.repo / "mm/memory.c").read_text() == "one\nhook\ntwo\nthree\n"
    assert "M:\tSome One <one@example.org>" in (fake.repo / "MAINTAINERS").read_text()
    assert not (fake.repo / "mm/pghot/async.c").exists()
    assert (fake.repo / "include/linux/pghot_hooks.h").exists()


def test_patches_apply_to_the_kernel(tmp_path: Path) -> None:
    fake = make(tmp_path)
    series = made(fake)
    found = write_patches(fake.repo, tmp_path / "out", series, "Look at this.")
    assert [path.name[:4] for path in found] == ["0000", "0001", "0002", "0003"]
    assert "Look at this.\n\nSome One (3):" in found[0].read_text()
    assert "Subject: [PATCH 0/3] mm: promotion\n" in found[0].read_text()
    git(fake.kernel, "init", "-q")
    for patch in found[1:]:
        git(fake.kernel, "apply", str(patch))
    for name in git(fake.repo, "ls-files").splitlines():
        assert (fake.kernel / name).read_bytes() == (fake.repo / name).read_bytes()


def test_patches_of_before_are_gone(tmp_path: Path) -> None:
    fake = make(tmp_path)
    series = made(fake)
    old = tmp_path / "out" / "0009-old.patch"
    old.parent.mkdir()
    old.touch()
    write_patches(fake.repo, tmp_path / "out", series, "")
    assert not old.exists()


def test_a_change_that_does_not_fit_is_named(tmp_path: Path) -> None:
    wrong = INTREE["changes/main.patch"].replace("module.h", "other.h")
    fake = make(tmp_path, changes_main_patch=wrong)
    with pytest.raises(LabError, match=r"main\.patch does not fit"):
        made(fake)


def test_a_change_of_a_file_that_no_patch_has_is_named(tmp_path: Path) -> None:
    wrong = INTREE["changes/main.patch"].replace("pghot/main.c", "pghot/none.c")
    fake = make(tmp_path, changes_main_patch=wrong)
    with pytest.raises(LabError, match="no patch has the file that it changes"):
        made(fake)


def test_which_files_patches_change_and_add(tmp_path: Path) -> None:
    fake = make(tmp_path)
    assert changed_files(fake.intree / "tree") == ["MAINTAINERS", "mm/memory.c"]
    assert new_files(fake.intree / "tree") == ["include/linux/pghot_hooks.h"]


def test_changes_of_this_tree_fit(tmp_path: Path) -> None:
    """Each file of intree/changes applies to what the rules make of the module's file."""
    places = {}
    for patch in load_series().patches:
        for name in patch.files:
            file = paths.MODULE_SOURCES / name
            if file.exists():
                place = name.replace("wrapper/", "mm/")
                places["include/linux/pghot.h" if name == "pghot.h" else f"mm/pghot/{place}"] = file
    git(tmp_path, "init", "-q")
    for change in sorted((paths.INTREE / "changes").glob("*.patch")):
        name = changed_file(change)
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(convert(places[name].read_text()))
        git(tmp_path, "apply", str(change))
        left = re.search(r"static_call|pghot_inject|ftrace|divert", target.read_text())
        assert left is None, f"{name}: {left}"
