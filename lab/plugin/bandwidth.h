/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bandwidth of the memory nodes, shared by vCPUs that run one after the other.
 *
 * One "busy until" time per node would make a vCPU queue behind what another one
 * did in a slice that stands for the same time. So every vCPU has its own server
 * for each node, with a share of the bandwidth that follows what the others used
 * in their last slices:
 *
 *   fair  = (1 - use of the others that were not held back) /
 *           (1 + number of the others that were held back)
 *   left  = 1 - use of all others
 *   share = max(fair, left)
 *
 * The first is max-min fairness (Bertsekas and Gallager, Data Networks, 6.5) with
 * the last slice's use as the demand of who was not held back; so equal streams
 * get equal shares, however they began. The second gives away what nobody used,
 * as when another one is held back in bursts only.
 *
 * A streamed miss is paced by that server: each line takes line time / share; the
 * server may have fetched up to BW_AHEAD lines in advance, as a prefetcher does
 * while its CPU waits for something else.
 *
 * Any other miss waits for the server as well, and for those before it in the
 * node's queue. Their mean number is that of an M/D/1 queue
 * (Pollaczek-Khinchine): with service time s and load rho,
 *
 *   wait = s * rho / (2 * (1 - rho)), at most (k - 1) * s
 *
 * as k CPUs that each wait for their own miss cannot queue deeper. rho is the use
 * by the others, smoothed over 8 slices: in a closed system a CPU that arrives
 * finds the queue as if it were not there (arrival theorem of mean value analysis,
 * Reiser and Lavenberg), so one CPU alone never waits.
 *
 * Write-backs take bandwidth and delay nobody directly. Times are in ps of the
 * vCPU's local time; shares and uses are in parts of BW_ONE.
 */
#ifndef TIERMEM_BANDWIDTH_H
#define TIERMEM_BANDWIDTH_H

#include <stdbool.h>
#include <stdint.h>

#include "nodemap.h"
#include "vtime.h"

#define BW_ONE		(1 << 20)
#define BW_AHEAD	16
#define BW_LINE		64

/* One vCPU's use of one node. */
struct bw_user {
	int64_t busy;		/* its server is busy until */
	int64_t service;	/* time per line at its share */
	int64_t ahead;		/* how far its server may lag behind the CPU's time */
	int64_t wait;		/* mean wait in the node's queue */
	int64_t held;		/* held back in this slice */
	uint32_t lines;		/* moved in this slice */
	bool was_held;		/* held back for an eighth of its last slice */
	int32_t use;		/* of the last slice */
	int32_t load;		/* use, smoothed */
};

struct bandwidth {
	int64_t line_ps[NODEMAP_MAX_NODES];
	struct bw_user user[VTIME_MAX_VCPUS][NODEMAP_MAX_NODES];
	int nr_nodes;
	int nr_vcpus;
};

/* @mbps: bandwidth of each node in 10^6 bytes per second. */
void bw_init(struct bandwidth *bw, const uint64_t *mbps, int nr_nodes, int nr_vcpus);

/* vCPU @i begins a slice: take what the others used into account. */
void bw_slice_begin(struct bandwidth *bw, int i);

/* vCPU @i ends a slice of @ps, after which it runs on or others do. */
void bw_slice_end(struct bandwidth *bw, int i, int64_t ps);

/* vCPU @i stops running: it uses nothing until its next slice. */
void bw_stop(struct bandwidth *bw, int i);

/* vCPU @i reads a line from @node at @now. Returns how long it queues. */
static inline int64_t bw_read(struct bandwidth *bw, int i, int node, int64_t now, bool streamed)
{
	struct bw_user *u = &bw->user[i][node];
	int64_t start = u->busy, held = 0;

	if (start < now - u->ahead)
		start = now - u->ahead;
	u->busy = start + u->service;
	u->lines++;
	if (start > now) {
		held = start - now;
		u->held += held;
	}
	if (!streamed && u->wait > held)
		return u->wait;
	return held;
}

/* vCPU @i causes a line to be written to @node at @now. */
static inline void bw_write(struct bandwidth *bw, int i, int node, int64_t now)
{
	struct bw_user *u = &bw->user[i][node];
	int64_t start = u->busy;

	if (start < now - u->ahead)
		start = now - u->ahead;
	u->busy = start + u->service;
	u->lines++;
}

#endif
