/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints that nobody has switched on. */
#ifndef _LINUX_TRACEPOINT_H
#define _LINUX_TRACEPOINT_H

#include <linux/kernel.h>

#define TP_PROTO(...)		__VA_ARGS__
#define TRACE_DEFINE_ENUM(name)	struct shim_exported

#define TRACE_EVENT(name, proto, args, entry, assign, print)			\
	static inline void trace_##name(proto)					\
	{									\
	}									\
	static inline bool trace_##name##_enabled(void)				\
	{									\
		return false;							\
	}									\
	struct shim_exported

#endif /* _LINUX_TRACEPOINT_H */
