# SPDX-License-Identifier: GPL-2.0
"""The figures of docs/results.md are those of the result files that it names."""

import json
import math
import statistics

import pytest

from docs.shipped import LAB, README, RESULTS, TEXT, kept, percent, shown_rows
from pghotlab.base import paths
from pghotlab.hardware.machine import load_machine
from pghotlab.rows.overtime import points
from pghotlab.rows.summary import Row, middle
from pghotlab.tables.recipe import load_recipe

# What the stock kernel can do.
PEERS = ("numab0", "numab2", "damon", "damon-cold", "damon-goals")


def edge_ns(row: Row) -> float:
    """What a rank takes for an edge, before time is slowed four times."""
    run = row["measured"]
    edges = run["harmonic_mean_teps"] * run["mean_time_s"] * run["nr_searches"] * 2
    return float(row["guest_ns"] / edges * run["threads"] / 4)


def test_graph500_text() -> None:
    far, near = kept("graph500", "far"), kept("graph500", "near")
    none = [middle(rows["numab0"], "score_to_numab2") for rows in (far, near)]
    assert f"comes to {none[0]:.2f} of NUMAB2 on far sockets" in LAB
    assert f"and to {none[1]:.2f} on near" in LAB
    for rows, start in ((far, "a rank takes"), (near, "near sockets it is")):
        times = [statistics.median(map(edge_ns, rows[name])) for name in ("numab0", "numab2")]
        assert f"{start} {times[0]:.0f} ns" in LAB
        assert f"and {times[1]:.0f} with NUMAB2" in LAB
    units, searches = [], []
    for rows in (far, near):
        steady = {
            name: statistics.median(r["measured"]["median_teps"] for r in rows[name])
            for name in rows
        }
        hinted = steady.keys() - {"all-fast", "numab0", "pghot-vhmu", "damon"}
        assert min(steady[name] for name in hinted) > 0.98 * steady["all-fast"]
        units.append(percent(1 - steady["pghot-vhmu"] / steady["all-fast"]))
        whole = min(middle(rows[name], "score_to_bound") for name in hinted)
        searches.append(percent(1 - whole))
    assert f"alone, by {searches[0]} on far sockets and {searches[1]} on near ones at most" in LAB
    assert f"{units[0]} slower on far sockets, {units[1]} on near ones" in LAB
    assert f"{units[0]} slower than all memory fast on far sockets" in TEXT
    default = sorted(row["score_to_numab2"] for row in far["pghot-default"])
    assert f"it is at {statistics.median(default):.2f} (three seeds" in TEXT
    assert f"seeds, {default[0]:.2f} to {default[-1]:.2f})" in TEXT
    assert default[0] >= 1
    assert len(default) == 3
    own, bound = (middle(far[name], "score_to_numab2") for name in ("pghot-precise", "all-fast"))
    assert f"was to be 1.05 and is {own:.2f}: all memory fast is {bound:.2f}" in TEXT
    own, bound = (middle(near[name], "score_to_numab2") for name in ("pghot-vhmu", "all-fast"))
    assert f"was to be 1.19 and is {own:.2f}: all memory fast is {bound:.2f}" in TEXT


def test_overcommit_text() -> None:
    changes = []
    for case in ("warm", "cold"):
        rows = kept("overcommit", case)
        times = {name: statistics.median(row["score"] for row in rows[name]) for name in rows}
        others = times.keys() - {"all-fast", "damon", "damon-cold"}
        assert times["damon"] < min(times[name] for name in others)
        changes += [times[name] / times["numab0"] - 1 for name in ("numab2", "pghot-default")]
    warm, own_warm, cold, own_cold = (percent(abs(one)) for one in changes)
    assert f"it takes {1 + changes[0]:.2f} of its time where" in LAB
    assert f"in use, and {1 + changes[2]:.2f} where it is cold" in LAB
    assert f"it takes {warm} more time where" in TEXT
    assert changes[0] > 0
    assert f"in use, and {cold} less where it is cold" in TEXT
    assert (
        f"takes {own_warm} less than no balancing if the rest is in use, and {own_cold} less if it"
        in TEXT
    )
    assert max(changes[1:]) < 0
    times = {
        name: statistics.median(row["ns_to_90_percent_fast"] for row in rows[name]) / 1e9
        for name in ("damon", "pghot-default")
    }
    reached = f"after {times['damon']:.1f} s, hint faults after {times['pghot-default']:.1f} s"
    assert f"{reached} (the cold case)" in TEXT


def against(ratio: float) -> str:
    """A ratio of times as texts have it."""
    return f"{percent(abs(ratio - 1))} {'more' if ratio > 1 else 'less'}"


