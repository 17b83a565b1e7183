/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_JUMP_LABEL_H
#define _LINUX_JUMP_LABEL_H

#include <linux/types.h>

struct static_key_false {
	bool on;
};

#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key_false name
#define DEFINE_STATIC_KEY_FALSE(name)	struct static_key_false name

/* STATIC_KEYS: what all keys are, known to the compiler, the nearest to a patched jump. */
#ifdef STATIC_KEYS
#define static_branch_unlikely(key)	((void)(key), STATIC_KEYS)
#else
#define static_branch_unlikely(key)	((key)->on)
#endif

#endif /* _LINUX_JUMP_LABEL_H */
