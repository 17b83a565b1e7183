# SPDX-License-Identifier: GPL-2.0
"""How few pages have most of a program's accesses: what the best placement would need."""

from array import array
from collections.abc import Iterable
from pathlib import Path

from pghotlab.base.errors import LabError
from pghotlab.base.units import KIB
from pghotlab.measure.results import fingerprint, read_result
from pghotlab.rows.summary import Row

PAGE = 4 * KIB


def hottest_pages(accesses: Iterable[int], share: float) -> int:
    """The smallest number of pages that have this share, 0 to 1, of all accesses.

    accesses: of each page.
    """
    counts = sorted((count for count in accesses if count), reverse=True)
    wanted = sum(counts) * share
    reached = pages = 0
    for count in counts:
        if reached >= wanted:
            break
        reached += count
        pages += 1
    return pages


def hottest_bytes(row: Row, folder: Path, share: float) -> int | None:
    """The memory that has this share of the accesses that memory served in the run of a row.

    In a run in which no page moves, as all memory is fast. None if the folder, below which runs
    have left their files, does not have this run's any more.
    """
    for result in sorted(folder.rglob(f"{row['policy']}-{row['seed']}.json")):
        pages = result.with_suffix("") / "pages.u32"
        try:
            if pages.exists() and fingerprint(vars(read_result(result))) == row["identity"]:
                return hottest_pages(array("I", pages.read_bytes()), share) * PAGE
        except LabError:
            continue  # another version of the lab wrote it
    return None