def test_micro_text() -> None:
    cases = [kept("micro", name) for name in ("4k", "thp", "file")]
    there = {
        name: [rows[name][0]["published_to_numab2"] for rows in cases]
        for name in ("numab0", "pghot-default", "pghot-accessed", "pghot-vhmu")
    }
    assert "Published are {:.2f}, {:.2f} and {:.2f} with version 3".format(*there["numab0"]) in LAB
    huge = cases[1]["numab0"][0]["published"] / cases[0]["numab0"][0]["published"]
    assert f"huge pages took {huge:.2f} of the time of 4 KiB ones" in LAB
    more = [f"{(ratio - 1) * 100:.0f}" for ratio in there["pghot-default"]]
    assert f"hint faults took {more[0]}, {more[1]} and {more[2]} % more time than NUMAB2" in TEXT
    took = ", ".join(map(against, there["pghot-accessed"][:2]))
    assert f"Published accessed bits took {took} and as much" in TEXT
    assert there["pghot-accessed"][2] == pytest.approx(1, abs=0.005)
    units = there["pghot-vhmu"]
    fewer = f"{(1 - units[1]) * 100:.1f} % less"
    assert f"hardware hints took as much, {fewer} and as much (version 3)" in TEXT
    assert max(abs(units[0] - 1), abs(units[2] - 1)) < 0.005
    none = [middle(rows["numab0"], "score_to_numab2") for rows in cases]
    assert f"No balancing takes {none[0]:.2f} of NUMAB2's time" in LAB
    assert f"{none[1]:.2f} with huge ones and {none[2]:.2f} with a mapped file" in LAB
    bound = middle(cases[0]["numab0"], "score_to_bound")
    assert f"slow takes {bound:.2f} of the time of all memory fast" in LAB
    assert f"the ratio is {bound:.2f}, near" in LAB
    walks = middle(cases[1]["numab0"], "score") / middle(cases[0]["numab0"], "score")
    assert f"which cost nothing here ({walks:.2f})" in LAB
    through = middle(cases[0]["numab2"], "ns_to_90_percent_fast") / 1e9
    through /= middle(cases[0]["numab2"], "score")
    assert f"accesses fast when {through:.2f} of its run is over" in LAB
    own = {
        name: [middle(rows[f"pghot-{name}"], "score_to_numab2") for rows in cases]
        for name in ("default", "accessed", "vhmu")
    }
    assert f"here they take {', '.join(map(against, own['default'][:2]))} and" in TEXT
    assert f"and {against(own['default'][2])}. Published accessed bits" in TEXT
    for name, start in (("accessed", "here they take"), ("vhmu", "counts every access takes")):
        assert max(own[name]) < 1
        less = [f"{(1 - one) * 100:.0f}" for one in own[name]]
        assert f"{start} {less[0]}, {less[1]} and {less[2]} % less" in TEXT
    moving = kept("micro", "moving")
    moved = [against(middle(moving[f"pghot-{name}"], "score_to_numab2")) for name in own]
    assert f"that moves, hint faults take {moved[0]}, accessed bits {moved[1]} and the" in TEXT
    assert f"accessed bits {moved[1]} and the unit {moved[2]}." in TEXT
    seeds = {len(found) for rows in (*cases, moving) for found in rows.values()}
    assert seeds == {3}


def promotion(row: Row) -> tuple[float, float]:
    """When the first pages were promoted, s, and pages a second from there to 90 % of them."""
    seconds = row["series"]["interval_ns"] / 1e9
    pages = [rate * seconds for rate in row["series"]["promoted_per_s"]]
    first = next(i for i, some in enumerate(pages) if some > 50)
    goal = 0.9 * sum(pages)
    last = next(i for i in range(len(pages)) if sum(pages[: i + 1]) >= goal)
    return first * seconds, goal / ((last + 1 - first) * seconds)


ABENCH = "pghot-accessed-numab1"


def abench(*names: str) -> tuple[list[dict[str, list[Row]]], list[dict[str, float]]]:
    """Rows of some cases, and their times to NUMAB2's."""
    cases = [kept("abench", name) for name in names]
    return cases, [{name: middle(rows[name], "score_to_numab2") for name in rows} for rows in cases]


