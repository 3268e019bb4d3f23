// SPDX-License-Identifier: GPL-2.0-only
/* heapsim: errors of its command line. */
#include <stdarg.h>
#include <stdio.h>

#include "heapsim.h"

/**
 * usage_error() - report a wrong command line
 * @name: name of the command: argv[0] of the subcommand
 * @format: as for printf(), without a newline
 *
 * Return: EXIT_USAGE, for the caller to return.
 */
int usage_error(const char *name, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return usage_try(name);
}

/**
 * usage_try() - say where help is, after an error has been reported
 * @name: as for usage_error()
 *
 * Return: EXIT_USAGE, for the caller to return.
 */
int usage_try(const char *name)
{
	fprintf(stderr, "Try '%s --help'.\n", name);
	return EXIT_USAGE;
}
