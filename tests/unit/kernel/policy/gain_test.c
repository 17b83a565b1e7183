// SPDX-License-Identifier: GPL-2.0
/*
 * Does it pay to promote? Verdicts by hand, and against the same sum told plainly; what moving
 * pages has cost.
 */
#include <math.h>

#include "check.h"
#include "random.h"
#include "policy/gain.h"

#define HUGE	512u

/*
 * Full fast nodes that demote, pages of 10 us each, which are used so many times in 1000 s. They
 * are believed to stay hot for 10 s, and an access to slow memory takes 120 ns longer.
 */
static struct gain_question full(u64 hot, u64 cold)
{
	return (struct gain_question){
		.hot = hot, .pages = 1, .cold = cold, .cost_ns = 10000, .access_ns = 120,
		.horizon_ms = 10000, .bar = 1, .price = 1, .demotes = true,
	};
}

static enum gain_verdict verdict(struct gain_question q)
{
	return gain_decide(&q);
}

static u64 need(struct gain_question q)
{
	return gain_need(&q);
}

static void test_need(void)
{
	struct gain_question q = full(0, 0);

	/* 20 us for two moves, at 120 ns an access: 167 accesses in 10 s. */
	CHECK(need(q) == 16667);
	q.bar = 4;
	CHECK(need(q) == 66667);
	/* Three pages go down for one that comes up. There is an end to that. */
	q.price = 3;
	CHECK(need(q) == 133334);
	q.bar = 8;
	CHECK(need(q) == 266667);
	q.price = 16;
	CHECK(need(q) == 266667);
	/* With room only one page moves, and nobody else loses. */
	q.room = GAIN_ROOM_PLENTY;
	CHECK(need(q) == 8334);
	q.bar = 1;
	q.price = 1;
	CHECK(need(q) == 8334);
	q.pages = HUGE;
	CHECK(need(q) == 4266667);
	q.cost_ns = 0;
	CHECK(need(q) == 1);

	/* Half the time asks for twice the uses, and so does half the difference of latencies. */
	q = full(0, 0);
	q.horizon_ms /= 2;
	CHECK(need(q) == 33334);
	q.access_ns /= 2;
	CHECK(need(q) == 66667);
}

static void test_a_busy_link_is_no_reason_to_leave_free_memory_unused(void)
{
	struct gain_question q = full(0, 0);

	q.room = GAIN_ROOM_PLENTY;
	q.cost_ns = GAIN_COST_FREE;
	CHECK(need(q) == 8334);
	q.cost_ns = 20 * GAIN_COST_FREE;
	CHECK(need(q) == 8334);
	q.cost_ns = GAIN_COST_FREE / 2;
	CHECK(need(q) == 4167);
	/* A swap takes the link twice, and brings less. */
	q.room = GAIN_ROOM_NONE;
	q.cost_ns = 20 * GAIN_COST_FREE;
	CHECK(need(q) == 333334);
}

static void test_a_little_free_memory_is_for_what_pays_for_sure(void)
{
	struct gain_question q = full(0, 1000000);

	/* One page moves, and it takes as long as it takes. */
	q.room = GAIN_ROOM_LITTLE;
	CHECK(need(q) == 8334);
	q.cost_ns = 3 * GAIN_COST_FREE;
	CHECK(need(q) == 25001);
	CHECK(gain_enough(&q) == need(q) / GAIN_PART_SWAP);
	q.hot = 12500;
	CHECK(verdict(q) == GAIN_FREE && !gain_is_eager(&q, GAIN_FREE));
	q.hot--;
	CHECK(verdict(q) == GAIN_NONE);
	q.room = GAIN_ROOM_PLENTY;
	CHECK(verdict(q) == GAIN_FREE && gain_is_eager(&q, GAIN_FREE));
}

static void test_all_pages_that_go_down_lose(void)
{
	struct gain_question q = full(40000, 10000);

	CHECK(verdict(q) == GAIN_SWAP);
	/* It has to be hotter than all three together. */
	q.price = 3;
	CHECK(verdict(q) == GAIN_NONE);
	q.hot = 59999;
	CHECK(verdict(q) == GAIN_NONE);
	q.hot++;
	CHECK(verdict(q) == GAIN_SWAP);
	/* And to pay for four moves, if they lose nothing. */
	q.cold = 0;
	q.hot = 16666;
	CHECK(verdict(q) == GAIN_NONE);
	q.hot++;
	CHECK(verdict(q) == GAIN_SWAP);
}

static void test_looks_underestimate_so_less_is_enough(void)
{
	struct gain_question q = full(0, 0);

	CHECK(gain_enough(&q) == need(q) / GAIN_PART_SWAP);
	q.room = GAIN_ROOM_PLENTY;
	CHECK(gain_enough(&q) == need(q) / GAIN_PART_FREE);
}

static void test_what_was_hot_for_long_is_believed_to_stay_so(void)
{
	CHECK(gain_horizon_ms(0) == GAIN_HORIZON_MIN);
	CHECK(gain_horizon_ms(GAIN_HORIZON_MIN * 1000000ull - 1) == GAIN_HORIZON_MIN);
	CHECK(gain_horizon_ms(2345678901) == 2345);
	CHECK(gain_horizon_ms(GAIN_HORIZON_MAX * 1000000ull) == GAIN_HORIZON_MAX);
	CHECK(gain_horizon_ms(~0ull) == GAIN_HORIZON_MAX);
}

