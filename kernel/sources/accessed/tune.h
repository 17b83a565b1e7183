/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Size and frequency of scans
 *
 * The rule says how much of a process the accessed-bit scanner looks at in one scan, and how long
 * it waits for the next. It was published with the kernel's first such scanner (kmmscand).
 *
 * What a scan finds in slow memory is useful. If a scan finds something and the last one found
 * nothing, the next scan comes soon and looks at everything. As long as scans find something, they
 * come sooner and get larger. As long as they find nothing, they come later and get smaller.
 *
 * pghot departs from the published rule in one point. By that rule a scanner waits four seconds
 * and more once all hot pages have been promoted. If other pages become hot meanwhile, it does not
 * see that. So once a process has been found to have useful pages, scans that find nothing do not
 * slow down that much: they come so often that they take a fixed small part of a CPU.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_SOURCES_ACCESSED_TUNE_H
#define PGHOT_SOURCES_ACCESSED_TUNE_H

#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/* Size of a scan, MiB. */
#define SCAN_SIZE_MIN		256u
#define SCAN_SIZE_INITIAL	1024u
#define SCAN_SIZE_MAX		4096u

/* From a scan to the next, ms. */
#define SCAN_PERIOD_MIN		500u
#define SCAN_PERIOD_INITIAL	2000u
#define SCAN_PERIOD_MAX		5000u

/* A scan that finds fewer useful pages than this counts as one that found nothing. */
#define SCAN_USEFUL_MIN		256u

/*
 * Scans that find nothing take this part of a CPU's time where something has been found
 * before, and do not come sooner than this, ms.
 */
#define SCAN_EMPTY_SHARE	50u
#define SCAN_EMPTY_MIN		100u

/* How much of the scanner a process gets: from 0, never scanned, to the maximum; the default. */
#define SCAN_SCALE_MAX		10u
#define SCAN_SCALE_DEFAULT	8u

/**
 * struct accessed_tune - the scans of one process
 * @size_mb: size of the next scan, MiB
 * @period_ms: from this scan to the next, at the default scale, ms
 * @useful: did the last scan find anything?
 * @proven: did any?
 */
struct accessed_tune {
	unsigned int size_mb;
	unsigned int period_ms;
	bool useful;
	bool proven;
};

/**
 * accessed_tune_init() - before the first scan
 * @t: the scans
 */
static inline void accessed_tune_init(struct accessed_tune *t)
{
	*t = (struct accessed_tune){
		.size_mb = SCAN_SIZE_INITIAL,
		.period_ms = SCAN_PERIOD_INITIAL,
	};
}

/**
 * accessed_tune() - after a scan
 * @t: the scans
 * @found: useful pages that it found
 * @cost_ns: CPU time that it took, ns
 */
static inline void accessed_tune(struct accessed_tune *t, unsigned long found, u64 cost_ns)
{
	unsigned int size = t->size_mb, period = t->period_ms;
	bool useful = found >= SCAN_USEFUL_MIN;

	if (useful && t->useful) {
		period = period * 85 / 100;
		size *= 2;
	} else if (useful) {
		period >>= 3;
		size = SCAN_SIZE_MAX;
	} else if (t->useful) {
		period <<= 3;
	} else {
		period = period * 115 / 100;
		size /= 2;
	}
	period = min(max(period, SCAN_PERIOD_MIN), SCAN_PERIOD_MAX);
	if (t->proven && !useful)
		period = clamp(cost_ns / NSEC_PER_MSEC * SCAN_EMPTY_SHARE, SCAN_EMPTY_MIN, period);
	t->period_ms = period;
	t->size_mb = min(max(size, SCAN_SIZE_MIN), SCAN_SIZE_MAX);
	t->useful = useful;
	t->proven |= useful;
}

/**
 * accessed_wait_ms() - from this scan to the next, at a scale
 * @t: the scans
 * @scale: 1 to SCAN_SCALE_MAX
 *
 * Return: ms; at half of the scale twice as much.
 */
static inline unsigned int accessed_wait_ms(const struct accessed_tune *t, unsigned int scale)
{
	return t->period_ms * SCAN_SCALE_DEFAULT / scale;
}

#endif /* PGHOT_SOURCES_ACCESSED_TUNE_H */
