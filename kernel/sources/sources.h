/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: What several sources share
 */
#ifndef PGHOT_SOURCES_SOURCES_H
#define PGHOT_SOURCES_SOURCES_H

#include "core/source.h"

struct divert;

int pghot_source_watch(struct pghot_source *source, struct divert *watch);

#endif /* PGHOT_SOURCES_SOURCES_H */
