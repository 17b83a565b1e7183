/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One thread for each slow node promotes what is ready there.
 */
#ifndef PGHOT_KMIGRATED_H
#define PGHOT_KMIGRATED_H

int kmigrated_start(void);
void kmigrated_stop(void);

#endif /* PGHOT_KMIGRATED_H */
