# SPDX-License-Identifier: GPL-2.0
"""The command `pghot` on a machine with two tiers: before the module, with it, and at work."""

import json
from typing import Any

import pytest

from pghotlab.guest import packages
from pghotlab.guest.vm import Guest
from support import COMMAND, STATISTICS_OFF, command_files, run

# Pages that somebody uses on the slow node, and may not be moved.
BOUND = 4000
VERBS = ("status", "doctor", "sources")

STEPS = f"""
{COMMAND}
{STATISTICS_OFF}
set_value $NUMAB 0
set_value /sys/kernel/mm/numa/demotion_enabled 1

# ask NAME WORDS...: what the command says, and its exit status
ask()
{{
	name=$1
	shift
	status=0
	pghot "$@" >/tmp/said 2>/tmp/complained || status=$?
	report "$name" </tmp/said
	report "$name.complaint" </tmp/complained
	echo $status | report "$name.status"
}}

phase without
for verb in status doctor; do
	ask without.$verb $verb -s 0 -j
done
ask unload.nothing unload
ask load.wrong load freq_treshold=1
ask load.range load freq_threshold=9
ask load.refused load slow_nodes=0-1
phase load
ask load load -j
ask load.again load
ask load.ignored load mode=precise
mkdir -p /etc/modules-load.d
echo pghot >/etc/modules-load.d/pghot.conf
for verb in {" ".join(VERBS)}; do
	ask $verb $verb -s 1 -j
done
ask status.text status -s 0

phase nobody
nobody env PYTHONPATH=/lib/command /python/bin/python3 -m pghot status -s 0 -j | report nobody

phase selftest
ask selftest selftest --mib 16 -s 60 -j
ask set set promote_rate_limit_MBps=500 policy=auto -j
cat $PGHOT/promote_rate_limit_MBps | report set.value
ask set.range set promote_rate_limit_MBps=0

phase why
mkfifo /tmp/in
holds 1 {BOUND} bind 0 </tmp/in >/tmp/out &
exec 8>/tmp/in
eventually grep -q ready /tmp/out
pid=$(pidof holds)
set_value $PGHOT/enabled_sources 4 # it does not look at memory with a policy
set_value $PGHOT/freq_threshold 1
ask why why $pid -s 3 -j
start=$(awk '$2 == "bind:1" {{ print $1; exit }}' /proc/$pid/numa_maps)
PYTHONPATH=/lib/command /python/bin/python3 >/tmp/place <<END
from pghot.read.page import frame_at
from pghot.read.root import Root
print(hex(frame_at(Root(), $pid, 0x$start) * 4096))
END
report place </tmp/place
ask why.page why $(cat /tmp/place) -s 3 -j
ask why.nowhere why 0xffffffff000 -s 0
ask why.nobody why 99999
ask why.kernel why 2

phase record
set_value $PGHOT/enabled_sources 512
cd /tmp
holds 1 {BOUND} mapped 1 </dev/null >/tmp/out2 &
ask record record -s 3 -o /tmp/x.record --pid $pid -j
ask report report /tmp/x.record -j
grep -c '<svg' /tmp/x.html | report page
ask top top -n 1 -s 1 -j
ask metrics metrics
ls $TRACE/instances | report instances
exec 8>&-
kill $! 2>/dev/null || true

phase unload
exec 7</sys/kernel/debug/pghot/vmstat
ask unload.held unload
exec 7<&-
ask unload unload -j
remains | report remains
ask measure measure --mib 1 -j
"""


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run(
        STEPS,
        name="command",
        timeout=900,
        files=command_files(),
        packages=packages.archive("python"),
    )


def said(guest: Guest, name: str, status: int = 0) -> Any:
    """The JSON that a verb printed, with this status."""
    complaint = guest.report.text(f"{name}.complaint")
    assert guest.report.text(f"{name}.status") == str(status), complaint
    return json.loads(guest.report.text(name))


def refused(guest: Guest, name: str, status: int) -> str:
    """What a verb complained of, and nothing else."""
    assert guest.report.text(f"{name}.status") == str(status)
    assert guest.report.text(name) == ""
    return guest.report.text(f"{name}.complaint")


