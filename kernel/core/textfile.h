/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Text files in sysfs
 *
 * They are files of /sys/kernel/mm/pghot/ that hold some text.
 */
#ifndef PGHOT_CORE_TEXTFILE_H
#define PGHOT_CORE_TEXTFILE_H

#include <linux/types.h>

/**
 * struct textfile - a file of /sys/kernel/mm/pghot/ that is no tunable
 * @name: its name
 * @mode: its permissions
 * @show: writes the content to a buffer of one page. Returns its length, or -errno
 * @set: takes what was written, or returns -errno and changes nothing; NULL if that is never
 *	permitted
 *
 * Both run in process context and may sleep.
 */
struct textfile {
	const char *name;
	umode_t mode;
	ssize_t (*show)(char *buf);
	int (*set)(const char *text, size_t len);
};

/**
 * textfile_whole_lines() - drop a last line that was cut off, as the buffer was full
 * @buf: what sysfs_emit_at() has written, line after line
 * @len: its length in bytes
 *
 * Any context.
 *
 * Return: length of the whole lines, in bytes.
 */
static inline ssize_t textfile_whole_lines(char *buf, ssize_t len)
{
	while (len && buf[len - 1] != '\n')
		buf[--len] = '\0';
	return len;
}

#endif /* PGHOT_CORE_TEXTFILE_H */
