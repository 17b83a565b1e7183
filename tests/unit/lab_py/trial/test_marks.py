# SPDX-License-Identifier: GPL-2.0
"""Programs say when the measured part begins and ends: the files for each language, and observe."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pghotlab.base import paths

C_USER = '#include "pghot_marks.h"\nint main(void) { pghot_mark("start"); pghot_mark("end"); }\n'
RUST_USER = '#[path = "MARKS/pghot_marks.rs"]\nmod marks;\n'
RUST_USER += 'fn main() { marks::mark("start"); marks::mark("end"); }\n'
JAVA_USER = "class User { public static void main(String[] a) throws Exception {\n"
JAVA_USER += 'PghotMarks.mark("start"); PghotMarks.mark("end"); } }\n'
PYTHON_USER = 'from pghot_marks import mark\nmark("start")\nmark("end")\n'


def run(command: Sequence[str | Path], folder: Path, **environment: str) -> None:
    words = [str(word) for word in command]
    known = {name: value for name, value in os.environ.items() if name != "PGHOT_MARKS"}
    subprocess.run(words, cwd=folder, env={**known, **environment}, check=True)


def compiler(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} on this host")
    return found


def make_c(folder: Path, name: str = "gcc", suffix: str = "c") -> list[str]:
    (folder / f"user.{suffix}").write_text(C_USER)
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{paths.MARKS}"]
    run([compiler(name), *flags, "-o", "user", f"user.{suffix}"], folder)
    return ["./user"]


def make_cpp(folder: Path) -> list[str]:
    return make_c(folder, "g++", "cc")


def make_rust(folder: Path) -> list[str]:
    (folder / "user.rs").write_text(RUST_USER.replace("MARKS", str(paths.MARKS)))
    run([compiler("rustc"), "-D", "warnings", "user.rs"], folder)
    return ["./user"]


def make_java(folder: Path) -> list[str]:
    (folder / "User.java").write_text(JAVA_USER)
    sources: list[str | Path] = ["User.java", paths.MARKS / "PghotMarks.java"]
    run([compiler("javac"), "-Xlint:all", "-Werror", "-d", ".", *sources], folder)
    return [compiler("java"), "-cp", ".", "User"]


def make_python(folder: Path) -> list[str]:
    (folder / "user.py").write_text(PYTHON_USER)
    return ["env", f"PYTHONPATH={paths.MARKS}", "python3", "user.py"]


def make_shell(folder: Path) -> list[str]:
    (folder / "user").write_text("#!/bin/sh\npghot-mark start\npghot-mark end\n")
    return ["env", f"PATH={paths.MARKS}:{os.environ['PATH']}", "sh", "user"]


@pytest.mark.parametrize("make", [make_c, make_cpp, make_rust, make_java, make_python, make_shell])
def test_marks(tmp_path: Path, make: Any) -> None:
    command = make(tmp_path)
    pipe = tmp_path / "marks"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    run(command, tmp_path, PGHOT_MARKS=str(pipe))
    assert os.read(reader, 100) == b"start\nend\n"
    # Elsewhere they do nothing, and the program runs as ever.
    run(command, tmp_path)
    os.close(reader)


def observe(folder: Path, options: Sequence[str], text: str) -> tuple[int, dict[str, Any], str]:
    """Its status, what it prints, and what the command wrote, of a shell's text as the command."""
    as_root = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user"]
    output = folder / "output"
    words = ["--root", "/", "--folder", str(folder), "--output", str(output), *options]
    done = subprocess.run(
        [*as_root, str(paths.GUEST_BUILD / "observe"), *words, "--", "sh", "-c", text],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout), output.read_text()


def test_the_whole_run_is_observed(tmp_path: Path) -> None:
    status, found, output = observe(tmp_path, [], "echo one; sleep 0.2; echo two >&2; pwd")
    assert (status, output) == (0, f"one\ntwo\n{tmp_path}\n")
    assert (found["begun"], found["ended"], found["status"]) == (True, True, 0)
    assert found["guest_ns"] > 2e8
    assert isinstance(found["vmstat"], dict)


def test_between_two_lines(tmp_path: Path) -> None:
    """The command, which would go on, is ended."""
    text = "echo Server ready; sleep 0.5; echo all done; sleep 60; echo never"
    status, found, output = observe(tmp_path, ["--start", "ready", "--end", "done"], text)
    assert (status, output) == (0, "Server ready\nall done\n")
    assert (found["begun"], found["ended"], found["status"]) == (True, True, 0)
    # A busy host reads the first line late.
    assert 2e8 < found["guest_ns"] < 1e10


def test_from_a_line_to_the_end(tmp_path: Path) -> None:
    status, found, _ = observe(tmp_path, ["--start", "ready"], "sleep 0.3; echo ready; sleep 0.3")
    assert (status, found["ended"]) == (0, True)
    assert 1e8 < found["guest_ns"] < 5e8


@pytest.mark.parametrize(
    ("options", "text", "found"),
    [
        (["--start", "ready"], "echo busy", (False, False, 0)),
        (["--start", "ready", "--end", "done"], "echo ready; sleep 0.1", (True, False, 0)),
        # What comes before the start is no end.
        (["--start", "ready", "--end", "done"], "echo done; echo ready", (True, False, 0)),
        ([], "exit 3", (True, True, 3)),
        ([], "kill -SEGV $$", (True, True, 128 + 11)),
        (["--end", "done"], "exit 3", (True, False, 3)),
    ],
)
def test_what_does_not_go_as_it_should(
    tmp_path: Path, options: list[str], text: str, found: tuple[bool, bool, int]
) -> None:
    """found: whether the region has begun and ended as it was to, and the command's status."""
    own, said, _ = observe(tmp_path, options, text)
    assert own == 1
    assert (said["begun"], said["ended"], said["status"]) == found


def test_what_the_command_leaves_is_ended(tmp_path: Path) -> None:
    status, found, _ = observe(tmp_path, [], "sleep 60 & echo $! >left")
    assert (status, found["status"]) == (0, 0)
    left = Path("/proc") / (tmp_path / "left").read_text().strip() / "stat"
    deadline = time.monotonic() + 30
    # Nobody may have asked yet how it ended.
    while left.exists() and " Z " not in left.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("argument", ["--begin", "--root"])
def test_wrong_options_of_observe(argument: str) -> None:
    program = paths.GUEST_BUILD / "observe"
    done = subprocess.run([program, argument, "x", "--", "true"], capture_output=True, check=False)
    assert done.returncode == 2
