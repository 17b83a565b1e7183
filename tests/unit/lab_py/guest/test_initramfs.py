# SPDX-License-Identifier: GPL-2.0
"""The cpio archives, read back with the system's own cpio format rules."""

import stat
from pathlib import Path

import pytest

from guest.cpio import entries
from pghotlab.base.errors import LabError
from pghotlab.guest.initramfs import Cpio, build_run


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 4096])
@pytest.mark.parametrize("name", ["a", "ab", "abc", "abcd", "abcde"])
def test_files_of_all_alignments(name: str, length: int) -> None:
    cpio = Cpio()
    cpio.file(name, bytes(range(256)) * 16 if length == 4096 else b"x" * length)
    cpio.file("next", b"y", executable=True)
    data = cpio.finish()
    assert len(data) % 4 == 0
    found = entries(data)
    assert len(found[name][1]) == length
    assert found["next"] == (stat.S_IFREG | 0o755, b"y", (0, 0))


def test_kinds() -> None:
    cpio = Cpio()
    cpio.directory("dev")
    cpio.character_device("dev/console", 5, 1)
    cpio.symlink("bin/sh", "busybox")
    found = entries(cpio.finish())
    assert stat.S_ISDIR(found["dev"][0])
    assert found["dev/console"] == (stat.S_IFCHR | 0o600, b"", (5, 1))
    assert found["bin/sh"] == (stat.S_IFLNK | 0o777, b"busybox", (0, 0))


def test_run_archive(tmp_path: Path) -> None:
    module = tmp_path / "x.ko"
    module.write_bytes(b"ELF")
    found = entries(build_run("echo hi\n", {"/lib/x.ko": module}))
    assert found["lab/steps.sh"][1] == b"echo hi\n"
    assert found["lib/x.ko"][1] == b"ELF"


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"none\.ko: No such file.*needed in the guest as /lib/x"):
        build_run("", {"lib/x.ko": tmp_path / "none.ko"})
