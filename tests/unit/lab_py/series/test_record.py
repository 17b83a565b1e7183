# SPDX-License-Identifier: GPL-2.0
"""The record of a check that was broken off."""

from pathlib import Path

from pghotlab.series.record import APPLIES, BUILDS, CHECKS, STYLE, Patch, Record, key

PATCH = Patch(3, "mm/pghot: record", "c0", "t0", ("mm/memory.c",))


def test_what_was_passed_is_known_later(tmp_path: Path) -> None:
    path = tmp_path / "new" / "checked.json"
    Record(path).add(PATCH, BUILDS[True], key("a", "b"))
    assert Record(path).has(PATCH, BUILDS[True], key("a", "b"))
    assert not Record(path).has(PATCH, APPLIES, key("a", "b"))


def test_what_has_changed_is_not_passed(tmp_path: Path) -> None:
    record = Record(tmp_path / "checked.json")
    record.add(PATCH, BUILDS[True], key("a", "b"))
    assert not record.has(PATCH, BUILDS[True], key("ab", ""))
    record.add(PATCH, BUILDS[True], None)
    assert not Record(record.path).has(PATCH, BUILDS[True], key("a", "b"))
    assert not Record(record.path).passed


def test_the_log_says_what_was_not_checked(tmp_path: Path) -> None:
    record = Record(tmp_path / "checked.json")
    record.add(PATCH, APPLIES, "1")
    record.add(PATCH, STYLE, "2")
    assert record.line(PATCH) == (
        "03 mm/pghot: record: passed: applies, checkpatch; NOT CHECKED: compiles with options, "
        "compiles without options, kernel with options, kernel without options"
    )
    for check in CHECKS:
        record.add(PATCH, check, "3")
    assert "NOT CHECKED" not in record.line(PATCH)
    assert PATCH.name == "patch 3 (mm/pghot: record)"
