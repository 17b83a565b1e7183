# SPDX-License-Identifier: GPL-2.0
"""The runner of the fuzz targets: what it says of a run, and its arguments; the kept inputs."""

from pathlib import Path

import pytest

from tests.fuzz import run

GOOD = """\
#2	INITED cov: 12 ft: 13 corp: 1/1b exec/s: 0 rss: 28Mb
#65536	pulse  cov: 40 ft: 200 corp: 90/3168b lim: 3227 exec/s: 23712 rss: 91Mb
#379404	DONE   cov: 41 ft: 271 corp: 94/3168b lim: 3227 exec/s: 23712 rss: 91Mb
"""
BAD = """\
#2	INITED cov: 12 ft: 13 corp: 1/1b exec/s: 0 rss: 28Mb
ring: /x/ring.c:40: void push(void): Assertion `taken' failed.
==1== ERROR: libFuzzer: deadly signal
artifact_prefix='/x/ring-'; Test unit written to /x/ring-crash-123
"""


def verdict(tmp_path: Path, output: str, status: int) -> str | None:
    log = tmp_path / "ring.log"
    log.write_text(output)
    return run.verdict(Path("/build/ring"), log, status, 30)


def test_good_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(tmp_path, GOOD, 0) is None
    said = capsys.readouterr().out
    assert said == "fuzz: ring: ok, 379404 runs in 30 s, 94 inputs reach 41 places of the code\n"


def test_bad_run_says_how_to_run_it_again(tmp_path: Path) -> None:
    said = verdict(tmp_path, BAD, 77) or ""
    assert "FAILED with status 77" in said
    assert "to run it again: /build/ring /x/ring-crash-123\n" in said
    assert "Assertion `taken' failed." in said


def test_run_that_ends_early_is_bad(tmp_path: Path) -> None:
    assert verdict(tmp_path, GOOD.partition("#379404")[0], 0)
    assert verdict(tmp_path, GOOD, 1)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--seconds", "0"], "--seconds: '0' is not a positive number"),
        (["--seconds", "-1"], "--seconds"),
        (["--seconds", "1.5"], "--seconds: '1.5' is not a positive number"),
        (["--target", "nothing"], "--target: invalid choice: 'nothing'"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as error:
        run.main(arguments)
    assert error.value.code == 2
    assert reason in capsys.readouterr().err


def test_kept_inputs_are_of_targets_and_small() -> None:
    files = [path for path in run.KEPT.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} == set(run.targets())
    assert sum(path.stat().st_size for path in files) < 100 * 1024
    assert all(path.stat().st_size <= run.INPUT_MAX for path in files)
