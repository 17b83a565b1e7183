/* SPDX-License-Identifier: GPL-2.0 */
/* A program has no parameters of a module. */
#ifndef _LINUX_MODULEPARAM_H
#define _LINUX_MODULEPARAM_H

#define module_param_cb(name, ops, arg, mode)	struct shim_exported
#define __MODULE_PARM_TYPE(name, type)		struct shim_exported
#define MODULE_PARM_DESC(name, text)		struct shim_exported

#endif /* _LINUX_MODULEPARAM_H */
