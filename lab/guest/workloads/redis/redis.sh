#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A Redis server that keeps nothing on disk, and redisload on it, which takes all the options.
set -e

socket=/tmp/redis
/usr/bin/redis-server --port 0 --unixsocket $socket --save '' --appendonly no >$socket.log &
server=$!
until [ -S $socket ]; do
	if ! kill -0 $server; then
		cat $socket.log >&2
		exit 1
	fi
	usleep 10000
done
redisload --socket $socket --server $server "$@" || {
	status=$?
	cat $socket.log >&2
	exit $status
}
kill $server
wait $server
