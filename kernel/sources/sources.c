// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/mutex.h>

#include "../pghot.h"
#include "../tunables.h"
#include "../wrapper/divert.h"
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
	case PGHOT_SRC_PAGECACHE:
		return pagecache_start();
	case PGHOT_SRC_MGLRU:
		return mglru_start();
	case PGHOT_SRC_PERF:
		return perf_start();
	case PGHOT_SRC_MPROF:
		return mprof_start();
	case PGHOT_SRC_CHMU:
		return chmu_pci_start();
	case PGHOT_SRC_VHMU:
		return vhmu_start();
	case PGHOT_SRC_HWHINTS:
		return 0;	/* in another module */
	default:
		return -EOPNOTSUPP;
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
	case PGHOT_SRC_PAGECACHE:
		pagecache_stop();
		break;
	case PGHOT_SRC_MGLRU:
		mglru_stop();
		break;
	case PGHOT_SRC_PERF:
		perf_stop();
		break;
	case PGHOT_SRC_MPROF:
		mprof_stop();
		break;
	case PGHOT_SRC_CHMU:
		chmu_pci_stop();
		break;
	case PGHOT_SRC_VHMU:
		vhmu_stop();
		break;
	default:
		break;
	}
}

static void stop_all(unsigned long mask)
{
	unsigned int src;

	for_each_set_bit(src, &mask, PGHOT_NR_SRC)
		source_stop(src);
}

/* Returns why one of them cannot start; then none has. */
static int start_all(unsigned long mask)
{
	unsigned int src;
	int ret;

	for_each_set_bit(src, &mask, PGHOT_NR_SRC) {
		ret = source_start(src);
		if (ret) {
			stop_all(mask & (BIT(src) - 1));
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
	ret = start_all(mask & ~running);
	if (!ret) {
		stop_all(running & ~mask);
		running = mask;
		WRITE_ONCE(pghot_enabled_sources, mask);
	}
	mutex_unlock(&sources_lock);
	return ret;
}

/**
 * sources_watch() - watch_start() for a source, which says why it is not available
 * @source: the source's name, for the log
 * @watch: what it watches
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno of watch_start(), with the reason in the log.
 */
int sources_watch(const char *source, struct divert *watch)
{
	int ret = watch_start(watch);

	if (ret == -ENOENT)
		pr_err("pghot: %s: not available, because this kernel has no function %s to watch\n",
		       source, watch->function);
	else if (ret == -ENOEXEC)
		pr_err("pghot: %s: not available, because %s is of another type\n", source,
		       watch->function);
	else if (ret == -EBUSY)
		pr_err("pghot: %s: not available, because kernel.ftrace_enabled is 0\n", source);
	else if (ret)
		pr_err("pghot: %s: not available, because %s cannot be watched (%d)\n", source,
		       watch->function, ret);
	return ret;
}
