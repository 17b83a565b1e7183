// SPDX-License-Identifier: GPL-2.0
/* vtime: what one clock for vCPUs that run in turn must keep. */
#include "vtime.h"

#include <stdlib.h>

#include "check.h"

#define SLICE	20000000

/* k vCPUs, all busy: when each has run n slices the time is n slices. */
static void all_busy(int k)
{
	struct vtime vt;
	int i, round;

	vtime_init(&vt, k);
	for (i = 0; i < k; i++)
		vtime_start(&vt, i);
	for (round = 1; round <= 1000; round++) {
		for (i = 0; i < k; i++) {
			vtime_add(&vt, i, SLICE);
			/* Within a round it moves by even steps. */
			CHECK(vtime_now(&vt, 0) ==
			      (round - 1) * (int64_t)SLICE + (i + 1) * (int64_t)SLICE / k);
		}
		CHECK(vtime_now(&vt, 0) == round * (int64_t)SLICE);
	}
}

/* Short bursts of one vCPU must not change how fast another gets on. */
static void bursts(int64_t burst)
{
	struct vtime vt;
	int round;

	vtime_init(&vt, 2);
	vtime_start(&vt, 0);
	for (round = 1; round <= 1000; round++) {
		vtime_add(&vt, 0, SLICE);
		vtime_start(&vt, 1);
		vtime_add(&vt, 1, burst);
		vtime_now(&vt, 0);
		vtime_stop(&vt, 1);
	}
	/* vCPU 0 was busy all the time: the clock is what it did, or a burst ahead. */
	CHECK(vtime_now(&vt, 0) >= 1000 * (int64_t)SLICE);
	CHECK(vtime_now(&vt, 0) <= 1000 * (int64_t)SLICE + burst);
}

/* Whatever happens, the clock never goes back and is never ahead of all vCPUs' work. */
static void random_schedule(void)
{
	int64_t last = 0, now, work = 0, ps;
	struct vtime vt;
	int n, i, k = 1 + rand() % VTIME_MAX_VCPUS;

	vtime_init(&vt, k);
	for (n = 0; n < 20000; n++) {
		i = rand() % k;
		if (!vt.running[i]) {
			vtime_start(&vt, i);
			CHECK(vt.local[i] == vtime_now(&vt, 0));
		} else if (rand() % 8) {
			ps = rand() % (2 * SLICE);
			vtime_add(&vt, i, ps);
			work += ps;
		} else {
			vtime_stop(&vt, i);
		}
		now = vtime_now(&vt, 0);
		CHECK(now >= last);
		CHECK(now <= work);
		last = now;
	}
}

static void lag(void)
{
	struct vtime vt;

	vtime_init(&vt, 3);
	vtime_start(&vt, 0);
	CHECK(vtime_lag(&vt, 0) == 0);
	vtime_start(&vt, 1);
	vtime_add(&vt, 1, 500);
	CHECK(vtime_lag(&vt, 0) == 500);
	CHECK(vtime_lag(&vt, 1) == -500);
	vtime_start(&vt, 2);
	CHECK(vt.local[2] == 250);
	CHECK(vtime_lag(&vt, 0) == 250);
	vtime_stop(&vt, 2);
	CHECK(vtime_lag(&vt, 0) == 500);
	/* What has not been added yet counts when the caller says so. */
	CHECK(vtime_now(&vt, 100) == 300);
	CHECK(vtime_now(&vt, 0) == 300);
}

static void nobody_runs(void)
{
	struct vtime vt;

	vtime_init(&vt, 2);
	CHECK(vtime_now(&vt, 0) == 0);
	vtime_start(&vt, 0);
	vtime_add(&vt, 0, 123);
	vtime_stop(&vt, 0);
	CHECK(vtime_now(&vt, 0) == 123);
	vtime_start(&vt, 1);
	CHECK(vt.local[1] == 123);
}

int main(void)
{
	int k, n;

	srand(4);
	for (k = 1; k <= VTIME_MAX_VCPUS; k++)
		all_busy(k);
	for (n = 1; n <= 20; n++)
		bursts(n * (int64_t)SLICE / 20);
	for (n = 0; n < 200; n++)
		random_schedule();
	lag();
	nobody_runs();
	return check_report();
}
