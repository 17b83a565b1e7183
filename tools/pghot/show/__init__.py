# SPDX-License-Identifier: GPL-2.0
"""Showing what was found: text for a terminal, JSON, figures for Prometheus, pages, manuals."""
