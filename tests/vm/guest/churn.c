// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that fork, write, exit and are killed while their memory is promoted.
 *
 * Usage: churn NODE MEGABYTES ROUNDS
 *
 * Each round maps memory on NODE, fills it, and forks children which share it
 * copy-on-write: one verifies, one rewrites and verifies its copy, one is killed
 * at work. The parent reads and writes meanwhile, verifies at the end, and unmaps.
 * Exits with 1 and the address if a word is not what was written.
 */
#include <linux/mempolicy.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t *memory;
static size_t words;

static uint64_t expected(size_t word, uint64_t key)
{
	return (word * 0x9e3779b97f4a7c15ull) ^ key;
}

/* Rewrites every @step-th word with the next key while checking the present one. */
static int rewrite(uint64_t from, uint64_t to, size_t step)
{
	size_t i;

	for (i = 0; i < words; i += step) {
		if (memory[i] != expected(i, from)) {
			printf("word at %p is %#llx, not %#llx\n", (void *)&memory[i],
			       (unsigned long long)memory[i],
			       (unsigned long long)expected(i, from));
			return 1;
		}
		memory[i] = expected(i, to);
	}
	return 0;
}

static int child(int kind)
{
	uint64_t key;

	switch (kind) {
	case 0:
		return rewrite(1, 1, 64);
	case 1:
		return rewrite(1, 2, 1) || rewrite(2, 3, 1);
	default:
		for (key = 1;; key++)
			if (rewrite(key, key + 1, 8))
				return 1;
	}
}

static int round_of(unsigned long node)
{
	unsigned long mask = 1ul << node;
	pid_t pids[3];
	int i, status, failed = 0;
	size_t word;

	memory = mmap(NULL, words * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 64)) {
		perror("churn");
		return 1;
	}
	for (word = 0; word < words; word++)
		memory[word] = expected(word, 1);
	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);

	fflush(stdout);
	for (i = 0; i < 3; i++) {
		pids[i] = fork();
		if (pids[i] < 0) {
			perror("churn: fork");
			return 1;
		}
		if (!pids[i])
			exit(child(i));
	}
	for (i = 0; i < 10; i++)
		failed |= rewrite(i ? 9 : 1, 9, 1);
	kill(pids[2], SIGKILL);
	for (i = 0; i < 3; i++) {
		waitpid(pids[i], &status, 0);
		if (WIFEXITED(status) ? WEXITSTATUS(status) : i != 2)
			failed = 1;
	}
	failed |= rewrite(9, 9, 1);
	munmap(memory, words * 8);
	return failed;
}

int main(int argc, char **argv)
{
	unsigned long node, rounds;

	if (argc != 4) {
		fprintf(stderr, "usage: churn NODE MEGABYTES ROUNDS\n");
		return 2;
	}
	node = strtoul(argv[1], NULL, 0);
	words = strtoul(argv[2], NULL, 0) << 17;
	for (rounds = strtoul(argv[3], NULL, 0); rounds; rounds--)
		if (round_of(node))
			return 1;
	return 0;
}
