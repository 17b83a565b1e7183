# SPDX-License-Identifier: GPL-2.0
"""The guide for administrators says what the code says: names, numbers, messages."""

import re
from pathlib import Path

import pytest

from pghotlab.base import descriptors, paths

KERNEL = paths.ROOT / "kernel"
GUIDE = (paths.ROOT / "docs" / "admin-guide.md").read_text()
# Without line breaks, for phrases.
PROSE = " ".join(GUIDE.split())
MODES = ("default", "precise")
# Counters that the guide has and a module may be built without.
MAYBE = {"demote_second_chance", "demote_to_swap"}
# Phrases of the guide, and the macros whose numbers they tell.
PHRASES = (
    (
        "promote/promoter.c",
        "PARALLEL_MAX",
        "for each `kmigrated` as many as there are CPUs online, at most {}",
    ),
    ("promote/kmigrated.c", "BACKOFF_MAX", "up to {} ms, while passes promote nothing"),
    ("wrapper/folio.c", "UNMAPPED_MIN", "unmapped at a time: at least {},"),
    ("wrapper/folio.c", "UNMAPPED_FACTOR", "as many as {} times the cube root of the number"),
    ("sources/mglru/pause.h", "AGING_PAUSE_MIN", "then a pause: {} ms"),
    ("sources/mglru/pause.h", "AGING_PAUSE_NEW", "at most {} ms after a round that met new pages"),
    (
        "sources/mglru/pause.h",
        "AGING_EMPTY_REST",
        "nothing in use again it is at least {} times as long",
    ),
    ("sources/accessed/tune.h", "SCAN_EMPTY_SHARE", "such scans take 1/{} of one CPU"),
    ("sources/accessed/tune.h", "SCAN_EMPTY_MIN", "in less than {} ms"),
    ("sources/chmu/regs.h", "CHMU_EPOCH_US", "If none is set, an epoch is {} us"),
    ("sources/chmu/regs.h", "CHMU_THRESHOLD", "if none is set, the threshold is {}."),
    ("sources/chmu/regs.h", "CHMU_RANGES_MAX", "lines, {} for a device"),
    ("sources/chmu/map.h", "CHMU_MAP_LINES", "At most {} lines"),
    ("sources/chmu/unit.c", "CHMU_PAGES", "{} pages are reported at a time"),
    ("sources/chmu/regs.h", "CHMU_NONSENSE_MAX", "in {} looks in a row is switched off"),
    ("sources/chmu/layout.h", "CHMU_LOCATOR_IS_CHMU", "in the register locator is {}."),
    ("core/record.h", "REC_LINE", "Default mode knows both for {} neighbouring pages"),
    ("sources/ring.h", "RING_SLOTS", "ring of their CPU full: {} wait"),
    ("sources/samples.c", "GATHER", "wait for a worker, for about {} ms"),
    ("sources/ring.h", "RING_SLOTS", "Up to {} samples wait for the CPU's worker"),
    ("sources/perf/perf.c", "PERF_LOOK", "looked at every {} ms, CPU by CPU"),
    ("sources/accessed/scanner.c", "CHUNK", "lock itself for {} entries at a time"),
    ("sources/accessed/walk.c", "ASKED", "such an entry counts as {}, a huge one"),
    ("sources/accessed/scanner.c", "RETRY", "it comes again {} ms later"),
    ("sources/accessed/scanner.c", "SPARSE", "ends after {} times its size"),
    ("sources/accessed/tune.h", "SCAN_PERIOD_INITIAL", "from one scan to the next | {} ms |"),
    ("sources/accessed/tune.h", "SCAN_PERIOD_MIN", "next | 2000 ms | {} to"),
    ("sources/accessed/tune.h", "SCAN_PERIOD_MAX", "next | 2000 ms | 500 to {} ms |"),
    ("sources/accessed/tune.h", "SCAN_SIZE_INITIAL", "size of a scan | {} MiB |"),
    ("sources/accessed/tune.h", "SCAN_SIZE_MIN", "scan | 1024 MiB | {} to"),
    ("sources/accessed/tune.h", "SCAN_SIZE_MAX", "scan | 1024 MiB | 256 to {} MiB |"),
    ("sources/accessed/tune.h", "SCAN_USEFUL_MIN", "if it finds {} accessed pages"),
    ("sources/accessed/tune.h", "SCAN_SCALE_MAX", "from 0, never scanned, to {}."),
    ("sources/accessed/tune.h", "SCAN_SCALE_DEFAULT", "All start with {}."),
    ("policy/effort.h", "EFFORT_VAIN", "Pages that were found in {} sweeps"),
    ("policy/effort.h", "EFFORT_MIN", "the effort is halved, down to {} %"),
    ("policy/effort.h", "EFFORT_SAMPLE", "Below {} %, only a sample"),
    ("policy/latency.h", "LATENCY_FAST", "was read, {} ns is assumed for it"),
    ("policy/latency.h", "LATENCY_GAP", "and the difference is {} ns at least"),
    ("policy/gain.h", "GAIN_COST_FREE", "No more than {} ns counts where plenty of memory is free"),
    ("policy/latency.h", "LATENCY_GAP_MIN", "{} ns is the least that is believed"),
    ("policy/gain.h", "GAIN_CLEAR", "hot pages are used {} times as often as idle ones"),
    ("promote/roomuse.h", "ROOM_COUNTED", "if these were {} pages or more"),
    ("policy/bounce.h", "BOUNCE_SHARE", "more than 1 of {} promotions are bounces"),
    ("policy/bounce.h", "BOUNCE_BAR_MAX", "The bar is at most {}."),
    ("policy/bounce.h", "BOUNCE_LOOK", "It is looked at after {} promotions"),
    ("policy/price.h", "PRICE_MAX", "The price is {} at most"),
    ("policy/rate.h", "RATE_PAGES_MIN", "Fewer than {} folios of slow nodes"),
    ("sources/windows/windows.c", "SLICE_LEAST", "half of a window: {} to 512 page tables"),
    ("sources/windows/windows.c", "SLICE_MOST", "half of a window: 8 to {} page tables"),
    (
        "sources/windows/windows.h",
        "WINDOW_READS",
        "one word in each of up to {} pages of each tier",
    ),
    ("sources/windows/look.c", "SAMPLE_PAGES", "another one each time: {} pages in each of"),
    ("sources/windows/windows.c", "YOUNG", "processes that are older than {} ms"),
    ("sources/windows/look.c", "CHUNK", "address space for {} entries at a time"),
    ("sources/windows/look.c", "ASKED", "Such an entry counts as {} entries"),
)
# The first value of a tunable that has no fixed one.
CHOSEN = "what the policy chooses"
# x86-64.
PAGE = 4096
SECTION_PAGES = 32768
SECTIONS_OF_TIB = 8192
SIZES = {"u8": 1, "s16": 2, "u32": 4, "unsigned long": 8, "struct list_head": 16}
POINTER = 8
CACHE_LINE = 64


