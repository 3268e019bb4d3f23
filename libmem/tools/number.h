/* SPDX-License-Identifier: GPL-2.0-only */
/* Formatting and parsing of numbers for people */
#ifndef HEAPSIM_NUMBER_H
#define HEAPSIM_NUMBER_H

#include <stdint.h>

#define NUMBER_LEN	32	/* enough for any formatted number */

const char *number_bytes(char text[NUMBER_LEN], uint64_t bytes);
const char *number_plural(uint64_t nr);
const char *number_short(char text[NUMBER_LEN], double value);
int number_whole(const char *text, uint64_t max, uint64_t *number);
int number_seconds(const char *text, double max, double *seconds);

#endif
