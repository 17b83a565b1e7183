// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Reading the lists of hotness monitoring units
 *
 * A device counts accesses to its memory by units of it, and puts the units that had enough
 * accesses within an epoch into a list. Here the list is read.
 *
 * Everything that the device says is checked before it is believed. Wrong entries are counted, and
 * cost no more than right ones. One poll reports a bounded number of pages, even if they are all
 * of one entry, and rests after that as the scanners do. The list is polled once in an epoch,
 * because an interrupt tells of a list that fills, but not of one that has only a few entries.
 */
#include <linux/atomic.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/iopoll.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "core/counter.h"
#include "core/share.h"
#include "core/tunable.h"
#include "pghot.h"
#include "policy/policy.h"
#include "sources/chmu/regs.h"
#include "sources/chmu/unit.h"
#include "sources/sources.h"
#include "testing/inject.h"
#include "wrapper/cputime.h"

#define CREATE_TRACE_POINTS
#include "sources/chmu/trace.h"

/* Entries read from the lists; of these, those for memory that the map does not have. */
PGHOT_COUNTER(hmu_entries);
PGHOT_COUNTER(hmu_unmapped);
/* Polls that found that a list had been full, and polls that found nonsense. */
PGHOT_COUNTER(hmu_overflows);
PGHOT_COUNTER(hmu_errors);
/* CPU time of polls, ns. */
PGHOT_COUNTER(hmu_cpu_ns);

PGHOT_TUNABLE(hmu_threshold,
	      "Accesses in an epoch that hotness monitoring units report from, up to 1000000, 0: as they come. (0)",
	      .doors = TUNABLE_SYSCTL,
	      .min = 0,
	      .max = BOTH_MODES(1000000),
	      .initial = BOTH_MODES(0));

/* How long a device may take to do as it is told, us. */
#define CHMU_PATIENCE	100000
/* Pages that a poll reports, of all instances together. The next poll goes on in the same entry. */
#define CHMU_PAGES	65536u
/* Pages reported at a time. */
#define CHMU_CHUNK	512ull

/* An entry of a list, in the midst of being reported. */
struct chmu_unit {
	u64 at;				/* device address where to go on */
	u64 end;			/* 0: no entry */
	u64 dpa;
	u64 count;
	u64 pages;			/* reported so far */
	u64 when;
};

/* One that is on. */
struct chmu_instance {
	void __iomem *regs;
	struct chmu_caps caps;
	unsigned int width;
	unsigned int unit_shift;
	u32 head;
	struct chmu_unit unit;
	bool lost;			/* it was switched off by somebody else, whose it is now */
};

struct chmu {
	struct delayed_work work;	/* alone changes what is below, between start and stop */
	char name[40];
	unsigned int src;
	unsigned long interval;		/* between two polls, jiffies */
	u64 since;			/* when the last poll began */
	unsigned long rested;		/* it rests until then, jiffies */
	unsigned int nonsense;		/* polls in a row */
	bool gone;
	bool hurried;			/* an interrupt has asked for a poll */
	struct chmu_range map[CHMU_RANGES_MAX];
	unsigned int nr_ranges;
	unsigned int nr;
	struct chmu_instance instance[];
};

/* One poll: a look at all lists of a device. */
struct chmu_poll {
	u64 when;			/* of the accesses that it finds */
	s64 pages;			/* of an instance, still to be reported */
	bool more;			/* something is left for the next poll */
	bool sense;			/* the device said something that is possible */
	bool nonsense;			/* it said something that is impossible */
};

/* Devices that are polled: they share scan_cpu_percent. */
static atomic_t chmu_polled = ATOMIC_INIT(0);

/* Waits until the device has done as it was told, so that the bits of @mask are @value. */
static bool chmu_settled(void __iomem *regs, u64 mask, u64 value)
{
	u64 status;

	mask |= CHMU_STATUS_BUSY;
	return !readq_poll_timeout(regs + CHMU_STATUS, status, (status & mask) == value, 100,
				   CHMU_PATIENCE);
}

