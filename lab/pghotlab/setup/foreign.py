# SPDX-License-Identifier: GPL-2.0
"""Programs of another release, unpacked: each runs through the loader of that release.

They need a newer C library than the host has. So a short script takes the place of each. It runs
the program, which is kept beside it, with the loader and the libraries of its own release.
"""

import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

# Behind the name of a program whose place was taken.
REAL = ".real"
LIBRARIES = Path("usr/lib/x86_64-linux-gnu")
LOADER = "ld-linux-x86-64.so.2"
# Of the ELF format, 64 bits: where the header has the program headers, and what one begins with.
_MAGIC = b"\x7fELF"
_PHOFF = 32
_PHNUM = 56
_PHDR_SIZE = 56
_PT_INTERP = 3


def needs_loader(path: Path) -> bool:
    """Whether a file is a program that is linked with libraries."""
    if path.is_symlink() or not path.is_file() or not path.stat().st_mode & stat.S_IXUSR:
        return False
    content = path.read_bytes()
    if not content.startswith(_MAGIC):
        return False
    (first,) = struct.unpack_from("<Q", content, _PHOFF)
    (number,) = struct.unpack_from("<H", content, _PHNUM)
    kinds = (struct.unpack_from("<I", content, first + i * _PHDR_SIZE)[0] for i in range(number))
    return _PT_INTERP in kinds


def _programs(tree: Path) -> Iterator[Path]:
    # Libraries that can be run as programs, too, have to stay what they are.
    for path in sorted(tree.rglob("*")):
        if path.suffix != REAL and ".so" not in path.name:
            yield path


def adopt(tree: Path, tools: Path) -> None:
    """Have all programs of a tree run with the loader and the libraries of the tree `tools`.

    Both may be moved together.
    """
    libraries = tools / LIBRARIES
    for program in filter(needs_loader, _programs(tree)):
        real = program.with_name(program.name + REAL)
        program.rename(real)
        to_libraries = os.path.relpath(libraries, program.parent)
        program.write_text(
            "#!/bin/sh\n"
            'here=$(dirname "$(readlink -f "$0")")\n'
            f'libraries="$here/{to_libraries}"\n'
            f'exec "$libraries/{LOADER}" --argv0 "$0" --library-path "$libraries" '
            f'"$here/{real.name}" "$@"\n'
        )
        program.chmod(0o755)
