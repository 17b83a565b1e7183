/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sources of hotness, switched by the bits of enabled_sources.
 */
#ifndef PGHOT_SOURCES_H
#define PGHOT_SOURCES_H

struct divert;

int sources_set(unsigned int mask);
int sources_watch(const char *source, struct divert *watch);

int hintfault_start(void);
void hintfault_stop(void);
int accessed_start(void);
void accessed_stop(void);
int pagecache_start(void);
void pagecache_stop(void);
int mglru_start(void);
void mglru_stop(void);
int perf_start(void);
void perf_stop(void);
int mprof_start(void);
void mprof_stop(void);
int chmu_pci_start(void);
void chmu_pci_stop(void);
int vhmu_start(void);
void vhmu_stop(void);

#endif /* PGHOT_SOURCES_H */
