# SPDX-License-Identifier: GPL-2.0
"""Reading the machine: files of sysfs, procfs, debugfs and of the administrator."""
