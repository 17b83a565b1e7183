// SPDX-License-Identifier: GPL-2.0
/*
 * Writes to a kernel file and tells what became of it.
 *
 * Usage: put FILE... < TEXTS
 *
 * Texts end with a record separator (octal 036), the last one may end with the input. Each goes to
 * the first FILE in a single write(2) of its own. Prints, a line for each, "taken", or the name of
 * the error, or the number of bytes of a short write; then the first line of each FILE as it reads
 * now.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SEPARATOR 036

/* Write a text of size bytes to the file, and print what became of that. */
static int try(const char *file, const char *text, size_t size)
{
	int fd = open(file, O_WRONLY);
	ssize_t ret;

	if (fd < 0) {
		perror(file);
		return -1;
	}
	ret = write(fd, text, size);
	if (ret < 0)
		printf("%s", strerrorname_np(errno));
	else if ((size_t)ret < size)
		printf("%zd", ret);
	else
		printf("taken");
	close(fd);
	return 0;
}

/* Print the file's first line. */
static int show(const char *name)
{
	FILE *file = fopen(name, "r");
	char line[256] = "";

	if (!file || !fgets(line, sizeof(line), file)) {
		perror(name);
		return -1;
	}
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	printf(" %s", line);
	return 0;
}

int main(int argc, char **argv)
{
	static char text[1 << 16];
	int texts, i, c = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: put FILE... < TEXTS\n");
		return 2;
	}
	for (texts = 0; c != EOF; texts++) {
		size_t size = 0;

		while ((c = getchar()) != EOF && c != SEPARATOR) {
			if (size == sizeof(text)) {
				fprintf(stderr, "put: a text of more than %zu bytes\n", size);
				return 2;
			}
			text[size++] = c;
		}
		if (c == EOF && !size && texts)
			break;
		if (try(argv[1], text, size))
			return 1;
		for (i = 1; i < argc; i++)
			if (show(argv[i]))
				return 1;
		putchar('\n');
	}
	return 0;
}
