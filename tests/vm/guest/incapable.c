// SPDX-License-Identifier: GPL-2.0
/*
 * Executes a command without a capability.
 *
 * Usage: incapable NUMBER COMMAND...
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: incapable NUMBER COMMAND...\n");
		return 2;
	}
	if (prctl(PR_CAPBSET_DROP, strtoul(argv[1], NULL, 0), 0, 0, 0)) {
		perror("incapable: prctl");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 1;
}
