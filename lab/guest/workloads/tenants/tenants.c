// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants of over-committed memory: processes that use memory of their own as fast as they can,
 * each in a memory cgroup of its own if there are several, in a pattern fixed by a seed. The score
 * is the time until all of them have finished.
 *
 * Besides them there may be a reader, which reads its memory from its begin to its end, again and
 * again, for as long as the tenants work: a thread of the first tenant, which reads what is not in
 * its hot set, or a process with a cgroup and memory of its own. What it reads is no part of the
 * score.
 *
 * Each page's node at the begin of the region is fixed, see start.h: with --start rest the ends of
 * all memories are fast, so that hot sets, which are at their begin, are slow; with --start hot,
 * and wherever --provision is the fast node, what is hottest is fast.
 *
 * All stores add to words. They are taken back at the end, when nothing is measured any more, and
 * then the memory must be as it was at first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "content.h"
#include "marker.h"
#include "now.h"
#include "numa.h"
#include "pattern.h"
#include "start.h"
#include "tiers.h"
#include "vmstat.h"
#include "zipf.h"

#define HUGE_BYTES	(UINT64_C(2) << 20)
#define MAX_BYTES	(ZIPF_MAX_ITEMS * NUMA_PAGE)
#define MAX_TENANTS	128
#define MAX_MOVES	63	/* of which the plugin takes note */
#define CGROUPS		"/sys/fs/cgroup"

enum spread {
	SPREAD_SET,	/* a hot set, and the rest */
	SPREAD_ZIPF,
};

enum reader {
	READER_NONE,
	READER_REST,	/* of the first tenant's memory */
	READER_OWN,	/* a process with memory of its own */
};

struct options {
	struct pattern_plan plan;
	uint64_t tenants;
	uint64_t threads;	/* of each */
	uint64_t tenant_bytes;
	uint64_t hot_bytes;	/* of each */
	uint64_t fast_bytes;	/* of all */
	uint64_t reader_bytes;
	enum spread spread;
	enum reader reader;
	bool hot_start;
	bool huge;
	int provision;
	int cpus_node;
};

/* What a process tells of itself. */
struct part {
	uint64_t fast_begin;	/* pages on the fast node, as the region begins and ends */
	uint64_t fast_end;
	uint64_t read_bytes;
	uint64_t checksum;
	bool verified;
};

/* Of all processes. */
struct shared {
	pthread_barrier_t step;		/* each process, to go on together */
	pthread_barrier_t at_start;	/* each thread that works or reads, and the parent */
	pthread_barrier_t at_end;	/* each thread that works, and the parent */
	pthread_barrier_t at_rest;	/* the same */
	bool stop;			/* the reader */
	struct part part[MAX_TENANTS + 1];
};

static struct options opt = {
	.plan = {
		.accesses = 1000000,
		.seed = 1,
		.write_share = 50,
		.hot_share = 90,
		.stride = 1,
	},
	.tenants = 1,
	.threads = 1,
	.tenant_bytes = UINT64_C(64) << 20,
	.reader_bytes = UINT64_C(64) << 20,
	.provision = -1,
	.cpus_node = -1,
};

static struct shared *shared;
static struct zipf zipf;

/* Of this process. */
static struct start start;
static struct part *part;
static bool names_hot;

static inline __attribute__((always_inline)) void
play(struct pattern *pattern, uint64_t n, enum shape shape, enum spread spread, bool back)
{
	struct pattern p = *pattern;	/* in registers */
	struct access a;
	uint64_t *word;

	while (n--) {
		a = pattern_next(&p, shape);
		if (spread == SPREAD_ZIPF)
			a.offset = zipf_item(&zipf, a.value) * NUMA_PAGE + a.offset % NUMA_PAGE;
		word = (uint64_t *)(start.memory + a.offset);
		if (a.store)
			__atomic_fetch_add(word, back ? -a.value : a.value, __ATOMIC_RELAXED);
		else if (!back)
			(void)*(volatile uint64_t *)word;
	}
	*pattern = p;
}

static void run(struct pattern *p, uint64_t n)
{
	if (opt.spread == SPREAD_ZIPF)
		play(p, n, SHAPE_EVEN, SPREAD_ZIPF, false);
	else if (opt.plan.shape == SHAPE_HOT)
		play(p, n, SHAPE_HOT, SPREAD_SET, false);
	else
		play(p, n, SHAPE_EVEN, SPREAD_SET, false);
}

