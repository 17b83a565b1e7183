# SPDX-License-Identifier: GPL-2.0
# ring sources/ring.h
# The place is given back before the sample has been read.
s/smp_store_release(&ring->tail, ring->tail + 1)/WRITE_ONCE(ring->tail, ring->tail + 1)/
