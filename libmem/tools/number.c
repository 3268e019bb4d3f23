// SPDX-License-Identifier: GPL-2.0-only
/* Formats and parses numbers for people. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"

/**
 * number_bytes() - format a length: "64 KiB", "1.5 MiB"
 * @text: out: text
 * @bytes: length in bytes
 *
 * Return: @text.
 */
const char *number_bytes(char text[NUMBER_LEN], uint64_t bytes)
{
	static const char *const units[] = {
		"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB",
	};
	double value = bytes;
	int unit = 0;

	while (value >= 1024) {
		value /= 1024;
		unit++;
	}
	if (value == (uint64_t)value)
		snprintf(text, NUMBER_LEN, "%.0f %s", value, units[unit]);
	else
		snprintf(text, NUMBER_LEN, "%.1f %s", value, units[unit]);
	return text;
}

/**
 * number_short() - format a count or rate in at most six characters: "12.3M"
 * @text: out: text
 * @value: not negative
 *
 * Return: @text.
 */
const char *number_short(char text[NUMBER_LEN], double value)
{
	static const char units[] = " kMGTPE";
	int unit = 0;

	if (value < 999999.5) {
		snprintf(text, NUMBER_LEN,
			 value < 9.95 && value != (unsigned int)value ?
			 "%.1f" : "%.0f", value);
		return text;
	}
	while (value >= 999.95) {
		value /= 1000;
		unit++;
	}
	snprintf(text, NUMBER_LEN, "%.1f%c", value, units[unit]);
	return text;
}

/** number_plural() - return the ending of a noun after a number: "s" or "" */
const char *number_plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/**
 * number_whole() - parse a whole number
 * @text: decimal, or with 0x or 0 before it as in C
 * @max: the largest accepted value
 * @number: out: number
 *
 * Return: 0 or -EINVAL.
 */
int number_whole(const char *text, uint64_t max, uint64_t *number)
{
	unsigned long long value;
	char *end;

	/* strtoull() would also accept "-1" and leading blanks. */
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (*end || errno || value > max)
		return -EINVAL;
	*number = value;
	return 0;
}

/**
 * number_seconds() - parse a time
 * @text: decimal, as "0.5"
 * @max: the largest accepted value
 * @seconds: out: time
 *
 * Return: 0 or -EINVAL.
 */
int number_seconds(const char *text, double max, double *seconds)
{
	char *end;
	double value;

	/* strtod() would also accept "nan", "-1" and leading blanks. */
	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return -EINVAL;
	value = strtod(text, &end);
	if (*end || end == text || value > max)
		return -EINVAL;
	*seconds = value;
	return 0;
}
