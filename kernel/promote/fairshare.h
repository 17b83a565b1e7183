/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Shares of a budget of CPU time
 *
 * The budget is given out in windows of a second. When a window begins, the budget is split among
 * the users who used some of the budget in the window before. A user who used less than an equal
 * share gets set aside what it used. The others get equal shares of the rest. This is max-min
 * fairness.
 *
 * A user who was refused wanted more than it had. How much more is not known, so it is taken to
 * want the whole budget.
 *
 * What is set aside for nobody is common, and whoever asks first gets it. So a user who is alone
 * gets everything. A new user gets what is left in its first window, and has a share from the next
 * window on.
 *
 * Time is taken before it is used, by the mean of what a page has cost this user. When the true
 * cost is known, the difference is settled. A user who has used more than its share pays for it
 * with its shares of the following windows, so that the mean of what is used is the budget. The
 * cost of deciding is caused by no user in particular. It is taken from the budget of the next
 * window.
 *
 * What nobody has used is saved, up to the budget of one window. Much becomes hot when a program
 * begins, and little after that.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_PROMOTE_FAIRSHARE_H
#define PGHOT_PROMOTE_FAIRSHARE_H

#include <linux/types.h>

/* Users that are told from each other. Those that come when all places are taken share one. */
#define FAIR_USERS	1024
/* They are found by a hash of so many bits. */
#define FAIR_HASH_BITS	8

/* What a page costs as long as nobody has seen one, ns. */
#define FAIR_PAGE_NS	2000

/**
 * struct fair_user - what is known of one user
 * @key: which it is
 * @left: what is left of its share of this window, ns; negative if it used more
 * @used: CPU time taken in this window, ns
 * @page_ns: what a page costs it, mean
 * @refused: it was refused in this window
 * @next: place of the next user with the same hash, plus one; 0 for the last one
 */
struct fair_user {
	u64 key;
	s64 left;
	u64 used;
	u64 page_ns;
	bool refused;
	u16 next;
};

/**
 * struct fairshare - a budget, and who uses it
 * @start: when the current window began, ns
 * @common: what nobody had set aside when it began, less the cost of deciding since, ns
 * @over: what all users together have used beyond their shares, ns
 * @page_ns: what a page costs, mean over all
 * @nr: places taken in @users
 * @first: by hash, place of the first user, plus one; 0 for none
 * @users: the users
 */
struct fairshare {
	u64 start;
	s64 common;
	s64 over;
	u64 page_ns;
	unsigned int nr;
	u16 first[1u << FAIR_HASH_BITS];
	struct fair_user users[FAIR_USERS];
};

void pghot_fair_init(struct fairshare *f, u64 budget, u64 now);
bool pghot_fair_ask(struct fairshare *f, u64 key, u64 budget, u64 now);
void pghot_fair_refuse(struct fairshare *f, u64 key);
bool pghot_fair_is_refused(struct fairshare *f, u64 key);
u64 pghot_fair_take(struct fairshare *f, u64 key, unsigned int nr);
void pghot_fair_settle(struct fairshare *f, u64 key, u64 taken, u64 cost, unsigned int nr);
void pghot_fair_charge(struct fairshare *f, u64 key, u64 cost);

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

#endif /* PGHOT_PROMOTE_FAIRSHARE_H */
