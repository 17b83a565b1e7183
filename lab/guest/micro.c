// SPDX-License-Identifier: GPL-2.0
/*
 * Micro-benchmark: threads that access random 4 KiB-granular places of memory
 * that was provisioned on one node, in a pattern fixed by a seed, as fast as they can
 * or at a rate; the score is the time to finish.
 *
 * Every store adds a value of the pattern to a word, atomically, so the final
 * content does not depend on how the threads interleave. It is verified by one
 * sum per page in which every word has a weight of its own: the pattern is played
 * again on the sums, and each page's words must give its sum. A lost store, a
 * stale copy, and a page or a line that got another's place all show.
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
#include "marker.h"
#include "numa.h"
#include "place.h"
#include "vmstat.h"

#define PAGE_WORDS	(NUMA_PAGE / sizeof(uint64_t))
#define LINE_BYTES	64
#define HUGE_BYTES	(UINT64_C(2) << 20)
#define MAX_THREADS	256
#define MAX_MOVES	63	/* of which the plugin takes note */
#define KERNEL_FIRST	(UINT64_C(1) << 63)
#define CHANCE_ONE	1024	/* probabilities in the pattern are parts of this */
#define ODD_A		UINT64_C(0x9e3779b97f4a7c15)
#define ODD_B		UINT64_C(0xd1342543de82ef95)

#define NSEC_PER_SEC	UINT64_C(1000000000)

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

/* Which pages are accessed more than others. */
enum shape {
	SHAPE_EVEN,
	SHAPE_HOT,	/* those of the hot set */
	SHAPE_NORMAL,	/* the nearer to a centre, the more */
};

struct options {
	uint64_t threads;
	uint64_t bytes;
	uint64_t accesses;
	uint64_t rate;
	uint64_t seed;
	uint64_t write_share;
	uint64_t hot_bytes;
	uint64_t hot_share;
	uint64_t moves;
	int provision;
	int cpus_node;
	enum shape shape;
	enum page_kind pages;
	const char *file;
};

struct worker {
	pthread_t thread;
	unsigned int index;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/*
 * One thread's pattern: the n-th access depends on seed, thread and n only. The hot set moves
 * between its phases, which divide the thread's accesses.
 */
struct pattern {
	uint64_t state;
	uint64_t pages;
	uint64_t hot_first;	/* page */
	uint64_t hot_pages;
	uint64_t hot_chance;
	uint64_t write_chance;
	uint64_t stride;	/* of SHAPE_NORMAL: from a page to its neighbour in heat */
};

/* One access of a pattern. */
struct access {
	uint64_t offset;	/* bytes */
	uint64_t value;		/* what a store adds; odd */
	bool store;
};

static struct options opt = {
	.threads = 1,
	.bytes = UINT64_C(64) << 20,
	.accesses = 1000000,
	.seed = 1,
	.write_share = 50,
	.hot_share = 90,
	.provision = -1,
	.cpus_node = -1,
};

static uint8_t *memory;
static int file = -1;	/* of PAGES_FILE and PAGES_READ */
static struct worker workers[MAX_THREADS];
static pthread_barrier_t at_start, at_end;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * ODD_A;
	x = (x ^ x >> 29) * ODD_B;
	return x ^ x >> 32;
}

/* What the word at @index holds before the run. */
static uint64_t first_content(uint64_t index)
{
	uint64_t x = (index + 1) * ODD_A + opt.seed;

	return x ^ x >> 31;
}

