// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints themselves: all code here comes from the kernel's macros.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