def test_abench_text() -> None:
    cases, times = abench("8G", "16G", "32G", "64G")
    low, high = (edge(one[ABENCH] for one in times) - 1 for edge in (min, max))
    assert f"They take {low * 100:.0f} to {percent(high)} more in runs for which" in TEXT
    seconds = [middle(rows["numab2"], "score") for rows in cases]
    assert f"NUMAB2 takes {min(seconds):.0f} to {max(seconds):.0f} s:" in TEXT
    ratios = [f"{one['numab1']:.2f}" for one in times]
    assert f"NUMAB1 takes {', '.join(ratios[:-1])} and {ratios[-1]} of NUMAB2's time" in LAB
    there = [f"{rows['numab1'][0]['published_to_numab2']:.2f}" for rows in cases]
    assert f"(published, from 8 to 64 GB: {', '.join(there)})" in LAB
    own, stock = (
        [
            [statistics.median(part) for part in zip(*map(promotion, rows[name]), strict=True)]
            for rows in cases
        ]
        for name in (ABENCH, "numab2")
    )
    first, rates = ([part[i] for part in own] for i in (0, 1))
    assert f"first page after {min(first):.1f} to {max(first):.1f} s" in LAB
    assert f"moves {min(rates) / 1000:.0f},000 to {max(rates) / 1000:.0f},000 pages a second" in LAB
    assert f"move up to {max(part[1] for part in stock) / 1000:.0f},000." in LAB


def test_abench_long_text() -> None:
    sizes = ("8G", "16G", "32G", "64G")
    cases, times = abench(*(f"{size}-long" for size in sizes))
    own = [f"{100 * (1 - one[ABENCH]):.0f}" for one in times]
    there = [f"{100 * (1 - rows[ABENCH][0]['published_to_numab2']):.0f}" for rows in cases]
    assert f"they take {', '.join(own[:-1])} and {own[-1]} % less, from 8 to 64 GB;" in TEXT
    assert f"published are {', '.join(there[:-1])} and {there[-1]} %." in TEXT
    every = [*times, *abench(*sizes)[1]]
    most = max(abs(one["pghot-default"] - 1) for one in every)
    assert f"Hint faults are within {most * 100:.1f} % of NUMAB2 in all" in TEXT
    assert [one[ABENCH] <= 0.9 for one in every].count(True) == 1
    ratios = [f"{one['numab1']:.2f}" for one in times]
    assert f"and {', '.join(ratios[:-1])} and {ratios[-1]} in runs eight times as long" in LAB
    apart = []
    for rows in (*cases, *abench(*sizes)[0]):
        scores = [row["score"] for row in rows["numab1"]]
        apart.append((max(scores) - min(scores)) / statistics.median(scores))
    assert f"its seeds are up to {max(apart) * 100:.0f} % apart" in LAB
    for name, start in (("numab2", "accesses after"), (ABENCH, "NUMAB2, after")):
        found = [middle(rows[name], "ns_to_90_percent_fast") / 1e9 for rows in cases]
        assert f"{start} {min(found):.1f} to {max(found):.1f} s with" in LAB


def test_oltp_text() -> None:
    rows = kept("oltp", "sysbench")
    speeds = {name: statistics.median(row["score"] for row in rows[name]) for name in rows}
    to_recent = {name: speed / speeds["numab2-recent"] for name, speed in speeds.items()}
    there = 1 / rows["numab2-recent"][0]["published_to_numab2"]
    more, own = (percent(to_recent[name] - 1) for name in ("all-fast", "pghot-default"))
    assert f"there were to be {(there - 1) * 100:.1f} % more transactions" in TEXT
    assert f"all memory fast has {more} more, pghot by hint faults {own} more" in TEXT
    pairs = zip(rows["pghot-default"], rows["numab2-recent"], strict=True)
    seeds = [against(row["score"] / base["score"]) for row, base in pairs]
    pages = [f"{row['pages_promoted']:,}" for row in rows["pghot-default"]]
    assert f"(by seeds {seeds[0]}, {seeds[1]} and {seeds[2]}, with" in TEXT
    assert f"with {pages[0]}, {pages[1]} and {pages[2]} pages promoted)" in TEXT
    fewer, none = (percent(1 - to_recent[name]) for name in ("numab2", "numab0"))
    assert f"% are published, has {fewer} fewer, no balancing {none}." in TEXT
    assert f"comes to {to_recent['numab2']:.2f} of recent use (published: {there:.2f})" in LAB
    shares = [
        statistics.median(row["fast_share"] for row in rows[name]) * 100
        for name in ("numab2-recent", "numab2")
    ]
    assert f"recent use fast memory serves {shares[0]:.1f} % of" in LAB
    assert f"with which it serves {shares[1]:.0f} %" in LAB
    insns = [statistics.median(row["insn_user"] for row in rows[name]) for name in rows]
    assert f"differ by {percent(max(insns) / min(insns) - 1)} between policies" in LAB


