// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: Performance counters of the CPUs
 *
 * Each CPU has one counter, for an event that the administrator chose. After so many events it
 * reports the address of a memory access.
 *
 * The report may come in an NMI. So all that is done there is to look at the sample and to push
 * the number of the page. How often a counter samples is tuned for each CPU by what sampling may
 * cost.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "core/counter.h"
#include "core/tunable.h"
#include "pghot.h"
#include "sources/perf/period.h"
#include "sources/perf/served.h"
#include "sources/perf/spec.h"
#include "sources/samples.h"
#include "sources/sources.h"
#include "testing/inject.h"

#define CREATE_TRACE_POINTS
#include "sources/perf/trace.h"

/* Place in enabled_sources. */
#define PERF_BIT	5

PGHOT_DECLARE_SOURCE(perf);
PGHOT_RECORDED(recorded_perf, PERF_BIT);
/* Samples that counters took. */
PGHOT_COUNTER(perf_samples);
/* Of these: accesses by the kernel, those that a cache served, those without a page. */
PGHOT_COUNTER(perf_kernel);
PGHOT_COUNTER(perf_cached);
PGHOT_COUNTER(perf_unmapped);
/* Time that samples took, that of workers and an estimate for what surrounds NMIs included, ns. */
PGHOT_COUNTER(perf_cpu_ns);
/* Time for which counters were meant to run, and for which they did run, ns. */
PGHOT_COUNTER(perf_enabled_ns);
PGHOT_COUNTER(perf_running_ns);

static PGHOT_TUNABLE(perf_overhead_permille,
		     "What sampling by performance counters may take of each CPU, 1 to 1000 per mille. (10)",
		     .doors = TUNABLE_SYSCTL,
		     .min = 1,
		     .max = BOTH_MODES(1000),
		     .initial = BOTH_MODES(10));

static PGHOT_TUNABLE(perf_period,
		     "Events from sample to sample when counters start, 1 to 134217712. (10000)",
		     .min = 1,
		     .max = BOTH_MODES(134217712),
		     .initial = BOTH_MODES(10000));

static PGHOT_TUNABLE(perf_period_min,
		     "Events from sample to sample at least, 1 to 134217712. (1000)",
		     .min = 1,
		     .max = BOTH_MODES(134217712),
		     .initial = BOTH_MODES(1000));

/* From one look at what sampling costs to the next, ms. */
#define PERF_LOOK	500
/*
 * If there were fewer samples between two looks, nothing is known about what sampling the next load
 * will cost. So the period is then at least the one that the administrator has chosen to begin
 * with.
 */
#define PERF_FEW	8
/*
 * What a sample in an NMI takes besides the handler, ns, for the processor, perf, and the registers
 * of the PMU. It is an estimate, and rather a high one.
 */
#define PERF_AROUND	2000

/**
 * struct perf_cpu - the counter of one CPU
 * @event: the counter; NULL if the CPU has none
 * @period: events from sample to sample
 * @samples: how many there were
 * @handled_ns: what samples took in the handler, ns
 * @since: when the counter was last looked at
 * @samples_then: how many samples there had been then
 * @busy_ns: what samples had taken then, worker included, ns
 * @enabled_ns: for how long there had been work for the counter then, ns
 * @running_ns: for how long it had run then, ns
 */
struct perf_cpu {
	struct perf_event *event;
	u32 period;
	u32 samples;
	u64 handled_ns;
	u64 since;
	u32 samples_then;
	u64 busy_ns;
	u64 enabled_ns;
	u64 running_ns;
};

static DEFINE_PER_CPU(struct perf_cpu, perf_cpus);
static struct samples perf_pushed;
static const struct perf_spec *perf_spec;
static enum cpuhp_state perf_hotplug;
/* CPUs that came, and that went, since the worker looked last. */
static struct cpumask perf_came, perf_went;

/* Of the counters, between perf_start() and perf_stop(). */
static DEFINE_MUTEX(perf_lock);
static unsigned int perf_nr;
static bool perf_told;

