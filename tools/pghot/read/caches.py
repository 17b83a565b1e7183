# SPDX-License-Identifier: GPL-2.0
"""The caches of a CPU."""

from dataclasses import dataclass

from pghot.read.root import Root

KIB = 1024


@dataclass(frozen=True)
class Cache:
    """level: 1, 2, 3. size: bytes. ways: associativity."""

    level: int
    size: int
    ways: int


def read_caches(root: Root, cpu: int) -> list[Cache]:
    """The data caches of a CPU, by level."""
    found = []
    for name in root.names(f"sys/devices/system/cpu/cpu{cpu}/cache/index*"):
        text = root.text(f"{name}/size") or "0K"
        if root.text(f"{name}/type") == "Instruction" or not text[:-1].isdigit():
            continue
        size = int(text[:-1]) * (KIB if text.endswith("K") else KIB * KIB)
        level, ways = (root.number(f"{name}/{file}") for file in ("level", "ways_of_associativity"))
        found.append(Cache(level or 1, size, ways or 8))
    return sorted(found, key=lambda cache: cache.level)
