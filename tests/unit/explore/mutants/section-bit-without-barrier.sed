# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotmap.c
# The flag may be looked at before the bit of the section is set.
/node before pending/d
