/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The flags of a page
 */
#ifndef PGHOT_WRAPPER_PAGEFLAGS_H
#define PGHOT_WRAPPER_PAGEFLAGS_H

#include <linux/build_bug.h>
#include <linux/mm.h>

/**
 * pghot_page_flags() - the flags of a page, as one word
 * @page: the page
 *
 * Any context. They are a number, or a structure with just this number in it, since 6.18.
 */
static __always_inline const unsigned long *pghot_page_flags(const struct page *page)
{
	BUILD_BUG_ON(sizeof(page->flags) != sizeof(unsigned long));
	return (const unsigned long *)&page->flags;
}

#endif /* PGHOT_WRAPPER_PAGEFLAGS_H */
