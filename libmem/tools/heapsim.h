/* SPDX-License-Identifier: GPL-2.0-only */
/* The command heapsim: exit codes, subcommands, errors of its command line. */
#ifndef HEAPSIM_HEAPSIM_H
#define HEAPSIM_HEAPSIM_H

/* Exit codes; run ends as the program that it ran, where it can. */
#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

/*
 * A subcommand's main(): @argv[0] is its whole name ("heapsim load"), as
 * getopt_long() begins its messages, and what follows are its own arguments.
 * Returns the exit code.
 */
int cmd_run(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_unload(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);

/* usage.c */
__attribute__((format(printf, 2, 3)))
int usage_error(const char *name, const char *format, ...);
int usage_try(const char *name);

#endif
