# SPDX-License-Identifier: GPL-2.0
"""Many guests side by side: comparisons, tables by their recipes, calibration."""
