// SPDX-License-Identifier: GPL-2.0-only
/* heapsim: finds the subcommand and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heapsim.h"

struct command {
	const char *name;
	const char *help;	/* one line */
	int (*run)(int argc, char **argv);
};

static int cmd_help(int argc, char **argv);

static const struct command commands[] = {
	{ "run", "run a program and report its cache mistakes", cmd_run },
	{ "load", "insert the module, with parameters", cmd_load },
	{ "unload", "remove it, or list processes that use it", cmd_unload },
	{ "info", "print the board and the state of the module", cmd_info },
	{ "stat", "print counters or rates of all buffers", cmd_stat },
	{ "top", "show them in a live table", cmd_top },
	{ "help", "print this text", cmd_help },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help_print(FILE *out)
{
	size_t i;

	fprintf(out, "usage: heapsim COMMAND [ARGUMENT]...\n\n"
		"dma-buf heaps of boards with incoherent caches, simulated.\n"
		"\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n'heapsim COMMAND --help' explains each command.\n");
}

static int cmd_help(int argc, char **argv)
{
	if (argc > 1)
		return error_usage("heapsim",
				   "help takes no argument; see 'heapsim %s --help'",
				   argv[1]);
	help_print(stdout);
	return EXIT_OK;
}

static int cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("heapsim " HEAPSIM_VERSION);
	return EXIT_OK;
}

static int command_run(int argc, char **argv)
{
	static char whole_name[32];
	const char *name = argv[1];
	size_t i;

	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return cmd_help(1, argv);
	if (!strcmp(name, "--version"))
		return cmd_version(1, argv);
	for (i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(commands[i].name, name))
			continue;
		snprintf(whole_name, sizeof(whole_name), "heapsim %s", name);
		argv[1] = whole_name;
		return commands[i].run(argc - 1, argv + 1);
	}
	return error_usage("heapsim", "%s: no such %s", name,
			   name[0] == '-' ? "option" : "command");
}

int main(int argc, char **argv)
{
	int ret;

	if (argc < 2) {
		help_print(stderr);
		return EXIT_USAGE;
	}
	ret = command_run(argc, argv);
	/* Output that could not be written, as on a full disk, is an error. */
	if (fflush(stdout) || ferror(stdout)) {
		perror("heapsim: standard output");
		return ret ? ret : EXIT_FAILED;
	}
	return ret;
}