def source(name: str) -> str:
    return (KERNEL / name).read_text()


def rows(*header: str) -> dict[str, list[str]]:
    """The table whose header starts like this: the other cells, by the first."""
    lines = iter(GUIDE.splitlines())
    start = "| " + " | ".join(header) + " |"
    for line in lines:
        if line.startswith(start):
            break
    else:
        pytest.fail(f"no table {start}")
    next(lines)
    found = {}
    for line in lines:
        if not line.startswith("|"):
            break
        first, *cells = (cell.strip().strip("`*") for cell in line.strip("|").split("|"))
        found[first] = cells
    return found


def number(text: str) -> int:
    """The value of an integer constant of the code, as far as tables use them."""
    return int(text.rstrip("u"), 0)


def both(default: object, precise: object) -> str:
    return str(default) if default == precise else f"{default}; precise {precise}"


def tunables() -> dict[str, list[str]]:
    """What the guide has to say of each tunable: default, range, sysctl, debugfs."""
    found = {}
    for tunable in descriptors.tunables():
        if tunable.highest[0] is None:
            span = f"{tunable.lowest}, or a node with memory"
        else:
            span = both(*(f"{tunable.lowest} to {top}" for top in tunable.highest))
        first = tunable.initial if tunable.initial[0] is not None else (CHOSEN, CHOSEN)
        doors = ["yes" if door in tunable.doors else "no" for door in ("sysctl", "debugfs")]
        found[tunable.name] = [both(*first), span, *doors]
    return found


def parameters() -> list[str]:
    text = "".join(path.read_text() for path in KERNEL.rglob("*.c"))
    others = set(re.findall(r"^module_param\((\w+),", text, re.M))
    return [*tunables(), *sorted(others)]


def counters() -> dict[str, str]:
    """What the guide has to say of each counter: in which directories it is."""
    found = {counter.name: "sum" for counter in descriptors.counters()}
    found |= dict.fromkeys([*descriptors.node_counters(), "promoted_bytes"], "sum, node")
    found["hot_threshold_ms"] = "node"
    return found


