// SPDX-License-Identifier: GPL-2.0-only
/* heapsim run: a placeholder, to be replaced. */
#include <stdio.h>

#include "heapsim.h"

int cmd_run(int argc, char **argv)
{
	(void)argc;
	fprintf(stderr, "%s: not there yet\n", argv[0]);
	return EXIT_FAILED;
}
