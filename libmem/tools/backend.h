/* SPDX-License-Identifier: GPL-2.0-only */
/* Choice of the backend, and the reports of libmem's embedded backend. */
#ifndef HEAPSIM_BACKEND_H
#define HEAPSIM_BACKEND_H

#include <stdbool.h>
#include <sys/types.h>

#include "findings.h"
#include "report.h"

struct stacks;
struct record_tables;

int backend_find(const char *name, enum run_backend *backend);
int backend_choose(const char *who, enum run_backend *backend);
int backend_env_set(const struct run_facts *facts, const char *soc);
void backend_facts(const struct record_tables *tables, struct run_facts *facts);
void backend_refusals(const struct stacks *stacks, struct run_facts *facts);
bool backend_has_left(const struct record_tables *tables, pid_t own);
int backend_take(const struct record_tables *tables, struct findings *findings,
		 struct run_facts *facts);

#endif
