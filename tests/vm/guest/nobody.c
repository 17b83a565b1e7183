// SPDX-License-Identifier: GPL-2.0
/*
 * Executes a command as a user who may do nothing in particular.
 *
 * Usage: nobody COMMAND...
 */
#define _GNU_SOURCE
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

/* User and group. */
#define NOBODY 65534

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: nobody COMMAND...\n");
		return 2;
	}
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY)) {
		perror("nobody");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
