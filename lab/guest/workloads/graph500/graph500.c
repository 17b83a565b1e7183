// SPDX-License-Identifier: GPL-2.0
/*
 * Graph500's breadth-first search, in the way of its MPI reference: a process for each rank, bound
 * to a CPU of its own in the order of their numbers. It has its part of the graph's vertices,
 * allocates and first touches all that belongs to them, and reaches other parts by messages only.
 * So nearly all memory is private to a process, and the right node for a page is its rank's. NUMA
 * balancing, too, scans for each rank on its own, as it does for those of MPI.
 *
 * --scenario migrated, as published: the graph is built in the ranks' own nodes, then they stop,
 * all their memory moves to the node --provision, and they go on. direct: that node is where they
 * allocate. A node with CPUs stands for each rank's own in both.
 *
 * The edge list stays in memory beside the rows, as the reference keeps it: half of what is moved
 * is never touched by a search.
 *
 * The measured region is all the searches, one after the other. To validate between them would
 * touch, and have promoted, what searches do not. So each result is copied into memory that is
 * never moved, outside of the search's own time, and all are validated after the region, by all
 * ranks: all five rules for every vertex and every edge. Before that the rows, as they are in
 * memory by then, are compared with the edge list.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "bfs.h"
#include "kronecker.h"
#include "marker.h"
#include "now.h"
#include "numa.h"
#include "place.h"
#include "teps.h"
#include "validate.h"
#include "vmstat.h"

#define MAX_KEYS	1024
#define MAX_EDGEFACTOR	64
#define STREAM_KEYS	2	/* of random numbers; the generator has those before */
#define KEY_DRAWS	64	/* for each vertex, until there is no such key */

struct options {
	uint64_t threads;
	uint64_t scale;
	uint64_t edgefactor;
	uint64_t keys;
	uint64_t seed;
	int provision;
	int cpus_node;
	bool direct;
};

/* What belongs to a rank, in its process. */
struct rank {
	unsigned int me;
	struct edge *edges;	/* its share of the list */
	uint64_t nr_edges;
	struct graph_part part;
	struct bfs bfs;
	size_t used;		/* of its arena */
};

/* What it tells the others: they read between two barriers what was written before them. */
struct told {
	bool scanned;		/* all of its frontier */
	uint64_t nr_reached;	/* in this level */
	uint64_t sum_edges, sum_rows;
	size_t pages[NUMA_MAX_NODES];
};

struct search {
	uint64_t ns;
	uint64_t edges;		/* of the input, in the root's component */
	struct tree tree;
};

static struct options opt = {
	.threads = 1,
	.scale = 16,
	.edgefactor = 16,
	.keys = 64,
	.seed = 1,
	.provision = -1,
	.cpus_node = -1,
};

/* All ranks have it in common. */
struct common {
	/* All ranks; and with the main process, where they stop. */
	pthread_barrier_t step, stop;
	bool wrong;
	struct told told[GRAPH_MAX_PARTS];
	struct search searches[MAX_KEYS];
};

static struct kronecker generator;
static unsigned int shift;	/* 2^shift ranks */
static uint64_t vertices;	/* of a rank */
static struct common *common;
static struct search *searches;

/* In common, too; and its owners are the first to touch its pages. */
static struct edge *all_edges;		/* until the ranks have theirs */
static bool *leads_on;			/* by vertex */
static struct bfs_mail *mails;		/* by sender and receiver */
static uint32_t *results;		/* parents, by rank, search and place */
static tree_levels *levels;

/* All other memory of a rank is one range, of which it takes whole pages one after the other. */
static char *arena;
static size_t arena_bytes;

static void complain(const char *what, uint64_t number)
{
	fprintf(stderr, "graph500: %s %" PRIu64 "\n", what, number);
	__atomic_store_n(&common->wrong, true, __ATOMIC_RELAXED);
}

/* @kind: MAP_PRIVATE or MAP_SHARED, to each process that is to come. */
static void *reserve(size_t bytes, int kind)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		args_die("mmap");
	/* Pages are counted, moved and promoted one by one. */
	if (madvise(memory, bytes, MADV_NOHUGEPAGE))
		args_die("madvise");
	return memory;
}

