# SPDX-License-Identifier: GPL-2.0
"""What a guest gets for a program: files of the host, libraries, scripts, packages and images."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from guest.cpio import entries
from pghotlab.base import paths
from pghotlab.base.errors import LabError, UsageError
from pghotlab.guest.initramfs import build_tree
from pghotlab.guest.packages import GUEST_LIBRARIES
from pghotlab.setup import apt, fetch
from pghotlab.trial import debian
from pghotlab.trial.inside import find_program, inside
from pghotlab.trial.tree import Program, forgotten, plant


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_program_with_its_libraries(tmp_path: Path) -> None:
    shutil.copy("/usr/bin/env", tmp_path / "own")
    tree = tmp_path / "tree"
    command = plant(Program(("./own", "a b"), folder=tmp_path), tree)
    assert command == (str(tmp_path / "own"), "a b")
    assert inside(tree, command[0]).read_bytes() == Path("/usr/bin/env").read_bytes()
    assert (tree / "usr/lib64/ld-linux-x86-64.so.2").exists()
    assert (tree / "usr/lib/x86_64-linux-gnu/libc.so.6").exists()
    assert (tree / "lib").readlink() == Path("usr/lib")
    # And a shell with small tools, and what a script gives marks with.
    assert inside(tree, "/bin/sh").name == "busybox"
    assert (tree / "usr/local/bin/pghot-mark").exists()


def test_no_file_has_the_time_of_the_trial(tmp_path: Path) -> None:
    """Else the archive would differ each time, and a trial that is continued would begin anew."""
    shutil.copy("/usr/bin/env", tmp_path / "own")
    os.utime(tmp_path / "own", (1000, 1000))
    begin = (tmp_path / "own").stat().st_ctime
    plant(Program(("./own",), folder=tmp_path), tmp_path / "tree")
    files = [path for path in (tmp_path / "tree").rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if path.stat().st_mtime >= begin] == []


def test_a_program_by_its_name(tmp_path: Path) -> None:
    """The host's own, though busybox has one of the same name."""
    (command,) = plant(Program(("sort",), folder=tmp_path), tmp_path / "tree")
    assert inside(tmp_path / "tree", command).read_bytes()[:4] == b"\x7fELF"
    assert inside(tmp_path / "tree", command).name == "sort"


def test_a_static_program_needs_nothing(tmp_path: Path) -> None:
    shutil.copy("/bin/busybox", tmp_path / "own")
    plant(Program(("./own",), folder=tmp_path), tmp_path / "tree")
    assert not (tmp_path / "tree/usr/lib64/ld-linux-x86-64.so.2").exists()


def test_a_library_that_is_not_here(tmp_path: Path) -> None:
    (tmp_path / "own.c").write_text("int own(void) { return 0; }\n")
    (tmp_path / "job.c").write_text("int own(void);\nint main(void) { return own(); }\n")
    build = ["gcc", "-shared", "-fPIC", "-o", "libown.so", "own.c"]
    subprocess.run(build, cwd=tmp_path, check=True)
    subprocess.run(["gcc", "-o", "job", "job.c", "-L.", "-lown"], cwd=tmp_path, check=True)
    (tmp_path / "libown.so").unlink()
    reason = "job: needs libraries that are not on this host: libown.so. Install them, .*--package"
    with pytest.raises(UsageError, match=reason):
        plant(Program(("./job",), folder=tmp_path), tmp_path / "tree")


def test_a_script_brings_its_interpreter(tmp_path: Path) -> None:
    script(tmp_path / "run", "#!/bin/sh\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/table").write_text("1")
    (tmp_path / "data/link").symlink_to("table")
    program = Program(
        ("./run", "data", "other", "/dev/null"), files=(Path("data"),), folder=tmp_path
    )
    (tmp_path / "other").write_text("2")
    tree = tmp_path / "tree"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        plant(program, tree)
    assert inside(tree, "/bin/sh").read_bytes()[:4] == b"\x7fELF"
    copied = inside(tree, tmp_path / "data")
    assert (copied / "table").read_text() == "1"
    assert (copied / "link").readlink() == Path("table")
    assert forgotten(program, tree) == ["other"]


