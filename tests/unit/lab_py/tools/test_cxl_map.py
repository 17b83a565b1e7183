# SPDX-License-Identifier: GPL-2.0
"""The map of CXL memory, from made-up trees of sysfs."""

import json
import random
import re
from pathlib import Path

import pytest

from pghot_cxl_map import main

GIB = 1 << 30
# Device and its decoders: (device address, bytes)
DEVICES = {
    "0000:35:00.0": [(0, 2 * GIB), (2 * GIB, GIB)],
    "0000:36:00.0": [(0, 2 * GIB)],
}
SINGLE = "0000:35:00.0 0x80000000 0x40000000 0x850000000 1 256 0"
FIRST = "0000:35:00.0 0x0 0x80000000 0x750000000 2 1024 1"
SECOND = "0000:36:00.0 0x0 0x80000000 0x750000000 2 1024 0"


def put(folder: Path, **files: object) -> None:
    """Files of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(f"{content}\n")


def region(number: int, tree: Path, *targets: str, **changes: object) -> Path:
    """A region over decoders."""
    folder = tree / "devices" / "platform" / "ACPI0017:00" / f"region{number}"
    content = {
        "commit": 1,
        "resource": "0x850000000",
        "interleave_ways": len(targets),
        "interleave_granularity": 256,
        **{f"target{i}": target for i, target in enumerate(targets)},
    }
    put(folder, **(content | changes))
    (tree / "bus/cxl/devices" / folder.name).symlink_to(folder)
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two devices and their endpoints, without regions; pghot is loaded."""
    bus = tmp_path / "bus" / "cxl" / "devices"
    bus.mkdir(parents=True)
    for number, (name, decoders) in enumerate(DEVICES.items()):
        memdev = tmp_path / "devices" / "pci0000:34" / name / f"mem{number}"
        memdev.mkdir(parents=True)
        endpoint = tmp_path / "devices/platform/ACPI0017:00/root0/port1" / f"endpoint{number + 2}"
        endpoint.mkdir(parents=True)
        (endpoint / "uport").symlink_to(memdev)
        for index, (dpa, size) in enumerate(decoders):
            decoder = endpoint / f"decoder{number + 2}.{index}"
            put(decoder, dpa_resource=f"{dpa:#x}", dpa_size=f"{size:#018x}")
            (bus / decoder.name).symlink_to(decoder)
        # What the bus has besides.
        (bus / f"mem{number}").symlink_to(memdev)
    put(tmp_path / "kernel" / "mm" / "pghot", chmu_map="")
    return tmp_path


def both_regions(tree: Path) -> None:
    changes = {"resource": "0x750000000", "interleave_granularity": 1024}
    region(0, tree, "decoder3.0", "decoder2.0", **changes)
    region(1, tree, "decoder2.1")


def lines(tree: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    assert main([*options, "--sysfs", str(tree)]) == 0
    return capsys.readouterr().out.splitlines()


def test_lines(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both_regions(tree)
    assert lines(tree, capsys) == [FIRST, SINGLE, SECOND]


def test_json(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    region(1, tree, "decoder2.1")
    (one,) = json.loads("\n".join(lines(tree, capsys, "--json")))
    assert one == {
        **{"device": "0000:35:00.0", "dpa": 2 * GIB, "size": GIB, "hpa": 0x850000000},
        **{"ways": 1, "granularity": 256, "position": 0},
    }


def test_set(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both_regions(tree)
    assert lines(tree, capsys, "--set") == []
    door = tree / "kernel/mm/pghot/chmu_map"
    assert door.read_text().splitlines() == [FIRST, SINGLE, SECOND]


def test_regions_that_are_not_in_use_are_left_out(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    region(0, tree, "", "", commit=0)
    region(1, tree, "decoder2.1")
    assert lines(tree, capsys) == [SINGLE]


def failed(tree: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main([*options, "--sysfs", str(tree)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_no_cxl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "bus/cxl/devices: no such folder" in failed(tmp_path, capsys)


def test_no_region(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no region is committed" in failed(tree, capsys)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"target0": ""}, "target0: no decoder, though committed"),
        ({"target0": "decoder9.9"}, "decoder9.9"),
        ({"resource": "none"}, "resource: 'none' is not a number"),
        ({"interleave_ways": 2}, "target1: No such file"),
    ],
)
def test_what_cannot_be_a_region(
    tree: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], reason: str
) -> None:
    region(0, tree, "decoder2.0", **changes)
    assert reason in failed(tree, capsys)


def test_a_memory_device_that_is_not_on_pci(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    region(0, tree, "decoder2.0")
    uport = next(tree.rglob("endpoint2")) / "uport"
    uport.unlink()
    uport.symlink_to(tree / "devices" / "platform" / "cxl_mem.0" / "mem0")
    assert "is not of a PCI device" in failed(tree, capsys)


def test_set_without_the_module(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    region(0, tree, "decoder2.0")
    (tree / "kernel/mm/pghot/chmu_map").unlink()
    (tree / "kernel/mm/pghot").rmdir()
    assert "pghot/chmu_map: No such file" in failed(tree, capsys, "--set")


def test_a_map_that_is_too_long(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(100):
        region(number, tree, "decoder2.0")
    assert "more than 4096" in failed(tree, capsys, "--set")


# What a file of sysfs may hold, as far as the command knows.
CONTENTS = (
    *(b"", b"\n", b"0", b"1", b"2", b"-1", b"256", b"0x40000000", b"none", b"1e3", b"1 2"),
    *(str(1 << 64).encode(), b"0x" + b"f" * 5000, b"\xff\xfe", b"1\0", "\u0661".encode()),
    *(b"decoder2.0", b"decoder3.0", b"decoder9.9", b"../..", b"decoder2.0\0", b"x" * 300),
)
LINE = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]( 0x[0-9a-f]{1,16}){3}( \d{1,20}){3}")


def test_any_content_is_a_map_or_an_error(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both_regions(tree)
    rng = random.Random(1)
    files = [path for path in tree.rglob("*") if path.is_file() and path.name != "chmu_map"]
    right = {path: path.read_bytes() for path in files}
    maps = 0
    for _ in range(300):
        changed = rng.sample(files, rng.randint(1, 3))
        for path in changed:
            path.write_bytes(rng.choice(CONTENTS))
        status = main(["--sysfs", str(tree)])
        said = capsys.readouterr()
        if status == 0:
            assert said.out and all(LINE.fullmatch(line) for line in said.out.splitlines())
            maps += 1
        else:
            assert status == 1
            assert said.out == "" and said.err.startswith("pghot-cxl-map: ")
        for path in changed:
            path.write_bytes(right[path])
    assert 15 < maps < 285


def test_wrong_arguments_end_with_2() -> None:
    with pytest.raises(SystemExit) as error:
        main(["--set", "--json"])
    assert error.value.code == 2
