// SPDX-License-Identifier: GPL-2.0
/*
 * The throttle against a plain model of the kernel's rule, verdict by verdict over
 * random requests; what a page that waits for the rate may do; the rule's bounds by
 * hand.
 */

#include "check.h"
#include "random.h"
#include "promote/throttle.h"

#define SECOND	1000
#define WRAP	(1ll << 32)
#define HUGE	512

/*
 * The kernel's rule, told plainly: a clock that never wraps, one count of candidates
 * that is only ever added to and what it was at two moments, signed numbers.
 */
struct model {
	int64_t candidates;
	int64_t second_began, second_base;
	int64_t period_began, period_base;
	int64_t threshold;	/* -1: the reference */
};

/* How often the model took each of its ways. */
static struct {
	unsigned long roomy, cold, go, rate, opened, up, down, steady, floor, cap, wraps;
} seen;

static int64_t model_threshold(const struct model *m, int64_t reference)
{
	return m->threshold < 0 ? reference : m->threshold;
}

static void model_tune(struct model *m, const struct throttle_limits *l, int64_t now)
{
	int64_t allowed = (int64_t)l->pages_per_s * l->tune_ms / 1000;
	int64_t came = m->candidates - m->period_base;
	int64_t unit = l->reference_ms / 8;
	int64_t th = model_threshold(m, l->reference_ms);

	if (now <= m->period_began + l->tune_ms)
		return;

	/* Whole pages: a tenth is rounded down above, and up below. */
	if (came > allowed + allowed / 10) {
		seen.down++;
		th -= unit;
		if (th < unit) {
			seen.floor++;
			th = unit;
		}
	} else if (came < allowed - (allowed + 9) / 10) {
		seen.up++;
		th += unit;
		if (th > 2 * (int64_t)l->reference_ms) {
			seen.cap++;
			th = 2 * (int64_t)l->reference_ms;
		}
	} else {
		seen.steady++;
	}
	m->threshold = th;
	m->period_base = m->candidates;
	m->period_began = now;
}

static enum throttle_verdict model_ask(struct model *m, const struct throttle_limits *l,
				       int64_t now, const struct throttle_page *p)
{
	if (p->roomy) {
		seen.roomy++;
		m->threshold = -1;
		return THROTTLE_GO;
	}
	model_tune(m, l, now);
	if (p->age_ms >= model_threshold(m, l->reference_ms)) {
		seen.cold++;
		return THROTTLE_COLD;
	}
	m->candidates += p->nr;
	if (now > m->second_began + SECOND) {
		seen.opened++;
		m->second_began = now;
		m->second_base = m->candidates;
	}
	if (m->candidates - m->second_base >= (int64_t)l->pages_per_s) {
		seen.rate++;
		return THROTTLE_RATE;
	}
	seen.go++;
	return THROTTLE_GO;
}

enum pace { DENSE, SPARSE, BURSTS, EDGES, PACES };

/* Time to the next request, ms. */
static int64_t gap(struct random *r, enum pace how, const struct model *m,
		   const struct throttle_limits *l, int64_t now)
{
	int64_t edge;

	/* Hours in which nobody asks. */
	if (random_once_in(r, 10000))
		return random_below(r, 36000000);

	switch (how) {
	case DENSE:
		return random_below(r, 2);
	case SPARSE:
		return random_below(r, 5000);
	case BURSTS:
		return random_once_in(r, 300) ? random_below(r, 3000) : 0;
	case EDGES:
	default:
		if (!random_once_in(r, 8))
			return 0;
		edge = random_once_in(r, 2) ? m->second_began + SECOND :
					      m->period_began + l->tune_ms;
		edge += random_below(r, 3) - 1;
		return edge > now ? edge - now : 0;
	}
}

static unsigned int some_age(struct random *r, int64_t threshold)
{
	switch (random_below(r, 6)) {
	case 0:
		return threshold - 1;
	case 1:
		return threshold;
	case 2:
		return 0;
	default:
		return random_below(r, 2 * threshold);
	}
}

