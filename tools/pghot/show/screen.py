# SPDX-License-Identifier: GPL-2.0
"""Text for people. Colours and progress only where the output is a terminal."""

import os
import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import TextIO

COLOURS = {"red": 31, "green": 32, "yellow": 33, "bold": 1, "dim": 2}
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
STEP = 1024
# Text is wrapped at this width at most, however wide a terminal is.
WIDTH = 100
# Clears a terminal and goes to its upper left corner.
CLEAR = "\x1b[H\x1b[2J"


def size(amount: float) -> str:
    """Bytes for people: 1.5 GiB."""
    value, unit = float(amount), UNITS[0]
    for unit in UNITS:
        if abs(value) < STEP or unit == UNITS[-1]:
            break
        value /= STEP
    return f"{value:.0f} {unit}" if unit == UNITS[0] else f"{value:.1f} {unit}"


def duration(ns: float) -> str:
    """Nanoseconds for people: 1.2 s."""
    for unit, length in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= length:
            return f"{ns / length:.1f} {unit}"
    return f"{ns:.0f} ns"


def is_terminal(stream: TextIO) -> bool:
    """Whether somebody looks at it."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Screen:
    """Writes to a stream."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.is_terminal = is_terminal(out)
        self.colours = self.is_terminal and "NO_COLOR" not in os.environ

    def paint(self, text: str, colour: str) -> str:
        """The text in a colour, if there are colours."""
        return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if self.colours else text

    def line(self, text: str = "") -> None:
        """One line as it is."""
        print(text, file=self.out, flush=self.is_terminal)

    def paragraph(self, text: str, indent: str = "", first: str | None = None) -> None:
        """Text that is wrapped. first: what the first line begins with, instead of `indent`."""
        begin = indent if first is None else first
        for line in wrap(text, WIDTH, initial_indent=begin, subsequent_indent=indent) or [begin]:
            self.line(line)

    def table(self, rows: Sequence[Sequence[str]], header: bool = True) -> None:
        """Cells below one another: the first column to the left, numbers to the right."""
        if not rows:
            return
        columns = list(zip(*rows, strict=True))
        widths = [max(map(len, column)) for column in columns]
        to_right = [
            all(cell[:1].isdigit() or cell in ("-", "") for cell in column[1 if header else 0 :])
            for column in columns
        ]
        for number, row in enumerate(rows):
            cells = [
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, to_right, strict=True)
            ]
            text = "  ".join(cells).rstrip()
            self.line(self.paint(text, "bold") if header and number == 0 else text)

    def clear(self) -> None:
        """Begin at the top again, on a terminal."""
        if self.is_terminal:
            self.out.write(CLEAR)


class Progress:
    """A line on standard error that says how far something is; nothing without a terminal."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self.stream = stream
        self.is_terminal = is_terminal(stream)

    def show(self, text: str) -> None:
        """Replace the line."""
        if self.is_terminal:
            print(f"\r\x1b[K{text}", end="", file=self.stream, flush=True)

    def done(self) -> None:
        """Take it away."""
        if self.is_terminal:
            print("\r\x1b[K", end="", file=self.stream, flush=True)