static void touch(void *memory, size_t bytes)
{
	volatile char *at = memory, *end = at + bytes;

	for (; at < end; at += NUMA_PAGE)
		*at = 0;
}

static char *arena_of(const struct rank *r)
{
	return arena + r->me * arena_bytes;
}

/* Memory of zeros that this rank is the first to touch. */
static void *own_memory(struct rank *r, size_t bytes)
{
	char *memory = arena_of(r) + r->used;

	bytes = (bytes + NUMA_PAGE - 1) / NUMA_PAGE * NUMA_PAGE;
	touch(memory, bytes);
	r->used += bytes;
	return memory;
}

static void reserve_all(void)
{
	uint64_t edges = opt.edgefactor << opt.scale;

	common = reserve(sizeof(*common), MAP_SHARED);
	searches = common->searches;
	all_edges = reserve(edges * sizeof(*all_edges), MAP_SHARED);
	leads_on = reserve(vertices * opt.threads, MAP_SHARED);
	mails = reserve(opt.threads * opt.threads * sizeof(*mails), MAP_SHARED);
	results = reserve(opt.keys * opt.threads * vertices * sizeof(*results), MAP_SHARED);
	levels = reserve(vertices * opt.threads * sizeof(*levels), MAP_SHARED);
	/* As if all edges were in one rank's rows. */
	arena_bytes = edges * (sizeof(struct edge) + 2 * sizeof(uint64_t)) +
		vertices * (2 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + 1) + 16 * NUMA_PAGE;
	arena_bytes -= arena_bytes % NUMA_PAGE;
	arena = reserve(opt.threads * arena_bytes, MAP_PRIVATE);
}

/* This rank's share of the list of all edges. */
static struct edge *generate(struct rank *r)
{
	uint64_t all = opt.edgefactor << opt.scale, first = all / opt.threads * r->me;

	r->nr_edges = (r->me + 1 == opt.threads ? all : first + all / opt.threads) - first;
	kronecker_edges(&generator, first, r->nr_edges, all_edges + first);
	return all_edges + first;
}

/* All read the whole list for their rows; what they would have by messages. */
static void build(struct rank *r, const struct edge *generated)
{
	uint64_t edges = opt.edgefactor << opt.scale, i;
	struct graph_part *g = &r->part;
	struct bfs *b = &r->bfs;

	r->edges = own_memory(r, r->nr_edges * sizeof(*r->edges));
	memcpy(r->edges, generated, r->nr_edges * sizeof(*r->edges));
	g->me = r->me;
	g->shift = shift;
	g->vertices = vertices;
	g->row = own_memory(r, (vertices + 2) * sizeof(*g->row));
	graph_count(g, all_edges, edges);
	g->column = own_memory(r, graph_place(g) * sizeof(*g->column));
	graph_fill(g, all_edges, edges);
	for (i = 0; i < vertices; i++)
		leads_on[graph_vertex(i, r->me, shift)] = graph_leads_on(g, i);

	b->graph = g;
	b->parent = own_memory(r, vertices * sizeof(*b->parent));
	b->visited = own_memory(r, bfs_visited_words(vertices) * sizeof(*b->visited));
	b->frontier = own_memory(r, vertices * sizeof(*b->frontier));
	b->next = own_memory(r, vertices * sizeof(*b->next));
	b->mail = mails + r->me * opt.threads;
	touch(b->mail, opt.threads * sizeof(*b->mail));
}

/* Where this rank copies the results of a search to: nothing of it is new in the region. */
static uint32_t *result_of(const struct rank *r, uint64_t key)
{
	return results + (r->me * opt.keys + key) * vertices;
}

