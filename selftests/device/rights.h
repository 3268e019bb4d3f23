/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of streams, works and managed buffers. Functions whose
 * name ends in _errno return 0 or -errno; the others fail the running test when
 * the kernel refuses. Stream 0 is the NULL stream.
 */
#ifndef RIGHTS_H
#define RIGHTS_H

#include "stream.h"

/* Opens /dev/heapsim, and decides for these commands. */
int rights_open(void);
/* @cmd: HEAPSIM_IOC_STREAM_ADD or HEAPSIM_IOC_STREAM_REMOVE */
int rights_stream_errno(int dev, unsigned long cmd, uint64_t stream);
void rights_stream_add(int dev, uint64_t stream);
int rights_state_errno(int dev, uint64_t stream, uint32_t flags);
void rights_activate(int dev, uint64_t stream);
void rights_idle(int dev, uint64_t stream);
/* Runs the command with its size set. */
int rights_attach_errno(int dev, const struct heapsim_buf_attach *cmd);
/* States a newest state, and that it is known to have taken effect. */
void rights_attach(int dev, uint64_t stream, const struct managed *m,
		   uint32_t attach);
/* The same with a clean for the jobs that see it then; takes a buffer's id. */
int rights_settle_errno(int dev, uint64_t stream, uint64_t buf,
			uint32_t attach);
/* States a right alone. */
void rights_set(int dev, const struct managed *m, uint32_t right,
		uint32_t flags);
int rights_work_add_errno(int dev, uint64_t stream, uint64_t work,
			  const char *name);
/* Adds a work and states that its stream is active. */
int rights_work_submit_errno(int dev, uint64_t stream, uint64_t work,
			     const char *name);
int rights_work_start_errno(int dev, uint64_t work,
			    const struct heapsim_work_verdict *verdicts,
			    uint32_t nr);
int rights_work_finish_errno(int dev, uint64_t work);
int rights_work_report_errno(int dev, uint64_t work, uint64_t buf);
int rights_info_errno(int dev, uint64_t buf,
		      struct heapsim_rights_info *answer);
struct heapsim_rights_info rights_info(int dev, uint64_t buf);

#endif
