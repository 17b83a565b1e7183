// SPDX-License-Identifier: GPL-2.0
/*
 * Texts for chmu_map: where an administrator says that the memory of CXL devices is. The ranges of
 * each device that is taken are possible, and the file shows lines that it takes.
 */
#include <linux/mmzone.h>

#include "fuzz.h"
#include "sources/chmu/map.c"
#include "textfile.h"

static void check_devices(void)
{
	struct chmu_range map[CHMU_RANGES_MAX];
	unsigned int i;

	assert(nr_lines <= CHMU_MAP_LINES);
	for (i = 0; i < nr_lines; i++)
		assert(!chmu_map_check(map, pghot_chmu_map_get(lines[i].device, map)));
}

void fuzz_one(struct input *in)
{
	while (in->left) {
		size_t len;
		char *text = input_text(in, &len);
		int ret = textfile_write(&pghot_chmu_map_file, text, len);

		assert(!ret || ret == -EINVAL || ret == -ERANGE || ret == -E2BIG);
		check_devices();
		free(text);
	}
	assert(!chmu_map_ops.set("", NULL));
	assert(!nr_lines);
	chmu_map_ops.free(NULL);
	lines = NULL;
}
