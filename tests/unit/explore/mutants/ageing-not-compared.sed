# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotmap.c
# Ageing clears a record although it was written meanwhile.
s/else if (hotmap_change(f, section, i, &rec, 0) && /else if (hotmap_change(f, section, i, \&(u32){ hotmap_rec(f, section, i) }, 0) \&\& /
