// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Where the memory of CXL devices is
 *
 * A device reports its own addresses, and records are kept by host address. Stock kernels know how
 * the two belong together, but tell no module. So the administrator writes the map, which
 * pghot-cxl-map finds in sysfs.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "core/textfile.h"
#include "sources/chmu/map.h"

/* A line of the map. */
struct map_line {
	char device[16];
	struct chmu_range range;
};

static DEFINE_MUTEX(map_lock);
static struct map_line *lines;
static unsigned int nr_lines;

/* "DEVICE DPA SIZE HPA WAYS GRANULARITY POSITION", with one space or comma between. */
static int parse_line(char *text, struct map_line *line)
{
	u64 *value[] = {
		&line->range.dpa, &line->range.size, &line->range.hpa, &line->range.ways,
		&line->range.granularity, &line->range.position,
	};
	char *word = strsep(&text, " ,");
	unsigned int i;

	if (!*word || strscpy(line->device, word) < 0)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(value); i++) {
		int ret;

		word = strsep(&text, " ,");
		if (!word)
			return -EINVAL;
		ret = kstrtou64(word, 0, value[i]);
		if (ret)
			return ret;
	}
	return text ? -EINVAL : 0;
}

/* The ranges of a device. Returns how many: @map has CHMU_RANGES_MAX of them at most. */
static unsigned int pick(const struct map_line *from, unsigned int nr, const char *device,
			 struct chmu_range *map)
{
	unsigned int i, found = 0;

	for (i = 0; i < nr; i++) {
		if (strcmp(from[i].device, device))
			continue;
		if (found < CHMU_RANGES_MAX)
			map[found] = from[i].range;
		found++;
	}
	return found;
}

/* Checks the ranges of each device. */
static int check(const struct map_line *from, unsigned int nr)
{
	struct chmu_range *map = kcalloc(CHMU_RANGES_MAX, sizeof(*map), GFP_KERNEL);
	const char *wrong = NULL;
	unsigned int i;

	if (!map)
		return -ENOMEM;
	for (i = 0; i < nr && !wrong; i++) {
		wrong = chmu_map_check(map, pick(from, nr, from[i].device, map));
		if (wrong)
			pr_err("chmu_map: %s: %s\n", from[i].device, wrong);
	}
	kfree(map);
	return wrong ? -EINVAL : 0;
}

/* Returns 0, with lines in @to and their number in @nr. */
static int parse(char *text, struct map_line *to, unsigned int *nr)
{
	unsigned int found = 0;
	char *line;
	int ret;

	while ((line = strsep(&text, "\n;"))) {
		if (!*line)
			continue;
		if (found == CHMU_MAP_LINES)
			return -E2BIG;
		ret = parse_line(line, &to[found++]);
		if (ret) {
			pr_err("chmu_map: line %u is not a device and six numbers (%d)\n",
			       found, ret);
			return ret;
		}
	}
	*nr = found;
	return check(to, found);
}

/*
 * chmu_map_set() - say where the memory of CXL devices is
 * @text: lines as parse_line() takes them, of each device in the order of its addresses;
 *	all that there are: what was said before is forgotten. Semicolons do as well as ends
 *	of lines, which are troublesome in the parameters of a module, as are spaces
 * @len: length of @text
 *
 * Process context, sleeps. It acts when the source is switched on next, or a device comes.
 *
 * Return: 0; -EINVAL or -ERANGE for what is no such line, -EINVAL for ranges that cannot be,
 * with the reason in the log; -E2BIG for too many; or -ENOMEM. On any error nothing has
 * changed.
 */
static int chmu_map_set(const char *text, size_t len)
{
	char *copy = kmemdup_nul(text, len, GFP_KERNEL);
	struct map_line *new = kcalloc(CHMU_MAP_LINES, sizeof(*new), GFP_KERNEL);
	unsigned int nr;
	int ret = -ENOMEM;

	if (copy && new)
		ret = strlen(copy) == len ? parse(copy, new, &nr) : -EINVAL;
	if (!ret) {
		mutex_lock(&map_lock);
		swap(lines, new);
		nr_lines = nr;
		mutex_unlock(&map_lock);
	}
	kfree(new);
	kfree(copy);
	return ret;
}

/*
 * chmu_map_show() - what was said
 * @buf: of a file in sysfs
 *
 * Process context, sleeps.
 *
 * Return: bytes; whole lines as chmu_map_set() takes them, as many as there is room for.
 */
static ssize_t chmu_map_show(char *buf)
{
	ssize_t len = 0;
	unsigned int i;

	mutex_lock(&map_lock);
	for (i = 0; i < nr_lines; i++) {
		const struct chmu_range *r = &lines[i].range;

		len += sysfs_emit_at(buf, len, "%s %#llx %#llx %#llx %llu %llu %llu\n",
				     lines[i].device, r->dpa, r->size, r->hpa, r->ways,
				     r->granularity, r->position);
	}
	mutex_unlock(&map_lock);
	return textfile_whole_lines(buf, len);
}

/* Not everybody may know addresses. */
const struct textfile pghot_chmu_map_file = {
	.name = "chmu_map",
	.mode = 0600,
	.show = chmu_map_show,
	.set = chmu_map_set,
};

/**
 * pghot_chmu_map_get() - where the memory of a device is
 * @device: its name on its bus
 * @map: room for CHMU_RANGES_MAX ranges
 *
 * Process context, sleeps.
 *
 * Return: number of ranges, 0 if nobody has said.
 */
unsigned int pghot_chmu_map_get(const char *device, struct chmu_range *map)
{
	unsigned int nr;

	mutex_lock(&map_lock);
	nr = pick(lines, nr_lines, device, map);
	mutex_unlock(&map_lock);
	return nr;
}

static int chmu_map_param(const char *text, const struct kernel_param *param)
{
	return chmu_map_set(text, strlen(text));
}

/* The kernel calls this also if the module does not load, and so never runs its end. */
static void chmu_map_free(void *arg)
{
	kfree(lines);
}

static const struct kernel_param_ops chmu_map_ops = {
	.set = chmu_map_param,
	.free = chmu_map_free,
};

module_param_cb(chmu_map, &chmu_map_ops, NULL, 0);
__MODULE_PARM_TYPE(chmu_map, "charp");
MODULE_PARM_DESC(chmu_map,
		 "Where CXL devices' memory is, as pghot-cxl-map says: DEVICE,DPA,SIZE,HPA,WAYS,GRANULARITY,POSITION[;...]. (nothing)");
