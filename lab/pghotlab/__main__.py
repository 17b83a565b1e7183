# SPDX-License-Identifier: GPL-2.0
"""`python -m pghotlab`: see cli.py."""

import sys

from pghotlab.cli import main

sys.exit(main())
