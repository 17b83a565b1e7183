/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Memory for records
 */
#ifndef PGHOT_CORE_RECMEM_H
#define PGHOT_CORE_RECMEM_H

#include <linux/types.h>

struct textfile;

extern const struct textfile pghot_recmem_file;

void *pghot_recmem_alloc(size_t size, int nid);
void pghot_recmem_free(void *records, size_t size);
void pghot_recmem_exit(void);

#endif /* PGHOT_CORE_RECMEM_H */
