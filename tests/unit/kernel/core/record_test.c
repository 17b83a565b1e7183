// SPDX-License-Identifier: GPL-2.0
/*
 * The record in both formats against a history that forgets nothing: every value of the
 * one byte, every phase of the bits of time, gaps far beyond their range.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/record.h"

#define UNITS(f, buckets)	((buckets) >> (f)->aged_shift)

/* What a record stands for, in full. */
struct history {
	unsigned int freq;
	u64 last;
	int nid;
	bool shared;
};

static void history_touch(const struct rec_format *f, struct history *h, u64 when, u32 window,
			  int nid)
{
	if (h->freq && (when < h->last || when - h->last <= window)) {
		h->freq += h->freq < f->freq_max;
		h->shared |= nid != h->nid;
	} else {
		h->freq = 1;
		h->shared = false;
	}
	h->nid = nid;
	if (when > h->last)
		h->last = when;
}

/* A line with one record in use, as the map treats it. */
struct line {
	u32 aged;
	u32 rec;
};

/* Returns the time to reckon from. */
static u32 line_use(const struct rec_format *f, struct line *line, u64 when)
{
	if (!rec_line_exact(f, line->aged, when) && !rec_line_later(f, line->aged, when)) {
		u32 now = when >> f->aged_shift;

		if (line->rec && rec_expired(f, line->rec, line->aged, now))
			line->rec = 0;
		line->aged = now;
	}
	return rec_line_ref(f, line->aged);
}

/* Buckets since the last access, as seen at a time that the line is exact at. */
static u32 line_idle(const struct rec_format *f, const struct line *line, u64 now)
{
	u32 ref = rec_line_ref(f, line->aged);

	return rec_idle(f, line->rec, ref) - (ref - (u32)now);
}

static void line_touch(const struct rec_format *f, struct line *line, u64 when, u32 window,
		       unsigned int threshold, int nid)
{
	u32 ref = line_use(f, line, when);
	struct rec_access access = {
		.ref = ref,
		.ago = ref - (u32)when,
		.nid = nid,
		.weight = 1,
	};
	struct rec_rule rule;

	rec_set_rule(f, &rule, window, threshold);
	line->rec = rec_touch(f, &rule, line->rec, &access);
}

/* Returns how much is wrong with a byte after an access. */
static unsigned int touched_wrongly(const struct rec_rule *rule, unsigned int threshold, u8 rec,
				    const struct rec_access *a)
{
	u8 new = rec_touch(&rec_default, rule, rec, a);
	u32 then = rec >> 2 & 31, idle = 0, freq = a->weight, time = a->ref - a->ago;
	bool ready, near;

	while ((then + idle) % 32 != a->ref % 32)
		idle++;
	near = rec && (int)(idle - a->ago) <= (int)rule->window;
	if (rec && a->ref - idle > time)
		time = a->ref - idle;
	if (near)
		freq = rec % 4 + a->weight;
	freq = freq > 3 ? 3 : freq;
	ready = freq >= threshold;
	/* A candidate that was counted waits on, unless the window has passed. */
	if (near && rec % 4 == 0) {
		freq = 0;
		ready = true;
	}
	return (new % 4 != freq) + ((new >> 2) % 32 != time % 32) + ((new >= 128) != ready);
}

/* Every byte, every time, every delay: the new record says what the old one implies. */
static void touch_every_byte(void)
{
	struct rec_access a = { .nid = NUMA_NO_NODE };
	unsigned int rec, settings, threshold, bad = 0;
	struct rec_rule rule;

	for (settings = 0; settings < 32 * 32 * 30; settings++) {
		a.ref = 32 + settings % 32;
		a.ago = settings / 32 % 32;
		for (threshold = 1; threshold <= 3; threshold++) {
			rec_set_rule(&rec_default, &rule, settings / 32 / 32, threshold);
			for (a.weight = 1; a.weight <= 4; a.weight++)
				for (rec = 0; rec < 256; rec++)
					bad += touched_wrongly(&rule, threshold, rec, &a);
		}
	}
	CHECK(bad == 0);
}

