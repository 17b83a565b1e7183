/* SPDX-License-Identifier: GPL-2.0 */
/* A tracepoint here has but its call: see linux/tracepoint.h. */
