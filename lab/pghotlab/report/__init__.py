# SPDX-License-Identifier: GPL-2.0
"""All kept tables: pages for a browser, and one table for an overview."""