/* Tell the plugin where the hot set of the phase @phase is: in all tenants at one address. */
static void name_hot(uint64_t phase)
{
	uint64_t first = (uintptr_t)start.memory + phase * opt.hot_bytes;

	marker_hot(first, first + opt.hot_bytes - 1);
}

static void *work(void *arg)
{
	unsigned int thread = (uintptr_t)arg;
	uint64_t phase, n;
	struct pattern p;

	pattern_start(&p, &opt.plan, thread);
	pthread_barrier_wait(&shared->at_start);
	for (phase = 0; phase <= opt.plan.moves; phase++) {
		n = pattern_phase(&p, &opt.plan, phase);
		if (phase && names_hot && !thread)
			name_hot(phase);
		run(&p, n);
	}
	pthread_barrier_wait(&shared->at_end);

	pthread_barrier_wait(&shared->at_rest);
	pattern_start(&p, &opt.plan, thread);
	for (phase = 0; phase <= opt.plan.moves; phase++)
		play(&p, pattern_phase(&p, &opt.plan, phase), opt.plan.shape, opt.spread, true);
	return NULL;
}

static void *read_on(void *arg)
{
	uint64_t first = (uintptr_t)arg, bytes = start.units * start.unit_bytes, at = first, line;

	pthread_barrier_wait(&shared->at_start);
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		for (line = 0; line < NUMA_PAGE; line += PATTERN_LINE)
			(void)*(volatile uint64_t *)(start.memory + at + line);
		part->read_bytes += NUMA_PAGE;
		at += NUMA_PAGE;
		if (at == bytes)
			at = first;
	}
	return NULL;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		args_die(path);
}

