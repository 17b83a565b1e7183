/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The function that is watched to see what ageing finds
 */
#ifndef PGHOT_WRAPPER_AGINGHOOK_H
#define PGHOT_WRAPPER_AGINGHOOK_H

#include <linux/types.h>
#include <linux/version.h>

struct folio;
struct lru_gen_mm_walk;
struct vm_area_struct;

/*
 * What ageing calls for the folios that it finds accessed, before it makes them members of the
 * youngest generation: its name, the places of the folio and of that generation among its
 * arguments, and its line in symbols.c. It is static in mm/vmscan.c. AGING_MARKS is whether a folio
 * that is found for the first time is only marked as referenced, and keeps its generation.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
int folio_update_gen(struct folio *folio, int gen);
#define AGING_FUNCTION		"folio_update_gen"
#define AGING_FOLIO		0
#define AGING_GEN		1
#define AGING_MARKS		false
#define AGING_HOOK(hook)	hook(folio_update_gen, int, (struct folio *, int))
#elif LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
void walk_update_folio(struct lru_gen_mm_walk *walk, struct folio *folio, int gen, bool dirty);
#define AGING_FUNCTION		"walk_update_folio"
#define AGING_FOLIO		1
#define AGING_GEN		2
#define AGING_MARKS		true
#define AGING_HOOK(hook)	\
	hook(walk_update_folio, void, (struct lru_gen_mm_walk *, struct folio *, int, bool))
#else
void walk_update_folio(struct lru_gen_mm_walk *walk, struct vm_area_struct *vma,
		       struct folio *folio, int gen, bool dirty);
#define AGING_FUNCTION		"walk_update_folio"
#define AGING_FOLIO		2
#define AGING_GEN		3
#define AGING_MARKS		true
#define AGING_HOOK(hook)	\
	hook(walk_update_folio, void, (struct lru_gen_mm_walk *, struct vm_area_struct *, \
				       struct folio *, int, bool))
#endif

#endif /* PGHOT_WRAPPER_AGINGHOOK_H */
