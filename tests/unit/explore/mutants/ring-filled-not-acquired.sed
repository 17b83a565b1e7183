# SPDX-License-Identifier: GPL-2.0
# ring sources/ring.h
# The sample is read before the place is known to be filled.
s/smp_load_acquire(&slot->filled)/READ_ONCE(slot->filled)/
