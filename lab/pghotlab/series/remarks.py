# SPDX-License-Identifier: GPL-2.0
"""What checkpatch, the compiler and sparse have to say of the series."""

import os
import re
import subprocess
from collections.abc import Collection
from pathlib import Path

from pghotlab.base.errors import LabError

# What checkpatch says, by its type, of files by their path; and why it is left as it is:
_KNOWN = (
    # The last patch adds all of them to MAINTAINERS.
    r"FILE_PATH_CHANGES: ",
    # The kernel lays out tracepoints in a way of their own.
    r"(OPEN_ENDED_LINE|PARENTHESIS_ALIGNMENT): .*/trace\.h$",
    # The folder that the kernel's macros read a header of tracepoints from.
    r"SPACING: .*/trace\.h$",
    # Constants and names are their arguments.
    r"MACRO_ARG_REUSE: mm/pghot/(core|promote)/\w+\.h$",
    # The kernel has a sysctl with the same ending.
    r"CAMELCASE: mm/pghot/promote/admit\.c$",
    # The table is filled when all parts have registered their tunables.
    r"CONST_STRUCT: mm/pghot/surface/sysctl\.c$",
    # The headers of these names in include/linux are about other things.
    r"INCLUDE_LINUX: mm/pghot/(mm/msr\.h|sources/mprof/\w+\.[ch])$",
)
_CHECKPATCH = re.compile(r"^(?P<file>\S+?):(?P<line>\d+): \w+:(?P<type>\w+): (?P<text>.*)$")
# `FILE:LINE:COLUMN: warning: TEXT`, of the compiler and of sparse.
_WARNING = re.compile(
    r"^(?P<file>[^\s:]+):\d+(?::\d+)?: (?P<text>(?:fatal )?(?:warning|error): .*)$", re.MULTILINE
)
# Sparse does not understand what the kernel asserts of each parameter of a module. Of a constant
# that is none the compiler complains itself, in other words.
_SPARSE = ("error: bad constant expression",)


def checkpatch(tree: Path, patch: Path) -> list[str]:
    """What checkpatch --strict of a kernel's tree says of a patch, without what is known.

    LabError if it does not run.
    """
    options = ("--strict", "--terse", "--showfile", "--show-types", "--no-summary")
    done = subprocess.run(
        ["perl", "scripts/checkpatch.pl", *options, str(patch)],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    # 1 if it has something to say.
    if done.returncode not in (0, 1) or done.stderr:
        raise LabError(f"checkpatch {patch}: {done.stderr.strip()}")
    return unknown(done.stdout)


def unknown(said: str) -> list[str]:
    """Of what checkpatch says, as lines, those that are not known; also what is no remark."""
    left = []
    for line in said.splitlines():
        found = _CHECKPATCH.match(line)
        short = f"{found['type']}: {found['file']}" if found else ""
        if line and not any(re.match(known, short) for known in _KNOWN):
            left.append(line)
    return left


def warnings(log: str, tree: Path, files: Collection[str] | None = None) -> set[str]:
    """Warnings in what make says, as `FILE: TEXT`, without their lines, which move.

    tree: the kernel's tree, whose path is left out. files: only what is said of these.
    """
    found = {
        (os.path.normpath(one["file"].removeprefix(f"{tree}/")), one["text"])
        for one in _WARNING.finditer(log)
        if one["text"] not in _SPARSE
    }
    return {f"{file}: {text}" for file, text in found if files is None or file in files}
