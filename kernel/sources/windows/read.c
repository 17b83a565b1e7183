// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: How long an access takes
 *
 * How long an access takes now, to pages that are in use. It is measured as a program would notice
 * it: a line of each page is read, and each read waits for the one before.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/uaccess.h>

#include "pghot.h"
#include "policy/policy.h"
#include "sources/windows/windows.h"
#include "wrapper/folio.h"

/* Size of a line of memory, bytes. */
#define LINE	64u

/* References the page's folio, if the page may be read. Returns whether it does. */
static bool hold(unsigned long pfn)
{
	struct folio *folio = pghot_folio_get(pfn);

	if (!folio || !PageHWPoison(pfn_to_page(pfn)))
		return folio;
	folio_put(folio);
	return false;
}

/* Reads one word of each. Returns how long that took, ns. */
static u64 time_reads(const char * const *word, unsigned int nr)
{
	unsigned long value = 0, none = 0;
	unsigned int i;
	u64 start;

	/* The compiler must not know that the next address is the same whatever was read. */
	OPTIMIZER_HIDE_VAR(none);
	pagefault_disable();
	preempt_disable();
	start = pghot_clock();
	for (i = 0; i < nr; i++)
		__get_kernel_nofault(&value, word[i] + (value & none), unsigned long, unreadable);
unreadable:
	start = pghot_clock() - start;
	preempt_enable();
	pagefault_enable();
	return i == nr ? start : U64_MAX;
}

/**
 * pghot_windows_read() - measure how long accesses take, and tell the policy
 * @slow: the pages are of slow nodes, and not of fast ones
 * @reads: the pages
 *
 * Process context.
 */
void pghot_windows_read(bool slow, const struct window_reads *reads)
{
	const char *word[WINDOW_READS];
	unsigned int i, nr = 0;
	u64 ns = U64_MAX;

	for (i = 0; i < min(reads->nr, WINDOW_READS); i++) {
		if (!hold(reads->pfn[i]))
			continue;
		word[nr++] = (const char *)pfn_to_kaddr(reads->pfn[i]) +
			     (get_random_u32_below(PAGE_SIZE / LINE) * LINE);
	}
	if (nr)
		ns = time_reads(word, nr);
	for (i = 0; i < nr; i++)
		folio_put(virt_to_folio(word[i]));
	if (ns != U64_MAX)
		pghot_policy_accessed(slow, nr, ns);
}
