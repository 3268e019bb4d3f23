// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The dma engine of the embedded backend: one thread of the process, which runs
 * the jobs of all contexts in the order of their submission. A job has a
 * reference to its context; the caller and the queue have one to the job.
 *
 * Lines are judged when a job starts: at its submission unless it has to wait
 * for another job. A job with a delay may access any of its bytes from then on:
 * its lines are judged again when it really accesses them
 * (Documentation/model.rst).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../kmod/model/rows.h"
#include "embedded.h"

#define MAX_JOBS	64		/* that a context may have */
#define MAX_DELAY_NS	(10 * NS_PER_S)
#define MAX_PASSES	64		/* as HEAPSIM_DMA_MAX_PASSES */
#define MAX_RUN_NS	(60 * NS_PER_S)

/* Bytes that are written while the lock is held once: a multiple of 4. */
#define PIECE_LEN	(256 * 1024ULL)

/**
 * struct side - source or destination of a job
 * @buf: buffer; NULL: the job has no such side
 * @rows: rows
 * @lo: lowest byte of all rows
 * @len: bytes from @lo to the end of the highest row
 * @reported: lines that were reported when a delayed job started; no map: it
 *	has no delay
 */
struct side {
	struct embedded_buf *buf;
	struct rows rows;
	uint64_t lo;
	uint64_t len;
	struct line_job reported;
};

/**
 * struct dma_job - a job
 * @base: the core's struct
 * @ctx: context, with a reference until the job is done
 * @acting: the job, for records
 * @op: operation
 * @pattern: byte i of a row is combined with byte i % 4
 * @row_len: bytes of a row
 * @nr_rows: number of rows
 * @delay_ns: shortest duration
 * @src: side that it reads
 * @dst: side that it writes
 * @next: next job in the queue
 * @is_started: it waits for no other job any more
 * @nr_users: references: of the queue and the caller
 * @fence: eventfd that is signalled when it is done; none before dma_fence()
 * @is_done: @status and @result are valid
 * @status: 0 or -errno
 * @result: checksum, or bytes written
 *
 * The engine's lock protects @next and all members after it.
 */
struct dma_job {
	struct mem_job base;
	struct mem_ctx *ctx;
	struct acting acting;
	enum job_op op;
	uint32_t pattern;
	uint64_t row_len;
	uint32_t nr_rows;
	uint64_t delay_ns;
	struct side src;
	struct side dst;

	struct dma_job *next;
	bool is_started;
	unsigned int nr_users;
	struct own_fd fence;
	bool is_done;
	int status;
	uint64_t result;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t has_work;
	bool is_running;
	struct dma_job *first;
	struct dma_job **last;

	atomic_uint nr_done;	/* number of jobs done; waiters wait on it */
} dma = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.has_work = PTHREAD_COND_INITIALIZER,
};

static struct dma_job *job_of(struct mem_job *job)
{
	return containerof(job, struct dma_job, base);
}

static void dma_lock(sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&dma.lock);
}

static void dma_unlock(const sigset_t *old)
{
	pthread_mutex_unlock(&dma.lock);
	signals_restore(old);
}

/* The engine reads DRAM, not the CPU view. */
static void dma_read_row(struct dma_job *job, uint64_t off)
{
	struct embedded_buf *buf = job->src.buf;

	/* A job without a delay was judged when it started. */
	if (job->delay_ns) {
		pthread_mutex_lock(&buf->lock);
		buf->acting = job->acting;
		if (buf->has_two_views)
			view_engine_access(buf, off, job->row_len,
					   &job->src.reported,
					   line_engine_read);
		pthread_mutex_unlock(&buf->lock);
	}
	if (job->op == JOB_CHECKSUM)
		job->result = rows_checksum(job->result, buf->dram + off,
					    job->row_len);
}

static void dma_note_write(struct embedded_buf *buf, uint64_t off, uint64_t len,
			   const struct dma_job *job)
{
	const size_t last = (off + len - 1) >> window_page_shift();
	size_t page;

	for (page = off >> window_page_shift(); page <= last; page++)
		buf->notes[page].engine = job->acting;
}

