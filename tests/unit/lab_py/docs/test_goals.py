# SPDX-License-Identifier: GPL-2.0
"""The table of goals says what the result files say, and whether that is enough."""

from statistics import median

from docs.shipped import DETAILS, kept, percent
from pghotlab.rows.summary import Row, middle

FAST = "all-fast"


def found(start: str) -> list[str]:
    """Cells of the goal's row: what was reached, and what all memory fast would have."""
    table = DETAILS.split("| goal | here |")[1].splitlines()
    (line,) = (line for line in table if line.startswith(f"| {start}"))
    return line.strip("| ").split(" | ")[1:]


def said(met: bool, here: str, bound: str) -> list[str]:
    return [f"**met**: {here}" if met else f"missed: {here}", bound]


def to_numab2(table: str, case: str) -> dict[str, float]:
    """Of each policy, the median of the seeds' ratios, as the table of all cases has it."""
    return {name: middle(rows, "score_to_numab2") for name, rows in kept(table, case).items()}


def to_base(table: str, case: str, base: str) -> dict[str, float]:
    """Of each policy, the median score, to the base's."""
    scores = {name: middle(rows, "score") for name, rows in kept(table, case).items()}
    return {name: score / scores[base] for name, score in scores.items()}


def counted(rows: list[Row], key: str) -> float:
    return float(median(row["measured"][key] for row in rows))


def test_graph500() -> None:
    far, near = (to_numab2("graph500", case) for case in ("far", "near"))
    for start, own, goal in (("hint", "pghot-default", 1), ("precise", "pghot-precise", 1.05)):
        wanted = said(far[own] >= goal, f"{far[own]:.2f}", f"{far[FAST]:.2f}")
        assert found(f"Graph500, far sockets: {start}") == wanted
    unit = near["pghot-vhmu"]
    rows = kept("graph500", "near")
    promoted = {name: middle(rows[name], "pages_promoted") for name in ("pghot-vhmu", "numab2")}
    part = promoted["pghot-vhmu"] / promoted["numab2"]
    here = f"{unit:.2f}, with {part:.2f}"
    met = unit >= 1.19 and part <= 0.25
    assert found("Graph500, near") == said(met, here, f"{near[FAST]:.2f}")


def test_pmbench() -> None:
    speed = to_base("pmbench", "normal", "numab2-recent")
    rows = kept("pmbench", "normal")
    own, stock = (counted(rows[name], "promoted_mbps") for name in ("pghot-auto", "numab2-recent"))
    more, less = speed["pghot-auto"] - 1, 1 - own / stock
    here = f"{percent(more)} more, {percent(less)} less"
    met = more >= 0.16 and less >= 0.81
    assert found("pmbench") == said(met, here, f"{percent(speed[FAST] - 1)} more")


def test_oltp() -> None:
    speed = to_base("oltp", "sysbench", "numab2-recent")
    more, bound = (f"{percent(speed[name] - 1)} more" for name in ("pghot-default", FAST))
    assert found("OLTP") == said(speed["pghot-default"] >= 1.045, more, bound)


def test_java() -> None:
    part = middle(kept("jbb", "two-instances")["pghot-numab1"], "score_to_bound")
    assert found("two Java") == said(part >= 0.97, percent(part), "-")


def test_abench() -> None:
    sizes = [f"{size}G{length}" for length in ("", "-long") for size in (8, 16, 32, 64)]
    every = [to_numab2("abench", size) for size in sizes if kept("abench", size)]
    own, fast = ([speed[name] for speed in every] for name in ("pghot-accessed-numab1", FAST))
    missed = [ratio > 0.9 for ratio in own].count(True)
    assert f"NUMAB1 take 0.90 of NUMAB2, in {len(every)} cases |" in DETAILS
    here = f"{min(own):.2f} to {max(own):.2f}"
    bound = f"{min(fast):.2f} to {max(fast):.2f}"
    cells = said(missed == 0, here, bound)
    assert found("abench") == [cells[0].replace("missed:", f"missed in {missed}:"), bound]


def test_overcommit() -> None:
    warm, cold = (to_base("overcommit", case, "numab0") for case in ("warm", "cold"))
    stock, own, fast = (
        [case[name] for case in (warm, cold)] for name in ("numab2", "pghot-default", FAST)
    )
    assert f"NUMAB2 has none (warm {stock[0]:.2f}, cold {stock[1]:.2f}) |" in DETAILS
    here, bound = (f"{pair[0]:.2f}, {pair[1]:.2f}" for pair in (own, fast))
    assert found("over-commit") == said(max(own) < 1, here, bound)
