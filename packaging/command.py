#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The command `pghot`: runs the package that is installed beside it, in ../share/pghot."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "share" / "pghot"))

from pghot.cli import main  # it is found there only

sys.exit(main())
