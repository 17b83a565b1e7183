// SPDX-License-Identifier: GPL-2.0
#include "vmstat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int vmstat_read(struct vmstat *v)
{
	int fd = open("/proc/vmstat", O_RDONLY);
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, v->text + used, sizeof(v->text) - 1 - used)) > 0)
		used += n;
	v->text[used] = '\0';
	close(fd);
	return n < 0 ? -1 : 0;
}

/* Both snapshots have the same lines in the same order: "name value\n". */
void vmstat_print_diff(const struct vmstat *before, const struct vmstat *after)
{
	const char *b = before->text, *a = after->text, *sep = "";
	long long diff;
	size_t name;

	putchar('{');
	while (*a && *b) {
		name = strcspn(a, " ");
		diff = atoll(a + name) - atoll(b + name);
		if (diff) {
			printf("%s\"%.*s\":%lld", sep, (int)name, a, diff);
			sep = ",";
		}
		a += strcspn(a, "\n");
		b += strcspn(b, "\n");
		a += *a == '\n';
		b += *b == '\n';
	}
	putchar('}');
}
