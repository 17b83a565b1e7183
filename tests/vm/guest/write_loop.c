// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes files that come and go.
 *
 * Usage: write_loop END FILE...
 *
 * Until END exists: opens each FILE, writes what it read there back, a number one
 * higher, and nonsense, and closes it; every other FILE is kept open for a round, so
 * that what it belongs to may go meanwhile. Prints how many writes went well.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long written;

static void use(int fd)
{
	char text[64];
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);

	if (size <= 0)
		return;
	text[size] = 0;
	written += pwrite(fd, text, size, 0) == size;
	sprintf(text, "%d", atoi(text) + 1);
	written += pwrite(fd, text, strlen(text), 0) > 0;
	if (pwrite(fd, "1x", 2, 0) > 0)
		printf("nonsense was taken\n");
}

int main(int argc, char **argv)
{
	unsigned long round;
	int kept = -1, i;

	if (argc < 3) {
		fprintf(stderr, "usage: write_loop END FILE...\n");
		return 2;
	}
	for (round = 0; access(argv[1], F_OK); round++) {
		for (i = 2; i < argc; i++) {
			int fd = open(argv[i], O_RDWR);

			if (fd < 0)
				continue;
			use(fd);
			/* An open file of debugfs keeps the module from going. */
			if ((round + i) % 2 || strstr(argv[i], "/debug/")) {
				close(fd);
				continue;
			}
			if (kept >= 0) {
				use(kept);
				close(kept);
			}
			kept = fd;
		}
	}
	printf("%lu\n", written);
	return 0;
}
