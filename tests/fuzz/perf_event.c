// SPDX-License-Identifier: GPL-2.0
/*
 * Texts for perf_event: the event of performance counters that an administrator chooses. It is one
 * that perf_event_open() could take, and stays as it is while it is in use.
 */
#include <linux/mmzone.h>

#include "fuzz.h"
#include "sources/perf/spec.c"
#include "textfile.h"

static void check_use(void)
{
	const struct perf_spec *spec = pghot_perf_spec_take();

	assert(!spec == !chosen.given);
	if (spec) {
		assert(spec->precise <= 3 && tells_of_memory(spec->type));
		assert(pghot_perf_event_file.set("none", 4) == -EBUSY);
		assert(perf_event_ops.set("1 2 3 4", NULL) == -EBUSY);
	}
	pghot_perf_spec_release();
}

void fuzz_one(struct input *in)
{
	chosen = (struct perf_spec){ };
	while (in->left) {
		size_t len;
		char *text = input_text(in, &len);
		int ret = textfile_write(&pghot_perf_event_file, text, len);

		assert(!ret || ret == -EINVAL || ret == -ERANGE);
		check_use();
		free(text);
	}
}
