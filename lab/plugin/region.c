// SPDX-License-Identifier: GPL-2.0
#include "region.h"

#include <inttypes.h>
#include <string.h>

void region_begin(struct region *r, struct memory *m, int64_t interval_ns, int64_t now_ns)
{
	int i;

	memory_begin_counts(m, interval_ns, now_ns);
	memset(r->in_series, 0, sizeof(r->in_series));
	memset(r->in_hot, 0, sizeof(r->in_hot));
	memset(r->in_copies, 0, sizeof(r->in_copies));
	memset(r->in_used, 0, sizeof(r->in_used));
	for (i = 0; i < m->nr_vcpus; i++)
		if (clock_meter(i))
			memcpy(r->insn_begin[i], clock_meter(i)->insn, sizeof(r->insn_begin[i]));
	series_begin(&r->series, m->map.nr, interval_ns, now_ns);
	series_begin(&r->hot, m->map.nr, interval_ns, now_ns);
	for (i = 0; i < m->map.nr; i++)
		series_begin(&r->copies[i], m->map.nr, interval_ns, now_ns);
	series_begin(&r->used, m->map.nr, REGION_USED * interval_ns, now_ns);
	latency_reset(&r->latency);
	r->nr_moves = 0;
	if (m->hot_bytes)
		r->move_ns[r->nr_moves++] = now_ns;
	r->begin_ns = now_ns;
	r->open = true;
}

const char *region_name_hot(struct region *r, struct memory *m, uint64_t first, uint64_t last,
			    int64_t now_ns)
{
	if (last < first)
		return "a hot range ends before it begins";
	if (r->open && r->nr_moves == REGION_MOVES)
		return "the hot range is named too often in a region";
	if (r->open)
		r->move_ns[r->nr_moves++] = now_ns;
	m->hot_first = first;
	m->hot_bytes = last - first + 1;
	return NULL;
}

static uint64_t user_accesses(const struct memory_node_counts *c)
{
	return c->miss[0][0] + c->miss[0][1];
}

/* Of the count @n, @in are in the series. */
static void sample(struct series *s, int node, int64_t now_ns, uint64_t n, uint64_t *in)
{
	if (n == *in)
		return;
	series_add(s, node, now_ns, n - *in);
	*in = n;
}

void region_sample(struct region *r, struct memory *m, int i, int64_t now_ns)
{
	const struct memory_counts *counts = &m->vcpu[i].counts;
	int n, to;

	for (n = 0; n < m->map.nr; n++) {
		sample(&r->series, n, now_ns, user_accesses(&counts->node[n]), &r->in_series[i][n]);
		sample(&r->hot, n, now_ns, counts->node[n].hot, &r->in_hot[i][n]);
		for (to = 0; to < m->map.nr; to++)
			sample(&r->copies[n], to, now_ns, counts->copies[n][to],
			       &r->in_copies[i][n][to]);
		sample(&r->used, n, now_ns, m->frames.used[n], &r->in_used[n]);
	}
	m->frames.interval = (now_ns - r->begin_ns) / r->used.interval_ns + 1;
	heat_advance(&m->heat, now_ns);
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

static void print_tlb(const struct memory *m, FILE *out)
{
	uint64_t hits = 0, walks = 0, ps = 0, reads;
	int i, n;

	for (i = 0; i < m->nr_vcpus; i++) {
		hits += m->vcpu[i].counts.tlb_l2_hits;
		walks += m->vcpu[i].counts.walks;
		ps += m->vcpu[i].counts.translate_ps;
	}
	fprintf(out, "\"tlb\":{\"l2_hits\":%" PRIu64 ",\"walks\":%" PRIu64
		",\"stall_ns\":%" PRIu64 ",\"walk_reads\":[", hits, walks, ps / 1000);
	for (n = 0; n < m->map.nr; n++) {
		for (i = 0, reads = 0; i < m->nr_vcpus; i++)
			reads += m->vcpu[i].counts.node[n].walk;
		fprintf(out, "%s%" PRIu64, n ? "," : "", reads);
	}
	fprintf(out, "]},");
}

/* The inside of a JSON object. */
static void print_series(const struct series *s, FILE *out)
{
	size_t b;
	int n;

	fprintf(out, "\"interval_ns\":%" PRId64 ",\"t0_ns\":%" PRId64 ",\"nodes\":[",
		s->interval_ns, s->t0_ns);
	for (n = 0; n < s->nr_nodes; n++) {
		fprintf(out, "%s[", n ? "," : "");
		for (b = 0; b < s->nr_buckets; b++)
			fprintf(out, "%s%" PRIu64, b ? "," : "", s->count[b * s->nr_nodes + n]);
		fprintf(out, "]");
	}
	fprintf(out, "]");
}

static void print_used(const struct region *r, const struct memory *m, FILE *out)
{
	int n;

	fprintf(out, "\"used\":{");
	print_series(&r->used, out);
	fprintf(out, "},\"copies\":[");
	for (n = 0; n < m->map.nr; n++) {
		fprintf(out, "%s{", n ? "," : "");
		print_series(&r->copies[n], out);
		fprintf(out, "}");
	}
	fprintf(out, "],");
}

static void print_heat(const struct memory *m, FILE *out)
{
	const struct heat *h = &m->heat;
	size_t p = 0, first, c;
	int n;

	fprintf(out, "\"heat\":{\"interval_ns\":%" PRId64 ",\"piece_bytes\":%" PRIu64
		",\"nodes\":[", h->interval_ns, UINT64_C(1) << h->piece_shift);
	for (n = 0; n < m->map.nr; n++) {
		fprintf(out, "%s[", n ? "," : "");
		for (first = p; p < m->map.end[n] >> h->piece_shift; p++) {
			fprintf(out, "%s[", p > first ? "," : "");
			for (c = 0; c < h->nr_columns; c++)
				fprintf(out, "%s%" PRIu64, c ? "," : "",
					h->uses[c * h->nr_pieces + p]);
			fprintf(out, "]");
		}
		fprintf(out, "]");
	}
	fprintf(out, "]},");
}

static void print_hot(const struct region *r, FILE *out)
{
	int i;

	fprintf(out, "\"hot\":{");
	print_series(&r->hot, out);
	fprintf(out, ",\"moves_ns\":[");
	for (i = 0; i < r->nr_moves; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", r->move_ns[i] - r->begin_ns);
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

const char *region_end(struct region *r, struct memory *m, int64_t now_ns, FILE *out,
		       const char *pages)
{
	int i;

	for (i = 0; i < m->nr_vcpus; i++)
		region_sample(r, m, i, now_ns);
	r->open = false;
	memory_end_counts(m);
	m->hot_bytes = 0;
	fprintf(out, "{\"guest_ns\":%" PRId64 ",", now_ns - r->begin_ns);
	print_insns(r, m, out);
	print_nodes(m, out);
	if (m->has_tlb)
		print_tlb(m, out);
	fprintf(out, "\"latency\":");
	latency_print(&r->latency, out);
	fprintf(out, ",\"series\":{");
	print_series(&r->series, out);
	fprintf(out, "},");
	print_used(r, m, out);
	print_heat(m, out);
	if (r->nr_moves)
		print_hot(r, out);
	else
		fprintf(out, "\"hot\":null");
	fprintf(out, "}\n");
	if (fflush(out) || ferror(out))
		return "the output file cannot be written";
	if (*pages && !write_pages(m, pages))
		return "the file of page counts cannot be written";
	return NULL;
}
