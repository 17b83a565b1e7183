/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device's side of the virtual hotness monitoring unit: what it counts, and its
 * registers in memory that it shares with the guest.
 *
 * The registers are plain memory, so that writes of the guest are noticed when the device
 * looks at them, at the end of each slice of a vCPU. An instance for each slow node counts
 * what the node's memory serves: lines read, and lines written back. Where the guest has
 * not asked for them yet, nothing is counted.
 */
#ifndef TIERMEM_HMU_H
#define TIERMEM_HMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodemap.h"

/* Units and epochs that it takes, and the widest count. */
#define HMU_UNIT_MIN_SHIFT	12
#define HMU_UNIT_MAX_SHIFT	21
#define HMU_EPOCH_MIN_US	100
#define HMU_EPOCH_MAX_US	10000000
#define HMU_MULT_MAX		4095
#define HMU_WIDTH		16
#define HMU_COUNT_MAX		((1u << HMU_WIDTH) - 1)

/* With what the device comes. */
struct hmu_config {
	uint64_t unit;		/* bytes */
	uint64_t epoch_us;
	uint64_t threshold;	/* accesses in an epoch */
	uint64_t sampling;	/* 1 in so many is counted, a power of two */
	uint64_t loss;		/* per cent of the entries that get lost */
	uint64_t entries;	/* of the hotlist */
	uint64_t seed;
};

struct hmu_instance {
	uint8_t *regs;		/* NULL: the node is not watched */
	uint64_t list;		/* offset of the hotlist */
	uint64_t first;		/* RAM offset of the node */
	uint64_t dpa;		/* its device address */
	uint32_t entries;
	uint64_t loss;
	uint64_t random;

	bool on;
	bool overflow;
	bool fixed;		/* counts each Nth access, not one in N by chance */
	uint8_t what;		/* 1: reads, 2: writes */
	uint32_t sampling;	/* N - 1 */
	uint32_t passed;	/* accesses, for fixed */
	unsigned int shift;	/* of a unit */
	int64_t epoch_ns;
	int64_t next_ns;	/* when the epoch ends */
	uint64_t cfg0;		/* as seen last */
	uint64_t status;	/* as told last */

	uint16_t *count;	/* by unit of the node */
	uint32_t *touched;	/* units that were accessed in this epoch */
	uint32_t nr_touched;
};

struct hmu {
	struct hmu_instance node[NODEMAP_MAX_NODES];
	bool present;
};

/* Bytes that the device needs for @nr instances. */
size_t hmu_bytes(const struct hmu_config *cfg, int nr);

/*
 * Make the device in @shared, of at least hmu_bytes(), for the nodes of @map whose bit is
 * set in @slow. False if out of memory.
 */
bool hmu_init(struct hmu *h, const struct hmu_config *cfg, const struct nodemap *map,
	      unsigned int slow, uint8_t *shared);

/* Look at what the guest has written; epochs that have ended by @now_ns end. */
void hmu_look(struct hmu *h, int64_t now_ns);

/* The memory at RAM offset @off, of the instance's node, served an access. */
void hmu_count(struct hmu_instance *i, uint64_t off, bool write);

/* The same, for a node that may not be watched. */
static inline void hmu_access(struct hmu_instance *i, uint64_t off, bool write)
{
	if (i->on)
		hmu_count(i, off, write);
}

void hmu_free(struct hmu *h);

#endif