static void test_what_a_page_brings(void)
{
	struct gain_question q = full(50000, 0);

	/* 50 uses a second for 10 s, 120 ns each. */
	CHECK(gain_page_ns(&q) == 60000);
	/* What goes down for it loses 10 uses a second. */
	q.cold = 10000;
	CHECK(gain_page_ns(&q) == 48000);
	q.cold = 60000;
	CHECK(gain_page_ns(&q) == 0);
	/* Nothing goes down for it. */
	q.room = GAIN_ROOM_PLENTY;
	CHECK(gain_page_ns(&q) == 60000);
	q.pages = HUGE;
	CHECK(gain_page_ns(&q) == 116);
	/* No overflow, whatever is said of the uses. */
	q = full(~0ull, 0);
	q.horizon_ms = GAIN_HORIZON_MAX;
	q.access_ns = 5000;
	CHECK(gain_page_ns(&q) == GAIN_RATE_MAX * GAIN_HORIZON_MAX * 5000 / 1000000);
}

static void test_two_uses_are_enough_where_it_is_clear(void)
{
	struct gain_question q = full(160000, 10000);

	CHECK(gain_is_eager(&q, GAIN_SWAP));
	q.hot--;
	CHECK(!gain_is_eager(&q, GAIN_SWAP));
	CHECK(!gain_is_eager(&q, GAIN_NONE));
	/* Free memory is nobody's, if there is plenty. */
	CHECK(!gain_is_eager(&q, GAIN_FREE));
	q.room = GAIN_ROOM_PLENTY;
	CHECK(gain_is_eager(&q, GAIN_FREE));
	CHECK(!gain_is_eager(&q, GAIN_UNKNOWN) && !gain_is_eager(&q, GAIN_NO_DEMOTION));
	/* With huge pages a mistake costs too much. */
	q = full(GAIN_RATE_MAX, 0);
	CHECK(gain_is_eager(&q, GAIN_SWAP));
	q.pages = HUGE;
	CHECK(!gain_is_eager(&q, GAIN_SWAP));
	q.room = GAIN_ROOM_PLENTY;
	CHECK(gain_is_eager(&q, GAIN_FREE));
}

static void test_uniform_use_is_left_alone(void)
{
	u64 rate;

	for (rate = 0; rate < 1ull << 40; rate = rate * 3 / 2 + 1) {
		CHECK(verdict(full(rate, rate)) == GAIN_NONE);
		/* What looks find of the same pages differs by chance. */
		CHECK(verdict(full(rate + rate / 2, rate)) == GAIN_NONE);
	}
}

static void test_hot_pages_take_the_place_of_idle_ones(void)
{
	CHECK(verdict(full(1000000, 0)) == GAIN_SWAP);
	/* A half of what is needed, as the rate is a lower bound. */
	CHECK(verdict(full(8333, 0)) == GAIN_SWAP);
	CHECK(verdict(full(8332, 0)) == GAIN_NONE);
	/* The others lose what they were used. */
	CHECK(verdict(full(9333, 1000)) == GAIN_SWAP);
	CHECK(verdict(full(9332, 1000)) == GAIN_NONE);
	/* Twice as hot, or the rest is of no account. */
	CHECK(verdict(full(1000000, 500000)) == GAIN_SWAP);
	CHECK(verdict(full(999999, 500000)) == GAIN_NONE);
}

static void test_bar_asks_for_more(void)
{
	struct gain_question q = full(40000, 0);

	CHECK(verdict(q) == GAIN_SWAP);
	q.bar = 4;
	CHECK(verdict(q) == GAIN_SWAP);
	q.bar = 8;
	CHECK(verdict(q) == GAIN_NONE);
	q.bar = 64;
	CHECK(verdict(q) == GAIN_NONE);
	q.room = GAIN_ROOM_PLENTY;
	CHECK(verdict(q) == GAIN_FREE);
}

static void test_free_memory_is_for_whatever_pays(void)
{
	struct gain_question q = full(2083, 1000000);

	q.room = GAIN_ROOM_PLENTY;
	CHECK(verdict(q) == GAIN_FREE);
	q.demotes = false;
	CHECK(verdict(q) == GAIN_FREE);
	q.hot = 2082;
	CHECK(verdict(q) == GAIN_NONE);
	q.hot = 0;
	CHECK(verdict(q) == GAIN_NONE);
}

static void test_nothing_is_demoted_if_it_may_not_be(void)
{
	struct gain_question q = full(1000000, 0);

	q.demotes = false;
	CHECK(verdict(q) == GAIN_NO_DEMOTION);
	q.hot = 0;
	CHECK(verdict(q) == GAIN_NO_DEMOTION);
}

