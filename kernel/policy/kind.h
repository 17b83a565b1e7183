/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Kinds of folios
 *
 * Small folios and huge ones, of which the policy decides apart.
 */
#ifndef PGHOT_POLICY_KIND_H
#define PGHOT_POLICY_KIND_H

/**
 * enum policy_kind - kinds of folios, whose accessed bits tell different things
 * @POLICY_SMALL: mapped by the page: a bit stands for a page
 * @POLICY_HUGE: mapped as a whole: a bit stands for all of a huge page
 * @POLICY_KINDS: number of kinds
 */
enum policy_kind {
	POLICY_SMALL,
	POLICY_HUGE,
	POLICY_KINDS,
};

#endif /* PGHOT_POLICY_KIND_H */
