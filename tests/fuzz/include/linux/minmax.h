/* SPDX-License-Identifier: GPL-2.0 */
/* Adds to the header of the same name. */
#ifndef FUZZ_MINMAX_H
#define FUZZ_MINMAX_H

#include_next <linux/minmax.h>

#define swap(a, b) ({				\
	__typeof__(a) _first = (a);		\
	(a) = (b);				\
	(b) = _first;				\
})

#endif /* FUZZ_MINMAX_H */
