# SPDX-License-Identifier: GPL-2.0
"""Makefile, Kconfig and the list of sources, as far as the series has come."""

from pathlib import Path

from faketree import INTREE, make
from pghotlab.base import paths
from pghotlab.series import files
from pghotlab.series.plan import load_series


def test_the_makefile_has_what_is_there(tmp_path: Path) -> None:
    fake = make(tmp_path)
    patches = load_series(fake.intree, fake.module).patches
    assert "pghot-y += async.o\n" in files.makefile(patches[:1])
    whole = files.makefile(patches)
    assert "async.o" not in whole
    assert "pghot-$(CONFIG_PGHOT_PERF) += sources/perf/perf.o\n" in whole
    assert "pghot-y += sources/all.o sources/faults.o\n" in whole


def test_kconfig_has_the_options_of_the_patches(tmp_path: Path) -> None:
    fake = make(tmp_path)
    patches = load_series(fake.intree, fake.module).patches
    text = INTREE["Kconfig"]
    assert files.kconfig(text, patches) == text
    assert "PGHOT_PERF" not in files.kconfig(text, patches[:2])
    assert files.kconfig(text, patches[:2]).endswith('bool "Promotion"\n')


def test_the_list_has_the_sources_of_the_patches(tmp_path: Path) -> None:
    fake = make(tmp_path)
    patches = load_series(fake.intree, fake.module).patches
    assert "perf" not in files.source_list(INTREE["all.c"], patches[:2])
    assert files.source_list(INTREE["all.c"], patches) == INTREE["all.c"]


def test_lines_of_the_makefile_of_this_tree_are_short() -> None:
    text = files.makefile(load_series().patches)
    assert max(map(len, text.splitlines())) <= files.LONGEST


def test_each_option_of_this_tree_is_of_a_patch() -> None:
    text = (paths.INTREE / "Kconfig").read_text()
    patches = load_series().patches
    assert files.kconfig(text, patches) == text
