// SPDX-License-Identifier: GPL-2.0
/*
 * bandwidth: vCPUs that take turns in slices, as QEMU runs them, must share a
 * node as CPUs do that run at the same time.
 */
#include "bandwidth.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

#define SLICE	20000000
#define NODES	2

/* What a simulated vCPU does on node 0 all the time. */
struct load {
	int64_t own_ps;		/* time between two misses without any queueing */
	bool streamed;
	bool writes;		/* every miss is followed by a write-back */
	unsigned int idle;	/* slices out of 4 in which it is halted */
	int64_t gap_ps;		/* more time before every 64th miss */
};

struct result {
	double mbps[VTIME_MAX_VCPUS];
	double queue_ps[VTIME_MAX_VCPUS];	/* mean per miss */
	double total_mbps;
};

static bool is_idle(const struct load *l, int round)
{
	return (unsigned int)round % 4 < l->idle;
}

static void simulate(const struct load *load, int k, uint64_t mbps, int rounds, struct result *r)
{
	const uint64_t rates[NODES] = { mbps, 100000 };
	uint64_t lines[VTIME_MAX_VCPUS] = { 0 }, misses[VTIME_MAX_VCPUS] = { 0 };
	uint64_t n[VTIME_MAX_VCPUS] = { 0 };
	int64_t now[VTIME_MAX_VCPUS] = { 0 }, queue, queued[VTIME_MAX_VCPUS] = { 0 };
	static struct bandwidth bw;
	int i, round, warm = rounds / 4;

	bw_init(&bw, rates, NODES, k);
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < k; i++) {
			int64_t begin = now[i], end = (round + 1) * (int64_t)SLICE;

			if (is_idle(&load[i], round)) {
				bw_stop(&bw, i);
				now[i] = end;
				continue;
			}
			bw_slice_begin(&bw, i);
			while (now[i] < end) {
				now[i] += load[i].own_ps;
				if (++n[i] % 64 == 0)
					now[i] += load[i].gap_ps;
				queue = bw_read(&bw, i, 0, now[i], load[i].streamed);
				CHECK(queue >= 0);
				now[i] += queue;
				if (load[i].writes)
					bw_write(&bw, i, 0, now[i]);
				if (round < warm)
					continue;
				queued[i] += queue;
				misses[i]++;
				lines[i] += 1 + load[i].writes;
			}
			bw_slice_end(&bw, i, now[i] - begin);
		}
	}
	r->total_mbps = 0;
	for (i = 0; i < k; i++) {
		r->mbps[i] = lines[i] * 64.0 * 1e6 / ((double)(rounds - warm) * SLICE);
		r->queue_ps[i] = misses[i] ? (double)queued[i] / misses[i] : 0;
		r->total_mbps += r->mbps[i];
	}
}

static bool near(double value, double wanted, double part)
{
	if (fabs(value - wanted) <= part * wanted)
		return true;
	fprintf(stderr, "%.1f is not within %g of %.1f\n", value, part, wanted);
	return false;
}

/* k streams that each could use all of it: all of it together, equal parts. */
static void saturating_streams(bool writes)
{
	static const uint64_t rates[] = { 400, 800, 4000, 8000, 20000 };
	struct load load[VTIME_MAX_VCPUS];
	struct result r;
	unsigned int m;
	int k, i;

	for (m = 0; m < sizeof(rates) / sizeof(*rates); m++) {
		for (k = 1; k <= VTIME_MAX_VCPUS; k++) {
			for (i = 0; i < k; i++)
				load[i] = (struct load){
					.own_ps = 64000000 / (int64_t)rates[m] * 3 / 4,
					.streamed = true,
					.writes = writes,
				};
			simulate(load, k, rates[m], 400, &r);
			CHECK(near(r.total_mbps, rates[m], 0.02));
			for (i = 0; i < k; i++)
				CHECK(near(r.mbps[i], (double)rates[m] / k, 0.05));
		}
	}
}

/* One that asks for a tenth, beside up to 7 that ask for everything. */
static void light_beside_heavy(void)
{
	struct load load[8] = { { .own_ps = 800000, .streamed = true } };
	struct result r;
	int k, i;

	for (k = 2; k <= 8; k++) {
		for (i = 1; i < k; i++)
			load[i] = (struct load){ .own_ps = 10000, .streamed = true };
		simulate(load, k, 800, 400, &r);
		/* It gets what it asks for; the others share the rest evenly. */
		CHECK(near(r.mbps[0], 80, 0.02));
		CHECK(near(r.total_mbps, 800, 0.02));
		for (i = 1; i < k; i++)
			CHECK(near(r.mbps[i], 720.0 / (k - 1), 0.05));
	}
}

/* Streams that together ask for less than there is are not held back. */
static void below_saturation(void)
{
	struct load load[VTIME_MAX_VCPUS];
	struct result r;
	int k, i;

	for (k = 1; k <= VTIME_MAX_VCPUS; k++) {
		for (i = 0; i < k; i++)
			load[i] = (struct load){ .own_ps = 80000 * k * 5 / 4, .streamed = true };
		simulate(load, k, 800, 200, &r);
		CHECK(near(r.total_mbps, 640, 0.01));
		for (i = 0; i < k; i++)
			CHECK(r.queue_ps[i] < 1000);
	}
}

/* Single misses at a load of 1 %: the wait is the formula's, next to nothing. */
static void no_wait_far_below(void)
{
	struct load load[VTIME_MAX_VCPUS];
	struct result r;
	int k, i;

	for (k = 1; k <= VTIME_MAX_VCPUS; k++) {
		for (i = 0; i < k; i++)
			load[i] = (struct load){ .own_ps = 80000 * 100 * k };
		simulate(load, k, 800, 200, &r);
		for (i = 0; i < k; i++)
			CHECK(r.queue_ps[i] < 80000 * 0.01);
		CHECK(k > 1 || r.queue_ps[0] == 0);
	}
}

