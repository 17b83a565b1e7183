// SPDX-License-Identifier: GPL-2.0
/*
 * redisload: fills a Redis server, moves all of the server's memory to one node while it is
 * stopped (or leaves it where it is), has the policy begin, and then loads the server as memtier
 * does: connections with several requests on their way each, GETs with a SET now and then, of
 * keys that a seed decides on.
 *
 * Every value says whose it is and of which version, and a GET's must be one that could be
 * there. Only one connection stores a key, so that its versions come in order, and at the end
 * each key must have the last one: those that the load has stored are read, and some others.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "keyvalue.h"
#include "marker.h"
#include "now.h"
#include "numa.h"
#include "quantile.h"
#include "tiers.h"
#include "vmstat.h"
#include "zipf.h"

#define MAX_CONNECTIONS	64
#define MAX_PIPELINE	64
#define MAX_VALUE	4096
#define CHECK_EACH	16	/* of the keys that are as they were filled, one in so many */

enum shape {
	SHAPE_EVEN,
	SHAPE_NORMAL,
	SHAPE_ZIPF,
};

enum phase {
	PHASE_FILL,	/* store each key once */
	PHASE_LOAD,
	PHASE_CHECK,	/* read keys once: they must have their last version */
};

static struct {
	const char *socket;
	pid_t server;
	int provision;
	bool move;
	uint64_t keys;
	uint64_t value_bytes;
	uint64_t requests;
	uint64_t gets;		/* for each SET */
	uint64_t connections;
	uint64_t pipeline;
	uint64_t seed;
	enum shape shape;
} opt;

struct request {
	uint32_t key;
	uint32_t version;	/* what it stores, or the least that it may read */
	bool set;
};

struct connection {
	int fd;
	uint64_t index;
	uint64_t random;
	uint64_t begun;		/* of this phase's requests */
	struct request request[MAX_PIPELINE];
	unsigned int sent, answered;	/* of the batch on its way */
	uint64_t sent_ns;
	char in[MAX_PIPELINE * (MAX_VALUE + 32)];
	size_t in_bytes;
};

static struct connection connection[MAX_CONNECTIONS];
static uint32_t *stored;	/* by key: the newest version that was sent */
static uint32_t *confirmed;	/* by key: the newest that the server has confirmed */
static struct quantile latency;
static struct zipf hot, fill;	/* which keys are hot, and which one comes next */
static uint64_t sets, wrong;

/* xorshift64* */
static uint64_t draw(struct connection *c)
{
	c->random ^= c->random >> 12;
	c->random ^= c->random << 25;
	c->random ^= c->random >> 27;
	return c->random * UINT64_C(0x2545f4914f6cdd1d);
}

/* A key: all alike, the sum of four even draws, which is close to normal, or a skewed rank. */
static uint32_t draw_key(struct connection *c)
{
	uint64_t r = draw(c), sum;

	if (opt.shape == SHAPE_EVEN)
		return (r >> 32) * opt.keys >> 32;
	if (opt.shape == SHAPE_ZIPF)
		return zipf_rank(&hot, r);
	sum = (r & 0xffff) + (r >> 16 & 0xffff) + (r >> 32 & 0xffff) + (r >> 48);
	return sum * opt.keys / (4 * UINT64_C(0xffff) + 1);
}

/* The key with this number in an order, which is that of the keys unless some are hot. */
static uint32_t place(const struct zipf *order, uint32_t number)
{
	return opt.shape == SHAPE_ZIPF ? zipf_place(order, number) : number;
}

/* The connection's next request, if there is one left. */
static bool next_request(struct connection *c, struct request *r, enum phase phase)
{
	uint64_t i = c->index + c->begun * opt.connections;

	while (phase == PHASE_CHECK && i < opt.keys && i % CHECK_EACH && stored[i] == 1)
		i = c->index + ++c->begun * opt.connections;
	if (i >= (phase == PHASE_LOAD ? opt.requests : opt.keys))
		return false;
	c->begun++;
	r->set = phase == PHASE_FILL;
	r->key = phase == PHASE_FILL ? place(&fill, i) : i;
	if (phase == PHASE_LOAD) {
		r->set = c->begun % (opt.gets + 1) == 0;
		r->key = draw_key(c);
		if (r->set)
			r->key -= r->key % opt.connections;
		if (r->set && r->key + c->index < opt.keys)
			r->key += c->index;
		else if (r->set)
			r->key = c->index;
		r->key = place(&hot, r->key);
	}
	r->version = r->set ? ++stored[r->key] : confirmed[r->key];
	return true;
}

