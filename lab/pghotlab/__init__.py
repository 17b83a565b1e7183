# SPDX-License-Identifier: GPL-2.0
"""The tiered machine in a box: boots a stock kernel on a modelled machine and measures policies."""
