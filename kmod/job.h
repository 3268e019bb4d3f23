/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs of the dma engine. */
#ifndef HEAPSIM_JOB_H
#define HEAPSIM_JOB_H

#include <linux/iosys-map.h>

#include "buf.h"
#include "ctx.h"
#include "model/rows.h"

/**
 * struct heapsim_side - source or destination of a job
 * @dmabuf: dma-buf; NULL if the operation has no such side
 * @buf: buffer; NULL if @dmabuf is foreign
 * @is_used: the job is counted in @buf, whose number of views cannot change
 * @has_two_views: @buf has two views
 * @reported: lines that a delayed job has reported; without delay it has no
 *	bitmap
 * @reported_len: size of the bitmap, bytes
 * @reported_user: user who is charged for the bitmap
 * @rows: rows
 * @lo: lowest offset of all rows
 * @len: bytes from @lo to the end of the highest row
 * @map: kernel mapping of a foreign buffer
 * @chunk: own buffer: chunk of the last page that was looked up
 * @chunk_first: number of the first page of that chunk
 */
struct heapsim_side {
	struct dma_buf *dmabuf;
	struct heapsim_buf *buf;
	bool is_used;
	bool has_two_views;
	struct line_job reported;
	u64 reported_len;
	struct heapsim_user *reported_user;
	struct rows rows;
	u64 lo;
	u64 len;
	struct iosys_map map;
	size_t chunk;
	size_t chunk_first;
};

/**
 * struct heapsim_walk - parts of rows that have not been visited
 * @rows: rows left, including the current one
 * @done: bytes of the current row that have been visited
 */
struct heapsim_walk {
	struct rows rows;
	u64 done;
};

/**
 * enum heapsim_job_phase - phases of a job, in order
 * @HEAPSIM_JOB_WAITS: waits for earlier jobs of its queue, and for fences
 * @HEAPSIM_JOB_JUDGES_SRC: reports Dirty lines of the source
 * @HEAPSIM_JOB_JUDGES_DST: reports Dirty lines of the destination
 * @HEAPSIM_JOB_LASTS: waits for the end of its delay
 * @HEAPSIM_JOB_READS: reads a row of the source
 * @HEAPSIM_JOB_WRITES: writes a row of the destination; then the next row
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

struct heapsim_dep;	/* queue.h */
struct heapsim_queue;

/**
 * struct heapsim_job - a job
 * @object: head; the engine holds a reference in addition to the table
 * @is_taken: a caller has got the result
 * @queue: queue of the context, with a reference
 * @node: entry in the queue
 * @end: work that runs after the signal
 * @op: enum heapsim_dma_op
 * @pattern: byte i of a row is combined with byte i % 4 of it
 * @row_len: bytes of a row
 * @nr_rows: number of rows
 * @delay_ns: minimum duration
 * @is_started: judged when it was submitted
 * @src: source
 * @dst: destination
 * @deps: fences that the job depends on
 * @nr_deps: number of @deps
 * @nr_pending: number of @deps that are not signalled, plus one until the job
 *	is in its queue
 * @fence: fence of the job
 * @deadline_ns: time at which the job fails
 * @until_ns: end of the delay
 * @phase: current phase
 * @walk: what is left to judge, in the phases that judge
 * @row: number of the current row
 * @done: bytes of the current row that have been read or written
 * @src_row: offset of the current row in the source
 * @dst_row: offset of the current row in the destination
 * @result: checksum or number of bytes written; valid after @fence is signalled
 * @status: 0 or -errno; valid after @fence is signalled
 * @party: the job in records
 * @serial: number of @party, from heapsim_party_keep()
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
