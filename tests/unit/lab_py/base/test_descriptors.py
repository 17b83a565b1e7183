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
    text = (paths.MODULE_SOURCES / "sources/all.h").read_text()
    declared = re.findall(r"^PGHOT_DECLARE_SOURCE\((\w+)\);$", text, re.M)
    assert [source.name for source in descriptors.sources()] == listed == declared


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
        assert len(re.findall(rf"\bCOUNTER\({counter.name}\)", text)) == 1, counter
    shown = re.findall(r"TUNABLES\((.*?)\)", text, re.S)
    for tunable in descriptors.tunables():
        assert sum(f"&pghot_{tunable.name}" in re.split(r"[\s,]+", part) for part in shown) == 1


def test_events_are_those_of_the_folders_headers() -> None:
    defined: dict[str, set[str]] = {}
    for event in descriptors.events():
        defined.setdefault(event.part, set()).add(event.name)
    listed = descriptors.listed_events()
    assert {part: set(names) for part, names in listed.items()} == defined
    assert all(len(set(names)) == len(names) for names in listed.values())


def test_parts() -> None:
    kernel = paths.MODULE_SOURCES
    for name, part in (
        ("core/access.c", "core"),
        ("promote/demotion.c", "promote"),
        ("sources/perf/perf.c", "perf"),
        ("sources/samples.c", "sources"),
    ):
        assert descriptors.part_of(kernel / name) == part


def test_reasons_are_those_of_the_event_and_of_the_counters() -> None:
    names = [reason.name for reason in descriptors.reasons()]
    text = (paths.MODULE_SOURCES / "promote/trace.h").read_text()
    assert re.findall(r"\{ PGHOT_REFUSED_\w+,\s+\"(\w+)\" \}", text) == names
    counted = [name for name in descriptors.node_counters() if name.startswith("refused_")]
    assert counted == [f"refused_{name}" for name in names]
    assert all(reason.meaning for reason in descriptors.reasons())


def test_members(tmp_path: Path) -> None:
    for bit, name in ((3, "moon"), (1, "sun")):
        folder = tmp_path / "sources" / name
        folder.mkdir(parents=True)
        text = SOURCE.format(name=name, upper=name.upper(), bit=bit)
        if name == "moon":
            text = text.replace("\t.bit", "\t.wanted = moon_wanted,\n\t.bit")
        (folder / f"{name}.c").write_text(text)
    found = descriptors.sources(tmp_path)
    assert [(s.name, s.title, s.bit, s.wanted) for s in found] == [
        ("sun", "suns", 1, False),
        ("moon", "moons", 3, True),
    ]


def test_place_that_nothing_defines(tmp_path: Path) -> None:
    folder = tmp_path / "sources" / "sun"
    folder.mkdir(parents=True)
    (folder / "sun.c").write_text(
        SOURCE.format(name="sun", upper="SUN", bit=1).replace("#define SUN_BIT", "#define OTHER")
    )
    with pytest.raises(LookupError, match="no SUN_BIT"):
        descriptors.sources(tmp_path)
