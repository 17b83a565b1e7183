/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shares of a budget of CPU time, in windows of a second.
 *
 * At the beginning of a window the budget is split among those who used some of it in the
 * window before: whoever used less than an equal share has what it used set aside, and the
 * others get equal shares of the rest (max-min fairness). Whoever was refused wants more than
 * it had; how much is not known, so that counts as wanting everything. What nobody has set
 * aside is common: who asks first gets it. So a lone user gets all, a new one what is left,
 * and from the next window on its share.
 *
 * Time is taken ahead, by the mean of what a page has cost this user, and settled when it is
 * known. Who has used more than it might pays with its share of the windows after, so that
 * what is used comes to the budget in the mean. So does the cost of deciding, which nobody in
 * particular has caused: it reduces the budget of the next window.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_FAIRSHARE_H
#define PGHOT_FAIRSHARE_H

#include <linux/types.h>

/* Users that are told from each other. Those that come when all places are taken share one. */
#define FAIR_USERS	64

/* What a page costs as long as nobody has seen one, ns. */
#define FAIR_PAGE_NS	2000

/**
 * struct fair_user - what is known of one user
 * @key: which it is
 * @left: what is left of its share of this window, ns; negative if it used more
 * @used: CPU time taken in this window, ns
 * @page_ns: what a page costs it, mean
 * @refused: it was refused in this window
 */
struct fair_user {
	u64 key;
	s64 left;
	u64 used;
	u64 page_ns;
	bool refused;
};

/**
 * struct fairshare - a budget, and who uses it
 * @start: when the current window began, ns
 * @common: what nobody had set aside when it began, less the cost of deciding since, ns
 * @page_ns: what a page costs, mean over all
 * @nr: places taken in @users
 * @users: the users
 */
struct fairshare {
	u64 start;
	s64 common;
	u64 page_ns;
	unsigned int nr;
	struct fair_user users[FAIR_USERS];
};

void pghot_fair_init(struct fairshare *f, u64 budget, u64 now);
bool pghot_fair_ask(struct fairshare *f, u64 key, u64 budget, u64 now);
u64 pghot_fair_take(struct fairshare *f, u64 key, unsigned int nr);
void pghot_fair_settle(struct fairshare *f, u64 key, u64 taken, u64 cost, unsigned int nr);

/**
 * fair_overhead() - the cost of deciding
 * @f: the budget
 * @cost: CPU time, ns
 */
static inline void fair_overhead(struct fairshare *f, u64 cost)
{
	f->common -= cost;
}

u64 pghot_fair_wait_ns(const struct fairshare *f, u64 now);

#endif /* PGHOT_FAIRSHARE_H */
