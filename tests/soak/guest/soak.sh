#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A soak run in the guest: starts the actors, waits until the time is up, puts all back, and looks
# at what is left. The steps of the run set these before:
#   SOAK_ACTORS   names of the actors; the schedule of each is $SOAK/schedule.NAME
#   SOAK_SECONDS  how long they act
#   SOAK_PAGES    what happens to pages: break, stay or move, as keeper.c has them
#   mount_disk, swap_on   functions: a disk at /tmp/disk, and swap on /dev/zram0
# A line of a schedule is the milliseconds to wait, and an action with its arguments. An action is
# a function do_ACTION of one of the files below.

SOAK=/tmp/soak
# What an actor may take for its last action, and for one of the steps afterwards.
PATIENCE=600
# Between two lines of progress.
PROGRESS=10

# finding TEXT: something is wrong
finding()
{
	echo "$*" >>"$SOAK/findings"
	echo "lab: soak finding: $*" >/dev/kmsg
}

# count NAME [NUMBER]
count()
{
	echo "$1 ${2:-1}" >>"$SOAK/counts"
}

nap_ms()
{
	usleep "${1}000"
}

# shellcheck source=/dev/null
. /lab/processes.sh
# shellcheck source=/dev/null
. /lab/administrator.sh
# shellcheck source=/dev/null
. /lab/machine.sh
# shellcheck source=/dev/null
. /lab/module.sh

# actor NAME: do what its schedule says
actor()
{
	set +e
	while read -r pause action <&4; do
		nap_ms "$pause"
		[ ! -e "$SOAK/over" ] || break
		echo "$action" >"$SOAK/doing.$1"
		count "action_${action%% *}"
		# Its words are meant to be split.
		# shellcheck disable=SC2086
		do_$action
	done 4<"$SOAK/schedule.$1"
	echo "nothing" >"$SOAK/doing.$1"
	touch "$SOAK/ended.$1"
}

# number_of NAME FILE: from a line with both; 0 if the kernel does not count it
number_of()
{
	awk -v name="$1" '$1 == name { number = $2 } END { print number + 0 }' "$2"
}

vmstat()
{
	number_of "$1" /proc/vmstat
}

now()
{
	cut -d . -f 1 /proc/uptime
}

# progress SECONDS: how far it is
progress()
{
	phase "soak: $1 of $SOAK_SECONDS s, $(vmstat pgpromote_success) pages promoted," \
		"$(vmstat pgmigrate_success) migrated, $(wc -c <"$SOAK/loads") loads," \
		"$(wc -l <"$SOAK/findings") findings"
}

# has_ended ACTOR
has_ended()
{
	[ -e "$SOAK/ended.$1" ]
}

# patiently COMMAND...: whether it succeeds before patience ends
patiently()
{
	give_up=$(($(now) + PATIENCE))
	until "$@"; do
		[ "$(now)" -lt $give_up ] || return 1
		sleep 1
	done
}

# free_kib NAME: what is free once nothing is kept without need, what CPUs keep for themselves of
# that, and what is broken; with a report of what the kernel has in use
free_kib()
{
	sync
	for _ in 1 2 3; do
		echo 3 >/proc/sys/vm/drop_caches
		sleep 1
	done
	report "meminfo.$1" </proc/meminfo
	awk '/^(MemFree|HardwareCorrupted):/ { kib += $2 }
		$1 == "count:" { kib += $2 * 4 }
		END { print kib }' /proc/meminfo /proc/zoneinfo
}

start()
{
	: >"$SOAK/findings"
	: >"$SOAK/loads"
	before=$(free_kib before)
	mount_disk
	swap_on
	set_value "$NUMAB" 2
	set_value /sys/kernel/mm/numa/demotion_enabled 1
	processes_start
	machine_start
	load pghot
	for name in $SOAK_ACTORS; do
		actor "$name" &
	done
}

act()
{
	started=$(now)
	while passed=$(($(now) - started)) && [ $passed -lt "$SOAK_SECONDS" ]; do
		progress $passed
		sleep $PROGRESS
	done
	touch "$SOAK/over"
	phase "soak: the time is up"
	for name in $SOAK_ACTORS; do
		if ! patiently has_ended "$name"; then
			finding "$name does not end: $(cat "$SOAK/doing.$name")"
			echo w >/proc/sysrq-trigger
		fi
	done
}

is_isolated()
{
	cat /proc/sys/vm/stat_refresh
	grep -q '^nr_isolated.* [1-9]' /proc/vmstat
}

is_calm()
{
	! is_isolated
}

stop()
{
	for name in pgmigrate_success pgmigrate_fail pgpromote_success pgdemote_kswapd \
		pgdemote_direct thp_migration_success thp_split_page pswpin pswpout ksm_swpin_copy; do
		count $name "$(vmstat $name)"
	done
	count broken_pages $(($(number_of HardwareCorrupted: /proc/meminfo) / 4))
	phase "soak: put all back"
	administrator_stop
	module_stop
	processes_stop
	unload
	eventually is_calm || finding "pages stay isolated: $(grep nr_isolated /proc/vmstat)"
	left=$(remains)
	[ -z "$left" ] || finding "pghot leaves behind: $left"
	count kib_not_given_back $((before - $(free_kib after)))
	count loads "$(wc -c <"$SOAK/loads")"
}

start
act
set +e
stop
awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' "$SOAK/counts" |
	sort | report counts
report findings <"$SOAK/findings"
