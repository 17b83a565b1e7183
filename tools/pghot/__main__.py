# SPDX-License-Identifier: GPL-2.0
"""python3 -m pghot"""

import sys

from pghot.cli import main

if __name__ == "__main__":
    sys.exit(main())
