#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# OLTP: MariaDB and sysbench's oltp_read_write, a fixed number of transactions. What the server
# keeps in its buffer pool is the memory that matters; it comes from where the kernel gives it. The
# policy begins after the warm-up.
#
#   oltp --tables N --rows N --pool-bytes N --threads N --warm-up N --transactions N --seed N
#        --provision NODE [--cpus-node NODE]
#
# --rows: of each table. --warm-up: transactions before the measured ones. --provision: the slow
# node, on which the tables' files lie: they stand for a disk, and take no fast memory.
set -e

while [ $# -gt 0 ]; do
	case $1 in
	--tables) tables=$2 ;;
	--rows) rows=$2 ;;
	--pool-bytes) pool=$2 ;;
	--threads) threads=$2 ;;
	--warm-up) warm_up=$2 ;;
	--transactions) transactions=$2 ;;
	--seed) seed=$2 ;;
	--provision) node=$2 ;;
	--cpus-node) ;;
	*)
		echo "oltp: $1: no such option" >&2
		exit 2
		;;
	esac
	shift 2
done

PATH=$PATH:/usr/bin:/usr/sbin
folder=/tmp/oltp
socket=$folder/socket
schema=$folder/data/sbtest

# sql < STATEMENTS: rows without headings
sql()
{
	mariadb --no-defaults --batch --skip-column-names --socket=$socket
}

# load EVENTS OUTPUT [COMMAND...]: sysbench, by itself or as the command's
load()
{
	events=$1
	output=$2
	shift 2
	"$@" sysbench /usr/share/sysbench/oltp_read_write.lua --db-driver=mysql \
		--mysql-socket=$socket --mysql-user=root --tables="$tables" \
		--table-size="$rows" --threads="$threads" --events="$events" --time=0 \
		--rand-seed="$seed" --histogram=on run >"$output" || {
		cat "$output" >&2
		return 1
	}
}

mkdir $folder
mount -t tmpfs -o "mpol=bind:$node" oltp $folder
mkdir $folder/data

# No tables of its own, no statistics in tables, no network; all else is as it comes.
mariadbd --no-defaults --user=root --datadir=$folder/data --socket=$socket --skip-networking \
	--skip-grant-tables --lc-messages-dir=/usr/share/mysql/english \
	--character-sets-dir=/usr/share/mysql/charsets --innodb-stats-persistent=OFF \
	--innodb-buffer-pool-size="$pool" --innodb-log-file-size=64M >$folder/log 2>&1 &
server=$!
until echo "CREATE DATABASE sbtest" | sql 2>$folder/errors; do
	if ! kill -0 $server; then
		cat $folder/log >&2
		exit 1
	fi
	usleep 100000
done

# One table as sysbench makes it, and copies of its file: a tenth of the work of inserting all.
echo "lab: phase workload: fill" >/dev/kmsg
{
	cat <<END
USE sbtest;
SET unique_checks = 0, foreign_key_checks = 0;
CREATE TABLE sbtest1 (
	id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT 0 NOT NULL,
	c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id));
INSERT INTO sbtest1 SELECT seq, 1 + FLOOR(RAND($seed) * $rows),
	CONCAT(MD5(seq), MD5(-seq), MD5(seq + 0.5), '0123456789012345678901'),
	CONCAT(MD5(seq * 3), 'abcdefghijklmnopqrstuvwxyz') FROM seq_1_to_$rows;
CREATE INDEX k ON sbtest1 (k);
END
	for n in $(seq 2 "$tables"); do
		echo "CREATE TABLE sbtest$n LIKE sbtest1; ALTER TABLE sbtest$n DISCARD TABLESPACE;"
	done
	echo "FLUSH TABLES sbtest1 FOR EXPORT;"
	for n in $(seq 2 "$tables"); do
		for suffix in ibd cfg; do
			echo "\\! cp $schema/sbtest1.$suffix $schema/sbtest$n.$suffix"
		done
	done
	echo "UNLOCK TABLES;"
	for n in $(seq 2 "$tables"); do
		echo "ALTER TABLE sbtest$n IMPORT TABLESPACE;"
	done
	for n in $(seq 1 "$tables"); do
		echo "SELECT COUNT(pad) FROM sbtest$n; SELECT COUNT(k) FROM sbtest$n FORCE INDEX (k);"
	done
} | sql >$folder/filled

echo "lab: phase workload: warm up" >/dev/kmsg
load "$warm_up" $folder/warm-up
placed $server >$folder/placed
policy
echo "lab: phase workload: measure" >/dev/kmsg
load "$transactions" $folder/output region $folder/region --
mark rest
echo "lab: phase workload: verify" >/dev/kmsg

# Each transaction deletes a row and inserts it again: all are there, in both indexes.
for n in $(seq 1 "$tables"); do
	echo "SELECT COUNT(*), SUM(id) FROM sbtest.sbtest$n; CHECK TABLE sbtest.sbtest$n;"
done | sql | tr '\t' ' ' >$folder/found
for n in $(seq 1 "$tables"); do
	echo "$rows $((rows * (rows + 1) / 2))"
	echo "sbtest.sbtest$n check status OK"
done >$folder/expected
cmp $folder/expected $folder/found >&2 || {
	cat $folder/found >&2
	exit 1
}
kill $server
wait $server

awk -v region="$(cat $folder/region)" -v placed="$(cat $folder/placed)" -v expected="$transactions" '
	$2 ~ /^\|/ { value[buckets] = $1; count[buckets] = $NF; buckets++ }
	$1 == "transactions:" { transactions = $2; tps = substr($3, 2) }
	$1 == "queries:" { qps = substr($3, 2) }
	$1 == "ignored" && $2 == "errors:" { errors = $3 }
	function percentile(share,	i, sum) {
		for (i = 0; i < buckets; i++) {
			sum += count[i]
			if (sum >= share * transactions)
				return value[i]
		}
	}
	END {
		if (transactions != expected)
			exit 1
		printf "{\"tps\":%s,\"qps\":%s,\"transactions\":%d,\"errors\":%d", tps, qps,
			transactions, errors
		printf ",\"p50_ms\":%s,\"p95_ms\":%s,\"p99_ms\":%s,%s,\"verified\":true,%s\n",
			percentile(0.5), percentile(0.95), percentile(0.99), placed,
			substr(region, 2)
	}' $folder/output
