// SPDX-License-Identifier: GPL-2.0
/*
 * Writes to a kernel file and tells what became of it.
 *
 * Usage: put FILE... < BYTES
 *
 * All of standard input goes to the first FILE in a single write(2). Prints "taken", or
 * the name of the error, or the number of bytes of a short write; then the first line
 * of each FILE as it reads now, all in one line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char bytes[1 << 16];
	size_t size = fread(bytes, 1, sizeof(bytes), stdin);
	int fd, i;
	ssize_t ret;

	if (argc < 2) {
		fprintf(stderr, "usage: put FILE... < BYTES\n");
		return 2;
	}
	fd = open(argv[1], O_WRONLY);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	ret = write(fd, bytes, size);
	if (ret < 0)
		printf("%s", strerrorname_np(errno));
	else if ((size_t)ret < size)
		printf("%zd", ret);
	else
		printf("taken");
	close(fd);

	for (i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "r");
		char line[256] = "";

		if (!file || !fgets(line, sizeof(line), file)) {
			perror(argv[i]);
			return 1;
		}
		fclose(file);
		line[strcspn(line, "\n")] = 0;
		printf(" %s", line);
	}
	putchar('\n');
	return 0;
}
