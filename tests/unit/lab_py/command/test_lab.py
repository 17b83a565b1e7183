# SPDX-License-Identifier: GPL-2.0
"""`pghot lab try` finds the lab, and hands it the program as it was given."""

import json
from pathlib import Path

import pytest

from pghot.cli import main
from pghot.errors import FAILED, OK, USAGE, UsageError
from pghot.verbs.lab import SOURCE, find_lab, is_lab
from pghotlab.base import paths

# Stands for the lab's Python: it writes down how it was called.
PYTHON = """#!/bin/sh
pwd >said
echo "$PYTHONPATH" >>said
printf '%s\\n' "$@" >>said
echo tried
exit {status}
"""


def make_lab(folder: Path, status: int = 0, builds: bool = True) -> Path:
    """A folder that is like the source of pghot."""
    (folder / "lab" / "pghotlab").mkdir(parents=True)
    (folder / "Makefile").write_text(
        f".PHONY: lab\nlab:\n\t{'echo built >built' if builds else 'false'}\n"
    )
    python = folder / ".cache" / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON.format(status=status))
    python.chmod(0o755)
    return folder


def test_lab_is_the_source_of_the_command() -> None:
    assert paths.ROOT == SOURCE
    assert is_lab(SOURCE)


def test_lab_that_is_named_goes_first(tmp_path: Path) -> None:
    one, two, three = (make_lab(tmp_path / name) for name in ("one", "two", "three"))
    variables = {"PGHOT_LAB": str(two)}
    assert find_lab(str(one), variables, [three]) == one
    assert find_lab(None, variables, [three]) == two
    assert find_lab(None, {}, [tmp_path, three]) == three


@pytest.mark.parametrize(
    ("named", "variables", "reason"),
    [
        ("nowhere", {}, "--lab: nowhere: has no lab"),
        (None, {"PGHOT_LAB": "gone"}, "PGHOT_LAB: gone: has no lab"),
        (None, {}, "name its folder with --lab FOLDER or in the variable PGHOT_LAB"),
    ],
)
def test_no_lab(tmp_path: Path, named: str | None, variables: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        find_lab(named, variables, [tmp_path])


def test_program_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lab = make_lab(tmp_path / "lab")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    words = ["lab", "try", "--lab", "../lab", "--options=--fast 50% --start 'a b'"]
    assert main([*words, "--", "./job", "--fast", "$x"]) == OK
    # In the folder of the user, as the program's files are named from there.
    assert (here / "said").read_text().splitlines() == [
        str(here),
        str(lab / "lab"),
        *("-m", "pghotlab", "try", "--fast", "50%", "--start", "a b"),
        *("--", "./job", "--fast", "$x"),
    ]
    assert (lab / "built").exists()
    assert capfd.readouterr().out == "tried\n"


@pytest.mark.parametrize(("status", "mine"), [(1, FAILED), (2, USAGE), (130, FAILED)])
def test_status_is_that_of_the_lab(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    status: int,
    mine: int,
) -> None:
    lab = make_lab(tmp_path, status)
    monkeypatch.chdir(tmp_path)
    assert main(["lab", "try", "--lab", str(lab), "--json", "--", "./job"]) == mine
    out, err = capfd.readouterr()
    assert json.loads(out) == {"lab": str(lab), "status": status}
    assert "tried" in err


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        (("--",), USAGE, "no program is given: pghot lab try -- COMMAND"),
        (("--", "./job"), FAILED, "the lab cannot be built"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    status: int,
    reason: str,
) -> None:
    lab = make_lab(tmp_path, builds=False)
    assert main(["lab", "try", "--lab", str(lab), *words]) == status
    assert reason in capfd.readouterr().err


def test_options_that_are_no_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["lab", "try", "--options=--start 'a", "--", "./job"])
    assert ended.value.code == USAGE
    assert "No closing quotation" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["demo"], ["./job"]])
def test_lab_wants_to_know_what_to_do(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["lab", *words])
    assert ended.value.code == USAGE
    assert "pghot lab:" in capsys.readouterr().err
