#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One mutant: the module with a mistake in it, which the explorer has to find.
# Usage: mutant.sh FILE.sed FOLDER
#
# The second line of the sed script says which program explores it, and which file of kernel/ it
# changes. FOLDER is made anew; if the mistake is found there is a file "found" in it, which says by
# what.
set -eu

mutant=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
kernel=$here/../../../kernel
name=$(basename "$mutant" .sed)

die()
{
	printf 'mutant %s: %s\n' "$name" "$*" >&2
	exit 1
}

words=$(sed -n '2s/^# //p' "$mutant")
program=${words% *}
file=${words#* }

rm -rf "$folder"
mkdir -p "$folder"
cp -as "$(cd "$kernel" && pwd)" "$folder"
rm "$folder/kernel/$file"
sed -f "$mutant" "$kernel/$file" >"$folder/kernel/$file"
! cmp -s "$kernel/$file" "$folder/kernel/$file" || die "does not change $file"
make -s -C "$here" SRC="$folder/kernel" OUT="$folder" "$folder/$program" >"$folder/build.log" 2>&1 ||
	die "cannot be built: see $folder/build.log"
! "$folder/$program" >"$folder/run.log" 2>&1 || die "is not found: see $folder/run.log"
found=$(sed -n 's/: [0-9]* threads, .* it failed$//p' "$folder/run.log" | head -n 1)
[ -n "$found" ] || die "cannot be explored: see $folder/run.log"
printf 'mutant %s: found by: %s\n' "$name" "$found" | tee "$folder/found"
