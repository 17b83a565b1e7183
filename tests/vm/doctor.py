# SPDX-License-Identifier: GPL-2.0
"""What the tests of `pghot doctor` share: looks at the situations that a guest makes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pghotlab.guest import packages
from pghotlab.guest.vm import Guest
from support import COMMAND, STATISTICS_OFF, command_files, run

# Steps: nothing is moved by the kernel itself, and what loads pghot at boot is there.
LOOK = (
    COMMAND
    + STATISTICS_OFF
    + """
set_value $NUMAB 0
set_value /sys/kernel/mm/numa/demotion_enabled 1
set_value /sys/kernel/mm/transparent_hugepage/enabled never
mkdir -p /etc/modules-load.d /etc/modprobe.d
echo pghot >/etc/modules-load.d/pghot.conf

# look NAME [SECONDS]: what the doctor finds now
look()
{
	phase "$1"
	pghot doctor -j -s "${2:-0}" | report "$1" || true
}

# hold KIND PAGES NUMBER: memory of node 1 that `holds` has there and uses, until let_go
hold()
{
	rm -f /tmp/in /tmp/out
	mkfifo /tmp/in
	holds 1 "$2" "$1" "$3" </tmp/in >/tmp/out &
	held=$!
	exec 8>/tmp/in
	eventually grep -q ready /tmp/out
	set_value /proc/sys/vm/drop_caches 1 # moves what is in per-CPU batches to its lists
}

let_go()
{
	exec 8>&-
	wait $held || true
}

# report_all: until report_enough a device reports all pages of node 1, again and again
report_all()
{
	rm -f /tmp/enough
	(
		until [ -e /tmp/enough ]; do
			insmod /lib/recorder.ko nid=1 nr_pages=100000 rounds=2
			rmmod recorder
			usleep 300000
		done
	) &
	device=$!
}

report_enough()
{
	touch /tmp/enough
	wait $device
}

# look_while_reported NAME SECONDS: what the doctor finds meanwhile
look_while_reported()
{
	report_all
	look "$1" "$2"
	report_enough
}
"""
)


def run_doctor(
    steps: str,
    *,
    name: str,
    files: dict[str, Path] | None = None,
    boots: Callable[..., Guest] = run,
    **more: Any,
) -> Guest:
    """Boot with the command and run the steps after LOOK.

    boots: run() or run_modelled(), whose arguments the others are.
    """
    return boots(
        LOOK + steps,
        name=name,
        files=command_files() | (files or {}),
        packages=packages.archive("python"),
        **more,
    )


def findings(guest: Guest, situation: str) -> dict[str, str]:
    """What the doctor says of a situation, by the name of the cause."""
    diagnosis = json.loads(guest.report.text(situation))
    return {finding["name"]: finding["what"] for finding in diagnosis["findings"]}
