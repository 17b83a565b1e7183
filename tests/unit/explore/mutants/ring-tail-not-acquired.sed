# SPDX-License-Identifier: GPL-2.0
# ring sources/ring.h
# The place is filled before it is known to be free.
s/smp_load_acquire(&ring->tail)/READ_ONCE(ring->tail)/
