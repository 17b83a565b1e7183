# SPDX-License-Identifier: GPL-2.0
"""The patch series: pghot as a part of the kernel's tree, out of the files of the module."""
