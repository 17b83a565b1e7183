# SPDX-License-Identifier: GPL-2.0
"""Programs of another release run through its own loader; tried with those of this host."""

import shutil
import subprocess
from pathlib import Path

from pghotlab.setup import foreign

LOADER = Path("/lib64/ld-linux-x86-64.so.2").resolve()


def make_tools(tools: Path) -> None:
    """A tree with the host's loader and C library, and with a program."""
    libraries = tools / foreign.LIBRARIES
    libraries.mkdir(parents=True)
    for file in (LOADER, LOADER.with_name("libc.so.6"), LOADER.with_name("libselinux.so.1")):
        if file.exists():
            shutil.copy(file, libraries / file.name)
    (tools / "usr" / "bin").mkdir()
    shutil.copy("/usr/bin/env", tools / "usr" / "bin" / "env")
    (tools / "usr" / "bin" / "link").symlink_to("env")
    script = tools / "usr" / "bin" / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)


def says(program: Path) -> str:
    done = subprocess.run([program, "sh", "-c", "echo $0 a"], capture_output=True, check=True)
    return done.stdout.decode()


def test_programs_run_through_the_loader(tmp_path: Path) -> None:
    tools = tmp_path / "one"
    make_tools(tools)
    foreign.adopt(tools, tools)
    program = tools / "usr" / "bin" / "env"
    assert program.read_text().startswith("#!/bin/sh\n")
    assert program.with_name("env.real").read_bytes().startswith(b"\x7fELF")
    assert says(program) == says(program.with_name("link")) == "sh a\n"


def test_they_may_be_moved(tmp_path: Path) -> None:
    tools = tmp_path / "one"
    make_tools(tools)
    foreign.adopt(tools, tools)
    tools.rename(tmp_path / "another")
    assert says(tmp_path / "another" / "usr" / "bin" / "link") == "sh a\n"


def test_others_stay_as_they_are(tmp_path: Path) -> None:
    tools = tmp_path / "one"
    make_tools(tools)
    loader = tools / foreign.LIBRARIES / foreign.LOADER
    before = loader.read_bytes()
    foreign.adopt(tools, tools)
    assert loader.read_bytes() == before
    assert (tools / "usr" / "bin" / "script").read_text() == "#!/bin/sh\n"
    assert (tools / "usr" / "bin" / "link").is_symlink()


def test_once_is_enough(tmp_path: Path) -> None:
    tools = tmp_path / "one"
    make_tools(tools)
    foreign.adopt(tools, tools)
    foreign.adopt(tools, tools)
    assert not list(tools.rglob("*.real.real"))
    assert says(tools / "usr" / "bin" / "env") == "sh a\n"