/* A huge page has one accessed bit, which is set by each use of 512 pages. */
static void test_huge_pages(void)
{
	struct gain_question q = full(4266667, 0);

	q.pages = HUGE;
	CHECK(verdict(q) == GAIN_SWAP);
	q.hot--;
	CHECK(verdict(q) == GAIN_NONE);
	/* 512 pages go down for it. */
	q.hot = 5000000;
	q.cold = 1000;
	CHECK(verdict(q) == GAIN_SWAP);
	q.cold = 2000;
	CHECK(verdict(q) == GAIN_NONE);
}

/* Seconds that accesses save within the horizon. */
static double saved(const struct gain_question *q, double per_1000s)
{
	return per_1000s / 1000 * q->horizon_ms / 1e3 * q->access_ns / 1e9;
}

static void test_verdicts_pay(void)
{
	unsigned long seen[GAIN_VERDICTS] = { 0 }, i;
	struct random r = { .state = 1 };

	for (i = 0; i < 200000; i++) {
		struct gain_question q = {
			.hot = random_log(&r, 1, 1u << 30),
			.pages = random_once_in(&r, 2) ? HUGE : 1,
			.cold = random_log(&r, 1, 1u << 24) - 1,
			.cost_ns = random_log(&r, GAIN_COST_MIN, 1000000),
			.access_ns = random_log(&r, 1, 5000),
			.horizon_ms = random_log(&r, GAIN_HORIZON_MIN, GAIN_HORIZON_MAX),
			.bar = 1u << random_below(&r, 7),
			.price = 1 + random_below(&r, 16),
			.room = random_below(&r, GAIN_ROOM_PLENTY + 1),
			.demotes = !random_once_in(&r, 4),
		};
		enum gain_verdict said = gain_decide(&q);
		double loss = (double)q.cold * q.pages * q.price;
		double moves = q.room ? 1 : fmin((1 + q.price) * q.bar, GAIN_MOVES_MAX);
		bool plenty = q.room == GAIN_ROOM_PLENTY;
		double most = plenty ? GAIN_COST_FREE : HUGE_VAL;
		double cost = fmin(q.cost_ns, most) / 1e9 * q.pages * moves;
		double part = plenty ? GAIN_PART_FREE : GAIN_PART_SWAP;
		double gain = saved(&q, q.hot) - (q.room ? 0 : saved(&q, loss));
		/* The need is rounded to whole uses, and so is a part of it. */
		double unit = saved(&q, 2);

		seen[said]++;
		CHECK(said != GAIN_UNKNOWN);
		if (said == GAIN_FREE || said == GAIN_SWAP) {
			CHECK((said == GAIN_FREE) == (q.room != GAIN_ROOM_NONE));
			CHECK(q.room || q.demotes);
			CHECK(gain >= cost / part - unit);
			CHECK(q.room || q.hot >= 2 * loss);
		} else if (said == GAIN_NONE) {
			CHECK(gain <= cost / part + unit || (!q.room && q.hot < 2 * loss));
		} else {
			CHECK(!q.room && !q.demotes);
		}
	}
	for (i = GAIN_FREE; i < GAIN_VERDICTS; i++)
		CHECK(seen[i] > 1000);
}

static void test_cost_follows_what_is_moved(void)
{
	struct gain_cost cost;
	unsigned int i;

	gain_cost_init(&cost, 10000);
	CHECK(gain_cost_ns(&cost) == 10000);
	/* A few dear ones say little. */
	gain_cost_add(&cost, 8, 8 * 100000);
	CHECK(gain_cost_ns(&cost) > 10000 && gain_cost_ns(&cost) < 11000);
	for (i = 0; i < 20000; i++)
		gain_cost_add(&cost, 1, 2000);
	CHECK(gain_cost_ns(&cost) >= 2000 && gain_cost_ns(&cost) < 2010);
	/* It is that of the last ones, however long it went on. */
	CHECK(cost.pages < 2 * GAIN_COST_PAGES);
	for (i = 0; i < 10; i++)
		gain_cost_add(&cost, GAIN_COST_PAGES, GAIN_COST_PAGES * 8000ull);
	CHECK(gain_cost_ns(&cost) > 7900 && gain_cost_ns(&cost) <= 8000);
	/* Nothing is for free, whatever the clock says. */
	for (i = 0; i < 20; i++)
		gain_cost_add(&cost, GAIN_COST_PAGES, 0);
	CHECK(gain_cost_ns(&cost) == GAIN_COST_MIN);
}

int main(void)
{
	test_need();
	test_a_busy_link_is_no_reason_to_leave_free_memory_unused();
	test_a_little_free_memory_is_for_what_pays_for_sure();
	test_all_pages_that_go_down_lose();
	test_looks_underestimate_so_less_is_enough();
	test_what_was_hot_for_long_is_believed_to_stay_so();
	test_what_a_page_brings();
	test_two_uses_are_enough_where_it_is_clear();
	test_uniform_use_is_left_alone();
	test_hot_pages_take_the_place_of_idle_ones();
	test_bar_asks_for_more();
	test_free_memory_is_for_whatever_pays();
	test_nothing_is_demoted_if_it_may_not_be();
	test_huge_pages();
	test_verdicts_pay();
	test_cost_follows_what_is_moved();
	return check_report();
}