/* No bit of one field leaks into another. */
static void fields_are_apart(void)
{
	unsigned int bad = 0;
	u32 rec, i;

	for (rec = 1; rec < 256; rec++) {
		bad += rec_freq(&rec_default, rec) != rec % 4;
		bad += rec_ready(&rec_default, rec) != (rec >= 128);
		bad += rec_idle(&rec_default, rec, rec >> 2) != 0;
		bad += rec_idle(&rec_default, rec, (rec >> 2) + 31) != 31;
		bad += rec_nid(&rec_default, rec) != NUMA_NO_NODE;
	}
	for (i = 0; i < 1u << 20; i++) {
		u32 nid = random() % 1024, freq = random() % 8, time = random() % 16384;
		u32 shared = random() % 2, ready = random() % 2;

		rec = nid | freq << 10 | time << 13 | shared << 27 | ready << 31;
		bad += rec_nid(&rec_precise, rec) != (nid == 1023 ? NUMA_NO_NODE : (int)nid);
		bad += rec_freq(&rec_precise, rec) != freq;
		bad += rec_ready(&rec_precise, rec) != ready;
		bad += !(rec & rec_precise.shared) != !shared;
		bad += rec && rec_idle(&rec_precise, rec, time) != 0;
		bad += rec && rec_idle(&rec_precise, rec, time + 16383) != 16383;
		bad += rec_count(&rec_precise, rec) != (rec & ~(7u << 10));
		bad += rec_cool(&rec_precise, rec) !=
		       ((rec | (freq ? 0 : 7u << 10)) & ~(1u << 31));
	}
	CHECK(bad == 0);
}

/* Returns how much is wrong after three accesses, so many buckets apart. */
static unsigned int sequence_differs(const struct rec_format *f, u32 window, u64 now,
				     u32 first, u32 second)
{
	const int nid[3] = { 5, 5 + first % 2, 5 };
	const u32 gap[3] = { 0, first, second };
	struct line line = { .aged = UNITS(f, now) };
	struct history h = { 0 };
	unsigned int i, bad = 0;

	for (i = 0; i < 3; i++) {
		now += gap[i];
		history_touch(f, &h, now, window, nid[i]);
		line_touch(f, &line, now, window, 2, nid[i]);
	}
	bad += rec_freq(f, line.rec) != h.freq;
	bad += rec_ready(f, line.rec) != (h.freq >= 2);
	bad += line_idle(f, &line, now) != 0;
	bad += f->nid_mask && rec_nid(f, line.rec) != 5;
	bad += f->nid_mask && !(line.rec & f->shared) != !h.shared;
	return bad;
}

/* Every phase, gaps up to three times the range of the time. */
static void sequences_match_history(const struct rec_format *f, u32 window, u32 phases, u32 step)
{
	unsigned int bad = 0;
	u32 phase, first, second;

	for (phase = 0; phase < phases; phase += step)
		for (first = 0; first < 3 * f->time_mask; first += step)
			for (second = 0; second < 3 * f->time_mask; second += step)
				bad += sequence_differs(f, window, 500000 + phase, first, second);
	CHECK(bad == 0);
}

/* Accesses that are reported late, in any order, up to what records remember. */
static void late_reports_match_history(const struct rec_format *f, unsigned long runs)
{
	unsigned int bad = 0, late = 0;
	unsigned long i;

	for (i = 0; i < runs; i++) {
		u64 now = 500000 + random() % (f->time_mask + 1);
		u32 window = random() % (f->keep + 1), n;
		struct line line = { .aged = UNITS(f, now) };
		struct history h = { 0 };

		for (n = 0; n < 6; n++) {
			u32 ago = random() % 2 ? random() % (f->keep - f->slack) : 0;
			u64 when = now - ago, floor = (u64)line.aged << f->aged_shift;

			if (floor > when && floor - when > f->keep)
				continue;
			late += ago > 0;
			/* What the line has forgotten, the history has to forget as well. */
			line_use(f, &line, when);
			if (!line.rec)
				memset(&h, 0, sizeof(h));
			line_touch(f, &line, when, window, 2, 0);
			history_touch(f, &h, when, window, 0);
			bad += rec_freq(f, line.rec) != h.freq;
			now += random() % f->keep;
			line_use(f, &line, now);
			if (line.rec)
				bad += line_idle(f, &line, now) != now - h.last;
			else
				bad += now - h.last <= f->keep;
			if (!line.rec)
				memset(&h, 0, sizeof(h));
		}
	}
	CHECK(bad == 0);
	CHECK(late > runs);
}

/*
 * Returns how often a record is seen wrongly whose line others keep in use: one access,
 * then the line is used first buckets later and every step from there.
 */
