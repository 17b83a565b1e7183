# SPDX-License-Identifier: GPL-2.0
# policy policy/effort.h
# The effort is written as if nobody read it meanwhile.
s/WRITE_ONCE(e->percent, percent);/e->percent = percent;/
