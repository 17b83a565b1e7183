// SPDX-License-Identifier: GPL-2.0
/*
 * region FILE -- COMMAND...: the command is the measured region. Its time and what changed in
 * /proc/vmstat go to the file as a JSON object; its exit status is passed on.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "marker.h"
#include "now.h"
#include "vmstat.h"

/* Its exit status, as a shell has it. */
static int run(char **command)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		args_die("fork");
	if (!child) {
		execvp(command[0], command);
		args_die(command[0]);
	}
	if (waitpid(child, &status, 0) != child)
		args_die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	static struct vmstat before, after;
	uint64_t begin, end;
	int status;

	args_program = "region";
	if (argc < 4 || strcmp(argv[2], "--")) {
		fprintf(stderr, "usage: region FILE -- COMMAND...\n");
		return 2;
	}
	if (vmstat_read(&before))
		args_die("/proc/vmstat");
	marker_begin();
	begin = now_ns();
	status = run(argv + 3);
	end = now_ns();
	marker_end();
	if (vmstat_read(&after))
		args_die("/proc/vmstat");
	if (!freopen(argv[1], "w", stdout))
		args_die(argv[1]);
	printf("{\"guest_ns\":%" PRIu64 ",\"vmstat\":", end - begin);
	vmstat_print_diff(&before, &after);
	printf("}\n");
	return fflush(stdout) ? 1 : status;
}
