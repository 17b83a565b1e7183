/* SPDX-License-Identifier: GPL-2.0 */
/* Command-line values. What is wrong is said with the option's name; exit 2. */
#ifndef LAB_ARGS_H
#define LAB_ARGS_H

#include <stdint.h>

/* Name of the program for messages; set it first. */
extern const char *args_program;

/* Complain about @option and exit 2. */
__attribute__((noreturn, format(printf, 2, 3)))
void args_bad(const char *option, const char *fmt, ...);

/* A whole number within @least..@most; K, M and G multiply by powers of 1024. */
uint64_t args_number(const char *option, const char *text, uint64_t least, uint64_t most);

/* A failure that is not the caller's: message with errno's text, exit 1. */
__attribute__((noreturn)) void args_die(const char *what);

#endif
