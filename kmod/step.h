/* SPDX-License-Identifier: GPL-2.0-only */
/* Precise tracking of CPU accesses. */
#ifndef HEAPSIM_STEP_H
#define HEAPSIM_STEP_H

#include "buf.h"

struct heapsim_step;	/* step.c */

int heapsim_step_init(void);
void heapsim_step_fini(void);
bool heapsim_can_step(void);
struct heapsim_step *heapsim_step_alloc(void);
bool heapsim_step_is_wanted(const struct heapsim_buf *buf);
bool heapsim_step_is_again(const struct heapsim_buf *buf,
			   const struct heapsim_access *access);
void heapsim_step_arm(struct heapsim_buf *buf, struct heapsim_step **fresh,
		      const struct heapsim_access *access, bool is_user);

#endif
