# SPDX-License-Identifier: GPL-2.0
"""Pictures over time show all that there is, where it is."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from handmade import result
from pghotlab.draw import timeplots
from pghotlab.measure.results import check_result
from pghotlab.rows.summary import Row, make_row


def row(policy: str = "numab2", **region: Any) -> Row:
    data = result(policy)
    data["region"] |= region
    return make_row(check_result(data))


def lines(axes: Axes) -> dict[str, list[tuple[float, float]]]:
    """The points of each line, by policy."""
    return {
        str(line.get_label()): [
            (round(x, 6), round(y, 6)) for x, y in np.asarray(line.get_path().vertices).tolist()
        ]
        for line in axes.get_lines()
    }


def test_shares() -> None:
    (axes,) = timeplots.fast_share([row(), row("numab0")], "hot_share").axes
    assert lines(axes) == {name: [(0.005, 0), (0.015, 80)] for name in ("numab2", "numab0")}


def test_promotions() -> None:
    (axes,) = timeplots.promotions([row()]).axes
    assert lines(axes)["numab2"] == [(0.005, 0), (0.015, 2), (0.025, 0)]


def test_no_node_is_cut_off() -> None:
    """The slow one comes last, and has the most."""
    used = {"interval_ns": 1_000_000_000, "nodes": [[0, 256], [51200, 512]]}
    fast, slow = timeplots.occupancy([row(used=used)]).axes
    assert lines(fast)["numab2"] == [(0.5, 0), (1.5, 1)]
    assert lines(slow)["numab2"] == [(0.5, 200), (1.5, 2)]
    assert fast.get_title() == "node 0, fast"
    assert slow.get_title() == "node 1, slow"
    for axes in (fast, slow):
        bottom, top = axes.get_ylim()
        assert bottom == 0
        assert top > 200


def test_heat_map() -> None:
    mapped = row()
    assert timeplots.hottest([mapped]) == 9
    axes, _ = timeplots.heat_map(mapped, 9).axes
    (image,) = axes.get_images()
    # Nodes upwards; what was never used is as dark as what was hardly.
    assert image.get_array().tolist() == [[1, 7], [1, 1], [9, 2]]  # type: ignore[union-attr]
    assert tuple(image.get_extent()) == (0, 2, 0, 3)
    assert [text.get_text() for text in axes.texts] == ["node 0, fast", "node 1, slow"]


def test_nothing_was_used() -> None:
    heat = {"interval_ns": 1_000_000_000, "piece_bytes": 1 << 30, "nodes": [[[0]], [[0]]]}
    mapped = row(heat=heat)
    assert timeplots.hottest([mapped]) == 0
    assert len(timeplots.heat_map(mapped, 0).axes) == 2