static void instance_stop(struct chmu_instance *instance)
{
	void __iomem *regs = instance->regs;
	u64 cfg0 = readq(regs + CHMU_CFG0);

	if (cfg0 == CHMU_GONE || instance->lost)
		return;
	writeq(cfg0 & ~(CHMU_CFG0_ENABLE | CHMU_CFG0_RESET), regs + CHMU_CFG0);
	/* If it does not settle, its list is not read any more. */
	chmu_settled(regs, CHMU_STATUS_ENABLED, 0);
}

/* Is some range to be counted already? */
static bool has_ranges(const struct chmu_instance *instance)
{
	void __iomem *bitmap = instance->regs + instance->caps.bitmap;
	u64 i;

	for (i = 0; i < instance->caps.bitmap_words; i++)
		if (readq(bitmap + 8 * i))
			return true;
	return false;
}

static void count_all_ranges(struct chmu *chmu, const struct chmu_instance *instance)
{
	const struct chmu_range *last = &chmu->map[chmu->nr_ranges - 1];
	u64 nr = ((last->dpa + last->size - 1) >> CHMU_RANGE_SHIFT) + 1, i;
	void __iomem *bitmap = instance->regs + instance->caps.bitmap;

	for (i = 0; i < instance->caps.bitmap_words && i * 64 < nr; i++)
		writeq(nr - i * 64 < 64 ? (1ull << (nr - i * 64)) - 1 : ~0ull, bitmap + 8 * i);
}

/*
 * Has an instance count all ranges, or those that it came with. Returns NULL, or why it cannot be
 * used. Then it is off.
 */
static const char *instance_start(struct chmu *chmu, struct chmu_instance *instance, bool all,
				  struct chmu_setup *setup)
{
	void __iomem *regs = instance->regs;
	u64 cfg0 = readq(regs + CHMU_CFG0), cfg1 = readq(regs + CHMU_CFG1), width;

	if (cfg0 & CHMU_CFG0_ENABLE)
		return "is in use";
	writeq(cfg0 | CHMU_CFG0_RESET, regs + CHMU_CFG0);
	if (!chmu_settled(regs, 0, 0))
		return "cannot be reset";

	if (all)
		count_all_ranges(chmu, instance);
	*setup = chmu_choose(&instance->caps, cfg0, cfg1, pghot_tunable_get(&pghot_hmu_threshold));
	/* Only the message of the first instance is listened to. */
	if (instance->caps.msi != chmu->instance[0].caps.msi)
		setup->cfg0 &= ~(CHMU_CFG0_OVERFLOW_INT | CHMU_CFG0_FILL_INT);
	writeq(setup->cfg1, regs + CHMU_CFG1);
	writeq(setup->cfg2, regs + CHMU_CFG2);
	/* The width of the counters depends on the size of units. */
	width = chmu_get(readq(regs + CHMU_STATUS), CHMU_STATUS_WIDTH);
	if (!chmu_width_ok(width))
		return "has counters of a width that cannot be";
	instance->width = width;
	instance->unit_shift = setup->unit_shift;
	writeq(setup->cfg0 | chmu_threshold_bits(setup->threshold, width) | CHMU_CFG0_ENABLE,
	       regs + CHMU_CFG0);
	if (!chmu_settled(regs, CHMU_STATUS_ENABLED, CHMU_STATUS_ENABLED)) {
		instance_stop(instance);
		return "does not start";
	}
	/* From here on the head is written by the driver only. */
	instance->head = readw(regs + CHMU_HEAD);
	if (instance->head >= instance->caps.entries)
		instance->head = 0;
	return NULL;
}

/* Goes on with the instance's entry as far as this poll may. */
static void report_unit(struct chmu *chmu, struct chmu_unit *unit, struct chmu_poll *poll)
{
	u64 pfn, nr;

	while (poll->pages > 0 &&
	       (nr = chmu_map_next(chmu->map, chmu->nr_ranges, &unit->at, unit->end,
				   CHMU_CHUNK << PAGE_SHIFT, PAGE_SHIFT, &pfn))) {
		poll->pages -= nr;
		unit->pages += nr;
		for (; nr; nr -= min(nr, CHMU_CHUNK), pfn += CHMU_CHUNK) {
			/*
			 * Pages that are not there, or not on a slow node, are skipped. The
			 * device's count is not used as a weight: writing a page once as a
			 * whole makes many accesses, as demotion does. A page that was just
			 * demoted would be as hot as any other then.
			 */
			pghot_record_range(pfn, min(nr, CHMU_CHUNK), NUMA_NO_NODE, chmu->src,
					   unit->when, 1);
			cond_resched();
		}
	}
	if (unit->at < unit->end)
		return;
	trace_pghot_hmu(unit->dpa, unit->pages, unit->count);
	if (!unit->pages) {
		pghot_count(hmu_unmapped, 1);
		poll->pages--;
	}
	unit->end = 0;
}

