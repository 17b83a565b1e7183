/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name. */
#ifndef FUZZ_COMPILER_H
#define FUZZ_COMPILER_H

#include_next <linux/compiler.h>

#define __iomem

#endif /* FUZZ_COMPILER_H */