static unsigned int revived(const struct rec_format *f, u64 then, u32 first, u32 step)
{
	struct line line = { .aged = UNITS(f, then) };
	unsigned int bad = 0;
	u64 now;

	line_touch(f, &line, then, f->keep / 2, 3, 1);
	for (now = then + first; now < then + 4 * f->time_mask; now += step) {
		line_use(f, &line, now);
		if (line.rec)
			bad += line_idle(f, &line, now) != now - then;
		else
			bad += now - then <= f->keep;
	}
	return bad;
}

static void neighbours_do_not_revive(const struct rec_format *f, u32 phases, u32 stride)
{
	u32 phase, first, step;
	unsigned int bad = 0;

	for (phase = 0; phase < phases; phase += stride)
		for (first = 0; first < 2 * f->time_mask + 8; first += stride)
			for (step = 1; step < f->keep + 10; step += stride)
				bad += revived(f, 90000 + phase, first, step);
	CHECK(bad == 0);
}

/* Returns how often expiry is wrong for an access so many buckets after the ageing. */
static unsigned int expires_wrongly(const struct rec_format *f, u32 aged, s32 from)
{
	static const u32 far[4] = { 1000, 1u << 20, 1u << 31, 0xffffff00u };
	u32 unit = 1u << f->aged_shift, idle, i;
	u64 last = (u64)aged * unit + from;
	struct rec_access access = { .ref = last, .nid = 0, .weight = 1 };
	struct rec_rule rule;
	unsigned int bad = 0;
	u32 rec;

	rec_set_rule(f, &rule, 1, 2);
	rec = rec_touch(f, &rule, 0, &access);
	for (idle = from > 0 ? from / unit + 1 : 0; idle < 200; idle++)
		bad += rec_expired(f, rec, aged, aged + idle) !=
		       ((u64)(aged + idle) * unit - last > f->keep);
	for (i = 0; i < 4; i++)
		bad += !rec_expired(f, rec, aged, aged + far[i]);
	return bad;
}

/* Expiry is exact wherever the last access lies around the ageing of its line. */
static void expiry_is_exact(const struct rec_format *f, u32 stride)
{
	unsigned int bad = 0;
	u32 aged;
	s32 from;

	for (aged = 10000; aged < 10000 + 32; aged++)
		for (from = -(s32)f->keep; from <= (s32)f->slack + 1; from += stride)
			bad += expires_wrongly(f, aged, from);
	CHECK(bad == 0);
}

/* Buckets are a power of two of ns, and the fields span fixed times. */
static void formats_are_sound(const struct rec_format *f)
{
	CHECK(rec_bucket(f, 0) == 0);
	CHECK(rec_bucket(f, (1ull << f->bucket_shift) - 1) == 0);
	CHECK(rec_bucket(f, 1ull << f->bucket_shift) == 1);
	CHECK(f->keep + f->slack + 1 == f->time_mask);
	CHECK(f->slack == ((f->aged_slack + 1) << f->aged_shift) - 1);
	CHECK(f->bucket_shift + f->aged_shift == 27);
	/* The longest windows, ms. */
	CHECK(((f->bytes == 1 ? 3968 : 16383) * 1000000ull) >> f->bucket_shift <= f->keep);
	CHECK(f->freq_max << f->freq_shift < 1u << f->time_shift);
	CHECK(((u64)f->time_mask << f->time_shift & (f->ready | f->shared)) == 0);
	CHECK(8 * f->bytes - 1 == (f->bytes == 1 ? 7 : 31));
	CHECK(f->ready == 1u << (8 * f->bytes - 1));
}

int main(void)
{
	u32 window;

	srandom(1);
	formats_are_sound(&rec_default);
	formats_are_sound(&rec_precise);
	fields_are_apart();
	touch_every_byte();
	for (window = 0; window <= rec_default.keep; window++)
		sequences_match_history(&rec_default, window, 32, 1);
	for (window = 0; window <= rec_precise.keep; window += 3907)
		sequences_match_history(&rec_precise, window, 16384, 257);
	late_reports_match_history(&rec_default, 300000);
	late_reports_match_history(&rec_precise, 300000);
	neighbours_do_not_revive(&rec_default, 32, 1);
	neighbours_do_not_revive(&rec_precise, 16384, 509);
	expiry_is_exact(&rec_default, 1);
	expiry_is_exact(&rec_precise, 7);
	return check_report();
}
