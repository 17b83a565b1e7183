# SPDX-License-Identifier: GPL-2.0
"""Where things live in the tree: sources, downloads (.cache), what is built (build)."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VERSION = ROOT / "VERSION"
LAB = ROOT / "lab"
MODULE_SOURCES = ROOT / "kernel"
CACHE = ROOT / ".cache"
BUILD = ROOT / "build"

MACHINES = LAB / "machines"
POLICIES = LAB / "policies.toml"
WORKLOADS = LAB / "workloads.toml"
TABLES = LAB / "tables"
LEAGUE = LAB / "league.toml"
GUEST_INIT = LAB / "guest" / "init"

QEMU = CACHE / "qemu"
KERNEL = CACHE / "kernel"
CHECKPATCH = CACHE / "checkpatch"

PLUGIN = BUILD / "plugin" / "tiermem.so"
GUEST_BUILD = BUILD / "guest" / "bin"
MODULE = BUILD / "kernel" / "pghot.ko"
RESULTS = BUILD / "results"
# Whole tables, for all to read.
KEPT = ROOT / "docs" / "results"
# For which release they were made.
RELEASE = KEPT / "RELEASE"
CALIBRATION = KEPT / "calibrate.json"
# Pages of these for a browser.
REPORT = BUILD / "report"
