// SPDX-License-Identifier: GPL-2.0
/* mark arm|begin|end|rest: give the lab's plugin a mark from a script. */
#include <stdio.h>
#include <string.h>

#include "marker.h"

int main(int argc, char **argv)
{
	const char *op = argc == 2 ? argv[1] : "";

	if (!strcmp(op, "arm")) {
		marker_arm();
	} else if (!strcmp(op, "begin")) {
		marker_begin();
	} else if (!strcmp(op, "end")) {
		marker_end();
	} else if (!strcmp(op, "rest")) {
		marker_rest();
	} else {
		fprintf(stderr, "mark: wants one of: arm, begin, end, rest\n");
		return 2;
	}
	return 0;
}
