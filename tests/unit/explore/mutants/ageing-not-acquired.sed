# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotmap.h
# Records may be read before the line is known to have been aged.
s/smp_load_acquire(hotmap_aged(section, line))/READ_ONCE(*hotmap_aged(section, line))/
