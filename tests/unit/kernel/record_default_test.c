// SPDX-License-Identifier: GPL-2.0
/*
 * The one-byte record against a history that forgets nothing: every value of the
 * record, every phase of its five bits of time, gaps far beyond their range.
 */
#include <string.h>

#include "../check.h"
#include "record_default.h"

/* What a record stands for, in full. */
struct history {
	unsigned int freq;
	u32 last;
};

static void history_touch(struct history *history, u32 now, u32 window)
{
	if (history->freq && now - history->last <= window)
		history->freq += history->freq < PGHOT_FREQ_MAX;
	else
		history->freq = 1;
	history->last = now;
}

/* A line with one record in use, as hotmap_line_exact() treats it. */
struct line {
	u32 aged;
	u8 rec;
};

static void line_use(struct line *line, u32 now)
{
	if (pghot_line_exact(line->aged, now))
		return;
	if (line->rec && pghot_rec_expired(line->rec, line->aged, now))
		line->rec = 0;
	line->aged = now;
}

static void line_touch(struct line *line, u32 now, u32 window, unsigned int threshold)
{
	line_use(line, now);
	line->rec = pghot_rec_touch(line->rec, now, window, threshold);
}

/* Every byte, every time: the new record says just what the old one implies. */
static void touch_every_value(void)
{
	unsigned int rec, threshold, bad = 0;
	u32 now, window;

	for (rec = 0; rec < 256; rec++)
		for (now = 0; now < 64; now++)
			for (window = 0; window <= PGHOT_KEEP; window++)
				for (threshold = 1; threshold <= PGHOT_FREQ_MAX; threshold++) {
					u8 new = pghot_rec_touch(rec, now, window, threshold);
					u32 then = rec >> 2 & 31, age = 0;
					unsigned int freq = 1;

					/* The next bucket counts as this one. */
					while ((then + age) % 32 != now % 32 &&
					       then != (now + 1) % 32)
						age++;
					if (rec % 4 && age <= window)
						freq = rec % 4 == 3 ? 3 : rec % 4 + 1;
					bad += new % 4 != freq;
					bad += (new >> 2) % 32 != now % 32;
					bad += (new >= 128) != (freq >= threshold);
				}
	CHECK(bad == 0);
}

/* No bit of one field leaks into another. */
static void fields_are_apart(void)
{
	unsigned int rec, bad = 0;

	for (rec = 0; rec < 256; rec++) {
		bad += pghot_rec_freq(rec) != rec % 4;
		bad += pghot_rec_ready(rec) != (rec >= 128);
		bad += pghot_rec_age(rec, rec >> 2) != 0;
		bad += pghot_rec_age(rec, (rec >> 2) - 1) != 0;
		bad += pghot_rec_age(rec, (rec >> 2) + 30) != 30;
	}
	CHECK(bad == 0);
}

/* Three accesses, every phase, gaps up to three times the range of five bits. */
static void sequences_match_history(u32 window)
{
	unsigned int bad_freq = 0, bad_time = 0;
	u32 phase, first, second;

	for (phase = 0; phase < 32; phase++)
		for (first = 0; first < 100; first++)
			for (second = 0; second < 100; second++) {
				struct history history = { 0 };
				struct line line = { .aged = 5000 + phase };
				u32 now = line.aged;

				history_touch(&history, now, window);
				line_touch(&line, now, window, 2);
				now += first;
				history_touch(&history, now, window);
				line_touch(&line, now, window, 2);
				now += second;
				history_touch(&history, now, window);
				line_touch(&line, now, window, 2);
				bad_freq += pghot_rec_freq(line.rec) != history.freq;
				bad_time += pghot_rec_age(line.rec, now) != 0;
			}
	CHECK(bad_freq == 0);
	CHECK(bad_time == 0);
}

/*
 * A record whose line others keep in use is never seen fresher than it is: one
 * access, then the line is used first buckets later and every step from there.
 */
static void neighbours_do_not_revive(void)
{
	unsigned int revived = 0, lost = 0;
	u32 phase, first, step, now;

	for (phase = 0; phase < 32; phase++)
		for (first = 0; first < 70; first++)
			for (step = 1; step < 40; step++) {
				struct line line = { .aged = 900 + phase };
				u32 then = line.aged;

				line_touch(&line, then, 22, 3);
				for (now = then + first; now < then + 150; now += step) {
					line_use(&line, now);
					if (line.rec)
						revived += pghot_rec_age(line.rec, now) !=
							   now - then;
					else
						lost += now - then <= PGHOT_KEEP;
				}
			}
	CHECK(revived == 0);
	CHECK(lost == 0);
}

/* Expiry is exact wherever the last access lies around the ageing of its line. */
static void expiry_is_exact(void)
{
	static const u32 far[4] = { 1000, 1u << 20, 1u << 31, 0xffffff00u };
	unsigned int bad = 0, i;
	u32 aged, last, idle;

	for (aged = 100; aged < 132; aged++)
		for (last = aged - PGHOT_KEEP; last <= aged + PGHOT_SLACK + 1; last++) {
			u8 rec = pghot_rec_touch(0, last, 22, 2);
			u32 from = last > aged ? last - aged : 0;

			for (idle = from; idle < 200; idle++)
				bad += pghot_rec_expired(rec, aged, aged + idle) !=
				       (aged + idle - last > PGHOT_KEEP);
			for (i = 0; i < 4; i++)
				bad += !pghot_rec_expired(rec, aged, aged + far[i]);
		}
	CHECK(bad == 0);
}

/* Buckets are 2^27 ns, and five bits of them about four seconds. */
static void buckets_are_a_fixed_time(void)
{
	CHECK(pghot_bucket(0) == 0);
	CHECK(pghot_bucket((1ull << 27) - 1) == 0);
	CHECK(pghot_bucket(1ull << 27) == 1);
	CHECK(pghot_bucket(60ull * 1000000000) == 447);
	CHECK((PGHOT_TIME_MASK + 1ull) << PGHOT_BUCKET_SHIFT == 4294967296ull);
	CHECK(PGHOT_KEEP + PGHOT_SLACK + 1 == PGHOT_TIME_MASK);
}

int main(void)
{
	u32 window;

	fields_are_apart();
	touch_every_value();
	for (window = 0; window <= PGHOT_KEEP; window++)
		sequences_match_history(window);
	neighbours_do_not_revive();
	expiry_is_exact();
	buckets_are_a_fixed_time();
	return check_report();
}
