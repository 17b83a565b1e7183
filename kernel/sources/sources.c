// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/mutex.h>

#include "../pghot.h"
#include "../tunables.h"
#include "sources.h"

static DEFINE_MUTEX(sources_lock);
static unsigned int running;

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
	unsigned int changed;
	int ret = 0;

	mutex_lock(&sources_lock);
	changed = running ^ mask;
	if (changed & BIT(PGHOT_SRC_HINTFAULTS)) {
		if (mask & BIT(PGHOT_SRC_HINTFAULTS))
			ret = hintfault_start();
		else
			hintfault_stop();
	}
	if (!ret) {
		running = mask;
		WRITE_ONCE(pghot_enabled_sources, mask);
	}
	mutex_unlock(&sources_lock);
	return ret;
}
