# SPDX-License-Identifier: GPL-2.0
"""Templates: booted and saved once, as long as nothing changes; a failure leaves nothing behind."""

import os
import sys
from pathlib import Path

import pytest

from pghotlab.base.errors import RunError
from pghotlab.guest import template
from pghotlab.hardware import qemu
from pghotlab.hardware.machine import Machine, load_machine
from pghotlab.setup import fetch
from pghotlab.setup.fetch import Kernel

FAKE = Path(__file__).with_name("fake_qemu.py")


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """A kernel whose image has a content, for templates in a folder of the test."""
    monkeypatch.setattr(template, "FOLDER", tmp_path / "templates")
    monkeypatch.setattr(fetch, "qemu_version", lambda: "10.0")
    kernel = Kernel("6.12.1-1", "6.12.1", "gcc-12", tmp_path)
    kernel.vmlinuz.parent.mkdir(parents=True)
    kernel.vmlinuz.write_text("image")
    return kernel


def saved(
    kernel: Kernel, fate: str = "well", archive: bytes = b"files", model: Machine | None = None
) -> template.Template:
    """The template of guests with the fake QEMU."""
    command = [sys.executable, str(FAKE), fate]
    return template.saved(command, kernel, "quiet", archive, model=model)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine whose memory model has a content."""
    plugin = tmp_path / "plugin.so"
    plugin.write_text("model")
    monkeypatch.setattr(qemu, "plugin_of", lambda machine: plugin)
    monkeypatch.setattr(template, "REST_SECONDS", 0)
    return load_machine("two-node")


def test_a_guest_goes_on_where_the_template_was_saved(kernel: Kernel, tmp_path: Path) -> None:
    found = saved(kernel)
    assert sorted(path.name for path in found.folder.iterdir()) == [
        *("console.log", "qemu.stderr", "report.txt", "state")
    ]
    console, reports = tmp_path / "c", tmp_path / "r"
    words = [*found.arguments(tmp_path / "run.cpio"), *found.begin(console, reports)]
    assert f"file:{found.folder}/state" in words
    assert f"name=opt/pghot/run,file={tmp_path}/run.cpio" in words
    assert f"file,id=console,path={console},append=on" in words
    assert console.read_text() == "[ 1.5] lab: phase template\n"
    assert reports.read_text() == "@begin memory_map\n@end memory_map\n"


def test_it_is_booted_again_only_if_something_has_changed(kernel: Kernel) -> None:
    first = saved(kernel)
    (first.folder / "state").write_text("kept")
    assert saved(kernel) == first
    assert (first.folder / "state").read_text() == "kept"
    assert saved(kernel, archive=b"others") != first
    kernel.vmlinuz.write_text("another image")
    assert saved(kernel) != first


def test_a_modelled_guest_goes_on_at_the_time_that_stood_still(
    kernel: Kernel, machine: Machine
) -> None:
    found = saved(kernel, model=machine)
    assert found.config() == "frozen_ps 2500\n"
    assert saved(kernel).config() == ""
    assert saved(kernel, model=machine) == found != saved(kernel)
    assert f"out {found.folder}.half" in (found.folder / "plugin.conf").read_text()
    qemu.plugin_of(machine).write_text("another model")
    assert saved(kernel, model=machine) != found


def test_a_modelled_guest_that_ends_too_early_is_an_error(kernel: Kernel, machine: Machine) -> None:
    with pytest.raises(RunError, match=r"plugin\.jsonl: the guest's time does not stand still"):
        saved(kernel, "ends", model=machine)


def test_what_nobody_has_used_for_a_day_is_removed(kernel: Kernel) -> None:
    old, used = saved(kernel), saved(kernel, archive=b"used")
    os.utime(old.folder, (0, 0))
    saved(kernel, archive=b"new")
    assert not old.folder.exists()
    assert used.folder.exists()


@pytest.mark.parametrize(
    ("fate", "error"),
    [
        ("badly", r"console\.log:1: \[ 1\.0\] BUG: bad"),
        ("unsaved", "QEMU cannot save the guest: no space"),
    ],
)
def test_a_failure_leaves_no_template(kernel: Kernel, fate: str, error: str) -> None:
    for _ in range(2):
        with pytest.raises(RunError, match=error):
            saved(kernel, fate)