def test_redis_text() -> None:
    change: dict[str, list[str]] = {}
    tail: dict[str, list[str]] = {}
    for case in ("even", "normal"):
        rows = kept("redis", case)
        base = statistics.median(row["score"] for row in rows["numab0"])
        for name in ("numab0", "numab2", "pghot-default", "pghot-mglru"):
            part = statistics.median(row["score"] for row in rows[name]) / base
            change.setdefault(name, []).append(f"{abs(part - 1) * 100:.0f}")
            assert (part < 1) == (name == "numab2")
            p99 = statistics.median(row["measured"]["p99_us"] for row in rows[name])
            tail.setdefault(name, []).append(f"{p99 / 1000:.1f}")

    def both(texts: list[str]) -> str:
        return " and ".join(texts)

    assert f"NUMAB2 has {both(change['numab2'])} % fewer requests a second" in TEXT
    assert f"percentile of {both(tail['numab2'])} ms instead of {tail['numab0'][0]} ms." in TEXT
    assert tail["numab0"][0] == tail["numab0"][1]
    assert f"pghot has {both(change['pghot-default'])} % more by hint faults" in TEXT
    assert (
        f"of {both(tail['pghot-default'])} ms, and {both(change['pghot-mglru'])} % more by ageing"
        in TEXT
    )


def test_jbb_text() -> None:
    rows = kept("jbb", "two-instances")
    parts = {name: middle(rows[name], "score_to_bound") for name in rows}
    pinned = rows["pinned"]
    there = {
        name: rows[name][0]["published"] / pinned[0]["published"] for name in ("unpinned", "numab1")
    }
    ranges = {
        name: [100 * edge(row["score_to_bound"] for row in rows[name]) for edge in (min, max)]
        for name in ("pghot-numab1", "numab1")
    }
    own, alone = (
        f"{percent(parts[name])} ({low:.0f} to {high:.0f}" for name, (low, high) in ranges.items()
    )
    assert f"two instances have {own})" in TEXT
    assert f"with NUMAB1 alone {alone}; published: {100 * there['numab1']:.0f})" in TEXT
    apart = [f"{high - low:.0f}" for low, high in reversed(ranges.values())]
    assert f"nothing to do here, are {apart[0]} and {apart[1]} % apart" in LAB
    assert {len(found) for found in rows.values()} == {3}
    unpinned = f"pinned has {parts['unpinned']:.2f} (published: {there['unpinned']:.2f})"
    assert f"{unpinned} and NUMAB1 {parts['numab1']:.2f} ({there['numab1']:.2f})" in LAB
    assert f"leaves pages on fast nodes alone, has {parts['numab2']:.2f} too" in LAB
    assert f"{parts['numab2']:.2f}" == f"{parts['unpinned']:.2f}"
    machine = load_machine("eight-node")
    stalled = statistics.median(
        row["stall_ns"] / (len(machine.latency_ns) * row["guest_ns"]) for row in pinned
    )
    halves = [statistics.mean(sorted(row)[:4]) for row in machine.latency_ns.values()]
    near, far = (
        statistics.mean(halves),
        statistics.mean(map(statistics.mean, machine.latency_ns.values())),
    )
    stretched = 1 / (1 - stalled + stalled * far / near)
    assert f"Pinned, {percent(stalled)} of the CPUs' time is stalls." in LAB
    assert f"latency is {near:.0f} ns from a node's CPU to the memory of its half" in LAB
    assert f"its half, and {far:.0f} ns to all memory. If all" in LAB
    assert f"longer by this factor, the speed would be {stretched:.2f}." in LAB


def test_pmbench_text() -> None:
    rows = kept("pmbench", "normal")
    speeds = {name: middle(rows[name], "score_to_numab2") for name in rows}
    stages = [
        f"{speeds[name]:.2f}" for name in ("numab2-recent", "numab2-ratelimit", "numab2-auto")
    ]
    assert f"recent use {stages[0]} (0.89), rate limit {stages[1]} (0.98), tuned {stages[2]}" in LAB
    score = speeds["pghot-auto"] / speeds["numab2-recent"] - 1
    promoted = [
        statistics.median(row["measured"]["promoted_mbps"] for row in rows[name])
        for name in ("numab2-recent", "pghot-auto")
    ]
    traffic = 1 - promoted[1] / promoted[0]
    assert f"{percent(score)} more accesses a second with {percent(traffic)} less" in TEXT
    hinted = max(
        speeds[name] for name in speeds.keys() - {"all-fast", "numab0", "pghot-accessed", "damon"}
    )
    balanced = f"no balancing is {speeds['numab0']:.2f} of NUMAB2"
    assert f"{balanced}, and the best policy that uses them is {hinted:.2f}." in TEXT
    assert f"Accessed bits cause no hint faults. They are {speeds['pghot-accessed']:.2f}," in TEXT


