// SPDX-License-Identifier: GPL-2.0
/*
 * Writes nonsense, and some sense, to a tunable.
 *
 * Usage: fuzz_tunable FILE LOWEST HIGHEST ROUNDS SEED
 *
 * What is a number in range, by the rules of kstrtoint(), must be taken, all else must
 * be refused with EINVAL or ERANGE and leave the value; enabled_sources also with ENOENT
 * or EOPNOTSUPP, for what the machine lacks. Prints what went otherwise, at most ten times,
 * then "N written, N taken". Exits with 1 if anything went otherwise.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* As long as a text may be, and more: longer than a page. */
#define TEXT_END	64
#define BYTES		9000

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state * 0x2545f4914f6cdd1dull >> 16) % below;
}

static size_t print_number(char *bytes, long long number)
{
	static const char * const plain[] = { "%lld", "%lld\n", "%+lld", "%+lld\n" };
	static const char * const based[] = { "0x%llx", "0x%llX\n", "0%llo", "-0x%llx\n" };
	bool negative = number < 0;

	if (draw(3) || negative)
		return sprintf(bytes, plain[draw(4)], number);
	return sprintf(bytes, based[draw(4)], number);
}

/* Fills @bytes, returns how many there are. */
static size_t make(char *bytes, long long lowest, long long highest)
{
	static const char * const odd[] = {
		"", "-", "+", " ", "\n", "0x", "-0", "+-1", "1 2", "1.5", "0b1", "08", "1e1",
		"true",
	};
	size_t size, i;

	switch (draw(8)) {
	case 0:
	case 1: /* in range */
		return print_number(bytes, lowest + (long long)draw(highest - lowest + 1));
	case 2: /* about its ends */
		return print_number(bytes, (draw(2) ? lowest : highest) + (long long)draw(5) - 2);
	case 3: /* any, as wide as that may be */
		return print_number(bytes, (long long)(state << 1 ^ draw(1 << 20)) >> draw(64));
	case 4: /* digits */
		size = 1 + draw(draw(2) ? 80 : BYTES);
		for (i = 0; i < size; i++)
			bytes[i] = '0' + draw(draw(2) ? 10 : 1);
		return size;
	case 5: /* bytes */
		size = draw(draw(4) ? 12 : BYTES);
		for (i = 0; i < size; i++)
			bytes[i] = draw(256);
		return size;
	case 6: /* a number, with something put in */
		size = print_number(bytes, lowest + (long long)draw(highest - lowest + 1));
		i = draw(size + 1);
		memmove(bytes + i + 1, bytes + i, size - i);
		bytes[i] = "\0\n \tx-,"[draw(7)];
		return size + 1;
	default:
		strcpy(bytes, odd[draw(ARRAY_SIZE(odd))]);
		return strlen(bytes);
	}
}

/*
 * Of sources, the bits that each machine has beyond the highest value: those in between are of
 * sources that it lacks.
 */
#define SOURCES_BEYOND	(1ll << 9)

/* Is this a number in range, but for bits that may be there as well? */
static bool sense(const char *bytes, size_t size, long long lowest, long long highest,
		  long long beyond, long long *number)
{
	char text[TEXT_END], *end;

	if (!size || size >= TEXT_END || memchr(bytes, 0, size) || isspace((uint8_t)*bytes))
		return false;
	memcpy(text, bytes, size);
	text[size] = 0;

	errno = 0;
	*number = strtoll(text, &end, 0);
	if (errno || end == text || (*end == '\n' ? end[1] : *end))
		return false;
	return *number >= lowest && (*number & ~beyond) <= highest;
}

static long long value_of(const char *path)
{
	FILE *file = fopen(path, "r");
	long long value;

	if (!file || fscanf(file, "%lld", &value) != 1) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return value;
}

static int complaints;

static void complain(const char *what, const char *bytes, size_t size, ssize_t ret, long long value)
{
	size_t i;

	if (++complaints > 10)
		return;
	printf("%s: returned %zd (%s), value %lld, after %zu bytes: ", what, ret,
	       ret < 0 ? strerrorname_np(errno) : "-", value, size);
	for (i = 0; i < size && i < 80; i++)
		printf(isgraph((uint8_t)bytes[i]) ? "%c" : "\\%03o", (uint8_t)bytes[i]);
	putchar('\n');
}

/* Is @error one for nonsense, or of @sources for what the machine lacks? */
static bool refusal(int error, bool sources)
{
	return error == EINVAL || error == ERANGE ||
	       (sources && (error == ENOENT || error == EOPNOTSUPP));
}

int main(int argc, char **argv)
{
	long long lowest, highest, value, number;
	unsigned long rounds, round, taken = 0;
	static char bytes[BYTES + 8];
	bool sysctl, sources;
	int fd = -1;

	if (argc != 6) {
		fprintf(stderr, "usage: fuzz_tunable FILE LOWEST HIGHEST ROUNDS SEED\n");
		return 2;
	}
	lowest = atoll(argv[2]);
	highest = atoll(argv[3]);
	rounds = strtoul(argv[4], NULL, 0);
	state = strtoull(argv[5], NULL, 0) * 2 + 1;
	sysctl = !strncmp(argv[1], "/proc/sys/", 10);
	sources = strstr(argv[1], "enabled_sources");

	value = value_of(argv[1]);
	for (round = 0; round < rounds; round++) {
		size_t size = make(bytes, lowest, highest);
		bool good = sense(bytes, size, lowest, highest, sources ? SOURCES_BEYOND : 0,
				  &number);
		long long now;
		ssize_t ret;

		/* Sometimes once more without closing. */
		if (fd >= 0 && draw(4)) {
			close(fd);
			fd = -1;
		}
		if (fd < 0)
			fd = open(argv[1], O_RDWR);
		else if (sysctl && lseek(fd, 0, SEEK_CUR))
			good = false;
		ret = write(fd, bytes, size);
		now = value_of(argv[1]);

		if (good) {
			value = number;
			taken++;
			if (ret != (ssize_t)size)
				complain("refused sense", bytes, size, ret, now);
		} else if (ret < 0 ? !refusal(errno, sources) : ret || size) {
			/* Nothing written is not an error in sysfs. */
			complain("took nonsense", bytes, size, ret, now);
		}
		if (now != value) {
			complain("wrong value", bytes, size, ret, now);
			value = now;
		}
	}
	printf("%lu written, %lu taken\n", rounds, taken);
	return complaints != 0;
}
