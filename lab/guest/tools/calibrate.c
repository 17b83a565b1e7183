// SPDX-License-Identifier: GPL-2.0
/*
 * Calibration of the lab, measured from inside the guest with its own clock:
 * latency and streaming bandwidth of every node, sleeps and timers, and whether
 * the CPUs' clocks agree. Prints one JSON object; the caller compares it with the
 * machine's figures.
 *
 * Each latency and each bandwidth is a measured region of its own, in the order
 * of the output, so that the plugin's counts can be laid beside it.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "chase.h"
#include "marker.h"
#include "numa.h"

#define LINE_BYTES	64
#define MAX_CPUS	64
#define NS_PER_S	INT64_C(1000000000)

struct options {
	uint64_t insn_ps;
	uint64_t chase_bytes;
	uint64_t stream_bytes;
};

static struct options opt = {
	.insn_ps = 1000,
	.chase_bytes = UINT64_C(64) << 20,
	.stream_bytes = UINT64_C(16) << 20,
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void run_on(const cpu_set_t *cpus)
{
	if (sched_setaffinity(0, sizeof(*cpus), cpus))
		args_die("sched_setaffinity");
}

static void run_on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	run_on(&set);
}

/* Memory whose pages will come from @node. */
static void *map_on(int node, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		args_die("mmap");
	if (madvise(p, bytes, MADV_NOHUGEPAGE))
		args_die("madvise");
	if (numa_bind_memory(node))
		args_die("set_mempolicy");
	return p;
}

static void mapped(void *p, int node, size_t bytes)
{
	size_t count[NUMA_MAX_NODES];

	if (numa_bind_memory(-1))
		args_die("set_mempolicy");
	if (numa_count_pages(p, bytes, count) || count[node] != bytes / NUMA_PAGE) {
		fprintf(stderr, "calibrate: the memory is not on node %d\n", node);
		exit(1);
	}
}

/* ---- latency ---- */

/*
 * Links every line of the memory into one cycle. A line comes again only after all others, so
 * with a footprint of several times the caches an LRU cache never hits.
 */
static void link_lines(char *memory, uint64_t lines)
{
	uint64_t i;

	for (i = 0; i < lines; i++)
		*(void **)(memory + i * LINE_BYTES) =
			memory + chase_next(i, lines) * LINE_BYTES;
}

static void measure_latency(int cpu_node, int node, const char *sep)
{
	uint64_t lines = opt.chase_bytes / LINE_BYTES;
	char *memory = map_on(node, opt.chase_bytes);
	int64_t begin, end;
	double ns, insn_ns;
	void *at;

	link_lines(memory, lines);
	mapped(memory, node, opt.chase_bytes);
	/* Drive the dirty lines of the set-up out of the caches. */
	at = chase(memory, lines / 2);

	marker_begin();
	begin = now_ns();
	at = chase(at, lines);
	end = now_ns();
	marker_end();

	ns = (double)(end - begin) / lines;
	insn_ns = CHASE_INSNS * opt.insn_ps / 1000;
	printf("%s{\"cpu_node\":%d,\"node\":%d,\"accesses\":%" PRIu64
	       ",\"ns\":%.3f,\"insn_ns\":%.3f,\"latency_ns\":%.3f}",
	       sep, cpu_node, node, lines, ns, insn_ns, ns - insn_ns);
	munmap(memory, opt.chase_bytes);
}

/* ---- bandwidth ---- */

/* Times that each CPU reads its memory: it begins and ends a little apart from the others. */
#define ROUNDS	4

struct streamer {
	pthread_t thread;
	int cpu;
	int node;
	int64_t begin_ns;
	int64_t end_ns;
};

static pthread_barrier_t stream_ready, stream_start, stream_end;

/* Read one word of every line. */
static void stream(const char *at, size_t bytes)
{
	const char *end = at + bytes;

#ifdef __x86_64__
	__asm__ volatile("1:\n\t"
			 ".set offset, 0\n\t"
			 ".rept 8\n\t"
			 "mov offset(%0), %%rax\n\t"
			 ".set offset, offset + 64\n\t"
			 ".endr\n\t"
			 "add $512, %0\n\t"
			 "cmp %1, %0\n\t"
			 "jne 1b"
			 : "+r"(at) : "r"(end) : "rax", "memory", "cc");
#else
	for (; at != end; at += 64)
		(void)*(const volatile uint64_t *)at;
#endif
}

