# SPDX-License-Identifier: GPL-2.0
"""Guests of another architecture than the memory model knows: found by name, and refused there."""

from pathlib import Path

import pytest

from pghotlab import cli
from pghotlab.base import paths
from pghotlab.base.arch import AMD64, ARM64, of_release
from pghotlab.base.errors import UsageError
from pghotlab.guest.vm import boot
from pghotlab.hardware.machine import load_machine
from pghotlab.setup import kernels
from pghotlab.setup.fetch import Kernel


def kernel_of(folder: Path, release: str) -> Kernel:
    return Kernel(version="6.12.117-1", release=release, compiler="gcc-12", folder=folder)


@pytest.mark.parametrize(
    ("release", "arch"),
    (
        ("6.12.117+deb12-amd64", AMD64),
        ("6.12.117+deb12-arm64", ARM64),
        ("7.0.0-44-generic", AMD64),
        ("6.12.117", AMD64),
    ),
)
def test_architecture_of_a_release(release: str, arch: object) -> None:
    assert of_release(release) is arch


def test_guest_has_programs_of_its_architecture(tmp_path: Path) -> None:
    busybox = tmp_path / "tree" / "usr" / "bin" / "busybox"
    busybox.parent.mkdir(parents=True)
    busybox.touch()
    arm64 = kernel_of(tmp_path, "6.12.117+deb12-arm64")
    assert (arm64.busybox, arm64.programs) == (busybox, paths.GUEST_BUILD_ARM64)
    amd64 = kernel_of(tmp_path, "6.12.117+deb12-amd64")
    assert (amd64.busybox, amd64.programs) == (Path("/bin/busybox"), paths.GUEST_BUILD)


def test_no_memory_model_for_arm64(tmp_path: Path) -> None:
    kernel = kernel_of(tmp_path, "6.12.117+deb12-arm64")
    with pytest.raises(UsageError, match="deb12-arm64: the memory model does not know arm64"):
        boot(load_machine("two-node"), "", timeout=1, kernel=kernel, plugin=tmp_path / "plugin.so")


@pytest.mark.parametrize("verb", ("demo", "try", "bench", "league", "calibrate"))
def test_verbs_that_model_are_refused(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arm64 = kernels.load_kernels()["6.12-arm64"]
    monkeypatch.setattr(kernels, "selected", lambda: arm64)
    assert cli.main([verb, *(("--", "true") if verb == "try" else ())]) == 2
    assert "kernel 6.12-arm64: the memory model does not know arm64" in capsys.readouterr().err
