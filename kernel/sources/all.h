/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Declarations of all sources
 *
 * Only all.c and main.c include this header, so that no source knows of another one through it.
 */
#ifndef PGHOT_SOURCES_ALL_H
#define PGHOT_SOURCES_ALL_H

#include "core/source.h"

/* Each is defined in its folder. */
PGHOT_DECLARE_SOURCE(hintfaults);
PGHOT_DECLARE_SOURCE(hwhints);
PGHOT_DECLARE_SOURCE(accessed);
PGHOT_DECLARE_SOURCE(pagecache);
PGHOT_DECLARE_SOURCE(mglru);
PGHOT_DECLARE_SOURCE(perf);
PGHOT_DECLARE_SOURCE(mprof);
PGHOT_DECLARE_SOURCE(chmu);
PGHOT_DECLARE_SOURCE(vhmu);
PGHOT_DECLARE_SOURCE(windows);

int pghot_sources_register(void);

#endif /* PGHOT_SOURCES_ALL_H */
