/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that prevent the module from being unloaded */
#ifndef HEAPSIM_KEEPER_H
#define HEAPSIM_KEEPER_H

#include <stdio.h>

int keeper_print_all(FILE *out);

#endif