/* The lock makes bytes and line states change together. */
static void dma_write_piece(struct dma_job *job, uint64_t src_off,
			    uint64_t dst_off, uint64_t len)
{
	struct embedded_buf *buf = job->dst.buf;
	uint8_t *to = buf->dram + dst_off;
	const uint8_t *from;

	pthread_mutex_lock(&buf->lock);
	if (buf->has_two_views) {
		buf->acting = job->acting;
		line_engine_write(&buf->lines, dst_off, len,
				  &job->dst.reported);
		dma_note_write(buf, dst_off, len, job);
	}
	if (job->op == JOB_FILL) {
		rows_fill(to, len, job->pattern);
	} else {
		from = job->src.buf->dram + src_off;
		rows_copy(to, from, len, job->pattern,
			  to > from && (uint64_t)(to - from) < len);
	}
	pthread_mutex_unlock(&buf->lock);
	job->result += len;
}

/* A waiter waits for one piece. Overlapping rows are copied in one piece. */
static int dma_write_row(struct dma_job *job, uint64_t src_off,
			 uint64_t dst_off, uint64_t deadline)
{
	const bool overlaps = job->src.buf == job->dst.buf &&
			      src_off < dst_off + job->row_len &&
			      dst_off < src_off + job->row_len;
	const uint64_t most = overlaps ? job->row_len : PIECE_LEN;
	uint64_t done, len;

	for (done = 0; done < job->row_len; done += len) {
		/* The caller has checked this before the first piece. */
		if (done && now_ns() > deadline)
			return -ETIMEDOUT;
		len = job->row_len - done < most ? job->row_len - done : most;
		dma_write_piece(job, src_off + done, dst_off + done, len);
	}
	return 0;
}

static int dma_run_rows(struct dma_job *job)
{
	const uint64_t deadline = now_ns() + MAX_RUN_NS;
	uint64_t src = job->src.rows.off, dst = job->dst.rows.off;
	uint32_t i;

	for (i = 0; i < job->nr_rows; i++) {
		if (now_ns() > deadline)
			return -ETIMEDOUT;
		if (job->src.buf)
			dma_read_row(job, src);
		if (job->dst.buf && dma_write_row(job, src, dst, deadline))
			return -ETIMEDOUT;
		src += (uint64_t)job->src.rows.pitch;
		dst += (uint64_t)job->dst.rows.pitch;
	}
	return 0;
}

static void dma_judge_rows(struct side *side,
			   void (*account)(struct line_buf *lines, u64 off,
					   u64 len, struct line_job *reported))
{
	/* A job without a delay accesses each line here, once. */
	struct line_job *reported = side->reported.map ? &side->reported : NULL;
	const uint64_t deadline = now_ns() + MAX_RUN_NS;
	const struct rows rows =
		rows_by_line(&side->rows, 1U << side->buf->lines.line_shift);
	uint64_t i, off = rows.off;

	for (i = 0; i < rows.nr; i++) {
		if (i % 1024 == 1023 && now_ns() > deadline)
			break;
		view_engine_access(side->buf, off, rows.len, reported, account);
		off += (uint64_t)rows.pitch;
	}
}

/* From now on the engine may access the lines of a side at any time. */
static void dma_start_side(const struct dma_job *job, struct side *side,
			   void (*account)(struct line_buf *lines, u64 off,
					   u64 len, struct line_job *reported))
{
	struct embedded_buf *buf = side->buf;

	if (!buf)
		return;
	pthread_mutex_lock(&buf->lock);
	buf->acting = job->acting;
	if (buf->has_two_views)
		dma_judge_rows(side, account);
	pthread_mutex_unlock(&buf->lock);
}

static void dma_judge(struct dma_job *job)
{
	dma_start_side(job, &job->src, line_engine_read);
	dma_start_side(job, &job->dst, line_engine_will_write);
}

static void dma_wait_until(uint64_t ns)
{
	const struct timespec at = {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at,
			       NULL) == EINTR)
		;
}

/* From now on, touches of the CPU are judged with regard to this job. */
static void side_begin(const struct side *side, bool is_write)
{
	struct embedded_buf *buf = side->buf;

	if (!buf)
		return;
	embedded_buf_get(buf);
	pthread_mutex_lock(&buf->lock);
	buf->nr_jobs++;
	if (is_write) {
		if (buf->has_two_views)
			view_begin_write(buf, side->lo, side->len);
		buf->nr_write_jobs++;
	}
	pthread_mutex_unlock(&buf->lock);
}

