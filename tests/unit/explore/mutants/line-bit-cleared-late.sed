# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotscan.h
# The bit of a line is cleared after its records are read.
s/if (test_and_clear_bit(line, ready) && hotscan_line(s, section, line))/if (hotscan_line(s, section, line) || !test_and_clear_bit(line, ready))/
