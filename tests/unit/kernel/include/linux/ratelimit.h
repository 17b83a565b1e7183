/* SPDX-License-Identifier: GPL-2.0 */
/* Messages that come too often are left out: here all are there. */
#ifndef _LINUX_RATELIMIT_H
#define _LINUX_RATELIMIT_H

#define DEFAULT_RATELIMIT_INTERVAL	0
#define DEFAULT_RATELIMIT_BURST		0

#define DEFINE_RATELIMIT_STATE(name, interval, burst)	int name = 0
#define __ratelimit(state)		(*(state) == 0)

#endif /* _LINUX_RATELIMIT_H */