def tracepoints() -> dict[str, list[str]]:
    """Fields of each event, as its format prints them."""
    return {event.name: list(event.fields) for event in descriptors.events()}


def messages() -> list[str]:
    """Formats of what is logged, without the module's name in front."""
    files = sorted(KERNEL.rglob("*.c"))
    text = "\n".join(path.read_text() for path in files)
    found = re.findall(r"\bpr_(?:err|warn|info)\(\s*\"(.*?)\\n\"", text)
    assert len(found) == len(re.findall(r"\bpr_\w+\(", text))
    titles = {source.name: source.title for source in descriptors.sources()}
    reasons = re.findall(
        r"\bpghot_source_unavailable\((?:&pghot_(\w+)_source|source),\s*\"(.*?)\"", text
    )
    assert len(reasons) == len(re.findall(r"^\t+pghot_source_unavailable\(", text, re.M))
    return found + [
        f"{titles.get(name, '%s')}: not available, because {reason}" for name, reason in reasons
    ]


def format_of(mode: str) -> dict[str, int]:
    """The numbers of struct rec_format of a mode."""
    block = re.search(rf"rec_{mode} = \{{(.*?)\}};", source("core/record.h"), re.DOTALL)
    assert block
    return {name: int(value) for name, value in re.findall(r"\.(\w+) = (\d+),", block[1])}


