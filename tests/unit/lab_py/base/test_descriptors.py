# SPDX-License-Identifier: GPL-2.0
"""What is read of the module's sources is what they say."""

import re
from pathlib import Path

import pytest

from pghotlab.base import descriptors, paths

SOURCE = """
#define {upper}_BIT	{bit}

struct pghot_source pghot_{name}_source = {{
	.name = "{name}",
	.title = "{name}s",
	.bit = {upper}_BIT,
	.part.counters = COUNTERS(COUNTER(recorded_{name})),
}};
"""


def test_sources_are_those_of_the_list() -> None:
    text = (paths.MODULE_SOURCES / "sources/all.c").read_text()
    listed = re.findall(r"^\t&pghot_(\w+)_source,$", text, re.M)
    assert [source.name for source in descriptors.sources()] == listed


def test_each_source_has_a_place_and_a_folder_of_its_own() -> None:
    found = descriptors.sources()
    assert [source.bit for source in found] == list(range(len(found)))
    for source in found:
        assert source.file.parent == paths.MODULE_SOURCES / "sources" / source.name


def test_each_source_counts_what_it_reports() -> None:
    for source in descriptors.sources():
        assert re.search(r"^PGHOT_RECORDED\(\w+,", source.file.read_text(), re.M), source.name


def test_all_that_is_defined_is_shown() -> None:
    """A tunable or counter that no part names would have no file."""
    text = "".join(file.read_text() for file in paths.MODULE_SOURCES.rglob("*.c"))
    for counter in descriptors.counters():
        assert len(re.findall(rf"\bCOUNTER\({counter}\)", text)) == 1, counter
    shown = re.findall(r"TUNABLES\((.*?)\)", text, re.S)
    for tunable in descriptors.tunables():
        assert sum(f"&pghot_{tunable.name}" in re.split(r"[\s,]+", part) for part in shown) == 1


def test_members(tmp_path: Path) -> None:
    for bit, name in ((3, "moon"), (1, "sun")):
        folder = tmp_path / "sources" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.c").write_text(SOURCE.format(name=name, upper=name.upper(), bit=bit))
    found = descriptors.sources(tmp_path)
    assert [(s.name, s.title, s.bit, s.on_at_load) for s in found] == [
        ("sun", "suns", 1, False),
        ("moon", "moons", 3, False),
    ]


def test_place_that_nothing_defines(tmp_path: Path) -> None:
    folder = tmp_path / "sources" / "sun"
    folder.mkdir(parents=True)
    (folder / "sun.c").write_text(
        SOURCE.format(name="sun", upper="SUN", bit=1).replace("#define SUN_BIT", "#define OTHER")
    )
    with pytest.raises(LookupError, match="no SUN_BIT"):
        descriptors.sources(tmp_path)
