// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Choosing the event of the performance counters
 *
 * The administrator chooses it with the help of tools/pghot-events. It is written as ``TYPE CONFIG
 * CONFIG1 CONFIG2 [PRECISE]``, or ``none``. Commas do as well as spaces, because spaces are
 * troublesome in the parameters of a module.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "core/textfile.h"
#include "sources/perf/spec.h"

enum spec_word {
	SPEC_TYPE,
	SPEC_CONFIG,
	SPEC_CONFIG1,
	SPEC_CONFIG2,
	SPEC_PRECISE,
	SPEC_WORDS,
};

static DEFINE_MUTEX(spec_lock);
static struct perf_spec chosen;
static bool taken;

/* Tracepoints and breakpoints run the handler wherever they are, and tell of no page. */
static bool tells_of_memory(u64 type)
{
	return type != PERF_TYPE_TRACEPOINT && type != PERF_TYPE_BREAKPOINT;
}

/* Changes @text. */
static int spec_parse(char *text, struct perf_spec *spec)
{
	u64 value[SPEC_WORDS] = { 0 };
	unsigned int nr = 0;
	char *word;

	*spec = (struct perf_spec){ 0 };
	if (!strcmp(text, "none"))
		return 0;
	while ((word = strsep(&text, " ,"))) {
		int ret = nr < SPEC_WORDS ? kstrtou64(word, 0, &value[nr++]) : -EINVAL;

		if (ret)
			return ret;
	}
	if (nr < SPEC_PRECISE || !tells_of_memory(value[SPEC_TYPE]))
		return -EINVAL;
	if (value[SPEC_TYPE] > U32_MAX || value[SPEC_PRECISE] > 3)
		return -ERANGE;
	*spec = (struct perf_spec){
		.type = value[SPEC_TYPE],
		.config = value[SPEC_CONFIG],
		.config1 = value[SPEC_CONFIG1],
		.config2 = value[SPEC_CONFIG2],
		.precise = value[SPEC_PRECISE],
		.given = true,
	};
	return 0;
}

/*
 * perf_spec_set() - choose an event, for the next time that the source starts
 * @text: the event; one newline may follow
 * @len: length of @text
 *
 * Process context, sleeps.
 *
 * Return: 0; -EINVAL if @text is no event, or one that no memory access triggers; -ERANGE
 * if one of its numbers is out of range; -EBUSY while the source is on. On any error the
 * event stays what it was.
 */
static int perf_spec_set(const char *text, size_t len)
{
	char copy[PERF_SPEC_TEXT];
	struct perf_spec spec;
	int ret;

	if (len && text[len - 1] == '\n')
		len--;
	if (len >= sizeof(copy) || memchr(text, '\0', len) || memchr(text, '\n', len))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	ret = spec_parse(copy, &spec);
	if (ret)
		return ret;

	mutex_lock(&spec_lock);
	if (taken)
		ret = -EBUSY;
	else
		chosen = spec;
	mutex_unlock(&spec_lock);
	return ret;
}

/**
 * pghot_perf_spec_print() - an event as text, as perf_spec_set() takes it
 * @spec: the event
 * @text: where to
 * @size: size of @text
 *
 * Any context.
 *
 * Return: length of the text.
 */
int pghot_perf_spec_print(const struct perf_spec *spec, char *text, size_t size)
{
	if (!spec->given)
		return scnprintf(text, size, "none");
	return scnprintf(text, size, "%u %#llx %#llx %#llx %u", spec->type, spec->config,
			 spec->config1, spec->config2, spec->precise);
}

/*
 * perf_spec_show() - the event that was chosen, as a line
 * @buf: a page
 *
 * Process context, sleeps.
 *
 * Return: length of the text.
 */
static ssize_t perf_spec_show(char *buf)
{
	char text[PERF_SPEC_TEXT];

	mutex_lock(&spec_lock);
	pghot_perf_spec_print(&chosen, text, sizeof(text));
	mutex_unlock(&spec_lock);
	return sysfs_emit(buf, "%s\n", text);
}

/**
 * pghot_perf_spec_take() - the event that was chosen, to be used
 *
 * Process context, sleeps.
 *
 * Return: the event, which stays as it is until pghot_perf_spec_release(); NULL if there is none.
 */
const struct perf_spec *pghot_perf_spec_take(void)
{
	mutex_lock(&spec_lock);
	taken = chosen.given;
	mutex_unlock(&spec_lock);
	return taken ? &chosen : NULL;
}

/**
 * pghot_perf_spec_release() - the event is not used any more
 *
 * Process context, sleeps.
 */
void pghot_perf_spec_release(void)
{
	mutex_lock(&spec_lock);
	taken = false;
	mutex_unlock(&spec_lock);
}

const struct textfile pghot_perf_event_file = {
	.name = "perf_event",
	.mode = 0644,
	.show = perf_spec_show,
	.set = perf_spec_set,
};

static int perf_event_param(const char *text, const struct kernel_param *param)
{
	return perf_spec_set(text, strlen(text));
}

static const struct kernel_param_ops perf_event_ops = { .set = perf_event_param };

module_param_cb(perf_event, &perf_event_ops, NULL, 0);
__MODULE_PARM_TYPE(perf_event, "charp");
MODULE_PARM_DESC(perf_event,
		 "Event of the performance counters: TYPE CONFIG CONFIG1 CONFIG2 [PRECISE], or none. (none)");
