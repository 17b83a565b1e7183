# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotmap.c
# A page is put back although it was used again meanwhile.
s/hotmap_change(f, section, index, &rec, rec_often/rec = hotmap_rec(f, section, index);\n\t\t&/