static void perf_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(perf_looker, perf_look);

/*
 * IBS knows physical addresses. PEBS does not, so the page tables are asked, as long as the page is
 * still mapped. While interrupts are off, as in an NMI, page tables are not freed.
 */
static bool sample_pfn(const struct perf_sample_data *data, unsigned long *pfn)
{
	struct page *page;
	bool found;

	if (data->sample_flags & PERF_SAMPLE_PHYS_ADDR) {
		*pfn = data->phys_addr >> PAGE_SHIFT;
		return true;
	}
	if (!(data->sample_flags & PERF_SAMPLE_ADDR) || !current->mm)
		return false;
	pagefault_disable();
	found = get_user_page_fast_only(data->addr, 0, &page);
	if (found) {
		*pfn = page_to_pfn(page);
		put_page(page);
	}
	pagefault_enable();
	return found;
}

static void sample(const struct perf_sample_data *data, struct pt_regs *regs, u64 when)
{
	enum perf_served served = PERF_SERVED_UNKNOWN;
	unsigned long pfn;

	/* Not all counters can be told to leave the kernel alone. */
	if (!user_mode(regs)) {
		pghot_count(perf_kernel, 1);
		return;
	}
	if (data->sample_flags & PERF_SAMPLE_DATA_SRC)
		served = perf_served(data->data_src);
	if (!perf_served_counts(served)) {
		pghot_count(perf_cached, 1);
		return;
	}
	if (!sample_pfn(data, &pfn)) {
		pghot_count(perf_unmapped, 1);
		return;
	}
	trace_pghot_perf_sample(pfn, served);
	pghot_samples_push(&perf_pushed, pfn, when);
}

static void perf_sampled(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	struct perf_cpu *c = this_cpu_ptr(&perf_cpus);
	u64 begin = pghot_clock(), used;

	pghot_count(perf_samples, 1);
	WRITE_ONCE(c->samples, c->samples + 1);
	sample(data, regs, begin);
	used = pghot_clock() - begin + (in_nmi() ? PERF_AROUND : 0);
	WRITE_ONCE(c->handled_ns, c->handled_ns + used);
}

/* Takes note of what a counter did since the last time. Returns what its samples took, ns. */
static u64 perf_account(unsigned int cpu, struct perf_cpu *c)
{
	u64 busy = READ_ONCE(c->handled_ns) + pghot_samples_worked_ns(&perf_pushed, cpu);
	u64 used = busy - c->busy_ns, enabled, running;

	perf_event_read_value(c->event, &enabled, &running);
	pghot_count(perf_cpu_ns, used);
	pghot_count(perf_enabled_ns, enabled - c->enabled_ns);
	pghot_count(perf_running_ns, running - c->running_ns);
	c->busy_ns = busy;
	c->enabled_ns = enabled;
	c->running_ns = running;
	return used;
}

/* The shortest period that is permitted. Events of hardware have a shortest one of their own. */
static u32 perf_shortest(void)
{
	u32 shortest = pghot_tunable_get(&pghot_perf_period_min);

	return perf_spec->type == PERF_TYPE_SOFTWARE ? shortest : max(shortest, PERF_PERIOD_STEP);
}

static u32 perf_first(void)
{
	return perf_period_fit(max_t(u32, pghot_tunable_get(&pghot_perf_period), perf_shortest()));
}

static void perf_tune(unsigned int cpu, struct perf_cpu *c)
{
	u32 samples = READ_ONCE(c->samples), period;
	bool few = samples - c->samples_then < PERF_FEW;
	u64 now = pghot_clock();

	/* The worker was woken for something else. */
	if (now - c->since < PERF_LOOK * NSEC_PER_MSEC / 2)
		return;
	period = perf_period_next(c->period, few ? perf_first() : perf_shortest(),
				  perf_account(cpu, c), now - c->since,
				  pghot_tunable_get(&pghot_perf_overhead_permille));
	c->since = now;
	c->samples_then = samples;
	if (period == c->period || perf_event_period(c->event, period))
		return;
	trace_pghot_perf_period(cpu, c->period, period);
	c->period = period;
}

