/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All sources, and what several of them share.
 */
#ifndef PGHOT_SOURCES_SOURCES_H
#define PGHOT_SOURCES_SOURCES_H

#include "core/source.h"

struct divert;
struct tunable;

extern struct tunable pghot_scan_cpu_percent;

/* Each is described in its folder, and has its line in all.c. */
extern struct pghot_source pghot_hintfaults_source;
extern struct pghot_source pghot_hwhints_source;
extern struct pghot_source pghot_accessed_source;
extern struct pghot_source pghot_pagecache_source;
extern struct pghot_source pghot_mglru_source;
extern struct pghot_source pghot_perf_source;
extern struct pghot_source pghot_mprof_source;
extern struct pghot_source pghot_chmu_source;
extern struct pghot_source pghot_vhmu_source;

int pghot_sources_register(void);
int pghot_source_watch(struct pghot_source *source, struct divert *watch);

#endif /* PGHOT_SOURCES_SOURCES_H */
