#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Two Java instances of the warehouse company (lab/guest/java), measured at the same time.
#
#   jbb.sh --warehouses N --customers N --heap-bytes N --young-bytes N --warm-up-ms N
#          --measured-ms N --seed N [--pinned] [--provision NODE]
#
# --customers: of each district. --pinned: by hand, each instance on one half of the nodes.
# --provision is for machines with slow memory: here the kernel places all.
set -e

pinned=
while [ $# -gt 0 ]; do
	case $1 in
	--pinned)
		pinned=yes
		shift
		continue
		;;
	--warehouses) warehouses=$2 ;;
	--customers) customers=$2 ;;
	--heap-bytes) heap=$2 ;;
	--young-bytes) young=$2 ;;
	--warm-up-ms) warm_up_ms=$2 ;;
	--measured-ms) measured_ms=$2 ;;
	--seed) seed=$2 ;;
	--provision) ;;
	*)
		echo "jbb: $1: no such option" >&2
		exit 2
		;;
	esac
	shift 2
done

nodes=$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)

# start INSTANCE FIRST_NODE: it reads /tmp/jbb.INSTANCE.in, and writes to .out
#
# The collector is what JVMs of then took by default, its generations have sizes that stay. C1
# alone, as C2 and its profiling need longer than the run.
start()
{
	half="$2-$(($2 + nodes / 2 - 1))"
	mkfifo "/tmp/jbb.$1.in" "/tmp/jbb.$1.out"
	${pinned:+/usr/bin/numactl --cpunodebind="$half" --membind="$half"} /jre/bin/java \
		-Xms"$heap" -Xmx"$heap" -Xmn"$young" -XX:SurvivorRatio=6 \
		-XX:+UseParallelGC -XX:ParallelGCThreads="$warehouses" -XX:-UseAdaptiveSizePolicy \
		-XX:TieredStopAtLevel=1 -XX:-UsePerfData -cp /jbb \
		Jbb "$((seed * 2 + $1))" "$warehouses" "$customers" "$warm_up_ms" "$measured_ms" \
		<"/tmp/jbb.$1.in" >"/tmp/jbb.$1.out" &
}

# expect FD LINE
expect()
{
	read -r line <&"$1"
	if [ "$line" != "$2" ]; then
		echo "jbb: an instance says '$line' instead of '$2'" >&2
		exit 1
	fi
}

start 0 0
start 1 "$((nodes / 2))"
exec 4>/tmp/jbb.0.in 5</tmp/jbb.0.out 6>/tmp/jbb.1.in 7</tmp/jbb.1.out
expect 5 ready
expect 7 ready
# shellcheck disable=SC2016 # that is for the inner shell
region /tmp/jbb.region -- \
	sh -c 'echo >&4; echo >&6; read -r a <&5; read -r b <&7; [ "$a$b" = donedone ]'
read -r bops0 transactions0 verified0 <&5
read -r bops1 transactions1 verified1 <&7
wait

verified=false
[ "$verified0 $verified1" != "true true" ] || verified=true
bops=$(echo "$bops0 $bops1" | awk '{ printf "%.2f", $1 + $2 }')
region=$(sed 's/^{//; s/}$//' /tmp/jbb.region)
echo "{\"bops\":$bops,\"bops_0\":$bops0,\"bops_1\":$bops1,\"transactions_0\":$transactions0," \
	"\"transactions_1\":$transactions1,\"verified\":$verified,$region}"
