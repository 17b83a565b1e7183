# SPDX-License-Identifier: GPL-2.0
"""The map of the module as a picture: rooms by layer, and how often one includes another.

Made from the `#include` lines of kernel/: `python -m docs.house` writes docs/house.svg.
"""

from collections import Counter
from pathlib import Path

from pghotlab.base import paths
from tests import layers

PICTURE = paths.ROOT / "docs" / "house.svg"
# From top to bottom. Rooms of one row do not use each other.
ROWS = (("main.c",), ("surface", "sources", "promote"), ("policy",), ("core",), ("wrapper",))
# What every room may use, and no arrow is drawn to.
COMMON = ("pghot.h", "testing")
WIDTH, HEIGHT, GAP, MARGIN = 960, 110, 60, 20
STYLE = (
    "text { font-family: sans-serif; font-size: 13px; fill: #222 }"
    " .name { font-weight: bold; font-size: 15px } .small { font-size: 12px; fill: #555 }"
    " rect { fill: #f4f6f8; stroke: #456; stroke-width: 1.2 }"
    " path { fill: none; stroke: #789; stroke-width: 1.4 }"
)


def room_of(name: str) -> str:
    """The room of a file, by its path in kernel/: its first folder, or the file itself."""
    return name.partition("/")[0]


def uses(found: layers.Uses) -> Counter[tuple[str, str]]:
    """How often files of one room include files of another, by what all files include."""
    counted: Counter[tuple[str, str]] = Counter()
    for user, all_used in found.items():
        for used in all_used:
            pair = room_of(user), room_of(used)
            if pair[0] != pair[1] and not set(pair) & set(COMMON):
                counted[pair] += 1
    return counted


def contents(folder: Path, room: str) -> str:
    """How many files a room has; nothing for one that is a file itself."""
    files = [path for path in (folder / room).rglob("*.[ch]") if path.is_file()]
    return f"{len(files)} files" if files else ""


def folders(folder: Path, room: str) -> list[str]:
    """The folders in a room."""
    if not (folder / room).is_dir():
        return []
    return sorted(path.name for path in (folder / room).iterdir() if path.is_dir())


def places() -> dict[str, tuple[int, int, int]]:
    """Where each room is drawn: left, top, width."""
    found = {}
    for i, row in enumerate(ROWS):
        share = (WIDTH - 2 * MARGIN - (len(row) - 1) * GAP // 2) // len(row)
        for j, room in enumerate(row):
            left = MARGIN + j * (share + GAP // 2)
            found[room] = (left, MARGIN + i * (HEIGHT + GAP), share)
    return found


def lane(user: str, used: str, where: dict[str, tuple[int, int, int]]) -> int:
    """Where an arrow goes down: within the narrower room, farther to the right if it goes far."""
    above, below = where[user], where[used]
    rows = (below[1] - above[1]) // (HEIGHT + GAP)
    if above[2] != below[2]:
        narrow = above if above[2] < below[2] else below
        return narrow[0] + 40 + 90 * (rows - 1)
    # Between rooms of the second row, or below them.
    gaps = [where[room][0] - GAP // 4 for room in ROWS[1][1:]]
    if user in ROWS[0]:
        return gaps[rows % 2] - 4 * (rows - 3)
    return gaps[next(i for i, row in enumerate(ROWS) if user in row) % 2] + 40 * rows


def draw(folder: Path = paths.MODULE_SOURCES) -> str:
    """The picture, an SVG. Arrows that pass a room are drawn over it, with dashes."""
    where = places()
    near: list[str] = []
    far: list[str] = []
    boxes: list[str] = []
    for (user, used), count in sorted(uses(layers.kernel_uses(folder)).items()):
        start, end = where[user][1] + HEIGHT, where[used][1]
        x = lane(user, used, where)
        passes = end - start > GAP
        dashes = ' style="stroke-dasharray: 5 4"' if passes else ""
        (far if passes else near).append(
            f'<path d="M {x} {start} V {end - 2}" marker-end="url(#head)"{dashes}/>'
            f'<text class="small" x="{x + 6}" y="{end - 10}">{user}: {count}</text>'
        )
    for room, (left, top, width) in where.items():
        boxes.append(
            f'<rect x="{left}" y="{top}" width="{width}" height="{HEIGHT}" rx="6"/>'
            f'<text class="name" x="{left + 12}" y="{top + 24}">{room}</text>'
            f'<text class="small" x="{left + 12}" y="{top + 44}">{contents(folder, room)}</text>'
        )
        inside = folders(folder, room)
        for k in range(0, len(inside), 4):
            boxes.append(
                f'<text x="{left + 12}" y="{top + 66 + 18 * (k // 4)}">'
                f"{', '.join(inside[k : k + 4])}</text>"
            )
    total = MARGIN * 2 + len(ROWS) * HEIGHT + (len(ROWS) - 1) * GAP
    head = (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M 0 0 L 8 4 L 0 8 z" style="fill: #789"/>'
        "</marker></defs>"
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total}" width="{WIDTH}">',
        f"<title>The parts of the module, and who includes whom</title><style>{STYLE}</style>",
        f'<rect x="0" y="0" width="{WIDTH}" height="{total}" style="fill: #fff; stroke: none"/>',
        head,
        *near,
        *boxes,
        *far,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw())
    print(PICTURE)