static void some_limits(struct random *r, struct throttle_limits *l)
{
	bool all = !l->reference_ms;

	if (all || random_once_in(r, 3))
		l->reference_ms = random_log(r, 8, 16383);
	if (all || random_once_in(r, 3))
		l->pages_per_s = random_log(r, 1, random_once_in(r, 8) ? 1u << 28 : 1u << 19);
	if (all || random_once_in(r, 3))
		l->tune_ms = random_log(r, random_once_in(r, 2) ? 10 : 1000, 60000);
}

/* Every verdict, threshold and count is the model's. */
static void follows_the_model(uint64_t seed)
{
	struct random r = { seed };
	struct throttle_limits l = { 0 };
	enum pace how = DENSE;
	struct model m = { .threshold = -1 };
	struct throttle t = { 0 };
	bool roomy = false;
	int64_t now, last;
	int i;

	if (random_once_in(&r, 2)) {
		/* All zero, soon or late after boot. */
		now = random_below(&r, random_once_in(&r, 2) ? 3000 : WRAP / 2);
	} else {
		/* The clock's 32 bits wrap on the way. */
		now = WRAP * (int64_t)(1 + random_below(&r, 9)) -
		      (int64_t)random_log(&r, 1, 1 << 22);
		pghot_throttle_init(&t, now);
		m.period_began = now;
		m.second_began = now - SECOND - 1;
	}
	some_limits(&r, &l);

	for (i = 0; i < 20000; i++) {
		struct throttle_page p = { .nr = random_once_in(&r, 4) ? HUGE : 1 };

		if (i % 1000 == 0)
			how = random_below(&r, PACES);
		if (random_once_in(&r, 4000))
			some_limits(&r, &l);
		if (random_once_in(&r, roomy ? 20 : 4000))
			roomy = !roomy;

		last = now;
		now += gap(&r, how, &m, &l, now);
		seen.wraps += now / WRAP != last / WRAP;

		p.now_ms = now;
		p.age_ms = some_age(&r, model_threshold(&m, l.reference_ms));
		p.roomy = roomy;
		CHECK(pghot_throttle_ask(&t, &l, &p) == model_ask(&m, &l, now, &p));
		CHECK(throttle_threshold_ms(&t, &l) == model_threshold(&m, l.reference_ms));
		CHECK(throttle_candidates(&t) == (uint64_t)m.candidates);
	}
}

/* The random requests were such that the comparison means something. */
static void model_was_put_to_use(void)
{
	CHECK(seen.roomy > 1000);
	CHECK(seen.cold > 1000);
	CHECK(seen.go > 1000);
	CHECK(seen.rate > 1000);
	CHECK(seen.opened > 1000);
	CHECK(seen.up > 1000);
	CHECK(seen.down > 1000);
	CHECK(seen.steady > 1000);
	CHECK(seen.floor > 100);
	CHECK(seen.cap > 100);
	CHECK(seen.wraps > 100);
}

static enum throttle_verdict ask(struct throttle *t, const struct throttle_limits *l,
				 unsigned int now, unsigned int age, unsigned int nr, bool counted)
{
	struct throttle_page p = { .now_ms = now, .age_ms = age, .nr = nr, .counted = counted };

	return pghot_throttle_ask(t, l, &p);
}

/* The threshold after a tuning period with so many candidates, in a few requests. */
static unsigned int tuned(const struct throttle_limits *l, unsigned int before_ms, uint64_t pages)
{
	struct throttle t;

	pghot_throttle_init(&t, 1000);
	t.threshold_ms = before_ms;
	while (pages) {
		unsigned int nr = pages < UINT32_MAX ? pages : UINT32_MAX;

		ask(&t, l, 1000 + l->tune_ms, 0, nr, false);
		pages -= nr;
	}
	/* One too old to count. */
	ask(&t, l, 1000 + l->tune_ms + 1, UINT32_MAX, 1, false);
	return throttle_threshold_ms(&t, l);
}

