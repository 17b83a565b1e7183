# SPDX-License-Identifier: GPL-2.0
"""`pghot doctor` names what keeps the module, or a part of it, from being started."""

import subprocess
from pathlib import Path

import pytest

from doctor import findings, run_doctor
from pghotlab.guest.vm import Guest
from support import BUILD, BUILT, DEBUG, built_files, kernel

# What is done, and the causes that have to be found then, by the name of the situation.
FOUND = {
    "records": ["records-missing"],
    # The log still has what was said before.
    "anew": [],
    "source": ["source-failed-perf"],
    "patched": ["live-patch"],
    "diverted": ["live-patch"],
    "lockdown": ["not-loaded", "not-signed"],
    "unsigned": ["not-loaded", "not-signed"],
    "unknown-key": ["not-loaded", "key-not-enrolled"],
}
# The kernels that check themselves do not look at signatures.
OF_SIGNATURES = ("lockdown", "unsigned", "unknown-key")

STEPS = """
insmod /lib/pghot-inject.ko mode=precise
eventually offlined $(ls -r /sys/devices/system/node/node1/memory[0-9]*/state)
set_value /sys/module/pghot/parameters/inject_alloc 1
set_value $state online
look records
rmmod pghot

insmod /lib/pghot.ko
look anew

# There is no performance counter in the guest that could sample accesses.
echo 32 2>/dev/null >$PGHOT/enabled_sources || true
look source
rmmod pghot

is_unpatched()
{
	[ ! -e /sys/kernel/livepatch/patcher ]
}

set_value $NUMAB 2
insmod /lib/patcher.ko
insmod /lib/pghot.ko
look patched
rmmod pghot
set_value /sys/kernel/livepatch/patcher/enabled 0
eventually is_unpatched
eventually rmmod patcher

insmod /lib/diverter.ko
insmod /lib/pghot.ko
look diverted
rmmod pghot
rmmod diverter
"""
# Neither of the two can be taken back.
SIGNATURE_STEPS = """
mount -t securityfs security /sys/kernel/security
set_value /sys/kernel/security/lockdown integrity
insmod /lib/pghot.ko 2>/dev/null || true
look lockdown
set_value /sys/module/module/parameters/sig_enforce 1
insmod /lib/pghot.ko 2>/dev/null || true
look unsigned
cp /lib/pghot-signed.ko $modules/updates/pghot.ko
insmod /lib/pghot-signed.ko 2>/dev/null || true
look unknown-key
"""


def signed() -> Path:
    """The module, signed with a key that was made for this, and that no kernel knows."""
    folder = BUILT / "signed"
    folder.mkdir(parents=True, exist_ok=True)
    key, certificate, module = (folder / name for name in ("key.pem", "key.x509", "pghot.ko"))
    request = ("openssl", "req", "-new", "-x509", "-nodes", "-newkey", "rsa:2048")
    names = ("-subj", "/CN=nobody/", "-keyout", key, "-out", certificate)
    subprocess.run([*request, *names], check=True, capture_output=True)
    sign = kernel().headers / "scripts" / "sign-file"
    source = built_files()["lib/pghot.ko"]
    subprocess.run([sign, "sha256", key, certificate, source, module], check=True)
    return module


@pytest.fixture(scope="module")
def guest() -> Guest:
    files = {"lib/pghot-inject.ko": BUILD / "inject" / "pghot.ko"}
    if not DEBUG:
        files["lib/pghot-signed.ko"] = signed()
    steps = STEPS + ("" if DEBUG else SIGNATURE_STEPS)
    return run_doctor(steps, name="doctor-loading", timeout=600, files=files)


def situations() -> list[str]:
    return [name for name in FOUND if not DEBUG or name not in OF_SIGNATURES]


@pytest.mark.parametrize("situation", situations())
def test_cause_is_found(guest: Guest, situation: str) -> None:
    assert [*findings(guest, situation)] == FOUND[situation]


def test_who_is_in_the_way(guest: Guest) -> None:
    assert "by the live patch patcher." in findings(guest, "patched")["live-patch"]
    assert "by another module." in findings(guest, "diverted")["live-patch"]


@pytest.mark.skipif(DEBUG, reason="this kernel does not look at signatures")
def test_what_forbids_it(guest: Guest) -> None:
    assert "lockdown is integrity" in findings(guest, "lockdown")["not-signed"]
