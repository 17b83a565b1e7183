# SPDX-License-Identifier: GPL-2.0
"""The check of layers finds what it is for."""

from pathlib import Path

import pytest

from tests import layers

LAYERS = (("ground",), ("left", "right"), ("left/attic",), ("roof.c",))
FINE = (
    ("left/a.c", "ground/b.h"),
    ("left/a.c", "left/c.h"),
    ("left/attic/d.c", "left/c.h"),
    ("roof.c", "left/attic/d.h"),
)


def test_downward_is_fine() -> None:
    assert list(layers.upward(FINE, LAYERS)) == []


@pytest.mark.parametrize(
    ("user", "used", "problem"),
    [
        ("ground/b.c", "left/c.h", "left is not below ground"),
        ("left/c.h", "left/attic/d.h", "left/attic is not below left"),
        ("left/c.h", "right/e.h", "right is not below left"),
        ("left/c.h", "roof.c", "roof.c is not below left"),
        ("cellar/f.c", "ground/b.h", "cellar/f.c is in no layer"),
        ("left/c.h", "cellar/f.h", "cellar/f.h is in no layer"),
    ],
)
def test_others_are_found(user: str, used: str, problem: str) -> None:
    found = list(layers.upward([*FINE, (user, used)], LAYERS))
    assert found == [f"{user} uses {used}: {problem}"]


def test_circles_are_found() -> None:
    assert layers.circle([("a", "b"), ("b", "c"), ("a", "c")]) == ""
    found = layers.circle([("a", "b"), ("b", "c"), ("c", "b")])
    assert found in ("a circle: b -> c -> b", "a circle: c -> b -> c")


def test_circles_through_a_header_and_its_file_are_found() -> None:
    edges = [("x/a.c", "x/a.h"), ("x/a.c", "x/b.h"), ("x/b.c", "x/b.h"), ("x/b.c", "x/a.h")]
    assert layers.circle(edges) == ""
    assert layers.circle(layers.units(edges)) != ""


def test_strangers_are_found() -> None:
    edges = [("left/a.c", "right/b.h"), ("left/a.c", "ground/c.h")]
    found = list(layers.strange(edges, [("left", "right")]))
    assert found == ["left/a.c uses right/b.h: left knows nothing of right"]


def test_module(tmp_path: Path) -> None:
    assert layers.check_kernel_layers() == ""
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "record.c").write_text('#include "promote/target.h"\n')
    assert "promote is not below core" in layers.check_kernel_layers(tmp_path)
