// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events for `heapsim run --trace`, in the module's format (struct
 * heapsim_record). Without a trace nothing is recorded. A buffer is locked
 * while events of its lines are recorded.
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include <linux/heapsim.h>

#include "../record/tables.h"
#include "embedded.h"

static struct heapsim_record trace_event_of(const struct embedded_buf *buf,
					    uint32_t kind, uint64_t begin_ns)
{
	struct heapsim_record r = {
		.kind = kind,
		.time_ns = now_ns(),
		.count = 1,
		.buf = buf->id,
		.len = buf->base.len,
		.cpu.time_ns = begin_ns,
	};

	memcpy(r.name, buf->name, sizeof(r.name));
	return r;
}

static uint32_t trace_access_of(bool is_write)
{
	return is_write ? HEAPSIM_ACCESS_WRITE : HEAPSIM_ACCESS_READ;
}

/**
 * trace_touch() - record a touch of the CPU that was detected
 * @buf: buffer, locked
 * @touch: touch
 * @nr_filled: lines of the fill granule that it filled
 */
void trace_touch(const struct embedded_buf *buf, const struct touch *touch,
		 uint64_t nr_filled)
{
	struct heapsim_record r;

	if (!record_is_traced())
		return;
	r = trace_event_of(buf, nr_filled ? HEAPSIM_RECORD_FILL : RECORD_TOUCH,
			   now_ns());
	r.count = nr_filled;
	r.off = touch->off;
	r.len = 1;
	if (nr_filled) {
		r.off -= r.off % buf->fill;
		r.len = buf->base.len - r.off < buf->fill ?
			buf->base.len - r.off : buf->fill;
	}
	r.access = trace_access_of(touch->is_write);
	r.cpu.ip = touch->ip;
	r.cpu.addr = (uintptr_t)buf->addr + touch->off;
	r.cpu.is_write = touch->is_write;
	record_add_event(&r, NULL);
}

/**
 * trace_random() - record lines that were fetched or evicted at random
 * @buf: buffer, locked
 * @off: first byte
 * @len: bytes
 * @nr_filled: lines that were fetched; 0: a line was evicted
 */
void trace_random(const struct embedded_buf *buf, uint64_t off, uint64_t len,
		  uint64_t nr_filled)
{
	struct heapsim_record r;

	if (!record_is_traced())
		return;
	r = trace_event_of(buf, nr_filled ? HEAPSIM_RECORD_FILL :
				      HEAPSIM_RECORD_EVICT, now_ns());
	r.count = nr_filled ? nr_filled : 1;
	r.off = off;
	r.len = len;
	record_add_event(&r, NULL);
}

/**
 * trace_maintain() - record maintenance that the calling thread did or caused
 * @buf: buffer, locked
 * @op: its range
 * @is_clean: it was a clean, else an invalidate
 * @nr_lines: lines that were written back or dropped
 * @begin_ns: from record_begin()
 */
void trace_maintain(const struct embedded_buf *buf, const struct line_op *op,
		    bool is_clean, uint64_t nr_lines, uint64_t begin_ns)
{
	struct heapsim_record r;

	if (!begin_ns)
		return;
	r = trace_event_of(buf, is_clean ? HEAPSIM_RECORD_CLEAN :
				     HEAPSIM_RECORD_INVALIDATE, begin_ns);
	r.off = op->off;
	r.len = op->end - op->off;
	r.count = nr_lines;
	record_add_event(&r, NULL);
}

/**
 * trace_bracket() - record the begin or end of a bracket
 * @buf: buffer
 * @is_begin: it is a begin
 * @access: MEM_READ, MEM_WRITE
 * @begin_ns: from record_begin(); 0 traces nothing
 */
void trace_bracket(const struct embedded_buf *buf, bool is_begin,
		   unsigned int access, uint64_t begin_ns)
{
	struct heapsim_record r;

	if (!begin_ns)
		return;
	r = trace_event_of(buf,
			   is_begin ? HEAPSIM_RECORD_START : HEAPSIM_RECORD_END,
			   begin_ns);
	r.access = (access & MEM_READ ? HEAPSIM_ACCESS_READ : 0) |
		   (access & MEM_WRITE ? HEAPSIM_ACCESS_WRITE : 0);
	r.cpu.is_write = !!(access & MEM_WRITE);
	record_add_event(&r, NULL);
}

static struct heapsim_record job_of(const struct acting *acting, uint32_t kind,
				    const struct traced *what)
{
	static const uint32_t ops[] = {
		[JOB_FILL] = HEAPSIM_DMA_FILL,
		[JOB_COPY] = HEAPSIM_DMA_COPY,
		[JOB_CHECKSUM] = HEAPSIM_DMA_CHECKSUM,
	};
	const struct embedded_buf *buf = NULL;
	struct heapsim_record r = { 0 };

	if (what)
		buf = what->dst ? what->dst : what->src;
	if (buf)
		r = trace_event_of(buf, kind, 0);
	r.kind = kind;
	r.time_ns = now_ns();
	r.count = 1;
	r.other.type = HEAPSIM_OTHER_ENGINE;
	r.other.job = acting->job;
	r.other.stream = acting->stream;
	r.other.time_ns = acting->time_ns;
	strcpy(r.other.name, acting->engine);
	if (!what)
		return r;
	r.op = ops[what->op];
	r.off = what->off;
	r.len = what->len;
	r.bytes = what->bytes;
	r.access = buf ? trace_access_of(buf == what->dst) : 0;
	if (what->op == JOB_COPY && what->src)
		r.src = what->src->id;
	return r;
}

/**
 * trace_submit() - record that the calling thread submits a job
 * @acting: job
 * @what: what it does; NULL: it is a kernel, or unknown yet
 */
void trace_submit(const struct acting *acting, const struct traced *what)
{
	const struct record_job job = { .kernel = acting->kernel };
	struct heapsim_record r;

	if (!record_is_traced())
		return;
	r = job_of(acting, HEAPSIM_RECORD_SUBMIT, what);
	r.cpu.time_ns = acting->time_ns;
	record_add_event(&r, &job);
}

/**
 * trace_job_begin() - record that the calling thread begins to run a job
 * @acting: job
 * @what: what it does; NULL: it is a kernel
 */
void trace_job_begin(const struct acting *acting, const struct traced *what)
{
	const struct record_job job = {
		.kernel = acting->kernel,
		.thread = gettid(),
	};
	struct heapsim_record r;

	if (!record_is_traced())
		return;
	r = job_of(acting, HEAPSIM_RECORD_JOB_BEGIN, what);
	record_add_event(&r, &job);
}

/**
 * trace_job_end() - record the end of a job
 * @acting: job
 * @status: 0 or -errno
 *
 * Context: the thread that plays the engine.
 */
void trace_job_end(const struct acting *acting, int status)
{
	const struct record_job job = { .thread = gettid() };
	struct heapsim_record r;

	if (!record_is_traced())
		return;
	r = job_of(acting, HEAPSIM_RECORD_JOB_END, NULL);
	r.status = status;
	record_add_event(&r, &job);
}
