# SPDX-License-Identifier: GPL-2.0
"""The cover letter."""

from pathlib import Path

import pytest

from faketree import make
from pghotlab.base import paths
from pghotlab.base.errors import UsageError
from pghotlab.measure.results import read_json
from pghotlab.series.against import RESULTS as AGAINST
from pghotlab.series.against import compare
from pghotlab.series.letter import AGAINST_PLACE, PLACE, RESULTS, letter


def test_the_table_is_that_of_the_results() -> None:
    text = letter()
    assert PLACE not in text
    assert AGAINST_PLACE not in text
    policies = {row["policy"] for row in read_json(RESULTS)}
    lines = [line.split() for line in text.splitlines() if "+-" in line]
    assert {line[0] for line in lines} == policies
    reference = next(line for line in lines if line[0] == "numab2")
    assert "1.000" in reference


def test_a_letter_without_a_place_is_named(tmp_path: Path) -> None:
    fake = make(tmp_path, letter_txt="Nothing.\n")
    with pytest.raises(UsageError, match=r"letter\.txt: must have @TABLE@ once"):
        letter(fake.intree)


def test_the_letter_compares_with_the_module() -> None:
    compared = compare(read_json(AGAINST))
    text = letter()
    for one in compared:
        assert f"{one.guest_ns[0] / 1e9:.3f} / {one.guest_ns[1] / 1e9:.3f}  {one.ratio:.4f}" in text


def test_lines_are_short_enough_for_mail() -> None:
    assert max(map(len, (paths.INTREE / "letter.txt").read_text().splitlines())) <= 74


def test_the_letter_says_what_the_readme_does() -> None:
    text = " ".join((paths.ROOT / "README.md").read_text().replace("*", "").split())
    lines = [line.split() for line in letter().splitlines() if "+-" in line]
    assert lines
    for _, seconds, spread, ratio, *_ in lines:
        assert f"| {seconds} {spread.removesuffix('%')} % | {ratio} |" in text