def test_reads() -> None:
    costs = json.loads((RESULTS / "reads.json").read_text())
    decisions = (paths.ROOT / "docs" / "decisions.md").read_text()
    for node, start in (("fast", "| fast |"), ("slow", "| slow, and recorded |")):
        states = ("without", "off", "on", "again", "after")
        figures = [f"{costs[f'{node}_{when}']:.0f}" for when in states]
        assert f"{start} {' | '.join(figures)} |" in decisions


def test_throttle() -> None:
    rows = [r for r in json.loads((RESULTS / "throttle.json").read_text()) if "held" in r]
    assert all(row["held"] and row["least_of_limit"] == 1 for row in rows)
    assert f"than {max(row['most_of_limit'] for row in rows):.1%}".replace("%", " %") in TEXT
    assert {row["name"]: row["convergence"] for row in rows} == {
        "pghot-4": "between two steps",
        "pghot-8": "between two steps",
        "pghot-16": "moving",
        "pghot-precise-8": "625 +- a step",
    }
    (most,) = (row for row in rows if row["name"] == "pghot-16")
    assert f"takes: {percent(most['last_candidates_of_limit'])} of it" in TEXT


def test_core() -> None:
    rows = json.loads((RESULTS / "core.json").read_text())

    def figures(mode: str, **wanted: object) -> str:
        wanted["mode"] = mode
        medians = [
            statistics.median(row["values"])
            for row in rows
            if all(row.get(key) == value for key, value in wanted.items())
        ]
        assert len(medians) == 1
        return f"{medians[0] / (1 << 20) if wanted['what'] == 'bytes' else medians[0]:.0f}"

    def instructions(mode: str) -> str:
        kinds = ("first", "again", "ready")
        return "/".join(figures(mode, what="instructions", kind=f"record_{kind}") for kind in kinds)

    modes = ("default", "precise")
    record = {"what": "record", "terabytes": 4, "pattern": "random", "threads": 1}
    scan = {"what": "scan", "terabytes": 1, "ready": 0, "spread": True}
    wanted = [
        ["recordingguestinstructions", *map(instructions, modes)],
        ["nsforarecord", *(figures(mode, **record) for mode in modes)],
        ["nsforascan", *(figures(mode, **scan) for mode in modes)],
        ["MiBforeachTB", *(figures(mode, what="bytes", terabytes=1) for mode in modes)],
    ]
    for start, *cells in wanted:
        assert any(c[0].startswith(start) and c[1:3] == cells for c in shown_rows()), cells


def test_costs() -> None:
    costs = json.loads((RESULTS / "costs.json").read_text())
    pages = costs.pop("per_promoted_page")
    pairs = [
        ("recordinganaccess", [costs[f"record_{kind}"] for kind in ("first", "again", "ready")]),
        ("promotingarecordedpage", [costs["promote_page"]]),
        ("apassofkmigrated", [costs["pass_of_one_page"]]),
        ("passesofkmigrated", [costs["idle_passes"]]),
        ("apagefromdetection", [pages["pghot-default"], pages["numab2"]]),
    ]
    for start, figures in pairs:
        wanted = "/".join(f"{figure:.0f}" for figure in figures)
        assert any(c[0].startswith(start) and c[1] == wanted for c in shown_rows()), wanted


# What the README calls the rows of the sources' table, and the cases that are its columns.
SOURCES = {
    "none (NUMAB0)": "numab0",
    "NUMAB2": "numab2",
    "DAMON": "damon",
    "hint faults": "pghot-default",
    "accessed bits": "pghot-accessed",
    "multi-gen LRU": "pghot-mglru",
    "page cache": "pghot-pagecache",
    "accessed bits + hint faults": "pghot-accessed-hintfaults",
    "hint faults + page cache": "pghot-default-pagecache",
    "accessed bits + page cache": "pghot-accessed-pagecache",
    "multi-gen LRU + page cache": "pghot-mglru-pagecache",
    "monitoring unit (modelled)": "pghot-vhmu",
}
CASES = ("4k", "thp", "file", "read", "moving")
WASTED = "wasted_promotions"


# Rows of the README and the policies that they are of.
UNITS = {
    "counts every access": "pghot-vhmu",
    **{f"counts 1 in {rate}": f"pghot-vhmu-1in{rate}" for rate in (4, 16, 64, 256, 1024)},
    **{f"loses {loss} % of the list": f"pghot-vhmu-loss{loss}" for loss in (50, 90, 99)},
    **{f"list of {entries:,}": f"pghot-vhmu-list{entries}" for entries in (1024, 65535)},
    "none: DAMON": "damon",
}


