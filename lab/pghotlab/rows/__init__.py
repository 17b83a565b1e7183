# SPDX-License-Identifier: GPL-2.0
"""What results say: a row for each, what rows are to one another, and tables as text."""