static void threshold_by_hand(void)
{
	/* 60000 pages in a period, 10 % are 6000; a unit is 125 ms. */
	const struct throttle_limits l = { 1000, 1000, 60000 };
	/* 7 pages: up below 6, down above 7. */
	const struct throttle_limits few = { 1000, 7, 1000 };
	/* The largest rate: 1 TiB/s with pages of 4 KiB, 16106127360 in a minute. */
	const struct throttle_limits most = { 1000, 1u << 28, 60000 };
	/* A reference that was raised while the threshold was at its lowest. */
	const struct throttle_limits raised = { 16000, 1000, 60000 };

	CHECK(tuned(&l, 0, 66000) == 1000);
	CHECK(tuned(&l, 0, 66001) == 875);
	CHECK(tuned(&l, 0, 54000) == 1000);
	CHECK(tuned(&l, 0, 53999) == 1125);
	CHECK(tuned(&l, 875, 70000) == 750);
	CHECK(tuned(&l, 249, 70000) == 125);
	CHECK(tuned(&l, 125, 70000) == 125);
	CHECK(tuned(&l, 1876, 0) == 2000);
	CHECK(tuned(&l, 2000, 0) == 2000);

	CHECK(tuned(&few, 0, 5) == 1125);
	CHECK(tuned(&few, 0, 6) == 1000);
	CHECK(tuned(&few, 0, 7) == 1000);
	CHECK(tuned(&few, 0, 8) == 875);

	CHECK(tuned(&most, 0, 17716740096) == 1000);
	CHECK(tuned(&most, 0, 17716740097) == 875);
	CHECK(tuned(&most, 0, 14495514624) == 1000);
	CHECK(tuned(&most, 0, 14495514623) == 1125);

	CHECK(tuned(&raised, 125, 70000) == 2000);
	CHECK(tuned(&raised, 125, 0) == 2125);
}

static void rate_by_hand(void)
{
	const struct throttle_limits l = { 1000, 100, 60000 };
	struct throttle t;
	int i;

	pghot_throttle_init(&t, 0);
	/* The one that opens the second is free, then 99 of the 100 are left. */
	CHECK(ask(&t, &l, 10, 0, HUGE, false) == THROTTLE_GO);
	for (i = 0; i < 99; i++)
		CHECK(ask(&t, &l, 20 + i, 0, 1, false) == THROTTLE_GO);
	CHECK(ask(&t, &l, 200, 0, 1, false) == THROTTLE_RATE);
	CHECK(ask(&t, &l, 1010, 0, 1, false) == THROTTLE_RATE);
	CHECK(ask(&t, &l, 1011, 0, 1, false) == THROTTLE_GO);
	/* A large one is not taken in part, and nothing after it is. */
	CHECK(ask(&t, &l, 1012, 0, HUGE, false) == THROTTLE_RATE);
	CHECK(ask(&t, &l, 1013, 0, 1, false) == THROTTLE_RATE);
	CHECK(throttle_candidates(&t) == 2 * HUGE + 99 + 4);
	/* What is too old opens no second. */
	CHECK(ask(&t, &l, 3000, 1000, 1, false) == THROTTLE_COLD);
	CHECK(ask(&t, &l, 3500, 999, 1, false) == THROTTLE_GO);
	CHECK(ask(&t, &l, 4500, 0, 100, false) == THROTTLE_RATE);
	CHECK(ask(&t, &l, 4501, 0, 100, false) == THROTTLE_GO);
}

/* What could not be taken leaves its rate to others, but stays a candidate. */
static void return_by_hand(void)
{
	const struct throttle_limits l = { 1000, 100, 60000 };
	struct throttle t;
	int i;

	pghot_throttle_init(&t, 0);
	for (i = 0; i < 100; i++)
		CHECK(ask(&t, &l, 10, 0, 1, false) == THROTTLE_GO);
	CHECK(ask(&t, &l, 10, 0, 1, false) == THROTTLE_RATE);
	pghot_throttle_return(&t, 10);
	/* The request that was refused has used one of them. */
	for (i = 0; i < 9; i++)
		CHECK(ask(&t, &l, 10, 0, 1, true) == THROTTLE_GO);
	CHECK(ask(&t, &l, 10, 0, 1, true) == THROTTLE_RATE);
	CHECK(throttle_candidates(&t) == 101);
	/* Never more than was used: the one that opens a second comes free. */
	CHECK(ask(&t, &l, 1011, 0, HUGE, false) == THROTTLE_GO);
	pghot_throttle_return(&t, HUGE);
	for (i = 0; i < 99; i++)
		CHECK(ask(&t, &l, 1011, 0, 1, true) == THROTTLE_GO);
	CHECK(ask(&t, &l, 1011, 0, 1, true) == THROTTLE_RATE);
}