/* Ends the use of a buffer by a job; begins of brackets stop to wait. */
static void side_end(const struct side *side, bool is_write)
{
	struct embedded_buf *buf = side->buf;

	if (!buf)
		return;
	pthread_mutex_lock(&buf->lock);
	buf->nr_jobs--;
	if (is_write && !--buf->nr_write_jobs && buf->was_faulted) {
		buf->was_faulted = false;
		view_revoke(buf, 0, buf->nr_pages);
	}
	pthread_mutex_unlock(&buf->lock);
	done_add(&buf->nr_done);
	embedded_buf_put(buf);
}

static void job_free(struct dma_job *job)
{
	free(job->src.reported.map);
	free(job->dst.reported.map);
	free(job);
}

/* Drops the reference of the caller or the queue. The lock is held. */
static void job_put(struct dma_job *job)
{
	if (--job->nr_users)
		return;
	own_fd_close(&job->fence);
	job_free(job);
}

/* A system call: write() of libmem-trap is for calls of the application. */
static void dma_fence_signal(const struct dma_job *job)
{
	const uint64_t many = UINT64_MAX - 1;

	if (own_fd_is_open(&job->fence))
		syscall(SYS_write, job->fence.nr, &many, sizeof(many));
}

static struct traced dma_traced_of(const struct dma_job *job)
{
	const struct side *side = job->dst.buf ? &job->dst : &job->src;

	return (struct traced) {
		.op = job->op,
		.dst = job->dst.buf,
		.src = job->src.buf,
		.off = side->lo,
		.len = side->len,
		.bytes = job->row_len * job->nr_rows,
	};
}

static void job_run(struct dma_job *job)
{
	const struct traced what = dma_traced_of(job);

	struct mem_ctx *ctx = job->ctx;

	if (!job->is_started) {
		dma_judge(job);
		atomic_fetch_sub(&embedded_ctx_of(ctx)->nr_waiting, 1);
	}
	trace_job_begin(&job->acting, &what);
	if (job->delay_ns)
		dma_wait_until(now_ns() + job->delay_ns);
	job->status = dma_run_rows(job);
	trace_job_end(&job->acting, job->status);
	side_end(&job->dst, true);
	side_end(&job->src, false);
	atomic_fetch_sub(&embedded_ctx_of(ctx)->nr_jobs, 1);
	pthread_mutex_lock(&dma.lock);
	job->is_done = true;
	dma_fence_signal(job);
	job_put(job);
	pthread_mutex_unlock(&dma.lock);
	done_add(&dma.nr_done);
	ctx_put(ctx);
}

static void *dma_main(void *unused)
{
	struct dma_job *job;

	(void)unused;
	for (;;) {
		pthread_mutex_lock(&dma.lock);
		while (!(job = dma.first))
			pthread_cond_wait(&dma.has_work, &dma.lock);
		dma.first = job->next;
		if (!dma.first)
			dma.last = &dma.first;
		pthread_mutex_unlock(&dma.lock);
		job_run(job);
	}
	return NULL;
}

/* All signals are blocked, and remain blocked in the thread. */
static int dma_start(void)
{
	pthread_t thread;
	int err;

	if (dma.is_running)
		return 0;
	dma.last = &dma.first;
	err = pthread_create(&thread, NULL, dma_main, NULL);
	if (err)
		return err == EAGAIN ? -ENOMEM : -err;
	pthread_setname_np(thread, "libmem-dma");
	pthread_detach(thread);
	dma.is_running = true;
	return 0;
}

/* @size: raised to the size of the buffer */
static int side_bounds(struct side *side, uint64_t *size)
{
	if (!side->buf)
		return 0;
	if (side->buf->base.len > *size)
		*size = side->buf->base.len;
	return rows_bounds(&side->rows, side->buf->base.len, &side->lo,
			   &side->len);
}

