# SPDX-License-Identifier: GPL-2.0
"""What is made of the descriptions of the verbs: manuals, completion, and the JSON's schema."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from command import tree
from command.tree import Trees
from pghot.cli import main
from pghot.decide.blocked import REFUSALS
from pghot.decide.sources import COUNTERS, SOURCES
from pghot.decide.tunables import OTHERS, PARAMETERS, TUNABLES
from pghot.made.man import usage
from pghot.make import files
from pghot.make import main as make
from pghot.show.machinefile import machine_file
from pghot.show.png import png
from pghot.show.schema import of_class
from pghot.verbs import VERBS
from pghot.version import VERSION
from pghotlab.base import descriptors, paths
from pghotlab.base.release import version
from pghotlab.hardware.machine import parse_machine

SCHEMA = paths.ROOT / "docs" / "command-schema.json"
TYPES = {"integer": int, "string": str, "boolean": bool, "null": type(None)}


def test_version() -> None:
    assert version() == VERSION


def test_tunables_are_those_of_the_module() -> None:
    assert [*TUNABLES] == [t.name for t in sorted_like(TUNABLES, descriptors.tunables())]
    for tunable in descriptors.tunables():
        mine = TUNABLES[tunable.name]
        assert mine.lowest == tunable.lowest
        highest = None if tunable.highest[0] is None else tunable.highest
        assert mine.highest == highest, tunable.name
        initial = None if tunable.initial[0] is None else tunable.initial
        assert mine.initial == initial, tunable.name


def sorted_like(
    order: Mapping[str, object], found: tuple[descriptors.Tunable, ...]
) -> list[descriptors.Tunable]:
    return sorted(found, key=lambda one: [*order].index(one.name))


def test_parameters_are_those_of_the_module() -> None:
    text = "".join(path.read_text() for path in paths.MODULE_SOURCES.rglob("*.c"))
    plain = set(re.findall(r"^module_param\((\w+),", text, re.MULTILINE))
    texts = set(re.findall(r"^module_param_cb\((\w+), .*, 0\);", text, re.MULTILINE))
    assert {*PARAMETERS} == {*TUNABLES} | plain | texts
    assert {*OTHERS} == texts


def test_sources_are_those_of_the_module() -> None:
    assert [(s.bit, s.name) for s in SOURCES] == [
        (1 << s.bit, s.name) for s in descriptors.sources()
    ]
    counters = {counter.name for counter in descriptors.counters()}
    assert {*COUNTERS.values()} == {n for n in counters if n.startswith("recorded_")} - {
        "recorded_accesses"
    }


def test_reasons_are_those_of_the_module() -> None:
    assert [*REFUSALS] == [reason.name for reason in descriptors.reasons()]


def test_schema_is_documented() -> None:
    """The file in docs/ is what `python3 -m pghot.make` makes."""
    assert SCHEMA.read_text() == files()["doc/pghot-tools/schema.json"]


def complaints(value: object, schema: dict[str, object], place: str = "$") -> list[str]:
    """What of a value does not follow a schema, as far as ours use JSON Schema."""
    if "anyOf" in schema:
        options = schema["anyOf"]
        assert isinstance(options, list)
        tried = [complaints(value, one, place) for one in options]
        return [] if [] in tried else tried[0]
    kind = schema["type"]
    if kind == "object":
        if not isinstance(value, dict):
            return [f"{place}: no object"]
        properties = schema.get("properties", {})
        extra = schema.get("additionalProperties")
        required = schema.get("required", [])
        assert isinstance(properties, dict)
        assert isinstance(required, list)
        found = [f"{place}: no {name}" for name in required if name not in value]
        for name, one in value.items():
            inner = properties.get(name, extra)
            if inner is None:
                found.append(f"{place}: {name} is not described")
            else:
                found += complaints(one, inner, f"{place}.{name}")
        return found
    if kind == "array":
        items = schema["items"]
        assert isinstance(items, dict)
        if not isinstance(value, list):
            return [f"{place}: no array"]
        return [c for n, one in enumerate(value) for c in complaints(one, items, f"{place}[{n}]")]
    if kind == "number":
        right = isinstance(value, int | float) and not isinstance(value, bool)
    else:
        right = type(value) is TYPES[str(kind)]
    return [] if right else [f"{place}: {value!r} is no {kind}"]


def test_complaints_complain() -> None:
    schema = of_class(VERBS["doctor"].result)
    good = {"state": "well", "findings": [], "unknown": []}
    assert complaints(good, schema) == []
    assert complaints({**good, "state": 1}, schema) == ["$.state: 1 is no string"]
    assert complaints({**good, "more": 1}, schema) == ["$: more is not described"]
    assert complaints({"state": "well", "findings": []}, schema) == ["$: no unknown"]
    assert complaints({**good, "findings": [{}]}, schema)[0] == "$.findings[0]: no name"


RUNS = {
    "status": ("-s", "0"),
    "doctor": ("-s", "0"),
    "setup": (),
    "load": (),
    "set": ("freq_threshold=1",),
    "sources": ("-s", "0"),
    "why": ("42", "-s", "0"),
    "top": ("-n", "1", "-s", "0"),
    "metrics": (),
    "bundle": ("--show", "-s", "0"),
}


@pytest.mark.parametrize("verb", RUNS)
def test_json_follows_the_schema(
    trees: Trees, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    process = {
        "proc/42/comm": "x\n",
        "proc/42/statm": "9 9\n",
        "proc/42/status": "",
        "proc/42/smaps": "10000000-10400000 rw-p 0 0:0 0\nVmFlags: rd wr\n",
        "proc/42/numa_maps": "10000000 default N0=1 N1=2\n",
    }
    options = {"etc/modprobe.d/x.conf": "options pghot freq_treshold=1\n"}
    root = trees.root(tree.loaded(), process, options)
    main(["--root", str(root.folder), verb, "--json", *RUNS[verb]])
    schema = json.loads(SCHEMA.read_text())["$defs"][verb]
    lines = capsys.readouterr().out.splitlines()
    assert lines
    for line in lines:
        assert complaints(json.loads(line), schema) == []


def test_made_files(tmp_path: Path) -> None:
    make(tmp_path)
    assert (tmp_path / "man/man8/pghot.8.gz").exists()
    assert (tmp_path / "doc/pghot-tools/schema.json").exists()
    again = (tmp_path / "man/man8/pghot.8.gz").read_bytes()
    make(tmp_path)
    assert (tmp_path / "man/man8/pghot.8.gz").read_bytes() == again


def test_manual_tells_of_all_verbs() -> None:
    page = files()["man/man8/pghot.8"]
    for verb in VERBS.values():
        assert f".SH {verb.name.upper()}\n" in page
        assert usage(verb) in page
        for option in verb.options:
            assert option.flags[-1].replace("-", "\\-") in page or option.metavar in page
    module = files()["man/man4/pghot.4"]
    for name in PARAMETERS:
        assert f"\\fB{name}\\fR" in module


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff here")
@pytest.mark.parametrize("name", ["man/man8/pghot.8", "man/man4/pghot.4"])
def test_manuals_are_right_roff(name: str) -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"],
        input=files()[name],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


def complete(words: list[str], tmp_path: Path) -> list[str]:
    """What bash offers for the last word."""
    script = tmp_path / "pghot"
    script.write_text(files()["bash-completion/completions/pghot"])
    line = " ".join(f"'{word}'" for word in words)
    steps = (
        f"compopt() {{ :; }}; . {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
        '_pghot; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", steps], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["pghot", "st"], ["status"]),
        (["pghot", "set", "freq"], ["freq_threshold="]),
        (["pghot", "setup", "--un"], ["--undo"]),
        (["pghot", "setup", "--numa-balancing", ""], ["0", "1", "2", "3"]),
        (["pghot", "status", "-s", ""], []),
        (["pghot", "doctor", "--j"], ["--json"]),
        (["pghot", "la"], ["lab"]),
        (["pghot", "lab", "tr"], ["try"]),
    ],
)
def test_bash_completion(words: list[str], offered: list[str], tmp_path: Path) -> None:
    assert complete(words, tmp_path) == offered


def test_zsh_completion_names_all() -> None:
    script = files()["zsh/vendor-completions/_pghot"]
    assert script.startswith("#compdef pghot\n")
    for verb in VERBS.values():
        assert f"\t{verb.name}) _arguments" in script
        assert not verb.action or f"'2:action:({verb.action})'" in script
    if shutil.which("zsh"):
        subprocess.run(["zsh", "-n"], input=script, text=True, check=True)


def test_png() -> None:
    made = png([b"\0\1", b"\1\0"], [(0, 0, 0), (255, 255, 255)])
    assert made.startswith(b"\x89PNG\r\n\x1a\n")
    assert made[16:24] == b"\0\0\0\2\0\0\0\2"


def test_machine_file_is_one_of_the_lab(trees: Trees, tmp_path: Path) -> None:
    machine = trees.machine(
        {
            **tree.plain(),
            **tree.node(0, "0-63", "10 20 50", 400 << 20, 1 << 20),
            **tree.node(1, "64-127", "20 10 50", 400 << 20, 1 << 20),
            **tree.node(2, "", "50 50 10", 200 << 20, 1 << 20),
        }
    )
    text = machine_file(
        "mine",
        machine.nodes,
        {(a, b): 80 + 100 * abs(a - b) for a in (0, 1) for b in (0, 1, 2)},
        {0: 200_000, 1: 200_000, 2: 50_000},
        [],
    )
    made = parse_machine(tmp_path / "mine.toml", text.encode())
    assert [len(node.cpus) for node in made.nodes] == [4, 4, 0]
    assert made.latency_ns[0] == (80, 180, 280)
    assert made.memory <= 3 << 30


def test_machine_file_that_the_lab_has_not(trees: Trees) -> None:
    nodes = trees.machine(tree.plain()).nodes
    with pytest.raises(ValueError, match="numbered from 0"):
        machine_file("mine", nodes[1:], {}, {}, [])