static struct perf_event *perf_create(unsigned int cpu, u32 period)
{
	struct perf_event_attr attr = {
		.type = perf_spec->type,
		.size = sizeof(attr),
		.config = perf_spec->config,
		.config1 = perf_spec->config1,
		.config2 = perf_spec->config2,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_SRC,
		.precise_ip = perf_spec->precise,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
		/*
		 * An interrupt for each sample: where PEBS may gather samples, the handler
		 * sees the last one only.
		 */
		.wakeup_events = 1,
	};
	struct perf_event *event;

	event = inject_alloc(ERR_PTR(-ENOMEM),
			     perf_event_create_kernel_counter(&attr, cpu, NULL, perf_sampled,
							      NULL));
	if (PTR_ERR_OR_ZERO(event) == -EINVAL) {
		/* IBS cannot leave out anything, so the handler does. */
		attr.exclude_kernel = 0;
		attr.exclude_hv = 0;
		attr.exclude_guest = 0;
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, perf_sampled, NULL);
	}
	/* Some PMUs never interrupt. Arm SPE and others fill a buffer and call no handler. */
	if (!IS_ERR(event) && (event->pmu->setup_aux ||
			       event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT)) {
		perf_event_release_kernel(event);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return event;
}

/* For the log: while starting it is an error, later a message, once. */
static void perf_refused(unsigned int cpu, int error, bool starting)
{
	char text[PERF_SPEC_TEXT];

	pghot_perf_spec_print(perf_spec, text, sizeof(text));
	if (starting)
		pghot_source_unavailable(&pghot_perf_source, "CPU %u cannot count event %s (%d)",
					 cpu, text, error);
	else if (!perf_told)
		pr_warn("performance counters: CPU %u came online and cannot count event %s (%d)\n",
			cpu, text, error);
	perf_told = true;
}

static int perf_open(unsigned int cpu, bool starting)
{
	struct perf_cpu *c = per_cpu_ptr(&perf_cpus, cpu);
	struct perf_event *event;
	u32 period = perf_first();

	if (c->event)
		return 0;
	event = perf_create(cpu, period);
	if (IS_ERR(event)) {
		/*
		 * Only other CPUs have this PMU, as cores may be of two kinds. Or the CPU has
		 * gone.
		 */
		if (PTR_ERR(event) == -ENOENT || PTR_ERR(event) == -ENODEV)
			return 0;
		perf_refused(cpu, PTR_ERR(event), starting);
		return PTR_ERR(event);
	}
	c->event = event;
	c->period = period;
	c->since = pghot_clock();
	c->samples_then = READ_ONCE(c->samples);
	c->busy_ns = READ_ONCE(c->handled_ns) + pghot_samples_worked_ns(&perf_pushed, cpu);
	c->enabled_ns = 0;
	c->running_ns = 0;
	perf_nr++;
	return 0;
}

static void perf_close(unsigned int cpu)
{
	struct perf_cpu *c = per_cpu_ptr(&perf_cpus, cpu);

	if (!c->event)
		return;
	perf_account(cpu, c);
	perf_event_release_kernel(c->event);
	c->event = NULL;
	perf_nr--;
}

static void perf_close_all(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		perf_close(cpu);
}

static int perf_open_all(void)
{
	unsigned int cpu;
	int ret = 0;

	for_each_online_cpu(cpu) {
		ret = perf_open(cpu, true);
		if (ret)
			break;
	}
	if (!ret && !perf_nr) {
		ret = -ENOENT;
		pghot_source_unavailable(&pghot_perf_source,
					 "no CPU knows PMU or event of perf_event");
	}
	return ret;
}

