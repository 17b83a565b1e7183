# SPDX-License-Identifier: GPL-2.0
# ring sources/ring.h
# The place is said to be filled before the sample is written.
s/smp_store_release(&slot->filled, place + 1)/WRITE_ONCE(slot->filled, place + 1)/
