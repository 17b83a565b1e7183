// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: The list of all parts
 */
#include "core/part.h"
#include "core/tunable.h"

LIST_HEAD(pghot_parts);

/**
 * pghot_part_register() - have a part's tunables, counters and files shown
 * @part: the part
 *
 * Process context, while the module loads, before pghot_parts_load(). A part stays registered
 * for as long as the module is loaded.
 */
void pghot_part_register(struct pghot_part *part)
{
	list_add_tail(&part->list, &pghot_parts);
}

/**
 * pghot_parts_load() - give the tunables of all parts their first values
 *
 * Process context, while the module loads, once the mode is known.
 *
 * Return: 0, or -errno of pghot_tunable_load().
 */
int pghot_parts_load(void)
{
	struct tunable *const *tunable;
	struct pghot_part *part;
	int ret;

	for_each_part(part) {
		for_each_of(tunable, part->tunables) {
			ret = pghot_tunable_load(*tunable);
			if (ret)
				return ret;
		}
	}
	return 0;
}
