/* SPDX-License-Identifier: GPL-2.0-only */
/* Suppression of findings that the user knows already */
#ifndef HEAPSIM_SUPPRESS_H
#define HEAPSIM_SUPPRESS_H

#include <stdio.h>

struct finding;
struct suppressions;

struct suppressions *suppressions_open(void);
void suppressions_close(struct suppressions *suppressions);
int suppressions_read(struct suppressions *suppressions, const char *path);
const char *suppressions_match(const struct suppressions *suppressions,
			       const struct finding *finding);
void suppression_print(FILE *out, const char *prefix,
		       const struct finding *finding);

#endif
