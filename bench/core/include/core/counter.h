/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of a thread, which tests read by their names. */
#ifndef PGHOT_CORE_COUNTER_H
#define PGHOT_CORE_COUNTER_H

#define PGHOT_DECLARE_COUNTER(_name)	extern __thread unsigned long _name
#define PGHOT_COUNTER(_name)		__thread unsigned long _name
#define pghot_count(_name, _by)		((_name) += (_by))

#endif /* PGHOT_CORE_COUNTER_H */
