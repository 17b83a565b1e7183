# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotmap.c
# A line is said to have been aged before its records are.
s/^	bool empty = true;/&\n\n	smp_store_release(hotmap_aged(section, line), now);/
/whoever reads the new time relies on them/,+1d
