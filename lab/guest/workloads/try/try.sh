#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A user's own program: it runs in the tree /try, in a memory cgroup of its own, under observe.
#
#   try [--fast-bytes N] [--folder DIR] [--start TEXT] [--end TEXT] [--marks yes]
#       --seed N --provision NODE [--cpus-node NODE] -- COMMAND...
#
# --fast-bytes: how much fast memory is left for it, split evenly between fast nodes. What is more
# is given to huge pages that nobody uses, unless the memory is to come from a fast node. --folder:
# of the tree, where it begins. --start, --end: what a line of its output has in it when the measured
# region begins and ends. --marks: the program itself says when, see observe.c.
#
# Prints a JSON object, and reports the last lines of the output. Its status is 0 only if the region
# has begun and ended as it was to.
set -e

fast=
folder=/
start=
end=
marks=
while [ "$1" != -- ]; do
	case $1 in
	--fast-bytes) fast=$2 ;;
	--folder) folder=$2 ;;
	--start) start=$2 ;;
	--end) end=$2 ;;
	--marks) marks=$2 ;;
	--provision) provision=$2 ;;
	--seed | --cpus-node) ;;
	*)
		echo "try: $1: no such option" >&2
		exit 2
		;;
	esac
	shift 2
done
shift

nodes=/sys/devices/system/node
tree=/try
group=/sys/fs/cgroup/try

fast_nodes=$(fast_nodes)

# spare NODE: bytes that programs can still get there before the kernel takes other nodes' memory
spare()
{
	awk -v node="$1," '
		$1 == "Node" { here = $2 == node }
		here && /pages free/ { free = $3 }
		here && $1 == "low" { low = $2 }
		here && $1 == "protection:" {
			gsub(/[(),]/, " ")
			more = free - low - $NF
			if (more > 0)
				pages += more
		}
		END { printf "%.0f\n", pages * 4096 }' /proc/zoneinfo
}

spare_of_all()
{
	for each in $fast_nodes; do spare "$each"; done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# leave BYTES NODE: huge pages that nobody uses take the rest of a node's memory. They are never
# moved. Several turns, as the kernel frees some memory for them.
leave()
{
	file=$nodes/node$2/hugepages/hugepages-2048kB/nr_hugepages
	for _ in 1 2 3; do
		pages=$((($(spare "$2") - $1) / 2097152))
		[ "$pages" -ge 1 ] || break
		set_value "$file" "$(($(cat "$file") + pages))"
	done
}

phase()
{
	echo "lab: phase workload: $*" >/dev/kmsg
}

mkdir -p /dev/pts "$tree/proc" "$tree/sys" "$tree/dev" "$tree/tmp" "$tree/run" "$tree/root" \
	"$tree/$folder"
chmod 1777 "$tree/tmp"
mount -t devpts devpts /dev/pts
mount -t proc proc "$tree/proc"
mount -t sysfs sys "$tree/sys"
mount -t devtmpfs dev "$tree/dev"
mkdir -p "$tree/dev/shm"
mount -t tmpfs shm "$tree/dev/shm"
ifconfig lo up

# Free pages that CPUs keep for themselves are no part of what a node has free.
set_value /proc/sys/vm/percpu_pagelist_high_fraction 1000000
spare=$(spare_of_all)
if [ -n "$fast" ] && ! echo "$fast_nodes" | grep -qx "$provision"; then
	phase "leave $fast bytes of fast memory"
	if [ "$fast" -gt "$spare" ]; then
		echo "try: only $spare bytes of fast memory are free, not $fast" >&2
		exit 1
	fi
	number=$(echo "$fast_nodes" | wc -l)
	for each in $fast_nodes; do
		leave "$((fast / number))" "$each"
	done
fi
left=$(spare_of_all)

# What a crash says belongs to the program's output, and not to the kernel's log.
set_value /proc/sys/debug/exception-trace 0
mount -t cgroup2 cgroup /sys/fs/cgroup
set_value /sys/fs/cgroup/cgroup.subtree_control +memory
mkdir "$group"

phase "run"
status=0
(
	echo 0 >"$group/cgroup.procs"
	export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	export HOME=/root LANG=C.UTF-8 TERM=dumb
	exec observe --root "$tree" --folder "$folder" --output /tmp/try.output \
		${start:+--start "$start"} ${end:+--end "$end"} ${marks:+--marks "$marks"} -- "$@"
) >/tmp/try.region || status=$?
# Whoever is still there. Only then nobody writes any more.
set_value "$group/cgroup.kill" 1
# A report of its own, as what a program says may look like a complaint of the kernel.
printf '@begin output\n%s\n@end output\n' "$(tail -n 12 /tmp/try.output)" >/dev/ttyS1
printf '{"verified":true,"peak_bytes":%s,"fast_free_bytes":%s,"fast_left_bytes":%s,%s\n' \
	"$(cat "$group/memory.peak")" "$spare" "$left" "$(sed 's/^{//' /tmp/try.region)"
exit "$status"
