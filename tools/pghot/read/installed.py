# SPDX-License-Identifier: GPL-2.0
"""Where pghot is installed: for which kernels, and whether the module is signed."""

import gzip
import lzma
from dataclasses import dataclass

from pghot.read.root import Root

MODULES = "lib/modules"
SIGNED = b"~Module signature appended~\n"
OPENERS = {".xz": lzma.decompress, ".gz": gzip.decompress}


@dataclass(frozen=True)
class Installed:
    """A module file. kernel: for which one. signed: None if that cannot be told."""

    kernel: str
    path: str
    signed: bool | None


def _signed(root: Root, path: str) -> bool | None:
    try:
        content = root.path(path).read_bytes()
        for suffix, decompress in OPENERS.items():
            if path.endswith(suffix):
                content = decompress(content)
    except (OSError, EOFError, lzma.LZMAError):
        return None
    return None if path.endswith(".zst") else content.endswith(SIGNED)


def read_installed(root: Root) -> list[Installed]:
    """The module files that modprobe would find, and those that depmod has not seen yet."""
    found = []
    for folder in root.names(f"{MODULES}/*"):
        kernel = folder.rpartition("/")[2]
        paths = {
            name
            for place in ("updates", "updates/dkms", "extra", "kernel/mm")
            for name in root.names(f"{folder}/{place}/pghot.ko*")
        }
        found += [Installed(kernel, f"/{path}", _signed(root, path)) for path in sorted(paths)]
    return found


def kernels(root: Root) -> list[str]:
    """All kernels that have modules here."""
    return [name.rpartition("/")[2] for name in root.names(f"{MODULES}/*")]
