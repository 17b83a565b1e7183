# SPDX-License-Identifier: GPL-2.0
"""A recording as rows and columns: how often pieces of memory were used, over time."""

from collections.abc import Sequence

from pghot.recording import PIECE, Interval

PAGE = 4096
# Of the picture, at most.
ROWS, COLUMNS = 128, 240


def heat(intervals: Sequence[Interval], ranges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Uses of a node's memory: a row for each piece of its addresses, a column for each time.

    ranges: its physical addresses, bytes.
    """
    total = sum(end - begin for begin, end in ranges)
    size = max(PIECE * PAGE, -(-total // ROWS))
    rows = [[0] * min(COLUMNS, len(intervals)) for _ in range(-(-total // size))]
    for number, interval in enumerate(intervals):
        column = number * len(rows[0]) // len(intervals) if rows else 0
        for piece, uses in interval.used.items():
            place, before = piece * PIECE * PAGE, 0
            for begin, end in ranges:
                if begin <= place < end:
                    rows[(before + place - begin) // size][column] += uses
                before += end - begin
    return rows
