// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: From a sampled access to its record
 *
 * A sample is put into the ring of its CPU, and an irq_work calls a worker of that CPU. The worker
 * comes late enough for other samples to gather, but it comes at once when the ring is half full.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "core/counter.h"
#include "sources/ring.h"
#include "sources/samples.h"
#include "testing/inject.h"
#include "wrapper/cputime.h"

/* How long samples gather, ms. A record is as good if it is made so much later. */
#define GATHER		10

/* Samples that came while their ring was full, or their source was being switched. */
PGHOT_COUNTER(samples_lost);

/**
 * struct samples_cpu - the samples of one CPU
 * @ring: the samples
 * @samples: the source
 * @cpu: the CPU
 * @called: the worker was called since it last began
 * @call: calls it
 * @work: the worker
 * @worked_ns: CPU time that it took, ns
 */
struct samples_cpu {
	struct ring ring;
	struct samples *samples;
	unsigned int cpu;
	int called;
	struct irq_work call;
	struct delayed_work work;
	u64 worked_ns;
};

/* @cpu may have gone offline meanwhile; then this runs on another. */
static void samples_record(struct samples_cpu *c)
{
	int nid = cpu_to_node(c->cpu);
	struct sample sample;

	while (ring_pop(&c->ring, &sample))
		/* The source is not marked as on yet, or not any more. */
		if (pghot_record_access(sample.pfn, nid, c->samples->src, sample.when) ==
		    -EOPNOTSUPP)
			pghot_count(samples_lost, 1);
}

static void samples_work(struct work_struct *work)
{
	struct samples_cpu *c = container_of(to_delayed_work(work), struct samples_cpu, work);
	u64 begin = pghot_cputime_ns();

	/* This is before the ring is looked at, so that later samples call the worker again. */
	xchg(&c->called, 0);
	samples_record(c);
	WRITE_ONCE(c->worked_ns, c->worked_ns + pghot_cputime_ns() - begin);
}

static void samples_call(struct irq_work *call)
{
	struct samples_cpu *c = container_of(call, struct samples_cpu, call);
	bool hurry = ring_len(&c->ring) >= RING_SLOTS / 2;

	/* The worker runs ahead of others, because samples that find the ring full are lost. */
	mod_delayed_work_on(c->cpu, system_highpri_wq, &c->work,
			    hurry ? 0 : msecs_to_jiffies(GATHER));
}

/**
 * pghot_samples_init() - get ready for a source's samples
 * @s: to be filled in
 * @src: the source
 *
 * Process context, sleeps.
 *
 * Return: 0 or -ENOMEM.
 */
int pghot_samples_init(struct samples *s, unsigned int src)
{
	unsigned int cpu;

	s->src = src;
	s->cpus = inject_alloc(NULL, alloc_percpu(struct samples_cpu));
	if (!s->cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct samples_cpu *c = per_cpu_ptr(s->cpus, cpu);

		c->samples = s;
		c->cpu = cpu;
		init_irq_work(&c->call, samples_call);
		INIT_DELAYED_WORK(&c->work, samples_work);
	}
	return 0;
}

/**
 * pghot_samples_exit() - record what is left, and free the rings
 * @s: the samples
 *
 * Process context, sleeps. Whatever pushes samples has been stopped; a push that had begun
 * is waited for.
 */
void pghot_samples_exit(struct samples *s)
{
	unsigned int cpu;

	synchronize_rcu();
	for_each_possible_cpu(cpu) {
		struct samples_cpu *c = per_cpu_ptr(s->cpus, cpu);

		irq_work_sync(&c->call);
		cancel_delayed_work_sync(&c->work);
		samples_record(c);
	}
	free_percpu(s->cpus);
}

/**
 * pghot_samples_push() - report an access, to be recorded a little later
 * @s: the samples
 * @pfn: the page frame, any number
 * @when: as for pghot_record_access()
 *
 * Any context, NMI included. The accessing CPU is the one that this runs on. Lost, and
 * counted, if too many came before it and wait.
 */
void pghot_samples_push(struct samples *s, unsigned long pfn, u64 when)
{
	const struct sample sample = { .pfn = pfn, .when = when };
	struct samples_cpu *c;

	/* This keeps the code on its CPU. pghot_samples_exit() waits until it has ended. */
	preempt_disable_notrace();
	c = this_cpu_ptr(s->cpus);
	if (!ring_push(&c->ring, &sample))
		pghot_count(samples_lost, 1);
	if (!xchg(&c->called, 1) || ring_len(&c->ring) == RING_SLOTS / 2)
		irq_work_queue(&c->call);
	preempt_enable_notrace();
}

/**
 * pghot_samples_worked_ns() - CPU time that it took to record a CPU's samples
 * @s: the samples
 * @cpu: the CPU that sampled
 *
 * Any context.
 *
 * Return: ns since pghot_samples_init().
 */
u64 pghot_samples_worked_ns(struct samples *s, unsigned int cpu)
{
	return READ_ONCE(per_cpu_ptr(s->cpus, cpu)->worked_ns);
}
