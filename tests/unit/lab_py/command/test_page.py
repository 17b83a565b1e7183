# SPDX-License-Identifier: GPL-2.0
"""`pghot why` of a physical address: which page that is, who has it, and why it is there."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from command import tree
from command.tree import Trees
from pghot.cli import main
from pghot.decide.page import NOT_LISTED, UNMOVABLE, Seen, conclusions, kind
from pghot.errors import FAILED, OK, USAGE
from pghot.read.page import FLAGS, Page, addresses, frame_at, read_page
from pghot.read.process import ENTRY, PAGE, PRESENT, read_process
from pghot.read.root import Root

BLOCK = 128 << 20
# The first page of node 1, whose memory is the block after the two of node 0.
FIRST = 2 * BLOCK // PAGE
FOLIO = 8
BLOCKS = {
    "sys/devices/system/memory/block_size_bytes": f"{BLOCK:x}\n",
    "sys/devices/system/node/node0/memory0/state": "online\n",
    "sys/devices/system/node/node0/memory1/state": "online\n",
    "sys/devices/system/node/node1/memory2/state": "online\n",
}
# Its second mapping has memory on node 1.
PROCESS = {
    "proc/42/comm": "server\n",
    "proc/42/status": "Mems_allowed_list:\t0-1\n",
    "proc/42/statm": "100 100 0 0 0 0 0\n",
    "proc/42/smaps": (
        "00010000-00020000 rw-p 00000000 00:00 0\nVmFlags: rd wr\n"
        "00020000-00040000 rw-p 00000000 00:00 0 [heap]\nVmFlags: rd wr\n"
    ),
    "proc/42/numa_maps": (
        "00010000 default anon=1 N0=1 kernelpagesize_kB=4\n"
        "00020000 bind:1 anon=2 N1=2 kernelpagesize_kB=4\n"
    ),
}


def entry(*flags: str) -> int:
    return sum(1 << FLAGS[flag] for flag in flags)


def write_entries(root: Root, name: str, entries: Mapping[int, int]) -> None:
    """A file with an entry of 8 bytes for each page; those that are not named are 0."""
    path = root.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for number, value in entries.items():
            file.seek(number * ENTRY)
            file.write(value.to_bytes(ENTRY, "little"))


@pytest.fixture
def root(trees: Trees) -> Root:
    """Node 1 begins with a page of its own, then a folio, then something of each kind."""
    made = trees.root(tree.loaded(), BLOCKS, PROCESS)
    flags = {0: entry("slab"), FIRST: entry("lru", "anonymous")}
    flags[FIRST + FOLIO] = entry("lru", "anonymous", "head")
    flags |= {FIRST + FOLIO + n: entry("tail") for n in range(1, FOLIO)}
    flags |= {FIRST + 2 * FOLIO: entry("free"), FIRST + 2 * FOLIO + 1: 0}
    write_entries(made, "proc/kpageflags", flags)
    places = {0x20: PRESENT | FIRST, 0x21: PRESENT | (FIRST + FOLIO + 2), 0x22: FIRST}
    write_entries(made, "proc/42/pagemap", places)
    return made


def ask(root: Root, address: int | str, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any, str]:
    text = address if isinstance(address, str) else f"{address:#x}"
    code = main(["--root", str(root.folder), "why", text, "-j", "-s", "0"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


def test_page(root: Root) -> None:
    assert read_page(root, FIRST * PAGE + 17) == Page(
        FIRST, 1, FIRST, 1, frozenset(("lru", "anonymous"))
    )
    assert read_page(root, 5) == Page(0, 0, 0, 1, frozenset(("slab",)))


@pytest.mark.parametrize("within", [0, 2, FOLIO - 1])
def test_page_of_a_large_folio(root: Root, within: int) -> None:
    page = read_page(root, (FIRST + FOLIO + within) * PAGE)
    assert (page.pfn, page.head, page.pages) == (FIRST + FOLIO + within, FIRST + FOLIO, FOLIO)
    assert {"lru", "anonymous"} <= page.flags


def test_who_has_it(root: Root) -> None:
    process = read_process(root, 42)
    assert [at for _, at in addresses(root, process, FIRST, 1)] == [0x20000]
    # Without the bit that says that it is in memory, a number means something else.
    assert frame_at(root, 42, 0x22000) is None
    assert frame_at(root, 42, 0x20123) == FIRST
    assert [at for _, at in addresses(root, process, FIRST + 1, 1)] == []


def test_why(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    code, found, _ = ask(root, FIRST * PAGE + 17, capsys)
    assert code == OK
    assert found["page"] == {
        "address": f"{FIRST * PAGE:#x}",
        "node": 1,
        "kind": "anonymous memory",
        "size": PAGE,
        "accesses": None,
        "refused": {},
    }
    assert [(p["pid"], p["mappings"][0]["name"]) for p in found["processes"]] == [(42, "[heap]")]
    assert found["conclusions"] == [
        "It cannot be promoted: the memory policy bind:1 keeps it on node 1.",
        "Whether it is hot was not looked at: that takes root, and some seconds.",
    ]
    assert main(["--root", str(root.folder), "why", f"{FIRST * PAGE:#x}", "-s", "0"]) == OK
    assert "on node 1, 4.0 KiB: anonymous memory" in capsys.readouterr().out


def test_why_of_fast_memory(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    _, found, _ = ask(root, "0x0", capsys)
    assert found["conclusions"] == ["It is on node 0, which is fast: there is nothing to promote."]


def test_why_of_what_cannot_move(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    _, found, _ = ask(root, (FIRST + 2 * FOLIO) * PAGE, capsys)
    assert found["conclusions"] == [f"It cannot be promoted: {UNMOVABLE['free']}."]
    _, found, _ = ask(root, (FIRST + 2 * FOLIO + 1) * PAGE, capsys)
    assert found["conclusions"] == [f"It cannot be promoted: {NOT_LISTED}."]


def test_why_refuses(root: Root, trees: Trees, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = ask(root, 99 * BLOCK, capsys)
    assert (code, "no memory at the physical address" in said) == (FAILED, True)
    code, _, said = ask(root, "0xpage", capsys)
    assert (code, "0xpage: is no hexadecimal address" in said) == (USAGE, True)
    code, _, said = ask(trees.root(tree.loaded(), BLOCKS), FIRST * PAGE, capsys)
    assert (code, "/proc/kpageflags" in said) == (FAILED, True)


MOVABLE = Page(FIRST, 1, FIRST, 1, frozenset(("lru",)))
QUIET = tree.STATE.replace("small: promote: there is free memory", "small: quiet: nothing is hot")


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (Seen(0, False, {}, None, False), "it looks idle"),
        (Seen(3, False, {}, None, False), "did not reach freq_threshold=2"),
        (Seen(3, True, {}, None, False), "waits for its turn"),
        (Seen(3, True, {"full": 4}, None, False), "refused 4 times: fast nodes had no room"),
        (Seen(3, True, {}, 0, False), "moved to node 0, which is fast,"),
        (Seen(3, True, {}, 1, False), "moved to node 1, which is slow, too,"),
        (Seen(3, True, {}, None, True), "moved or freed"),
    ],
)
def test_conclusions(trees: Trees, seen: Seen, words: str) -> None:
    module = trees.machine(tree.loaded()).module
    found = conclusions(MOVABLE, module, seen, [])
    assert len(found) == 1
    assert words in found[0]
    assert kind(MOVABLE) == "page cache"


def test_what_the_policy_says(trees: Trees) -> None:
    module = trees.machine(tree.loaded(), {f"{tree.PGHOT}/policy_state": QUIET}).module
    found = conclusions(MOVABLE, module, Seen(0, False, {}, None, False), [])
    assert found[1] == "The policy promotes no small pages now: nothing is hot on fast nodes."
    assert conclusions(MOVABLE, None, None, []) == ["pghot is not loaded, so nothing is promoted."]
