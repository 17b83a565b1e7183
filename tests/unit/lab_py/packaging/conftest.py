# SPDX-License-Identifier: GPL-2.0
"""The made-up machines of the command's tests: pytest reads it by its name."""

from command.conftest import trees

__all__ = ["trees"]
