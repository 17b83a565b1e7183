# SPDX-License-Identifier: GPL-2.0
"""The figures of README and docs/results.md are those of the result files that they name."""

import json
import math
import statistics

import pytest

from pghotlab import paths
from pghotlab.overview import markdown, overview
from pghotlab.recipe import load_recipe, shipped_tables
from pghotlab.summary import Row, middle, table

FRONT = (paths.ROOT / "README.md").read_text()
README = FRONT + (paths.ROOT / "docs" / "results.md").read_text()
RESULTS = paths.ROOT / "docs" / "results"
# What the README calls each policy's row.
ROWS = {
    "all-fast": "all memory fast",
    "numab0": "all memory slow",
    "numab2": "NUMAB2",
    "numab2-demotion": "NUMAB2 with demotion",
    "pghot-default": "pghot",
}


def readme_rows() -> list[list[str]]:
    """Cells of all tables, without emphasis, blanks and thousands' marks."""
    lines = [line for line in README.splitlines() if line.startswith("| ")]
    drop = str.maketrans("", "", "*, ")
    return [[cell.translate(drop) for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("policy", ROWS)
def test_demo_row(policy: str) -> None:
    summary = table(json.loads((RESULTS / "demo" / "summary.json").read_text()))
    (row,) = (row for row in summary if row[0] == policy)
    time, ratio, share, promoted, in_fault = (cell.replace(",", "") for cell in row[1:6])
    wanted = [time.replace(" ", ""), ratio, share, promoted, in_fault]
    start = ROWS[policy].replace(" ", "")
    assert any(cells[0].startswith(start) and cells[1:6] == wanted for cells in readme_rows()), (
        wanted
    )


@pytest.mark.parametrize("folder", ["three-node", "three-node-one-scan"])
def test_three_node_row(folder: str) -> None:
    rows = table(json.loads((RESULTS / folder / "summary.json").read_text()))
    (stock,) = (row for row in rows if row[0] == "numab2")
    (own,) = (row for row in rows if row[0] == "pghot-default")
    wanted = [stock[1].replace(" ", ""), own[1].replace(" ", ""), own[2]]
    assert any(cells[1:4] == wanted for cells in readme_rows()), wanted


def test_all_tables() -> None:
    recipes = [load_recipe(name) for name in shipped_tables()]
    assert f"\n{markdown(overview(recipes, RESULTS))}\n" in FRONT


def kept(table: str, case: str) -> dict[str, list[Row]]:
    """Rows by policy."""
    rows = [
        row for row in json.loads((RESULTS / f"{table}.json").read_text()) if row["case"] == case
    ]
    return {
        policy: [row for row in rows if row["policy"] == policy]
        for policy in dict.fromkeys(row["policy"] for row in rows)
    }


def edge_ns(row: Row) -> float:
    """What a rank takes for an edge, before time is slowed four times."""
    run = row["measured"]
    edges = run["harmonic_mean_teps"] * run["mean_time_s"] * run["nr_searches"] * 2
    return float(row["guest_ns"] / edges * run["threads"] / 4)


def test_graph500_text() -> None:
    far, near = kept("graph500", "far"), kept("graph500", "near")
    text = " ".join(FRONT.split())
    lab = " ".join((paths.ROOT / "docs" / "lab.md").read_text().split())
    none = [middle(rows["numab0"], "score_to_numab2") for rows in (far, near)]
    assert f"comes to {none[0]:.2f} of NUMAB2 on far sockets" in lab
    assert f"and to {none[1]:.2f} on near" in lab
    for rows, start in ((far, "a rank takes"), (near, "near sockets it is")):
        times = [statistics.median(map(edge_ns, rows[name])) for name in ("numab0", "numab2")]
        assert f"{start} {times[0]:.0f} ns" in lab
        assert f"and {times[1]:.0f} with NUMAB2" in lab
    units = []
    for rows in (far, near):
        steady = {
            name: statistics.median(r["measured"]["median_teps"] for r in rows[name])
            for name in rows
        }
        hinted = steady.keys() - {"all-fast", "numab0", "pghot-vhmu", "damon"}
        assert min(steady[name] for name in hinted) > 0.98 * steady["all-fast"]
        units.append(f"{1 - steady['pghot-vhmu'] / steady['all-fast']:.0%}".replace("%", " %"))
    assert f"{units[0]} slower on far sockets, {units[1]} on near ones" in lab
    assert f"{units[0]} slower than all memory fast on far sockets" in text
    own, bound = (middle(far[name], "score_to_numab2") for name in ("pghot-precise", "all-fast"))
    assert f"was to be 1.05 and is {own:.2f}: all memory fast is {bound:.2f}" in text
    own, bound = (middle(near[name], "score_to_numab2") for name in ("pghot-vhmu", "all-fast"))
    assert f"was to be 1.19 and is {own:.2f}: all memory fast is {bound:.2f}" in text


def test_overcommit_text() -> None:
    text = " ".join(FRONT.split())
    changes = []
    for case in ("warm", "cold"):
        rows = kept("overcommit", case)
        times = {name: statistics.median(row["score"] for row in rows[name]) for name in rows}
        assert times["damon"] == min(time for name, time in times.items() if name != "all-fast")
        changes += [times[name] / times["numab0"] - 1 for name in ("numab2", "pghot-default")]
    warm, own_warm, cold, own_cold = (f"{abs(one):.0%}".replace("%", " %") for one in changes)
    lab = " ".join((paths.ROOT / "docs" / "lab.md").read_text().split())
    assert f"it takes {1 + changes[0]:.2f} of its time where" in lab
    assert f"in use, and {1 + changes[2]:.2f} where it is cold" in lab
    assert f"it takes {warm} more time where" in text
    assert changes[0] > 0
    assert f"in use, {cold} less where it is cold" in text
    assert f"takes {own_warm} less than no balancing there and {own_cold} less here" in text
    assert max(changes[1:]) < 0


def test_abench_text() -> None:
    text = " ".join(FRONT.split())
    lab = " ".join((paths.ROOT / "docs" / "lab.md").read_text().split())
    cases = [kept("abench", f"{size}G") for size in (8, 16, 32, 64)]
    times = [{name: middle(rows[name], "score_to_numab2") for name in rows} for rows in cases]

    def span(name: str) -> str:
        low, high = (f"{edge(one[name] for one in times) - 1:.0%}" for edge in (min, max))
        return f"{low[:-1]} to {high[:-1]} %"

    assert f"they take {span('pghot-accessed-numab1')} more here" in text
    assert f"hint faults {span('pghot-default')} more" in text
    ratios = [f"{one['numab1']:.2f}" for one in times]
    assert f"NUMAB1 takes {', '.join(ratios[:-1])} and {ratios[-1]} of NUMAB2's time" in lab
    slow = [one["numab0"] / one["all-fast"] for one in times]
    assert f"a run {min(slow):.1f} to {max(slow):.1f} times as long" in lab
    found = [
        statistics.median(row["ns_to_90_percent_fast"] for row in rows["pghot-accessed-numab1"])
        for rows in cases
    ]
    assert f"scanner takes {min(found) / 1e9:.1f} to {max(found) / 1e9:.1f} s until then" in lab


def test_oltp_text() -> None:
    rows = kept("oltp", "sysbench")
    recent = statistics.median(row["score"] for row in rows["numab2-recent"])
    fewer = {
        name: f"{1 - statistics.median(row['score'] for row in rows[name]) / recent:.0%}"[:-1]
        for name in rows
    }
    text = " ".join(FRONT.split())
    assert f"has {fewer['numab2']} % fewer here; pghot has {fewer['pghot-default']} % fewer" in text
    assert f"hint faults and {fewer['pghot-mglru']} % by ageing" in text
    assert f"No balancing has {fewer['numab0']} % fewer" in text
    lab = " ".join((paths.ROOT / "docs" / "lab.md").read_text().split())
    assert f"comes to {1 - float(fewer['numab2']) / 100:.2f} of recent use" in lab
    share = statistics.median(row["fast_share"] for row in rows["numab2-recent"])
    assert f"recent use fast memory serves {share:.0%} of".replace("%", " %") in lab


def test_jbb_text() -> None:
    rows = kept("jbb", "two-instances")
    parts = {name: middle(rows[name], "score_to_bound") for name in rows}
    own, stock = (f"{parts[name]:.0%}"[:-1] for name in ("pghot-numab1", "numab1"))
    text = " ".join(FRONT.split())
    assert f"two instances have {own} % of the transactions" in text
    assert f"with NUMAB1 alone {stock} % (published: 95 %)" in text
    lab = " ".join((paths.ROOT / "docs" / "lab.md").read_text().split())
    pair = f"pinned has {parts['unpinned']:.2f} (published: 0.66) and NUMAB1 {parts['numab1']:.2f}"
    assert pair in lab
    stalled = [row["stall_ns"] / (8 * row["guest_ns"]) for row in rows["pinned"]]
    assert f"Pinned, {statistics.median(stalled):.0%} of".replace("%", " %") in lab


def test_pmbench_text() -> None:
    rows = kept("pmbench", "normal")
    text = " ".join(FRONT.split())
    speeds = {name: middle(rows[name], "score_to_numab2") for name in rows}
    lab = " ".join((paths.ROOT / "docs" / "lab.md").read_text().split())
    stages = [
        f"{speeds[name]:.2f}" for name in ("numab2-recent", "numab2-ratelimit", "numab2-auto")
    ]
    assert f"recent use {stages[0]} (0.89), rate limit {stages[1]} (0.98), tuned {stages[2]}" in lab
    score = speeds["pghot-auto"] / speeds["numab2-recent"] - 1
    promoted = [
        statistics.median(row["measured"]["promoted_mbps"] for row in rows[name])
        for name in ("numab2-recent", "pghot-auto")
    ]
    traffic = 1 - promoted[1] / promoted[0]
    assert f"{score:.0%} more accesses a second with {traffic:.0%} less".replace("%", " %") in text
    hinted = max(speeds[name] for name in speeds.keys() - {"numab0", "pghot-accessed", "damon"})
    balanced = f"no balancing is {speeds['numab0']:.2f} of NUMAB2"
    assert f"{balanced}, the best policy that uses them {hinted:.2f}." in text
    assert f"Accessed bits, which take none, are {speeds['pghot-accessed']:.2f}," in text


def test_reads() -> None:
    costs = json.loads((RESULTS / "reads.json").read_text())
    design = (paths.ROOT / "docs" / "design.md").read_text()
    for node, start in (("fast", "| fast |"), ("slow", "| slow, and recorded |")):
        states = ("without", "off", "on", "again", "after")
        figures = [f"{costs[f'{node}_{when}']:.0f}" for when in states]
        assert f"{start} {' | '.join(figures)} |" in design


def test_throttle() -> None:
    rows = [r for r in json.loads((RESULTS / "throttle.json").read_text()) if "held" in r]
    text = " ".join(README.split())
    assert all(row["held"] and row["least_of_limit"] == 1 for row in rows)
    assert f"than {max(row['most_of_limit'] for row in rows):.1%}".replace("%", " %") in text
    assert {row["convergence"] for row in rows} == {"between two steps"}


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
        assert any(c[0].startswith(start) and c[1:3] == cells for c in readme_rows()), cells


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
        assert any(c[0].startswith(start) and c[1] == wanted for c in readme_rows()), wanted


# What the README calls the rows of the sources' table, and the cases that are its columns.
SOURCES = {
    "none (NUMAB0)": "numab0",
    "NUMAB2": "numab2",
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
    assert [name.replace(" ", ""), *wanted] in readme_rows(), wanted


@pytest.mark.parametrize("name", UNITS)
def test_unit_row(name: str) -> None:
    ratio, promoted, ns = (
        source_medians(UNITS[name], key, "4k", table="hmu")[0]
        for key in ("ratio_to_numab2", "pages_promoted", "ns_to_90_percent_fast")
    )
    seconds = "never" if math.isinf(ns) else f"{ns / 1e9:.2f}"
    start = name.replace(" ", "").replace(",", "")
    assert [start, f"{ratio:.3f}", f"{promoted:.0f}", seconds] in readme_rows()


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ("pghot-accessed", "Accessed bits take {} less time than NUMAB2 where memory is mapped"),
        ("pghot-mglru", "ageing by the multi-gen LRU {}."),
        ("pghot-vhmu", "says what hardware hints may be worth: {} where memory is mapped"),
    ],
)
def test_gains(policy: str, text: str) -> None:
    gains = [100 * (1 - ratio) for ratio in source_medians(policy, "ratio_to_numab2", *CASES[:3])]
    wanted = text.format(f"{min(gains):.0f} to {max(gains):.0f} %")
    assert wanted in " ".join(README.split()), wanted


def test_moving_set() -> None:
    """What its text says besides the table's rows."""
    text = " ".join(README.split())
    kinds = ("pghot-accessed", "pghot-mglru", "pghot-vhmu")
    gains = [100 * (1 - source_medians(kind, "ratio_to_numab2", "moving")[0]) for kind in kinds]
    assert f"no more than {min(gains):.0f} to {max(gains):.0f} % less time is left" in text
    late = [source_medians(kind, "ns_to_90_percent_fast", "moving")[0] / 1e9 for kind in kinds]
    assert f"{min(late):.1f} to {max(late):.1f} s after the move" in text
    (wait,) = source_medians("pghot-default", "ns_to_90_percent_fast", "moving")
    assert f"{wait / 1e9:.2f} s until 90 % are served fast after a move" in text
    alone, both = (
        source_medians(kind, "ratio_to_numab2", "4k", "file")
        for kind in ("pghot-mglru", "pghot-mglru-pagecache")
    )
    assert f"({both[0] - alone[0]:.2f} more, {alone[1] - both[1]:.2f} less)" in text


def test_spreads() -> None:
    """Half the range over the median, of each policy and case, but for one that is named."""
    rows = json.loads((RESULTS / "sources.json").read_text())
    times: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        times.setdefault((row["result"].split("/")[0], row["policy"]), []).append(row["guest_ns"])
    spreads = {
        key: (max(values) - min(values)) / 2 / statistics.median(values)
        for key, values in times.items()
    }
    named = spreads.pop(("4k", "numab2"))
    assert named > max(spreads.values())
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
    text = " ".join(README.split())
    assert f"{before}{found[policy] / 1e6:.0f} M" in text
    assert f"{found['pghot-vhmu'] / found['numab2']:.2f} of NUMAB2's" in text
