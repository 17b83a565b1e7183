# SPDX-License-Identifier: GPL-2.0
"""The libraries of a program of the host, as the host's loader finds them."""

import re
import subprocess
from pathlib import Path

from pghotlab.base.errors import LabError, UsageError
from pghotlab.guest.packages import LOADER, parse_libraries
from pghotlab.setup.foreign import needs_loader

HOST_LOADER = Path("/") / LOADER
ELF = b"\x7fELF"
MISSING = "needs libraries that are not on this host:"
# Where the ELF header says whether it is of 64 bits and which CPU it is for: those of x86-64.
_CLASS, _CLASS_64 = 4, 2
_MACHINE, _X86_64 = slice(18, 20), b"\x3e\x00"


def is_elf(content: bytes) -> bool:
    """Whether a file that begins so is a program or a library for the CPU itself."""
    return content.startswith(ELF)


def libraries(program: Path) -> dict[str, Path]:
    """All libraries that a program is linked with, by name, and the loader; none if it is static.

    UsageError if it is for another CPU, or if a library is not on this host.
    """
    with program.open("rb") as file:
        header = file.read(64)
    if header[_CLASS] != _CLASS_64 or header[_MACHINE] != _X86_64:
        raise UsageError(f"{program}: is not for x86-64, which the modelled machines are")
    if not needs_loader(program.resolve()):
        return {}
    done = subprocess.run(
        [str(HOST_LOADER), "--list", str(program)], capture_output=True, text=True, check=False
    )
    # The loader lists what is missing, or ends at the first one.
    missing = re.search(r"libraries: (\S+): cannot open shared object file", done.stderr)
    try:
        if missing:
            raise LabError(f"{MISSING} {missing[1]}")
        found = parse_libraries(done.stdout, MISSING)
    except LabError as error:
        raise UsageError(
            f"{program}: {error}. Install them, name their folder in LD_LIBRARY_PATH, or give the "
            "program with all it needs as --package or --rootfs"
        ) from None
    if done.returncode:
        raise UsageError(f"{program}: the loader does not take it: {done.stderr.strip()}")
    # Threads and C++ load it when they need it, even if no program is linked with it.
    for folder in {path.parent for path in found.values()}:
        if (folder / "libgcc_s.so.1").exists():
            found.setdefault("libgcc_s.so.1", folder / "libgcc_s.so.1")
    return {**found, HOST_LOADER.name: HOST_LOADER}
