# SPDX-License-Identifier: GPL-2.0
"""What `pghot doctor` finds: a cause, how bad it is, and commands that mend it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pghot.decide.view import View

BROKEN = "broken"
"""pghot does not work."""
WARNING = "warning"
"""It works, but less well than it could, or not as the administrator's files say."""


@dataclass(frozen=True)
class Finding:
    """A cause.

    name: for scripts; it stays the same from version to version. severity: broken or warning.
    what: one or two sentences. remedy: commands to copy; none if nothing has to be done.
    """

    name: str
    severity: str
    what: str
    remedy: list[str] = field(default_factory=list)


Cause = Callable[[View], Iterator[Finding]]
"""Looks for one cause: none, one or several findings."""
