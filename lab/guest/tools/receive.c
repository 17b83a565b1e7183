// SPDX-License-Identifier: GPL-2.0
/*
 * receive NAME: print what the host has for this guest, as soon as it is there.
 *
 * QEMU has files for its guest behind two I/O ports (fw_cfg). A guest that was saved and goes on in
 * another process of QEMU finds the files of that one. So a guest can wait here until it is told
 * what to do: for a file of this name that is a cpio archive.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <unistd.h>

/* Ports, and the key of the list of files: docs/specs/fw_cfg of QEMU. Numbers are big endian. */
#define PORT_KEY	0x510
#define PORT_DATA	0x511
#define KEY_FILES	0x19

#define ARCHIVE		"070701"
#define WAIT_US		10000

struct file {
	uint32_t size;
	uint16_t key;
	uint16_t reserved;
	char name[56];
};

/* The bytes that follow of what was selected; glibc's insb() does not say that it writes memory. */
static void read_on(void *to, size_t bytes)
{
	__asm__ volatile("rep insb" : "+D"(to), "+c"(bytes) : "d"(PORT_DATA) : "memory");
}

/* Find a file; its size is 0 if there is none of this name. */
static struct file find(const char *name)
{
	const struct file none = { 0 };
	struct file file;
	uint32_t files;

	outw(KEY_FILES, PORT_KEY);
	read_on(&files, sizeof(files));
	for (uint32_t i = 0; i < ntohl(files); i++) {
		read_on(&file, sizeof(file));
		if (!strncmp(file.name, name, sizeof(file.name)))
			return file;
	}
	return none;
}

/* Read all of a file: its bytes, to be freed, if it is an archive, else NULL. */
static char *read_archive(const struct file *file)
{
	size_t bytes = ntohl(file->size);
	char *content = malloc(bytes + 1);

	if (!content) {
		perror("receive");
		exit(1);
	}
	outw(ntohs(file->key), PORT_KEY);
	read_on(content, bytes);
	if (bytes > strlen(ARCHIVE) && !memcmp(content, ARCHIVE, strlen(ARCHIVE)))
		return content;
	free(content);
	return NULL;
}

int main(int argc, char **argv)
{
	struct file file;
	char *content;

	if (argc != 2) {
		fprintf(stderr, "receive: wants the name of a file\n");
		return 2;
	}
	if (iopl(3)) {
		perror("receive: I/O ports");
		return 1;
	}
	for (;;) {
		file = find(argv[1]);
		content = read_archive(&file);
		if (content)
			break;
		usleep(WAIT_US);
	}
	if (fwrite(content, ntohl(file.size), 1, stdout) != 1 || fflush(stdout)) {
		perror("receive");
		return 1;
	}
	free(content);
	return 0;
}
