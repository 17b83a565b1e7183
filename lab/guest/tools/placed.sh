#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# placed PID: where the pages are that the process has mapped, as two members of a JSON object:
# how many are on each node, and the share of them on fast nodes.
set -e

nodes=/sys/devices/system/node
for node in "$nodes"/node[0-9]*; do
	if fast_nodes | grep -qx "${node##*/node}"; then fast=1; else fast=0; fi
	echo "node ${node##*/node} $fast"
done >/tmp/placed.nodes

awk '
	$1 == "node" && FILENAME == "/tmp/placed.nodes" { node[nodes++] = $2; fast[$2] = $3; next }
	{
		for (i = 3; i <= NF; i++)
			if (split($i, count, "=") == 2 && count[1] ~ /^N[0-9]+$/)
				pages[substr(count[1], 2)] += count[2]
	}
	END {
		for (i = 0; i < nodes; i++) {
			list = list (i ? "," : "") "\"" node[i] "\":" pages[node[i]] + 0
			all += pages[node[i]]
			near += fast[node[i]] * pages[node[i]]
		}
		printf "\"placed_per_node\":{%s},\"fast_at_start_percent\":%.1f\n", list,
			all ? 100 * near / all : 0
	}' /tmp/placed.nodes "/proc/$1/numa_maps"
