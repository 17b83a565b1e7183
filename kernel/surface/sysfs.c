// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Files in sysfs
 *
 * /sys/kernel/mm/pghot/ has all tunables, all text files, and the counters.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "core/part.h"
#include "core/textfile.h"
#include "core/tunable.h"
#include "surface/surface.h"
#include "testing/inject.h"
#include "wrapper/symbols.h"

/**
 * struct door - a file of the directory
 * @attr: the file
 * @tunable: what it shows, or NULL
 * @text: what it shows instead
 */
struct door {
	struct kobj_attribute attr;
	struct tunable *tunable;
	const struct textfile *text;
};

static struct kobject *home;
static struct door *doors;
static struct attribute **attributes;	/* of all doors, and then NULL */
static struct attribute_group group;
static const struct attribute_group *groups[] = { &group, NULL };

static ssize_t door_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct door *door = container_of(attr, struct door, attr);

	if (door->tunable)
		return sysfs_emit(buf, "%d\n", pghot_tunable_get(door->tunable));
	return door->text->show(buf);
}

static ssize_t door_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			  size_t count)
{
	const struct door *door = container_of(attr, struct door, attr);

	if (door->tunable)
		return pghot_tunable_set(door->tunable, buf, count) ?: count;
	return door->text->set(buf, count) ?: count;
}

static void door_make(size_t nr, const char *name, umode_t mode)
{
	struct kobj_attribute *attr = &doors[nr].attr;

	sysfs_attr_init(&attr->attr);
	attr->attr.name = name;
	attr->attr.mode = mode;
	attr->show = door_show;
	attr->store = mode & 0222 ? door_store : NULL;
	attributes[nr] = &attr->attr;
}

/* Fills what was allocated, if it was. Returns how many doors there are. */
static size_t fill(void)
{
	const struct textfile *const *text;
	struct tunable *const *tunable;
	struct pghot_part *part;
	size_t nr = 0;

	for_each_part(part) {
		for_each_of(tunable, part->tunables) {
			if (doors) {
				doors[nr].tunable = *tunable;
				door_make(nr, (*tunable)->name, 0644);
			}
			nr++;
		}
		for_each_of(text, part->files) {
			if (doors) {
				doors[nr].text = *text;
				door_make(nr, (*text)->name, (*text)->mode);
			}
			nr++;
		}
	}
	return nr;
}

static void doors_free(void)
{
	kfree(attributes);
	kfree(doors);
	doors = NULL;
}

static int doors_alloc(void)
{
	size_t nr = fill();

	attributes = inject_alloc(NULL, kcalloc(nr + 1, sizeof(*attributes), GFP_KERNEL));
	doors = inject_alloc(NULL, kcalloc(nr, sizeof(*doors), GFP_KERNEL));
	if (!attributes || !doors) {
		doors_free();
		return -ENOMEM;
	}
	fill();
	group.attrs = attributes;
	return 0;
}

static void home_remove(void)
{
	/* It is deleted first, because somebody else may hold the last reference for longer. */
	kobject_del(home);
	kobject_put(home);
}

static int home_make(void)
{
	int ret;

	home = inject_alloc(NULL, kobject_create_and_add("pghot", pghot_symbols_mm_kobj()));
	if (!home)
		return -ENOMEM;
	ret = inject_alloc(-ENOMEM, sysfs_create_groups(home, groups));
	if (!ret)
		ret = pghot_counters_show(home);
	if (ret)
		home_remove();
	return ret;
}

/**
 * pghot_sysfs_open() - make /sys/kernel/mm/pghot/
 *
 * Process context, sleeps.
 *
 * Return: 0 or -errno, with nothing left behind.
 */
int pghot_sysfs_open(void)
{
	int ret = doors_alloc();

	if (ret)
		return ret;
	ret = home_make();
	if (ret)
		doors_free();
	return ret;
}

/**
 * pghot_sysfs_close() - remove /sys/kernel/mm/pghot/
 *
 * Process context, sleeps until nobody is inside one of its files.
 */
void pghot_sysfs_close(void)
{
	pghot_counters_hide();
	home_remove();
	doors_free();
}
