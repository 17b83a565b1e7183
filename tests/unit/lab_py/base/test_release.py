# SPDX-License-Identifier: GPL-2.0
"""One version for everything, and the release of the kept tables."""

import re
import tomllib
from pathlib import Path

import pytest

from docs.shipped import FRONT
from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.base.release import read_version, tables_release, version
from pghotlab.cli import main

CHANGES = (paths.ROOT / "CHANGELOG.md").read_text()


def test_versions_have_their_changes() -> None:
    """The newest first: this tree's, and further down that of the tables."""
    releases = re.findall(r"^## (\d+\.\d+\.\d+)(, not released yet)?$", CHANGES, re.MULTILINE)
    numbers = [tuple(map(int, name.split("."))) for name, _ in releases]
    assert numbers == sorted(numbers, reverse=True)
    assert len(set(numbers)) == len(numbers)
    assert [name for name, open_ in releases if open_] in ([], [version()])
    assert releases[0][0] == version()
    assert tables_release() in [name for name, _ in releases]


@pytest.mark.parametrize("page", ["README.md", "docs/results.md"])
def test_pages_name_the_release_of_the_tables(page: str) -> None:
    text = " ".join((paths.ROOT / page).read_text().split())
    assert re.findall(r"tables are those of release (\S+)", text) == [tables_release()]
    league = read_version(paths.KEPT / "league" / "RELEASE")
    assert re.findall(r"league is that of release (\d+\.\d+\.\d+)", text) == [league]
    assert f"## {league}\n" in CHANGES


def test_the_front_page_links_to_the_changes() -> None:
    assert "(CHANGELOG.md)" in FRONT


def test_python_reads_the_same_file() -> None:
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"file": paths.VERSION.name}


def test_the_module_says_it() -> None:
    """By itself: what builds the module alone, as DKMS does, has only its folder."""
    said = re.findall(
        r'^MODULE_VERSION\("(.*)"\);$', (paths.MODULE_SOURCES / "main.c").read_text(), re.M
    )
    assert said == [version()]


def test_the_command_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"pghot {version()}\n"


@pytest.mark.parametrize("text", ["", "1.2\n", "1.2.3", "v1.2.3\n", "1.2.3\n1.2.4\n"])
def test_wrong_version(tmp_path: Path, text: str) -> None:
    path = tmp_path / "VERSION"
    path.write_text(text)
    with pytest.raises(LabError, match=r"VERSION: must be a line with a version like 1\.2\.3"):
        read_version(path)


def test_no_version(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="VERSION: No such file"):
        read_version(tmp_path / "VERSION")