/* All ranks are in the same level; the number of vertices reached in it. */
static uint64_t search_level(struct rank *r)
{
	struct told *told = common->told;
	uint64_t reached = 0;
	unsigned int i;
	bool all;

	do {
		told[r->me].scanned = bfs_scan(&r->bfs);
		pthread_barrier_wait(&common->step);
		all = true;
		for (i = 0; i < opt.threads; i++) {
			if (i != r->me)
				bfs_receive(&r->bfs, &mails[i * opt.threads + r->me], i);
			all &= told[i].scanned;
		}
		told[r->me].nr_reached = r->bfs.nr_next;
		pthread_barrier_wait(&common->step);
		bfs_sent(&r->bfs);
	} while (!all);
	for (i = 0; i < opt.threads; i++)
		reached += told[i].nr_reached;
	bfs_next_level(&r->bfs);
	return reached;
}

/* The time is from when all are ready until all have finished, by the first rank's clock. */
static void search(struct rank *r, uint64_t key)
{
	uint32_t *result = result_of(r, key);
	uint64_t begin, i;

	bfs_clear(&r->bfs);
	pthread_barrier_wait(&common->step);
	begin = now_ns();
	bfs_begin(&r->bfs, searches[key].tree.root);
	while (search_level(r))
		;
	if (!r->me)
		searches[key].ns = now_ns() - begin;
	/* BFS_NONE becomes VALIDATE_NONE. */
	for (i = 0; i < vertices; i++)
		result[i] = r->bfs.parent[i];
}

/* Trees from the key @first on, side by side: each rank does some of the levels. */
static void validate_some(struct rank *r, uint64_t first)
{
	uint64_t nr = opt.keys - first, k, ends;
	struct search *s = searches + first;
	unsigned int broken;

	if (nr > VALIDATE_TREES)
		nr = VALIDATE_TREES;
	for (k = r->me; k < nr; k += opt.threads)
		if (!validate_levels(&s[k].tree, levels, k))
			complain("no tree with levels is the result of key", first + k);
	pthread_barrier_wait(&common->step);
	broken = validate_edges(r->edges, r->nr_edges, levels);
	for (k = 0; k < nr; k++) {
		if (broken >> k & 1)
			complain("an edge leaves the tree or skips a level, with key", first + k);
		if (!validate_tree_edges(&s[k].tree, &r->part, &ends))
			complain("the tree has an edge that the graph has not, with key",
				 first + k);
		__atomic_fetch_add(&s[k].edges, ends, __ATOMIC_RELAXED);
	}
	pthread_barrier_wait(&common->step);
}

/* The node that memory is to be on, if that is not each rank's own. */
static int other_node(void)
{
	cpu_set_t cpus;

	return opt.provision < 0 || numa_node_cpus(opt.provision, &cpus) ? -1 : opt.provision;
}

static void move(struct rank *r)
{
	int node = other_node();

	if (node >= 0 && (place_move(arena_of(r), r->used, node) ||
			  place_move(r->bfs.mail, opt.threads * sizeof(*r->bfs.mail), node)))
		args_die("move_pages");
}

static void work(struct rank *r)
{
	struct told *told = &common->told[r->me];
	const struct edge *generated;
	uint64_t key;

	generated = generate(r);
	pthread_barrier_wait(&common->step);
	if (opt.direct && numa_bind_memory(other_node()))
		args_die("set_mempolicy");
	build(r, generated);
	if (numa_bind_memory(-1))
		args_die("set_mempolicy");
	if (munmap(all_edges, (opt.edgefactor << opt.scale) * sizeof(*all_edges)))
		args_die("munmap");
	touch(result_of(r, 0), opt.keys * vertices * sizeof(*results));
	pthread_barrier_wait(&common->stop);	/* built */
	move(r);
	pthread_barrier_wait(&common->stop);	/* moved */

	pthread_barrier_wait(&common->stop);
	for (key = 0; key < opt.keys; key++)
		search(r, key);
	pthread_barrier_wait(&common->stop);	/* searched */

	if (numa_count_pages(arena_of(r), r->used, told->pages))
		args_die("move_pages");
	told->sum_edges = graph_sum_edges(r->edges, r->nr_edges);
	told->sum_rows = graph_sum_rows(&r->part);
	for (key = 0; key < opt.keys; key += VALIDATE_TREES)
		validate_some(r, key);
	pthread_barrier_wait(&common->stop);
}

