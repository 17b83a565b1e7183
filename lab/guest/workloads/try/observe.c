// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command, and has the measured region begin and end with it, or when the command says so.
 *
 * Usage: observe --root DIR --folder DIR --output FILE [--start TEXT] [--end TEXT] [--marks yes]
 *                -- COMMAND...
 *
 * --root: the command's root, in which it begins in the folder DIR. --output: what it writes goes
 * there. It writes to a terminal, so that each of its lines comes at once.
 *
 * Without the other options, the region is all of the command's run. --start: the region begins
 * with the first line of the output that has this text in it. --end: it ends with the first later
 * line that has this text in it, and the command is ended then. --marks: it begins and ends when
 * the command writes the lines "start" and "end" into the file that the variable PGHOT_MARKS names.
 *
 * Prints a JSON object: guest_ns and vmstat of the region, begun and ended (whether it has, as it
 * was to), and the command's status as a shell has it. Its own status is 0 if all of that is as it
 * should be, otherwise 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "args.h"
#include "lines.h"
#include "marker.h"
#include "now.h"
#include "vmstat.h"

/* Of the command's root. */
#define MARKS		"/run/pghot-marks"
/* How long a command has to end by itself, after the region. */
#define END_SECONDS	10
#define MAX_PATH	4096

static const char *opt_root, *opt_folder, *opt_output, *opt_start, *opt_end;
static bool opt_marks;

static struct region {
	bool begun;
	bool open;
	uint64_t begin_ns;
	uint64_t end_ns;
	struct vmstat before;
	struct vmstat after;
} region;

static void region_begin(void)
{
	if (region.begun)
		return;
	region.begun = true;
	region.open = true;
	if (vmstat_read(&region.before))
		args_die("/proc/vmstat");
	marker_begin();
	region.begin_ns = now_ns();
}

static void region_end(void)
{
	if (!region.open)
		return;
	region.open = false;
	region.end_ns = now_ns();
	marker_end();
	if (vmstat_read(&region.after))
		args_die("/proc/vmstat");
	marker_rest();
}

static void output_line(const char *line)
{
	if (opt_start && !region.begun && strstr(line, opt_start))
		region_begin();
	else if (opt_end && strstr(line, opt_end))
		region_end();
}

static void mark_line(const char *line)
{
	if (!strcmp(line, "start"))
		region_begin();
	else if (!strcmp(line, "end"))
		region_end();
}

/* What is to be read now. @copy: where it goes, or -1. */
static void take(int fd, struct lines *lines, int copy)
{
	char text[4096];
	ssize_t size = read(fd, text, sizeof(text));

	if (size < 0 && errno != EAGAIN && errno != EINTR)
		args_die("reading what the command says");
	if (size <= 0)
		return;
	if (copy >= 0 && write(copy, text, size) != size)
		args_die(opt_output);
	lines_add(lines, text, size);
}

static bool readable(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return poll(&one, 1, 0) > 0 && one.revents & POLLIN;
}

/* The end of a new terminal that reads what the command writes, and in @other the other one. */
static int open_terminal(int *other)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios mode;
	char name[64];

	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) ||
	    ptsname_r(terminal, name, sizeof(name)))
		args_die("a terminal");
	*other = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*other < 0 || tcgetattr(*other, &mode))
		args_die(name);
	mode.c_oflag &= ~OPOST;
	mode.c_lflag &= ~ECHO;
	if (tcsetattr(*other, TCSANOW, &mode))
		args_die(name);
	return terminal;
}

static void __attribute__((noreturn)) become(char **command, int out)
{
	int in = open("/dev/null", O_RDONLY);

	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || setsid() < 0)
		args_die("a terminal");
	closefrom(3);
	if (chroot(opt_root) || chdir(opt_folder))
		args_die(opt_folder);
	execvp(command[0], command);
	fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
	_exit(127);
}

