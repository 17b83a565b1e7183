# SPDX-License-Identifier: GPL-2.0
"""The version of command, module and packages; a test compares it with the file VERSION."""

VERSION = "0.3.0"
