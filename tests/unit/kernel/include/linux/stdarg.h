/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_STDARG_H
#define _LINUX_STDARG_H

#include <stdarg.h>

#endif /* _LINUX_STDARG_H */
