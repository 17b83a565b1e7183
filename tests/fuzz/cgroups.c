// SPDX-License-Identifier: GPL-2.0
/*
 * Texts for cgroups, where an administrator limits the promotion of control groups, while groups
 * come and go. The limit that is found for a group is that of the nearest one above it that has
 * one, and each setting holds a reference to its group, and nothing else does.
 */
#include <linux/err.h>

#include "fuzz.h"
#include "promote/cgroups.c"
#include "textfile.h"

/* Group 0 is the root; the parent of any other one is group nr / WIDTH. The last has no memory. */
#define GROUPS		90
#define WIDTH		3
/* Names are so long that not all groups can be shown in a page. */
#define NAME		"group-with-a-long-name-"

static struct cgroup groups[GROUPS];
static char paths[GROUPS][256];
/* What is said to be the limit of each group, MiB/s; -1 for none. */
static long long said[GROUPS];

void cgroup_path(const struct cgroup *cgroup, char *path, size_t size)
{
	snprintf(path, size, "%s", paths[cgroup - groups]);
}

struct cgroup *cgroup_get_from_path(const char *path)
{
	unsigned int i;

	for (i = 0; i < GROUPS; i++) {
		if (groups[i].self.flags & CSS_ONLINE && !strcmp(path, paths[i])) {
			groups[i].references++;
			return &groups[i];
		}
	}
	return ERR_PTR(-ENOENT);
}

void pghot_memcg_put_cgroup(struct cgroup *cgroup)
{
	assert(cgroup->references);
	cgroup->references--;
}

static void make_groups(void)
{
	unsigned int i;

	for (i = 0; i < GROUPS; i++) {
		groups[i] = (struct cgroup){
			.self.flags = CSS_ONLINE,
			.subsys[memory_cgrp_id] = i < GROUPS - 1 ? groups : NULL,
			.parent = i ? &groups[i / WIDTH] : NULL,
			.id = i + 1,
		};
		groups[i].level = i ? groups[i].parent->level + 1 : 0;
		snprintf(paths[i], sizeof(paths[i]), "%s/%s%u",
			 i < WIDTH ? "" : paths[i / WIDTH], NAME, i);
		said[i] = -1;
	}
	strcpy(paths[0], "/");
}

static unsigned int nr_said(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < GROUPS; i++)
		nr += said[i] >= 0;
	return nr;
}

/* Removes a group that has none below it, and its limit. */
static void remove_group(unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < GROUPS; i++)
		if (groups[i].parent == &groups[nr] && groups[i].self.flags & CSS_ONLINE)
			return;
	groups[nr].self.flags = 0;
	said[nr] = -1;
}

static int write_line(const char *text, size_t len)
{
	static struct shown before;
	int ret;

	textfile_read(&pghot_cgroups_file, &before);
	ret = pghot_cgroups_file.set(text, len);
	if (ret)
		assert(textfile_shows(&pghot_cgroups_file, &before));
	return ret;
}

/* Returns 0 with the @value of a limit, 1 for none, or what speaks against the text. */
static int sense_of(const char *limit, unsigned int *value)
{
	int ret = kstrtouint(limit, 10, value);

	if (!strcmp(limit, "max") || !strcmp(limit, "max\n"))
		return 1;
	return !ret && *value > MBPS_MAX ? -ERANGE : ret;
}

/* "PATH LIMIT" of some group, with whatever the input has as its limit. */
static void write_limit(struct input *in)
{
	unsigned int nr = input_upto(in, GROUPS - 1), value;
	bool full = nr_said() == CGROUPS_MAX;
	char text[sizeof(paths[0]) + 64];
	size_t len, at;
	char *limit = input_text(in, &len);
	int ret, sense;

	at = strlen(strcpy(text, paths[nr]));
	len = min(len, 60ul);
	text[at++] = ' ';
	memcpy(text + at, limit, len);
	text[at + len] = '\0';
	free(limit);
	ret = write_line(text, at + len);

	limit = text + at;
	if (memchr(limit, '\0', len) || strchr(limit, ' ')) {
		assert(ret == -EINVAL || ret == -ENOENT || ret == -ERANGE);
		return;
	}
	sense = sense_of(limit, &value);
	if (sense < 0)
		assert(ret == sense);
	else if (!(groups[nr].self.flags & CSS_ONLINE))
		assert(ret == -ENOENT);
	else if (nr == GROUPS - 1)
		assert(ret == -ENODEV);
	else if (!sense && full && said[nr] < 0)
		assert(ret == -ENOSPC);
	else
		assert(!ret);
	if (!ret)
		said[nr] = sense ? -1ll : value;
}

static void write_any(struct input *in)
{
	unsigned int i;
	size_t len;
	char *text = input_text(in, &len);

	write_line(text, len);
	free(text);
	/* Whichever group that was. */
	for (i = 0; i < GROUPS; i++)
		said[i] = -1;
	for (i = 0; i < nr_settings; i++)
		if (settings[i].cgroup->self.flags & CSS_ONLINE)
			said[settings[i].cgroup - groups] = settings[i].mbps;
}

static void check_found(unsigned int nr)
{
	struct cgroup *at = &groups[nr];
	struct limit *limit;
	u64 key;

	if (!(at->self.flags & CSS_ONLINE))
		return;
	limit = pghot_cgroups_find(at, &key);
	while (at && said[at - groups] < 0)
		at = at->parent;
	assert(!limit == !at);
	assert(key == (at ? at->id : groups[nr].id));
	if (limit)
		assert(limit->pages_per_s == said[at - groups] * 256ull);
}

static void check_references(void)
{
	unsigned int i;

	/* This forgets the settings of groups that were removed. */
	textfile_read(&pghot_cgroups_file, &(struct shown){ });
	assert(nr_settings == nr_said());
	for (i = 0; i < GROUPS; i++)
		assert(groups[i].references == (said[i] >= 0));
}

void fuzz_one(struct input *in)
{
	unsigned int i;

	make_groups();
	while (in->left) {
		u8 what = input_u8(in);

		if (what < 0x80)
			write_limit(in);
		else if (what < 0xa0)
			write_any(in);
		else if (what < 0xc0)
			remove_group(1 + input_upto(in, GROUPS - 2));
		else
			check_found(input_upto(in, GROUPS - 1));
	}
	check_references();
	for (i = 0; i < GROUPS; i++)
		check_found(i);
	pghot_cgroups_exit();
	for (i = 0; i < GROUPS; i++)
		assert(!groups[i].references);
}
