// SPDX-License-Identifier: GPL-2.0
#include "core/slow.h"

nodemask_t pghot_slow_nodes;
