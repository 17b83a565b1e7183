# SPDX-License-Identifier: GPL-2.0
# hotmap core/hotmap.c
# Only who sets the bit of a section sets the flag.
/set_bit(bit, node->ready\[HOT_FRESH\])/s/^/		atomic_xchg(\&node->pending, 1);\n/
/if (!atomic_read(&node->pending)/,+1d