static void write_all(int fd, const char *data, size_t bytes)
{
	ssize_t n;

	for (; bytes; data += n, bytes -= n) {
		n = write(fd, data, bytes);
		if (n < 0)
			args_die("write to the server");
	}
}

/* Send the connection's next requests, as many as may be on their way; false if none is left. */
static bool send_batch(struct connection *c, enum phase phase)
{
	static char out[MAX_PIPELINE * (KEYVALUE_REQUEST_MAX + MAX_VALUE + 2)];
	struct request *r = c->request;
	size_t bytes = 0;

	c->sent = 0;
	c->answered = 0;
	for (; c->sent < opt.pipeline && next_request(c, r, phase); c->sent++, r++) {
		if (r->set)
			bytes += keyvalue_set(out + bytes, r->key, r->version, opt.value_bytes);
		else
			bytes += keyvalue_get(out + bytes, r->key);
	}
	c->sent_ns = now_ns();
	write_all(c->fd, out, bytes);
	return c->sent;
}

static void check_value(const struct request *r, const char *value)
{
	uint32_t version;

	if (keyvalue_check(value, opt.value_bytes, r->key, &version) && version >= r->version &&
	    version <= stored[r->key])
		return;
	if (wrong++ < 8)
		fprintf(stderr, "redisload: key %u: wrong value, of version %u; sent: %u to %u\n",
			r->key, version, r->version, stored[r->key]);
}

/* Take the replies that are there. */
static void receive(struct connection *c, enum phase phase)
{
	ssize_t n = read(c->fd, c->in + c->in_bytes, sizeof(c->in) - c->in_bytes);
	uint64_t now = now_ns();
	enum keyvalue_reply reply;
	const char *value;
	struct request *r;
	size_t at, taken;

	if (n < 0)
		args_die("read from the server");
	if (!n) {
		fprintf(stderr, "redisload: the server has closed a connection\n");
		exit(1);
	}
	c->in_bytes += n;
	for (at = 0; c->answered < c->sent; at += taken) {
		reply = keyvalue_reply(c->in + at, c->in_bytes - at, opt.value_bytes, &taken,
				       &value);
		if (reply == KEYVALUE_INCOMPLETE)
			break;
		r = &c->request[c->answered++];
		if (reply != (r->set ? KEYVALUE_STORED : KEYVALUE_VALUE)) {
			fprintf(stderr, "redisload: the server says: %.60s\n", c->in + at);
			exit(1);
		}
		if (r->set)
			confirmed[r->key] = r->version;
		else
			check_value(r, value);
		if (phase == PHASE_LOAD) {
			quantile_add(&latency, now - c->sent_ns);
			sets += r->set;
		}
	}
	c->in_bytes -= at;
	memmove(c->in, c->in + at, c->in_bytes);
}

static void run_phase(enum phase phase)
{
	struct pollfd events[MAX_CONNECTIONS];
	uint64_t active = 0, i;

	for (i = 0; i < opt.connections; i++) {
		connection[i].begun = 0;
		events[i].fd = connection[i].fd;
		events[i].events = POLLIN;
		active += send_batch(&connection[i], phase);
	}
	while (active) {
		if (poll(events, opt.connections, -1) < 0)
			args_die("poll");
		for (i = 0; i < opt.connections; i++) {
			if (!events[i].revents)
				continue;
			receive(&connection[i], phase);
			if (connection[i].answered == connection[i].sent)
				active -= !send_batch(&connection[i], phase);
		}
	}
}

static void connect_all(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	uint64_t i;

	if (strlen(opt.socket) >= sizeof(address.sun_path))
		args_bad("--socket", "%s is too long", opt.socket);
	strcpy(address.sun_path, opt.socket);
	for (i = 0; i < opt.connections; i++) {
		connection[i].index = i;
		connection[i].random = (opt.seed << 8 | i) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		connection[i].fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connection[i].fd < 0 || connect(connection[i].fd, (struct sockaddr *)&address,
						    sizeof(address)))
			args_die(opt.socket);
	}
}

