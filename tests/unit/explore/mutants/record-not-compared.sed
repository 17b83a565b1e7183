# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotmap.h
# A record is written although it has changed meanwhile.
s/done = try_cmpxchg(&section->rec8\[index\], &old8, (u8)new);/done = true; WRITE_ONCE(section->rec8[index], new);/
