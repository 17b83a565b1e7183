# SPDX-License-Identifier: GPL-2.0
"""The tests that the threat model names are there."""

import re
from pathlib import Path

import pytest

from pghotlab.base import paths

TESTS = paths.ROOT / "tests"
MODEL = (paths.ROOT / "docs" / "threat-model.md").read_text()


def file_of(name: str) -> Path:
    """By its path, or by the name of a file that is there once."""
    if "/" in name:
        return paths.ROOT / name
    found = list(TESTS.rglob(name))
    assert len(found) == 1, name
    return found[0]


def named() -> list[tuple[str, str]]:
    """Files and the tests in them that the text names, line by line; "" for all of a file's.

    "::test" is of the file before it, and so is "test()".
    """
    pairs = []
    for line in MODEL.splitlines():
        file = ""
        for text in re.findall(r"`([^`]+)`", line):
            if found := re.fullmatch(r"([\w/]+_test\.c|tests/[\w/]+\.\w+|)(?:::(\w+))?", text):
                file = found[1] or file
                pairs.append((file, found[2] or ""))
            elif file.endswith(".c") and (function := re.fullmatch(r"(\w+)\(\)", text)):
                pairs.append((file, function[1]))
    return pairs


@pytest.mark.parametrize(("file", "test"), named())
def test_named_test_exists(file: str, test: str) -> None:
    assert file
    text = file_of(file).read_text()
    if file.endswith(".py"):
        assert not test or re.search(rf"^def {test}\(", text, re.M)
    else:
        assert not test or re.search(rf"\b{test}\([^;{{]*\)\n{{", text)


def test_each_attack_has_a_test() -> None:
    """Every row of a table but the heads: its last cell names one."""
    rows = [line for line in MODEL.splitlines() if re.match(r"\| (?!---)", line)]
    heads = [row for row in rows if row.rstrip("| ").endswith("test")]
    assert len(rows) - len(heads) > 30
    for row in rows:
        assert row in heads or "test" in row.strip("| ").rpartition("|")[2], row