def source_medians(policy: str, key: str, *cases: str, table: str = "sources") -> list[float]:
    rows = json.loads((RESULTS / f"{table}.json").read_text())
    found = []
    for case in cases:
        values = [
            math.inf if row[key] is None else row[key]
            for row in rows
            if row["policy"] == policy and row["result"].startswith(f"{case}/")
        ]
        assert len(values) == 3
        found.append(statistics.median(values))
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_sources_row(name: str) -> None:
    policy = SOURCES[name]
    ratios = source_medians(policy, "ratio_to_numab2", *CASES)
    counts = [source_medians(policy, key, "4k")[0] for key in ("pages_promoted", WASTED)]
    seconds = source_medians(policy, "ns_to_90_percent_fast", "4k")[0] / 1e9
    kernel = source_medians(policy, "kernel_instructions", "4k")[0]
    wanted = [
        *(f"{ratio:.3f}" for ratio in ratios),
        *(f"{count:.0f}" for count in counts),
        "never" if math.isinf(seconds) else f"{seconds:.2f}",
        f"{kernel / 1e6:.0f}M",
    ]
    assert [name.replace(" ", ""), *wanted] in shown_rows(), wanted


@pytest.mark.parametrize("name", UNITS)
def test_unit_row(name: str) -> None:
    ratio, promoted, ns = (
        source_medians(UNITS[name], key, "4k", table="hmu")[0]
        for key in ("ratio_to_numab2", "pages_promoted", "ns_to_90_percent_fast")
    )
    seconds = "never" if math.isinf(ns) else f"{ns / 1e9:.2f}"
    start = name.replace(" ", "").replace(",", "")
    assert [start, f"{ratio:.3f}", f"{promoted:.0f}", seconds] in shown_rows()


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ("pghot-accessed", "Accessed bits take {} less time than NUMAB2 where memory is mapped"),
        ("damon", "10.3 %), DAMON {},"),
        ("pghot-mglru", "ageing by the multi-gen LRU {}."),
        (
            "pghot-vhmu",
            "shows what hardware hints may be worth: it takes {} less where memory is mapped",
        ),
    ],
)
def test_gains(policy: str, text: str) -> None:
    gains = [100 * (1 - ratio) for ratio in source_medians(policy, "ratio_to_numab2", *CASES[:3])]
    wanted = text.format(f"{min(gains):.0f} to {max(gains):.0f} %")
    assert wanted in TEXT, wanted


def test_moving_set() -> None:
    """What its text says besides the table's rows."""
    kinds = ("pghot-vhmu", "pghot-mglru", "pghot-accessed", "pghot-accessed-hintfaults")
    times = [source_medians(kind, "ratio_to_numab2", "moving")[0] for kind in kinds]
    unit, ageing, bits, paired = map(against, times)
    assert f"the unit takes {unit.removesuffix(' less')} less time, ageing {ageing}," in TEXT
    assert f"and accessed bits {bits}. Accessed bits beside hint faults" in TEXT
    assert f"as hint faults alone, take {paired}." in TEXT
    late = [source_medians(kind, "ns_to_90_percent_fast", "moving")[0] / 1e9 for kind in kinds[:3]]
    assert f"{min(late):.1f} to {max(late):.1f} s after the move" in TEXT
    assert f"After a move it takes {late[2]:.2f} s until 90 % are served fast" in TEXT
    rows = kept("sources", "moving")
    begin = {name: [promotion(row)[0] for row in rows[name]] for name in (*kinds[:3], "numab2")}
    first = [
        statistics.median(begin["numab2"]) - statistics.median(begin[kind]) for kind in kinds[:3]
    ]
    assert f"first place {min(first):.1f} to {max(first):.1f} s before" in TEXT
    (wait,) = source_medians("pghot-default", "ns_to_90_percent_fast", "moving")
    assert f"After a move it takes {wait / 1e9:.2f} s until 90 % are served fast" in TEXT
    alone, both = (
        source_medians(kind, "ratio_to_numab2", "4k", "file")
        for kind in ("pghot-mglru", "pghot-mglru-pagecache")
    )
    assert f"({both[0] - alone[0]:.2f} more, {alone[1] - both[1]:.2f} less)" in TEXT


