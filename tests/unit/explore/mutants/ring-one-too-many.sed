# SPDX-License-Identifier: GPL-2.0
# ring sources/ring.h
# A full ring takes one sample more.
s/>= (s32)RING_SLOTS/> (s32)RING_SLOTS/
