/* SPDX-License-Identifier: GPL-2.0-only */
/* Precise tracking of CPU accesses. */
#ifndef HEAPSIM_STEP_H
#define HEAPSIM_STEP_H

#include "buf.h"

struct heapsim_step;	/* step.c */

#ifdef CONFIG_X86
static inline bool heapsim_can_step(void) { return true; }
int heapsim_step_init(void);
void heapsim_step_fini(void);
struct heapsim_step *heapsim_step_alloc(void);
bool heapsim_step_is_wanted(const struct heapsim_buf *buf);
bool heapsim_step_is_again(const struct heapsim_buf *buf,
			   const struct heapsim_access *access);
void heapsim_step_arm(struct heapsim_buf *buf, struct heapsim_step **fresh,
		      const struct heapsim_access *access, bool is_user);
#else
/* On other architectures a module cannot single-step a thread of a process. */
static inline bool heapsim_can_step(void) { return false; }
static inline int heapsim_step_init(void) { return 0; }
static inline void heapsim_step_fini(void) { }
static inline struct heapsim_step *heapsim_step_alloc(void) { return NULL; }
static inline bool heapsim_step_is_wanted(const struct heapsim_buf *buf)
{
	return false;
}

static inline bool heapsim_step_is_again(const struct heapsim_buf *buf,
					 const struct heapsim_access *access)
{
	return false;
}

static inline void heapsim_step_arm(struct heapsim_buf *buf,
				    struct heapsim_step **fresh,
				    const struct heapsim_access *access,
				    bool is_user) { }
#endif

#endif
