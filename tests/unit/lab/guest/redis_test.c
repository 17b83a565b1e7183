// SPDX-License-Identifier: GPL-2.0
/* What the Redis load sends, takes and counts. */
#include <string.h>

#include "check.h"
#include "keyvalue.h"
#include "quantile.h"

#define BYTES	64u

static void test_values(void)
{
	char value[BYTES], other[BYTES];
	uint32_t version;
	unsigned int i;

	keyvalue_fill(value, BYTES, 7, 3);
	CHECK(keyvalue_check(value, BYTES, 7, &version) && version == 3);
	CHECK(!keyvalue_check(value, BYTES, 8, &version));
	for (i = 0; i < BYTES; i++) {
		value[i] ^= 1;
		CHECK(!keyvalue_check(value, BYTES, 7, &version));
		value[i] ^= 1;
	}
	/* Half of another version's, as when a store was torn. */
	keyvalue_fill(other, BYTES, 7, 4);
	memcpy(value + BYTES / 2, other + BYTES / 2, BYTES / 2);
	CHECK(!keyvalue_check(value, BYTES, 7, &version));
}

static void test_requests(void)
{
	static const char get[] = "*2\r\n$3\r\nGET\r\n$11\r\nk0000000007\r\n";
	static const char set[] = "*3\r\n$3\r\nSET\r\n$11\r\nk4294967295\r\n$64\r\n";
	char out[KEYVALUE_REQUEST_MAX + BYTES];
	uint32_t version;
	size_t n = keyvalue_get(out, 7);

	CHECK(n == sizeof(get) - 1 && !memcmp(out, get, n));
	n = keyvalue_set(out, UINT32_MAX, 2, BYTES);
	CHECK(n == sizeof(set) - 1 + BYTES + 2);
	CHECK(!memcmp(out, set, sizeof(set) - 1));
	CHECK(keyvalue_check(out + sizeof(set) - 1, BYTES, UINT32_MAX, &version) && version == 2);
	CHECK(!memcmp(out + n - 2, "\r\n", 2));
}

static enum keyvalue_reply reply(const char *in, size_t bytes, size_t *taken)
{
	const char *value;

	return keyvalue_reply(in, bytes, BYTES, taken, &value);
}

static void test_replies(void)
{
	char in[BYTES + 16] = "$64\r\n";
	const char *value;
	size_t taken, n = 5 + BYTES + 2, i;

	memset(in + 5, '\n', BYTES);	/* a value may hold anything */
	memcpy(in + 5 + BYTES, "\r\n+OK", 5);
	for (i = 0; i < n; i++)
		CHECK(reply(in, i, &taken) == KEYVALUE_INCOMPLETE);
	CHECK(keyvalue_reply(in, n + 3, BYTES, &taken, &value) == KEYVALUE_VALUE);
	CHECK(taken == n && value == in + 5);
	CHECK(reply("+OK\r\n$64", 8, &taken) == KEYVALUE_STORED && taken == 5);
	CHECK(reply("+OK\r", 4, &taken) == KEYVALUE_INCOMPLETE);
	CHECK(reply("$-1\r\n", 5, &taken) == KEYVALUE_WRONG);
	CHECK(reply("$63\r\n", 5, &taken) == KEYVALUE_WRONG);
	CHECK(reply("$\r\n", 3, &taken) == KEYVALUE_WRONG);
	CHECK(reply("-OOM\r\n", 6, &taken) == KEYVALUE_WRONG);
}

static void test_quantiles(void)
{
	static struct quantile q;
	uint64_t ns, at;

	CHECK(quantile_at(&q, 0.5) == 0);
	for (ns = 1; ns <= 1000000; ns++)
		quantile_add(&q, ns);
	for (ns = 10; ns <= 1000000; ns *= 10) {
		at = quantile_at(&q, ns / 1e6);
		CHECK(at >= ns && at <= ns + ns / QUANTILE_STEPS);
	}
	/* The longest time there is has a bucket, too. */
	quantile_add(&q, UINT64_MAX);
	CHECK(quantile_at(&q, 1) == UINT64_MAX);
}

int main(void)
{
	test_values();
	test_requests();
	test_replies();
	test_quantiles();
	return check_report();
}