static int open_marks(void)
{
	char path[MAX_PATH];
	int fd;

	if (!opt_marks)
		return -1;
	snprintf(path, sizeof(path), "%s%s", opt_root, MARKS);
	if (mkfifo(path, 0622) || chmod(path, 0622))
		args_die(path);
	/* It has a writer then, and never ends. */
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || setenv("PGHOT_MARKS", MARKS, 1))
		args_die(path);
	return fd;
}

/* Wait for the command after the region; its status as a shell has it. */
static int reap(pid_t child, int pidfd, bool stop)
{
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };
	int status;

	if (stop) {
		kill(-child, SIGTERM);
		poll(&ended, 1, END_SECONDS * 1000);
	}
	/* Whatever it left behind. */
	kill(-child, SIGKILL);
	if (waitpid(child, &status, 0) != child)
		args_die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* True if the region has ended before the command. */
static bool follow(int terminal, int marks, int pidfd, int output)
{
	struct lines lines = { .each = output_line }, from_marks = { .each = mark_line };
	struct pollfd fds[] = {
		{ .fd = pidfd, .events = POLLIN },
		{ .fd = terminal, .events = POLLIN },
		{ .fd = marks, .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			args_die("poll");
		if (fds[0].revents) {
			if (!opt_end && !opt_marks)
				region_end();
			while (readable(terminal))
				take(terminal, &lines, output);
			while (opt_marks && readable(marks))
				take(marks, &from_marks, -1);
			return false;
		}
		if (fds[1].revents)
			take(terminal, &lines, output);
		if (fds[2].revents)
			take(marks, &from_marks, -1);
		if (region.begun && !region.open)
			return true;
	}
}

/* The command. */
static char **parse(int argc, char **argv)
{
	int i;

	for (i = 1; i + 1 < argc && strcmp(argv[i], "--"); i += 2) {
		if (!strcmp(argv[i], "--root"))
			opt_root = argv[i + 1];
		else if (!strcmp(argv[i], "--folder"))
			opt_folder = argv[i + 1];
		else if (!strcmp(argv[i], "--output"))
			opt_output = argv[i + 1];
		else if (!strcmp(argv[i], "--start"))
			opt_start = argv[i + 1];
		else if (!strcmp(argv[i], "--end"))
			opt_end = argv[i + 1];
		else if (!strcmp(argv[i], "--marks"))
			opt_marks = true;
		else
			args_bad(argv[i], "no such option");
	}
	if (i + 1 >= argc || !opt_root || !opt_folder || !opt_output)
		args_bad("--root, --folder, --output, --", "missing");
	return argv + i + 1;
}

int main(int argc, char **argv)
{
	int terminal, other, marks, output, pidfd, status;
	bool stopped, ended, good;
	char **command;
	pid_t child;

	args_program = "observe";
	command = parse(argc, argv);
	output = open(opt_output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (output < 0)
		args_die(opt_output);
	terminal = open_terminal(&other);
	marks = open_marks();
	if (!opt_start && !opt_marks)
		region_begin();
	child = fork();
	if (child < 0)
		args_die("fork");
	if (!child)
		become(command, other);
	pidfd = pidfd_open(child, 0);
	if (pidfd < 0)
		args_die("pidfd_open");
	stopped = follow(terminal, marks, pidfd, output);
	/* Marks need not say where the end is, a line that was asked for has to come. */
	ended = region.begun && (!region.open || !opt_end);
	region_end();
	status = reap(child, pidfd, stopped);
	good = ended && (stopped || !status);
	printf("{\"guest_ns\":%" PRIu64 ",\"begun\":%s,\"ended\":%s,\"status\":%d,\"vmstat\":",
	       region.end_ns - region.begin_ns, region.begun ? "true" : "false",
	       ended ? "true" : "false", stopped ? 0 : status);
	vmstat_print_diff(&region.before, &region.after);
	printf("}\n");
	return fflush(stdout) || !good;
}