/* Hot keys lie scattered among the others, and all are stored in an order of their own. */
static void scatter_keys(void)
{
	if (opt.shape != SHAPE_ZIPF)
		return;
	zipf_start(&fill, opt.keys, opt.seed);
	zipf_start(&hot, opt.keys, ~opt.seed);
}

/* The guest's command: it begins when the server has its memory. */
static void begin_policy(void)
{
	int status = system("policy");

	if (status) {
		fprintf(stderr, "redisload: the command policy ended with %d\n", status);
		exit(1);
	}
}

/* Move the server's pages to the node while it is stopped: how many would not move. */
static long move_server(void)
{
	unsigned long from = 0, to = 1ul << opt.provision;
	long left;
	int node;

	for (node = 0; node < NUMA_MAX_NODES; node++)
		if (node != opt.provision && numa_node_online(node))
			from |= 1ul << node;
	if (kill(opt.server, SIGSTOP))
		args_die("stop the server");
	left = syscall(SYS_migrate_pages, opt.server, NUMA_MAX_NODES + 1, &from, &to);
	if (left < 0)
		args_die("migrate_pages");
	if (kill(opt.server, SIGCONT))
		args_die("continue the server");
	return left;
}

/* How many of the server's pages are on each node, those of files included. */
static void count_pages(uint64_t pages[NUMA_MAX_NODES])
{
	char path[64], word[256];
	uint64_t n;
	int node;
	FILE *f;

	memset(pages, 0, NUMA_MAX_NODES * sizeof(*pages));
	snprintf(path, sizeof(path), "/proc/%d/numa_maps", opt.server);
	f = fopen(path, "r");
	if (!f)
		args_die(path);
	while (fscanf(f, "%255s", word) == 1)
		if (sscanf(word, "N%d=%" SCNu64, &node, &n) == 2 && node >= 0 &&
		    node < NUMA_MAX_NODES)
			pages[node] += n;
	fclose(f);
}

/* Of these pages, those on fast nodes. */
static double fast_percent(const uint64_t pages[NUMA_MAX_NODES])
{
	uint64_t fast = 0, all = 0;
	bool is_fast[NUMA_MAX_NODES];
	int node;

	tiers_find_fast(is_fast);
	for (node = 0; node < NUMA_MAX_NODES; node++) {
		if (!numa_node_online(node))
			continue;
		all += pages[node];
		if (is_fast[node])
			fast += pages[node];
	}
	return all ? 100.0 * fast / all : 0;
}

static void print_pages(const char *name, const uint64_t pages[NUMA_MAX_NODES])
{
	const char *comma = "";
	int node;

	printf(",\"%s\":{", name);
	for (node = 0; node < NUMA_MAX_NODES; node++) {
		if (!numa_node_online(node))
			continue;
		printf("%s\"%d\":%" PRIu64, comma, node, pages[node]);
		comma = ",";
	}
	printf("}");
}

static enum shape parse_shape(const char *text)
{
	static const char *const names[] = {
		[SHAPE_EVEN] = "even",
		[SHAPE_NORMAL] = "normal",
		[SHAPE_ZIPF] = "zipf",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i]))
			return i;
	args_bad("--pattern", "'%s' is not one of even, normal, zipf", text);
}

