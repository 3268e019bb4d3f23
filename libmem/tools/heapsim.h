/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the subcommands of heapsim */
#ifndef HEAPSIM_HEAPSIM_H
#define HEAPSIM_HEAPSIM_H

/* Exit codes; heapsim run exits like the program that it ran, if possible. */
#define EXIT_OK		0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

/* Exit codes that shells use */
#define EXIT_NOT_EXECUTABLE	126
#define EXIT_NOT_FOUND		127
#define EXIT_BY_SIGNAL		128	/* plus the signal's number */

/*
 * The main() of each subcommand. @argv[0] is its full name ("heapsim load"),
 * with which getopt_long() begins messages; its own arguments follow. Returns
 * the exit code.
 */
int cmd_run(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_unload(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);

/* error.c */
__attribute__((format(printf, 2, 3)))
int error_print(const char *name, const char *format, ...);
__attribute__((format(printf, 2, 3)))
int error_usage(const char *name, const char *format, ...);
int error_try(const char *name);

#endif
