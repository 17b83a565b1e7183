// SPDX-License-Identifier: GPL-2.0
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "overlap.h"

#define CONFIG_LINE_MAX		(CONFIG_PATH_MAX + 64)
#define CONFIG_VALUES_MAX	(VTIME_MAX_VCPUS + 1)
#define CONFIG_PAGE		4096

/* One line in work. */
struct config_line {
	struct config *cfg;
	const char *key;
	char *text;				/* everything behind the key */
	uint64_t value[CONFIG_VALUES_MAX];
	int nr;
	char *err;
	size_t err_size;
};

static bool fail(const struct config_line *line, const char *fmt, ...)
{
	va_list args;
	int n;

	n = snprintf(line->err, line->err_size, "%s: ", line->key);
	if (n < 0 || (size_t)n >= line->err_size)
		return false;
	va_start(args, fmt);
	vsnprintf(line->err + n, line->err_size - n, fmt, args);
	va_end(args);
	return false;
}

static bool parse_values(struct config_line *line)
{
	char *word, *end, *save = NULL;

	for (word = strtok_r(line->text, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (line->nr == CONFIG_VALUES_MAX)
			return fail(line, "more than %d values", CONFIG_VALUES_MAX);
		errno = 0;
		line->value[line->nr++] = strtoull(word, &end, 10);
		if (*word < '0' || *word > '9' || *end)
			return fail(line, "'%s' is not a whole number", word);
		if (errno)
			return fail(line, "'%s' is too large", word);
	}
	return true;
}

static bool parse_path(struct config_line *line, char *path)
{
	if (!*line->text)
		return fail(line, "needs a path");
	if (strlen(line->text) >= CONFIG_PATH_MAX)
		return fail(line, "path is longer than %d bytes", CONFIG_PATH_MAX - 1);
	strcpy(path, line->text);
	return true;
}

static bool in_range(const struct config_line *line, int i, uint64_t least, uint64_t most)
{
	if (line->value[i] < least || line->value[i] > most)
		return fail(line, "%llu is not within %llu..%llu",
			    (unsigned long long)line->value[i], (unsigned long long)least,
			    (unsigned long long)most);
	return true;
}

static bool parse_number(const struct config_line *line, uint64_t *to, uint64_t least,
			 uint64_t most)
{
	if (line->nr != 1)
		return fail(line, "needs 1 value, has %d", line->nr);
	if (!in_range(line, 0, least, most))
		return false;
	*to = line->value[0];
	return true;
}

static bool parse_node(const struct config_line *line)
{
	struct config *cfg = line->cfg;

	if (line->nr != 2)
		return fail(line, "needs 2 values (bytes, MB/s), has %d", line->nr);
	if (cfg->nr_nodes == NODEMAP_MAX_NODES)
		return fail(line, "more than %d nodes", NODEMAP_MAX_NODES);
	if (!in_range(line, 0, CONFIG_PAGE, UINT64_C(1) << 40) ||
	    !in_range(line, 1, 1, 1000000))
		return false;
	if (line->value[0] % CONFIG_PAGE)
		return fail(line, "size is not a multiple of %d", CONFIG_PAGE);
	cfg->node_bytes[cfg->nr_nodes] = line->value[0];
	cfg->node_mbps[cfg->nr_nodes++] = line->value[1];
	return true;
}

static bool parse_cpus(const struct config_line *line)
{
	struct config *cfg = line->cfg;
	int i;

	if (cfg->nr_cpus)
		return fail(line, "given twice");
	if (!line->nr || line->nr > VTIME_MAX_VCPUS)
		return fail(line, "needs 1 to %d values, has %d", VTIME_MAX_VCPUS, line->nr);
	for (i = 0; i < line->nr; i++) {
		if (!in_range(line, i, 0, NODEMAP_MAX_NODES - 1))
			return false;
		cfg->cpu_node[i] = line->value[i];
	}
	cfg->nr_cpus = line->nr;
	return true;
}

static bool parse_latency(const struct config_line *line)
{
	struct config *cfg = line->cfg;
	uint64_t node = line->value[0];
	int n;

	if (line->nr < 2)
		return fail(line, "needs a node and its latencies");
	if (!in_range(line, 0, 0, NODEMAP_MAX_NODES - 1))
		return false;
	if (cfg->has_latency[node])
		return fail(line, "node %d given twice", (int)node);
	if (line->nr - 1 > NODEMAP_MAX_NODES)
		return fail(line, "more than %d latencies", NODEMAP_MAX_NODES);
	for (n = 0; n < line->nr - 1; n++) {
		if (!in_range(line, n + 1, 1, 1000000))
			return false;
		cfg->latency_ns[node][n] = line->value[n + 1];
	}
	for (; n < NODEMAP_MAX_NODES; n++)
		cfg->latency_ns[node][n] = 0;
	cfg->has_latency[node] = true;
	return true;
}

static bool parse_cache(const struct config_line *line, struct config_cache *cache, int nr)
{
	if (line->nr != nr)
		return fail(line, "needs %d values, has %d", nr, line->nr);
	if (!cache_geometry_ok(line->value[0], line->value[1]) || line->value[0] > 1u << 30)
		return fail(line, "%llu bytes in %llu ways do not make a power of two of sets",
			    (unsigned long long)line->value[0],
			    (unsigned long long)line->value[1]);
	if (nr > 2 && !in_range(line, 2, 0, 1000000))
		return false;
	cache->bytes = line->value[0];
	cache->ways = line->value[1];
	cache->ns = nr > 2 ? line->value[2] : 0;
	return true;
}

/* @nr values, of which the first two are a number of entries and one of ways. */
static bool parse_tlb(const struct config_line *line, struct tlb_geometry *tlb, int nr)
{
	struct tlb_geometry g = { line->value[0], line->value[1] };

	if (line->nr != nr)
		return fail(line, "needs %d values, has %d", nr, line->nr);
	if (!in_range(line, 0, 1, 1 << 20))
		return false;
	if (!tlb_geometry_ok(g))
		return fail(line, "%llu entries in %llu ways do not make a power of two of sets",
			    (unsigned long long)g.entries, (unsigned long long)g.ways);
	*tlb = g;
	return true;
}

static bool parse_tlb_l2(const struct config_line *line)
{
	if (!parse_tlb(line, &line->cfg->tlb.l2, 3) || !in_range(line, 2, 0, 1000))
		return false;
	line->cfg->tlb.l2_ns = line->value[2];
	return true;
}

static bool parse_tlb_upper(const struct config_line *line)
{
	int i;

	if (line->nr != TLB_UPPER)
		return fail(line, "needs %d values, has %d", TLB_UPPER, line->nr);
	for (i = 0; i < TLB_UPPER; i++) {
		if (!in_range(line, i, 1, 64))
			return false;
		line->cfg->tlb.upper[i] = line->value[i];
	}
	return true;
}

static bool power_of_two(const struct config_line *line, int i)
{
	if (!(line->value[i] & (line->value[i] - 1)))
		return true;
	return fail(line, "%llu is not a power of two", (unsigned long long)line->value[i]);
}

/* Can a scale and a multiplier of 12 bits tell it? */
static bool epoch_can_be_told(const struct config_line *line, uint64_t us)
{
	uint64_t units = us / 100, rest = us % 100;

	while (!rest && units > HMU_MULT_MAX) {
		rest = units % 10;
		units /= 10;
	}
	return !rest || fail(line, "an epoch of %llu us cannot be told in registers",
			     (unsigned long long)us);
}

static bool parse_hmu(const struct config_line *line)
{
	struct hmu_config *hmu = &line->cfg->hmu;

	if (line->nr != 7)
		return fail(line, "needs 7 values, from a unit's bytes to a seed, has %d",
			    line->nr);
	if (!in_range(line, 0, 1ull << HMU_UNIT_MIN_SHIFT, 1ull << HMU_UNIT_MAX_SHIFT) ||
	    !in_range(line, 1, HMU_EPOCH_MIN_US, HMU_EPOCH_MAX_US) ||
	    !in_range(line, 2, 1, HMU_COUNT_MAX) || !in_range(line, 3, 1, 1 << 15) ||
	    !in_range(line, 4, 0, 100) || !in_range(line, 5, 2, 65535) ||
	    !in_range(line, 6, 0, UINT32_MAX) || !power_of_two(line, 0) ||
	    !power_of_two(line, 3) || !epoch_can_be_told(line, line->value[1]))
		return false;
	*hmu = (struct hmu_config) {
		.unit = line->value[0],
		.epoch_us = line->value[1],
		.threshold = line->value[2],
		.sampling = line->value[3],
		.loss = line->value[4],
		.entries = line->value[5],
		.seed = line->value[6],
	};
	return true;
}

static bool parse_line(struct config_line *line)
{
	struct config *cfg = line->cfg;

	if (!strcmp(line->key, "out"))
		return parse_path(line, cfg->out);
	if (!strcmp(line->key, "pages"))
		return parse_path(line, cfg->pages);
	if (!strcmp(line->key, "hmu_file"))
		return parse_path(line, cfg->hmu_file);
	if (!parse_values(line))
		return false;
	if (!strcmp(line->key, "hmu"))
		return parse_hmu(line);
	if (!strcmp(line->key, "below4g"))
		return parse_number(line, &cfg->below4g, CONFIG_PAGE, NODEMAP_4G);
	if (!strcmp(line->key, "node"))
		return parse_node(line);
	if (!strcmp(line->key, "cpus"))
		return parse_cpus(line);
	if (!strcmp(line->key, "latency"))
		return parse_latency(line);
	if (!strcmp(line->key, "l1"))
		return parse_cache(line, &cfg->l1, 2);
	if (!strcmp(line->key, "l2"))
		return parse_cache(line, &cfg->l2, 3);
	if (!strcmp(line->key, "llc"))
		return parse_cache(line, &cfg->llc, 3);
	if (!strcmp(line->key, "tlb_4k"))
		return parse_tlb(line, &cfg->tlb.l1[TLB_4K], 2);
	if (!strcmp(line->key, "tlb_2m"))
		return parse_tlb(line, &cfg->tlb.l1[TLB_2M], 2);
	if (!strcmp(line->key, "tlb_1g"))
		return parse_tlb(line, &cfg->tlb.l1[TLB_1G], 2);
	if (!strcmp(line->key, "tlb_l2"))
		return parse_tlb_l2(line);
	if (!strcmp(line->key, "tlb_upper"))
		return parse_tlb_upper(line);
	if (!strcmp(line->key, "streams"))
		return parse_number(line, &cfg->streams, 1, OVERLAP_MISSES);
	if (!strcmp(line->key, "window"))
		return parse_number(line, &cfg->window, 1, 100000);
	if (!strcmp(line->key, "insn_ps"))
		return parse_number(line, &cfg->insn_ps, 1, 1000000);
	if (!strcmp(line->key, "slice_ns"))
		return parse_number(line, &cfg->slice_ns, 1000, 1000000);
	if (!strcmp(line->key, "interval_ns"))
		return parse_number(line, &cfg->interval_ns, 1000, UINT64_C(1000000000000));
	if (!strcmp(line->key, "frozen_ps"))
		return parse_number(line, &cfg->frozen_ps, 1, INT64_MAX);
#ifdef DEVICE_READS
	if (!strcmp(line->key, "device_read_ns"))
		return parse_number(line, &cfg->device_read_ns, 1, 1000000);
#endif
	return fail(line, "unknown key");
}

static bool missing(struct config_line *line, const char *key)
{
	line->key = key;
	return fail(line, "missing");
}

/* All lines about TLBs are there, or none of them. */
static bool check_tlb(struct config_line *line)
{
	const struct tlb_config *tlb = &line->cfg->tlb;
	const struct {
		const char *key;
		uint64_t given;
	} lines[] = {
		{ "tlb_4k", tlb->l1[TLB_4K].entries },
		{ "tlb_2m", tlb->l1[TLB_2M].entries },
		{ "tlb_1g", tlb->l1[TLB_1G].entries },
		{ "tlb_l2", tlb->l2.entries },
		{ "tlb_upper", tlb->upper[0] },
	};
	unsigned int i, given = 0, nr = sizeof(lines) / sizeof(*lines);

	for (i = 0; i < nr; i++)
		given += !!lines[i].given;
	if (!given)
		return true;
	for (i = 0; i < nr; i++)
		if (!lines[i].given)
			return missing(line, lines[i].key);
	return true;
}

/* What can only be checked when all lines are known. */
static bool check_whole(struct config_line *line)
{
	const struct config *cfg = line->cfg;
	int i, n, node;
	bool wanted;

	if (!*cfg->out)
		return missing(line, "out");
	if (!cfg->below4g)
		return missing(line, "below4g");
	if (!cfg->nr_nodes)
		return missing(line, "node");
	if (!cfg->nr_cpus)
		return missing(line, "cpus");
	if (!cfg->l1.bytes)
		return missing(line, "l1");
	if (!cfg->l2.bytes)
		return missing(line, "l2");
	if (!cfg->llc.bytes)
		return missing(line, "llc");
	if (!cfg->streams)
		return missing(line, "streams");
	if (!cfg->insn_ps)
		return missing(line, "insn_ps");
	if (!cfg->slice_ns)
		return missing(line, "slice_ns");
	if (!cfg->interval_ns)
		return missing(line, "interval_ns");
	if (*cfg->hmu_file && !cfg->hmu.unit)
		return missing(line, "hmu");
	if (!*cfg->hmu_file && cfg->hmu.unit)
		return missing(line, "hmu_file");
	if (!check_tlb(line))
		return false;

	line->key = "cpus";
	for (i = 0; i < cfg->nr_cpus; i++)
		if (cfg->cpu_node[i] >= cfg->nr_nodes)
			return fail(line, "CPU %d is on node %d, but there are %d nodes", i,
				    cfg->cpu_node[i], cfg->nr_nodes);

	line->key = "latency";
	for (i = 0; i < cfg->nr_cpus; i++) {
		node = cfg->cpu_node[i];
		if (!cfg->has_latency[node])
			return fail(line, "missing for node %d, which has CPUs", node);
	}
	for (node = 0; node < NODEMAP_MAX_NODES; node++) {
		if (!cfg->has_latency[node])
			continue;
		for (n = 0; n < NODEMAP_MAX_NODES; n++) {
			wanted = n < cfg->nr_nodes;
			if (wanted != !!cfg->latency_ns[node][n])
				return fail(line, "node %d needs one value per node (%d)", node,
					    cfg->nr_nodes);
		}
	}
	return true;
}

bool config_parse(struct config *cfg, const char *text, char *err, size_t err_size)
{
	struct config_line line;
	char buf[CONFIG_LINE_MAX], *key;
	size_t len;

	memset(cfg, 0, sizeof(*cfg));
	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		line = (struct config_line){ .cfg = cfg, .err = err, .err_size = err_size };
		line.key = "line";
		if (len >= sizeof(buf))
			return fail(&line, "longer than %d bytes", CONFIG_LINE_MAX - 1);
		memcpy(buf, text, len);
		buf[len] = '\0';
		key = buf + strspn(buf, " \t");
		if (!*key || *key == '#')
			continue;
		line.key = key;
		line.text = key + strcspn(key, " \t");
		if (*line.text)
			*line.text++ = '\0';
		line.text += strspn(line.text, " \t");
		if (!parse_line(&line))
			return false;
	}
	line = (struct config_line){ .cfg = cfg, .err = err, .err_size = err_size };
	return check_whole(&line);
}
