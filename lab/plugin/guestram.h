/* SPDX-License-Identifier: GPL-2.0 */
/* Where QEMU has the guest's RAM in its own memory. */
#ifndef TIERMEM_GUESTRAM_H
#define TIERMEM_GUESTRAM_H

#include "memory.h"

/*
 * Find the RAM of all nodes of @m, once the machine is complete, and check that each is one
 * range. NULL, or what is wrong.
 */
const char *guestram_find(struct memory *m);

#endif
