// SPDX-License-Identifier: GPL-2.0
/*
 * Who uses the room that is made?
 */
#include "check.h"
#include "promote/roomuse.h"

static struct room_use use;
static struct room_count count;
static long made, taken;

/* So much is made. Some of it is promoted into, others take some, and the rest is left. */
static bool told_after(long makes, long uses, long takes)
{
	count.made += makes;
	count.used += uses;
	count.free += makes - uses - takes;
	return room_use_is_due(&use, count.made, false) &&
	       room_use_look(&use, &count, &made, &taken);
}

/* A node that is as full as can be, and that much was promoted to without demoting anything. */
static void begin(void)
{
	room_use_init(&use);
	count = (struct room_count){ .used = 70000, .free = 500 };
	made = 0;
	taken = 0;
	CHECK(!told_after(0, 0, 0));
	CHECK(use.ask == ROOM_ASK_MAX);
}

static void test_what_others_take_is_told(void)
{
	begin();
	CHECK(told_after(256, 30, 226) && made == 256 && taken == 226);
	CHECK(told_after(200, 200, 0) && made == 200 && taken == 0);
	CHECK(told_after(1000, 0, 1000) && made == 1000 && taken == 1000);
	/* Some was free before that. */
	CHECK(told_after(300, 0, 400) && made == 300 && taken == 300);
}

static void test_steps_are_small_after_others_took_it(void)
{
	begin();
	CHECK(told_after(1024, 512, 512) && use.ask == ROOM_ASK_MAX);
	CHECK(told_after(1024, 511, 513) && use.ask == ROOM_ASK_MIN);
	CHECK(told_after(128, 128, 0) && use.ask == 2 * ROOM_ASK_MIN);
	CHECK(told_after(128, 64, 64) && use.ask == 4 * ROOM_ASK_MIN);
	CHECK(told_after(256, 256, 0) && use.ask == 8 * ROOM_ASK_MIN);
	CHECK(told_after(512, 512, 0) && use.ask == ROOM_ASK_MAX);
	CHECK(told_after(1024, 1024, 0) && use.ask == ROOM_ASK_MAX);
}

/* What is missing to the watermark is filled up before anything may be promoted. */
static void test_what_is_left_is_not_taken(void)
{
	begin();
	CHECK(told_after(700, 0, 0) && taken == 0);
	CHECK(told_after(700, 100, 0) && taken == 0);
	/* Somebody frees memory: that is used as well. */
	CHECK(told_after(200, 900, -900) && taken == -900);
	CHECK(use.ask == ROOM_ASK_MAX);
}

/* Promotion takes what it asked for when it was looked at, and counts it later. */
static void test_what_is_on_its_way_is_not_taken(void)
{
	begin();
	count.on_way = 1000;
	CHECK(told_after(256, 0, 0) && taken == -1000);
	/* Now they have their memory, and some have arrived. Others are on their way. */
	count.on_way = 700;
	count.free -= 1000;
	count.used += 300;
	CHECK(told_after(256, 0, 0) && taken == 0);
}

/* What is demoted is free before it is counted. */
static void test_what_is_in_hand_may_be_free_already(void)
{
	begin();
	count.in_hand = 256;
	count.free += 200;
	CHECK(!told_after(0, 0, 0));
	/* It is counted now, and more is free already. */
	count.free -= 200;
	CHECK(told_after(256, 100, 0) && made == 256 && taken == -56);
	/* None of it was free then, and others have taken it. */
	count.in_hand = 0;
	CHECK(told_after(256, 0, 256) && taken == 0);
	CHECK(told_after(256, 0, 256) && taken == 256);
}

/* Of a few pages it is not told. They count as soon as they have become enough. */
static void test_a_few_pages_tell_nothing(void)
{
	begin();
	CHECK(!told_after(ROOM_COUNTED - 1, 0, ROOM_COUNTED - 1) && use.ask == ROOM_ASK_MAX);
	CHECK(told_after(1, 0, 1) && made == ROOM_COUNTED && taken == ROOM_COUNTED);
}

/* Each CPU is asked how much is free: when somebody asks for room, and not while he waits. */
static void test_it_is_not_looked_at_all_the_time(void)
{
	begin();
	CHECK(room_use_is_due(&use, count.made, false));
	CHECK(!room_use_is_due(&use, count.made, true));
	CHECK(!room_use_is_due(&use, count.made + 1, false));
	CHECK(!room_use_is_due(&use, count.made + ROOM_COUNTED - 1, true));
	CHECK(room_use_is_due(&use, count.made + ROOM_COUNTED, true));
}

/* What programs took while none was made was not made for promotion. */
static void test_only_what_was_made_counts(void)
{
	begin();
	CHECK(!told_after(0, 0, 400));
	CHECK(told_after(256, 200, 0) && taken == 0);
}

int main(void)
{
	test_what_others_take_is_told();
	test_steps_are_small_after_others_took_it();
	test_what_is_left_is_not_taken();
	test_what_is_on_its_way_is_not_taken();
	test_what_is_in_hand_may_be_free_already();
	test_a_few_pages_tell_nothing();
	test_it_is_not_looked_at_all_the_time();
	test_only_what_was_made_counts();
	return check_report();
}
