# SPDX-License-Identifier: GPL-2.0
"""One boot: what the guest is given, how it runs, and what it reports."""
