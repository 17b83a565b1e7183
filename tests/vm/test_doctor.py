# SPDX-License-Identifier: GPL-2.0
"""`pghot doctor` names causes that are made in a guest: each is found, and goes with its remedy."""

from pathlib import Path

import pytest

from doctor import findings, run_doctor
from pghotlab.guest.vm import Guest
from support import FILL, FTRACE_STOPS

HERE = Path(__file__).parent

# What is done, and the causes that have to be found then, by the name of the situation.
FOUND = {
    "well": [],
    "not-at-boot": ["not-at-boot"],
    # Newer kernels do not let themselves be told.
    **({"ftrace": ["ftrace-off"]} if FTRACE_STOPS else {}),
    "walks": ["mglru-walks-off"],
    "tiering": ["tiering-mode-off"],
    "blind": ["no-source"],
    "damon": ["damon"],
    "daemon": ["other-daemon"],
    "scanners": ["several-scanners"],
    "misspelt": ["option-ignored"],
    "differs": ["option-differs"],
    "sysctls": ["sysctl-ignored", "sysctl-differs"],
    "blacklisted": ["blacklisted"],
    "demotion": ["demotion-off"],
    "seldom": ["threshold-too-high"],
    "hugetlb": ["hugetlb"],
    "bound": ["bound-by-policy"],
    "rate": ["rate-limit"],
    "cgroup": ["cgroup-limit"],
    "forced": ["slow-node-has-cpus"],
    "gone": ["not-loaded"],
    "missing": ["no-module"],
}

STEPS = (
    FILL
    + """
# more_and_more: each second a device reports 700 pages more, for long enough for a look
more_and_more()
{
	for round in $(seq 20); do
		insmod /lib/recorder.ko nid=1 nr_pages=$((700 * round))
		rmmod recorder
		sleep 1
	done
}

insmod /lib/pghot.ko
look well
rm /etc/modules-load.d/pghot.conf
look not-at-boot
echo pghot >/etc/modules-load.d/pghot.conf

set_value $PGHOT/enabled_sources 512
ftrace 0
look ftrace
ftrace 1
set_value $PGHOT/enabled_sources 16
set_value /sys/kernel/mm/lru_gen/enabled 0x0001
look walks
set_value /sys/kernel/mm/lru_gen/enabled 0x0007
set_value $PGHOT/enabled_sources 1
look tiering
set_value $PGHOT/enabled_sources 0
look blind
set_value $PGHOT/enabled_sources 516
look scanners
echo auto >$PGHOT/policy

DAMON=/sys/kernel/mm/damon/admin/kdamonds
echo 1 >$DAMON/nr_kdamonds
echo 1 >$DAMON/0/contexts/nr_contexts
echo paddr >$DAMON/0/contexts/0/operations
echo 1 >$DAMON/0/contexts/0/targets/nr_targets
echo 1 >$DAMON/0/contexts/0/targets/0/regions/nr_regions
echo 4294967296 >$DAMON/0/contexts/0/targets/0/regions/0/start
echo 4831838208 >$DAMON/0/contexts/0/targets/0/regions/0/end
echo on >$DAMON/0/state
look damon
echo off >$DAMON/0/state

cp /bin/sleep /tmp/memtierd 2>/dev/null || cp /bin/busybox /tmp/memtierd
(exec -a sleep /tmp/memtierd 600) &
daemon=$!
sleep 1
cat /proc/$daemon/comm
look daemon
kill $daemon

echo "options pghot freq_treshold=1" >/etc/modprobe.d/pghot.conf
look misspelt
echo "options pghot freq_threshold=1" >/etc/modprobe.d/pghot.conf
look differs
echo "blacklist pghot" >/etc/modprobe.d/pghot.conf
look blacklisted
rm /etc/modprobe.d/pghot.conf
mkdir -p /etc/sysctl.d
printf 'vm.pghot_freq_threshold=3\\nvm.pghot_freq_treshold=3\\n' >/etc/sysctl.d/pghot.conf
look sysctls
rm /etc/sysctl.d/pghot.conf

set_value /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages 64
look hugetlb
set_value /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages 0

hold bind 20000 0
look bound
let_go

fill 0
look demotion
kill $hogs
wait $hogs || true
set_value /sys/kernel/mm/numa/demotion_enabled 1

# A scan for hint faults each other second is too seldom for the threshold. With one each second,
# the seventh scan could fall into the time that the doctor looks at.
rmmod pghot
insmod /lib/pghot.ko mode=precise enabled_sources=1 freq_threshold=7
for bound in max min; do
	set_value /sys/kernel/debug/sched/numa_balancing/scan_period_${bound}_ms 2000
done
set_value $NUMAB 2
hold mapped 4000 1
look seldom 12
let_go
set_value $NUMAB 0

# A device reports more hot pages than the limit lets go.
rmmod pghot
insmod /lib/pghot.ko mode=precise enabled_sources=2 freq_threshold=1 \\
	promote_freq_window_ms=16383 promote_rate_limit_MBps=1
set_value /proc/sys/vm/min_free_kbytes 1200000
hold mapped 14000 1
more_and_more &
look rate 12
wait $!
mkdir -p /tmp/cgroup
mount -t cgroup2 none /tmp/cgroup
echo "/ 0" >$PGHOT/cgroups
set_value $PGHOT/promote_rate_limit_MBps 65536
more_and_more &
look cgroup 12
wait $!
let_go
rmmod pghot

insmod /lib/pghot.ko slow_nodes=0 slow_nodes_force=1
look forced
rmmod pghot
look gone
rm /lib/modules/*/updates/pghot.ko
look missing
"""
)


@pytest.fixture(scope="module")
def guest() -> Guest:
    return run_doctor(STEPS, name="doctor", timeout=900)


@pytest.mark.parametrize("situation", FOUND)
def test_cause_is_found(guest: Guest, situation: str) -> None:
    found = findings(guest, situation)
    assert set(FOUND[situation]) <= found.keys()
    if not FOUND[situation]:
        assert found == {}


def test_one_tier() -> None:
    steps = """
insmod /lib/pghot.ko
look one-tier
"""
    guest = run_doctor(steps, name="doctor-one-tier", machine=HERE / "one-tier.toml")
    assert "one-tier" in findings(guest, "one-tier")


def test_memory_that_is_faster() -> None:
    """Firmware says that a node without CPUs is faster; the administrator says that it is slow."""
    steps = """
insmod /lib/pghot.ko
look faster
rmmod pghot
insmod /lib/pghot.ko slow_nodes=1 slow_nodes_force=1
look inverted
"""
    guest = run_doctor(steps, name="doctor-inverted", machine=HERE / "faster.toml")
    assert "firmware says that it is faster" in findings(guest, "faster")["one-tier"]
    assert "than node 0, to which" in findings(guest, "inverted")["inverted-tiers"]
