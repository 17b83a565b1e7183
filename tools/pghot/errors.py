# SPDX-License-Identifier: GPL-2.0
"""What goes wrong, and the exit status of the command."""

OK = 0
WARNING = 1
"""Something is worth a look; of `doctor` only."""
FAILED = 2
"""Something does not work, or what was asked for was not done."""
USAGE = 64
"""The command was called in a wrong way, and has done nothing; as in sysexits.h."""


class PghotError(Exception):
    """What the user is told, in a sentence without a full stop. status: the exit status."""

    status = FAILED


class UsageError(PghotError):
    """An argument is wrong: nothing was done."""

    status = USAGE
