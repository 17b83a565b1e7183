#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# PostgreSQL and pgbench, a fixed number of transactions. One in ten is TPC-B's. The others sum up
# 50 accounts, a basket; some baskets are asked for much more often than others, and what is in
# them lies scattered. All accounts are in the server's shared buffers, whose memory comes from
# where the kernel gives it. The policy begins after the warm-up.
#
#   pgbench --rows N --pool-bytes N --clients N --warm-up N --transactions N --seed N
#           --provision NODE [--cpus-node NODE]
#
# --rows: accounts, of two kilobytes each: a multiple of 50, and not of 7919. --warm-up,
# --transactions: of each client. --provision is not for the buffers, and the database's files, which
# stand for a disk, are always on a slow node: they take no fast memory.
set -e

while [ $# -gt 0 ]; do
	case $1 in
	--rows) rows=$2 ;;
	--pool-bytes) pool=$2 ;;
	--clients) clients=$2 ;;
	--warm-up) warm_up=$2 ;;
	--transactions) transactions=$2 ;;
	--seed) seed=$2 ;;
	--provision | --cpus-node) ;;
	*)
		echo "pgbench: $1: no such option" >&2
		exit 2
		;;
	esac
	shift 2
done

programs=$(echo /usr/lib/postgresql/*/bin)
folder=/tmp/pgbench
tellers=1000
branches=100
basket=50

for disk in /sys/devices/system/node/node[0-9]*; do
	fast_nodes | grep -qx "${disk##*/node}" || break
done

# sql < STATEMENTS: rows without headings, columns with a blank between them
sql()
{
	"$programs/psql" -X -q -A -t -F ' ' -v ON_ERROR_STOP=1 -h $folder -U postgres postgres
}

# load TRANSACTIONS OUTPUT [COMMAND...]: pgbench, by itself or as the command's
load()
{
	events=$1
	output=$2
	shift 2
	"$@" "$programs/pgbench" -h $folder -U postgres --no-vacuum --protocol=prepared \
		--client="$clients" --jobs=2 --transactions="$events" --random-seed="$seed" \
		--file=$folder/read@9 --file=$folder/write@1 \
		--log --log-prefix=$folder/log/"${output##*/}" postgres >"$output" 2>&1 || {
		cat "$output" >&2
		return 1
	}
}

# The server does not run as root, and wants to know its user's name.
mkdir -p /etc $folder
echo "postgres:x:1000:1000::/tmp:/bin/sh" >>/etc/passwd
mount -t tmpfs -o "mpol=bind:${disk##*/node}" pgbench $folder
mkdir $folder/log
chown 1000:1000 $folder

echo "lab: phase workload: create" >/dev/kmsg
su postgres -c "$programs/initdb --no-sync --no-instructions --locale=C --encoding=SQL_ASCII \
	--auth=trust --username=postgres $folder/data" >$folder/created 2>&1 || {
	cat $folder/created >&2
	exit 1
}

# What it writes is not looked at after a crash, and everything that would come at a time of its
# own is off; all else is as it comes.
su postgres -c "exec $programs/postgres -D $folder/data -c listen_addresses= \
	-c unix_socket_directories=$folder -c shared_buffers=$((pool / 8192)) -c fsync=off \
	-c wal_level=minimal -c max_wal_senders=0 -c full_page_writes=off -c max_wal_size=4GB \
	-c checkpoint_timeout=1h -c autovacuum=off -c bgwriter_lru_maxpages=0 -c jit=off \
	-c max_parallel_workers=0 -c max_connections=40" >$folder/messages 2>&1 &
server=$!
until echo "SELECT 1" | sql >$folder/errors 2>&1; do
	if ! kill -0 $server; then
		cat $folder/messages >&2
		exit 1
	fi
	usleep 100000
done

# Tables without a log, as that would be most of the work. Their pages come into the buffers in the
# order in which they are filled: fast memory has the first part, until it is full.
echo "lab: phase workload: fill" >/dev/kmsg
sql >$folder/filled <<END
CREATE UNLOGGED TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int);
CREATE UNLOGGED TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int);
CREATE UNLOGGED TABLE pgbench_accounts (aid int, bid int, abalance int, filler char(1980));
ALTER TABLE pgbench_accounts ALTER filler SET STORAGE PLAIN;
CREATE UNLOGGED TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp);
INSERT INTO pgbench_branches SELECT i, 0 FROM generate_series(1, $branches) i;
INSERT INTO pgbench_tellers SELECT i, i % $branches + 1, 0 FROM generate_series(1, $tellers) i;
INSERT INTO pgbench_accounts SELECT i, i % $branches + 1, 0, '' FROM generate_series(1, $rows) i;
ALTER TABLE pgbench_accounts ADD PRIMARY KEY (aid);
ANALYZE;
END

# A server process has mapped no more than what it has read: all accounts.
sql >$folder/placed <<END
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT count(*) FROM pgbench_accounts;
SELECT pg_backend_pid() AS pid \\gset
\\setenv PID :pid
\\! placed \$PID
END

# A basket is $basket accounts that lie scattered over the table, and each account is in one.
cat >$folder/read <<SCRIPT
\\set basket random_zipfian(1, $((rows / basket)), 1.05)
SELECT sum(abalance) FROM generate_series(0, $((basket - 1))) i
	JOIN pgbench_accounts ON aid = 1 + ((:basket::bigint * $basket + i) * 7919 % $rows)::int;
SCRIPT
cat >$folder/write <<SCRIPT
\\set aid random(1, $rows)
\\set tid random(1, $tellers)
\\set bid 1 + :tid % $branches
\\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime)
	VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
SCRIPT

echo "lab: phase workload: warm up" >/dev/kmsg
load "$warm_up" $folder/warm-up
rm $folder/log/*
policy
echo "lab: phase workload: measure" >/dev/kmsg
load "$transactions" $folder/output region $folder/region --
mark rest
echo "lab: phase workload: verify" >/dev/kmsg

# What was added anywhere was added everywhere, and no account is lost.
sql >$folder/found <<END
SELECT sum(delta) FROM pgbench_history;
SELECT sum(abalance) FROM pgbench_accounts;
SELECT sum(tbalance) FROM pgbench_tellers;
SELECT sum(bbalance) FROM pgbench_branches;
SELECT 'rows ' || count(*) FROM pgbench_accounts WHERE aid BETWEEN 1 AND $rows;
END
if [ "$(sort -u $folder/found | wc -l)" != 2 ] ||
	[ "$(tail -n 1 $folder/found)" != "rows $rows" ]; then
	cat $folder/found >&2
	exit 1
fi
kill -QUIT $server
wait $server || true

# Of each transaction the log has the time that it took, in microseconds.
cat $folder/log/* | cut -d ' ' -f 3 | sort -n | awk -v region="$(cat $folder/region)" \
	-v placed="$(tail -n 1 $folder/placed)" -v expected=$((clients * transactions)) '
	{ us[NR] = $1 }
	function percentile(share)
	{
		return us[int(share * (NR - 1)) + 1] / 1000
	}
	END {
		if (NR != expected)
			exit 1
		ns = region
		sub(/.*"guest_ns":/, "", ns)
		printf "{\"tps\":%.2f,\"transactions\":%d", NR / (ns / 1e9), NR
		printf ",\"p50_ms\":%.3f,\"p95_ms\":%.3f,\"p99_ms\":%.3f,%s,\"verified\":true,%s\n",
			percentile(0.5), percentile(0.95), percentile(0.99), placed,
			substr(region, 2)
	}'
