# SPDX-License-Identifier: GPL-2.0
"""What pghot's records cost at real size: `make bench-core`.

Two kinds of figures, in both modes:

- Time and bytes, from bench/core/: the module's own files compiled in user space, with
  a map as large as for 1 TB and 4 TB of slow memory. ns per record (random pages of
  the whole map, a few hot pages, pages that are ready already, lines that have to be
  aged first), ns for ageing a line, ns for a scan with 0 to a million ready pages. All
  is CPU time of the thread, so a busy host disturbs little; but the host's caches
  count: say which host. A cache miss on the struct page is not in: all page frames share
  one, as real ones would take 64 GiB for 4 TB.
- Instructions, exact, from the module itself in a guest: bench/recording.py.

Into build/results/core: core.json (all rows), summary.json, core.png. docs/results has
copies of a run.
"""

import json
import subprocess
import sys
import threading
import time
from typing import IO

import core_tables
import programs
import recording
from core_tables import Row
from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.hardware.machine import host_available
from pghotlab.measure.results import write_json

MODES = ("default", "precise")
TERABYTES = (1, 4)
REPEATS = 7
# Other CPUs of the guest may do something meanwhile.
GUEST_REPEATS = 3
# Of the largest map, what shares its host with it included.
HOST_BYTES = 6 << 30

# Regions of one mode.
REGIONS = (*recording.ROUNDS, "clock_elsewhere", "elsewhere", "clock_off", "off")

STEPS = f"""
hold 0 32
hold 1 128
mark arm
sleep 2

# mode_rounds MODE: beside all rounds, pages that have no records, and a source that is off
mode_rounds()
{{
	phase "$1 mode"
	load_pghot freq_threshold=3 mode="$1"
	recorded_rounds
	sleep 2
	record nid=0 nr_pages={recording.PAGES} mark=1
	set_value $PGHOT/enabled_sources 0
	record nr_pages={recording.PAGES} mark=1
	rmmod pghot
}}
for mode in {" ".join(MODES)}; do
	for repeat in $(seq {GUEST_REPEATS}); do
		mode_rounds $mode
	done
done
"""


class Progress:
    """Lines on what is being done, with the time since the start."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._phase = ""

    def say(self, text: str) -> None:
        """Print one line."""
        print(f"core [{time.monotonic() - self._started:4.0f} s] {text}", flush=True)

    def guest(self, phase: str, _seconds: float) -> None:
        """Print a guest's phase when it is a new one."""
        if phase != self._phase:
            self._phase = phase
            self.say(f"guest: {phase}")


def measure_native(mode: str, terabytes: int, progress: Progress) -> list[Row]:
    """Rows of one program."""
    if host_available() < HOST_BYTES:
        raise LabError(f"needs {HOST_BYTES >> 30} GiB of free memory")
    command = [str(paths.BUILD / "bench" / f"measure-{mode}"), str(terabytes), str(REPEATS)]
    said: list[str] = []

    def listen(stream: IO[str]) -> None:
        for line in stream:
            said.append(line.strip())
            progress.say(said[-1])

    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        listener = threading.Thread(target=listen, args=(process.stderr,))
        listener.start()
        rows = [json.loads(line) for line in process.stdout]
        listener.join()
    if process.returncode:
        raise LabError(f"{' '.join(command)}: status {process.returncode}: {said[-1:]}")
    return rows


def measure_guest(progress: Progress) -> list[Row]:
    """Rows of instruction counts."""
    repeats = range(GUEST_REPEATS)
    regions = [f"{mode}.{n}.{name}" for mode in MODES for n in repeats for name in REGIONS]
    _, cost = recording.measure(STEPS, regions, "core", progress.guest, of_cpus=max)
    kinds = {
        "off": "clock_off",
        "elsewhere": "clock_elsewhere",
        "record_first": "clock",
        "record_again": "clock",
        "record_ready": "clock",
        "record_more": "clock",
        "clock": "",
    }

    def instructions(prefix: str, kind: str, less: str) -> float:
        return recording.per_page(cost, prefix + kind, prefix + less if less else "")

    return [
        {
            "what": "instructions",
            "mode": mode,
            "kind": kind,
            "values": [instructions(f"{mode}.{n}.", kind, less) for n in repeats],
        }
        for mode in MODES
        for kind, less in kinds.items()
    ]


def main() -> int:
    """Measure, print the tables, and write the files."""
    progress = Progress()
    try:
        programs.build("core")
        rows = [
            row
            for terabytes in TERABYTES
            for mode in MODES
            for row in measure_native(mode, terabytes, progress)
        ]
        rows += measure_guest(progress)
    except LabError as error:
        print(f"core: {error}", file=sys.stderr)
        return 1
    out = paths.RESULTS / "core"
    write_json(out / "core.json", rows)
    write_json(out / "summary.json", core_tables.summary(rows))
    core_tables.draw(rows, out / "core.png")
    print(f"\n{core_tables.text(rows)}\n")
    for name in ("core.json", "summary.json", "core.png"):
        print(out / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
