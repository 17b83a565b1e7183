# SPDX-License-Identifier: GPL-2.0
"""The documentation's pages: links are checked, and the map is that of the code."""

from pathlib import Path

import pytest

from docs import build, house, reference
from pghotlab.base import paths
from pghotlab.base.errors import LabError


def test_map_is_that_of_the_code() -> None:
    """If this fails: `PYTHONPATH=lab .cache/venv/bin/python -m docs.house`."""
    assert house.PICTURE.read_text() == house.draw()


def test_map_has_all_rooms() -> None:
    there = {
        path.name
        for path in paths.MODULE_SOURCES.iterdir()
        if path.is_dir() or path.suffix in (".c", ".h")
    }
    assert there == {room for row in house.ROWS for room in row} | set(house.COMMON)


def test_each_file_of_the_module_says_what_it_is_for(tmp_path: Path) -> None:
    assert build.without_purpose() == ""
    start = "// SPDX-License-Identifier: GPL-2.0\n"
    (tmp_path / "good.c").write_text(f"{start}/**\n * DOC: Something good\n */\n")
    (tmp_path / "plain.c").write_text(f"{start}/*\n * Something good.\n */\n")
    (tmp_path / "late.c").write_text(f"{start}int a;\n/**\n * DOC: Something good\n */\n")
    (tmp_path / "empty.h").write_text(f"{start}/**\n * DOC:\n */\n")
    wrong = [line.partition(":")[0] for line in build.without_purpose(tmp_path).splitlines()]
    assert wrong == ["empty.h", "late.c", "plain.c"]


def test_each_file_of_the_module_is_on_a_page() -> None:
    found = [file for room in build.rooms() for file in build.files_of(room)]
    assert sorted(found) == sorted(paths.MODULE_SOURCES.rglob("*.[ch]"))


def test_uses_are_counted() -> None:
    found = {"a/x.c": {"b/y.h", "a/x.h", "pghot.h"}, "a/z/x.c": {"b/y.h"}, "b/y.h": set()}
    assert house.uses(found) == {("a", "b"): 2}


def test_reference() -> None:
    page = reference.page()
    assert "| `samples_lost` | stats/ | shared by sources |" in page
    assert "| `promoted_bytes` | stats/, node<N>/ | promotion |" in page
    assert "| `recorded_vhmu` | stats/ | source `vhmu` |" in page
    assert "| `pghot_ready` | `pfn`, `nid` | core |" in page
    assert "| `cold` | 3 | `refused_cold` | not hot enough for the hot threshold" in page


def test_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    monkeypatch.setattr(build, "DOCS", folder)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "README.md").write_text("[a page](docs/page.md#part), ![a map](docs/map.svg)")
    (folder / "page.md").write_text(
        "[back](../README.md), [data](data.json), [here](#part), [far](https://example.org/a)"
    )
    (folder / "map.svg").write_text("")
    (folder / "data.json").write_text("")
    assert build.with_links(tmp_path / "README.md") == "[a page](page.md#part), ![a map](map.svg)"
    assert build.with_links(folder / "page.md") == (
        "[back](README.md), data, [here](#part), [far](https://example.org/a)"
    )
    (folder / "page.md").write_text("[nowhere](nothing.md)")
    with pytest.raises(LabError, match=r"docs/page\.md: there is no nothing\.md"):
        build.with_links(folder / "page.md")
