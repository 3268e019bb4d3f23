/* SPDX-License-Identifier: GPL-2.0-only */
/* Notices of processes that are not watched */
#ifndef HEAPSIM_NOTICES_H
#define HEAPSIM_NOTICES_H

#include "report.h"

int notices_open(const char *who);
void notices_read(int sock, struct run_facts *facts);

#endif
