/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Who uses the room that is made?
 *
 * It is made for hot pages, and others take it as well: new memory of programs. Each time that
 * a hot page finds none, it is counted what has become of what was made. At these moments about
 * the same little is free. If others took most of it, room is made in small steps, which grow while
 * it is used.
 *
 * Nothing here knows kernel state: the same file is tested in user space.
 */
#ifndef PGHOT_PROMOTE_ROOMUSE_H
#define PGHOT_PROMOTE_ROOMUSE_H

#include <linux/minmax.h>
#include <linux/types.h>

/* What is made for somebody who finds no room: after others took it, and else, base pages. */
#define ROOM_ASK_MIN	64u
#define ROOM_ASK_MAX	1024u
/* It is counted what has become of it if it was so much, base pages. */
#define ROOM_COUNTED	128

/**
 * struct room_count - what has happened to a fast node, base pages
 * @made: demoted from it
 * @used: promoted to it
 * @on_way: on their way there
 * @free: free now
 * @in_hand: being demoted: they may be free already, and are not counted in @made
 */
struct room_count {
	long made;
	long used;
	long on_way;
	long free;
	long in_hand;
};

/**
 * struct room_use - who uses the room that is made on a fast node
 * @since: the counts when it was looked at
 * @ask: what is made for somebody who finds no room, base pages
 */
struct room_use {
	struct room_count since;
	unsigned int ask;
};

/**
 * room_use_init() - nothing is known yet
 * @use: to be filled in
 */
static inline void room_use_init(struct room_use *use)
{
	*use = (struct room_use){ .ask = ROOM_ASK_MAX };
}

/**
 * room_use_is_due() - somebody finds no room: is it to be looked at what has become of it?
 * @use: what is known of the node
 * @made: demoted from it, base pages
 * @asked: some was asked for and is not made yet
 *
 * If none was made, what is counted from now on begins with the first one who asks.
 */
static inline bool room_use_is_due(const struct room_use *use, long made, bool asked)
{
	return made == use->since.made ? !asked : made - use->since.made >= ROOM_COUNTED;
}

/**
 * room_use_look() - what has become of what was made?
 * @use: what is known of the node; it is due
 * @count: the counts now
 * @made: what was made since the last look, base pages
 * @taken: of it, what others took; negative if they gave back more
 *
 * Pages on their way have their memory already, or will have it soon: of those of now it is
 * believed that they have it, and of those of the last look that they had not. And of what was in
 * hand at the last look it is believed that it was free already. So @taken may be too little, but
 * not too much.
 *
 * Return: true if some was made; the numbers are set, and so is @use->ask.
 */
static inline bool room_use_look(struct room_use *use, const struct room_count *count, long *made,
				 long *taken)
{
	*made = count->made - use->since.made;
	*taken = *made - (count->used + count->on_way - use->since.used) -
		 (count->free - use->since.free) - use->since.in_hand;
	/* They may have taken what was free before as well. */
	*taken = min(*taken, *made);
	use->since = *count;
	if (!*made)
		return false;
	use->ask = 2 * *taken > *made ? ROOM_ASK_MIN : min(2 * use->ask, ROOM_ASK_MAX);
	return true;
}

#endif /* PGHOT_PROMOTE_ROOMUSE_H */
