// SPDX-License-Identifier: GPL-2.0
/*
 * The records of pages (kernel/core/): recorders beside one another, beside the thread that looks
 * for ready records, and beside whoever ages a line. In both modes.
 */
#include <linux/array_size.h>

#include "access.h"
#include "explore.h"
#include "memory.h"

#define SECTION	3ul
/* Of the first line: two pages whose records are in one word, and one farther off. */
#define PAGE	section_nr_to_pfn(SECTION)
#define NEAR	(PAGE + 1)
#define FAR	(PAGE + REC_LINE - 1)
/* Of other lines: their bits are in the same word, and in another one. */
#define OTHER	(PAGE + REC_LINE)
#define LAST	(PAGE + PAGES_PER_SECTION - 1)

/* Passes in the end at most. */
#define MORE	6u

/* Of access.c. */
PGHOT_DECLARE_COUNTER(made_ready);

static struct hot_node *node;
static u64 start;

/* What the thread took, by page, what it kept, and whether it knows of something left. */
static unsigned int taken;
static unsigned long kept;
static bool left;
/* Every ready record is too old. */
static bool all_expired;

static unsigned long expired(void)
{
	return pghot_nodestat_get(SLOW_NID, NODE_STAT_EXPIRED);
}

static void set_if_chosen(unsigned long bit, unsigned long *bits)
{
	if (explore_choose(2))
		set_bit(bit, bits);
}

/* Bits may be set although nothing is ready, as passes of before may have left them. */
static void leave_bits(void)
{
	set_if_chosen(0, hotmap_section(SECTION)->ready[HOT_FRESH]);
	set_if_chosen(SECTION, node->ready[HOT_FRESH]);
	atomic_set(&node->pending, explore_choose(2));
}

static void begin_with(unsigned int threshold, bool keep)
{
	memory_set_threshold(threshold);
	shim_clock = start;
	made_ready = 0;
	atomic_long_set(&pghot_node_stats[SLOW_NID].nr[NODE_STAT_EXPIRED], 0);
	taken = 0;
	kept = keep ? PAGE : 0;
	left = false;
	all_expired = false;
}

/* So much later that a record of now looks as if it had been made then. */
static void wait_until_times_repeat(void)
{
	const struct rec_format *f = rec_format();

	shim_clock += (f->time_mask + 1ull) << f->bucket_shift;
}

static enum hotscan_verdict visit(void *unused, struct hot_section *section, unsigned int index)
{
	const struct rec_format *f = rec_format();

	/* As kmigrated does: the line is exact before the record is read. */
	hotmap_line_ref(f, section, index / REC_LINE, rec_bucket(f, shim_clock));
	EXPECT(!all_expired || !rec_ready(f, hotmap_rec(f, section, index)));
	if (section_nr_to_pfn(section->nr) + index == kept) {
		kept = 0;
		return HOTSCAN_KEPT;
	}
	taken += memory_take(section, index);
	return HOTSCAN_DONE;
}

/* As look() of kmigrated.c. */
static void pass(void)
{
	atomic_xchg(&node->pending, 0);
	hotscan(rec_format(), node, HOT_WAITING, visit, NULL);
	hotscan(rec_format(), node, HOT_FRESH, visit, NULL);
	left = hotscan_any(node, HOT_WAITING) || hotscan_any(node, HOT_FRESH);
}

static void kmigrated(void)
{
	pass();
}

static void kmigrated_twice(void)
{
	pass();
	if (left || atomic_read(&node->pending))
		pass();
}

static bool is_ready(unsigned long pfn)
{
	return rec_ready(rec_format(), memory_rec(pfn));
}

/* What is ready is found by whoever looks only when there is a reason to. */
static void nothing_is_overlooked(void)
{
	unsigned int i;

	for (i = 0; i < MORE && (left || atomic_read(&node->pending)); i++)
		pass();
	EXPECT(i < MORE);
	EXPECT(!is_ready(PAGE) && !is_ready(NEAR) && !is_ready(FAR));
	EXPECT(!is_ready(OTHER) && !is_ready(LAST));
	EXPECT(taken + expired() == made_ready);
}

static void at_first_access(void)
{
	begin_with(1, false);
}

static void bits_are_left(void)
{
	begin_with(1, false);
	leave_bits();
}

static void bits_are_left_and_one_is_kept(void)
{
	begin_with(1, true);
	leave_bits();
}

static void at_second_access(void)
{
	begin_with(2, false);
}

static void use_page(void)
{
	memory_access(PAGE);
}

static void use_page_twice(void)
{
	use_page();
	use_page();
}

static void use_near(void)
{
	memory_access(NEAR);
}

static void use_far(void)
{
	memory_access(FAR);
}

static void use_other(void)
{
	memory_access(OTHER);
}

static void use_page_and_far(void)
{
	use_page();
	use_far();
}

static void use_page_and_other(void)
{
	use_page();
	use_other();
}

static void use_last(void)
{
	memory_access(LAST);
}

/* Two accesses are counted, and make the page ready once. */
static void both_count(void)
{
	EXPECT(is_ready(PAGE) && made_ready == 1);
	nothing_is_overlooked();
	EXPECT(taken == 1);
}

/* A record that is too old, of a page that is used again, and of which others age the line. */
static void old_record(void)
{
	begin_with(2, false);
	use_page();
	wait_until_times_repeat();
}

static void is_not_fresh(void)
{
	const struct rec_format *f = rec_format();
	u32 rec = memory_rec(PAGE);

	EXPECT(!rec || (!rec_ready(f, rec) && rec_freq(f, rec) == 1));
	EXPECT(!made_ready);
}

/* A ready record that is too old is found, and is not taken. */
static void old_ready_record(void)
{
	begin_with(1, false);
	use_page();
	wait_until_times_repeat();
	memory_set_threshold(2);
	all_expired = true;
}