static void free_space_by_hand(void)
{
	const struct throttle_limits l = { 1000, 1, 60000 };
	struct throttle_page p = { .now_ms = 5, .age_ms = UINT32_MAX, .nr = HUGE, .roomy = true };
	struct throttle t;
	int i;

	pghot_throttle_init(&t, 0);
	t.threshold_ms = 125;
	for (i = 0; i < 100; i++)
		CHECK(pghot_throttle_ask(&t, &l, &p) == THROTTLE_GO);
	CHECK(throttle_threshold_ms(&t, &l) == 1000);
	CHECK(throttle_candidates(&t) == 0);
	/* It used nothing of a second. */
	CHECK(ask(&t, &l, 6, 0, 1, false) == THROTTLE_GO);
}

/* All zero: works from the first request on, one unit up at most. */
static void zero_is_a_start(void)
{
	const struct throttle_limits l = { 1000, 100, 60000 };
	struct throttle early = { 0 }, late = { 0 };

	CHECK(throttle_threshold_ms(&early, &l) == 1000);
	CHECK(ask(&early, &l, 0, 0, 99, false) == THROTTLE_GO);
	CHECK(ask(&early, &l, 1000, 0, 1, false) == THROTTLE_RATE);
	CHECK(ask(&early, &l, 1001, 0, 1, false) == THROTTLE_GO);
	CHECK(throttle_threshold_ms(&early, &l) == 1000);
	CHECK(ask(&late, &l, 86400000, 0, HUGE, false) == THROTTLE_GO);
	CHECK(throttle_threshold_ms(&late, &l) == 1125);
	CHECK(ask(&late, &l, 86400001, 0, 99, false) == THROTTLE_GO);
	CHECK(ask(&late, &l, 86400002, 0, 1, false) == THROTTLE_RATE);
	CHECK(throttle_threshold_ms(&late, &l) == 1125);
}

/* Pages that wait, all asked again and again, and what they were granted. */
#define QUEUE	4096

struct queue {
	struct { unsigned int nr; bool counted; } page[QUEUE];
	unsigned int length;
	uint64_t hot;		/* pages that were candidates, each once */
	int64_t began;		/* the second */
	uint64_t first, granted;	/* in this second: its first request, all */
	struct { int64_t when; unsigned int nr; } past[QUEUE];
	unsigned int head, tail;	/* of the grants of the last 1000 ms */
	uint64_t sliding;
};

/* Books a verdict for a page that was asked as hot. */
static void book(struct queue *q, const struct throttle_limits *l, int64_t now, unsigned int nr,
		 enum throttle_verdict verdict)
{
	if (now - q->began > SECOND) {
		q->began = now;
		q->first = nr;
		q->granted = 0;
		CHECK(verdict == THROTTLE_GO);
	}
	while (q->tail != q->head && now - q->past[q->tail % QUEUE].when >= SECOND)
		q->sliding -= q->past[q->tail++ % QUEUE].nr;
	if (verdict != THROTTLE_GO)
		return;

	q->granted += nr;
	CHECK(q->granted < l->pages_per_s + q->first);
	q->past[q->head++ % QUEUE] = (typeof(*q->past)){ now, nr };
	q->sliding += nr;
	CHECK(q->head - q->tail <= QUEUE);
	/* Wherever a second is cut out, it meets at most two of the rule's. */
	CHECK(q->sliding < 2 * (l->pages_per_s + HUGE));
}