/* Who waits for a rank at a barrier would wait for ever. */
static void rank_died(int signal)
{
	static const char text[] = "graph500: a rank has died\n";

	(void)signal;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	kill(0, SIGKILL);
}

static void start_rank(unsigned int me, int cpu)
{
	struct rank r = { .me = me };
	cpu_set_t cpus;
	pid_t child;

	child = fork();
	if (child < 0)
		args_die("fork");
	if (child)
		return;
	/* Without the main process ranks would wait, too. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		args_die("prctl");
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		args_die("sched_setaffinity");
	work(&r);
	exit(0);
}

static void start_barrier(pthread_barrier_t *barrier, unsigned int ranks)
{
	pthread_barrierattr_t shared;

	if (pthread_barrierattr_init(&shared) ||
	    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) ||
	    pthread_barrier_init(barrier, &shared, ranks))
		args_die("pthread_barrier_init");
}

/* CPUs in the order of their numbers, as mpirun fills a node's cores before the next one's. */
static void start_ranks(void)
{
	unsigned int t = 0;
	cpu_set_t cpus;
	int cpu;

	if (opt.cpus_node >= 0 ? !numa_node_cpus(opt.cpus_node, &cpus)
			       : sched_getaffinity(0, sizeof(cpus), &cpus))
		args_bad("--cpus-node", "there are no CPUs to be had");
	if (opt.threads > (unsigned int)CPU_COUNT(&cpus))
		args_bad("--threads", "%" PRIu64 " are more than %d CPUs", opt.threads,
			 CPU_COUNT(&cpus));
	start_barrier(&common->step, opt.threads);
	start_barrier(&common->stop, opt.threads + 1);
	/* A group for rank_died(). */
	if (setpgid(0, 0) || signal(SIGCHLD, rank_died) == SIG_ERR)
		args_die("setpgid");
	for (cpu = 0; t < opt.threads; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			start_rank(t++, cpu);
}

/* Whether @vertex may be the next key: it leads somewhere, and none before is the same. */
static bool is_key(uint64_t vertex, uint64_t nr)
{
	while (nr--)
		if (searches[nr].tree.root == vertex)
			return false;
	return leads_on[vertex];
}

static void choose_keys(void)
{
	uint64_t all = vertices << shift, draw = 0, nr, vertex;
	struct tree *tree;
	unsigned int i;

	for (nr = 0; nr < opt.keys; nr++) {
		do {
			if (draw == all * KEY_DRAWS)
				args_bad("--keys", "the graph has no more than %" PRIu64
					 " vertices with edges", nr);
			vertex = kronecker_draw(&generator, STREAM_KEYS, draw++) % all;
		} while (!is_key(vertex, nr));
		tree = &searches[nr].tree;
		tree->root = vertex;
		tree->shift = shift;
		tree->vertices = vertices;
		for (i = 0; i < opt.threads; i++)
			tree->parent[i] = results + (i * opt.keys + nr) * vertices;
	}
}

/* Sum up what the ranks have told. */
static void print_pages(void)
{
	const char *sep = "";
	unsigned int node, i;
	size_t pages;

	putchar('{');
	for (node = 0; node < NUMA_MAX_NODES; node++) {
		if (!numa_node_online(node))
			continue;
		pages = 0;
		for (i = 0; i < opt.threads; i++)
			pages += common->told[i].pages[node];
		printf("%s\"%u\":%zu", sep, node, pages);
		sep = ",";
	}
	putchar('}');
}

static void print_result(uint64_t guest_ns, const struct vmstat *before,
			 const struct vmstat *after)
{
	static double teps[MAX_KEYS];
	double seconds = 0;
	struct teps t;
	uint64_t k;

	for (k = 0; k < opt.keys; k++) {
		seconds += (double)searches[k].ns / NSEC_PER_SEC;
		teps[k] = (double)searches[k].edges * NSEC_PER_SEC / searches[k].ns;
	}
	printf("{\"guest_ns\":%" PRIu64 ",\"verified\":%s,\"scale\":%" PRIu64
	       ",\"edgefactor\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"nr_searches\":%" PRIu64
	       ",\"mean_time_s\":%.9g,\"search_ns\":[", guest_ns, common->wrong ? "false" : "true",
	       opt.scale, opt.edgefactor, opt.threads, opt.keys, seconds / opt.keys);
	for (k = 0; k < opt.keys; k++)
		printf("%s%" PRIu64, k ? "," : "", searches[k].ns);
	t = teps_summary(teps, opt.keys);
	printf("],\"min_teps\":%.9g,\"firstquartile_teps\":%.9g,\"median_teps\":%.9g,"
	       "\"thirdquartile_teps\":%.9g,\"max_teps\":%.9g,\"harmonic_mean_teps\":%.9g,"
	       "\"harmonic_stddev_teps\":%.9g,\"pages_per_node\":", t.min, t.first_quartile,
	       t.median, t.third_quartile, t.max, t.harmonic_mean, t.harmonic_stddev);
	print_pages();
	printf(",\"vmstat\":");
	vmstat_print_diff(before, after);
	printf("}\n");
}

static void parse_arguments(int argc, char **argv)
{
	static const struct option names[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "scale", required_argument, NULL, 's' },
		{ "edgefactor", required_argument, NULL, 'e' },
		{ "keys", required_argument, NULL, 'k' },
		{ "scenario", required_argument, NULL, 'S' },
		{ "seed", required_argument, NULL, 'r' },
		{ "provision", required_argument, NULL, 'P' },
		{ "cpus-node", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 't':
			opt.threads = args_number("--threads", optarg, 1, GRAPH_MAX_PARTS);
			break;
		case 's':
			opt.scale = args_number("--scale", optarg, 6, KRONECKER_MAX_SCALE);
			break;
		case 'e':
			opt.edgefactor = args_number("--edgefactor", optarg, 1, MAX_EDGEFACTOR);
			break;
		case 'k':
			opt.keys = args_number("--keys", optarg, 1, MAX_KEYS);
			break;
		case 'S':
			opt.direct = !strcmp(optarg, "direct");
			if (!opt.direct && strcmp(optarg, "migrated"))
				args_bad("--scenario", "'%s' is not one of migrated, direct",
					 optarg);
			break;
		case 'r':
			opt.seed = args_number("--seed", optarg, 0, UINT32_MAX);
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
	shift = __builtin_ctzll(opt.threads);
	if (opt.threads != 1u << shift)
		args_bad("--threads", "%" PRIu64 " is not a power of two", opt.threads);
}

int main(int argc, char **argv)
{
	uint64_t begin, end, sum_edges = 0, sum_rows = 0, k;
	static struct vmstat before, after;
	unsigned int i;

	args_program = "graph500";
	parse_arguments(argc, argv);
	vertices = UINT64_C(1) << opt.scale >> shift;
	kronecker_init(&generator, opt.scale, opt.seed);
	reserve_all();
	start_ranks();
	pthread_barrier_wait(&common->stop);
	choose_keys();
	pthread_barrier_wait(&common->stop);
	if (vmstat_read(&before))
		args_die("/proc/vmstat");

	/* At the same addresses in all processes. */
	marker_hot((uintptr_t)arena, (uintptr_t)arena + opt.threads * arena_bytes - 1);
	marker_begin();
	begin = now_ns();
	pthread_barrier_wait(&common->stop);
	pthread_barrier_wait(&common->stop);
	end = now_ns();
	marker_end();

	if (vmstat_read(&after))
		args_die("/proc/vmstat");
	/* From here on ranks may end. */
	signal(SIGCHLD, SIG_DFL);
	pthread_barrier_wait(&common->stop);
	while (wait(NULL) > 0)
		;
	for (i = 0; i < opt.threads; i++) {
		sum_edges += common->told[i].sum_edges;
		sum_rows += common->told[i].sum_rows;
	}
	if (sum_edges != sum_rows)
		complain("rows differ from the edges, by", sum_edges - sum_rows);
	/* Each edge was counted at both its ends. */
	for (k = 0; k < opt.keys; k++)
		searches[k].edges /= 2;
	print_result(end - begin, &before, &after);
	return common->wrong;
}
