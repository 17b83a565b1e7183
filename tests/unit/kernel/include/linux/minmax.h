/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_MINMAX_H
#define _LINUX_MINMAX_H

#define min(a, b) ({				\
	__typeof__(a) _a = (a);			\
	__typeof__(b) _b = (b);			\
	_a < _b ? _a : _b;			\
})

#define max(a, b) ({				\
	__typeof__(a) _a = (a);			\
	__typeof__(b) _b = (b);			\
	_a > _b ? _a : _b;			\
})

#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

#define max3(a, b, c)	max(max(a, b), c)
#define clamp(v, lo, hi) ({			\
	__typeof__(v) _v = (v);			\
	_v < (lo) ? (lo) : _v > (hi) ? (hi) : _v;	\
})

#define clamp_t(type, v, lo, hi)	clamp((type)(v), (type)(lo), (type)(hi))

#endif /* _LINUX_MINMAX_H */
