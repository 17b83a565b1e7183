// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints themselves: all code here comes from the kernel's macros.
 */
#include "sources/mprof_regs.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
