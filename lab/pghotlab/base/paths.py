# SPDX-License-Identifier: GPL-2.0
"""Where things live in the tree: sources, downloads (.cache), what is built (build)."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VERSION = ROOT / "VERSION"
LAB = ROOT / "lab"
# Of the patch series: what is in the kernel's tree only.
INTREE = ROOT / "intree"
MODULE_SOURCES = ROOT / "kernel"
CACHE = ROOT / ".cache"
BUILD = ROOT / "build"

# What is booted and built for: a series of lab/kernels.toml, or a kernel that checks itself. Empty
# for the default series, whose files are where they are without a name.
KERNEL_NAME = os.environ.get("PGHOT_KERNEL", "")
# What is built for it, and made with it.
KERNEL_BUILD = BUILD / KERNEL_NAME

KERNELS = LAB / "kernels.toml"
MACHINES = LAB / "machines"
POLICIES = LAB / "policies.toml"
WORKLOADS = LAB / "workloads.toml"
TABLES = LAB / "tables"
LEAGUE = LAB / "league.toml"
GUEST_INIT = LAB / "guest" / "init"
# Files with which programs say what part of them is to be measured.
MARKS = LAB / "marks"

QEMU = CACHE / "qemu"
QEMU_ARM64 = CACHE / "qemu-arm64"
KERNEL = CACHE / "kernel"
TOOLS = CACHE / "tools"
CHECKPATCH = CACHE / "checkpatch"
PROMTOOL = CACHE / "packages" / "promtool"

PLUGIN = BUILD / "plugin" / "tiermem.so"
# The same, but reads of devices may take time in it.
PLUGIN_DEVICES = BUILD / "plugin" / "tiermem-devices.so"
# The guest's programs, and those of guests of another architecture.
GUEST_BUILD = BUILD / "guest" / "bin"
GUEST_BUILD_ARM64 = BUILD / "guest-arm64" / "bin"
MODULE = KERNEL_BUILD / "kernel" / "pghot.ko"
RESULTS = KERNEL_BUILD / "results"
# Whole tables, for all to read.
KEPT = ROOT / "docs" / "results" / KERNEL_NAME
# For which release those of the default kernel were made.
RELEASE = ROOT / "docs" / "results" / "RELEASE"
CALIBRATION = KEPT / "calibrate.json"
# Pages of these for a browser.
REPORT = BUILD / "report"
# Their style, which is that of the command's pages.
PAGE_STYLE = ROOT / "tools" / "pghot" / "show" / "page.css"
