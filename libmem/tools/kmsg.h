/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of the module in the kernel log */
#ifndef HEAPSIM_KMSG_H
#define HEAPSIM_KMSG_H

#include <stdio.h>

int kmsg_open(void);
int kmsg_print(int kmsg, FILE *out, const char *before);

#endif