static void is_not_taken(void)
{
	EXPECT(expired() == 1 && !taken);
	nothing_is_overlooked();
}

static void put_back(void)
{
	pghot_hotmap_put_back(PAGE, FAST_NID);
}

/* Whoever comes first, the access is not lost. If it comes last, it makes the page ready. */
static void either_is_kept(void)
{
	const struct rec_format *f = rec_format();
	u32 rec = memory_rec(PAGE);

	EXPECT(rec_ready(f, rec) ? rec_freq(f, rec) == f->freq_max : rec_freq(f, rec) == 1);
	nothing_is_overlooked();
}

/* The line was not used for so long that all age it. */
static void old_line(void)
{
	begin_with(2, false);
	wait_until_times_repeat();
}

/* A record that is written beside ageing is lost at worst. */
static void is_right_or_lost(void)
{
	const struct rec_format *f = rec_format();
	u32 rec = memory_rec(PAGE);

	EXPECT(!rec || rec_freq(f, rec) == 1 || rec_freq(f, rec) == f->freq_max);
	EXPECT(!rec || !((rec >> f->time_shift ^ (u32)rec_bucket(f, shim_clock)) & f->time_mask));
	nothing_is_overlooked();
}

static const struct scenario scenarios[] = {
	{
		.name = "one access beside a look",
		.begin = bits_are_left,
		.threads = { { "recorder", use_page }, { "kmigrated", kmigrated } },
		.end = nothing_is_overlooked,
	}, {
		.name = "two accesses beside a look that keeps the record",
		.begin = bits_are_left_and_one_is_kept,
		.threads = { { "recorder", use_page_twice }, { "kmigrated", kmigrated } },
		.end = nothing_is_overlooked,
	}, {
		.name = "two pages of a line beside a look",
		.begin = bits_are_left,
		.threads = { { "recorder", use_page_and_far }, { "kmigrated", kmigrated } },
		.end = nothing_is_overlooked,
	}, {
		.name = "pages of two lines beside a look",
		.begin = bits_are_left,
		.threads = { { "recorder", use_page_and_other }, { "kmigrated", kmigrated } },
		.end = nothing_is_overlooked,
	}, {
		.name = "two recorders, pages of a word, beside a look",
		.deep = true,
		.begin = at_first_access,
		.threads = { { "recorder", use_page }, { "other", use_near },
			     { "kmigrated", kmigrated } },
		.end = nothing_is_overlooked,
	}, {
		.name = "two recorders, pages of a line, beside a look",
		.deep = true,
		.begin = at_first_access,
		.threads = { { "recorder", use_page }, { "other", use_far },
			     { "kmigrated", kmigrated } },
		.end = nothing_is_overlooked,
	}, {
		.name = "two recorders, pages of two lines, beside a look",
		.deep = true,
		.begin = at_first_access,
		.threads = { { "recorder", use_page }, { "other", use_other },
			     { "kmigrated", kmigrated } },
		.end = nothing_is_overlooked,
	}, {
		.name = "two recorders, first and last page, beside a look",
		.deep = true,
		.begin = at_first_access,
		.threads = { { "recorder", use_page }, { "other", use_last },
			     { "kmigrated", kmigrated } },
		.end = nothing_is_overlooked,
	}, {
		.name = "two accesses beside two looks, of which the first keeps the record",
		.deep = true,
		.begin = bits_are_left_and_one_is_kept,
		.threads = { { "recorder", use_page_twice }, { "kmigrated", kmigrated_twice } },
		.end = nothing_is_overlooked,
	}, {
		.name = "two accesses to a page",
		.begin = at_second_access,
		.threads = { { "recorder", use_page }, { "other", use_page } },
		.end = both_count,
	}, {
		.name = "an old record, used and aged",
		.begin = old_record,
		.threads = { { "recorder", use_page }, { "other", use_far } },
		.end = is_not_fresh,
	}, {
		.name = "an old record, used and aged by three",
		.deep = true,
		.begin = old_record,
		.threads = { { "recorder", use_page }, { "other", use_far },
			     { "third", use_near } },
		.end = is_not_fresh,
	}, {
		.name = "an old ready record, looked at and aged",
		.begin = old_ready_record,
		.threads = { { "recorder", use_far }, { "kmigrated", kmigrated } },
		.end = is_not_taken,
	}, {
		.name = "a page put back beside an access",
		.begin = at_second_access,
		.threads = { { "recorder", use_page }, { "promoter", put_back } },
		.end = either_is_kept,
	}, {
		.name = "a page put back beside an access and ageing",
		.begin = old_line,
		.threads = { { "recorder", use_page }, { "promoter", put_back },
			     { "other", use_far } },
		.end = is_right_or_lost,
	},
};

int main(int argc, char **argv)
{
	static const char *const modes[] = { "records, default mode", "records, precise mode" };
	bool deep = explore_deep(argc, argv);
	struct hot_section *section;
	unsigned int precise;

	for (precise = 0; precise < 2; precise++) {
		memory_start(precise);
		node = pghot_hotmap_add_node(SLOW_NID, 0, FAST_NID);
		memory_add_section(node, SECTION);
		section = hotmap_section(SECTION);
		start = shim_clock;
		access_share("node", node, sizeof(*node));
		access_share("section", section, precise ? sizeof(*section) :
			     offsetofend(struct hot_section, rec8));
		explore_all(scenarios, ARRAY_SIZE(scenarios), modes[precise], deep);
		access_unshare();
		/* Runs that were not finished have not left their read-side sections. */
		rcu_readers[rcu_thread].count = 0;
		pghot_hotmap_remove_node(node);
		memory_end();
	}
	return explore_report();
}