static int job_check(struct dma_job *job)
{
	uint64_t size = 0;
	int err;

	if (!job->row_len || !job->nr_rows || job->delay_ns > MAX_DELAY_NS)
		return -EINVAL;
	err = side_bounds(&job->src, &size);
	if (!err)
		err = side_bounds(&job->dst, &size);
	if (!err && !rows_are_within_passes(&job->dst.rows, size, MAX_PASSES))
		err = -EINVAL;
	return err;
}

/* Returns true if no job prevents a writer, or a reader, of the buffer. */
static bool dma_is_idle(struct embedded_buf *buf, bool for_write)
{
	bool ret;

	pthread_mutex_lock(&buf->lock);
	ret = for_write ? !buf->nr_jobs : !buf->nr_write_jobs;
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

static struct embedded_buf *buf_or_null(struct mem_buf *buf)
{
	return buf ? embedded_buf_of(buf) : NULL;
}

static bool dma_has_room(struct embedded_ctx *ctx)
{
	if (atomic_fetch_add(&ctx->nr_jobs, 1) < MAX_JOBS)
		return true;
	atomic_fetch_sub(&ctx->nr_jobs, 1);
	return false;
}

/* Allocates the map of lines that are reported for a delayed job. */
static int side_get_reported(const struct dma_job *job, struct side *side)
{
	uint64_t *map;
	uint32_t shift;

	if (!side->buf || !side->buf->has_two_views || !job->delay_ns)
		return 0;
	shift = side->buf->lines.line_shift;
	map = calloc(line_job_words(side->lo, side->len, shift), sizeof(*map));
	if (!map)
		return -ENOMEM;
	line_job_init(&side->reported, map, side->lo, shift);
	return 0;
}

/*
 * Returns true if the job may start at once: if it does not have to wait for a
 * job on its buffers, nor for a job of the same context that waits in that way,
 * because the program knows the order of both. A program cannot rely on the
 * engine being busy with other jobs.
 */
static bool dma_is_next(const struct dma_job *job)
{
	const struct embedded_ctx *ctx = embedded_ctx_of(job->ctx);

	return !atomic_load(&ctx->nr_waiting) &&
	       (!job->dst.buf || dma_is_idle(job->dst.buf, true)) &&
	       (!job->src.buf || dma_is_idle(job->src.buf, false));
}

/* Cannot fail. */
static void job_queue(struct dma_job *job)
{
	const struct traced what = dma_traced_of(job);

	trace_submit(&job->acting, &what);
	ctx_get(job->ctx);
	job->is_started = dma_is_next(job);
	if (job->is_started)
		dma_judge(job);
	else
		atomic_fetch_add(&embedded_ctx_of(job->ctx)->nr_waiting, 1);
	side_begin(&job->src, false);
	side_begin(&job->dst, true);
	*dma.last = job;
	dma.last = &job->next;
	pthread_cond_signal(&dma.has_work);
}

/**
 * dma_submit() - submit a job
 * @base: context
 * @op: operation
 * @rows: rows of both sides
 * @made: out: the job, owned by the caller
 *
 * Return: 0, -EINVAL (the rows exceed a buffer, or there are none; the delay is
 * too long), -EPERM (a child of the process), -EBUSY (too many jobs are not
 * done), -ENOMEM.
 */
int dma_submit(struct mem_ctx *base, enum job_op op,
	       const struct mem_copy2d *rows, struct mem_job **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct dma_job *job;
	sigset_t old;
	int err;

	if (window_is_forked())
		return -EPERM;
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	*job = (struct dma_job) {
		.ctx = base,
		.acting = {
			.job = atomic_fetch_add(&ctx->nr_submitted, 1) + 1,
			.time_ns = now_ns(),
			.engine = "dma",
			.stack = record_stack(0),
		},
		.op = op,
		.pattern = rows->pattern,
		.row_len = rows->row_len,
		.nr_rows = rows->nr_rows,
		.delay_ns = rows->delay_ns,
		.src = { .buf = buf_or_null(rows->src),
			 .rows = { rows->src_off, rows->src_pitch,
				   rows->row_len, rows->nr_rows } },
		.dst = { .buf = buf_or_null(rows->dst),
			 .rows = { rows->dst_off, rows->dst_pitch,
				   rows->row_len, rows->nr_rows } },
		.nr_users = 2,
		.fence = OWN_FD_NONE,
		.result = op == JOB_CHECKSUM ? ROWS_CHECKSUM_BASIS : 0,
	};
	err = job_check(job);
	if (!err)
		err = side_get_reported(job, &job->src);
	if (!err)
		err = side_get_reported(job, &job->dst);
	if (!err && !dma_has_room(ctx))
		err = -EBUSY;
	if (err)
		goto err_free;
	dma_lock(&old);
	err = dma_start();
	if (!err)
		job_queue(job);
	dma_unlock(&old);
	if (err)
		goto err_room;
	*made = &job->base;
	return 0;

err_room:
	atomic_fetch_sub(&ctx->nr_jobs, 1);
err_free:
	job_free(job);
	return err;
}

/* Returns the time @ns from now, or the latest that can be represented. */
static uint64_t dma_time_after(uint64_t ns)
{
	const uint64_t now = now_ns();

	return ns < INT64_MAX - now ? now + ns : INT64_MAX;
}

/**
 * dma_wait_job() - wait for a job
 * @base: job
 * @timeout_ns: longest wait
 *
 * Return: 0; -ETIMEDOUT; or -EPERM in a child of the process.
 */
int dma_wait_job(struct mem_job *base, uint64_t timeout_ns)
{
	const uint64_t deadline = dma_time_after(timeout_ns);
	struct dma_job *job = job_of(base);
	unsigned int seen;
	sigset_t old;
	bool is_done;
	int err = 0;

	if (window_is_forked())
		return -EPERM;
	for (;;) {
		seen = atomic_load(&dma.nr_done);
		dma_lock(&old);
		is_done = job->is_done;
		dma_unlock(&old);
		if (is_done || err)
			break;
		err = done_wait(&dma.nr_done, seen, deadline);
	}
	if (!is_done)
		return err;
	base->status = job->status;
	base->result = job->result;
	return 0;
}

/**
 * dma_fence() - return a descriptor to poll for the end of a job
 * @base: job
 * @fd: out: an eventfd, owned by the caller
 *
 * Return: 0; -EMFILE; -ENFILE; -ENOMEM; -EPERM in a child of the process; or
 * -EBADF if the program has closed a descriptor of the library.
 */
int dma_fence(struct mem_job *base, int *fd)
{
	struct dma_job *job = job_of(base);
	int copy, err = 0;
	sigset_t old;

	if (window_is_forked())
		return -EPERM;
	dma_lock(&old);
	/* A counter that readers of a copy cannot bring to 0. */
	if (job->fence.nr < 0) {
		err = own_fd_take(&job->fence, eventfd(0, EFD_CLOEXEC |
							  EFD_SEMAPHORE |
							  EFD_NONBLOCK));
		if (job->is_done)
			dma_fence_signal(job);
	}
	if (!err && !own_fd_is_open(&job->fence))
		err = -EBADF;
	copy = err ? err : dup_cloexec(job->fence.nr);
	dma_unlock(&old);
	if (copy < 0)
		return copy;
	*fd = copy;
	return 0;
}

/**
 * dma_forget() - drop the reference of the caller
 * @base: job
 */
void dma_forget(struct mem_job *base)
{
	sigset_t old;

	if (window_is_forked()) {
		job_free(job_of(base));
		return;
	}
	dma_lock(&old);
	job_put(job_of(base));
	dma_unlock(&old);
}

/**
 * dma_wait_buf() - wait for the engine's jobs on a buffer
 * @buf: buffer
 * @for_write: also wait for jobs that read it
 * @timeout_ns: longest wait
 *
 * Context: takes the buffer's lock.
 * Return: 0 or -ETIMEDOUT.
 */
int dma_wait_buf(struct embedded_buf *buf, bool for_write,
		 uint64_t timeout_ns)
{
	const uint64_t deadline = dma_time_after(timeout_ns);
	unsigned int seen;
	bool is_ready;
	sigset_t old;
	int err = 0;

	for (;;) {
		seen = atomic_load(&buf->nr_done);
		signals_block(&old);
		is_ready = dma_is_idle(buf, for_write);
		signals_restore(&old);
		if (is_ready || err)
			return is_ready ? 0 : err;
		err = done_wait(&buf->nr_done, seen, deadline);
	}
}
