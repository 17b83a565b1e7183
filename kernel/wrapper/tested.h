/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: The kernels that pghot is tested with
 *
 * They are the series from the oldest to the newest one of lab/kernels.toml, which the tests
 * compare with what is here.
 */
#ifndef PGHOT_WRAPPER_TESTED_H
#define PGHOT_WRAPPER_TESTED_H

#define TESTED_OLDEST	"6.12"
#define TESTED_NEWEST	"7.3"

int pghot_tested_load(void);

#endif /* PGHOT_WRAPPER_TESTED_H */
