# SPDX-License-Identifier: GPL-2.0
"""A correct machine file, for the tests that need one of two nodes."""

GOOD = """
name = "m"
description = "two nodes"
scale = "1:1"
insn_ps = 1000
[[node]]
id = 0
size = "2G"
cpus = [0, 1]
bandwidth_mbps = 8000
[[node]]
id = 1
size = "1G"
cpus = []
bandwidth_mbps = 800
[latency]
node0 = [80, 250]
[distance]
node0 = [10, 50]
node1 = [50, 10]
[cache]
l1 = { size = "32K", ways = 2 }
l2 = { size = "1M", ways = 8, ns = 4 }
llc = { size = "8M", ways = 16, ns = 15 }
streams = 10
"""
