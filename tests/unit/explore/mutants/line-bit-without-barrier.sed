# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotmap.c
# The bit of the section may be looked at before that of the line is set.
/line before node/d
