// SPDX-License-Identifier: GPL-2.0
/*
 * Reads or writes the memory of a PCI device.
 *
 * Usage: bar FILE put OFFSET < BYTES
 *        bar FILE get OFFSET LENGTH > BYTES
 *
 * FILE is the resource of a BAR in sysfs. What is put comes in one go.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	static char bytes[4 << 20];
	size_t offset, length;
	struct stat st;
	char *memory;
	int fd, put;

	put = argc == 4 && !strcmp(argv[2], "put");
	if (!put && (argc != 5 || strcmp(argv[2], "get"))) {
		fprintf(stderr, "usage: bar FILE put OFFSET, or bar FILE get OFFSET LENGTH\n");
		return 2;
	}
	offset = strtoul(argv[3], NULL, 0);
	length = put ? fread(bytes, 1, sizeof(bytes), stdin) : strtoul(argv[4], NULL, 0);
	fd = open(argv[1], O_RDWR);
	if (fd < 0 || fstat(fd, &st))
		return fail(argv[1]);
	if (offset > (size_t)st.st_size || length > st.st_size - offset) {
		fprintf(stderr, "bar: %zu bytes at %zu are beyond the end\n", length, offset);
		return 1;
	}
	memory = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return fail("bar: mmap");
	if (put)
		memcpy(memory + offset, bytes, length);
	else if (fwrite(memory + offset, 1, length, stdout) != length || fflush(stdout))
		return fail("bar: write");
	return 0;
}