static void waiting_is_not_asking_anew(uint64_t seed)
{
	static struct queue q;
	struct random r = { seed };
	struct throttle_limits l = { 1000, random_log(&r, 256, 1024), 5000 };
	unsigned int arrivals = random_log(&r, 1, 64), i;
	int64_t now = WRAP - (int64_t)random_log(&r, 1, 200000);
	struct throttle t;
	int step;

	q = (struct queue){ .began = now - SECOND - 1 };
	pghot_throttle_init(&t, now);
	for (step = 0; step < 800; step++) {
		now += random_below(&r, 200);
		for (i = random_below(&r, arrivals); i && q.length < QUEUE; i--)
			q.page[q.length++] = (typeof(*q.page)){
				.nr = random_once_in(&r, 50) ? HUGE : 1,
			};
		for (i = 0; i < q.length;) {
			unsigned int age = random_below(&r, 125) + 2000 * random_once_in(&r, 9);
			unsigned int nr = q.page[i].nr;
			bool counted = q.page[i].counted;
			enum throttle_verdict verdict = ask(&t, &l, now, age, nr, counted);

			CHECK((verdict == THROTTLE_COLD) == (age >= 2000));
			if (verdict != THROTTLE_COLD) {
				q.hot += counted ? 0 : nr;
				q.page[i].counted = true;
				book(&q, &l, now, nr, verdict);
			}
			CHECK(throttle_candidates(&t) == q.hot);
			if (verdict == THROTTLE_GO)
				q.page[i] = q.page[--q.length];
			else
				i++;
		}
	}

	/* Nobody comes any more: each second grants its part until none waits. */
	for (step = 0; step < 2 * HUGE * QUEUE / 256 && q.length; step++) {
		now += SECOND + 1;
		for (i = q.length; i-- > 0;) {
			enum throttle_verdict verdict;

			verdict = ask(&t, &l, now, 0, q.page[i].nr, q.page[i].counted);
			q.hot += q.page[i].counted ? 0 : q.page[i].nr;
			q.page[i].counted = true;
			book(&q, &l, now, q.page[i].nr, verdict);
			if (verdict == THROTTLE_GO)
				q.page[i] = q.page[--q.length];
		}
	}
	CHECK(q.length == 0);
	CHECK(throttle_candidates(&t) == q.hot);
}

/* 10000 pages at once, 1000 a second: 10 seconds, whoever asks how often. */
static void queue_drains_at_the_rate(unsigned int every_ms)
{
	const struct throttle_limits l = { 1000, 1000, 60000 };
	unsigned int waiting = 10000, i, now = 0, asked;
	struct throttle t;

	pghot_throttle_init(&t, 0);
	for (now = 0; waiting && now < 60000; now += every_ms)
		for (i = 0, asked = waiting; i < asked; i++)
			waiting -= ask(&t, &l, now, 0, 1, now > 0) == THROTTLE_GO;
	CHECK(waiting == 0);
	CHECK(now >= 9 * SECOND && now <= 10 * (SECOND + every_ms));
	CHECK(throttle_candidates(&t) == 10000);
}

/*
 * Nearly as many hot pages as the rate allows, but two seconds' worth at a time: half
 * of them wait. The threshold is to stay where it is, unless they ask as if they were
 * new.
 */
static unsigned int threshold_with_a_queue(bool counted)
{
	const struct throttle_limits l = { 1000, 1000, 60000 };
	unsigned int now, i, asked, new, waiting = 0;
	struct throttle t;

	pghot_throttle_init(&t, 0);
	for (now = 0; now < 10 * 60000; now += 50) {
		for (i = 0, asked = waiting; i < asked; i++)
			waiting -= ask(&t, &l, now, 0, 1, counted) == THROTTLE_GO;
		new = now % 2000 ? 0 : 1900;
		for (i = 0; i < new; i++)
			waiting += ask(&t, &l, now, 0, 1, false) == THROTTLE_RATE;
	}
	return throttle_threshold_ms(&t, &l);
}

int main(void)
{
	uint64_t seed;

	for (seed = 0; seed < 250; seed++)
		follows_the_model(seed);
	model_was_put_to_use();
	threshold_by_hand();
	rate_by_hand();
	return_by_hand();
	free_space_by_hand();
	zero_is_a_start();
	for (seed = 0; seed < 30; seed++)
		waiting_is_not_asking_anew(seed);
	queue_drains_at_the_rate(10);
	queue_drains_at_the_rate(100);
	queue_drains_at_the_rate(777);
	CHECK(threshold_with_a_queue(true) == 1000);
	CHECK(threshold_with_a_queue(false) == 125);
	return check_report();
}
