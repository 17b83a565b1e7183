# SPDX-License-Identifier: GPL-2.0
"""Set-up: which mirrors a host's configuration gives, and what is refused."""

from pathlib import Path

import pytest

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
