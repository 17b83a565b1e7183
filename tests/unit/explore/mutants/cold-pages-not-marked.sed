# SPDX-License-Identifier: GPL-2.0
# cold core/cold.c
# How many pages there are is written as if nobody read it meanwhile.
s/WRITE_ONCE(ring->pages, pages);/ring->pages = pages;/
