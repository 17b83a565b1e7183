/* SPDX-License-Identifier: GPL-2.0 */
/* Time does not pass: a device is asked a few times. */
#ifndef _LINUX_IOPOLL_H
#define _LINUX_IOPOLL_H

#include <errno.h>

#define readq_poll_timeout(at, value, condition, sleep_us, timeout_us) ({	\
	unsigned int _tries = 3;						\
										\
	do {									\
		(value) = readq(at);						\
	} while (!(condition) && --_tries);					\
	_tries ? 0 : -ETIMEDOUT;						\
})

#endif /* _LINUX_IOPOLL_H */
