// SPDX-License-Identifier: GPL-2.0
#include "region.h"

#include <inttypes.h>
#include <string.h>

void region_begin(struct region *r, struct memory *m, int64_t interval_ns, int64_t now_ns)
{
	int i;

	memory_clear_counts(m);
	memset(r->in_series, 0, sizeof(r->in_series));
	for (i = 0; i < m->nr_vcpus; i++)
		if (clock_meter(i))
			memcpy(r->insn_begin[i], clock_meter(i)->insn, sizeof(r->insn_begin[i]));
	series_begin(&r->series, m->map.nr, interval_ns, now_ns);
	r->begin_ns = now_ns;
	r->open = true;
}

static uint64_t user_accesses(const struct memory *m, int i, int node)
{
	const struct memory_node_counts *c = &m->vcpu[i].counts.node[node];

	return c->miss[0][0] + c->miss[0][1];
}

void region_sample(struct region *r, const struct memory *m, int i, int64_t now_ns)
{
	uint64_t n;
	int node;

	for (node = 0; node < m->map.nr; node++) {
		n = user_accesses(m, i, node);
		if (n == r->in_series[i][node])
			continue;
		series_add(&r->series, node, now_ns, n - r->in_series[i][node]);
		r->in_series[i][node] = n;
	}
}

static void insn_of(const struct region *r, int i, uint64_t insn[INSN_CLASSES])
{
	int c;

	for (c = 0; c < INSN_CLASSES; c++)
		insn[c] = clock_meter(i) ? clock_meter(i)->insn[c] - r->insn_begin[i][c] : 0;
}

static void print_insns(const struct region *r, const struct memory *m, FILE *out)
{
	uint64_t insn[INSN_CLASSES], sum[INSN_CLASSES] = { 0 };
	int i, c;

	for (i = 0; i < m->nr_vcpus; i++) {
		insn_of(r, i, insn);
		for (c = 0; c < INSN_CLASSES; c++)
			sum[c] += insn[c];
	}
	fprintf(out, "\"insn_user\":%" PRIu64 ",\"insn_kernel\":%" PRIu64
		",\"insn_module\":%" PRIu64 ",\"insn_cpu\":[",
		sum[INSN_USER], sum[INSN_KERNEL], sum[INSN_MODULE]);
	for (i = 0; i < m->nr_vcpus; i++) {
		insn_of(r, i, insn);
		fprintf(out, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			insn[INSN_USER], insn[INSN_KERNEL], insn[INSN_MODULE]);
	}
	fprintf(out, "],");
}

static void print_nodes(const struct memory *m, FILE *out)
{
	const struct memory_node_counts *c;
	struct memory_node_counts sum;
	uint64_t stall = 0, queue = 0;
	int i, n;

	for (i = 0; i < m->nr_vcpus; i++) {
		stall += m->vcpu[i].counts.stall_ps;
		queue += m->vcpu[i].counts.queue_ps;
	}
	fprintf(out, "\"stall_ns\":%" PRIu64 ",\"queue_ns\":%" PRIu64 ",\"nodes\":[",
		stall / 1000, queue / 1000);
	for (n = 0; n < m->map.nr; n++) {
		memset(&sum, 0, sizeof(sum));
		for (i = 0; i < m->nr_vcpus; i++) {
			c = &m->vcpu[i].counts.node[n];
			sum.miss[0][0] += c->miss[0][0];
			sum.miss[0][1] += c->miss[0][1];
			sum.miss[1][0] += c->miss[1][0];
			sum.miss[1][1] += c->miss[1][1];
			sum.writeback += c->writeback;
			sum.streamed += c->streamed;
		}
		fprintf(out, "%s{\"user_read\":%" PRIu64 ",\"user_write\":%" PRIu64
			",\"kernel_read\":%" PRIu64 ",\"kernel_write\":%" PRIu64
			",\"writeback\":%" PRIu64 ",\"streamed\":%" PRIu64 "}",
			n ? "," : "", sum.miss[0][0], sum.miss[0][1], sum.miss[1][0],
			sum.miss[1][1], sum.writeback, sum.streamed);
	}
	fprintf(out, "],");
}

static void print_series(const struct series *s, FILE *out)
{
	size_t b;
	int n;

	fprintf(out, "\"series\":{\"interval_ns\":%" PRId64 ",\"t0_ns\":%" PRId64 ",\"nodes\":[",
		s->interval_ns, s->t0_ns);
	for (n = 0; n < s->nr_nodes; n++) {
		fprintf(out, "%s[", n ? "," : "");
		for (b = 0; b < s->nr_buckets; b++)
			fprintf(out, "%s%" PRIu64, b ? "," : "", s->count[b * s->nr_nodes + n]);
		fprintf(out, "]");
	}
	fprintf(out, "]}");
}

/* Little-endian, as the hosts that can run the plugin are. */
static bool write_pages(const struct memory *m, const char *path)
{
	FILE *f = fopen(path, "wb");
	bool ok;

	if (!f)
		return false;
	ok = fwrite(m->page, sizeof(*m->page), m->nr_pages, f) == m->nr_pages;
	return !fclose(f) && ok;
}

const char *region_end(struct region *r, const struct memory *m, int64_t now_ns, FILE *out,
		       const char *pages)
{
	int i;

	for (i = 0; i < m->nr_vcpus; i++)
		region_sample(r, m, i, now_ns);
	r->open = false;
	fprintf(out, "{\"guest_ns\":%" PRId64 ",", now_ns - r->begin_ns);
	print_insns(r, m, out);
	print_nodes(m, out);
	print_series(&r->series, out);
	fprintf(out, "}\n");
	if (fflush(out) || ferror(out))
		return "the output file cannot be written";
	if (*pages && !write_pages(m, pages))
		return "the file of page counts cannot be written";
	return NULL;
}
