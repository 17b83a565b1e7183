# SPDX-License-Identifier: GPL-2.0
"""The modelled machine: its file, where its memory lies, and how QEMU is told of it."""
