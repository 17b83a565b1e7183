#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# set_value FILE V: write V to a kernel file, failing loudly.

if ! echo "$2" >"$1"; then
	echo "lab: cannot write $2 to $1" >/dev/kmsg
	exit 1
fi
