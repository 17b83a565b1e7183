# SPDX-License-Identifier: GPL-2.0
"""What the tests of the command share: pytest reads it by its name."""

from pathlib import Path

import pytest

from command.tree import Trees


@pytest.fixture
def trees(tmp_path: Path) -> Trees:
    return Trees(tmp_path)