def section_bytes(mode: str) -> dict[str, int]:
    """What struct hot_section takes in a mode, by what for."""
    line = number(re.findall(r"#define REC_LINE\t(\w+)", source("core/record.h"))[0])
    counts = {"HOT_LINES": SECTION_PAGES // line, "PAGES_PER_SECTION": SECTION_PAGES}
    block = re.search(r"^struct hot_section \{\n(.*?)^\};", source("core/hotmap.h"), re.M | re.S)
    assert block
    lines = counts["HOT_LINES"]
    # Two queues, and as many heads as fit a cache line have one of their own.
    heads = -(-lines // (CACHE_LINE // (SIZES["u32"] + SIZES["s16"])))
    sizes = {"ready": 2 * lines // 8, "head": heads * CACHE_LINE, "header": 0}
    for declaration in re.findall(r"^\t+([^{}]+?);", block[1], re.MULTILINE):
        if declaration in (
            "unsigned long ready[HOT_QUEUES][BITS_TO_LONGS(HOT_LINES)]",
            "struct hot_head head[DIV_ROUND_UP(HOT_LINES, HOT_HEAD)]",
        ):
            continue
        found = re.fullmatch(r"([\w ]+) (\*?)(\w+)(?:\[(\w+)\])?", declaration)
        assert found, declaration
        size = POINTER if found[2] else SIZES[found[1]]
        if found[4]:
            sizes[found[3]] = size * counts[found[4]]
        else:
            sizes["header"] += size
    # The records begin with a cache line.
    sizes["header"] += -(sizes["header"] + sizes["ready"]) % CACHE_LINE
    sizes["record"] = sizes.pop("rec8")
    if mode == "precise":
        sizes["record"] = sizes["rec32"]
    del sizes["rec32"]
    assert sizes["record"] == SECTION_PAGES * format_of(mode)["bytes"]
    return sizes


@pytest.mark.parametrize("name", tunables())
def test_tunable(name: str) -> None:
    _unit, *cells = rows("name", "unit", "default", "range", "sysctl", "debugfs")[name]
    assert cells == tunables()[name]
    assert f"**`{name}`**: " in GUIDE


def test_no_other_tunable() -> None:
    assert set(rows("name", "unit", "default", "range")) == set(tunables())


@pytest.mark.parametrize("name", parameters())
def test_parameter(name: str) -> None:
    load_only = rows("name", "value", "default", "afterwards")
    assert (name in tunables()) != (name in load_only)


@pytest.mark.parametrize("name", counters())
def test_counter(name: str) -> None:
    _unit, where, _meaning = rows("name", "unit", "where")[name]
    assert where == counters()[name]


def test_no_other_counter() -> None:
    assert set(rows("name", "unit", "where")) - MAYBE == set(counters()) - MAYBE


@pytest.mark.parametrize("name", tracepoints())
def test_tracepoint(name: str) -> None:
    fields, _says = rows("name", "fields")[name]
    assert re.findall(r"\w+", fields) == tracepoints()[name]


def test_no_other_tracepoint() -> None:
    assert set(rows("name", "fields")) == set(tracepoints())


@pytest.mark.parametrize("text", messages())
def test_message(text: str) -> None:
    parts = [re.escape(part) for part in re.split(r"%[*#]*(?:l{0,2}u|l?x|pbl|s|d)", text)]
    pattern = re.compile("[^`|]+".join(parts))
    shown = [*rows("message", "error"), *rows("message", "meaning")]
    assert any(pattern.fullmatch(message) for message in shown), text


@pytest.mark.parametrize("mode", MODES)
def test_times(mode: str) -> None:
    table = rows("records", *(f"`mode={name}`" for name in MODES))
    column = MODES.index(mode)
    of_mode = format_of(mode)
    seconds = {
        "a record is forgotten after": of_mode["keep"],
        "an access may be reported late by (`pghot_memory()`)": of_mode["keep"] // 2,
    }
    for name, buckets in seconds.items():
        told = f"{(buckets << of_mode['bucket_shift']) / 1e9:.1f} s"
        assert table[name][column] == told, name
    assert table["accesses counted, at most"][column] == str(of_mode["freq_max"])
    value, unit = table["resolution of time"][column].split()
    assert unit == "ms"
    assert float(value) == pytest.approx((1 << of_mode["bucket_shift"]) / 1e6, rel=0.005)


def test_how_far_back_the_threshold_tells() -> None:
    """How often the threshold is lowered before it refuses the oldest hint faults."""
    starts = tunables()["promote_freq_window_ms"][0].split("; precise ")
    lowered, oldest = [], []
    for mode, start in zip(MODES, map(int, starts), strict=True):
        f = format_of(mode)
        oldest.append((f["keep"] // 2 << f["bucket_shift"]) / 1e6)
        lowered.append(next(n for n in range(8) if start - n * (start // 8) <= oldest[-1]))
    default, precise = (f"{ms / 1000:.1f} s" for ms in oldest)
    assert f"first part is cut to {default} (precise: {precise})" in PROSE
    assert f"from {starts[0]} ms, it has to be lowered {lowered[0]} times" in PROSE
    assert lowered[1] == 0
    assert f"as {starts[1]} ms are below {precise}" in PROSE
    (below,) = re.findall(r"set `promote_freq_window_ms` below (\d+)", PROSE)
    assert oldest[0] <= int(below) < oldest[0] + 2


@pytest.mark.parametrize("mode", MODES)
def test_memory(mode: str) -> None:
    rows_of = rows("memory", *(f"`mode={name}`" for name in MODES))
    table = {row: cells[MODES.index(mode)] for row, cells in rows_of.items()}
    sizes = section_bytes(mode)
    starts = {
        "record": "record",
        "ready bit": "ready",
        "time of": "head",
        "header": "header",
    }
    for start, name in starts.items():
        (told,) = (value for row, value in table.items() if row.startswith(start))
        assert float(told.replace("-", "0")) == pytest.approx(
            sizes.pop(name) / SECTION_PAGES, abs=0.00006
        ), start
    assert sizes == {}
    total = sum(section_bytes(mode).values())
    allocated = -(-total // PAGE) * PAGE
    assert float(table["sum"]) == pytest.approx(total / SECTION_PAGES, abs=0.00006)
    assert table["bytes of a section of 128 MiB"] == str(total)
    assert table["allocated for a section, whole pages"] == str(allocated)
    assert table["MiB for each TiB of slow memory"] == str(allocated * SECTIONS_OF_TIB >> 20)


@pytest.mark.parametrize(("file", "macro", "phrase"), PHRASES)
def test_phrase(file: str, macro: str, phrase: str) -> None:
    (value,) = re.findall(rf"#define +{macro}\s+(\w+)", source(file))
    assert phrase.format(number(value)) in PROSE


def test_exported_functions() -> None:
    exported = set(re.findall(r"EXPORT_SYMBOL_GPL\((\w+)\)", source("core/access.c")))
    told = {
        name for row in rows("function", "for", "context") for name in re.findall(r" (\w+)\(", row)
    }
    assert told == exported | {"pghot_clock"}


def test_files_are_there() -> None:
    """What the guide links to exists."""
    for target in re.findall(r"\]\(([^)#]+)", GUIDE):
        assert (paths.ROOT / "docs" / Path(target)).exists(), target
    headings = {
        re.sub(r"[^\w -]", "", line.lstrip("# ")).lower().replace(" ", "-")
        for line in GUIDE.splitlines()
        if line.startswith("#")
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", GUIDE)) <= headings
