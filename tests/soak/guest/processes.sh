#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What processes do in a soak run: actions of the workers and of the actor "processes". This file
# is a part of soak.sh.

CGROUP=/tmp/cgroup

processes_start()
{
	mkdir $CGROUP
	mount -t cgroup2 cgroup $CGROUP
	set_value $CGROUP/cgroup.subtree_control "+memory +cpuset"
}

processes_stop()
{
	umount /tmp/disk
	rmmod brd
}

# do_keep KIND NODE MEGABYTES SECONDS SEED
do_keep()
{
	if keeper "$@" "$SOAK_PAGES" >"$SOAK/keeper.$5" 2>&1; then
		cat "$SOAK/keeper.$5" >>"$SOAK/counts"
	else
		finding "keeper $*: exit $?: $(head -n 3 "$SOAK/keeper.$5")"
	fi
	rm "$SOAK/keeper.$5"
}

# do_pressure KIND NODE LEFT SECONDS SEED: a process takes nearly all that is free on a node
do_pressure()
{
	kind=$1 node=$2
	megabytes=$(awk -v left="$3" '/MemFree/ { print int($4 / 1024 - left) }' \
		/sys/devices/system/node/node"$node"/meminfo)
	shift 3
	[ "$megabytes" -lt 2 ] || do_keep "$kind" "$node" "$megabytes" "$@"
}

# do_forks PROCESSES: each lives for a moment; every other one becomes another program
do_forks()
{
	for i in $(seq "$1"); do
		if [ $((i % 2)) = 0 ]; then
			busybox true &
		else
			: &
		fi
		[ $((i % 16)) != 0 ] || wait
	done
	wait
}

# do_group NAME HIGH MAX NODES PROMOTION MS KIND NODE MEGABYTES SEED: a process in a cgroup with
# limits; then both go
do_group()
{
	group=$CGROUP/$1
	mkdir "$group"
	echo "$2M" >"$group/memory.high"
	echo "$3M" >"$group/memory.max"
	echo 1 >"$group/memory.oom.group"
	echo "$4" >"$group/cpuset.mems"
	do_setting "$PGHOT/cgroups" "/$1 $5" taken
	(
		echo 0 >"$group/cgroup.procs"
		exec keeper "$7" "$8" "$9" 0 "${10}" "$SOAK_PAGES"
	) >"$SOAK/$1" 2>&1 &
	nap_ms "$6"
	echo 1 >"$group/cgroup.kill"
	wait $!
	status=$?
	# Killed: by hand, or when its group had too little memory.
	[ $status = 137 ] || finding "keeper in $1 ($*): exit $status: $(head -n 3 "$SOAK/$1")"
	rm "$SOAK/$1"
	if eventually rmdir "$group" 2>/dev/null; then
		count groups_killed
	else
		finding "the cgroup $1 cannot be removed"
	fi
}
