# SPDX-License-Identifier: GPL-2.0
"""Set-up: which mirrors a host's configuration gives, and what is refused."""

import subprocess
from pathlib import Path

import pytest

from pghotlab.base.arch import ARM64
from pghotlab.base.errors import LabError
from pghotlab.setup import apt, fetch

PRINT_URIS = """\
'http://mirror.example/debian/dists/bookworm/InRelease' a_InRelease 0
'http://mirror.example/debian/dists/bookworm-updates/InRelease' b_InRelease 0
'https://other.example/linux/debian/dists/bookworm/InRelease' c_InRelease 0
'http://safe.example/debian-security/dists/bookworm-security/InRelease' d_InRelease 0
'http://mirror.example/debian/dists/bookworm/main/binary-amd64/Packages.xz' e 0
'https://third.example/apt/dists/nodistro/InRelease' f 0
"""


def test_mirrors() -> None:
    mirrors = apt.parse_mirrors(PRINT_URIS, "bookworm")
    assert mirrors.main == ("http://mirror.example/debian", "https://other.example/linux/debian")
    assert mirrors.security == (
        "http://safe.example/debian-security",
        "http://mirror.example/debian-security",
        "https://other.example/linux/debian-security",
    )
    assert mirrors.ubuntu == (
        "http://mirror.example/ubuntu",
        "https://other.example/linux/ubuntu",
    )


def test_mirrors_by_alias_and_by_file() -> None:
    text = "'mirror+file:/etc/apt/mirrors/debian.list/dists/stable/InRelease' x 0\n"
    mirrors = apt.parse_mirrors(text, "trixie")
    assert mirrors.main == ("mirror+file:/etc/apt/mirrors/debian.list",)


def test_no_mirror() -> None:
    assert apt.parse_mirrors("", "trixie").main == ()


def test_codename(tmp_path: Path) -> None:
    release = tmp_path / "os-release"
    for text in ("ID=debian\nVERSION_CODENAME=trixie\n", 'VERSION_CODENAME="trixie"\n'):
        release.write_text(text)
        assert apt.host_codename(release) == "trixie"
    for text in ("VERSION_CODENAME=noble\n", "ID=x\n"):
        release.write_text(text)
        with pytest.raises(LabError, match="needs Debian 12 or 13"):
            apt.host_codename(release)


@pytest.mark.parametrize("version", ["1:10.0.13+ds-0+deb13u1", "10.0.2"])
def test_qemu_version(version: str) -> None:
    assert fetch.qemu_version_ok(version)


@pytest.mark.parametrize("version", ["", "1:10.1.0", "1:11.0.0", "1:7.2+dfsg", "1:100.0.1"])
def test_other_qemu_is_refused(version: str) -> None:
    assert not fetch.qemu_version_ok(version)


def test_headers_are_relocated_once(tmp_path: Path) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text("include /usr/src/linux-headers-6.12.1-common/Makefile\n")
    fetch.relocate_headers(tmp_path)
    assert makefile.read_text() == "include ../linux-headers-6.12.1-common/Makefile\n"
    with pytest.raises(LabError, match="found 0"):
        fetch.relocate_headers(tmp_path)


def test_headers_that_name_their_own_place_are_relocated(tmp_path: Path) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text(
        "KBUILD_OUTPUT=/usr/src/linux-headers-7.3.4-amd64\n"
        "include /usr/src/linux-headers-7.3.4-common/Makefile\n"
    )
    fetch.relocate_headers(tmp_path)
    assert makefile.read_text() == (
        "KBUILD_OUTPUT=$(realpath .)\ninclude ../linux-headers-7.3.4-common/Makefile\n"
    )


def test_modules_are_built_with_the_tools_of_the_release(tmp_path: Path) -> None:
    headers, tools = tmp_path / "kernel" / "headers", tmp_path / "tools"
    headers.mkdir(parents=True)
    (headers / "Makefile").write_text("CC = gcc\nall:\n\t@echo $(CC) $(firstword $(PATH))\n")
    fetch.use_tools(headers, tools, "gcc-99")
    (tmp_path / "link").symlink_to(headers)
    said = subprocess.run(
        ["make", "-s", "-C", tmp_path / "link"], capture_output=True, text=True, check=True
    )
    compiler, path = said.stdout.split()
    assert compiler == "x86_64-linux-gnu-gcc-99"
    assert Path(path.partition(":")[0]).resolve() == tools / "usr" / "bin"


def test_apt_is_for_one_architecture(tmp_path: Path) -> None:
    root = apt.AptRoot(tmp_path / "apt", [apt.Source("http://mirror.example/debian", "x")], ARM64)
    settings = (root.path / "apt.conf").read_text()
    assert 'APT::Architecture "arm64";' in settings
    assert 'APT::Architectures { "arm64"; };' in settings
    assert "Architectures: arm64\n" in (root.path / "sources.d" / "lab.sources").read_text()


def test_compiler() -> None:
    assert fetch.compiler_of("CONFIG_X=y\nCONFIG_GCC_VERSION=140200\n") == "gcc-14"
    with pytest.raises(LabError, match="not built by gcc"):
        fetch.compiler_of("CONFIG_CLANG_VERSION=190000\n")
