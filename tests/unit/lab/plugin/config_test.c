// SPDX-License-Identifier: GPL-2.0
/* config: the right file is read right; every wrong one is refused with its key named. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char *const lines[] = {
	"out /tmp/regions of a run.json",
	"below4g 2147483648",
	"node 2147483648 8000",
	"node 1073741824 800",
	"cpus 0 0 0 0",
	"latency 0 80 250",
	"l1 32768 2",
	"l2 1048576 8 4",
	"llc 8388608 16 15",
	"streams 10",
	"insn_ps 1000",
	"slice_ns 20000",
	"interval_ns 10000000",
};

#define NR_LINES	((int)(sizeof(lines) / sizeof(*lines)))

static char text[65536];
static char err[512];
static struct config cfg;

/* The file with line @skip left out and @extra at its end. */
static const char *file(int skip, const char *extra)
{
	int i;

	*text = '\0';
	for (i = 0; i < NR_LINES; i++) {
		if (i == skip)
			continue;
		strcat(text, lines[i]);
		strcat(text, "\n");
	}
	strcat(text, extra);
	return text;
}

static bool refused(const char *contents, const char *key)
{
	char start[64];

	*err = '\0';
	if (config_parse(&cfg, contents, err, sizeof(err))) {
		fprintf(stderr, "accepted, wanted a complaint about %s:\n%s\n", key, contents);
		return false;
	}
	snprintf(start, sizeof(start), "%s: ", key);
	if (!strncmp(err, start, strlen(start)) && strlen(err) > strlen(start))
		return true;
	fprintf(stderr, "wanted a complaint about %s, got: %s\n", key, err);
	return false;
}

/* Line @i of the right file replaced by @line. */
static bool replaced(int i, const char *line, const char *key)
{
	return refused(file(i, line), key);
}

static int index_of(const char *key)
{
	int i;

	for (i = 0; i < NR_LINES; i++)
		if (!strncmp(lines[i], key, strlen(key)) && lines[i][strlen(key)] == ' ')
			return i;
	return -1;
}

static void right_file(void)
{
	CHECK(config_parse(&cfg, file(-1, "# comment\n\n \t\n pages  /tmp/p"), err, sizeof(err)));
	CHECK(!strcmp(cfg.out, "/tmp/regions of a run.json"));
	CHECK(!strcmp(cfg.pages, "/tmp/p"));
	CHECK(cfg.below4g == 2147483648u);
	CHECK(cfg.nr_nodes == 2);
	CHECK(cfg.node_bytes[0] == 2147483648u && cfg.node_bytes[1] == 1073741824);
	CHECK(cfg.node_mbps[0] == 8000 && cfg.node_mbps[1] == 800);
	CHECK(cfg.nr_cpus == 4 && cfg.cpu_node[3] == 0);
	CHECK(cfg.latency_ns[0][0] == 80 && cfg.latency_ns[0][1] == 250);
	CHECK(cfg.l1.bytes == 32768 && cfg.l1.ways == 2);
	CHECK(cfg.l2.bytes == 1048576 && cfg.l2.ways == 8 && cfg.l2.ns == 4);
	CHECK(cfg.llc.bytes == 8388608 && cfg.llc.ways == 16 && cfg.llc.ns == 15);
	CHECK(cfg.streams == 10 && cfg.insn_ps == 1000);
	CHECK(cfg.slice_ns == 20000 && cfg.interval_ns == 10000000);
	CHECK(config_parse(&cfg, file(-1, ""), err, sizeof(err)));
	CHECK(!*cfg.pages && !*cfg.hmu_file && !cfg.hmu.unit && !cfg.frozen_ps);
	CHECK(config_parse(&cfg, file(-1, "frozen_ps 2502383364814\n"), err, sizeof(err)));
	CHECK(cfg.frozen_ps == 2502383364814);
	CHECK(config_parse(&cfg, file(-1, "hmu_file /tmp/a b\nhmu 8192 20000 4 16 5 1000 9\n"), err,
			   sizeof(err)));
	CHECK(!strcmp(cfg.hmu_file, "/tmp/a b"));
	CHECK(cfg.hmu.unit == 8192 && cfg.hmu.epoch_us == 20000 && cfg.hmu.threshold == 4);
	CHECK(cfg.hmu.sampling == 16 && cfg.hmu.loss == 5 && cfg.hmu.entries == 1000);
	CHECK(cfg.hmu.seed == 9);
}