static void parse_arguments(int argc, char **argv)
{
	static const struct option names[] = {
		{ "socket", required_argument, NULL, 'u' },
		{ "server", required_argument, NULL, 'S' },
		{ "keys", required_argument, NULL, 'k' },
		{ "value-bytes", required_argument, NULL, 'b' },
		{ "requests", required_argument, NULL, 'r' },
		{ "gets", required_argument, NULL, 'g' },
		{ "connections", required_argument, NULL, 'C' },
		{ "pipeline", required_argument, NULL, 'l' },
		{ "pattern", required_argument, NULL, 'n' },
		{ "bind", required_argument, NULL, 'B' },
		{ "seed", required_argument, NULL, 's' },
		{ "provision", required_argument, NULL, 'P' },
		{ "cpus-node", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	opt.move = true;
	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'u':
			opt.socket = optarg;
			break;
		case 'S':
			opt.server = args_number("--server", optarg, 1, INT32_MAX);
			break;
		case 'k':
			opt.keys = args_number("--keys", optarg, MAX_CONNECTIONS, 1u << 30);
			break;
		case 'b':
			opt.value_bytes = args_number("--value-bytes", optarg, 8, MAX_VALUE);
			break;
		case 'r':
			opt.requests = args_number("--requests", optarg, 1, UINT64_C(1) << 40);
			break;
		case 'g':
			opt.gets = args_number("--gets", optarg, 0, 1000);
			break;
		case 'C':
			opt.connections = args_number("--connections", optarg, 1, MAX_CONNECTIONS);
			break;
		case 'l':
			opt.pipeline = args_number("--pipeline", optarg, 1, MAX_PIPELINE);
			break;
		case 'n':
			opt.shape = parse_shape(optarg);
			break;
		case 'B':
			if (strcmp(optarg, "all") && strcmp(optarg, "none"))
				args_bad("--bind", "'%s' is not one of all, none", optarg);
			opt.move = *optarg == 'a';
			break;
		case 's':
			opt.seed = args_number("--seed", optarg, 0, UINT32_MAX);
			break;
		case 'P':
			opt.provision = numa_node_argument("--provision", optarg);
			break;
		case 'c':	/* there are no other CPUs */
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc)
		args_bad(argv[optind], "is not an option");
	if (!opt.socket || !opt.server || !opt.keys || !opt.value_bytes || !opt.requests ||
	    !opt.connections || !opt.pipeline)
		args_bad("redisload",
			 "needs all options but --gets, --pattern, --bind and --cpus-node");
	if (opt.shape == SHAPE_ZIPF && opt.keys > ZIPF_MAX_ITEMS)
		args_bad("--keys", "%" PRIu64 " is more than zipf can order, %" PRIu64, opt.keys,
			 ZIPF_MAX_ITEMS);
	if (opt.value_bytes % 8)
		args_bad("--value-bytes", "%" PRIu64 " is not a multiple of 8", opt.value_bytes);
}

int main(int argc, char **argv)
{
	uint64_t begin, end, placed[NUMA_MAX_NODES], pages[NUMA_MAX_NODES];
	static struct vmstat before, after;
	long left = 0;

	args_program = "redisload";
	parse_arguments(argc, argv);
	stored = calloc(opt.keys, sizeof(*stored));
	confirmed = calloc(opt.keys, sizeof(*confirmed));
	if (!stored || !confirmed)
		args_die("versions");
	connect_all();
	scatter_keys();
	run_phase(PHASE_FILL);
	if (opt.move)
		left = move_server();
	count_pages(placed);
	begin_policy();
	if (vmstat_read(&before))
		args_die("/proc/vmstat");

	marker_begin();
	begin = now_ns();
	run_phase(PHASE_LOAD);
	end = now_ns();
	marker_end();

	if (vmstat_read(&after))
		args_die("/proc/vmstat");
	count_pages(pages);
	marker_rest();
	run_phase(PHASE_CHECK);
	printf("{\"guest_ns\":%" PRIu64 ",\"ops_per_s\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f"
	       ",\"p999_us\":%.1f,\"requests\":%" PRIu64 ",\"sets\":%" PRIu64
	       ",\"left_behind\":%ld,\"fast_at_start_percent\":%.1f,\"verified\":%s",
	       end - begin, (double)latency.n * NSEC_PER_SEC / (end - begin),
	       quantile_at(&latency, 0.5) / 1e3, quantile_at(&latency, 0.99) / 1e3,
	       quantile_at(&latency, 0.999) / 1e3, latency.n, sets, left,
	       fast_percent(placed), wrong || latency.n != opt.requests ? "false" : "true");
	print_pages("placed_per_node", placed);
	print_pages("pages_per_node", pages);
	printf(",\"vmstat\":");
	vmstat_print_diff(&before, &after);
	printf("}\n");
	return wrong || latency.n != opt.requests;
}