/* Returns false if the device is gone. */
static bool take_entry(struct chmu_instance *instance, struct chmu_poll *poll)
{
	void __iomem *regs = instance->regs;
	struct chmu_unit *unit = &instance->unit;
	u64 entry = readq(regs + instance->caps.list + instance->head * CHMU_ENTRY_BYTES);

	if (entry == CHMU_GONE && readq(regs + CHMU_STATUS) == CHMU_GONE)
		return false;
	instance->head = (instance->head + 1) % instance->caps.entries;
	*unit = (struct chmu_unit) { .when = poll->when };
	unit->dpa = chmu_entry(entry, instance->width, instance->unit_shift, &unit->count);
	unit->at = unit->dpa;
	unit->end = unit->dpa + (1ull << instance->unit_shift);
	if (unit->dpa < CHMU_ADDRESS_MAX)
		poll->sense = true;
	else
		poll->nonsense = true;
	return true;
}

static void read_list(struct chmu *chmu, struct chmu_instance *instance, struct chmu_poll *poll)
{
	int waiting = chmu_waiting(instance->head, readw(instance->regs + CHMU_TAIL),
				   instance->caps.entries), i;

	if (instance->unit.end)
		report_unit(chmu, &instance->unit, poll);
	if (waiting < 0) {
		pghot_count(hmu_errors, 1);
		poll->nonsense = true;
		return;
	}
	for (i = 0; i < waiting && poll->pages > 0; i++) {
		if (!take_entry(instance, poll))
			break;
		report_unit(chmu, &instance->unit, poll);
		cond_resched();
	}
	pghot_count(hmu_entries, i);
	if (i)
		writew(instance->head, instance->regs + CHMU_HEAD);
	poll->more |= poll->pages <= 0;
}

static void poll_instance(struct chmu *chmu, struct chmu_instance *instance,
			  struct chmu_poll *poll)
{
	u64 status = readq(instance->regs + CHMU_STATUS);

	/* If it is off now, somebody else has reset the device. */
	instance->lost = !(readq(instance->regs + CHMU_CFG0) & CHMU_CFG0_ENABLE);
	if (status == CHMU_GONE || instance->lost) {
		WRITE_ONCE(chmu->gone, true);
		return;
	}
	if (status & CHMU_STATUS_OVERFLOW)
		pghot_count(hmu_overflows, 1);
	poll->pages = CHMU_PAGES / chmu->nr;
	read_list(chmu, instance, poll);
	/* The status is cleared only now, when there is room in the list again. */
	status &= CHMU_STATUS_OVERFLOW | CHMU_STATUS_FILL;
	if (status)
		writeq(status, instance->regs + CHMU_STATUS);
}

/* Switches off a device that costs time and says nothing of use. */
static void chmu_let_go(struct chmu *chmu)
{
	unsigned int i;

	pr_warn("%s: said nothing but nonsense in %u looks at its lists, and is switched off\n",
		chmu->name, chmu->nonsense);
	WRITE_ONCE(chmu->gone, true);
	for (i = 0; i < chmu->nr; i++) {
		instance_stop(&chmu->instance[i]);
		/* If somebody else switches it on from now on, it is left to them. */
		chmu->instance[i].lost = true;
	}
}

/* Reads all lists. Returns whether there may be more. */
static bool chmu_poll(struct chmu *chmu)
{
	struct chmu_poll poll = { };
	u64 now = pghot_clock();
	unsigned int i;

	/* What is in the lists now was counted since the last poll, or soon before it. */
	poll.when = now - min(now - chmu->since, pghot_memory());
	chmu->since = now;
	for (i = 0; i < chmu->nr && !chmu->gone; i++)
		poll_instance(chmu, &chmu->instance[i], &poll);
	chmu->nonsense = chmu_nonsense(chmu->nonsense, poll.sense, poll.nonsense);
	if (chmu->gone)
		pr_warn("%s: does not answer any more, or was switched off\n", chmu->name);
	else if (chmu->nonsense >= CHMU_NONSENSE_MAX)
		chmu_let_go(chmu);
	return poll.more;
}

