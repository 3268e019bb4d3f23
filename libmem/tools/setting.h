/* SPDX-License-Identifier: GPL-2.0-only */
/* The environment variables that libmem reads, and their valid values */
#ifndef HEAPSIM_SETTING_H
#define HEAPSIM_SETTING_H

#include <stdbool.h>
#include <stdio.h>

bool setting_is_board(const char *soc);
bool setting_is_good(const char *name, const char *value);
void setting_print(FILE *out, const char *name, const char *value);
const char *setting_find_bad(bool has_board);

#endif