/* perf takes the counter off a CPU that goes offline, and does not put it back later. */
static void perf_follow_cpus(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		/* This is read first, so that a CPU that comes from here on is looked at again. */
		bool came = cpumask_test_and_clear_cpu(cpu, &perf_came);

		if (cpumask_test_and_clear_cpu(cpu, &perf_went))
			perf_close(cpu);
		if (came)
			perf_open(cpu, false);
	}
}

static void perf_look(struct work_struct *work)
{
	unsigned int cpu;

	mutex_lock(&perf_lock);
	perf_follow_cpus();
	for_each_possible_cpu(cpu) {
		struct perf_cpu *c = per_cpu_ptr(&perf_cpus, cpu);

		if (c->event)
			perf_tune(cpu, c);
	}
	mutex_unlock(&perf_lock);
	queue_delayed_work(system_unbound_wq, &perf_looker, msecs_to_jiffies(PERF_LOOK));
}

/*
 * Counters cannot be had or given back within CPU hotplug: perf itself waits for it then. So
 * the worker does it, soon.
 */
static int perf_online(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &perf_came);
	mod_delayed_work(system_unbound_wq, &perf_looker, 0);
	return 0;
}

static int perf_offline(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &perf_went);
	mod_delayed_work(system_unbound_wq, &perf_looker, 0);
	return 0;
}

/* Makes all counters. The worker makes those of CPUs that come online from now on. */
static int perf_count(void)
{
	int ret;

	cpumask_clear(&perf_came);
	cpumask_clear(&perf_went);
	perf_told = false;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "pghot/perf:online", perf_online,
					perf_offline);
	if (ret < 0)
		return ret;
	perf_hotplug = ret;
	mutex_lock(&perf_lock);
	ret = perf_open_all();
	mutex_unlock(&perf_lock);
	if (ret) {
		cpuhp_remove_state_nocalls(perf_hotplug);
		cancel_delayed_work_sync(&perf_looker);
		/* Also what the worker made for a CPU that came meanwhile. */
		perf_close_all();
	}
	return ret;
}

/* Returns 0, or why there is nothing that samples. */
static int perf_start(void)
{
	int ret;

	perf_spec = pghot_perf_spec_take();
	if (!perf_spec) {
		pghot_source_unavailable(&pghot_perf_source,
					 "perf_event is none: pghot-events shows what there is");
		return -ENOENT;
	}
	ret = pghot_samples_init(&perf_pushed, PERF_BIT);
	if (ret)
		goto no_samples;
	ret = perf_count();
	if (ret)
		goto no_counters;
	queue_delayed_work(system_unbound_wq, &perf_looker, msecs_to_jiffies(PERF_LOOK));
	return 0;

no_counters:
	pghot_samples_exit(&perf_pushed);
no_samples:
	pghot_perf_spec_release();
	return ret;
}

/* What was sampled is recorded. On return no sample is inside pghot. */
static void perf_stop(void)
{
	cpuhp_remove_state_nocalls(perf_hotplug);
	cancel_delayed_work_sync(&perf_looker);
	perf_close_all();
	pghot_samples_exit(&perf_pushed);
	pghot_perf_spec_release();
}

struct pghot_source pghot_perf_source = {
	.name = "perf",
	.title = "performance counters",
	.bit = PERF_BIT,
	.start = perf_start,
	.stop = perf_stop,
	.part = {
		.tunables = TUNABLES(&pghot_perf_overhead_permille, &pghot_perf_period,
				     &pghot_perf_period_min),
		.counters = COUNTERS(COUNTER(recorded_perf), COUNTER(perf_samples),
				     COUNTER(perf_kernel), COUNTER(perf_cached),
				     COUNTER(perf_unmapped), COUNTER(perf_cpu_ns),
				     COUNTER(perf_enabled_ns), COUNTER(perf_running_ns)),
		.events = EVENTS(EVENT(pghot_perf_sample), EVENT(pghot_perf_period)),
		.files = TEXTFILES(&pghot_perf_event_file),
	},
};
