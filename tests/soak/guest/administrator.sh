#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What an administrator does in a soak run. This file is a part of soak.sh.

KDAMONDS=/sys/kernel/mm/damon/admin/kdamonds

administrator_stop()
{
	echo 0 >"$TRACE/events/pghot/enable"
	echo 2 >/sys/kernel/mm/ksm/run
	swapoff /dev/zram0 2>/dev/null
	echo 1 >/sys/block/zram0/reset
}

# do_setting FILE TEXT VERDICT: write to a file of pghot's, which has to be taken, refused or
# either of both. If pghot is away, or was meanwhile, nothing follows from it
do_setting()
{
	loads=$(cat "$SOAK/loads")
	[ ! -e "$SOAK/absent" ] || return
	became=refused
	if echo "$2" 2>/dev/null >"$1"; then became=taken; fi
	if [ -e "$SOAK/absent" ] || [ "$loads" != "$(cat "$SOAK/loads")" ]; then
		count settings_of_a_module_that_went
	elif [ "$3" = either ] || [ "$3" = $became ]; then
		count settings_$became
	else
		finding "$1: '$2' was $became"
	fi
}

# do_kernel FILE TEXT: the kernel may have reasons to refuse it
do_kernel()
{
	echo "$2" 2>/dev/null >"$1" || count kernel_settings_refused
}

# do_swap MS: the swap goes, and comes back
do_swap()
{
	if swapoff /dev/zram0 2>/dev/null; then
		nap_ms "$1"
		swapon /dev/zram0
		count swap_cycles
	fi
}

# do_look: read all that pghot shows, whether it is there or not
do_look()
{
	cat "$PGHOT"/* "$PGHOT"/*/* /proc/sys/vm/pghot_* /sys/kernel/debug/pghot/* \
		>/dev/null 2>&1
}

# do_events ON: all trace events of pghot
do_events()
{
	echo "$1" 2>/dev/null >"$TRACE/events/pghot/enable"
}

# What DAMON may move in a second. It stops only after it has moved all of a region, which can be a
# whole node: on the debug kernel that takes longer than a task may be blocked.
DAMON_BYTES=$((8 << 20))

# do_damon MS SAMPLE_US: DAMON moves pages up and down for a while, too
do_damon()
{
	if damon sample_us="$2" aggr_us=$(($2 * 20)) min_regions=10 max_regions=1000 hot=2 \
		cold_s=1 bytes=$DAMON_BYTES flush_us=50000 2>/dev/null; then
		count damon_runs
	fi
	nap_ms "$1"
	for kdamond in "$KDAMONDS"/[0-9]*; do
		echo off 2>/dev/null >"$kdamond/state"
	done
	echo 0 >"$KDAMONDS/nr_kdamonds"
	killall tlbflush 2>/dev/null
}
