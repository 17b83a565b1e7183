# SPDX-License-Identifier: GPL-2.0
"""Programs that stand for the guest's, for scripts and programs of the guest that run here."""

from pathlib import Path


def program(path: Path, text: str) -> None:
    """Write a shell script that can be run.

    text: its lines after the first one.
    """
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
