# SPDX-License-Identifier: GPL-2.0
"""What all the others build on: errors, places in the tree, sizes, strict reading of TOML."""
