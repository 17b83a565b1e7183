# SPDX-License-Identifier: GPL-2.0
"""Which physical memory belongs to which node."""

from pghot.read.root import Root

MEMORY = "sys/devices/system/memory"


def read_ranges(root: Root) -> dict[int, list[tuple[int, int]]]:
    """Ranges of physical addresses by node: first byte, and the byte after the last one."""
    try:
        size = int(root.text(f"{MEMORY}/block_size_bytes") or "0", 16)
    except ValueError:
        return {}
    found: dict[int, list[tuple[int, int]]] = {}
    for nid, folder in root.numbered("sys/devices/system/node/node[0-9]*").items():
        for block in root.numbered(f"{folder}/memory[0-9]*"):
            begin, end = block * size, (block + 1) * size
            ranges = found.setdefault(nid, [])
            if ranges and ranges[-1][1] == begin:
                ranges[-1] = (ranges[-1][0], end)
            else:
                ranges.append((begin, end))
    return found
