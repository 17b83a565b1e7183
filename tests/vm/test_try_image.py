# SPDX-License-Identifier: GPL-2.0
"""A program in a root file system of its own is tried: with files of the host, until its mark."""

import subprocess
from pathlib import Path

from pghotlab.base.units import MIB
from pghotlab.hardware.machine import load_machine
from pghotlab.trial import debian
from pghotlab.trial.footprint import measure
from pghotlab.trial.tree import Program
from pghotlab.trial.trial import Trial, make_workload, pack

NUMBERS = 1000
# Reads a file of the host, by a name without folder, says so, and then never ends by itself.
JOB = """
.import --csv numbers.csv numbers
SELECT 'the sum is ' || sum(number) FROM numbers;
CREATE TABLE blobs AS SELECT zeroblob(65536) FROM numbers;
SELECT 'blobs: ' || count(*) FROM blobs;
WITH RECURSIVE forever(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM forever)
	SELECT max(i) FROM forever;
"""


def make_image(folder: Path) -> Path:
    """A root file system as `docker export` writes one: Debian's SQLite, and device files."""
    archive = folder / "image.tar"
    tar = ["tar", "--create", "--file", str(archive)]
    devices = ["--absolute-names", "--transform=s,^/,,S", "/dev/null", "/dev/console"]
    root = debian.unpacked(["sqlite3"])
    names = sorted(path.name for path in root.iterdir())
    subprocess.run([*tar, *devices, "-C", str(root), *names], check=True)
    return archive


def test_an_image_with_a_file_to_a_line_of_its_output(tmp_path: Path) -> None:
    numbers = "\n".join(["number", *map(str, range(NUMBERS)), ""])
    (tmp_path / "numbers.csv").write_text(numbers)
    (tmp_path / "job.sql").write_text(JOB)
    program = Program(
        ("sqlite3", ":memory:", ".read job.sql"),
        files=(Path("numbers.csv"), Path("job.sql")),
        rootfs=make_image(tmp_path),
        folder=tmp_path,
    )
    trial = Trial(
        name="image",
        program=program,
        machine=load_machine("dram-pmem"),
        policies=(),
        shares=(),
        start="the sum is",
        end="blobs",
    )
    archive, command = pack(trial, tmp_path)
    assert command[0] == "/usr/bin/sqlite3"
    # It reaches its end only if the first line came, and the last one did, and it was ended then.
    found = measure(trial.machine, make_workload(trial, archive, command), "", tmp_path)
    assert NUMBERS * 65536 < found.peak < NUMBERS * 65536 + 64 * MIB
    said = (tmp_path / "footprint/report.txt").read_text()
    assert f"the sum is {sum(range(NUMBERS))}" in said
    assert f"blobs: {NUMBERS}" in said
