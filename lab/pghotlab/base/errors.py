# SPDX-License-Identifier: GPL-2.0
"""The errors a user of the lab can meet; the command line turns each into one message."""


class LabError(Exception):
    """Something outside the lab's code is wrong; the text says what and where."""


class UsageError(LabError):
    """A wrong argument or a wrong input file: exit status 2."""


class MachineError(UsageError):
    """A machine file is wrong, or does not fit this host."""


class RunError(LabError):
    """A guest failed: it hung, crashed, printed a bad line or gave no result."""


class ResultError(LabError):
    """A result file is missing, truncated or malformed."""
