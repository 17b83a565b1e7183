# SPDX-License-Identifier: GPL-2.0
"""Sizes as people write them: 4096, 32K, 512M, 2G (powers of 1024)."""

import re

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30
_FACTORS = {"": 1, "K": KIB, "M": MIB, "G": GIB}


def parse_size(text: str) -> int:
    """Bytes of a size like "512M"; ValueError when it is not one."""
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    if found is None:
        raise ValueError(f"{text!r} is not a size like 4096, 32K, 512M or 2G")
    return int(found.group(1)) * _FACTORS[found.group(2)]


def format_size(size: int) -> str:
    """The shortest exact way to write a number of bytes."""
    for suffix in ("G", "M", "K"):
        if size and size % _FACTORS[suffix] == 0:
            return f"{size // _FACTORS[suffix]}{suffix}"
    return str(size)
