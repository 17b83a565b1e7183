# SPDX-License-Identifier: GPL-2.0
"""Figures for a page: lines over time as SVG, and a heat map."""

import base64
import math
from collections.abc import Mapping, Sequence
from html import escape

from pghot.show.png import png

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 70, 24, 12, 40
# Told apart by all who see colours differently, too.
COLOURS = ("#0b4f9e", "#d1601f", "#3a7d34", "#8e3b8a", "#6b6b6b", "#a58a00")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "12 4")
# From white over yellow and red to black.
SHADES = 64
TICKS = 4


def _palette() -> list[tuple[int, int, int]]:
    colours = []
    for step in range(SHADES):
        part = step / (SHADES - 1)
        red = 255 if part < 0.7 else int(255 * (1 - (part - 0.7) / 0.3 * 0.8))
        green = int(255 * max(0.0, 1 - part * 1.3))
        blue = int(255 * max(0.0, 1 - part * 4))
        colours.append((red, green, blue))
    return colours


def _nice(top: float) -> float:
    """A round number that is not less."""
    if top <= 0:
        return 1.0
    power = math.pow(10, math.floor(math.log10(top)))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= top)


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _frame(seconds: float, top: float, unit: str) -> list[str]:
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    found = []
    for tick in range(TICKS + 1):
        part = tick / TICKS
        y, x = TOP + height * (1 - part), LEFT + width * part
        found.append(f'<path d="M{LEFT} {y:.1f}h{width}" stroke="#ddd"/>')
        found.append(_text(LEFT - 6, y + 4, f"{top * part:.4g}", "end"))
        found.append(_text(x, HEIGHT - BOTTOM + 16, f"{seconds * part:.3g}"))
    found.append(_text(LEFT + width / 2, HEIGHT - 6, "seconds"))
    middle = TOP + height / 2
    turned = f'transform="rotate(-90 12 {middle:.1f})"'
    found.append(
        f'<text x="12" y="{middle:.1f}" text-anchor="middle" {turned}>{escape(unit)}</text>'
    )
    return found


def _svg(body: Sequence[str], alt: str, height: int = HEIGHT) -> str:
    style = "font: 11px system-ui, sans-serif; fill: #1a1a1a"
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(alt)}" '
        f'style="width: 100%; height: auto"><g style="{style}">' + "".join(body) + "</g></svg>"
    )


def lines(
    times: Sequence[float], series: Mapping[str, Sequence[float]], unit: str, alt: str
) -> str:
    """A line for each series, with a legend below."""
    top = _nice(max((max(values, default=0) for values in series.values()), default=0))
    end = max(times, default=1) or 1
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    body = _frame(end, top, unit)
    for number, (name, values) in enumerate(series.items()):
        points = " ".join(
            f"{LEFT + width * t / end:.1f},{TOP + height * (1 - v / top):.1f}"
            for t, v in zip(times, values, strict=True)
        )
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        stroke = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        body.append(f'<polyline points="{points}" {stroke}/>')
        x, y = LEFT + 10, TOP + 14 + 15 * number
        body.append(f'<path d="M{x} {y - 4}h24" {stroke}/>')
        body.append(_text(x + 30, y, name, "start"))
    return _svg(body, alt)


def heat_map(rows: Sequence[Sequence[int]], seconds: float, labels: Sequence[str], alt: str) -> str:
    """Uses by address (rows, the lowest first) and time (columns). Darker is more, by logarithm.

    labels: of the lowest and of the highest address.
    """
    most = max((max(row, default=0) for row in rows), default=0)
    scale = (SHADES - 1) / math.log1p(most) if most else 0
    pixels = [bytes(round(math.log1p(value) * scale) for value in row) for row in reversed(rows)]
    data = base64.b64encode(png(pixels, _palette())).decode()
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    body = [
        f'<image x="{LEFT}" y="{TOP}" width="{width}" height="{height}" '
        'preserveAspectRatio="none" style="image-rendering: pixelated" '
        f'href="data:image/png;base64,{data}"/>',
        f'<rect x="{LEFT}" y="{TOP}" width="{width}" height="{height}" fill="none" stroke="#888"/>',
        _text(LEFT - 6, HEIGHT - BOTTOM, labels[0], "end"),
        _text(LEFT - 6, TOP + 10, labels[1], "end"),
        _text(LEFT + width / 2, HEIGHT - 6, "seconds"),
    ]
    for tick in range(TICKS + 1):
        x = LEFT + width * tick / TICKS
        body.append(_text(x, HEIGHT - BOTTOM + 16, f"{seconds * tick / TICKS:.3g}"))
    return _svg(body, alt)
