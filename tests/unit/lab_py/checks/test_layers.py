# SPDX-License-Identifier: GPL-2.0
"""The check of layers: what breaks them is found, in the lab as in made-up packages."""

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from tests.layers import (
    KERNEL_LAYERS,
    LAB_LAYERS,
    LAB_PACKAGE,
    check_kernel_layers,
    check_lab_layers,
    circles,
    kernel_layers,
    kernel_room,
    misfits,
    problems,
    python_room,
    python_uses,
    strangers,
    units,
    wrong_ways,
)

LAYERS = (("low",), ("left", "right"), ("high",))
FINE: dict[str, Collection[str]] = {
    "low/a.py": ["low/b.py"],
    "low/b.py": [],
    "left/a.py": ["low/a.py", "low/b.py"],
    "right/a.py": ["low/b.py"],
    "high/a.py": ["left/a.py", "right/a.py", "low/a.py"],
}


def test_uses_that_go_down() -> None:
    assert problems(FINE, python_room, LAYERS) == ""


@pytest.mark.parametrize(
    ("user", "used", "why"),
    [
        ("low/b.py", "high/a.py", "high is not below low"),
        ("left/a.py", "right/a.py", "right is not below left"),
        ("right/a.py", "left/a.py", "left is not below right"),
    ],
)
def test_wrong_way(user: str, used: str, why: str) -> None:
    uses = {**FINE, user: [used]}
    assert wrong_ways(uses, python_room, LAYERS) == [f"{user}: uses {used}, but {why}"]
    assert f"{user}: uses {used}, but {why}" in problems(uses, python_room, LAYERS).splitlines()


def test_rooms_that_do_not_fit() -> None:
    layers = (("low",), ("left", "right"), ("top",))
    assert misfits(FINE, python_room, layers) == [
        "high/a.py: no layer has its room high",
        "no file is in the room top of the layers",
    ]
    assert wrong_ways(FINE, python_room, layers) == []


@pytest.mark.parametrize(
    ("uses", "found"),
    [
        ({"a": ["b"], "b": ["c"], "c": []}, []),
        ({"a": ["a"]}, [{"a -> a"}]),
        ({"a": ["b"], "b": ["a"]}, [{"a -> b -> a", "b -> a -> b"}]),
        (
            {"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]},
            [{"a -> b -> c -> a", "b -> c -> a -> b", "c -> a -> b -> c"}],
        ),
        ({"a": ["a"], "b": ["c"], "c": ["b"]}, [{"a -> a"}, {"b -> c -> b", "c -> b -> c"}]),
    ],
)
def test_circles(uses: Mapping[str, Collection[str]], found: list[set[str]]) -> None:
    lines = circles(uses)
    assert len(lines) == len(found)
    assert all(any(line in ways for line in lines) for ways in found)


def test_circle_within_a_room_is_a_problem() -> None:
    said = problems({**FINE, "low/b.py": ["low/a.py"]}, python_room, LAYERS)
    assert said.startswith("a circle: low/")


@pytest.mark.parametrize(
    "line",
    [
        "import made.high.b",
        "from made.high import b",
        "from made.high.b import Thing",
        "from ..high import b",
        "from ..high.b import Thing",
        "def f() -> None:\n    from made.high import b",
    ],
)
def test_imports_of_a_package(tmp_path: Path, line: str) -> None:
    package = tmp_path / "made"
    files = {"__init__": "", "low/a": line, "high/__init__": "Name = 1", "high/b": "import json"}
    files["high/c"] = "from made.high import Name\nfrom . import b"
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / f"{name}.py").write_text(text)
    assert python_uses(package) == {
        "__init__.py": set(),
        "low/a.py": {"high/b.py"},
        "high/__init__.py": set(),
        "high/b.py": set(),
        "high/c.py": {"high/__init__.py", "high/b.py"},
    }


def test_lab() -> None:
    assert check_lab_layers() == ""


def test_lab_with_a_wrong_import() -> None:
    uses = python_uses(LAB_PACKAGE)
    uses["base/errors.py"].add("guest/vm.py")
    found = problems(uses, python_room, LAB_LAYERS).splitlines()
    assert "base/errors.py: uses guest/vm.py, but guest is not below base" in found
    assert any(line.startswith("a circle: ") for line in found)


def test_module() -> None:
    assert check_kernel_layers() == ""


def test_module_with_wrong_includes(tmp_path: Path) -> None:
    files = {
        room if "." in room else f"{room.replace('*', 'perf')}/a.c": ""
        for layer in KERNEL_LAYERS
        for room in layer
        if room != "sources/all"
    }
    files["sources/all.c"] = '#include "sources/all.h"\n#include "sources/perf/b.h"\n'
    files["sources/all.h"] = ""
    files["core/record.c"] = '#include "promote/target.h"\n'
    files["promote/target.h"] = ""
    files["sources/b.h"] = '#include "sources/perf/b.h"\n'
    files["sources/perf/b.h"] = '#include <linux/mm.h>\n#include "promote/target.h"\n'
    files["sources/windows/a.c"] = '#include "sources/all.h"\n#include "sources/perf/b.h"\n'
    files["cellar/c.c"] = ""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert check_kernel_layers(tmp_path).splitlines() == [
        "cellar/c.c: no layer has its room cellar",
        "core/record.c: uses promote/target.h, but promote is not below core",
        "sources/b.h: uses sources/perf/b.h, but sources/perf is not below sources",
        "sources/windows/a.c: uses sources/all.h, but sources/all is not below sources/windows",
        "sources/windows/a.c: uses sources/perf/b.h, but sources/perf is not below sources/windows",
        "sources/perf/b.h: uses promote/target.h, but sources knows nothing of promote",
    ]


def test_rooms_of_the_module() -> None:
    layers = kernel_layers(["sources/windows/windows.c", "sources/chmu/unit.c", "cellar/a.c"])
    assert ["sources/windows"] in layers
    assert {
        name: kernel_room(name, layers)
        for name in ("sources/chmu/unit.c", "sources/windows/windows.c", "sources/ring.h")
    } == {
        "sources/chmu/unit.c": "sources/chmu",
        "sources/windows/windows.c": "sources/windows",
        "sources/ring.h": "sources",
    }
    assert kernel_room("sources/all.h", layers) == "sources/all"
    assert kernel_room("main.c", layers) == "main.c"
    assert kernel_room("cellar/a.c", layers) == "cellar"


def test_circle_through_a_header_and_its_file() -> None:
    uses = {"x/a.c": {"x/a.h", "x/b.h"}, "x/a.h": set(), "x/b.c": {"x/a.h"}, "x/b.h": set()}
    assert circles(uses) == []
    assert len(circles(units(uses))) == 1


def test_strangers() -> None:
    uses = {"left/a.c": ["right/b.h", "ground/c.h"]}
    assert strangers(uses, [("left", "right")]) == [
        "left/a.c: uses right/b.h, but left knows nothing of right"
    ]