/* The device's line, wrong in one place. */
static void wrong_hmu(void)
{
	static const char *const wrong[] = {
		"", "4096 100 1 1 0 2", "4096 100 1 1 0 2 1 1", "2048 100 1 1 0 2 1",
		"4194304 100 1 1 0 2 1", "5000 100 1 1 0 2 1", "4096 99 1 1 0 2 1",
		"4096 150 1 1 0 2 1", "4096 409600 1 1 0 2 1", "4096 500100 1 1 0 2 1",
		"4096 10000100 1 1 0 2 1", "4096 100 0 1 0 2 1", "4096 100 65536 1 0 2 1",
		"4096 100 1 0 0 2 1", "4096 100 1 3 0 2 1", "4096 100 1 65536 0 2 1",
		"4096 100 1 1 101 2 1", "4096 100 1 1 0 1 1", "4096 100 1 1 0 65536 1",
		"4096 100 1 1 0 2 4294967296",
	};
	static const char *const right[] = {
		"4096 100 1 1 0 2 0", "2097152 10000000 65535 32768 100 65535 4294967295",
		"4096 409500 1 1 0 2 1", "4096 410000 1 1 0 2 1", "4096 4095000 1 1 0 2 1",
	};
	char line[256];
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(line, sizeof(line), "hmu_file x\nhmu %s\n", wrong[i]);
		CHECK(refused(file(-1, line), "hmu"));
	}
	for (i = 0; i < sizeof(right) / sizeof(*right); i++) {
		snprintf(line, sizeof(line), "hmu_file x\nhmu %s\n", right[i]);
		CHECK(config_parse(&cfg, file(-1, line), err, sizeof(err)));
	}
	CHECK(refused(file(-1, "hmu_file x\n"), "hmu"));
	CHECK(refused(file(-1, "hmu_file\n"), "hmu_file"));
	CHECK(refused(file(-1, "hmu 4096 100 1 1 0 2 0\n"), "hmu_file"));
}

#define TLB_LINES	"tlb_4k 64 4\ntlb_2m 32 4\ntlb_1g 16 4\ntlb_l2 1536 12 2\n" \
			"tlb_upper 32 4 1\n"

/* TLBs are there or not; of a line that is given twice the last one counts. */
static void tlb_lines(void)
{
	static const char *const wrong[] = {
		"tlb_4k", "tlb_4k 64", "tlb_4k 64 4 1", "tlb_4k 0 4", "tlb_4k 64 0", "tlb_4k 64 3",
		"tlb_2m 96 4", "tlb_1g 1048577 1", "tlb_1g 256 128", "tlb_l2 1536 12",
		"tlb_l2 1536 16 2", "tlb_l2 1536 12 1001", "tlb_upper 32 4", "tlb_upper 0 4 1",
		"tlb_upper 32 65 1",
	};
	char line[512];
	unsigned int i;

	CHECK(config_parse(&cfg, file(-1, TLB_LINES), err, sizeof(err)));
	CHECK(cfg.tlb.l1[TLB_4K].entries == 64 && cfg.tlb.l1[TLB_4K].ways == 4);
	CHECK(cfg.tlb.l1[TLB_2M].entries == 32 && cfg.tlb.l1[TLB_1G].entries == 16);
	CHECK(cfg.tlb.l2.entries == 1536 && cfg.tlb.l2.ways == 12 && cfg.tlb.l2_ns == 2);
	CHECK(cfg.tlb.upper[0] == 32 && cfg.tlb.upper[1] == 4 && cfg.tlb.upper[2] == 1);
	CHECK(config_parse(&cfg, file(-1, ""), err, sizeof(err)));
	CHECK(!cfg.tlb.l2.entries && !cfg.window && !cfg.device_read_ns);
	CHECK(config_parse(&cfg, file(-1, "device_read_ns 1000\n"), err, sizeof(err)));
	CHECK(cfg.device_read_ns == 1000);
	CHECK(config_parse(&cfg, file(-1, "window 224\n"), err, sizeof(err)));
	CHECK(cfg.window == 224);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(wrong[i], " "), wrong[i]);
		CHECK(refused(file(-1, wrong[i]), line));
	}
	CHECK(refused(file(-1, "tlb_4k 64 4\n"), "tlb_2m"));
	CHECK(refused(file(-1, strchr(TLB_LINES, '\n') + 1), "tlb_4k"));
}

static void missing_lines(void)
{
	char key[32];
	int i;

	for (i = 0; i < NR_LINES; i++) {
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(lines[i], " "), lines[i]);
		if (!strcmp(key, "node"))
			continue;	/* the other one is left: see below */
		CHECK(refused(file(i, ""), key));
	}
	CHECK(replaced(index_of("node"), "", "latency"));
	CHECK(refused("", "out"));
	CHECK(refused("out x\nbelow4g 4096\n", "node"));
}

/* Every key that takes numbers with every kind of wrong number, in each place. */
static void wrong_numbers(void)
{
	static const char *const wrong[] = { "x", "-1", "1x", "1.5", "0x10", "+1",
					     "99999999999999999999999", "18446744073709551615" };
	char line[256], key[32], *word, *save, copy[256];
	unsigned int w;
	int i, at, nr;

	for (i = 0; i < NR_LINES; i++) {
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(lines[i], " "), lines[i]);
		if (!strcmp(key, "out"))
			continue;
		for (w = 0; w < sizeof(wrong) / sizeof(*wrong); w++) {
			for (at = 1;; at++) {
				strcpy(copy, lines[i]);
				strcpy(line, key);
				nr = 0;
				strtok_r(copy, " ", &save);
				while ((word = strtok_r(NULL, " ", &save))) {
					strcat(line, " ");
					strcat(line, ++nr == at ? wrong[w] : word);
				}
				if (at > nr)
					break;
				CHECK(replaced(i, line, key));
			}
		}
		/* No value; too many. */
		CHECK(replaced(i, key, key));
		snprintf(line, sizeof(line), "%s 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", lines[i]);
		CHECK(replaced(i, line, key));
	}
}