/* Returns how long to rest after so much CPU time, ns, to keep to the share of a CPU; jiffies. */
static unsigned long chmu_rest(u64 used)
{
	unsigned int percent = pghot_tunable_get(&pghot_scan_cpu_percent);
	unsigned int polled = max(atomic_read(&chmu_polled), 1);

	return DIV_ROUND_UP_ULL(share_rest_ns(used, percent, polled), TICK_NSEC);
}

static void chmu_work(struct work_struct *work)
{
	struct chmu *chmu = container_of(to_delayed_work(work), struct chmu, work);
	unsigned long delay, rest;
	u64 used;

	/* An interrupt queued this work after the device had gone. */
	if (chmu->gone)
		return;
	/* An interrupt asked for a poll while this one still rests. */
	if (time_before(jiffies, chmu->rested)) {
		queue_delayed_work(system_unbound_wq, &chmu->work, chmu->rested - jiffies);
		return;
	}
	WRITE_ONCE(chmu->hurried, false);
	used = pghot_cputime_ns();
	delay = chmu_poll(chmu) ? 1 : chmu->interval;
	used = pghot_cputime_ns() - used;
	pghot_count(hmu_cpu_ns, used);
	rest = chmu_rest(used);
	chmu->rested = jiffies + rest;
	if (!chmu->gone)
		queue_delayed_work(system_unbound_wq, &chmu->work, max(delay, rest));
}

/**
 * pghot_chmu_interrupt() - have the lists looked at, if a device has raised an interrupt
 * @chmu: it
 *
 * The thread of an interrupt. It runs before everything else on its CPU, so a device that sends too
 * many interrupts could keep the CPU busy. Therefore a worker looks at the lists, at most once in a
 * jiffy, and not while it rests.
 *
 * Return: true if this device has raised the interrupt.
 */
bool pghot_chmu_interrupt(struct chmu *chmu)
{
	bool raised = false;
	unsigned int i;

	for (i = 0; i < chmu->nr && !READ_ONCE(chmu->gone); i++)
		raised |= readq(chmu->instance[i].regs + CHMU_STATUS) &
			  (CHMU_STATUS_OVERFLOW | CHMU_STATUS_FILL);
	if (raised && !xchg(&chmu->hurried, true))
		mod_delayed_work(system_unbound_wq, &chmu->work, 1);
	return raised;
}

/**
 * pghot_chmu_msi() - its interrupt
 * @chmu: it
 *
 * Return: number of the message that its first instance sends; -1 if it has none.
 */
int pghot_chmu_msi(const struct chmu *chmu)
{
	const struct chmu_caps *caps = &chmu->instance[0].caps;

	return caps->overflow_int || caps->fill_int ? caps->msi : -1;
}

/* Returns NULL, or what is wrong with the instance; those before it are on then. */
static const char *add_instance(struct chmu *chmu, void __iomem *regs, u64 length, u64 room,
				bool *counting)
{
	struct chmu_instance *instance = &chmu->instance[chmu->nr];
	struct chmu_setup setup;
	const char *wrong;
	u64 cap[4], i;
	bool all;

	for (i = 0; i < ARRAY_SIZE(cap); i++)
		cap[i] = readq(regs + CHMU_CAP0 + 8 * i);
	instance->regs = regs;
	wrong = chmu_decode(&instance->caps, cap, length, room, PAGE_SHIFT);
	if (wrong)
		return wrong;
	/*
	 * An instance that comes with ranges counts these. Of the instances without ranges, one
	 * counts all memory, and the others are not used.
	 */
	all = !has_ranges(instance);
	if (all && *counting)
		return NULL;
	*counting = true;
	wrong = instance_start(chmu, instance, all, &setup);
	if (wrong)
		return wrong;
	chmu->nr++;
	chmu->interval = min(chmu->interval, max(usecs_to_jiffies(setup.epoch_us), 1ul));
	pr_info("%s: units of %llu KiB, epochs of %llu us, hot from %u accesses on\n",
		chmu->name, 1ull << (setup.unit_shift - 10), setup.epoch_us, setup.threshold);
	return NULL;
}