/* More load never means less wait, and the wait never exceeds that of a full queue. */
static void wait_grows(void)
{
	struct load load[4];
	struct result r;
	double before = 0;
	int i, own;

	for (own = 4000000; own >= 40000; own -= 40000) {
		for (i = 0; i < 4; i++)
			load[i] = (struct load){ .own_ps = own };
		simulate(load, 4, 800, 100, &r);
		CHECK(r.queue_ps[0] >= before * 0.99);
		CHECK(r.total_mbps <= 800 * 1.02);
		/* Held back by bandwidth itself once that is used up. */
		CHECK(r.queue_ps[0] <= 4 * 80000);
		before = r.queue_ps[0];
	}
	CHECK(near(r.total_mbps, 800, 0.02));
}

/* One CPU's single misses beside a stream of load rho: the formula, up to its bound. */
static void wait_by_formula(void)
{
	struct load load[2] = { { .own_ps = 4000000 } };
	double rho, wait;
	struct result r;
	int percent;

	for (percent = 5; percent <= 95; percent += 5) {
		rho = percent / 100.0;
		load[1] = (struct load){ .own_ps = 80000 / rho, .streamed = true };
		simulate(load, 2, 800, 400, &r);
		wait = 80000 * rho / (2 * (1 - rho));
		CHECK(near(r.queue_ps[0], wait < 80000 ? wait : 80000, 0.03));
	}
}

/* A stream that is interrupted now and then catches up: its prefetcher ran ahead. */
static void catches_up(void)
{
	struct load load[1] = { { .own_ps = 10000, .streamed = true, .gap_ps = 800000 } };
	struct result r;

	simulate(load, 1, 800, 100, &r);
	CHECK(near(r.total_mbps, 800, 0.01));
	/* But not without limit. */
	load[0].gap_ps = 64 * 80000 + BW_AHEAD * 80000;
	simulate(load, 1, 800, 100, &r);
	CHECK(near(r.total_mbps, 400, 0.1));
}

/* Random misses that ask for twice the bandwidth, with write-backs: exactly all of it. */
static void saturating_misses(void)
{
	struct load load[4];
	struct result r;
	int i;

	for (i = 0; i < 4; i++)
		load[i] = (struct load){ .own_ps = 274000, .writes = true };
	simulate(load, 4, 800, 400, &r);
	CHECK(near(r.total_mbps, 800, 0.02));
	for (i = 0; i < 4; i++)
		CHECK(near(r.mbps[i], 200, 0.02));
}

/* A vCPU that halts leaves its part to the other, and gets it back. */
static void halts_between(void)
{
	struct load load[2] = { { .own_ps = 60000, .streamed = true, .idle = 2 },
				{ .own_ps = 60000, .streamed = true } };
	struct result r;

	simulate(load, 2, 800, 400, &r);
	/* Half the time alone, half the time half: 200 and 600. */
	CHECK(near(r.mbps[0], 200, 0.10));
	CHECK(near(r.mbps[1], 600, 0.10));
	CHECK(near(r.total_mbps, 800, 0.04));
}

/* One that is held back in bursts only must not keep others from what it leaves. */
static void bursts(void)
{
	struct load load[2] = { { .own_ps = 10000, .streamed = true, .gap_ps = 30000000 },
				{ .own_ps = 10000, .streamed = true } };
	struct result r;

	simulate(load, 2, 800, 800, &r);
	CHECK(near(r.total_mbps, 800, 0.1));
	CHECK(r.mbps[0] > 64 * 64 / 45.0);
}

/* A halted vCPU is in nobody's way. */
static void halted_is_gone(void)
{
	const uint64_t rates[NODES] = { 800, 800 };
	struct bandwidth bw;
	int64_t now = 0;
	int n;

	bw_init(&bw, rates, NODES, 2);
	bw_slice_begin(&bw, 0);
	for (n = 0; n < 200; n++) {
		now += 10000;
		now += bw_read(&bw, 0, 0, now, true);
	}
	bw_slice_end(&bw, 0, now);
	bw_slice_begin(&bw, 1);
	CHECK(bw_read(&bw, 1, 0, now, false) > 0);
	bw_slice_end(&bw, 1, SLICE);
	bw_stop(&bw, 0);
	bw_slice_begin(&bw, 1);
	CHECK(bw_read(&bw, 1, 0, now + SLICE, false) == 0);
}

/* What one node's users do is nothing to the other node. */
static void nodes_are_apart(void)
{
	const uint64_t rates[NODES] = { 800, 8000 };
	struct bandwidth bw;
	int64_t now = 0;
	int n, round;

	bw_init(&bw, rates, NODES, 2);
	for (round = 0; round < 50; round++) {
		bw_slice_begin(&bw, 0);
		for (n = 0; n < 250; n++) {
			now += 10000;
			now += bw_read(&bw, 0, 0, now, true);
		}
		bw_slice_end(&bw, 0, SLICE);
		bw_slice_begin(&bw, 1);
		CHECK(bw_read(&bw, 1, 1, now, false) == 0);
		bw_slice_end(&bw, 1, SLICE);
	}
}

int main(void)
{
	saturating_streams(false);
	saturating_streams(true);
	light_beside_heavy();
	below_saturation();
	no_wait_far_below();
	wait_grows();
	wait_by_formula();
	catches_up();
	saturating_misses();
	halts_between();
	bursts();
	halted_is_gone();
	nodes_are_apart();
	return check_report();
}