def test_without_the_module(guest: Guest) -> None:
    status = said(guest, "without.status")
    assert status["module_version"] is None
    assert [node["slow"] for node in status["nodes"]] == [False, True]
    doctor = said(guest, "without.doctor", status=2)
    assert [one["name"] for one in doctor["findings"]] == ["not-loaded"]
    assert doctor["unknown"] == []
    assert guest.report.text("unload.nothing") == "pghot was not loaded."


def test_load(guest: Guest) -> None:
    assert "did you mean freq_threshold?" in refused(guest, "load.wrong", 64)
    assert "must be a number from 1 to 3" in refused(guest, "load.range", 64)
    complaint = refused(guest, "load.refused", 2)
    assert "the kernel's log says: pghot: slow_nodes=0-1: must be a list of nodes" in complaint
    loaded = said(guest, "load")
    assert loaded["slow_nodes"] == [1]
    assert any("promoting from node 1" in line for line in loaded["log"])
    assert "is loaded already" in guest.report.text("load.again")
    assert "loaded already, and takes parameters only" in refused(guest, "load.ignored", 2)


def test_status(guest: Guest) -> None:
    status = said(guest, "status")
    assert status["module_version"] == status["version"]
    assert [(node["slow"], node["distance"]) for node in status["nodes"]] == [
        (False, 10),
        (True, 50),
    ]
    assert status["policy"] == "auto"
    assert len(status["decisions"]) == 2
    assert {"windows", "pagecache"} <= {one["name"] for one in status["sources"] if one["on"]}
    assert "slow" in guest.report.text("status.text")


def test_nothing_is_wrong(guest: Guest) -> None:
    assert said(guest, "doctor") == {"state": "well", "findings": [], "unknown": []}


def test_reading_needs_no_root(guest: Guest) -> None:
    assert json.loads(guest.report.text("nobody"))["policy"] == "auto"


def test_selftest(guest: Guest) -> None:
    found = said(guest, "selftest")
    assert found["ok"]
    assert found["intact"]
    assert found["away"] == found["pages"]
    assert found["back"] >= found["away"] // 2
    assert found["recorded"]["windows"] > 0


def test_set(guest: Guest) -> None:
    changed = said(guest, "set")["changed"]
    assert [one["value"] for one in changed] == ["500", "auto"]
    assert guest.report.text("set.value") == "500"
    assert "must be a number from 1 to 1048576" in refused(guest, "set.range", 64)


def test_why(guest: Guest) -> None:
    found = said(guest, "why")
    assert found["by_node"]["1"] >= BOUND * 4096
    held = [line for line in found["processes"][0]["mappings"] if line["reasons"]]
    assert any("memory policy bind:1 keeps it" in line["reasons"][0] for line in held)
    assert "no process 99999" in refused(guest, "why.nobody", 2)
    assert "kernel thread" in refused(guest, "why.kernel", 2)


def test_why_of_a_page(guest: Guest) -> None:
    """It is one of those that the process has bound to the slow node, and uses."""
    found = said(guest, "why.page")
    assert (found["page"]["address"], found["page"]["node"]) == (guest.report.text("place"), 1)
    assert found["page"]["kind"] == "anonymous memory"
    assert [one["name"] for one in found["processes"]] == ["holds"]
    assert "memory policy bind:1 keeps it on node 1" in found["conclusions"][0]
    assert "no memory at the physical address" in refused(guest, "why.nowhere", 2)


def test_record_and_report(guest: Guest) -> None:
    recorded = said(guest, "record")
    assert recorded["intervals"] >= 3
    assert said(guest, "report")["file"] == "/tmp/x.html"
    assert int(guest.report.text("page")) >= 3
    assert guest.report.text("instances") == ""


def test_top(guest: Guest) -> None:
    found = said(guest, "top")
    assert [node["slow"] for node in found["nodes"]] == [False, True]
    assert any(one["name"] == "holds" and one["slow"] > 0 for one in found["processes"])


def test_metrics(guest: Guest) -> None:
    text = guest.report.text("metrics")
    assert "\npghot_loaded 1\n" in text
    assert 'pghot_source_on{source="windows"} 1' in text


def test_unload(guest: Guest) -> None:
    complaint = refused(guest, "unload.held", 2)
    assert "/sys/kernel/debug/pghot/vmstat" in complaint
    assert said(guest, "unload") == {"was_loaded": True}
    assert guest.report.text("remains") == ""
    assert "cannot find the measuring program" in refused(guest, "measure", 2)
