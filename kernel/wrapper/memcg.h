/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: References and statistics of memory cgroups
 */
#ifndef PGHOT_WRAPPER_MEMCG_H
#define PGHOT_WRAPPER_MEMCG_H

#include <linux/types.h>

struct cgroup;
struct folio;
struct mem_cgroup;

struct mem_cgroup *pghot_memcg_get(struct folio *folio);
void pghot_memcg_put(struct mem_cgroup *memcg);
struct cgroup *pghot_memcg_cgroup(struct mem_cgroup *memcg);
void pghot_memcg_put_cgroup(struct cgroup *cgroup);
void pghot_memcg_count_migrated(struct mem_cgroup *memcg, int nid, unsigned int nr_pages,
				bool promoted);
void pghot_memcg_count_demoted(int nid, unsigned int nr_pages);

#endif /* PGHOT_WRAPPER_MEMCG_H */
