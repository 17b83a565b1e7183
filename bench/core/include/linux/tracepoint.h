/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints that nobody has switched on. */
#ifndef _LINUX_TRACEPOINT_H
#define _LINUX_TRACEPOINT_H

#include <linux/kernel.h>

#define TP_PROTO(...)		__VA_ARGS__
#define TRACE_DEFINE_ENUM(name)	struct shim_exported

#define TRACE_EVENT(name, proto, ...)						\
	static inline void trace_##name(proto)					\
	{									\
	}									\
	static inline bool trace_##name##_enabled(void)				\
	{									\
		return false;							\
	}									\
	struct shim_exported

#define DECLARE_EVENT_CLASS(...)	struct shim_exported

#define DEFINE_EVENT(class, name, ...)	TRACE_EVENT(name, __VA_ARGS__)

#endif /* _LINUX_TRACEPOINT_H */
