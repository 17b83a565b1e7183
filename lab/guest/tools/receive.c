// SPDX-License-Identifier: GPL-2.0
/*
 * receive NAME: print what the host has for this guest, as soon as it is there.
 *
 * QEMU has files for its guest behind two I/O ports (fw_cfg). A guest that was saved and goes on in
 * another process of QEMU finds the files of that one. So a guest can wait here until it is told
 * what to do: for a file of this name that is a cpio archive.
 *
 * If the file is the word "freeze" until then, the guest's clock stands still meanwhile. So all
 * that go on from there do so at one time, however long the host took to save the guest.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ioport.h"
#include "marker.h"

/* Ports, and the key of the list of files: docs/specs/fw_cfg of QEMU. Numbers are big endian. */
#define PORT_KEY	0x510
#define PORT_DATA	0x511
#define KEY_FILES	0x19

#define ARCHIVE		"070701"
#define FREEZE		"freeze"
#define WORD_BYTES	8	/* longer than both */
/* The boot's background work ends meanwhile. A CPU that waits for time to pass would never do. */
#define REST_SECONDS	3
#define WAIT_US		10000

struct file {
	uint32_t size;
	uint16_t key;
	uint16_t reserved;
	char name[56];
};

/* The bytes that follow of what was selected. */
static void read_on(void *to, size_t bytes)
{
	ioport_read(PORT_DATA, to, bytes);
}

/* Find a file; its size is 0 if there is none of this name. */
static struct file find(const char *name)
{
	const struct file none = { 0 };
	struct file file;
	uint32_t files;

	ioport_write(PORT_KEY, KEY_FILES);
	read_on(&files, sizeof(files));
	for (uint32_t i = 0; i < ntohl(files); i++) {
		read_on(&file, sizeof(file));
		if (!strncmp(file.name, name, sizeof(file.name)))
			return file;
	}
	return none;
}

static bool begins(const struct file *file, const char *with)
{
	char begin[WORD_BYTES];
	size_t bytes = strlen(with);

	if (ntohl(file->size) < bytes)
		return false;
	ioport_write(PORT_KEY, ntohs(file->key));
	read_on(begin, bytes);
	return !memcmp(begin, with, bytes);
}

/* Print all of a file. */
static bool print(const struct file *file)
{
	size_t bytes = ntohl(file->size);
	char *content = malloc(bytes);
	bool printed;

	if (!content)
		return false;
	ioport_write(PORT_KEY, ntohs(file->key));
	read_on(content, bytes);
	printed = fwrite(content, bytes, 1, stdout) == 1 && !fflush(stdout);
	free(content);
	return printed;
}

int main(int argc, char **argv)
{
	bool frozen = false;
	struct file file;

	if (argc != 2) {
		fprintf(stderr, "receive: wants the name of a file\n");
		return 2;
	}
	if (ioport_open()) {
		perror("receive: I/O ports");
		return 1;
	}
	for (;;) {
		file = find(argv[1]);
		if (begins(&file, ARCHIVE))
			break;
		if (!frozen && begins(&file, FREEZE)) {
			sleep(REST_SECONDS);
			frozen = true;
			marker_freeze();
		}
		if (!frozen)
			usleep(WAIT_US);
	}
	if (frozen)
		marker_thaw();
	/*
	 * A guest that was saved while it read the list of files has read the rest of it from
	 * another process, which may have other files. The size may then be that of another file.
	 */
	file = find(argv[1]);
	if (!print(&file)) {
		perror("receive");
		return 1;
	}
	return 0;
}