static void *stream_thread(void *arg)
{
	struct streamer *s = arg;
	char *memory;
	size_t i;

	run_on_cpu(s->cpu);
	memory = map_on(s->node, opt.stream_bytes);
	for (i = 0; i < opt.stream_bytes; i += NUMA_PAGE)
		memory[i] = 1;
	mapped(memory, s->node, opt.stream_bytes);
	/* Drive out the lines that the kernel's clearing left dirty. */
	stream(memory, opt.stream_bytes);
	pthread_barrier_wait(&stream_ready);
	pthread_barrier_wait(&stream_start);
	s->begin_ns = now_ns();
	for (i = 0; i < ROUNDS; i++)
		stream(memory, opt.stream_bytes);
	s->end_ns = now_ns();
	pthread_barrier_wait(&stream_end);
	munmap(memory, opt.stream_bytes);
	return NULL;
}

static void measure_bandwidth(int node, const cpu_set_t *cpus, const char *sep)
{
	static struct streamer streamers[MAX_CPUS];
	int64_t begin = INT64_MAX, end = 0;
	int cpu, nr = 0, i;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, cpus))
			streamers[nr++] = (struct streamer){ .cpu = cpu, .node = node };
	if (pthread_barrier_init(&stream_ready, NULL, nr + 1) ||
	    pthread_barrier_init(&stream_start, NULL, nr + 1) ||
	    pthread_barrier_init(&stream_end, NULL, nr + 1))
		args_die("pthread_barrier_init");
	for (i = 0; i < nr; i++)
		if (pthread_create(&streamers[i].thread, NULL, stream_thread, &streamers[i]))
			args_die("pthread_create");
	pthread_barrier_wait(&stream_ready);
	marker_begin();
	pthread_barrier_wait(&stream_start);
	pthread_barrier_wait(&stream_end);
	marker_end();
	for (i = 0; i < nr; i++) {
		pthread_join(streamers[i].thread, NULL);
		if (streamers[i].begin_ns < begin)
			begin = streamers[i].begin_ns;
		if (streamers[i].end_ns > end)
			end = streamers[i].end_ns;
	}
	printf("%s{\"node\":%d,\"threads\":%d,\"bytes\":%" PRIu64 ",\"mbps\":%.1f}", sep, node, nr,
	       ROUNDS * opt.stream_bytes * nr,
	       ROUNDS * opt.stream_bytes * nr * 1000.0 / (end - begin));
	pthread_barrier_destroy(&stream_ready);
	pthread_barrier_destroy(&stream_start);
	pthread_barrier_destroy(&stream_end);
}

/* ---- sleeps and timers ---- */

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
}

static void sleep_by_nanosleep(int64_t ns)
{
	struct timespec t = timespec_of(ns);

	nanosleep(&t, NULL);
}

static void sleep_by_timerfd(int64_t ns)
{
	struct itimerspec when = { .it_value = timespec_of(ns) };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t expired;

	if (fd < 0 || timerfd_settime(fd, 0, &when, NULL) ||
	    read(fd, &expired, sizeof(expired)) != sizeof(expired))
		args_die("timerfd");
	close(fd);
}

static void measure_sleep(const char *kind, void (*sleep_for)(int64_t ns), int64_t ns, int times,
			  const char *sep)
{
	int64_t least = INT64_MAX, most = 0, sum = 0, took;
	int i;

	for (i = 0; i < times; i++) {
		took = now_ns();
		sleep_for(ns);
		took = now_ns() - took;
		sum += took;
		if (took < least)
			least = took;
		if (took > most)
			most = took;
	}
	printf("%s{\"kind\":\"%s\",\"ask_ns\":%" PRId64 ",\"times\":%d,\"mean_ns\":%" PRId64
	       ",\"min_ns\":%" PRId64 ",\"max_ns\":%" PRId64 "}",
	       sep, kind, ns, times, sum / times, least, most);
}

