// SPDX-License-Identifier: GPL-2.0
/*
 * What a guest receives that is saved and goes on in another process of QEMU, at whatever byte it
 * was just reading. The process that it goes on in has another list of files: QEMU has a file more
 * for a guest that it boots.
 */
#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define FIRST_KEY	0x20
#define NAME		"opt/pghot/run"
#define OTHER_BYTES	9216	/* QEMU's kvmvapic.bin */
#define BYTES		(3 * OTHER_BYTES)
#define FILES		3

/* A file that QEMU has for its guest. */
struct offer {
	const char *name;
	const char *content;
	size_t bytes;
};

static char archive[BYTES] = "070701";
static char other[OTHER_BYTES];

static const struct offer before[FILES] = {
	{ "genroms/linuxboot_dma.bin", other, 1536 },
	{ "genroms/kvmvapic.bin", other, OTHER_BYTES },
	{ NAME, "freeze", 6 },
};

static const struct offer after[FILES] = {
	{ "genroms/kvmvapic.bin", other, OTHER_BYTES },
	{ NAME, archive, BYTES },
	{ "vmcoreinfo", other, 16 },
};

static unsigned int saved_at;	/* the guest is saved after so many bytes */
static unsigned int nr_read;
static uint16_t selected;
static size_t offset;		/* goes on where it was, as does the file that is selected */
static FILE *caught;

/* What receive.c has for its list of files. */
struct entry {
	uint32_t size;
	uint16_t key;
	uint16_t reserved;
	char name[56];
};

/* The list of files, as the guest reads it. */
static size_t write_list(const struct offer *files, char *list)
{
	uint32_t nr = htonl(FILES);
	unsigned int i;

	memcpy(list, &nr, sizeof(nr));
	for (i = 0; i < FILES; i++) {
		struct entry entry = {
			.size = htonl(files[i].bytes), .key = htons(FIRST_KEY + i),
		};

		strcpy(entry.name, files[i].name);
		memcpy(list + sizeof(nr) + i * sizeof(entry), &entry, sizeof(entry));
	}
	return sizeof(nr) + FILES * sizeof(struct entry);
}

/* In the place of the header. */
#define LAB_IOPORT_H

static int ioport_open(void)
{
	return 0;
}

static void ioport_write(uint16_t port, uint16_t value)
{
	CHECK(port == 0x510);
	selected = value;
	offset = 0;
}

static char next_byte(void)
{
	const struct offer *files = nr_read++ < saved_at ? before : after;
	char list[sizeof(uint32_t) + FILES * sizeof(struct entry)];
	const char *content = list;
	size_t bytes;

	if (selected >= FIRST_KEY) {
		content = files[selected - FIRST_KEY].content;
		bytes = files[selected - FIRST_KEY].bytes;
	} else {
		bytes = write_list(files, list);
	}
	return offset < bytes ? content[offset++] : 0;
}

static void ioport_read(uint16_t port, void *to, size_t bytes)
{
	CHECK(port == 0x511);
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = next_byte();
}

#define main receive_main
#define sleep(seconds) ((void)(seconds))
#define usleep(us) ((void)(us))
#undef stdout
#define stdout caught
#include "receive.c"
#undef main

static void test_all_of_the_archive_arrives(void)
{
	char program[] = "receive", name[] = NAME, *argv[3] = { program, name };
	unsigned int rounds = 4 * FILES * sizeof(struct entry);

	for (saved_at = 0; saved_at < rounds; saved_at++) {
		char *text = NULL;
		size_t bytes = 0;

		nr_read = 0;
		caught = open_memstream(&text, &bytes);
		CHECK(receive_main(2, argv) == 0);
		fclose(caught);
		CHECK(bytes == BYTES && !memcmp(text, archive, BYTES));
		free(text);
	}
}

int main(void)
{
	memset(archive + 6, 'a', BYTES - 6);
	test_all_of_the_archive_arrives();
	return check_report();
}
