# SPDX-License-Identifier: GPL-2.0
"""Pictures as PNG files, as far as a heat map needs it."""

import struct
import zlib
from collections.abc import Sequence

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY_BITS = 8
PALETTE = 3


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check


def png(rows: Sequence[bytes], palette: Sequence[tuple[int, int, int]]) -> bytes:
    """A picture: a byte for each pixel, which is a colour's place in the palette."""
    width = len(rows[0])
    header = struct.pack(">IIBBBBB", width, len(rows), GREY_BITS, PALETTE, 0, 0, 0)
    # A byte in front of each row says that it is not filtered.
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    colours = b"".join(bytes(colour) for colour in palette)
    parts = ((b"IHDR", header), (b"PLTE", colours), (b"IDAT", pixels), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, content) for kind, content in parts)
