# SPDX-License-Identifier: GPL-2.0
"""The steps for Secure Boot that `make test-secure-boot` takes from the guide."""

from pathlib import Path

import pytest

from pghotlab.base.errors import LabError
from tests.packages import secure_boot


def test_key_is_imported_before_the_reboot_and_used_after_it() -> None:
    steps = secure_boot.guide_steps()
    place = steps.index(secure_boot.REBOOT)
    assert any("--import" in command for command in steps[:place])
    assert "pghot load" in steps[place:]


def test_a_guide_without_steps_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text("\n### Secure Boot\n\nNo steps.\n")
    monkeypatch.setattr(secure_boot, "GUIDE", guide)
    with pytest.raises(LabError, match=r"guide\.md"):
        secure_boot.guide_steps()
