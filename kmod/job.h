/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs of the dma engine: what dma.c and job.c share. */
#ifndef HEAPSIM_JOB_H
#define HEAPSIM_JOB_H

#include <linux/iosys-map.h>

#include "buf.h"
#include "ctx.h"

/**
 * struct heapsim_side - source or destination of a job
 * @dmabuf: NULL if the operation has no such side
 * @buf: NULL if @dmabuf is foreign
 * @is_used: the job counts as a user of @buf, which keeps its number of views
 * @has_two_views: @buf has two views
 * @told: lines that a delayed job was told of; has no map without a delay
 * @told_len: bytes of the map
 * @told_user: user who is charged for the map
 * @off: of the first row
 * @pitch: from row to row
 * @lo: lowest byte of all rows
 * @len: from there to the end of the highest
 * @map: kernel mapping of a foreign buffer
 * @chunk: of an own buffer: the chunk where the last page was found
 * @chunk_first: first page of that chunk
 */
struct heapsim_side {
	struct dma_buf *dmabuf;
	struct heapsim_buf *buf;
	bool is_used;
	bool has_two_views;
	struct line_job told;
	u64 told_len;
	struct heapsim_user *told_user;
	u64 off;
	s64 pitch;
	u64 lo;
	u64 len;
	struct iosys_map map;
	size_t chunk;
	size_t chunk_first;
};

/**
 * struct heapsim_walk - pieces of rows that are still to be visited
 * @off: of the present row
 * @pitch: from row to row
 * @row_len: bytes
 * @nr_rows: the present row and those after it
 * @done: bytes of the present row that were visited
 */
struct heapsim_walk {
	u64 off;
	s64 pitch;
	u64 row_len;
	u64 nr_rows;
	u64 done;
};

/**
 * enum heapsim_job_phase - what a job does; it goes through these in order
 * @HEAPSIM_JOB_WAITS: for the jobs before it in its queue, and for fences
 * @HEAPSIM_JOB_JUDGES_SRC: looks for Dirty lines that it may read over
 * @HEAPSIM_JOB_JUDGES_DST: looks for Dirty lines that it may write over
 * @HEAPSIM_JOB_LASTS: its delay
 * @HEAPSIM_JOB_READS: a row of the source
 * @HEAPSIM_JOB_WRITES: a row of the destination; then the next row
 * @HEAPSIM_JOB_IS_DONE: its fence can be signalled
 */
enum heapsim_job_phase {
	HEAPSIM_JOB_WAITS,
	HEAPSIM_JOB_JUDGES_SRC,
	HEAPSIM_JOB_JUDGES_DST,
	HEAPSIM_JOB_LASTS,
	HEAPSIM_JOB_READS,
	HEAPSIM_JOB_WRITES,
	HEAPSIM_JOB_IS_DONE,
};

struct heapsim_dep;	/* these two: queue.h */
struct heapsim_queue;

/**
 * struct heapsim_job - a job
 * @object: head; the engine has a reference besides that of the table
 * @is_taken: a call that waited for it has its result
 * @queue: of its context, referenced
 * @node: in the queue
 * @end: tidies up after the signal
 * @op: enum heapsim_dma_op
 * @pattern: byte i of a row is combined with byte i % 4
 * @row_len: bytes
 * @nr_rows: rows
 * @delay_ns: lasts at least so long
 * @is_started: was judged when it was submitted
 * @src: source
 * @dst: destination
 * @deps: fences it waits for
 * @nr_deps: how many
 * @nr_pending: those of them that are not signalled; one more until the job is
 *	in its queue
 * @fence: its own
 * @deadline_ns: when it must have ended
 * @until_ns: when its delay is over
 * @phase: what it does
 * @walk: in the phases that judge: what is left to judge
 * @row: number of the present row
 * @done: bytes of the present row that were read or written
 * @src_row: offset of the present row
 * @dst_row: the same
 * @result: checksum or bytes written; valid once @fence is signalled
 * @status: 0 or -errno, as @result
 * @party: the job as records name it
 * @serial: the same, for pages
 */
struct heapsim_job {
	struct heapsim_object object;
	atomic_t is_taken;
	struct heapsim_queue *queue;
	struct list_head node;
	struct work_struct end;
	u32 op;
	u32 pattern;
	u64 row_len;
	u32 nr_rows;
	u64 delay_ns;
	bool is_started;
	struct heapsim_side src;
	struct heapsim_side dst;
	struct heapsim_dep *deps;
	unsigned int nr_deps;
	atomic_t nr_pending;
	struct dma_fence *fence;
	u64 deadline_ns;
	u64 until_ns;
	enum heapsim_job_phase phase;
	struct heapsim_walk walk;
	u32 row;
	u64 done;
	u64 src_row;
	u64 dst_row;
	u64 result;
	int status;
	struct heapsim_party party;
	u64 serial;
};

int heapsim_job_get_sides(const struct heapsim_dma_submit *cmd,
			  struct heapsim_side *src, struct heapsim_side *dst);
void heapsim_job_put_sides(struct heapsim_side *src, struct heapsim_side *dst);
int heapsim_job_prepare(struct heapsim_job *job);
int heapsim_job_judge(struct heapsim_job *job);
void heapsim_job_begin_judging(struct heapsim_job *job);
void heapsim_job_begin_rows(struct heapsim_job *job);
bool heapsim_job_is_moving(const struct heapsim_job *job);
void heapsim_job_move(struct heapsim_job *job, u64 end_ns);
void heapsim_job_stop(struct heapsim_job *job);
void heapsim_job_end(struct heapsim_job *job);

#endif
