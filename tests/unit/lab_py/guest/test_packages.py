# SPDX-License-Identifier: GPL-2.0
"""Archives of Debian packages: which files they take, and when they are made."""

import subprocess
from pathlib import Path

import pytest

from guest.cpio import entries
from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.guest import packages
from pghotlab.guest.packages import PackageSet
from pghotlab.hardware.machine import load_machine
from pghotlab.measure.workload import make_workload, workload_names

LISTED = """\
\tlinux-vdso.so.1 (0x00007ffc)
\tlibz.so.1 => /t/usr/lib/x86_64-linux-gnu/libz.so.1 (0x00007f0000000000)
\tlibc.so.6 => /t/lib/x86_64-linux-gnu/libc.so.6 (0x00007f0000001000)
\t/lib64/ld-linux-x86-64.so.2 => /t/lib64/ld-linux-x86-64.so.2 (0x00007f0000002000)
"""


def test_libraries() -> None:
    assert packages.parse_libraries(LISTED) == {
        "libz.so.1": Path("/t/usr/lib/x86_64-linux-gnu/libz.so.1"),
        "libc.so.6": Path("/t/lib/x86_64-linux-gnu/libc.so.6"),
    }


def test_library_that_is_missing_is_named() -> None:
    with pytest.raises(LabError, match=r"no package has libx\.so\.3$"):
        packages.parse_libraries(LISTED + "\tlibx.so.3 => not found\n")


def make_tree(tree: Path) -> None:
    """Packages with a text file, a folder, and a program that has the host's libraries only."""
    (tree / "usr/share/a/b").mkdir(parents=True)
    (tree / "usr/share/a/one").write_text("1")
    (tree / "usr/share/a/b/two").write_text("2")
    (tree / "usr/bin").mkdir()
    (tree / "usr/bin/run").write_bytes(Path("/usr/bin/env").read_bytes())
    (tree / "lib64").mkdir()
    (tree / packages.LOADER).symlink_to(Path(f"/{packages.LOADER}").resolve())


def test_collect(tmp_path: Path) -> None:
    make_tree(tmp_path)
    assert packages.collect(tmp_path, ["usr/share/a"]) == {
        name: tmp_path / name for name in ("usr/share/a/one", "usr/share/a/b/two")
    }


def test_what_no_package_has(tmp_path: Path) -> None:
    make_tree(tmp_path)
    with pytest.raises(LabError, match="has /usr/share/none"):
        packages.collect(tmp_path, ["usr/share/none"])
    with pytest.raises(LabError, match=r"usr/bin/run: no package has libc\.so\.6: it is the host"):
        packages.collect(tmp_path, ["usr/bin/run"])


def test_archive_has_folders_before_files(tmp_path: Path) -> None:
    script = tmp_path / "x"
    script.write_text("#!")
    script.chmod(0o755)
    found = entries(packages.build_archive({"usr/bin/x": script}))
    assert list(found) == ["usr", "usr/bin", "usr/bin/x"]
    assert found["usr/bin/x"][0] & 0o111


def test_archive_is_made_again_for_another_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def make(name: str, wanted: PackageSet) -> tuple[bytes, list[str]]:
        made.append(wanted)
        return b"x" * len(made), [f"{name}_1_amd64"]

    monkeypatch.setattr(paths, "CACHE", tmp_path)
    monkeypatch.setattr(packages, "_make", make)
    for keep in ("a", "a", "b"):
        monkeypatch.setitem(packages.PACKAGES, "redis", PackageSet(("redis-server",), (keep,)))
        path = packages.archive("redis")
    assert [wanted.keep for wanted in made] == [("a",), ("b",)]
    assert path.read_bytes() == b"xx"


def test_what_workloads_need_is_there() -> None:
    machine = load_machine("two-node")
    needed = {make_workload(name, {}, machine).packages for name in workload_names()} - {None}
    assert needed <= set(packages.PACKAGES)
    assert {"oltp", "redis"} <= needed


def test_library_of_the_program_itself(tmp_path: Path) -> None:
    """Found beside another file that is kept, and not taken twice."""
    make_tree(tmp_path)
    libraries = tmp_path / "jre/lib"
    libraries.mkdir(parents=True)
    listed = subprocess.run(["ldd", "/usr/bin/env"], capture_output=True, text=True, check=True)
    for path in packages.parse_libraries(listed.stdout).values():
        (libraries / path.name).symlink_to(path.resolve())
    (libraries / "libown.so").write_bytes(b"")
    files = packages.collect(tmp_path, ["usr/bin/run", "jre/lib"])
    assert "usr/bin/run" in files
    assert not any(name.startswith(packages.GUEST_LIBRARIES) for name in files)


def test_links_stay_within_the_tree(tmp_path: Path) -> None:
    make_tree(tmp_path)
    links = [tmp_path / "usr/share/a" / name for name in ("inside", "outside", "near")]
    for link, target in zip(links, ("/usr/share/a/one", "/dev/null", "b/two"), strict=True):
        link.symlink_to(target)
    packages.relink(tmp_path)
    assert [str(link.readlink()) for link in links] == ["one", "/dev/null", "b/two"]


def test_steps_make_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/a.java").write_text("a")
    (tmp_path / "tree").mkdir()
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    wanted = PackageSet((), ("made",), ('cat "$SOURCES"/*.java >made',), "source")
    packages.run_steps("x", wanted, tmp_path / "tree")
    assert (tmp_path / "tree/made").read_text() == "a"
    before = wanted.describe()
    (tmp_path / "source/a.java").write_text("b")
    assert wanted.describe() != before
    # In its folders, too.
    (tmp_path / "source/more").mkdir()
    (tmp_path / "source/more/c.java").write_text("c")
    assert sorted(wanted.describe()["sha256"]) == ["a.java", "more/c.java"]
    with pytest.raises(LabError, match="x: echo no; false:\nno\n"):
        packages.run_steps("x", PackageSet((), (), ("echo no; false",)), tmp_path)


def test_what_is_kept_of_folders(tmp_path: Path) -> None:
    """PostgreSQL's folders have its version in their names, and more in them than is needed."""
    lib = tmp_path / "usr/lib/postgresql/15"
    share = tmp_path / "usr/share/postgresql/15/extension"
    for name in ("bin/postgres", "bin/pg_ctl", "lib/plpgsql.so", "lib/llvmjit.so", "lib/bitcode/x"):
        (lib / name).parent.mkdir(parents=True, exist_ok=True)
        (lib / name).touch()
    share.mkdir(parents=True)
    for name in ("plpgsql.control", "plpgsql--1.0.sql", "hstore.control"):
        (share / name).touch()
    packages.run_steps("pgbench", packages.PACKAGES["pgbench"], tmp_path)
    left = {file.name for file in tmp_path.rglob("*") if file.is_file()}
    assert left == {"postgres", "plpgsql.so", "plpgsql.control", "plpgsql--1.0.sql"}
