# SPDX-License-Identifier: GPL-2.0
"""Pages of kept tables: what is in them, and that a browser shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from handmade import result
from pghotlab.draw import timeplots
from pghotlab.measure.policy import load_policies
from pghotlab.measure.results import check_result, write_json
from pghotlab.report import html
from pghotlab.report.html import INDEX, write_report
from pghotlab.rows import summary
from pghotlab.rows.summary import Row
from pghotlab.tables import bench
from pghotlab.tables.recipe import Recipe, load_recipe
from report.browser import Browser, browser

POLICIES = ("all-fast", "numab2", "pghot-default")
CASES = ("4k", "thp")
SEEDS = (2, 1)
# Fast and hot share, promotions, occupancy, and a heat map for each policy.
FIGURES = 4 + len(POLICIES)
PHONE, WIDE = 360, 1600


def recipe() -> Recipe:
    known = load_policies()
    policies = tuple(known[name] for name in POLICIES)
    shipped = load_recipe("sources").only(CASES)
    cases = tuple(
        replace(case, policies=policies, published={"numab2": 2.5} if case.name == "4k" else {})
        for case in shipped.cases
    )
    return replace(shipped, title="sources <of> hotness", seeds=SEEDS, cases=cases)


def rows(table: Recipe) -> list[Row]:
    made: list[Row] = []
    for case in table.cases:
        results = []
        for policy in case.policies:
            for seed in table.seeds:
                settings = {"sysctl": policy.sysctl, "files": {}, "pghot": policy.pghot}
                data: dict[str, Any] = result(policy.name, seed, settings=settings)
                data["guest"]["guest_ns"] += seed * 1_000_000
                results.append(summary.make_row(check_result(data)))
        made += bench.make_rows(table, case, results)
    return made


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    kept = tmp_path_factory.mktemp("kept")
    write_json(kept / "sources.json", rows(recipe()))
    (kept / "RELEASE").write_text("1.2.3\n")
    # As an earlier version made it.
    write_json(kept / "hmu.json", [{"policy": "numab2", "seed": 1}])
    # By a program that did not measure what the table has a column for.
    write_json(kept / "micro.json", rows(recipe()))
    without = replace(load_recipe("micro"), columns=("p99_us",))
    recipes = [recipe(), load_recipe("hmu"), without]
    return write_report(recipes, kept, tmp_path_factory.mktemp("report"))


class _Page(HTMLParser):
    """A page's tables as texts, and all of its attributes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self._in_cell = False
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        self._in_cell = tag in ("td", "th")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.attributes if name == tag]


def test_tables_are_those_of_the_text(pages: Sequence[Path]) -> None:
    table = recipe()
    page = _Page(pages[1])
    made = rows(table)
    assert len(page.tables) == 2 * len(CASES)
    for case, shown in zip(table.cases, page.tables[::2], strict=True):
        mine = [row for row in made if row["case"] == case.name]
        expected = summary.table(mine, bench.columns(table, case))
        assert [tuple(line) for line in shown] == expected
    published = page.tables[0][0].index("published")
    assert [line[published] for line in page.tables[0][1:]] == ["-", "2.5", "-"]
    assert "published" not in page.tables[2][0]


def test_policies_are_told(pages: Sequence[Path]) -> None:
    _, *lines = _Page(pages[1]).tables[1]
    assert [line[0] for line in lines] == list(POLICIES)
    assert lines[1][3:] == ["kernel.numa_balancing = 2", "not loaded"]
    assert lines[2][4] == "enabled_sources=1, freq_threshold=1"


def test_nothing_is_from_elsewhere(pages: Sequence[Path]) -> None:
    for path in pages:
        page = _Page(path)
        assert not page.named("script")
        for _, attributes in page.attributes:
            for name in ("src", "href"):
                target = attributes.get(name) or ""
                assert target.startswith("data:") or "/" not in target
        for link in page.named("a"):
            assert (path.parent / str(link["href"])).exists()
        assert all(image["alt"] for image in page.named("img"))
        assert all(header["scope"] in ("col", "row") for header in page.named("th"))


def test_what_an_earlier_version_measured_is_left_out(pages: Sequence[Path]) -> None:
    assert [path.name for path in pages] == [INDEX, "sources.html"]
    index = pages[0].read_text()
    assert "not measured with this version: hmu, micro." in index
    assert "sources &lt;of&gt; hotness" in index
    assert "The tables of release 1.2.3." in index


def test_the_same_twice() -> None:
    made = rows(recipe())[:1]
    images = {html.image(timeplots.promotions(made), "alt") for _ in range(2)}
    assert len(images) == 1


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("chromium") / "profile") as one:
        yield one


@pytest.mark.parametrize("width", [PHONE, WIDE])
def test_in_a_browser(chromium: Browser, pages: Sequence[Path], width: int) -> None:
    for path in pages:
        chromium.open(path.as_uri(), width)
        assert chromium.complaints == []
        assert chromium.value("innerWidth") == width
        # What is too wide scrolls by itself, not the page.
        assert chromium.value("document.documentElement.scrollWidth") <= width
    images = chromium.value(
        "[...document.images].map(i => [i.complete, i.naturalWidth, i.naturalHeight, "
        "i.getBoundingClientRect().width])"
    )
    assert len(images) == FIGURES * len(CASES)
    for complete, natural_width, natural_height, shown in images:
        assert complete
        assert natural_width > 400
        assert natural_height > 200
        assert 300 < shown <= width
    counts = chromium.value(
        "[...document.querySelectorAll('table')].map(t => t.tBodies[0].rows.length)"
    )
    assert counts == [len(POLICIES)] * (2 * len(CASES))


def test_the_browser_complains_of_what_is_missing(chromium: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<link rel="icon" href="data:,"><img src="none.png"><script>nothing()</script>')
    chromium.open(page.as_uri(), WIDE)
    said = "\n".join(chromium.complaints)
    chromium.complaints.clear()
    assert "none.png" in said
    assert "nothing is not defined" in said
    assert chromium.value("document.images[0].naturalWidth") == 0
