# SPDX-License-Identifier: GPL-2.0
"""The kernels of lab/kernels.toml: what is read, what is refused, and which one is selected."""

import re
from pathlib import Path

import pytest

from pghotlab.base import paths
from pghotlab.base.arch import AMD64, ARM64
from pghotlab.base.errors import UsageError
from pghotlab.setup import kernels
from pghotlab.setup.kernels import load_kernels, selected

GOOD = """\
default = "6.12"
["6.12"]
archive = "debian"
suites = "host"
["6.12-arm64"]
archive = "debian"
suites = "host"
["7.0"]
archive = "ubuntu"
suites = ["resolute"]
debug = ["debug.config", "more.config"]
lacks = ["DAMON"]
"""


def load(tmp_path: Path, text: str) -> dict[str, kernels.Series]:
    path = tmp_path / "kernels.toml"
    path.write_text(text)
    return load_kernels(path)


def test_series_are_read(tmp_path: Path) -> None:
    default, arm64, other = load(tmp_path, GOOD).values()
    assert (default.name, default.suites, default.default) == ("6.12", (), True)
    assert (other.name, other.suites, other.default) == ("7.0", ("resolute",), False)
    assert (arm64.name, arm64.number, arm64.arch) == ("6.12-arm64", "6.12", ARM64)
    assert (arm64.suites, arm64.default) == ((), False)
    assert default.debug == ()
    assert other.debug == ("debug.config", "more.config")
    assert (default.lacks, other.lacks) == ((), ("DAMON",))
    assert other.arch == default.arch == AMD64
    assert default.folder == paths.KERNEL
    assert other.folder == paths.CACHE / "kernels" / "7.0"
    assert arm64.folder == paths.CACHE / "kernels" / "6.12-arm64"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    (
        ('default = "6.12"', 'default = "6.1"', "default: there is no series 6.1"),
        ('"debian"', '"fedora"', "6.12.archive: must be one of debian, ubuntu, not 'fedora'"),
        ('"host"', '"trixie"', '6.12.suites: must be "host" for the default'),
        ("7.0", "5.10", "6.12: the oldest series comes first"),
        ("7.0", "7.0.4", "7.0.4: is not the name of a series"),
        ("12-arm64", "12-mips", "6.12-mips: is not the name of a series"),
        ("6.12-arm64", "6.13-arm64", "6.13-arm64.suites: of arm64 there is only the default, 6.12"),
        ("debug =", "debg =", "7.0.debg: unknown key"),
    ),
)
def test_wrong_files_are_refused(tmp_path: Path, old: str, new: str, reason: str) -> None:
    with pytest.raises(UsageError, match=re.escape(reason)):
        load(tmp_path, GOOD.replace(old, new))


@pytest.mark.parametrize(
    ("series", "package", "fits"),
    (
        ("6.12", "linux-headers-6.12.117+deb12-amd64", True),
        ("6.12", "linux-headers-6.12.117+deb12-rt-amd64", False),
        ("6.12", "linux-headers-6.12.117+deb12-cloud-amd64", False),
        ("6.12", "linux-headers-6.12.117+deb12-common", False),
        ("6.12", "linux-headers-6.121.1+deb12-amd64", False),
        ("6.12", "linux-headers-6.12.117+deb12-arm64", False),
        ("6.12-arm64", "linux-headers-6.12.117+deb12-arm64", True),
        ("6.12-arm64", "linux-headers-6.12.117+deb12-arm64-16k", False),
        ("6.12-arm64", "linux-headers-6.12.117+deb12-amd64", False),
        ("7.0", "linux-headers-7.0.0-44-generic", True),
        ("7.0", "linux-headers-7.0.0-44", False),
        ("7.0", "linux-headers-7.0.0-44-lowlatency", False),
    ),
)
def test_packages_of_a_series(series: str, package: str, fits: bool) -> None:
    assert load_kernels()[series].is_headers(package) is fits


def test_what_is_selected() -> None:
    default = kernels.default_series()
    assert selected("") == selected("debug") == selected("kcsan") == default
    assert selected("7.3").name == selected("debug-7.3").name == "7.3"
    assert selected("6.12-arm64").name == "6.12-arm64"


@pytest.mark.parametrize(
    "name", ("9.9", "debug-9.9", "bug-7.3", "debug-7.0", "7.3-arm64", "-", "7.3 ")
)
def test_what_is_not_there_is_named(name: str) -> None:
    known = ", ".join(load_kernels())
    with pytest.raises(UsageError, match=re.escape(f"no kernel {name!r}; there are: {known}")):
        selected(name)


def test_module_knows_the_same_range() -> None:
    text = (paths.MODULE_SOURCES / "wrapper" / "tested.h").read_text()
    known = list(load_kernels())
    tested = re.findall(r'^#define TESTED_(\w+)\s+"(.+)"$', text, re.MULTILINE)
    assert tested == [("OLDEST", known[0]), ("NEWEST", known[-1])]


def test_documentation_names_them() -> None:
    known = list(load_kernels())
    readme = (paths.ROOT / "README.md").read_text()
    rows = re.findall(r"^\| (\d+\.\d+)(, arm64)? \|", readme, re.MULTILINE)
    assert [f"{number}{'-arm64' if arm64 else ''}" for number, arm64 in rows] == known
    assert f"distribution kernels, {known[0]} to {known[-1]}" in readme
    guide = (paths.ROOT / "docs" / "admin-guide.md").read_text()
    assert guide.count(f"{known[0]} to {known[-1]}") == 3


def test_configurations_are_there() -> None:
    for series in load_kernels().values():
        assert all((paths.LAB / name).exists() for name in series.debug)
