# SPDX-License-Identifier: GPL-2.0
"""What has been checked of each patch, so that a check goes on where it was broken off."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

# All checks of a patch, in their order, and what the log says of each.
APPLIES, STYLE = "applies", "style"
COMPILES = {True: "compiles with", False: "compiles without"}
BUILDS = {True: "builds with", False: "builds without"}
CHECKS = {
    APPLIES: "applies",
    STYLE: "checkpatch",
    COMPILES[True]: "compiles with options",
    COMPILES[False]: "compiles without options",
    BUILDS[True]: "kernel with options",
    BUILDS[False]: "kernel without options",
}


def key(*parts: str) -> str:
    """What a check depends on, in short."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Patch:
    """A patch of the series as it was written.

    number: its place, from 1; 0 is the kernel without the series. tree: what git calls all files of
    the series after it, by their content. files: what it changes. path: its file, None without one.
    """

    number: int
    title: str
    commit: str
    tree: str
    files: tuple[str, ...]
    path: Path | None = None

    @property
    def name(self) -> str:
        """For messages."""
        return f"patch {self.number} ({self.title})" if self.number else "without the series"


class Record:
    """The checks that were passed, in a file, each with the key of what it depended on."""

    def __init__(self, path: Path) -> None:
        """path: the file; it is made when there is something to keep."""
        self.path = path
        self.passed: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}

    def has(self, patch: Patch, check: str, depends: str) -> bool:
        """Whether a patch has passed a check, and nothing has changed since."""
        return self.passed.get(f"{patch.number} {check}") == depends

    def add(self, patch: Patch, check: str, depends: str | None) -> None:
        """A patch has passed a check; or not, if depends is None."""
        if depends:
            self.passed[f"{patch.number} {check}"] = depends
        else:
            self.passed.pop(f"{patch.number} {check}", None)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.passed, indent=1) + "\n")

    def line(self, patch: Patch) -> str:
        """The line of the log for a patch."""
        passed = {check for check in CHECKS if f"{patch.number} {check}" in self.passed}
        lists = {
            "passed": [text for check, text in CHECKS.items() if check in passed],
            "NOT CHECKED": [text for check, text in CHECKS.items() if check not in passed],
        }
        said = (f"{name}: {', '.join(texts)}" for name, texts in lists.items() if texts)
        return f"{patch.number:02} {patch.title}: {'; '.join(said)}"
