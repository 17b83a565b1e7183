// SPDX-License-Identifier: GPL-2.0
#include "vtime.h"

#include <string.h>

void vtime_init(struct vtime *vt, int nr_vcpus)
{
	memset(vt, 0, sizeof(*vt));
	vt->nr_vcpus = nr_vcpus;
}

int64_t vtime_now(struct vtime *vt, int64_t extra)
{
	int64_t now;

	if (!vt->nr_running)
		return vt->last;
	now = (vt->sum + extra) / vt->nr_running;
	if (now > vt->last)
		vt->last = now;
	return vt->last;
}

void vtime_start(struct vtime *vt, int i)
{
	vt->local[i] = vtime_now(vt, 0);
	vt->running[i] = true;
	vt->sum += vt->local[i];
	vt->nr_running++;
}

void vtime_stop(struct vtime *vt, int i)
{
	vtime_now(vt, 0);
	vt->running[i] = false;
	vt->sum -= vt->local[i];
	vt->nr_running--;
}

void vtime_add(struct vtime *vt, int i, int64_t ps)
{
	vt->local[i] += ps;
	vt->sum += ps;
}

int64_t vtime_lag(const struct vtime *vt, int i)
{
	int64_t least = INT64_MAX;
	int j;

	for (j = 0; j < vt->nr_vcpus; j++)
		if (j != i && vt->running[j] && vt->local[j] < least)
			least = vt->local[j];
	return least == INT64_MAX ? 0 : least - vt->local[i];
}
