// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The code of promotion's tracepoints
 *
 * It is in a file of its own so that the files that use the tracepoints need nothing of each other
 * for that.
 */
#define CREATE_TRACE_POINTS
#include "promote/trace.h"