def test_spreads() -> None:
    """Half the range over the median, of each policy and case."""
    rows = json.loads((RESULTS / "sources.json").read_text())
    times: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        times.setdefault((row["result"].split("/")[0], row["policy"]), []).append(row["guest_ns"])
    spreads = {
        key: (max(values) - min(values)) / 2 / statistics.median(values)
        for key, values in times.items()
    }
    assert f"Spreads are up to {max(spreads.values()):.1%}".replace("%", " %") in README


@pytest.mark.parametrize(
    ("policy", "before"),
    [
        ("numab2", "took NUMAB2 "),
        ("pghot-default", "hint faults "),
        ("pghot-mglru", "ageing "),
        ("pghot-accessed", "accessed bits "),
        ("pghot-vhmu", "monitoring unit "),
    ],
)
def test_detection(policy: str, before: str) -> None:
    found = json.loads((RESULTS / "detection.json").read_text())["detection"]
    assert f"{before}{found[policy] / 1e6:.0f} M" in TEXT
    assert f"{found['pghot-vhmu'] / found['numab2']:.2f} of NUMAB2's" in TEXT
    assert f"DAMON takes {-found['damon'] / 1e6:.0f} M less than that one" in TEXT


def test_over_committed_memory_on_the_newest_kernel() -> None:
    policies = ("all-fast", *PEERS, "pghot")
    rows = json.loads((RESULTS / "7.3" / "overcommit.json").read_text())
    seconds = {(row["policy"], row["case"]): row["guest_ns"] / 1e9 for row in rows}
    cases = list(dict.fromkeys(row["case"] for row in rows))
    assert seconds.keys() == {(policy, case) for policy in policies for case in cases}
    ratios = {}
    for case in cases:
        best = min(PEERS, key=lambda policy: seconds[policy, case])
        ratios[case] = seconds[best, case] / seconds["pghot", case]
        cells = " | ".join(f"{seconds[policy, case]:.3f}" for policy in policies)
        assert f"| {case} | {cells} | {ratios[case]:.3f} ({best}) |" in TEXT
    mean = statistics.geometric_mean(ratios.values())
    assert f"these {len(cases)} cases pghot is {mean:.3f} times as fast" in TEXT
    single = min(
        statistics.geometric_mean(seconds[peer, case] / seconds["pghot", case] for case in cases)
        for peer in PEERS
    )
    assert f"{single:.3f} times as fast as that" in TEXT
    below = [f"`{case}` ({ratio:.3f})" for case, ratio in ratios.items() if ratio < 0.98]
    assert f"Cases below 0.98: {', '.join(below)}." in TEXT
    assert f"and takes {seconds['damon', 'warm-thp']:.3f} s here" in TEXT
    assert cases == [case.name for case in load_recipe("overcommit").cases]


