// SPDX-License-Identifier: GPL-2.0
#include "latency.h"

#include <inttypes.h>
#include <string.h>

void latency_reset(struct latency *l)
{
	memset(l, 0, sizeof(*l));
	memset(l->begin_ps, 0xff, sizeof(l->begin_ps));
}

static int bin_of(uint64_t ns)
{
	int bin = ns ? 64 - __builtin_clzll(ns) : 0;

	return bin < LATENCY_BINS ? bin : LATENCY_BINS - 1;
}

bool latency_end(struct latency *l, int i, bool store, int64_t now_ps)
{
	int64_t ps = now_ps - l->begin_ps[i];

	if (l->begin_ps[i] < 0)
		return false;
	l->begin_ps[i] = -1;
	/* A vCPU that stood still starts with the common time, which may be behind its own. */
	if (ps < 0)
		ps = 0;
	l->count[store][bin_of(ps / 1000)]++;
	l->sum_ps[store] += ps;
	return true;
}

static bool any_counted(const struct latency *l, int store)
{
	int b;

	for (b = 0; b < LATENCY_BINS && !l->count[store][b]; b++)
		;
	return b < LATENCY_BINS;
}

static void print_kind(const struct latency *l, const char *name, int store, FILE *out)
{
	int b;

	fprintf(out, "\"%s_ns\":%" PRId64 ",\"%ss\":[", name, l->sum_ps[store] / 1000, name);
	for (b = 0; b < LATENCY_BINS; b++)
		fprintf(out, "%s%" PRIu64, b ? "," : "", l->count[store][b]);
	fprintf(out, "]");
}

void latency_print(const struct latency *l, FILE *out)
{
	if (!any_counted(l, 0) && !any_counted(l, 1)) {
		fprintf(out, "null");
		return;
	}
	fprintf(out, "{");
	print_kind(l, "load", 0, out);
	fprintf(out, ",");
	print_kind(l, "store", 1, out);
	fprintf(out, "}");
}
