/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Isolating and migrating folios.
 */
#ifndef PGHOT_WRAPPER_FOLIO_H
#define PGHOT_WRAPPER_FOLIO_H

#include <linux/types.h>

struct folio;
struct list_head;

unsigned int pghot_folio_scan_latency_ms(struct folio *folio);
bool pghot_folio_isolate(struct folio *folio);
unsigned int pghot_folios_migrate(struct list_head *folios, int nid, struct list_head *failed);
void pghot_folios_putback(struct list_head *folios);
bool pghot_folio_may_be_lru(struct folio *folio);
bool pghot_folio_is_pinned(struct folio *folio);

#endif /* PGHOT_WRAPPER_FOLIO_H */
