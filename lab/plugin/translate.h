/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What it costs a CPU to translate a virtual address: nothing if the first level of its TLB
 * has the page, a little if the second level has it, and a walk of the guest's own page tables
 * otherwise. A walk reads these tables where the guest has them in RAM.
 *
 * One walk goes on at a time, and the access waits for it. Its reads begin at the second level of
 * the caches, because the first one has virtual tags in this model. The accessed and dirty bits are
 * set by QEMU, and cost nothing.
 */
#ifndef TIERMEM_TRANSLATE_H
#define TIERMEM_TRANSLATE_H

#include "memory.h"

/*
 * vCPU @i translates @vaddr at its local time @now, ps. The root of its page tables must be
 * known. Returns the stall in ps. An address that the tables do not map costs what was read.
 */
int64_t translate_address(struct memory *m, int i, uint64_t vaddr, int64_t now);

#endif
