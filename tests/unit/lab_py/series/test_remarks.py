# SPDX-License-Identifier: GPL-2.0
"""What checkpatch, the compiler and sparse say."""

from pathlib import Path

import pytest

from pghotlab.base.errors import LabError
from pghotlab.series.remarks import checkpatch, unknown, warnings

TREE = Path("/kernel/linux")


def test_known_remarks_are_left_out() -> None:
    said = (
        "mm/pghot/core/trace.h:9: CHECK:OPEN_ENDED_LINE: Lines should not end with a '('\n"
        "mm/pghot/core/slow.c:9: CHECK:OPEN_ENDED_LINE: Lines should not end with a '('\n"
        "mm/pghot/main.c:7: WARNING:LONG_LINE: line length of 104 exceeds 100 columns\n"
    )
    assert unknown(said) == said.splitlines()[1:]


def test_what_is_no_remark_is_not_left_out() -> None:
    assert unknown("Can't open it\n\n") == ["Can't open it"]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("print 'a.c:1: ERROR:X: bad'; exit 1;", ["a.c:1: ERROR:X: bad"]),
        ("exit 0;", []),
    ],
)
def test_checkpatch_of_the_tree_is_run(tmp_path: Path, script: str, said: list[str]) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "checkpatch.pl").write_text(script)
    assert checkpatch(tmp_path, tmp_path / "0001-a.patch") == said


def test_a_checkpatch_that_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "checkpatch.pl").write_text("die 'no tree';")
    with pytest.raises(LabError, match=r"checkpatch .*0001-a\.patch: no tree"):
        checkpatch(tmp_path, tmp_path / "0001-a.patch")


LOG = """\
  CC      mm/vmscan.o
mm/vmscan.c:12:3: warning: context imbalance in 'shrink'
mm/vmscan.c:99:3: warning: context imbalance in 'shrink'
./include/linux/pghot.h:4: warning: no previous prototype
/kernel/linux/mm/pghot/../pghot/main.c:5:1: error: expected ;
mm/pghot/main.c:5:1: note: here
mm/pghot/main.c:6:1: error: bad constant expression
kernel/fork.c:1:1: warning: other
"""


def test_warnings_are_those_of_the_files() -> None:
    files = ("mm/vmscan.c", "include/linux/pghot.h", "mm/pghot/main.c")
    assert warnings(LOG, TREE, files) == {
        "mm/vmscan.c: warning: context imbalance in 'shrink'",
        "include/linux/pghot.h: warning: no previous prototype",
        "mm/pghot/main.c: error: expected ;",
    }
