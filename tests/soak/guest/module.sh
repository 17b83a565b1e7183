#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What happens to the module in a soak run, and to modules that use it. This file is a part of
# soak.sh.

PARAMETERS=/sys/module/pghot/parameters

module_stop()
{
	for module in source recorder; do
		[ ! -e /sys/module/$module ] || rmmod $module
	done
}

# The file $SOAK/absent is there while pghot goes, is away and comes back. After each load
# $SOAK/loads is a byte longer. So other actors can tell whether pghot was there all the time.

# load FILE PARAMETER...: whether pghot takes them
load()
{
	loaded=$1
	shift
	insmod /lib/"$loaded".ko "$@" 2>/dev/null || return
	printf . >>"$SOAK/loads"
	rm -f "$SOAK/absent"
}

unload()
{
	[ -d /sys/module/pghot ] || return 0
	touch "$SOAK/absent"
	for name in promoted demoted bounced failed_migrate; do
		count pghot_$name "$(cat "$PGHOT"/stats/$name)"
	done
	if eventually rmmod pghot 2>/dev/null; then
		count unloads
	else
		finding "pghot cannot be unloaded, by use of $(cat /sys/module/pghot/refcnt)"
	fi
}

# do_reload FILE VERDICT [PARAMETER...]: load pghot anew, which has to be taken, refused or either
do_reload()
{
	file=$1 verdict=$2
	shift 2
	unload
	became=refused
	if load "$file" "$@"; then became=taken; fi
	[ "$verdict" = either ] || [ "$verdict" = $became ] ||
		finding "a load of $file with '$*' was $became"
	[ $became = taken ] || load pghot || finding "pghot cannot be loaded"
	count loads_$became
}

# do_cycles TIMES MS FILE [PARAMETER...]: load and unload it again and again
do_cycles()
{
	times=$1 ms=$2
	shift 2
	for _ in $(seq "$times"); do
		[ ! -e "$SOAK/over" ] || break
		unload
		load "$@" || finding "pghot cannot be loaded with '$*'"
		nap_ms "$ms"
	done
}

# do_inject POINT NUMBER: have steps of pghot fail, if it is the build that can be made to
do_inject()
{
	if echo "$2" 2>/dev/null >$PARAMETERS/inject_"$1"; then
		count injections "$2"
	fi
}

# do_source NODE NUMBER WEIGHT MS: a module reports a memory block as hot. pghot stays meanwhile
do_source()
{
	block=$(block_of "$1" "$2")
	pages=$((0x$(cat "$MEMORY/block_size_bytes") / 4096))
	first=$((${block##*/memory} * pages))
	if ! insmod /lib/source.ko first_pfn=$first nr_pages=$pages weight="$3"; then
		finding "the module source cannot be loaded"
		return
	fi
	! rmmod pghot 2>/dev/null || finding "pghot was unloaded under a module that uses it"
	nap_ms "$4"
	eventually rmmod source || finding "the module source cannot be unloaded"
	count source_modules
}

# do_recorder NODE PAGES ROUNDS: a module reports pages with interrupts off
do_recorder()
{
	insmod /lib/recorder.ko nid="$1" nr_pages="$2" rounds="$3" ||
		finding "the module recorder cannot be loaded"
	rmmod recorder
	count source_modules
}
