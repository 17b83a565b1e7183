/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plugin's configuration: plain text, one "key value..." per line, as the
 * runner makes it from a machine file. Empty lines and lines that begin with #
 * are skipped. config.c lists the keys.
 */
#ifndef TIERMEM_CONFIG_H
#define TIERMEM_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hmu.h"
#include "nodemap.h"
#include "tlb.h"
#include "vtime.h"

#define CONFIG_PATH_MAX	4096

struct config_cache {
	uint64_t bytes;
	uint64_t ways;
	uint64_t ns;		/* time of a hit; 0 for the first level */
};

struct config {
	char out[CONFIG_PATH_MAX];
	char pages[CONFIG_PATH_MAX];			/* empty: not wanted */
	uint64_t below4g;
	uint64_t node_bytes[NODEMAP_MAX_NODES];
	uint64_t node_mbps[NODEMAP_MAX_NODES];
	int nr_nodes;
	int cpu_node[VTIME_MAX_VCPUS];
	int nr_cpus;
	uint64_t latency_ns[NODEMAP_MAX_NODES][NODEMAP_MAX_NODES];	/* CPU node, memory node */
	bool has_latency[NODEMAP_MAX_NODES];
	struct config_cache l1, l2, llc;
	uint64_t streams;
	uint64_t window;		/* instructions; 0: misses do not overlap */
	uint64_t insn_ps;
	uint64_t slice_ns;
	uint64_t interval_ns;
	uint64_t frozen_ps;		/* where a saved guest's clock stood; 0: it boots */
	char hmu_file[CONFIG_PATH_MAX];			/* empty: the machine has none */
	struct hmu_config hmu;
	struct tlb_config tlb;				/* no entries: TLBs are not modelled */
#ifdef DEVICE_READS
	uint64_t device_read_ns;	/* what a read of a device's memory takes; 0: nothing */
#endif
};

/*
 * Parse and check @text. False on failure, with a message in @err that names the
 * key and the reason.
 */
bool config_parse(struct config *cfg, const char *text, char *err, size_t err_size);

#endif
