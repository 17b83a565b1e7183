// SPDX-License-Identifier: GPL-2.0
#include "census.h"

#include <inttypes.h>
#include <stdlib.h>

#define BINS	33	/* 0, and the powers of two of an uint32_t */

static uint64_t nr_pages(const struct census *c)
{
	return ((c->last - c->first) >> MEMORY_PAGE_SHIFT) + 1;
}

bool census_begin(struct census *c, struct memory *m, uint64_t first, uint64_t last)
{
	int i;

	c->first = first;
	c->last = last;
	c->met = calloc(nr_pages(c), sizeof(*c->met));
	if (!c->met)
		return false;
	c->open = true;
	for (i = 0; i < m->nr_vcpus; i++)
		cache_flush(&m->vcpu[i].l1);
	return true;
}

static int bin_of(uint32_t served)
{
	return served ? 32 - __builtin_clz(served) : 0;
}

const char *census_end(struct census *c, const struct memory *m, FILE *out)
{
	uint64_t served[NODEMAP_MAX_NODES][BINS] = { 0 }, frames[NODEMAP_MAX_NODES] = { 0 }, p;
	int n, b;

	for (p = 0; p < nr_pages(c); p++) {
		if (!c->met[p])
			continue;
		n = nodemap_node(&m->map, (c->met[p] - 1) << MEMORY_PAGE_SHIFT);
		frames[n]++;
		served[n][bin_of(m->page[c->met[p] - 1])]++;
	}
	fprintf(out, "{\"census\":[");
	for (n = 0; n < m->map.nr; n++) {
		fprintf(out, "%s{\"frames\":%" PRIu64 ",\"served\":[", n ? "," : "", frames[n]);
		for (b = 0; b < BINS; b++)
			fprintf(out, "%s%" PRIu64, b ? "," : "", served[n][b]);
		fprintf(out, "]}");
	}
	fprintf(out, "]}\n");
	free(c->met);
	c->open = false;
	return fflush(out) || ferror(out) ? "the output file cannot be written" : NULL;
}