def test_a_word_that_is_longer_than_a_name_is_no_file(tmp_path: Path) -> None:
    program = Program(("sort", "SELECT " + "x, " * 200), folder=tmp_path)
    tree = tmp_path / "tree"
    tree.mkdir()
    assert forgotten(program, tree) == []


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (Program(("no-such-program",)), "no-such-program: there is no such program, neither on"),
        (Program(("./none",)), "./none: there is no such program"),
        (Program(("/etc/passwd",)), "is not a program that may be run: `chmod \\+x`"),
        (Program(("python3", "x.py")), "python3: it needs many files .*--package python3"),
        (Program(("java",)), "--package default-jre-headless"),
        (Program(("sort",), files=(Path("/none"),)), "--file: /none: there is no such file"),
        (Program(("sort",), rootfs=Path("/none.tar")), "--rootfs: /none.tar: there is no such"),
        (Program(("sort",), rootfs=Path("/etc/passwd")), "tar cannot unpack it"),
        (Program(("sort",), packages=("a",), rootfs=Path("x")), "give only one of them"),
        (Program(("sort",), packages=("Not a name",)), "no name .* `apt-cache search WORD`"),
    ],
)
def test_wrong_input(tmp_path: Path, program: Program, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        plant(program, tmp_path / "tree")


def test_scripts_that_cannot_run(tmp_path: Path) -> None:
    script(tmp_path / "snake", "#!/usr/bin/env python3\n")
    with pytest.raises(UsageError, match="python3: it needs many files"):
        plant(Program(("./snake",), folder=tmp_path), tmp_path / "one")
    script(tmp_path / "text", "hello\n")
    with pytest.raises(UsageError, match="neither a program nor a script"):
        plant(Program(("./text",), folder=tmp_path), tmp_path / "two")
    script(tmp_path / "empty", "#!\n")
    with pytest.raises(UsageError, match="first line names no program"):
        plant(Program(("./empty",), folder=tmp_path), tmp_path / "three")


def test_a_program_for_another_cpu(tmp_path: Path) -> None:
    content = bytearray(Path("/usr/bin/env").read_bytes())
    content[18:20] = b"\xb7\x00"
    script(tmp_path / "arm", "").write_bytes(content)
    with pytest.raises(UsageError, match="arm: is not for x86-64"):
        plant(Program(("./arm",), folder=tmp_path), tmp_path / "tree")


def test_an_image(tmp_path: Path) -> None:
    """It stays as it is: links that lead to the root lead to its own root."""
    image = tmp_path / "image"
    script(image / "usr/bin/serve", "#!/bin/sh\n")
    script(image / "usr/bin/sh", "own shell")
    (image / "bin").symlink_to("/usr/bin")
    (image / "etc").mkdir()
    (image / "etc/passwd").write_text("own\n")
    archive = tmp_path / "image.tar"
    subprocess.run(["tar", "-c", "-f", archive, "-C", image, "."], check=True)
    tree = tmp_path / "tree"
    assert plant(Program(("serve",), rootfs=archive, folder=tmp_path), tree) == ("/usr/bin/serve",)
    assert inside(tree, "/bin/sh").read_text() == "own shell"
    assert (tree / "etc/passwd").read_text() == "own\n"
    assert not (tree / "usr/bin/busybox").exists()


def test_files_are_those_of_the_programs_folder(tmp_path: Path) -> None:
    """Wherever the lab itself was started."""
    script(tmp_path / "here/serve", "#!/bin/sh\n")
    (tmp_path / "here/data").write_text("data")
    program = Program(("./serve",), files=(Path("data"),), folder=tmp_path / "here")
    plant(program, tmp_path / "tree")
    assert inside(tmp_path / "tree", tmp_path / "here/data").read_text() == "data"


@pytest.mark.parametrize("first", ["", "./"])
def test_only_the_devices_of_an_image_are_left_out(tmp_path: Path, first: str) -> None:
    """Not what it has in another folder named dev. Names in the archive begin with or without ./"""
    image = tmp_path / "image"
    script(image / "app/dev/serve", "#!/bin/sh\n")
    script(image / "dev/null", "")
    script(image / "bin/sh", "own shell")
    archive = tmp_path / "image.tar"
    names = [f"{first}{name}" for name in ("app", "bin", "dev")]
    subprocess.run(["tar", "-c", "-f", archive, "-C", image, *names], check=True)
    tree = tmp_path / "tree"
    plant(Program(("/app/dev/serve",), rootfs=archive, folder=tmp_path), tree)
    assert inside(tree, "/app/dev/serve").exists()
    assert not inside(tree, "/dev/null").exists()


def test_an_image_in_layers(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[]")
    archive = tmp_path / "image.tar"
    subprocess.run(["tar", "-cf", archive, "-C", tmp_path, "manifest.json"], check=True)
    with pytest.raises(UsageError, match="docker export"):
        plant(Program(("sh",), rootfs=archive), tmp_path / "tree")


def test_links_do_not_lead_out_of_a_tree(tmp_path: Path) -> None:
    (tmp_path / "up").symlink_to("../../..")
    (tmp_path / "root").symlink_to("/")
    (tmp_path / "circle").symlink_to("circle")
    assert inside(tmp_path, "up/etc") == tmp_path / "etc"
    assert inside(tmp_path, "root/root/etc/../x") == tmp_path / "x"
    with pytest.raises(UsageError, match="circle"):
        inside(tmp_path, "circle")


def test_programs_in_folders_of_their_own(tmp_path: Path) -> None:
    """As Debian's have them, but not if there are two."""
    script(tmp_path / "usr/lib/server/bin/serve", "")
    assert find_program(tmp_path, "serve") == "/usr/lib/server/bin/serve"
    script(tmp_path / "usr/lib/other/bin/serve", "")
    assert find_program(tmp_path, "serve") is None


def test_libraries_in_folders_of_their_own(tmp_path: Path) -> None:
    """As update-alternatives links them, which does not run here."""
    folder = tmp_path / GUEST_LIBRARIES
    (folder / "blas").mkdir(parents=True)
    for name in ("blas/libblas.so.3.11.0", "blas/libown.so.1", "blas/libblas.a", "libown.so.1"):
        (folder / name).write_text(name)
    (folder / "blas/libblas.so.3").symlink_to("libblas.so.3.11.0")
    debian.link_libraries(tmp_path)
    assert (folder / "libblas.so.3").readlink() == Path("blas/libblas.so.3")
    assert (folder / "libblas.so.3").read_text() == "blas/libblas.so.3.11.0"
    assert (folder / "libown.so.1").read_text() == "libown.so.1"
    assert sorted(path.name for path in folder.iterdir()) == ["blas", "libblas.so.3", "libown.so.1"]


def test_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacked once, as one root."""
    made = []

    class Root:
        def download_with_dependencies(self, package: str) -> list[Path]:
            if package == "nothing":
                raise LabError("Unable to locate package nothing")
            return [Path(f"{package}_1_amd64.deb")]

        def remove(self) -> None:
            made.append("removed")

    def unpack(debs: list[Path], tree: Path) -> None:
        made.append(debs[-1].stem)
        script(tree / "bin/low", "low")
        script(tree / "usr/bin/high", "high")
        script(tree / "usr/share/doc/high/README", "")

    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(fetch, "host_root", lambda _name: Root())
    monkeypatch.setattr(apt, "unpack", unpack)
    for name in ("one", "two"):
        program = Program(("high",), packages=("server",), folder=tmp_path)
        assert plant(program, tmp_path / name) == ("/usr/bin/high",)
        assert inside(tmp_path / name, "/bin/low").read_text() == "low"
        assert not (tmp_path / name / "usr/share/doc").exists()
    assert made == ["server_1_amd64", "removed"]
    with pytest.raises(UsageError, match=r"--package: nothing: Unable to .*apt-cache search"):
        plant(Program(("x",), packages=("nothing",)), tmp_path / "three")


def test_a_tree_as_an_archive(tmp_path: Path) -> None:
    script(tmp_path / "usr/bin/x", "run")
    (tmp_path / "bin").symlink_to("usr/bin")
    found = entries(build_tree(tmp_path, "try"))
    assert {name: oct(mode) for name, (mode, _, _) in found.items()} == {
        "try": "0o40755",
        "try/bin": "0o120777",
        "try/usr": "0o40755",
        "try/usr/bin": "0o40755",
        "try/usr/bin/x": "0o100755",
    }
    assert found["try/usr/bin/x"][1] == b"run"
    assert found["try/bin"][1] == b"usr/bin"
