# SPDX-License-Identifier: GPL-2.0
"""A program that nobody adapted is tried: with its library, its memory measured, and limited."""

import subprocess
from pathlib import Path

import pytest

from pghotlab.base.errors import RunError
from pghotlab.base.units import MIB
from pghotlab.hardware.machine import load_machine
from pghotlab.measure.policy import choose, load_policies
from pghotlab.measure.results import read_result
from pghotlab.trial.tree import Program
from pghotlab.trial.trial import Trial, run_trial
from support import DEBUG

MACHINE = load_machine("two-node")
MEGABYTES = 96
# Linked with a library besides the C library. Its last megabytes are used most.
SOURCE = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t size = (size_t)atoi(argv[1]) << 20, hot = size / 4, i, at;
	unsigned long x = 88172645463325252UL, sum = 0;
	char *memory = malloc(size);

	for (i = 0; i < size; i += 4096)
		memory[i] = 1;
	puts("memory is there");
	for (i = 0; i < 2000000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		at = size - 1 - x % (i % 10 ? hot : size);
		sum += memory[at]++;
	}
	printf("done: %f\\n", sqrt(sum));
	return argc > 2;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if DEBUG:
        pytest.skip("the memory model is calibrated with the stock kernel")
    folder = tmp_path_factory.mktemp("try")
    (folder / "job.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O2", "-o", "job", "job.c", "-lm"], cwd=folder, check=True)
    return folder / "job"


def trial(program: Path, *arguments: str, start: str = "", end: str = "") -> Trial:
    return Trial(
        name="job",
        program=Program((str(program), *arguments), folder=program.parent),
        machine=MACHINE,
        policies=tuple(choose(["all-fast", "numab0"], load_policies())),
        shares=(25.0,),
        start=start,
        end=end,
    )


def test_a_program_is_tried(program: Path) -> None:
    folder = program.parent / "results"
    said = run_trial(trial(program, str(MEGABYTES), start="memory is there"), folder)
    assert "job takes, compared with a run in fast memory alone: without balancing" in said
    fast, slow = (
        read_result(folder / f"job/fast-25/{policy}-1.json") for policy in ("all-fast", "numab0")
    )
    for result in (fast, slow):
        assert MEGABYTES * MIB < result.guest["peak_bytes"] < (MEGABYTES + 8) * MIB
        assert result.guest["status"] == 0
    # A quarter was left for it. What is used most came last, and is not there.
    assert slow.guest["fast_left_bytes"] == pytest.approx(MEGABYTES * MIB / 4, abs=4 * MIB)
    assert fast.fast_share > 0.99
    assert slow.fast_share < 0.3
    assert slow.guest["guest_ns"] > 1.2 * fast.guest["guest_ns"]
    # How much fast memory would do is said as well.
    assert "of its memory: so much fast memory would do" in said
    # All of it is there now.
    again = run_trial(trial(program, str(MEGABYTES), start="memory is there"), folder)
    assert again == said


@pytest.mark.parametrize(
    ("arguments", "end", "reason"),
    [
        (("8", "fail"), "", "(?s)job: it ended with status 1.*done: "),
        (("8",), "never said", "--end: after the start no line of its output had"),
        ((), "", r"job: it crashed in the guest \(signal 11"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_modelled(
    program: Path, tmp_path: Path, arguments: tuple[str, ...], end: str, reason: str
) -> None:
    with pytest.raises(RunError, match=reason):
        run_trial(trial(program, *arguments, end=end), tmp_path)
    assert not (tmp_path / "job.json").exists()
