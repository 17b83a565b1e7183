// SPDX-License-Identifier: GPL-2.0
/*
 * Series of kernels: what is read of a kernel's name, and which ones are between two of them.
 */
#include "check.h"
#include "wrapper/series.h"

static void test_releases_are_read(void)
{
	CHECK(series_of("6.12") == (6 << 16 | 12));
	CHECK(series_of("6.12.117+deb12-amd64") == series_of("6.12"));
	CHECK(series_of("7.0.0-44-generic") == series_of("7.0"));
	CHECK(series_of("7.4-rc1") == series_of("7.4"));
	CHECK(series_of("7.3.4-pghot-debug") == series_of("7.3"));
	CHECK(series_of("10.20") == (10 << 16 | 20));
}

static void test_what_is_no_release(void)
{
	CHECK(!series_of(""));
	CHECK(!series_of("7"));
	CHECK(!series_of("7."));
	CHECK(!series_of(".3"));
	CHECK(!series_of("7-3"));
	CHECK(!series_of("linux-7.3"));
	CHECK(!series_of("-7.3"));
	CHECK(!series_of("99999.1"));
	CHECK(!series_of("7.99999"));
	CHECK(!series_within("next", "6.12", "7.3"));
}

static void test_order_is_that_of_numbers(void)
{
	CHECK(series_of("6.9") < series_of("6.12"));
	CHECK(series_of("6.19") < series_of("7.0"));
	CHECK(series_of("7.3") < series_of("7.10"));
}

static void test_range_has_both_ends(void)
{
	CHECK(series_within("6.12.0", "6.12", "7.3"));
	CHECK(series_within("7.3.99", "6.12", "7.3"));
	CHECK(series_within("6.18.15", "6.12", "7.3"));
	CHECK(!series_within("6.11.99", "6.12", "7.3"));
	CHECK(!series_within("7.4.0-rc1", "6.12", "7.3"));
	CHECK(!series_within("6.1.120", "6.12", "7.3"));
	CHECK(!series_within("7.30", "6.12", "7.3"));
}

int main(void)
{
	test_releases_are_read();
	test_what_is_no_release();
	test_order_is_that_of_numbers();
	test_range_has_both_ends();
	return check_report();
}