static void stop_instances(struct chmu *chmu)
{
	while (chmu->nr)
		instance_stop(&chmu->instance[--chmu->nr]);
}

/* Returns 0 or -ENODEV, with the reason in the log and all instances off. */
static int add_instances(struct chmu *chmu, const struct chmu_block *block, u64 nr, u64 length)
{
	bool counting = false;
	const char *wrong;
	u64 i, at;

	for (i = 0, at = CHMU_INSTANCE; i < nr; i++, at += length) {
		if (at + CHMU_REGISTERS > block->room)
			wrong = "is beyond the device's registers";
		else
			wrong = add_instance(chmu, block->regs + at, min(length, block->room - at),
					     block->room - at, &counting);
		if (wrong) {
			pr_err("%s: instance %llu %s\n", chmu->name, i, wrong);
			stop_instances(chmu);
			return -ENODEV;
		}
		cond_resched();
	}
	return 0;
}

/* The checks of a block. Returns NULL, or what is wrong with it. */
static const char *check_block(const struct chmu_block *block, u64 *nr, u64 *length)
{
	u64 cap0, cap1;

	if (block->room < CHMU_INSTANCE + CHMU_REGISTERS)
		return "has no room for registers";
	cap0 = readq(block->regs + CHMU_COMMON_CAP0);
	cap1 = readq(block->regs + CHMU_COMMON_CAP1);
	*nr = chmu_get(cap0, CHMU_COMMON_INSTANCES);
	*length = chmu_get(cap1, CHMU_COMMON_LENGTH);
	if (cap0 == CHMU_GONE && cap1 == CHMU_GONE)
		return "does not answer";
	if (!*nr)
		return "has no instances";
	if (*length % 8 || *length < CHMU_REGISTERS)
		return "has instances of a length that cannot be";
	return chmu_map_check(block->map, block->nr_ranges);
}

/**
 * pghot_chmu_start() - have a unit count, and record what it finds
 * @block: its registers, which stay mapped until pghot_chmu_stop()
 *
 * Process context, sleeps: for as long as the device takes, 0.1 s for each instance.
 *
 * Return: it; or -ENODEV, with the reason in the log, if it cannot be used, or -ENOMEM.
 */
struct chmu *pghot_chmu_start(const struct chmu_block *block)
{
	const char *wrong;
	struct chmu *chmu;
	u64 nr, length;
	int ret;

	wrong = check_block(block, &nr, &length);
	if (wrong) {
		pr_err("%s: %s\n", block->name, wrong);
		return ERR_PTR(-ENODEV);
	}
	chmu = inject_alloc(NULL, kzalloc(struct_size(chmu, instance, nr), GFP_KERNEL));
	if (!chmu)
		return ERR_PTR(-ENOMEM);
	INIT_DELAYED_WORK(&chmu->work, chmu_work);
	strscpy(chmu->name, block->name);
	chmu->src = block->src;
	chmu->interval = HZ;
	chmu->since = pghot_clock();
	chmu->rested = jiffies;
	chmu->nr_ranges = block->nr_ranges;
	memcpy(chmu->map, block->map, block->nr_ranges * sizeof(*block->map));
	ret = add_instances(chmu, block, nr, length);
	if (ret) {
		kfree(chmu);
		return ERR_PTR(ret);
	}
	atomic_inc(&chmu_polled);
	queue_delayed_work(system_unbound_wq, &chmu->work, chmu->interval);
	return chmu;
}

/**
 * pghot_chmu_stop() - have a unit count no longer
 * @chmu: it; free afterwards. Its interrupt is off
 *
 * Process context, sleeps: until a poll on its way is finished, and the device has done as
 * it is told, or 0.1 s for each instance have gone.
 */
void pghot_chmu_stop(struct chmu *chmu)
{
	cancel_delayed_work_sync(&chmu->work);
	atomic_dec(&chmu_polled);
	stop_instances(chmu);
	kfree(chmu);
}
