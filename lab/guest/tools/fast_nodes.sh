#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# fast_nodes: the nodes whose memory is fast, a line each. These are the nodes of the slowest memory
# tier that has a node with CPUs, and those of faster tiers. The kernel calls them top tier, and
# promotes pages to them only.
set -e

# The number of a tier grows with the distance of its memory.
for tier in /sys/devices/virtual/memory_tiering/memory_tier[0-9]*; do
	tr ',' '\n' <"$tier/nodelist" | while IFS=- read -r first last; do
		for node in $(seq "$first" "${last:-$first}"); do
			cpus=$(cat "/sys/devices/system/node/node$node/cpulist")
			echo "${tier##*/memory_tier} $node ${cpus:+cpus}"
		done
	done
done | awk '
	{ tier[$2] = $1 }
	$3 == "cpus" && $1 > top { top = $1 }
	END { for (node in tier) if (tier[node] + 0 <= top + 0) print node }' | sort -n
