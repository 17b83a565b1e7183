// SPDX-License-Identifier: GPL-2.0
/*
 * Micro-benchmark: threads that access random 4 KiB-granular places of memory
 * that was provisioned on one node, in a pattern fixed by a seed, as fast as they can
 * or at a rate; the score is the time to finish.
 *
 * What is stored is verified at the end: see content.h.
 *
 * With --pages read the memory is that of a file which nobody maps: an access is a system
 * call that reads a page of it.
 *
 * The plugin is told which pages are hot, and looks afterwards where all of them are. With
 * --pages read, what the kernel loads stands for the hot ones.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "content.h"
#include "marker.h"
#include "now.h"
#include "numa.h"
#include "pattern.h"
#include "place.h"
#include "vmstat.h"

#define HUGE_BYTES	(UINT64_C(2) << 20)
#define MAX_MOVES	63	/* of which the plugin takes note */
#define KERNEL_FIRST	(UINT64_C(1) << 63)
#define USEC_PER_SEC	UINT64_C(1000000)

/*
 * How far apart threads wake with --rate. Far, as waking up costs more than the accesses
 * do. NUMA balancing scans for threads that the kernel's tick of 4 ms meets at work: 1.38
 * ticks apart, by the golden ratio, they meet it at all its phases alike.
 */
#define PACE_NS		UINT64_C(5527000)

enum page_kind {
	PAGES_4K,
	PAGES_THP,
	PAGES_FILE,
	PAGES_READ,	/* a file, by system calls */
};

/* Which part of the memory comes from the node of --provision. */
enum bind {
	BIND_ALL,
	BIND_HOT,	/* the hot set, got before all else */
	BIND_NONE,
};

struct options {
	struct pattern_plan plan;
	uint64_t threads;
	uint64_t bytes;
	uint64_t rate;
	uint64_t burst;
	uint64_t pause_us;
	uint64_t hot_bytes;
	int provision;
	int cpus_node;
	enum bind bind;
	enum page_kind pages;
	bool timed;
	const char *file;
};

struct worker {
	pthread_t thread;
	unsigned int index;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t paused_ns;
};

static struct options opt = {
	.plan = {
		.accesses = 1000000,
		.seed = 1,
		.write_share = 50,
		.hot_share = 90,
		.stride = 1,
	},
	.threads = 1,
	.bytes = UINT64_C(64) << 20,
	.provision = -1,
	.cpus_node = -1,
};

static uint8_t *memory;
static int file = -1;	/* of PAGES_FILE and PAGES_READ */
static struct worker workers[PATTERN_MAX_THREADS];
static pthread_barrier_t at_start, at_end;

static inline __attribute__((always_inline)) void
run_shape(struct pattern *pattern, uint8_t *base, uint64_t n, enum shape shape, bool timed)
{
	struct pattern p = *pattern;	/* in registers */
	struct access a;
	uint64_t *word;

	while (n--) {
		a = pattern_next(&p, shape);
		word = (uint64_t *)(base + a.offset);
		if (timed)
			marker_timed();
		if (a.store)
			__atomic_fetch_add(word, a.value, __ATOMIC_RELAXED);
		else
			(void)*(volatile uint64_t *)word;
		if (timed && a.store)
			marker_timed_store();
		else if (timed)
			marker_timed_load();
	}
	*pattern = p;
}

static inline __attribute__((always_inline)) void
run_memory(struct pattern *p, uint64_t n, bool timed)
{
	switch (opt.plan.shape) {
	case SHAPE_EVEN:
		run_shape(p, memory, n, SHAPE_EVEN, timed);
		break;
	case SHAPE_HOT:
		run_shape(p, memory, n, SHAPE_HOT, timed);
		break;
	case SHAPE_NORMAL:
		run_shape(p, memory, n, SHAPE_NORMAL, timed);
		break;
	case SHAPE_LINEAR:
		run_shape(p, memory, n, SHAPE_LINEAR, timed);
		break;
	}
}

