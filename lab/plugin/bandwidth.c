// SPDX-License-Identifier: GPL-2.0
#include "bandwidth.h"

#include <string.h>

void bw_init(struct bandwidth *bw, const uint64_t *mbps, int nr_nodes, int nr_vcpus)
{
	int i, n;

	memset(bw, 0, sizeof(*bw));
	bw->nr_nodes = nr_nodes;
	bw->nr_vcpus = nr_vcpus;
	for (n = 0; n < nr_nodes; n++)
		bw->line_ps[n] = BW_LINE * INT64_C(1000000) / (int64_t)mbps[n];
	for (i = 0; i < nr_vcpus; i++)
		bw_slice_begin(bw, i);
}

/* Share of @node that vCPU @i may use, in parts of BW_ONE. */
static int64_t bw_share(const struct bandwidth *bw, int i, int node)
{
	int64_t fair = BW_ONE, left = BW_ONE;
	const struct bw_user *u;
	int j, held = 0;

	for (j = 0; j < bw->nr_vcpus; j++) {
		if (j == i)
			continue;
		u = &bw->user[j][node];
		left -= u->use;
		if (u->was_held)
			held++;
		else
			fair -= u->use;
	}
	fair /= 1 + held;
	/* Uses may add up to more than 1 for a slice. */
	if (fair < BW_ONE / bw->nr_vcpus)
		fair = BW_ONE / bw->nr_vcpus;
	return left > fair ? left : fair;
}

/* Mean wait of vCPU @i in the queue of @node, ps. */
static int64_t bw_wait(const struct bandwidth *bw, int i, int node)
{
	int64_t s = bw->line_ps[node], rho = 0, most = 0, wait;
	int j;

	for (j = 0; j < bw->nr_vcpus; j++) {
		if (j == i || !bw->user[j][node].load)
			continue;
		rho += bw->user[j][node].load;
		most += s;
	}
	if (rho >= BW_ONE)
		return most;
	wait = s * rho / (2 * (BW_ONE - rho));
	return wait < most ? wait : most;
}

void bw_slice_begin(struct bandwidth *bw, int i)
{
	struct bw_user *u = bw->user[i];
	int n;

	for (n = 0; n < bw->nr_nodes; n++, u++) {
		u->service = bw->line_ps[n] * BW_ONE / bw_share(bw, i, n);
		u->ahead = u->service * BW_AHEAD;
		u->wait = bw_wait(bw, i, n);
	}
}

void bw_slice_end(struct bandwidth *bw, int i, int64_t ps)
{
	struct bw_user *u = bw->user[i];
	int64_t use;
	int n;

	if (ps <= 0)
		return;
	for (n = 0; n < bw->nr_nodes; n++, u++) {
		use = u->lines * bw->line_ps[n] * BW_ONE / ps;
		u->use = use < BW_ONE ? use : BW_ONE;
		u->load += (u->use - u->load) / 8;
		u->was_held = u->held > ps / 8;
		u->held = 0;
		u->lines = 0;
	}
}

void bw_stop(struct bandwidth *bw, int i)
{
	struct bw_user *u = bw->user[i];
	int n;

	for (n = 0; n < bw->nr_nodes; n++, u++) {
		u->use = 0;
		u->load = 0;
		u->lines = 0;
		u->held = 0;
		u->was_held = false;
	}
}
