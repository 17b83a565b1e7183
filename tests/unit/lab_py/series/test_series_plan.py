# SPDX-License-Identifier: GPL-2.0
"""The plan of the series: what is read, and what is refused."""

import re
from pathlib import Path

import pytest

from faketree import INTREE, make
from pghotlab.base import paths
from pghotlab.base.errors import UsageError
from pghotlab.series.convert import convert
from pghotlab.series.plan import OWN, load_series, place

# Headers that intree/changes takes out.
NEVER = {
    f"mm/{name}.h" for name in ("aginghook", "cpuset", "divert", "migration", "symbols", "tested")
}


def test_the_plan_is_read(tmp_path: Path) -> None:
    fake = make(tmp_path)
    series = load_series(fake.intree, fake.module)
    first, second, third = series.patches
    assert first.files == ("async.c", "wrapper/folio.c", "wrapper/functions.h")
    assert (first.option, first.changes, second.removes) == ("PGHOT", ("hook",), ("async.c",))
    assert (second.option, third.sources) == ("", ("perf",))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"wrapper/f*"', '"wrapper/folio.c"', "in no patch: wrapper/functions.h"),
        ('"main.c", ', '"main.c", "wrapper/folio.c", ', "in several patches: wrapper/folio.c"),
        ('"wrapper/f*"', '"wrapper/g*"', "there is no file wrapper/g"),
        ('title = "mm/pghot: count"', 'name = "count"', "title"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    fake = make(tmp_path, series_toml=INTREE["series.toml"].replace(old, new))
    with pytest.raises(UsageError, match=said):
        load_series(fake.intree, fake.module)


def test_places_in_the_tree() -> None:
    assert place("wrapper/folio.c") == "mm/pghot/mm/folio.c"
    assert place("pghot.h") == "include/linux/pghot.h"
    assert place("core/access.c") == "mm/pghot/core/access.c"


def test_what_a_file_includes_comes_with_it_or_before() -> None:
    """Each patch of this tree can be built without the later ones."""
    there: set[str] = set()
    for patch in load_series().patches:
        there = {*there, *map(place, patch.files)} - set(map(place, patch.removes))
        for name in patch.files:
            own = paths.INTREE / OWN[name] if name in OWN else paths.MODULE_SOURCES / name
            for header in re.findall(
                r'^#include "([\w./]+)"', convert(own.read_text()), re.MULTILINE
            ):
                if not header.startswith("../"):
                    assert f"mm/pghot/{header}" in there or header in NEVER, f"{name}: {header}"


def test_messages_are_short_enough_for_checkpatch() -> None:
    for patch in load_series().patches:
        assert max(map(len, (patch.title, *patch.message.splitlines()))) <= 75, patch.title
