# SPDX-License-Identifier: GPL-2.0
"""Memory of this process that can be moved to a node, used, and asked for where it is."""

import ctypes
import mmap
import os
import platform
import time

from pghot.errors import PghotError

PAGE = 4096
# Numbers of the system call move_pages(), which libc has no function for.
MOVE_PAGES = {"x86_64": 279, "aarch64": 239}
MOVE = 2  # MPOL_MF_MOVE: pages that only this process maps
MADV_NOHUGEPAGE = 15
# A page's content is its number, at its beginning.
WORD = 8


class Buffer:
    """bytes: its size, in whole pages. PghotError if the kernel does not give it."""

    def __init__(self, size: int) -> None:
        self.pages = max(1, size // PAGE)
        number = MOVE_PAGES.get(platform.machine())
        if number is None:
            raise PghotError(f"move_pages() is not known on {platform.machine()}")
        self._number = number
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._map = mmap.mmap(-1, self.pages * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        # Base pages, so that each can be asked for.
        self._map.madvise(MADV_NOHUGEPAGE)
        self._view = memoryview(self._map)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))

    def close(self) -> None:
        """Give it back."""
        self._view.release()

    def fill(self) -> None:
        """Write a content that is different in each page."""
        for number in range(self.pages):
            self._view[number * PAGE : number * PAGE + WORD] = number.to_bytes(WORD, "little")

    def is_intact(self) -> bool:
        """Whether it is still what was written."""
        return all(
            int.from_bytes(self._view[n * PAGE : n * PAGE + WORD], "little") == n
            for n in range(self.pages)
        )

    def _call(self, nodes: "ctypes.Array[ctypes.c_int] | None") -> list[int]:
        addresses = (ctypes.c_void_p * self.pages)(
            *range(self._base, self._base + self.pages * PAGE, PAGE)
        )
        status = (ctypes.c_int * self.pages)()
        done = self._libc.syscall(
            ctypes.c_long(self._number),
            ctypes.c_int(0),
            ctypes.c_ulong(self.pages),
            addresses,
            nodes,
            status,
            ctypes.c_int(MOVE),
        )
        if done < 0:
            raise PghotError(f"move_pages: {os.strerror(ctypes.get_errno())}")
        return list(status)

    def move(self, node: int) -> None:
        """Move all pages to a node; those that cannot be moved stay."""
        self._call((ctypes.c_int * self.pages)(*([node] * self.pages)))

    def nodes(self) -> list[int]:
        """The node of each page; negative if it has none."""
        return self._call(None)

    def use(self, seconds: float) -> None:
        """Read a byte of each page, again and again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            # One copy of every 4096th byte is a loop in C.
            bytes(self._view[::PAGE])
