# SPDX-License-Identifier: GPL-2.0
"""The league as files: text, data and a picture."""

from collections.abc import Sequence
from pathlib import Path

from pghotlab.base.errors import ResultError
from pghotlab.measure.policy import OWN
from pghotlab.measure.results import write_json
from pghotlab.report.league import (
    PEERS,
    SPANS,
    Contest,
    as_json,
    as_markdown,
    last_half,
    markdown,
    marks,
    of_span,
    standings,
)
from pghotlab.report.lost import lost


def write_league(contests: Sequence[Contest], folder: Path, title: str) -> str:
    """Puts standings.json, league.md and league.png into the folder, and gives what to show.

    ResultError where no case has rows of pghot.
    """
    # Only this draws, and matplotlib is slow to load.
    from pghotlab.draw.league import draw_league  # noqa: PLC0415

    lines = standings(contests)
    if not lines:
        raise ResultError(f"no case has rows of {OWN}")
    data, text, picture = (folder / name for name in ("standings.json", "league.md", "league.png"))
    spans = [span for span in SPANS if of_span(lines, span)]
    write_json(data, as_json(lines))
    shown = markdown(lines)
    if half := last_half(lines):
        shown += f"\n\nThe last half of the run alone:\n\n{half}"
    if behind := lost(contests, lines):
        shown += f"\n\nCases far below the best, pghot / the best:\n\n{as_markdown(behind)}"
    text.write_text(f"{shown}\n")
    draw_league(marks(lines), list(PEERS.values()), spans, title, picture)
    return "\n".join([shown, "", *map(str, (data, text, picture))])
