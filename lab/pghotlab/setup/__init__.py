# SPDX-License-Identifier: GPL-2.0
"""What comes from elsewhere: Debian packages, QEMU, the kernel, and the debug kernel."""
