# SPDX-License-Identifier: GPL-2.0
"""Keeping what is private out of a bundle: it holds figures of the machine, and no names."""

import re

# Addresses of hosts, of network cards, and unique ids, wherever a text has one.
PATTERNS = (
    re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b"),
    re.compile(r"\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b"),
    re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"),
)
HIDDEN = "(removed)"


def clean(text: str, names: list[str]) -> str:
    """A text without addresses, ids and these names (of the host)."""
    for pattern in PATTERNS:
        text = pattern.sub(HIDDEN, text)
    for name in names:
        if name:
            text = re.sub(rf"\b{re.escape(name)}\b", HIDDEN, text)
    return text
