#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tiering by DAMON, as far as this kernel has it: one kdamond watches the physical memory of the
# slow nodes and migrates what is hot to the fast node that is nearest, and another, if told so,
# watches the fast nodes and migrates what is cold to the nearest slow one. They run
# until the guest ends.
#
# damon KEY=VALUE...
#   sample_us, aggr_us, min_regions, max_regions: how memory is watched
#   hot=N        samples of a region's aggregation, from which on it is hot
#   cold_s=S     seconds that a region of a fast node was not used until it is cold; 0: no demotion
#   bytes=N      what each scheme may migrate in a second; 0: no limit
#   apply_us=N   optional: how often pages are migrated; without it, once in an aggregation
#   access_bp=N  optional: the kernel finds the intervals by itself, beginning with these, so that of
#                all that it could see being accessed it sees so many ten-thousandths
#   max_sample_us=N  with access_bp: the longest interval between two samples
#   used_bp=N, free_bp=N  optional: migrate as much as makes the fast node be used, or free, to so
#                many ten-thousandths. Pages are looked at once more before they are migrated, and
#                cold is what was not used in one aggregation. As long as that is not so all of bytes
#                may be migrated
#   flush_us=N   how often CPUs forget their TLBs. DAMON clears accessed bits and flushes none, as
#                hardware's are small; pages stay in QEMU's, where they look idle ever after.

set -e

admin=/sys/kernel/mm/damon/admin/kdamonds
nodes=/sys/devices/system/node
biggest=4294967295 # of DAMON's own numbers

apply_us=0
access_bp=
max_sample_us=
used_bp=
free_bp=
for setting; do
	case $setting in
	sample_us=* | aggr_us=* | min_regions=* | max_regions=* | hot=* | cold_s=* | bytes=* | flush_us=*)
		eval "$setting"
		;;
	apply_us=* | access_bp=* | max_sample_us=* | used_bp=* | free_bp=*)
		eval "$setting"
		;;
	*)
		echo "damon: $setting: unknown" >&2
		exit 2
		;;
	esac
done
: "${sample_us:?}" "${aggr_us:?}" "${min_regions:?}" "${max_regions:?}"
: "${hot:?}" "${cold_s:?}" "${bytes:?}" "${flush_us:?}"

# Of the nodes $2..., the one nearest to node $1.
nearest()
{
	from=$1
	shift
	for node; do
		# Distances are in the order of the nodes.
		at=0
		for other in "$nodes"/node[0-9]*; do
			at=$((at + 1))
			[ "$other" != "$nodes/node$node" ] || break
		done
		echo "$(cut -d ' ' -f "$at" "$nodes/node$from/distance") $node"
	done | sort -n | head -n 1 | cut -d ' ' -f 2
}

# The physical addresses of node $1's memory, a line for each piece: first and end.
ranges()
{
	read -r size </sys/devices/system/memory/block_size_bytes
	for block in "$nodes/node$1"/memory[0-9]*; do
		echo "${block##*/memory}"
	done | sort -n | awk -v size=$((0x$size)) '
		NR > 1 && $1 != end { printf "%.0f %.0f\n", first * size, end * size }
		NR == 1 || $1 != end { first = $1 }
		{ end = $1 + 1 }
		END { printf "%.0f %.0f\n", first * size, end * size }'
}

# put FOLDER NAME=VALUE...: write values to a folder's files.
put()
{
	folder=$1
	shift
	for value; do
		echo "${value#*=}" >"$folder/${value%%=*}"
	done
}

# tune CONTEXT: let the kernel find the intervals, as its sample module mtier does
tune()
{
	put "$1/monitoring_attrs/intervals/intervals_goal" "access_bp=$access_bp" aggrs=3 \
		"min_sample_us=$sample_us" "max_sample_us=${max_sample_us:?}"
}

# aim SCHEME METRIC BP NODE ALLOW: how much to migrate, and whether of pages that are accessed or of
# those that are not (Y or N)
aim()
{
	put "$1/quotas" goal_tuner=temporal
	put "$1/quotas/goals" nr_goals=1
	put "$1/quotas/goals/0" "target_metric=$2" "target_value=$3" "nid=$4"
	put "$1/ops_filters" nr_filters=1
	put "$1/ops_filters/0" type=young matching=Y "allow=$5"
}

# watch KDAMOND ACTION FROM TO MIN MAX AGE: one node's memory, with one scheme: what had MIN to
# MAX accesses in an aggregation, for AGE aggregations or more.
watch()
{
	kdamond=$admin/$1
	put "$kdamond/contexts" nr_contexts=1
	context=$kdamond/contexts/0
	put "$context" operations=paddr
	put "$context/monitoring_attrs/intervals" "sample_us=$sample_us" "aggr_us=$aggr_us"
	[ -z "$access_bp" ] || tune "$context"
	# The upper bound first: the lower one may not be above it.
	put "$context/monitoring_attrs/nr_regions" "max=$max_regions" "min=$min_regions"
	put "$context/targets" nr_targets=1
	ranges "$3" >/tmp/damon.ranges
	put "$context/targets/0/regions" "nr_regions=$(wc -l </tmp/damon.ranges)"
	region=0
	while read -r first end; do
		put "$context/targets/0/regions/$region" "start=$first" "end=$end"
		region=$((region + 1))
	done </tmp/damon.ranges
	put "$context/schemes" nr_schemes=1
	scheme=$context/schemes/0
	put "$scheme" "action=$2" "target_nid=$4" "apply_interval_us=$apply_us"
	put "$scheme/access_pattern/sz" min=4096 max=18446744073709551615
	put "$scheme/access_pattern/nr_accesses" "max=$6" "min=$5"
	put "$scheme/access_pattern/age" "max=$biggest" "min=$7"
	put "$scheme/quotas" ms=0 "bytes=$bytes" reset_interval_ms=1000
	# If the quota is short: by how often and for how long a region was used, not by its size.
	put "$scheme/quotas/weights" sz_permil=0 nr_accesses_permil=100 age_permil=100
	case $2 in
	migrate_hot) [ -z "$used_bp" ] || aim "$scheme" node_mem_used_bp "$used_bp" "$4" Y ;;
	migrate_cold) [ -z "$free_bp" ] || aim "$scheme" node_mem_free_bp "$free_bp" "$3" N ;;
	esac
	put "$kdamond" state=on
}

# Newer kernels watch all memory from the boot on, for statistics, and let nobody else have DAMON
# meanwhile.
statistics=/sys/module/damon_stat/parameters/enabled
[ ! -e "$statistics" ] || echo N >"$statistics"

fast=$(fast_nodes)
slow=$(for node in "$nodes"/node[0-9]*; do echo "${node##*/node}"; done | grep -vxF "$fast")
kdamonds=0
for node in $slow; do kdamonds=$((kdamonds + 1)); done
if [ "$cold_s$free_bp" != 0 ]; then
	for node in $fast; do kdamonds=$((kdamonds + 1)); done
fi
put "$admin" "nr_kdamonds=$kdamonds"

next=0
# Lists are meant to be split.
# shellcheck disable=SC2086
for node in $slow; do
	watch "$next" migrate_hot "$node" "$(nearest "$node" $fast)" "$hot" "$biggest" 0
	next=$((next + 1))
done
if [ "$cold_s$free_bp" != 0 ]; then
	age=$((cold_s * 1000000 / aggr_us))
	# shellcheck disable=SC2086
	for node in $fast; do
		watch "$next" migrate_cold "$node" "$(nearest "$node" $slow)" 0 0 "$age"
		next=$((next + 1))
	done
fi

tlbflush "$flush_us"