static void set_up_cgroups(void)
{
	if (mount("cgroup2", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY)
		args_die(CGROUPS);
	write_text(CGROUPS "/cgroup.subtree_control", "+memory");
}

/* This process, in a cgroup of its own. */
static void enter_cgroup(unsigned int index)
{
	char path[64];

	snprintf(path, sizeof(path), CGROUPS "/tenant%u", index);
	if (mkdir(path, 0755))
		args_die(path);
	snprintf(path, sizeof(path), CGROUPS "/tenant%u/cgroup.procs", index);
	write_text(path, "0");
}

/* The first slow node, or the one with CPUs if there is none. */
static int slow_node(void)
{
	bool fast[NUMA_MAX_NODES];
	int node;

	tiers_find_fast(fast);
	for (node = 0; node < NUMA_MAX_NODES; node++)
		if (numa_node_online(node) && !fast[node])
			return node;
	return opt.cpus_node;
}

static void step(void)
{
	pthread_barrier_wait(&shared->step);
}

static uint64_t fast_pages(void)
{
	size_t count[NUMA_MAX_NODES];

	if (numa_count_pages(start.memory, start.units * start.unit_bytes, count) < 0)
		args_die("move_pages");
	return count[start.node[1]];
}

/* All of the memory there, on its nodes; what policies moved meanwhile goes back. */
static void set_up_memory(uint64_t fast_units, bool hottest, bool by_zipf)
{
	start.fast = calloc(start.units, sizeof(*start.fast));
	if (!start.fast)
		args_die("units");
	start_choose(&start, fast_units, hottest, by_zipf ? &zipf : NULL);
	if (start_fill(&start, opt.plan.seed))
		args_die("set_mempolicy");
	step();
	/* First what is too much on the fast node, of all processes. */
	if (start_put(&start, false))
		args_die("move_pages");
	step();
	if (start_put(&start, true))
		args_die("move_pages");
	part->fast_begin = fast_pages();
}

static void verify(void)
{
	struct pattern_plan untouched = opt.plan;

	untouched.accesses = 0;
	untouched.moves = 0;
	untouched.pages = start.units * start.unit_bytes / NUMA_PAGE;
	part->verified = content_verify(start.memory, &untouched, 0, &part->checksum);
}

/* After the region: its placement is looked at before anybody touches memory again. */
static void finish(void)
{
	step();
	part->fast_end = fast_pages();
	step();
}

static void create(pthread_t *thread, void *(*function)(void *), uintptr_t arg)
{
	if (pthread_create(thread, NULL, function, (void *)arg))
		args_die("pthread_create");
}

/* Units of the fast node that member @index of @members gets, when they share it. */
static uint64_t fast_share(uint64_t units, uint64_t index, uint64_t members)
{
	return units * (index + 1) / members - units * index / members;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many units of all tenants, of the reader's own memory on the other hand, are fast. */
static void split_fast(uint64_t *tenants, uint64_t *own)
{
	uint64_t all = opt.fast_bytes / start.unit_bytes;
	uint64_t most_tenants = opt.tenants * opt.tenant_bytes / start.unit_bytes;
	uint64_t most_own = opt.reader == READER_OWN ? opt.reader_bytes / start.unit_bytes : 0;

	*own = opt.hot_start ? all - least(all, most_tenants) : least(all, most_own);
	*tenants = all - *own;
}

static void be_tenant(unsigned int index, uint64_t fast_units)
{
	bool reads = opt.reader == READER_REST && !index;
	pthread_t thread[PATTERN_MAX_THREADS], reader;
	unsigned int t;

	names_hot = !index;
	opt.plan.seed = opt.plan.seed * MAX_TENANTS + index;
	if (opt.spread == SPREAD_ZIPF)
		zipf_start(&zipf, opt.plan.pages, opt.plan.seed);
	set_up_memory(fast_share(fast_units, index, opt.tenants), opt.hot_start,
		      opt.spread == SPREAD_ZIPF);
	for (t = 0; t < opt.threads; t++)
		create(&thread[t], work, t);
	if (reads)
		create(&reader, read_on, opt.hot_bytes);
	step();
	finish();
	for (t = 0; t < opt.threads; t++)
		pthread_join(thread[t], NULL);
	if (reads)
		pthread_join(reader, NULL);
	verify();
}

static void be_reader(uint8_t *memory, uint64_t fast_units)
{
	pthread_t reader;

	start.memory = memory;
	start.units = opt.reader_bytes / start.unit_bytes;
	set_up_memory(fast_units, false, false);
	create(&reader, read_on, 0);
	step();
	finish();
	pthread_join(reader, NULL);
	verify();
}

/* Room to align: huge pages must not begin in the middle. */
static uint8_t *map(uint64_t bytes)
{
	uint8_t *memory = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		args_die("mmap");
	memory += -(uintptr_t)memory % HUGE_BYTES;
	if (madvise(memory, bytes, opt.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
		args_die("madvise");
	return memory;
}

/* The others would wait for who is gone. */
static void child_ended(int unused)
{
	static const char text[] = "tenants: a process failed\n";
	int status;

	(void)unused;
	while (waitpid(-1, &status, WNOHANG) > 0) {
		if (!status)
			continue;
		(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
		_exit(1);
	}
}

static void init_barrier(pthread_barrier_t *barrier, uint64_t count)
{
	pthread_barrierattr_t attr;

	if (pthread_barrierattr_init(&attr) ||
	    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) ||
	    pthread_barrier_init(barrier, &attr, count))
		args_die("pthread_barrier_init");
}

static uint64_t members(void)
{
	return opt.tenants + (opt.reader == READER_OWN);
}

static void share(void)
{
	uint64_t workers = opt.tenants * opt.threads;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		args_die("mmap");
	init_barrier(&shared->step, members() + 1);
	init_barrier(&shared->at_start, workers + (opt.reader != READER_NONE) + 1);
	init_barrier(&shared->at_end, workers + 1);
	init_barrier(&shared->at_rest, workers + 1);
}

/* One process for each member; which one this is, or -1 for the parent. */
static int fork_members(pid_t *child)
{
	pid_t parent = getpid();
	unsigned int i;

	for (i = 0; i < members(); i++) {
		child[i] = fork();
		if (child[i] < 0)
			args_die("fork");
		if (child[i])
			continue;
		signal(SIGCHLD, SIG_DFL);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			exit(1);
		if (members() > 1)
			enter_cgroup(i);
		part = &shared->part[i];
		return i;
	}
	return -1;
}

static uint64_t sum(size_t offset)
{
	uint64_t all = 0, i;

	for (i = 0; i < members(); i++)
		all += *(uint64_t *)((char *)&shared->part[i] + offset);
	return all;
}

static bool print_result(uint64_t guest_ns, const struct vmstat *before, const struct vmstat *after)
{
	uint64_t accesses = opt.plan.accesses * opt.threads * opt.tenants, checksum = 0, i;
	bool verified = true;

	for (i = 0; i < members(); i++) {
		verified = verified && shared->part[i].verified;
		checksum = pattern_mix(checksum + shared->part[i].checksum);
	}
	printf("{\"guest_ns\":%" PRIu64 ",\"accesses\":%" PRIu64 ",\"seed\":%" PRIu64
	       ",\"checksum\":\"%016" PRIx64 "\",\"verified\":%s,\"accesses_per_s\":%.0f"
	       ",\"read_mbps\":%.1f,\"fast_pages_at_begin\":%" PRIu64
	       ",\"fast_pages_at_end\":%" PRIu64 ",\"vmstat\":",
	       guest_ns, accesses, opt.plan.seed, checksum, verified ? "true" : "false",
	       (double)accesses * NSEC_PER_SEC / guest_ns,
	       (double)sum(offsetof(struct part, read_bytes)) * 1000 / guest_ns,
	       sum(offsetof(struct part, fast_begin)), sum(offsetof(struct part, fast_end)));
	vmstat_print_diff(before, after);
	printf("}\n");
	return verified;
}

static bool measure(void)
{
	static struct vmstat before, after;
	uint64_t begin, end;

	/* Filled; slow ones put; fast ones put, and threads there. */
	step();
	step();
	step();
	if (vmstat_read(&before))
		args_die("/proc/vmstat");

	name_hot(0);
	marker_begin();
	begin = now_ns();
	pthread_barrier_wait(&shared->at_start);
	pthread_barrier_wait(&shared->at_end);
	end = now_ns();
	marker_end();
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);

	if (vmstat_read(&after))
		args_die("/proc/vmstat");
	step();
	step();
	marker_rest();
	pthread_barrier_wait(&shared->at_rest);
	while (wait(NULL) > 0)
		;
	return print_result(end - begin, &before, &after);
}

/* Which of @names, which are separated by ", ", @text is. */
static unsigned int choice(const char *option, const char *text, const char *names)
{
	const char *name = names, *end;
	unsigned int i;

	for (i = 0; ; i++, name = end + 2) {
		end = strchrnul(name, ',');
		if (strlen(text) == (size_t)(end - name) && !strncmp(text, name, end - name))
			return i;
		if (!*end)
			break;
	}
	args_bad(option, "'%s' is not one of %s", text, names);
}

static uint64_t bytes_argument(const char *option, const char *text)
{
	return args_number(option, text, NUMA_PAGE, MAX_BYTES);
}

static void check_sizes(void)
{
	uint64_t unit = opt.huge ? HUGE_BYTES : NUMA_PAGE;
	uint64_t own = opt.reader == READER_OWN ? opt.reader_bytes : 0;

	if (opt.tenant_bytes % unit)
		args_bad("--tenant-bytes", "is not a multiple of the size of pages");
	if (opt.reader_bytes % unit)
		args_bad("--reader-bytes", "is not a multiple of the size of pages");
	if (opt.fast_bytes % unit || opt.fast_bytes > opt.tenants * opt.tenant_bytes + own)
		args_bad("--fast-bytes", "is not a multiple of the size of pages up to all memory");
	if (opt.hot_bytes % NUMA_PAGE || opt.hot_bytes > opt.tenant_bytes)
		args_bad("--hot-bytes", "is not a multiple of %lu up to --tenant-bytes", NUMA_PAGE);
	if (opt.spread == SPREAD_ZIPF && opt.hot_bytes < opt.tenant_bytes)
		args_bad("--hot-bytes", "is for --spread set only");
	if (opt.reader == READER_REST && opt.hot_bytes == opt.tenant_bytes)
		args_bad("--reader", "finds no rest beside --hot-bytes");
	if (opt.hot_bytes * (opt.plan.moves + 1) > opt.tenant_bytes)
		args_bad("--moves", "%" PRIu64 " need %" PRIu64
			 " times --hot-bytes in --tenant-bytes",
			 opt.plan.moves, opt.plan.moves + 1);
}

static void parse_arguments(int argc, char **argv)
{
	static const struct option names[] = {
		{ "tenants", required_argument, NULL, 'n' },
		{ "threads", required_argument, NULL, 't' },
		{ "tenant-bytes", required_argument, NULL, 'b' },
		{ "accesses", required_argument, NULL, 'a' },
		{ "seed", required_argument, NULL, 's' },
		{ "spread", required_argument, NULL, 'S' },
		{ "write-share", required_argument, NULL, 'w' },
		{ "hot-bytes", required_argument, NULL, 'h' },
		{ "hot-share", required_argument, NULL, 'H' },
		{ "moves", required_argument, NULL, 'm' },
		{ "reader", required_argument, NULL, 'r' },
		{ "reader-bytes", required_argument, NULL, 'R' },
		{ "fast-bytes", required_argument, NULL, 'f' },
		{ "start", required_argument, NULL, 'i' },
		{ "pages", required_argument, NULL, 'p' },
		{ "provision", required_argument, NULL, 'P' },
		{ "cpus-node", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'n':
			opt.tenants = args_number("--tenants", optarg, 1, MAX_TENANTS);
			break;
		case 't':
			opt.threads = args_number("--threads", optarg, 1, PATTERN_MAX_THREADS);
			break;
		case 'b':
			opt.tenant_bytes = bytes_argument("--tenant-bytes", optarg);
			break;
		case 'a':
			opt.plan.accesses = args_number("--accesses", optarg, 1,
							UINT64_C(1) << 40);
			break;
		case 's':
			opt.plan.seed = args_number("--seed", optarg, 0, UINT32_MAX);
			break;
		case 'S':
			opt.spread = choice("--spread", optarg, "set, zipf");
			break;
		case 'w':
			opt.plan.write_share = args_number("--write-share", optarg, 0, 100);
			break;
		case 'h':
			opt.hot_bytes = bytes_argument("--hot-bytes", optarg);
			break;
		case 'H':
			opt.plan.hot_share = args_number("--hot-share", optarg, 0, 100);
			break;
		case 'm':
			opt.plan.moves = args_number("--moves", optarg, 0, MAX_MOVES);
			break;
		case 'r':
			opt.reader = choice("--reader", optarg, "none, rest, own");
			break;
		case 'R':
			opt.reader_bytes = bytes_argument("--reader-bytes", optarg);
			break;
		case 'f':
			opt.fast_bytes = bytes_argument("--fast-bytes", optarg);
			break;
		case 'i':
			opt.hot_start = choice("--start", optarg, "rest, hot");
			break;
		case 'p':
			opt.huge = choice("--pages", optarg, "4k, thp");
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
	if (opt.cpus_node < 0)
		args_bad("--cpus-node", "is needed: the node that is fast");
	if (!opt.hot_bytes)
		opt.hot_bytes = opt.tenant_bytes;
	check_sizes();
	if (opt.hot_bytes < opt.tenant_bytes)
		opt.plan.shape = SHAPE_HOT;
	opt.plan.pages = opt.tenant_bytes / NUMA_PAGE;
	opt.plan.hot_pages = opt.hot_bytes / NUMA_PAGE;
	if (opt.provision == opt.cpus_node)
		opt.hot_start = true;
}

int main(int argc, char **argv)
{
	uint64_t fast_tenants, fast_own;
	pid_t child[MAX_TENANTS + 1];
	uint8_t *own = NULL;
	cpu_set_t cpus;
	int index;

	args_program = "tenants";
	parse_arguments(argc, argv);
	if (!numa_node_cpus(opt.cpus_node, &cpus))
		args_bad("--cpus-node", "node %d has no CPUs", opt.cpus_node);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		args_die("sched_setaffinity");
	start.unit_bytes = opt.huge ? HUGE_BYTES : NUMA_PAGE;
	start.units = opt.tenant_bytes / start.unit_bytes;
	start.node[0] = slow_node();
	start.node[1] = opt.cpus_node;
	start.memory = map(opt.tenant_bytes);
	if (opt.reader == READER_OWN)
		own = map(opt.reader_bytes);
	split_fast(&fast_tenants, &fast_own);
	share();
	if (members() > 1)
		set_up_cgroups();
	signal(SIGCHLD, child_ended);
	index = fork_members(child);
	if (index < 0)
		return !measure();
	if ((uint64_t)index < opt.tenants)
		be_tenant(index, fast_tenants);
	else
		be_reader(own, fast_own);
	return 0;
}
