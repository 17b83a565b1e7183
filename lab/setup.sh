#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Everything the lab needs before its own Python can run: Debian packages and
# a Python environment in .cache/venv.  Does nothing, quickly, when all of it
# is there.  Usage: lab/setup.sh            (the whole set-up)
#                   lab/setup.sh NAME...    (only these Debian packages)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/.cache/venv
requirements=$root/lab/requirements.txt

# Compiling (module, plugin, guest), the guest's shell, the checks, fuzzing
# (clang, its sanitizers, what names lines of code for these), and what the
# headers' own tools load (objtool: libelf, resolve_btfids: pahole). Modules of
# Ubuntu's kernels are packed by zstd.
packages="gcc make libc6-dev binutils kmod xz-utils perl pahole busybox-static
	ca-certificates debian-archive-keyring python3 python3-venv shellcheck
	sparse clang libclang-rt-dev llvm zstd"

say()
{
	printf 'setup: %s\n' "$*"
}

die()
{
	printf 'setup: error: %s\n' "$*" >&2
	exit 1
}

# missing NAME...: print those that are not installed
missing()
{
	installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' "$@" \
		2>/dev/null || true)"
	for name in "$@"; do
		case $installed in
		*" installed=$name "*) ;;
		*) printf '%s ' "$name" ;;
		esac
	done
}

# as_root COMMAND...
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "needs root or sudo for: $*"
	fi
}

# install_packages NAME...: install those that are missing
install_packages()
{
	todo=$(missing "$@")
	[ -n "$todo" ] || return 0
	say "installing Debian packages: $todo"
	as_root apt-get -q update ||
		say "apt-get update had errors; going on with the lists there are"
	# shellcheck disable=SC2086 # a list of names
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		--no-install-recommends install $todo
	[ -z "$(missing "$@")" ] || die "apt-get did not install: $(missing "$@")"
}

# QEMU comes from Debian 13: an older keyring on Debian 12 lacks its keys.
update_keyring()
{
	for key in /usr/share/keyrings/debian-archive-trixie-automatic.*; do
		[ ! -e "$key" ] || return 0
	done
	say "updating debian-archive-keyring"
	as_root apt-get -q update
	as_root apt-get -q -y install --only-upgrade debian-archive-keyring
}

# The environment is made anew when the wanted packages or Python change.
make_venv()
{
	wanted=$(/usr/bin/python3 --version && cat "$requirements")
	if [ -x "$venv/bin/python" ] && [ -f "$venv/stamp" ] &&
		[ "$(cat "$venv/stamp")" = "$wanted" ]; then
		return 0
	fi
	say "making the Python environment in $venv"
	rm -rf "$venv"
	mkdir -p "$root/.cache"
	/usr/bin/python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check \
		-r "$requirements"
	printf '%s\n' "$wanted" >"$venv/stamp"
}

command -v dpkg-query >/dev/null || die "this needs Debian 12 or 13"
[ "$(dpkg --print-architecture)" = amd64 ] || die "this needs an amd64 host"

if [ $# -gt 0 ]; then
	install_packages "$@"
else
	# shellcheck disable=SC2086 # a list of names
	install_packages $packages
	update_keyring
	make_venv
fi
