# SPDX-License-Identifier: GPL-2.0
"""A user's own program on a tiered machine: its files, how it is run, what comes of it."""
