# SPDX-License-Identifier: GPL-2.0
"""The two kernels that are measured against each other; nothing is built."""

from pathlib import Path

import pytest

from pghotlab.series import pair as pairing
from pghotlab.series.check import image
from pghotlab.series.record import Patch
from pghotlab.series.tree import Tree
from pghotlab.setup import debugkernel

ALL = [Patch(number, f"Patch {number}", f"c{number}", f"t{number}", ()) for number in range(3)]


class Builder:
    """Notes what is built."""

    built: list[tuple[int, tuple[str, ...], bool]]

    def __init__(self, _tree: Tree, _repo: Path) -> None:
        Builder.built = []

    def keep(self, patch: Patch, *more: str, on: bool, out: Path) -> Path:
        Builder.built.append((patch.number, more, on))
        return image(patch.number, out)


def test_the_kernel_for_the_module_is_built_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debugkernel, "install_packages", lambda: None)
    monkeypatch.setattr(pairing, "write_series", lambda _out: [Path("letter"), *map(Path, "ab")])
    monkeypatch.setattr(pairing, "fetch_tree", lambda: Tree(tmp_path, "1.0"))
    monkeypatch.setattr(pairing, "patches", lambda _repo, files: ALL[: len(files) + 1])
    monkeypatch.setattr(pairing, "Builder", Builder)
    pairing.build_pair(tmp_path)
    # In whose tree the module is built then.
    assert Builder.built == [(2, (), True), (0, ("modules",), False)]