static void wrong_values(void)
{
	CHECK(refused(file(-1, "unknown 5\n"), "unknown"));
	CHECK(refused(file(-1, "Streams 5\n"), "Streams"));
	CHECK(refused(file(-1, "pages\n"), "pages"));
	CHECK(replaced(index_of("out"), "out", "out"));
	CHECK(replaced(index_of("below4g"), "below4g 0", "below4g"));
	CHECK(replaced(index_of("below4g"), "below4g 4294967297", "below4g"));
	CHECK(replaced(index_of("node"), "node 2147483649 8000", "node"));
	CHECK(replaced(index_of("node"), "node 0 8000", "node"));
	CHECK(replaced(index_of("node"), "node 4096 0", "node"));
	CHECK(refused(file(-1, "node 4096 1\nnode 4096 1\nnode 4096 1\nnode 4096 1\n"
			       "node 4096 1\nnode 4096 1\nnode 4096 1\n"), "node"));
	CHECK(replaced(index_of("cpus"), "cpus 0 2", "cpus"));
	CHECK(replaced(index_of("cpus"), "cpus 0 8", "cpus"));
	CHECK(refused(file(-1, "cpus 0\n"), "cpus"));
	CHECK(replaced(index_of("cpus"), "cpus 0 1", "latency"));
	CHECK(replaced(index_of("latency"), "latency 0 80", "latency"));
	CHECK(replaced(index_of("latency"), "latency 0 80 250 300", "latency"));
	CHECK(replaced(index_of("latency"), "latency 0 80 0", "latency"));
	CHECK(replaced(index_of("latency"), "latency 1 80 250", "latency"));
	CHECK(refused(file(-1, "latency 0 80 250\n"), "latency"));
	CHECK(replaced(index_of("l1"), "l1 32768 3", "l1"));
	CHECK(replaced(index_of("l1"), "l1 0 2", "l1"));
	CHECK(replaced(index_of("l2"), "l2 1048576 8", "l2"));
	CHECK(replaced(index_of("l2"), "l2 1000000 8 4", "l2"));
	CHECK(replaced(index_of("llc"), "llc 8388608 0 15", "llc"));
	CHECK(replaced(index_of("llc"), "llc 8388608 16 2000000", "llc"));
	CHECK(replaced(index_of("streams"), "streams 0", "streams"));
	CHECK(refused(file(-1, "device_read_ns 0\n"), "device_read_ns"));
	CHECK(refused(file(-1, "device_read_ns 1000001\n"), "device_read_ns"));
	CHECK(refused(file(-1, "window 0\n"), "window"));
	CHECK(refused(file(-1, "window 100001\n"), "window"));
	CHECK(refused(file(-1, "window 1 2\n"), "window"));
	CHECK(refused(file(-1, "frozen_ps 0\n"), "frozen_ps"));
	CHECK(refused(file(-1, "frozen_ps 9223372036854775808\n"), "frozen_ps"));
	CHECK(replaced(index_of("insn_ps"), "insn_ps 0", "insn_ps"));
	CHECK(replaced(index_of("slice_ns"), "slice_ns 999", "slice_ns"));
	CHECK(replaced(index_of("interval_ns"), "interval_ns 0", "interval_ns"));
}

static void long_lines(void)
{
	static char line[3 * CONFIG_PATH_MAX];
	size_t len;

	for (len = CONFIG_PATH_MAX - 8; len < CONFIG_PATH_MAX + 100; len++) {
		memset(line, 'a', len);
		memcpy(line, "out ", 4);
		strcpy(line + len, "\n");
		*err = '\0';
		if (len - 4 < CONFIG_PATH_MAX)
			CHECK(config_parse(&cfg, file(0, line), err, sizeof(err)));
		else
			CHECK(!config_parse(&cfg, file(0, line), err, sizeof(err)) && *err);
	}
}

/* Any bytes: refused or accepted, but never a crash, and a reason in the first case. */
static void random_bytes(void)
{
	char buf[2048];
	int n, i, len;

	for (n = 0; n < 20000; n++) {
		strcpy(buf, file(-1, ""));
		len = strlen(buf);
		for (i = rand() % 8; i >= 0; i--)
			buf[rand() % len] = 1 + rand() % 255;
		*err = '\0';
		CHECK(config_parse(&cfg, buf, err, sizeof(err)) || *err);
	}
	/* A buffer too small for the message is respected. */
	for (i = 1; i < 40; i++)
		CHECK(!config_parse(&cfg, "unknown 1\n", buf, i) && strlen(buf) < (size_t)i);
}

int main(void)
{
	srand(6);
	right_file();
	tlb_lines();
	missing_lines();
	wrong_numbers();
	wrong_values();
	wrong_hmu();
	long_lines();
	random_bytes();
	return check_report();
}
