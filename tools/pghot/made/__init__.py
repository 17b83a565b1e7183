# SPDX-License-Identifier: GPL-2.0
"""What is made of the descriptions of the verbs for a package: manuals and completion."""