/* ---- clock agreement ---- */

#define HOPS	200	/* there and back, for each CPU */

/*
 * One thread goes from CPU to CPU and reads the clock on each. A step back is an
 * error outright. Half the difference of the shortest ways there and back bounds
 * how far two clocks are apart.
 */
static void measure_clocks(const cpu_set_t *cpus)
{
	int64_t before, after, there, back, skew, worst = 0, backward = 0;
	int first = -1, cpu, i, hops = 0;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		if (first < 0) {
			first = cpu;
			continue;
		}
		there = INT64_MAX;
		back = INT64_MAX;
		run_on_cpu(first);
		for (i = 0; i < HOPS; i++) {
			before = now_ns();
			run_on_cpu(cpu);
			after = now_ns();
			backward += after < before;
			if (after - before < there)
				there = after - before;
			before = now_ns();
			run_on_cpu(first);
			after = now_ns();
			backward += after < before;
			if (after - before < back)
				back = after - before;
			hops += 2;
		}
		skew = (there > back ? there - back : back - there) / 2;
		if (skew > worst)
			worst = skew;
	}
	printf("{\"cpus\":%d,\"hops\":%d,\"backward\":%" PRId64 ",\"max_skew_ns\":%" PRId64 "}",
	       CPU_COUNT(cpus), hops, backward, worst);
}

static void parse_arguments(int argc, char **argv)
{
	static const struct option names[] = {
		{ "insn-ps", required_argument, NULL, 'i' },
		{ "chase-bytes", required_argument, NULL, 'c' },
		{ "stream-bytes", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'i':
			opt.insn_ps = args_number("--insn-ps", optarg, 1, 1000000);
			break;
		case 'c':
			opt.chase_bytes = args_number("--chase-bytes", optarg, 1 << 20,
						      UINT64_C(1) << 40);
			break;
		case 's':
			opt.stream_bytes = args_number("--stream-bytes", optarg, 1 << 20,
						       UINT64_C(1) << 40);
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc)
		args_bad(argv[optind], "is not an option");
	if (opt.chase_bytes & (opt.chase_bytes - 1))
		args_bad("--chase-bytes", "%" PRIu64 " is not a power of two", opt.chase_bytes);
	if (opt.stream_bytes % NUMA_PAGE)
		args_bad("--stream-bytes", "%" PRIu64 " is not a multiple of %lu",
			 opt.stream_bytes, NUMA_PAGE);
}

int main(int argc, char **argv)
{
	static const int64_t sleeps[] = { 1000000, 10000000, 100000000 };
	static const int times[] = { 50, 20, 5 };
	cpu_set_t all, cpus;
	const char *sep;
	int from, to, i;

	args_program = "calibrate";
	parse_arguments(argc, argv);
	marker_arm();
	if (sched_getaffinity(0, sizeof(all), &all))
		args_die("sched_getaffinity");

	printf("{\"latency\":[");
	sep = "";
	for (from = 0; from < NUMA_MAX_NODES; from++) {
		if (!numa_node_cpus(from, &cpus))
			continue;
		run_on(&cpus);
		for (to = 0; to < NUMA_MAX_NODES; to++) {
			if (!numa_node_online(to))
				continue;
			measure_latency(from, to, sep);
			sep = ",";
		}
	}
	run_on(&all);

	printf("],\"bandwidth\":[");
	sep = "";
	for (to = 0; to < NUMA_MAX_NODES; to++) {
		if (!numa_node_online(to))
			continue;
		measure_bandwidth(to, &all, sep);
		sep = ",";
	}

	printf("],\"sleep\":[");
	if (prctl(PR_SET_TIMERSLACK, 1ul))
		args_die("prctl");
	sep = "";
	for (i = 0; i < 3; i++) {
		measure_sleep("nanosleep", sleep_by_nanosleep, sleeps[i], times[i], sep);
		sep = ",";
		measure_sleep("timerfd", sleep_by_timerfd, sleeps[i], times[i], sep);
	}

	printf("],\"clock\":");
	measure_clocks(&all);
	printf("}\n");
	return 0;
}
