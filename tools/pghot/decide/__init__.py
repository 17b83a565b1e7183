# SPDX-License-Identifier: GPL-2.0
"""What the figures of a machine mean: pure functions, which read no files."""
