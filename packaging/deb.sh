#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The Debian packages: build/deb/*.deb, of the version in the file VERSION.
# Usage: packaging/deb.sh [VERSION]   (another version: for tests of upgrades)
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
version=${1:-$(cat "$root/VERSION")}
out=$root/build/deb
tree=$out/pghot-$version

rm -rf "$tree"
mkdir -p "$tree/lab/guest"
cd "$root"
cp -a kernel packaging VERSION LICENSE "$tree/"
mkdir -p "$tree/tools"
cp -a tools/pghot tools/pghot-events tools/pghot_cxl_map.py "$tree/tools/"
cp -a --parents lab/guest/tools/calibrate.c lab/guest/shared "$tree/"
find "$tree" -name __pycache__ -prune -exec rm -rf {} +
mv "$tree/packaging/debian" "$tree/debian"

# Of the newest commit: the same sources give the same packages.
date=$(git log -1 --format=%aD 2>/dev/null || date -R)
maintainer=$(sed -n 's/^Maintainer: //p' "$tree/debian/control")
cat >"$tree/debian/changelog" <<EOF
pghot ($version) unstable; urgency=medium

  * The changes of this version are in CHANGELOG.md of its sources.

 -- $maintainer  $date
EOF

cd "$tree"
dpkg-buildpackage --build=binary --no-sign -rfakeroot >"$out/build.log" 2>&1 || {
	tail -n 20 "$out/build.log" >&2
	echo "packaging: error: the packages cannot be built, see $out/build.log" >&2
	exit 1
}
cd "$out"
ls pghot-*_"$version"_*.deb
lintian --fail-on error pghot-dkms_"$version"_all.deb pghot-tools_"$version"_*.deb
