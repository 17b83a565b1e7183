# SPDX-License-Identifier: GPL-2.0
# ring sources/ring.h
# Two producers can take the same place.
s/while (!try_cmpxchg(&ring->head, &place, place + 1));/while (0); WRITE_ONCE(ring->head, place + 1);/
