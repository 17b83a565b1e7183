# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotscan.h
# The section of a record that waits has no bit.
/if (hotscan_has(section, HOT_WAITING))/,+1d
