// SPDX-License-Identifier: GPL-2.0-only
/* heapsim unload: removes the module, or lists the processes that keep it. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "heapsim.h"
#include "keeper.h"
#include "module.h"
#include "number.h"

#define DEFAULT_WAIT_S	2
#define MAX_WAIT_S	3600
#define STEP_NS		50000000L

static const char help[] =
"usage: heapsim unload [OPTION]...\n"
"\n"
"Removes the module; if it is in use, lists the processes that use it.\n"
"\n"
"  -w, --wait SECONDS  longest wait for uses that are about to end (2)\n"
"  -h, --help          this text\n";

/*
 * Retries for a while: the references of a process that has just ended are
 * dropped a little later, and workers free its buffers.
 */
static int unload_patiently(double wait_s)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	const uint64_t end_ns = now_ns() + wait_s * 1e9;
	int err;

	for (;;) {
		err = module_remove();
		if ((err != -EAGAIN && err != -EBUSY) || now_ns() >= end_ns)
			return err;
		nanosleep(&step, NULL);
	}
}

static int unload_print_error(int err, const char *who)
{
	switch (err) {
	case -ENOENT:
		error_print(who, "the module is not loaded");
		break;
	case -EPERM:
		error_print(who,
			    "only root may unload modules: sudo heapsim unload");
		break;
	case -EAGAIN:
	case -EBUSY:
		error_print(who, "the module is in use (%d references)",
			    module_refcount());
		if (!keeper_print_all(stderr))
			fprintf(stderr,
				"  No visible process uses it; a driver may, a message between processes, or\n"
				"  io_uring.\n");
		break;
	default:
		error_print(who, "%s", strerror(-err));
		break;
	}
	return EXIT_FAILED;
}

int cmd_unload(int argc, char **argv)
{
	static const struct option options[] = {
		{ "wait", required_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	double wait_s = DEFAULT_WAIT_S;
	const char *who = argv[0];
	int opt, err;

	while ((opt = getopt_long(argc, argv, "w:h", options, NULL)) != -1) {
		switch (opt) {
		case 'w':
			if (number_seconds(optarg, MAX_WAIT_S, &wait_s))
				return error_usage(who,
						   "--wait needs seconds, at most %d",
						   MAX_WAIT_S);
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK;
		default:
			return error_try(argv[0]);
		}
	}
	if (optind < argc)
		return error_usage(who, "%s: takes no argument", argv[optind]);
	err = module_state() == MODULE_ABSENT ? -ENOENT :
					       unload_patiently(wait_s);
	if (err)
		return unload_print_error(err, who);
	puts("unloaded");
	return EXIT_OK;
}
