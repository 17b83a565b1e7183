# SPDX-License-Identifier: GPL-2.0
# cold core/cold.c
# Two workers take idle pages at the same time.
/^bool pghot_cold_take/,/^}/{/spin_lock(/d;/spin_unlock(/d}