/* The content of the file never changes. */
static void read_pages(struct pattern *p, uint64_t n, enum shape shape)
{
	uint64_t words[CONTENT_WORDS], page;
	struct access a;

	while (n--) {
		a = pattern_next(p, shape);
		page = a.offset / NUMA_PAGE;
		if (pread(file, words, NUMA_PAGE, page * NUMA_PAGE) != NUMA_PAGE)
			args_die("pread");
		if (words[0] != content_first(opt.plan.seed, page * CONTENT_WORDS)) {
			fprintf(stderr, "micro: wrong content read of page %" PRIu64 "\n", page);
			exit(1);
		}
	}
}

static void run_pattern(struct pattern *p, uint64_t n)
{
	if (opt.pages == PAGES_READ)
		read_pages(p, n, opt.plan.shape);
	else if (opt.timed)
		run_memory(p, n, true);
	else
		run_memory(p, n, false);
}

/* Accesses @done to @end, at --rate on the whole: who is late does not sleep. */
static void run_paced(struct pattern *p, uint64_t begin_ns, uint64_t done, uint64_t end)
{
	uint64_t batch = opt.rate * PACE_NS / NSEC_PER_SEC, n, due;
	struct timespec t;

	for (; done < end; done += n) {
		n = end - done;
		if (n > batch)
			n = batch ? batch : 1;
		run_pattern(p, n);
		due = begin_ns + (done + n) * NSEC_PER_SEC / opt.rate;
		t.tv_sec = due / NSEC_PER_SEC;
		t.tv_nsec = due % NSEC_PER_SEC;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
}

/* @n accesses, --burst at a time, and a pause after each burst. */
static void run_bursts(struct worker *w, struct pattern *p, uint64_t n)
{
	const struct timespec pause = {
		.tv_sec = opt.pause_us / USEC_PER_SEC,
		.tv_nsec = opt.pause_us % USEC_PER_SEC * 1000,
	};
	uint64_t some, begin;

	for (; n; n -= some) {
		some = n < opt.burst ? n : opt.burst;
		run_pattern(p, some);
		begin = now_ns();
		nanosleep(&pause, NULL);
		w->paused_ns += now_ns() - begin;
	}
}

/* Tell the plugin where the hot set of the phase @phase is. */
static void name_hot(uint64_t phase)
{
	uint64_t first = (uintptr_t)memory + phase * opt.hot_bytes;

	if (opt.pages == PAGES_READ)
		marker_hot(KERNEL_FIRST, UINT64_MAX);
	else
		marker_hot(first, first + opt.hot_bytes - 1);
}

/* Both marks of a timed access are to be on one CPU. */
static void pin(unsigned int thread)
{
	cpu_set_t all, one;
	int cpu = -1;

	if (sched_getaffinity(0, sizeof(all), &all))
		args_die("sched_getaffinity");
	if (thread >= (unsigned int)CPU_COUNT(&all))
		args_bad("--timed", "there are fewer CPUs than threads");
	do
		cpu++;
	while (!CPU_ISSET(cpu, &all) || thread--);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		args_die("sched_setaffinity");
}

static void *work(void *arg)
{
	uint64_t phase, n, done = 0;
	struct worker *w = arg;
	struct pattern p;

	if (opt.timed)
		pin(w->index);
	pattern_start(&p, &opt.plan, w->index);
	pthread_barrier_wait(&at_start);
	w->begin_ns = now_ns();
	for (phase = 0; phase <= opt.plan.moves; phase++, done += n) {
		n = pattern_phase(&p, &opt.plan, phase);
		/* The first thread speaks for all: they are about as far. */
		if (phase && !w->index)
			name_hot(phase);
		if (opt.rate)
			run_paced(&p, w->begin_ns, done, done + n);
		else if (opt.burst)
			run_bursts(w, &p, n);
		else
			run_pattern(&p, n);
	}
	w->end_ns = now_ns();
	pthread_barrier_wait(&at_end);
	return NULL;
}

static bool is_file(void)
{
	return opt.pages == PAGES_FILE || opt.pages == PAGES_READ;
}

static void map_file(void)
{
	memory = mmap(NULL, opt.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED)
		args_die("mmap");
}

/* How much of the memory, from its begin, comes from the node of --provision. */
static uint64_t bound_bytes(void)
{
	switch (opt.bind) {
	case BIND_HOT:
		return opt.hot_bytes;
	case BIND_NONE:
		return 0;
	default:
		return opt.bytes;
	}
}

/*
 * Map the memory and fill it: what is bound while new pages come from the node of --provision,
 * then the rest, for which the kernel takes fast memory as long as there is some.
 */
static void provision(void)
{
	uint64_t bound = bound_bytes();

	if (is_file()) {
		file = open(opt.file, O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (file < 0 || ftruncate(file, opt.bytes))
			args_die(opt.file);
		map_file();
	} else {
		/* Room to align: huge pages must not begin in the middle. */
		memory = mmap(NULL, opt.bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			args_die("mmap");
		memory += -(uintptr_t)memory % HUGE_BYTES;
		if (madvise(memory, opt.bytes,
			    opt.pages == PAGES_THP ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
			args_die("madvise");
	}
	if (numa_bind_memory(opt.provision))
		args_die("set_mempolicy");
	content_fill(memory, 0, bound, opt.plan.seed);
	if (numa_bind_memory(-1))
		args_die("set_mempolicy");
	content_fill(memory, bound, opt.bytes, opt.plan.seed);
	/* NUMA balancing leaves dirty pages of files alone. */
	if (opt.pages == PAGES_FILE && msync(memory, opt.bytes, MS_SYNC))
		args_die("msync");
	/* What was promoted meanwhile goes back. */
	if (opt.provision >= 0 && bound && place_move(memory, bound, opt.provision))
		args_die("move_pages");
}

static void census(void)
{
	if (place_census(memory, opt.bytes))
		args_die("mbind");
	/* A file in memory would keep the policy. */
	if (numa_hold_memory(memory, opt.bytes, false))
		args_die("mbind");
}

/* Of all threads together, while they do not pause. */
static double accesses_per_s(void)
{
	double sum = 0;
	unsigned int t;

	for (t = 0; t < opt.threads; t++)
		sum += (double)opt.plan.accesses * NSEC_PER_SEC /
		       (workers[t].end_ns - workers[t].begin_ns - workers[t].paused_ns);
	return sum;
}

static void print_result(uint64_t guest_ns, uint64_t checksum, bool verified,
			 const struct vmstat *before, const struct vmstat *after)
{
	unsigned int t;

	printf("{\"guest_ns\":%" PRIu64 ",\"accesses\":%" PRIu64 ",\"threads\":%" PRIu64
	       ",\"bytes\":%" PRIu64 ",\"seed\":%" PRIu64 ",\"checksum\":\"%016" PRIx64
	       "\",\"verified\":%s,\"accesses_per_s\":%.0f,\"thread_ns\":[",
	       guest_ns, opt.plan.accesses * opt.threads, opt.threads, opt.bytes, opt.plan.seed,
	       checksum, verified ? "true" : "false", accesses_per_s());
	for (t = 0; t < opt.threads; t++)
		printf("%s%" PRIu64, t ? "," : "", workers[t].end_ns - workers[t].begin_ns);
	printf("],\"pages_per_node\":");
	if (place_print(memory, opt.bytes))
		args_die("move_pages");
	printf(",\"vmstat\":");
	vmstat_print_diff(before, after);
	printf("}\n");
}

static enum page_kind pages_argument(const char *text)
{
	if (!strcmp(text, "4k"))
		return PAGES_4K;
	if (!strcmp(text, "thp"))
		return PAGES_THP;
	if (!strcmp(text, "file"))
		return PAGES_FILE;
	if (!strcmp(text, "read"))
		return PAGES_READ;
	args_bad("--pages", "'%s' is not one of 4k, thp, file, read", text);
}

static enum shape pattern_argument(const char *text)
{
	if (!strcmp(text, "even"))
		return SHAPE_EVEN;
	if (!strcmp(text, "normal"))
		return SHAPE_NORMAL;
	if (!strcmp(text, "linear"))
		return SHAPE_LINEAR;
	args_bad("--pattern", "'%s' is not one of even, normal, linear", text);
}

static enum bind bind_argument(const char *text)
{
	if (!strcmp(text, "all"))
		return BIND_ALL;
	if (!strcmp(text, "hot"))
		return BIND_HOT;
	if (!strcmp(text, "none"))
		return BIND_NONE;
	args_bad("--bind", "'%s' is not one of all, hot, none", text);
}

static bool timed_argument(const char *text)
{
	if (strcmp(text, "yes") && strcmp(text, "no"))
		args_bad("--timed", "'%s' is not one of no, yes", text);
	return !strcmp(text, "yes");
}

static void parse_arguments(int argc, char **argv)
{
	static const struct option names[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "accesses", required_argument, NULL, 'a' },
		{ "rate", required_argument, NULL, 'r' },
		{ "burst", required_argument, NULL, 'B' },
		{ "pause-us", required_argument, NULL, 'u' },
		{ "seed", required_argument, NULL, 's' },
		{ "pattern", required_argument, NULL, 'n' },
		{ "stride", required_argument, NULL, 'S' },
		{ "write-share", required_argument, NULL, 'w' },
		{ "hot-bytes", required_argument, NULL, 'h' },
		{ "hot-share", required_argument, NULL, 'H' },
		{ "moves", required_argument, NULL, 'm' },
		{ "pages", required_argument, NULL, 'p' },
		{ "timed", required_argument, NULL, 'T' },
		{ "file", required_argument, NULL, 'f' },
		{ "bind", required_argument, NULL, 'i' },
		{ "provision", required_argument, NULL, 'P' },
		{ "cpus-node", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 't':
			opt.threads = args_number("--threads", optarg, 1, PATTERN_MAX_THREADS);
			break;
		case 'b':
			opt.bytes = args_number("--bytes", optarg, NUMA_PAGE, UINT64_C(1) << 40);
			break;
		case 'a':
			opt.plan.accesses = args_number("--accesses", optarg, 1,
							UINT64_C(1) << 40);
			break;
		case 'r':
			opt.rate = args_number("--rate", optarg, 0, NSEC_PER_SEC);
			break;
		case 'B':
			opt.burst = args_number("--burst", optarg, 0, UINT64_C(1) << 40);
			break;
		case 'u':
			opt.pause_us = args_number("--pause-us", optarg, 0, 60 * USEC_PER_SEC);
			break;
		case 'n':
			opt.plan.shape = pattern_argument(optarg);
			break;
		case 'S':
			opt.plan.stride = args_number("--stride", optarg, 1, UINT32_MAX);
			break;
		case 's':
			opt.plan.seed = args_number("--seed", optarg, 0, UINT32_MAX);
			break;
		case 'w':
			opt.plan.write_share = args_number("--write-share", optarg, 0, 100);
			break;
		case 'h':
			opt.hot_bytes = args_number("--hot-bytes", optarg, NUMA_PAGE,
						    UINT64_C(1) << 40);
			break;
		case 'H':
			opt.plan.hot_share = args_number("--hot-share", optarg, 0, 100);
			break;
		case 'm':
			opt.plan.moves = args_number("--moves", optarg, 0, MAX_MOVES);
			break;
		case 'p':
			opt.pages = pages_argument(optarg);
			break;
		case 'T':
			opt.timed = timed_argument(optarg);
			break;
		case 'f':
			opt.file = optarg;
			break;
		case 'i':
			opt.bind = bind_argument(optarg);
			break;
		case 'P':
			opt.provision = numa_node_argument("--provision", optarg);
			break;
		case 'c':
			opt.cpus_node = numa_node_argument("--cpus-node", optarg);
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc)
		args_bad(argv[optind], "is not an option");
	if (!opt.hot_bytes)
		opt.hot_bytes = opt.bytes;
	if (opt.bytes % NUMA_PAGE)
		args_bad("--bytes", "%" PRIu64 " is not a multiple of %lu", opt.bytes, NUMA_PAGE);
	if (opt.pages == PAGES_THP && opt.bytes % HUGE_BYTES)
		args_bad("--bytes", "%" PRIu64 " is not a multiple of 2M, as --pages thp needs",
			 opt.bytes);
	if (opt.hot_bytes % NUMA_PAGE || opt.hot_bytes > opt.bytes)
		args_bad("--hot-bytes", "%" PRIu64 " is not a multiple of %lu up to --bytes",
			 opt.hot_bytes, NUMA_PAGE);
	if (opt.plan.shape != SHAPE_EVEN && opt.hot_bytes < opt.bytes)
		args_bad("--hot-bytes", "is for --pattern even only");
	if (opt.hot_bytes < opt.bytes)
		opt.plan.shape = SHAPE_HOT;
	if (opt.hot_bytes * (opt.plan.moves + 1) > opt.bytes)
		args_bad("--moves", "%" PRIu64 " need %" PRIu64 " times --hot-bytes in --bytes",
			 opt.plan.moves, opt.plan.moves + 1);
	opt.plan.pages = opt.bytes / NUMA_PAGE;
	opt.plan.hot_pages = opt.hot_bytes / NUMA_PAGE;
	if (opt.plan.stride > opt.plan.pages)
		args_bad("--stride", "is more than the %" PRIu64 " pages of --bytes",
			 opt.plan.pages);
	if (opt.rate && opt.burst)
		args_bad("--burst", "is not for --rate");
	if (opt.timed && opt.pages == PAGES_READ)
		args_bad("--timed", "is not for --pages read");
	if (opt.plan.moves && opt.pages == PAGES_READ)
		args_bad("--moves", "must be 0 with --pages read");
	if (is_file() && !opt.file)
		args_bad("--file", "is needed with --pages file and read");
	if (!is_file() && opt.file)
		args_bad("--file", "is for --pages file and read only");
	if (opt.pages == PAGES_READ && opt.plan.write_share)
		args_bad("--write-share", "must be 0 with --pages read");
}

int main(int argc, char **argv)
{
	static struct vmstat before, after;
	uint64_t begin, end, checksum;
	cpu_set_t cpus;
	unsigned int t;
	bool verified;

	args_program = "micro";
	parse_arguments(argc, argv);
	if (opt.cpus_node >= 0) {
		if (!numa_node_cpus(opt.cpus_node, &cpus))
			args_bad("--cpus-node", "node %d has no CPUs", opt.cpus_node);
		if (sched_setaffinity(0, sizeof(cpus), &cpus))
			args_die("sched_setaffinity");
	}
	provision();
	/* Only the file's pages are to be left: nobody maps them. */
	if (opt.pages == PAGES_READ && munmap(memory, opt.bytes))
		args_die("munmap");
	if (pthread_barrier_init(&at_start, NULL, opt.threads + 1) ||
	    pthread_barrier_init(&at_end, NULL, opt.threads + 1))
		args_die("pthread_barrier_init");
	for (t = 0; t < opt.threads; t++) {
		workers[t].index = t;
		if (pthread_create(&workers[t].thread, NULL, work, &workers[t]))
			args_die("pthread_create");
	}
	if (vmstat_read(&before))
		args_die("/proc/vmstat");

	name_hot(0);
	marker_begin();
	begin = now_ns();
	pthread_barrier_wait(&at_start);
	pthread_barrier_wait(&at_end);
	end = now_ns();
	marker_end();

	if (vmstat_read(&after))
		args_die("/proc/vmstat");
	for (t = 0; t < opt.threads; t++)
		pthread_join(workers[t].thread, NULL);
	if (opt.pages == PAGES_READ)
		map_file();
	census();
	verified = content_verify(memory, &opt.plan, opt.threads, &checksum);
	print_result(end - begin, checksum, verified, &before, &after);
	return !verified;
}
