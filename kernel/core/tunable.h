/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Tunables
 *
 * Tunables are numbers that an administrator sets: at load as parameters of the module, and later
 * through files.
 *
 * A tunable is defined in the file that uses it. It gets its files because the part of pghot that
 * it belongs to names it, see core/part.h. Every way of setting a tunable ends in
 * pghot_tunable_set(), so that all of them refuse the same values.
 */
#ifndef PGHOT_CORE_TUNABLE_H
#define PGHOT_CORE_TUNABLE_H

#include <linux/compiler.h>
#include <linux/moduleparam.h>
#include <linux/types.h>

/* Bytes for the text of any value, and the limit for what is read as one. */
#define TUNABLE_TEXT	64

/**
 * enum tunable_door - where a tunable can be set besides sysfs
 * @TUNABLE_SYSCTL: as sysctl vm.pghot_NAME
 * @TUNABLE_DEBUGFS: in /sys/kernel/debug/pghot/
 */
enum tunable_door {
	TUNABLE_SYSCTL = 1,
	TUNABLE_DEBUGFS = 2,
};

/**
 * struct tunable - one number that can be set
 * @name: its name in sysfs and debugfs, and as a parameter
 * @sysctl: its name below vm, if it has TUNABLE_SYSCTL
 * @doors: where it can be set besides sysfs, values of enum tunable_door
 * @min: the lowest value
 * @max: the highest value, in default and in precise mode
 * @initial: the value if the administrator says nothing, in default and in precise mode
 * @is_mask: a value is a bit mask, and only bits of @max may be set in it
 * @is_node: besides @min, values have to be ids of nodes with memory
 * @apply: called instead of storing a new value, and does that itself; NULL for most. It may
 *	sleep, and returns 0 or why the value cannot be taken; then it has changed nothing
 * @value: the value. pghot_tunable_get() reads it
 * @text: what the administrator said at load, or NULL
 */
struct tunable {
	const char *name;
	const char *sysctl;
	unsigned int doors;
	int min;
	int max[2];
	int initial[2];
	bool is_mask;
	bool is_node;
	int (*apply)(struct tunable *tunable, int value);
	int value;
	char *text;
};

/* A limit or an initial value that is the same in default and in precise mode. */
#define BOTH_MODES(_value)	{ (_value), (_value) }

/**
 * PGHOT_TUNABLE() - define a tunable, and the module's parameter of the same name
 * @_name: its name. The variable is called pghot_NAME
 * @_description: what modinfo says
 * @...: members of struct tunable
 *
 * The parameter is only kept as text here: its range depends on the mode, which may be a later
 * parameter.
 */
#define PGHOT_TUNABLE(_name, _description, ...)					\
	struct tunable pghot_##_name = {					\
		.name = #_name,							\
		.sysctl = "pghot_" #_name,					\
		__VA_ARGS__							\
	};									\
	module_param_cb(_name, &param_ops_charp, &pghot_##_name.text, 0);	\
	__MODULE_PARM_TYPE(_name, "int");					\
	MODULE_PARM_DESC(_name, _description)

/**
 * pghot_tunable_get() - the value of a tunable
 * @tunable: which
 *
 * Any context.
 *
 * Return: the value. It may change at any moment.
 */
static inline int pghot_tunable_get(const struct tunable *tunable)
{
	return READ_ONCE(tunable->value);
}

int pghot_tunable_load(struct tunable *tunable);
int pghot_tunable_set(struct tunable *tunable, const char *text, size_t len);

#endif /* PGHOT_CORE_TUNABLE_H */
