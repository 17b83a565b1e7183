# SPDX-License-Identifier: GPL-2.0
"""A guest's console while it grows: lines are looked at when they are complete, and once."""

from pathlib import Path

from pghotlab.guest.console import Console


def test_a_console_that_is_not_there_yet(tmp_path: Path) -> None:
    console = Console(tmp_path / "console.log")
    console.update()
    assert (console.lines, console.is_bad) == ([], False)


def test_lines_come_when_they_are_complete(tmp_path: Path) -> None:
    file = tmp_path / "console.log"
    console = Console(file)
    seen = []
    for text in ("first\r\nsec", "ond", "\r\nBU", "G: bad\r\n", "last\n"):
        with file.open("a", newline="") as log:
            log.write(text)
        console.update()
        seen.append((list(console.lines), console.is_bad))
    assert seen == [
        (["first"], False),
        (["first"], False),
        (["first", "second"], False),
        (["first", "second", "BUG: bad"], True),
        (["first", "second", "BUG: bad", "last"], True),
    ]
