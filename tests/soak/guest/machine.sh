#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What happens to the machine in a soak run. This file is a part of soak.sh.

MEMORY=/sys/devices/system/memory
CPUS=/sys/devices/system/cpu
# What a memory block may take to go offline, s.
OFFLINE=20

# Linux 6.12 counts the scheduler's fair server as a task that runs. Its timer may start it on a CPU
# from which the last task has just gone, and then the kernel warns that a dying CPU is "not properly
# vacated". That has nothing to do with pghot. So there is no fair server.
machine_start()
{
	for runtime in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -e "$runtime" ] || echo 0 >"$runtime"
	done
}

# block_of NODE NUMBER: the folder of one of its memory blocks
block_of()
{
	number=$2
	set -- /sys/devices/system/node/node"$1"/memory[0-9]*
	shift $((number % $#))
	echo "$MEMORY/${1##*/}"
}

# put_back FILE VALUE: have a memory block or a CPU again
put_back()
{
	eventually try_back "$@" || finding "$1 does not come back"
}

try_back()
{
	echo "$2" 2>/dev/null >"$1"
}

# do_block NODE NUMBER MS: one memory block goes, if its pages do, and comes back
do_block()
{
	block=$(block_of "$1" "$2")
	timeout $OFFLINE sh -c "echo offline 2>/dev/null >$block/state"
	if [ "$(cat "$block"/state)" = offline ]; then
		nap_ms "$3"
		put_back "$block/state" online
		count blocks_offlined
	else
		count blocks_that_stayed
	fi
}

# do_cpu NUMBER MS: one CPU goes, and comes back
do_cpu()
{
	if echo 0 2>/dev/null >$CPUS/cpu"$1"/online; then
		nap_ms "$2"
		count cpus_offlined
	fi
	put_back $CPUS/cpu"$1"/online 1
}

# do_sleep LEVEL SECONDS: go to sleep as far as the kernel's own test of it goes
do_sleep()
{
	echo "$2" >/sys/module/suspend/parameters/pm_test_delay
	echo "$1" >/sys/power/pm_test
	if echo freeze 2>/dev/null >/sys/power/state; then
		count suspends
	else
		count suspends_refused
	fi
}
