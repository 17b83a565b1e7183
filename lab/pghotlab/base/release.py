# SPDX-License-Identifier: GPL-2.0
"""The version of everything in this tree, and the release that the kept tables belong to."""

import re
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError


def read_version(path: Path) -> str:
    """A version like 1.2.3 from a file that holds nothing else; LabError if it does not."""
    try:
        text = path.read_text()
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}") from None
    if not re.fullmatch(r"\d+\.\d+\.\d+\n", text):
        raise LabError(f"{path}: must be a line with a version like 1.2.3, not {text!r}")
    return text.strip()


def version() -> str:
    """Of this tree."""
    return read_version(paths.VERSION)


def tables_release() -> str:
    """The release for which the tables in docs/results were made."""
    return read_version(paths.RELEASE)
