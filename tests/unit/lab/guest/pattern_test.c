// SPDX-License-Identifier: GPL-2.0
/* pattern and content of the guest's micro-benchmark: shapes, and what is found wrong. */
#include "content.h"
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "args.h"

#define PAGES	128
#define MANY	40000

static struct pattern_plan plan(enum shape shape)
{
	return (struct pattern_plan){
		.shape = shape,
		.seed = 7,
		.pages = PAGES,
		.accesses = MANY,
		.write_share = 20,
		.hot_pages = PAGES / 4,
		.hot_share = 75,
		.stride = 5,
	};
}

/* How often each page is accessed in the first phase; the number of stores. */
static unsigned int count(const struct pattern_plan *plan, unsigned int uses[PAGES])
{
	unsigned int stores = 0;
	struct pattern p;
	struct access a;
	uint64_t n;

	memset(uses, 0, PAGES * sizeof(*uses));
	pattern_start(&p, plan, 1);
	for (n = pattern_phase(&p, plan, 0); n; n--) {
		a = pattern_next(&p, plan->shape);
		CHECK(a.offset < PAGES * NUMA_PAGE && !(a.offset % PATTERN_LINE));
		CHECK(a.value & 1);
		uses[a.offset / NUMA_PAGE]++;
		stores += a.store;
	}
	return stores;
}

static bool within(double value, double wanted, double part)
{
	return value > wanted * (1 - part) && value < wanted * (1 + part);
}

static void shapes(void)
{
	unsigned int uses[PAGES], hot = 0, least = MANY, most = 0, i;
	struct pattern_plan even = plan(SHAPE_EVEN), some = plan(SHAPE_HOT),
			    normal = plan(SHAPE_NORMAL);

	CHECK(within(count(&even, uses), MANY * 0.2, 0.05));
	for (i = 0; i < PAGES; i++)
		CHECK(within(uses[i], MANY / PAGES, 0.3));
	count(&some, uses);
	for (i = 0; i < some.hot_pages; i++)
		hot += uses[i];
	/* A quarter of what goes anywhere goes there, too. */
	CHECK(within(hot, MANY * (0.75 + 0.25 / 4), 0.03));
	count(&normal, uses);
	for (i = 0; i < PAGES; i++) {
		least = uses[i] < least ? uses[i] : least;
		most = uses[i] > most ? uses[i] : most;
	}
	/* Four even ones: 8/3 times as many at the centre. */
	CHECK(within(most, MANY * 8.0 / 3 / PAGES, 0.15));
	CHECK(least < MANY / PAGES / 50);
}

static void linear(void)
{
	struct pattern_plan l = plan(SHAPE_LINEAR);
	struct pattern p, other;
	uint64_t at, next;
	int i;

	pattern_start(&p, &l, 0);
	pattern_start(&other, &l, 1);
	CHECK(p.at != other.at);
	at = pattern_next(&p, SHAPE_LINEAR).offset / NUMA_PAGE;
	for (i = 0; i < 3 * PAGES; i++) {
		next = pattern_next(&p, SHAPE_LINEAR).offset / NUMA_PAGE;
		CHECK(next == (at + 5) % PAGES);
		at = next;
	}
}

/* The hot set is where the phase says, and the phases make up all accesses. */
static void phases(void)
{
	struct pattern_plan some = plan(SHAPE_HOT);
	uint64_t phase, n, sum = 0;
	struct pattern p;

	some.moves = 2;
	some.hot_share = 100;
	pattern_start(&p, &some, 0);
	for (phase = 0; phase <= some.moves; phase++) {
		n = pattern_phase(&p, &some, phase);
		for (sum += n; n; n--)
			CHECK(pattern_next(&p, SHAPE_HOT).offset / NUMA_PAGE / some.hot_pages ==
			      phase);
	}
	CHECK(sum == MANY);
}

static void play(uint64_t *memory, const struct pattern_plan *plan, unsigned int thread)
{
	struct pattern p;
	struct access a;
	uint64_t n;

	pattern_start(&p, plan, thread);
	for (n = pattern_phase(&p, plan, 0); n; n--) {
		a = pattern_next(&p, plan->shape);
		if (a.store)
			memory[a.offset / sizeof(*memory)] += a.value;
	}
}

static void content(void)
{
	uint64_t *memory = malloc(PAGES * NUMA_PAGE), sum, again, word;
	struct pattern_plan normal = plan(SHAPE_NORMAL);
	char page[NUMA_PAGE];

	content_fill(memory, 0, PAGES / 2 * NUMA_PAGE, normal.seed);
	content_fill(memory, PAGES / 2 * NUMA_PAGE, PAGES * NUMA_PAGE, normal.seed);
	play(memory, &normal, 1);
	play(memory, &normal, 0);
	CHECK(content_verify(memory, &normal, 2, &sum));
	/* A lost store, a line in another's place, a page in another's, a thread too few. */
	memory[9 * CONTENT_WORDS]--;
	CHECK(!content_verify(memory, &normal, 2, &again));
	CHECK(again != sum);
	memory[9 * CONTENT_WORDS]++;
	CHECK(content_verify(memory, &normal, 2, &again));
	CHECK(again == sum);
	word = memory[0];
	memory[0] = memory[8];
	memory[8] = word;
	CHECK(!content_verify(memory, &normal, 2, &again));
	memory[8] = memory[0];
	memory[0] = word;
	memcpy(page, memory, NUMA_PAGE);
	memcpy(memory, memory + CONTENT_WORDS, NUMA_PAGE);
	memcpy(memory + CONTENT_WORDS, page, NUMA_PAGE);
	CHECK(!content_verify(memory, &normal, 2, &again));
	memcpy(memory + CONTENT_WORDS, memory, NUMA_PAGE);
	memcpy(memory, page, NUMA_PAGE);
	CHECK(!content_verify(memory, &normal, 1, &again));
	CHECK(content_verify(memory, &normal, 2, &again));
	free(memory);
}

int main(void)
{
	args_program = "pattern_test";
	shapes();
	linear();
	phases();
	content();
	return check_report();
}