/* Weight of the word at @index of its page in the page's sum; odd. */
static uint64_t weight(uint64_t index)
{
	return (index * 2 + 1) * ODD_B;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/* A step that meets all pages, in an order that the seed chooses. */
static uint64_t page_stride(uint64_t pages)
{
	uint64_t stride = mix(opt.seed) % pages;

	while (common_divisor(stride, pages) != 1)
		stride++;
	return stride;
}

static void pattern_start(struct pattern *p, unsigned int thread)
{
	p->state = mix(opt.seed * MAX_THREADS + thread);
	p->pages = opt.bytes / NUMA_PAGE;
	p->hot_first = 0;
	p->hot_pages = opt.hot_bytes / NUMA_PAGE;
	p->hot_chance = opt.hot_share * CHANCE_ONE / 100;
	p->write_chance = opt.write_share * CHANCE_ONE / 100;
	p->stride = page_stride(p->pages);
}

/* Begin the phase @phase, of 0 to --moves; the number of accesses in it. */
static uint64_t pattern_phase(struct pattern *p, uint64_t phase)
{
	uint64_t phases = opt.moves + 1;

	p->hot_first = phase * p->hot_pages;
	return (phase + 1) * opt.accesses / phases - phase * opt.accesses / phases;
}

/*
 * A page of the normal distribution: the sum of four even ones, which ends 3.5 standard
 * deviations from the centre, where the memory ends. Hot and cold pages lie mixed, as
 * those of real programs: NUMA balancing scans in the order of addresses, and would
 * else find nothing but hot pages for some time and then none.
 */
static inline uint64_t normal_page(const struct pattern *p, uint64_t x)
{
	uint64_t y = x * ODD_A, sum;

	y ^= y >> 32;
	sum = (y & 0xffff) + (y >> 16 & 0xffff) + (y >> 32 & 0xffff) + (y >> 48);
	/* 18 bits, and 14 below them so that no page is left out. */
	return ((sum << 14 | x >> 50) * p->pages >> 32) * p->stride % p->pages;
}

/*
 * A linear congruential generator: its high half chooses the page, and low bits
 * made good by the high ones choose the rest. Cheap, so that memory dominates.
 */
static inline __attribute__((always_inline)) struct access
pattern_next(struct pattern *p, enum shape shape)
{
	uint64_t first = 0, pages = p->pages, x;
	struct access a;

	p->state = p->state * ODD_B + ODD_A;
	x = p->state ^ p->state >> 32;
	if (shape == SHAPE_HOT && (x >> 16) % CHANCE_ONE < p->hot_chance) {
		first = p->hot_first;
		pages = p->hot_pages;
	}
	if (shape == SHAPE_NORMAL)
		a.offset = normal_page(p, x) * NUMA_PAGE;
	else
		a.offset = (first + ((x >> 32) * pages >> 32)) * NUMA_PAGE;
	a.offset += x % (NUMA_PAGE / LINE_BYTES) * LINE_BYTES;
	a.value = x | 1;
	a.store = (x >> 6) % CHANCE_ONE < p->write_chance;
	return a;
}

static inline __attribute__((always_inline)) void
run_shape(struct pattern *pattern, uint8_t *base, uint64_t n, enum shape shape)
{
	struct pattern p = *pattern;	/* in registers */
	struct access a;
	uint64_t *word;

	while (n--) {
		a = pattern_next(&p, shape);
		word = (uint64_t *)(base + a.offset);
		if (a.store)
			__atomic_fetch_add(word, a.value, __ATOMIC_RELAXED);
		else
			(void)*(volatile uint64_t *)word;
	}
	*pattern = p;
}

/* The content of the file never changes. */
static void read_pages(struct pattern *p, uint64_t n, enum shape shape)
{
	uint64_t words[PAGE_WORDS], page;
	struct access a;

	while (n--) {
		a = pattern_next(p, shape);
		page = a.offset / NUMA_PAGE;
		if (pread(file, words, NUMA_PAGE, page * NUMA_PAGE) != NUMA_PAGE)
			args_die("pread");
		if (words[0] != first_content(page * PAGE_WORDS)) {
			fprintf(stderr, "micro: wrong content read of page %" PRIu64 "\n", page);
			exit(1);
		}
	}
}

static void run_pattern(struct pattern *p, uint64_t n)
{
	if (opt.pages == PAGES_READ) {
		read_pages(p, n, opt.shape);
		return;
	}
	switch (opt.shape) {
	case SHAPE_EVEN:
		run_shape(p, memory, n, SHAPE_EVEN);
		break;
	case SHAPE_HOT:
		run_shape(p, memory, n, SHAPE_HOT);
		break;
	case SHAPE_NORMAL:
		run_shape(p, memory, n, SHAPE_NORMAL);
		break;
	}
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

/* Tell the plugin where the hot set of the phase @phase is. */
static void name_hot(uint64_t phase)
{
	uint64_t first = (uintptr_t)memory + phase * opt.hot_bytes;

	if (opt.pages == PAGES_READ)
		marker_hot(KERNEL_FIRST, UINT64_MAX);
	else
		marker_hot(first, first + opt.hot_bytes - 1);
}

static void *work(void *arg)
{
	uint64_t phase, n, done = 0;
	struct worker *w = arg;
	struct pattern p;

	pattern_start(&p, w->index);
	pthread_barrier_wait(&at_start);
	w->begin_ns = now_ns();
	for (phase = 0; phase <= opt.moves; phase++, done += n) {
		n = pattern_phase(&p, phase);
		/* The first thread speaks for all: they are about as far. */
		if (phase && !w->index)
			name_hot(phase);
		if (opt.rate)
			run_paced(&p, w->begin_ns, done, done + n);
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

/* Map the memory and fill it while new pages come from the node of --provision. */
static void provision(void)
{
	uint64_t words = opt.bytes / sizeof(uint64_t), i;

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
	for (i = 0; i < words; i++)
		((uint64_t *)memory)[i] = first_content(i);
	if (numa_bind_memory(-1))
		args_die("set_mempolicy");
	/* NUMA balancing leaves dirty pages of files alone. */
	if (opt.pages == PAGES_FILE && msync(memory, opt.bytes, MS_SYNC))
		args_die("msync");
	/* What was promoted meanwhile goes back. */
	if (opt.provision >= 0 && place_move(memory, opt.bytes, opt.provision))
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

/* What one access adds to its page's sum. */
static inline void add_access(uint64_t *sum, struct access a)
{
	if (a.store)
		sum[a.offset / NUMA_PAGE] +=
			a.value * weight(a.offset % NUMA_PAGE / sizeof(uint64_t));
}

/* Each page's weighted sum as the patterns must have left it. */
static uint64_t *expected_sums(void)
{
	uint64_t pages = opt.bytes / NUMA_PAGE, page, phase, i, n;
	uint64_t *sum = calloc(pages, sizeof(*sum));
	struct pattern p;
	unsigned int t;

	if (!sum)
		args_die("sums");
	for (page = 0; page < pages; page++)
		for (i = 0; i < PAGE_WORDS; i++)
			sum[page] += first_content(page * PAGE_WORDS + i) * weight(i);
	for (t = 0; t < opt.threads; t++) {
		pattern_start(&p, t);
		for (phase = 0; phase <= opt.moves; phase++)
			for (n = pattern_phase(&p, phase); n; n--)
				add_access(sum, pattern_next(&p, opt.shape));
	}
	return sum;
}

/* Compare every page with its expected sum; the first wrong ones are named. */
static bool verify(uint64_t *checksum)
{
	uint64_t pages = opt.bytes / NUMA_PAGE, wrong = 0, page, sum, i;
	uint64_t *expected = expected_sums(), *word = (uint64_t *)memory;

	*checksum = 0;
	for (page = 0; page < pages; page++, word += PAGE_WORDS) {
		sum = 0;
		for (i = 0; i < PAGE_WORDS; i++)
			sum += word[i] * weight(i);
		*checksum = mix(*checksum + sum);
		if (sum != expected[page] && wrong++ < 8)
			fprintf(stderr, "micro: wrong content in the page at %p (page %" PRIu64
				"): sum %016" PRIx64 ", expected %016" PRIx64 "\n",
				(void *)word, page, sum, expected[page]);
	}
	free(expected);
	if (wrong)
		fprintf(stderr, "micro: %" PRIu64 " of %" PRIu64 " pages are wrong\n", wrong,
			pages);
	return !wrong;
}

static void print_result(uint64_t guest_ns, uint64_t checksum, bool verified,
			 const struct vmstat *before, const struct vmstat *after)
{
	unsigned int t;

	printf("{\"guest_ns\":%" PRIu64 ",\"accesses\":%" PRIu64 ",\"threads\":%" PRIu64
	       ",\"bytes\":%" PRIu64 ",\"seed\":%" PRIu64 ",\"checksum\":\"%016" PRIx64
	       "\",\"verified\":%s,\"thread_ns\":[",
	       guest_ns, opt.accesses * opt.threads, opt.threads, opt.bytes, opt.seed, checksum,
	       verified ? "true" : "false");
	for (t = 0; t < opt.threads; t++)
		printf("%s%" PRIu64, t ? "," : "", workers[t].end_ns - workers[t].begin_ns);
	printf("],\"pages_per_node\":");
	if (place_print(memory, opt.bytes))
		args_die("move_pages");
	printf(",\"vmstat\":");
	vmstat_print_diff(before, after);
	printf("}\n");
}

static int node_argument(const char *option, const char *text)
{
	int node = args_number(option, text, 0, NUMA_MAX_NODES - 1);

	if (!numa_node_online(node))
		args_bad(option, "there is no node %d", node);
	return node;
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
	args_bad("--pattern", "'%s' is not one of even, normal", text);
}

static void parse_arguments(int argc, char **argv)
{
	static const struct option names[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "accesses", required_argument, NULL, 'a' },
		{ "rate", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 's' },
		{ "pattern", required_argument, NULL, 'n' },
		{ "write-share", required_argument, NULL, 'w' },
		{ "hot-bytes", required_argument, NULL, 'h' },
		{ "hot-share", required_argument, NULL, 'H' },
		{ "moves", required_argument, NULL, 'm' },
		{ "pages", required_argument, NULL, 'p' },
		{ "file", required_argument, NULL, 'f' },
		{ "provision", required_argument, NULL, 'P' },
		{ "cpus-node", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 't':
			opt.threads = args_number("--threads", optarg, 1, MAX_THREADS);
			break;
		case 'b':
			opt.bytes = args_number("--bytes", optarg, NUMA_PAGE, UINT64_C(1) << 40);
			break;
		case 'a':
			opt.accesses = args_number("--accesses", optarg, 1, UINT64_C(1) << 40);
			break;
		case 'r':
			opt.rate = args_number("--rate", optarg, 0, NSEC_PER_SEC);
			break;
		case 'n':
			opt.shape = pattern_argument(optarg);
			break;
		case 's':
			opt.seed = args_number("--seed", optarg, 0, UINT32_MAX);
			break;
		case 'w':
			opt.write_share = args_number("--write-share", optarg, 0, 100);
			break;
		case 'h':
			opt.hot_bytes = args_number("--hot-bytes", optarg, NUMA_PAGE,
						    UINT64_C(1) << 40);
			break;
		case 'H':
			opt.hot_share = args_number("--hot-share", optarg, 0, 100);
			break;
		case 'm':
			opt.moves = args_number("--moves", optarg, 0, MAX_MOVES);
			break;
		case 'p':
			opt.pages = pages_argument(optarg);
			break;
		case 'f':
			opt.file = optarg;
			break;
		case 'P':
			opt.provision = node_argument("--provision", optarg);
			break;
		case 'c':
			opt.cpus_node = node_argument("--cpus-node", optarg);
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
	if (opt.shape == SHAPE_NORMAL && opt.hot_bytes < opt.bytes)
		args_bad("--hot-bytes", "is for --pattern even only");
	if (opt.hot_bytes < opt.bytes)
		opt.shape = SHAPE_HOT;
	if (opt.hot_bytes * (opt.moves + 1) > opt.bytes)
		args_bad("--moves", "%" PRIu64 " need %" PRIu64 " times --hot-bytes in --bytes",
			 opt.moves, opt.moves + 1);
	if (opt.moves && opt.pages == PAGES_READ)
		args_bad("--moves", "must be 0 with --pages read");
	if (is_file() && !opt.file)
		args_bad("--file", "is needed with --pages file and read");
	if (!is_file() && opt.file)
		args_bad("--file", "is for --pages file and read only");
	if (opt.pages == PAGES_READ && opt.write_share)
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
	verified = verify(&checksum);
	print_result(end - begin, checksum, verified, &before, &after);
	return !verified;
}
