// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Making and removing all files
 */
#include "surface/surface.h"

/**
 * pghot_surface_open() - make all files
 *
 * Process context, sleeps. The rest of pghot is there.
 *
 * Return: 0 or -errno, with nothing left behind.
 */
int pghot_surface_open(void)
{
	int ret = pghot_sysfs_open();

	if (ret)
		return ret;
	ret = pghot_sysctl_open();
	if (ret) {
		pghot_sysfs_close();
		return ret;
	}
	pghot_debugfs_open();
	return 0;
}

/**
 * pghot_surface_close() - remove all files
 *
 * Process context, sleeps until nobody is inside one.
 */
void pghot_surface_close(void)
{
	pghot_debugfs_close();
	pghot_sysctl_close();
	pghot_sysfs_close();
}
