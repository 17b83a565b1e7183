/* SPDX-License-Identifier: GPL-2.0 */
/* Done at once, by whoever asks for it. */
#ifndef _LINUX_IRQ_WORK_H
#define _LINUX_IRQ_WORK_H

struct irq_work {
	void (*func)(struct irq_work *work);
};

#define init_irq_work(work, function)	((work)->func = (function))
#define irq_work_queue(work)		((work)->func(work))
#define irq_work_sync(work)		((void)(work))

#endif /* _LINUX_IRQ_WORK_H */
