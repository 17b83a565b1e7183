// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/mutex.h>

#include "../pghot.h"
#include "../tunables.h"
#include "sources.h"

static DEFINE_MUTEX(sources_lock);
static unsigned int running;

static int source_start(enum pghot_src src)
{
	switch (src) {
	case PGHOT_SRC_HINTFAULTS:
		return hintfault_start();
	case PGHOT_SRC_ACCESSED:
		return accessed_start();
	default:
		return 0;
	}
}

static void source_stop(enum pghot_src src)
{
	switch (src) {
	case PGHOT_SRC_HINTFAULTS:
		hintfault_stop();
		break;
	case PGHOT_SRC_ACCESSED:
		accessed_stop();
		break;
	default:
		break;
	}
}

static void stop(unsigned int mask)
{
	unsigned int src;

	for (src = 0; src < PGHOT_NR_SRC; src++) {
		if (mask & BIT(src))
			source_stop(src);
	}
}

/* Returns why one of them cannot start; then none of them runs. */
static int start(unsigned int mask)
{
	unsigned int src;
	int ret;

	for (src = 0; src < PGHOT_NR_SRC; src++) {
		ret = mask & BIT(src) ? source_start(src) : 0;
		if (ret) {
			stop(mask & (BIT(src) - 1));
			return ret;
		}
	}
	return 0;
}

/**
 * sources_set() - run just these sources
 * @mask: bits of enum pghot_src
 *
 * Process context, sleeps. A source that is off costs nothing.
 *
 * Return: 0, or why a source cannot start; then nothing has changed.
 */
int sources_set(unsigned int mask)
{
	int ret;

	mutex_lock(&sources_lock);
	ret = start(mask & ~running);
	if (!ret) {
		stop(running & ~mask);
		running = mask;
		WRITE_ONCE(pghot_enabled_sources, mask);
	}
	mutex_unlock(&sources_lock);
	return ret;
}