def late(row: Row) -> float:
    """Which part of the promoted pages was promoted in the last half of the run."""
    rates = [rate or 0 for rate in row["series"]["promoted_per_s"]]
    return float(sum(rates[len(rates) // 2 :]) / sum(rates))


def test_long_runs() -> None:
    policies = ("all-fast", "numab0", "numab2", "damon", "damon-cold", "pghot")
    rows = json.loads((RESULTS / "long" / "long.json").read_text())
    by = {(row["policy"], row["case"]): row for row in rows}
    cases = list(dict.fromkeys(row["case"] for row in rows))
    assert by.keys() == {(policy, case) for policy in policies for case in cases}
    best_of = {}
    for case in cases:
        for span, key in (("", "guest_ns"), (", last half", "last_half_ns")):
            seconds = {policy: by[policy, case][key] / 1e9 for policy in policies}
            best = min(policies[1:-1], key=lambda policy: seconds[policy])
            ratio = seconds[best] / seconds["pghot"]
            cells = " | ".join(f"{seconds[policy]:.3f}" for policy in policies)
            assert f"| {case}{span} | {cells} | {ratio:.3f} ({best}) |" in TEXT
            best_of[case, span] = f"{ratio:.3f}"
    assert (
        f"In `warm` pghot is {best_of['warm', '']} times as fast as the best of the stock kernel, "
        f"with huge pages {best_of['warm-thp', '']} times, "
        f"in `zipf` {best_of['zipf', '']} times, "
        f"and in `phases` {best_of['phases', '']} times" in TEXT
    )
    ways = {}
    for case in ("warm", "warm-thp"):
        bound, none, own = (by[name, case]["guest_ns"] for name in ("all-fast", "numab0", "pghot"))
        ways[case] = f"{(none - own) / (none - bound):.3f}"
    standings = json.loads((RESULTS / "league" / "standings.json").read_text())["standings"]
    league = {
        line["case"]: f"{line['way']:.3f}"
        for line in standings
        if line["table"] == "overcommit" and line["span"] == "whole run" and line["way"] is not None
    }
    assert f"pghot reaches {ways['warm']} of the way from" in TEXT
    assert f"with a tenth of the accesses, was at {league['warm']}, with the module of" in TEXT
    assert f"pghot is at {ways['warm-thp']} of the way, and at {league['warm-thp']} in the" in TEXT
    moved = [f"{by[name, 'warm-thp']['pages_promoted']:,}" for name in ("pghot", "damon-cold")]
    assert f"promoted {moved[0]} base pages, and DAMON that also demotes {moved[1]}." in TEXT
    damon, pghot = by["damon", "warm"], by["pghot", "warm"]
    after = [f"after {row['ns_to_90_percent_fast'] / 1e9:.2f} s" for row in (damon, pghot)]
    assert f"are served fast {after[0]}, with pghot {after[1]}." in TEXT
    assert f"It promoted {damon['pages_promoted']:,}, and {percent(late(damon))} of them" in TEXT
    hot_pages = int(pghot["workload_options"]["hot-bytes"]) // 4096
    assert f"The hot set has {hot_pages:,}." in TEXT
    assert f"pghot promoted {pghot['pages_promoted']:,}, and none of them in the last" in TEXT
    assert late(pghot) == 0
    kernel = [f"{row['kernel_instructions'] / 1e6:,.0f} million" for row in (damon, pghot)]
    assert f"executed {kernel[0]} instructions, in pghot's {kernel[1]}." in TEXT
    damon, pghot = by["damon", "zipf"], by["pghot", "zipf"]
    shares = [percent(row["fast_share"]) for row in (pghot, damon)]
    assert f"{shares[0]} of all accesses served fast, and DAMON {shares[1]}." in TEXT
    moved = [f"{row['pages_promoted']:,}" for row in (pghot, damon)]
    assert f"pghot promoted {moved[0]} pages for that, and DAMON {moved[1]}." in TEXT
    assert damon["guest_ns"] > by["numab0", "zipf"]["guest_ns"]
    damon, pghot = by["damon", "phases"], by["pghot", "phases"]
    options = pghot["workload_options"]
    sets, pages = int(options["moves"]) + 1, int(options["hot-bytes"]) // 4096
    assert sets == 6 and f"six hot sets of {pages:,} pages, one after the other." in TEXT
    for policy, ends in (("all-fast", [1, 0]), ("numab0", [0, 1])):
        _, hot = points(by[policy, "phases"]["series"], "hot_share")
        assert [round(hot[0], 2), round(hot[-1], 2)] == ends
    last = [by[policy, "phases"]["last_half_ns"] for policy in policies]
    assert min(last) == by["numab0", "phases"]["last_half_ns"]
    assert percent(damon["fast_share"]) == percent(pghot["fast_share"])
    assert f"pghot and DAMON have {percent(pghot['fast_share'])} of all accesses" in TEXT
    moved = [f"{row['pages_promoted']:,}" for row in (pghot, damon)]
    assert f"pghot promoted {moved[0]} pages for that, and DAMON {moved[1]}. In" in TEXT
    kernel = [f"{row['kernel_instructions'] / 1e6:,.0f} million" for row in (damon, pghot)]
    assert f"executed {kernel[0]} instructions, in pghot's {kernel[1]}." in TEXT
    assert f'TABLE=long BENCH="--cases {" ".join(cases)}"' in TEXT


def test_a_table_with_tlbs() -> None:
    rows = {
        (row["policy"], kind): row["guest_ns"] / 1e9
        for kind in ("4k", "thp")
        for row in json.loads((RESULTS / "two-node-tlb" / f"{kind}.json").read_text())
    }
    for policy, title in (
        ("all-fast", "all memory fast"),
        ("numab0", "no balancing (NUMAB0)"),
        ("numab2", "NUMAB2"),
        ("pghot", "pghot, no parameters"),
    ):
        assert f"| {title} | {rows[policy, '4k']:.3f} | {rows[policy, 'thp']:.3f} |" in LAB
    huge = {policy: rows[policy, "thp"] / rows[policy, "4k"] for policy, _ in rows}
    assert f"huge pages take {huge['all-fast']:.2f} of the time" in LAB
    assert f"and {huge['numab2']:.2f} with NUMAB2" in LAB
    assert f"it is still {huge['numab0']:.2f}" in LAB
    none, pghot = (rows[policy, "4k"] / rows["numab2", "4k"] for policy in ("numab0", "pghot"))
    assert f"No balancing comes to {none:.2f} of NUMAB2's time" in LAB
    assert f"pghot to {pghot:.2f} in place" in LAB
