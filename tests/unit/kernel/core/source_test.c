// SPDX-License-Identifier: GPL-2.0
/*
 * The register of sources: which values enabled_sources takes, what is said of a source that
 * cannot be started, and which of them the policy gets. The test includes the files themselves.
 */
#include <string.h>

#include <linux/nodemask.h>
#include <linux/sysfs.h>

#include "check.h"

/* For tunables that are nodes, of which there is none here. */
#define N_MEMORY		0
#define node_state(nid, state)	node_isset(nid, node_states[state])

static nodemask_t node_states[1];

#include "core/source.c"
#include "core/tunable.c"

char log_said[256];

/* What the rule was told of the sources that are on. */
static bool told_seldom;

void pghot_rule_suit(bool seldom)
{
	told_seldom = seldom;
}

bool pghot_mode_is_precise(void)
{
	return false;
}

void pghot_part_register(struct pghot_part *part)
{
}

unsigned long find_next_bit(const unsigned long *addr, unsigned long size, unsigned long nr)
{
	while (nr < size && !test_bit(nr, addr))
		nr++;
	return nr;
}

static unsigned int started, stopped;
static int error;

static int counted_start(void)
{
	started++;
	return 0;
}

static void counted_stop(void)
{
	stopped++;
}

static bool is_wanted = true;

static bool asked_for(void)
{
	return is_wanted;
}

static struct pghot_source fine = {
	.name = "fine", .bit = 0, .wanted = asked_for, .start = counted_start, .stop = counted_stop,
};

static struct pghot_source plain = { .name = "plain", .bit = 1 };

static int failing_start(void);

/* Bit 2 is of no source. */
static struct pghot_source failing = {
	.name = "failing", .title = "failing source", .bit = 3, .wanted = asked_for,
	.start = failing_start,
};

static int failing_start(void)
{
	if (error == -ENODEV)
		pghot_source_unavailable(&failing, "device %d is missing", 7);
	return error;
}

static int set(const char *text)
{
	return pghot_tunable_set(&pghot_enabled_sources, text, strlen(text));
}

static int load(char *text)
{
	pghot_enabled_sources.text = text;
	*log_said = '\0';
	return pghot_tunable_load(&pghot_enabled_sources);
}

static bool lists(const char *line)
{
	char buf[4096];

	sources_show(buf);
	return strstr(buf, line);
}

static void test_register(void)
{
	struct pghot_source second = { .name = "second", .bit = 3 }, far = { .bit = PGHOT_MAX_SRC };

	CHECK(!pghot_source_register(&fine));
	CHECK(!pghot_source_register(&plain));
	CHECK(!pghot_source_register(&failing));
	CHECK(pghot_source_register(&second) == -EINVAL);
	CHECK(pghot_source_register(&far) == -EINVAL);
	CHECK(pghot_enabled_sources.max[0] == 11 && !pghot_enabled_sources.initial[0]);
	CHECK(!strcmp(pghot_source_name(3), "failing"));
	CHECK(!strcmp(pghot_source_name(2), "?"));
}

static void test_load_takes_bits_of_sources_only(void)
{
	CHECK(!load("10") && pghot_enabled_sources.value == 10);
	CHECK(load("4") == -ERANGE);
	CHECK(!strcmp(log_said, "enabled_sources=4: must be a sum of bits of 0xb\n"));
	CHECK(load("16") == -ERANGE);
	CHECK(load("-1") == -ERANGE);
	CHECK(load("all") == -EINVAL);
	CHECK(!load(NULL) && !pghot_enabled_sources.value);
}

static void test_set_takes_bits_of_sources_only(void)
{
	CHECK(!set("3") && started == 1 && running == 3);
	CHECK(set("4") == -ERANGE);
	CHECK(!strcmp(log_said, "enabled_sources=4: must be a sum of bits of 0xb\n"));
	CHECK(set("\1x\n1") == -EINVAL);
	CHECK(!strcmp(log_said, "enabled_sources=?x: must be a sum of bits of 0xb\n"));
	CHECK(set("7") == -ERANGE);
	CHECK(set("16") == -ERANGE);
	CHECK(running == 3 && pghot_enabled_sources.value == 3 && !stopped);
	CHECK(lists("fine 1 on\n") && lists("plain 2 on\n") && lists("failing 8 off\n"));
	CHECK(!set("0") && stopped == 1);
}

static void test_failure_has_a_reason(void)
{
	error = -ENODEV;
	CHECK(set("9") == -ENODEV);
	CHECK(started == 2 && stopped == 2 && !running && !pghot_enabled_sources.value);
	CHECK(lists("failing 8 off: device 7 is missing\n"));
	CHECK(!strcmp(log_said, "failing source: not available, because device 7 is missing\n"));

	error = -ENOMEM;
	CHECK(set("8") == -ENOMEM);
	CHECK(lists("failing 8 off: error -12, see the kernel log\n"));

	error = 0;
	CHECK(!set("8"));
	CHECK(lists("failing 8 on\n"));
}

/* Only sources that all report seldom make one access enough. */
static void test_seldom_sources(void)
{
	fine.is_seldom = true;
	CHECK(!set("1") && told_seldom);
	CHECK(!set("3") && !told_seldom);
	CHECK(!set("0") && !told_seldom);
	fine.is_seldom = false;
	CHECK(!set("1") && !told_seldom);
	CHECK(!set("0"));
}

/* Those that want it and can be started, and no others. */
static void test_wanted_sources(void)
{
	error = 0;
	CHECK(!set("2"));
	pghot_sources_set_wanted();
	CHECK(running == 9 && pghot_enabled_sources.value == 9);
	CHECK(lists("fine 1 on\n") && lists("plain 2 off\n") && lists("failing 8 on\n"));

	CHECK(!set("0"));
	error = -ENODEV;
	pghot_sources_set_wanted();
	CHECK(running == 1 && pghot_enabled_sources.value == 1);
	CHECK(lists("failing 8 off: device 7 is missing\n"));

	is_wanted = false;
	pghot_sources_set_wanted();
	CHECK(!running && !pghot_enabled_sources.value);
}

static unsigned int choices;

static int choose(unsigned int mask)
{
	int ret = pghot_sources_set(mask);

	choices += !ret;
	return ret;
}

/* What is set through the files is a choice, if it can be had. */
static void test_choice_is_told(void)
{
	error = -ENODEV;
	is_wanted = true;
	CHECK(!set("1"));
	pghot_sources_on_choice(choose);
	CHECK(!set("3") && choices == 1);
	CHECK(set("8") == -ENODEV && set("4") == -ERANGE && set("x") == -EINVAL && choices == 1);
	/* Also of what is on already. */
	CHECK(!set("3") && choices == 2);
	CHECK(!pghot_sources_set(0) && choices == 2);
	pghot_sources_set_wanted();
	CHECK(running == 1 && choices == 2);
}

int main(void)
{
	test_register();
	test_load_takes_bits_of_sources_only();
	test_set_takes_bits_of_sources_only();
	test_failure_has_a_reason();
	test_seldom_sources();
	test_wanted_sources();
	test_choice_is_told();
	return check_report();
}
