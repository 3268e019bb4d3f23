// SPDX-License-Identifier: GPL-2.0-only
/* heapsim: messages about errors, on standard error. */
#include <stdarg.h>
#include <stdio.h>

#include "heapsim.h"

static void error_vprint(const char *name, const char *format, va_list args)
{
	fprintf(stderr, "%s: ", name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

/**
 * error_print() - print why a command failed
 * @name: name of the command: argv[0] of the subcommand
 * @format: as for printf(), without a newline
 *
 * Return: EXIT_FAILED, for the caller to return.
 */
int error_print(const char *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_vprint(name, format, args);
	va_end(args);
	return EXIT_FAILED;
}

/**
 * error_usage() - report a wrong command line
 * @name: as for error_print()
 * @format: as for error_print()
 *
 * Return: EXIT_USAGE, for the caller to return.
 */
int error_usage(const char *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_vprint(name, format, args);
	va_end(args);
	return error_try(name);
}

/**
 * error_try() - say where help is, after an error has been reported
 * @name: as for error_print()
 *
 * Return: EXIT_USAGE, for the caller to return.
 */
int error_try(const char *name)
{
	fprintf(stderr, "Try '%s --help'.\n", name);
	return EXIT_USAGE;
}
