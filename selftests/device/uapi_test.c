// SPDX-License-Identifier: GPL-2.0-only
/* The layout of linux/heapsim.h: numbers that never change once released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"

#define SIZE_IS(type, nr) \
	static_assert(sizeof(struct type) == (nr) && \
		      sizeof(struct type) % 8 == 0 && \
		      offsetof(struct type, size) == 0, "size of " #type)
#define AT(type, field, nr) \
	static_assert(offsetof(struct type, field) == (nr), #type "." #field)

SIZE_IS(heapsim_probe, 80);
AT(heapsim_probe, abi_version, 4);
AT(heapsim_probe, features, 8);
AT(heapsim_probe, line_size, 16);
AT(heapsim_probe, fill_size, 20);
AT(heapsim_probe, page_size, 24);
AT(heapsim_probe, policy, 28);
AT(heapsim_probe, seed, 32);
AT(heapsim_probe, evict_random, 40);
AT(heapsim_probe, io_coherent, 44);
AT(heapsim_probe, soc, 48);

SIZE_IS(heapsim_info, 72);
AT(heapsim_info, flags, 4);
AT(heapsim_info, nr_bufs, 8);
AT(heapsim_info, buf_bytes, 16);
AT(heapsim_info, cpu_bytes, 24);
AT(heapsim_info, pool_bytes, 32);
AT(heapsim_info, nr_jobs, 40);
AT(heapsim_info, limit_bytes, 48);
AT(heapsim_info, user_limit_bytes, 56);
AT(heapsim_info, missing_ends, 64);

SIZE_IS(heapsim_buf_alloc, 80);
AT(heapsim_buf_alloc, fd_flags, 4);
AT(heapsim_buf_alloc, len, 8);
AT(heapsim_buf_alloc, kind, 16);
AT(heapsim_buf_alloc, fd, 20);
AT(heapsim_buf_alloc, id, 24);
AT(heapsim_buf_alloc, name, 32);
AT(heapsim_buf_alloc, attach, 64);
AT(heapsim_buf_alloc, alloc_flags, 68);
AT(heapsim_buf_alloc, view_fd, 72);
AT(heapsim_buf_alloc, reserved, 76);

static_assert(sizeof(struct heapsim_counters) == 17 * 8, "counters");
AT(heapsim_counters, fills, 0);
AT(heapsim_counters, lines_filled, 8);
AT(heapsim_counters, lines_cleaned, 16);
AT(heapsim_counters, lines_invalidated, 24);
AT(heapsim_counters, evictions, 32);
AT(heapsim_counters, redundant_cleans, 40);
AT(heapsim_counters, redundant_invalidates, 48);
AT(heapsim_counters, shared_lines, 56);
AT(heapsim_counters, stale_reads, 64);
AT(heapsim_counters, possible_stale_reads, 72);
AT(heapsim_counters, lost_device_writes, 80);
AT(heapsim_counters, lost_cpu_writes, 88);
AT(heapsim_counters, missing_cleans, 96);
AT(heapsim_counters, write_conflicts, 104);
AT(heapsim_counters, unbracketed_accesses, 112);
AT(heapsim_counters, missing_ends, 120);
AT(heapsim_counters, unmatched_ends, 128);

SIZE_IS(heapsim_buf_info, 232);
AT(heapsim_buf_info, fd, 4);
AT(heapsim_buf_info, id, 8);
AT(heapsim_buf_info, len, 16);
AT(heapsim_buf_info, kind, 24);
AT(heapsim_buf_info, has_two_views, 28);
AT(heapsim_buf_info, nr_holders, 32);
AT(heapsim_buf_info, reserved, 36);
AT(heapsim_buf_info, name, 40);
AT(heapsim_buf_info, count, 72);
AT(heapsim_buf_info, policy, 208);
AT(heapsim_buf_info, evict_random, 212);
AT(heapsim_buf_info, is_precise, 216);
AT(heapsim_buf_info, reserved2, 220);
AT(heapsim_buf_info, seed, 224);

static_assert(sizeof(struct heapsim_range) == 24, "range");
AT(heapsim_range, fd, 0);
AT(heapsim_range, op, 4);
AT(heapsim_range, off, 8);
AT(heapsim_range, len, 16);

SIZE_IS(heapsim_buf_maintain, 24);
AT(heapsim_buf_maintain, nr_ranges, 4);
AT(heapsim_buf_maintain, ranges, 8);
AT(heapsim_buf_maintain, nr_done, 16);
AT(heapsim_buf_maintain, reserved, 20);

SIZE_IS(heapsim_dma_submit, 96);
AT(heapsim_dma_submit, op, 4);
AT(heapsim_dma_submit, flags, 8);
AT(heapsim_dma_submit, src_fd, 12);
AT(heapsim_dma_submit, dst_fd, 16);
AT(heapsim_dma_submit, pattern, 20);
AT(heapsim_dma_submit, src_off, 24);
AT(heapsim_dma_submit, dst_off, 32);
AT(heapsim_dma_submit, src_pitch, 40);
AT(heapsim_dma_submit, dst_pitch, 48);
AT(heapsim_dma_submit, row_len, 56);
AT(heapsim_dma_submit, nr_rows, 64);
AT(heapsim_dma_submit, fence_fd, 68);
AT(heapsim_dma_submit, delay_ns, 72);
AT(heapsim_dma_submit, job, 80);
AT(heapsim_dma_submit, reserved, 88);

SIZE_IS(heapsim_job_wait, 40);
AT(heapsim_job_wait, flags, 4);
AT(heapsim_job_wait, job, 8);
AT(heapsim_job_wait, timeout_ns, 16);
AT(heapsim_job_wait, result, 24);
AT(heapsim_job_wait, status, 32);
AT(heapsim_job_wait, reserved, 36);

SIZE_IS(heapsim_fence_create, 32);
AT(heapsim_fence_create, flags, 4);
AT(heapsim_fence_create, fd, 8);
AT(heapsim_fence_create, fence_fd, 12);
AT(heapsim_fence_create, timeout_ns, 16);
AT(heapsim_fence_create, fence, 24);

SIZE_IS(heapsim_fence_signal, 16);
AT(heapsim_fence_signal, error, 4);
AT(heapsim_fence_signal, fence, 8);

SIZE_IS(heapsim_hold, 48);
AT(heapsim_hold, how, 4);
AT(heapsim_hold, fd, 8);
AT(heapsim_hold, dir, 12);
AT(heapsim_hold, hold, 16);
AT(heapsim_hold, nr_segments, 24);
AT(heapsim_hold, reserved, 28);
AT(heapsim_hold, sg_bytes, 32);
AT(heapsim_hold, max_segment, 40);

SIZE_IS(heapsim_release, 16);
AT(heapsim_release, flags, 4);
AT(heapsim_release, hold, 8);

SIZE_IS(heapsim_buf_revoke, 8);
AT(heapsim_buf_revoke, fd, 4);

SIZE_IS(heapsim_watch, 32);
AT(heapsim_watch, scope, 4);
AT(heapsim_watch, kinds, 8);
AT(heapsim_watch, nr_records, 16);
AT(heapsim_watch, record_size, 20);
AT(heapsim_watch, stack_signal, 24);
AT(heapsim_watch, reserved, 28);

static_assert(sizeof(struct heapsim_record_cpu) == 56, "size of a CPU side");
AT(heapsim_record_cpu, tid, 4);
AT(heapsim_record_cpu, comm, 8);
AT(heapsim_record_cpu, ip, 24);
AT(heapsim_record_cpu, addr, 32);
AT(heapsim_record_cpu, time_ns, 40);
AT(heapsim_record_cpu, is_write, 48);
AT(heapsim_record_cpu, reserved, 52);

static_assert(sizeof(struct heapsim_record_other) == 80, "size of another");
AT(heapsim_record_other, pid, 4);
AT(heapsim_record_other, comm, 8);
AT(heapsim_record_other, name, 24);
AT(heapsim_record_other, job, 56);
AT(heapsim_record_other, stream, 64);
AT(heapsim_record_other, time_ns, 72);

static_assert(sizeof(struct heapsim_record_attach) == 32, "size of an attach");
AT(heapsim_record_attach, by, 4);
AT(heapsim_record_attach, stream, 8);
AT(heapsim_record_attach, time_ns, 16);
AT(heapsim_record_attach, stack, 24);

SIZE_IS(heapsim_record, 432);
AT(heapsim_record, kind, 4);
AT(heapsim_record, missing, 8);
AT(heapsim_record, reserved, 12);
AT(heapsim_record, seq, 16);
AT(heapsim_record, time_ns, 24);
AT(heapsim_record, count, 32);
AT(heapsim_record, buf, 40);
AT(heapsim_record, off, 48);
AT(heapsim_record, len, 56);
AT(heapsim_record, name, 64);
AT(heapsim_record, cpu, 96);
AT(heapsim_record, other, 152);
AT(heapsim_record, cpu_stack, 232);
AT(heapsim_record, other_stack, 240);
AT(heapsim_record, bytes, 248);
AT(heapsim_record, access, 256);
AT(heapsim_record, op, 260);
AT(heapsim_record, src, 264);
AT(heapsim_record, status, 272);
AT(heapsim_record, attach, 276);
AT(heapsim_record, nr_harmless, 280);
AT(heapsim_record, attach_stream, 288);
AT(heapsim_record, kernel, 296);
AT(heapsim_record, attaches, 304);

SIZE_IS(heapsim_set_policy, 32);
AT(heapsim_set_policy, scope, 4);
AT(heapsim_set_policy, fd, 8);
AT(heapsim_set_policy, policy, 12);
AT(heapsim_set_policy, evict_random, 16);
AT(heapsim_set_policy, is_precise, 20);
AT(heapsim_set_policy, seed, 24);

SIZE_IS(heapsim_range_maintain, 32);
AT(heapsim_range_maintain, reserved, 4);
AT(heapsim_range_maintain, range, 8);

SIZE_IS(heapsim_buf_reopen, 16);
AT(heapsim_buf_reopen, fd_flags, 4);
AT(heapsim_buf_reopen, fd, 8);
AT(heapsim_buf_reopen, new_fd, 12);

SIZE_IS(heapsim_stream_id, 16);
AT(heapsim_stream_id, flags, 4);
AT(heapsim_stream_id, stream, 8);

SIZE_IS(heapsim_stream_state, 16);
AT(heapsim_stream_state, flags, 4);
AT(heapsim_stream_state, stream, 8);

SIZE_IS(heapsim_buf_attach, 40);
AT(heapsim_buf_attach, flags, 4);
AT(heapsim_buf_attach, buf, 8);
AT(heapsim_buf_attach, stream, 16);
AT(heapsim_buf_attach, blocker, 24);
AT(heapsim_buf_attach, attach, 32);
AT(heapsim_buf_attach, right, 36);

SIZE_IS(heapsim_work_add, 64);
AT(heapsim_work_add, flags, 4);
AT(heapsim_work_add, stream, 8);
AT(heapsim_work_add, work, 16);
AT(heapsim_work_add, kernel, 24);
AT(heapsim_work_add, name, 32);

static_assert(sizeof(struct heapsim_work_verdict) == 16, "verdict");
AT(heapsim_work_verdict, sees, 8);
AT(heapsim_work_verdict, reserved, 12);

SIZE_IS(heapsim_work_start, 32);
AT(heapsim_work_start, flags, 4);
AT(heapsim_work_start, work, 8);
AT(heapsim_work_start, verdicts, 16);
AT(heapsim_work_start, nr_verdicts, 24);
AT(heapsim_work_start, reserved, 28);

SIZE_IS(heapsim_work_finish, 16);
AT(heapsim_work_finish, flags, 4);
AT(heapsim_work_finish, work, 8);

SIZE_IS(heapsim_work_report, 24);
AT(heapsim_work_report, access, 4);
AT(heapsim_work_report, work, 8);
AT(heapsim_work_report, buf, 16);

SIZE_IS(heapsim_rights_info, 56);
AT(heapsim_rights_info, flags, 4);
AT(heapsim_rights_info, buf, 8);
AT(heapsim_rights_info, attach, 16);
AT(heapsim_rights_info, is_cpu_allowed, 20);
AT(heapsim_rights_info, attach_stream, 24);
AT(heapsim_rights_info, cpu_while_active, 32);
AT(heapsim_rights_info, engine_not_attached, 40);
AT(heapsim_rights_info, cpu_on_device, 48);

static_assert(sizeof(struct heapsim_uring_cmd) == 16, "room in an SQE");
AT(heapsim_uring_cmd, reserved, 8);

static_assert(HEAPSIM_IOC_PROBE == 0xe700, "probe");
static_assert(HEAPSIM_IOC_INFO == 0xe701, "info");
static_assert(HEAPSIM_IOC_BUF_ALLOC == 0xe702, "buf alloc");
static_assert(HEAPSIM_IOC_BUF_INFO == 0xe703, "buf info");
static_assert(HEAPSIM_IOC_BUF_MAINTAIN == 0xe704, "buf maintain");
static_assert(HEAPSIM_IOC_DMA_SUBMIT == 0xe705, "dma submit");
static_assert(HEAPSIM_IOC_JOB_WAIT == 0xe706, "job wait");
static_assert(HEAPSIM_IOC_FENCE_CREATE == 0xe707, "fence create");
static_assert(HEAPSIM_IOC_FENCE_SIGNAL == 0xe708, "fence signal");
static_assert(HEAPSIM_IOC_HOLD == 0xe709, "hold");
static_assert(HEAPSIM_IOC_RELEASE == 0xe70a, "release");
static_assert(HEAPSIM_IOC_BUF_REVOKE == 0xe70b, "buf revoke");
static_assert(HEAPSIM_IOC_WATCH == 0xe70c, "watch");
static_assert(HEAPSIM_IOC_POLICY == 0xe70d, "policy");
static_assert(HEAPSIM_IOC_RANGE_MAINTAIN == 0xe71e, "range maintain");
static_assert(HEAPSIM_IOC_BUF_REOPEN == 0xe71f, "buf reopen");
static_assert(HEAPSIM_IOC_STREAM_ADD == 0xe720, "stream add");
static_assert(HEAPSIM_IOC_STREAM_REMOVE == 0xe721, "stream remove");
static_assert(HEAPSIM_IOC_STREAM_STATE == 0xe722, "stream state");
static_assert(HEAPSIM_IOC_BUF_ATTACH == 0xe723, "buf attach");
static_assert(HEAPSIM_IOC_WORK_ADD == 0xe724, "work add");
static_assert(HEAPSIM_IOC_WORK_START == 0xe725, "work start");
static_assert(HEAPSIM_IOC_WORK_FINISH == 0xe726, "work finish");
static_assert(HEAPSIM_IOC_WORK_REPORT == 0xe727, "work report");
static_assert(HEAPSIM_IOC_RIGHTS_INFO == 0xe728, "rights info");

static_assert(HEAPSIM_KIND_SYSTEM == 0 && HEAPSIM_KIND_NONCOHERENT == 1 &&
	      HEAPSIM_KIND_COHERENT == 2 && HEAPSIM_KIND_UNCACHED == 3 &&
	      HEAPSIM_KIND_CONTIGUOUS == 4 && HEAPSIM_KIND_FOREIGN == 5 &&
	      HEAPSIM_KIND_MANAGED == 6 && HEAPSIM_KIND_DEVICE == 8,
	      "kinds");
static_assert(HEAPSIM_POLICY_STRICT == 0 && HEAPSIM_POLICY_RECORD == 1 &&
	      HEAPSIM_POLICY_OFF == 2, "policies");
static_assert(HEAPSIM_POLICY_OF_BUF == 1 && HEAPSIM_POLICY_OF_CONTEXT == 2 &&
	      HEAPSIM_POLICY_OF_TREE == 3 && HEAPSIM_POLICY_OF_ALL == 4,
	      "scopes of policies");
static_assert(HEAPSIM_RECORD_DROPPED == 0 && HEAPSIM_RECORD_STALE_READ == 1 &&
	      HEAPSIM_RECORD_UNMATCHED_END == 9 &&
	      HEAPSIM_RECORD_REDUNDANT_INVALIDATE == 12 &&
	      HEAPSIM_RECORD_CPU_ON_DEVICE == 15 &&
	      HEAPSIM_RECORD_UNENDED_READ == 16, "records");
static_assert(HEAPSIM_KINDS_ERRORS == 0xe3fe && HEAPSIM_KINDS_ALL == 0x1fffe &&
	      HEAPSIM_KINDS_STREAMS == 0xe000, "kinds of records");
static_assert(HEAPSIM_RECORD_FILL == 32 && HEAPSIM_RECORD_START == 36 &&
	      HEAPSIM_RECORD_SUBMIT == 38 && HEAPSIM_RECORD_RELEASE == 42 &&
	      HEAPSIM_KINDS_EVENTS == 0x7ff00000000ULL, "kinds of events");
static_assert(HEAPSIM_ACCESS_READ == 1 && HEAPSIM_ACCESS_WRITE == 2,
	      "accesses");
static_assert(HEAPSIM_MISSING_WAIT == 4 && HEAPSIM_OTHER_PROCESS == 5,
	      "sides of records");

union any {
	uint32_t size;
	struct heapsim_probe probe;
	struct heapsim_info info;
	struct heapsim_buf_alloc alloc;
	struct heapsim_buf_info buf_info;
	struct heapsim_buf_maintain maintain;
	struct heapsim_dma_submit submit;
	struct heapsim_job_wait wait;
	struct heapsim_fence_create create;
	struct heapsim_fence_signal signal;
	struct heapsim_hold hold;
	struct heapsim_release release;
	struct heapsim_buf_revoke revoke;
	struct heapsim_watch watch;
	struct heapsim_set_policy set_policy;
	struct heapsim_range_maintain range_maintain;
	struct heapsim_buf_reopen buf_reopen;
	struct heapsim_stream_id stream_id;
	struct heapsim_buf_attach buf_attach;
	struct heapsim_work_add work_add;
	struct heapsim_work_start work_start;
	struct heapsim_work_finish work_finish;
	struct heapsim_work_report work_report;
	uint8_t bytes[1024];
};

/*
 * The arguments of a command that succeeds on a new buffer; only the size is
 * not set.
 */
struct world {
	const struct command *command;
	int dev;
	int fd;
	int managed;
	bool is_watching;
	uint64_t last_id;	/* of a stream or work */
	struct heapsim_range range;
	union any any;
};

static void prepare_alloc(struct world *w)
{
	w->any.alloc.len = 4096;
	w->any.alloc.kind = HEAPSIM_KIND_COHERENT;
}

static void after_alloc(struct world *w)
{
	close(w->any.alloc.fd);
}

static void prepare_buf_info(struct world *w)
{
	w->any.buf_info.fd = w->fd;
}

static void prepare_maintain(struct world *w)
{
	w->range = (struct heapsim_range) {
		.fd = w->fd,
		.op = HEAPSIM_MAINT_CLEAN,
		.len = 64,
	};
	w->any.maintain.nr_ranges = 1;
	w->any.maintain.ranges = (uintptr_t)&w->range;
}

static void prepare_submit(struct world *w)
{
	w->any.submit.op = HEAPSIM_DMA_FILL;
	w->any.submit.src_fd = -1;
	w->any.submit.dst_fd = w->fd;
	w->any.submit.row_len = 64;
	w->any.submit.nr_rows = 1;
}

static void after_submit(struct world *w)
{
	struct heapsim_job_wait answer;

	close(w->any.submit.fence_fd);
	assert_int_equal(device_wait_errno(w->dev, w->any.submit.job,
					   10 * NSEC_PER_SEC, &answer), 0);
}

static void prepare_wait(struct world *w)
{
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = w->fd,
		.row_len = 64,
		.nr_rows = 1,
	};

	assert_int_equal(device_submit_errno(w->dev, &submit), 0);
	close(submit.fence_fd);
	w->any.wait.job = submit.job;
	w->any.wait.timeout_ns = 10 * NSEC_PER_SEC;
}

static void prepare_create(struct world *w)
{
	w->any.create.flags = HEAPSIM_FENCE_READ;
	w->any.create.fd = w->fd;
	w->any.create.timeout_ns = NSEC_PER_SEC;
}

static void after_create(struct world *w)
{
	close(w->any.create.fence_fd);
	device_fence_signal(w->dev, w->any.create.fence, 0);
}

static void prepare_signal(struct world *w)
{
	struct heapsim_fence_create create;

	assert_int_equal(device_fence_errno(w->dev, w->fd, HEAPSIM_FENCE_READ,
					    NSEC_PER_SEC, &create), 0);
	close(create.fence_fd);
	w->any.signal.fence = create.fence;
}

static void prepare_hold(struct world *w)
{
	w->any.hold.how = HEAPSIM_HOLD_MAP;
	w->any.hold.fd = w->fd;
}

static void after_hold(struct world *w)
{
	device_release(w->dev, w->any.hold.hold);
}

static void prepare_release(struct world *w)
{
	struct heapsim_hold hold;

	assert_int_equal(device_hold_errno(w->dev, w->fd, HEAPSIM_HOLD_MAP, 0,
					   &hold), 0);
	w->any.release.hold = hold.hold;
}

static void prepare_revoke(struct world *w)
{
	w->any.revoke.fd = w->fd;
	/* An open can watch only once, but several sizes are tried. */
	if (!w->is_watching)
		assert_int_equal(device_watch_errno(w->dev,
						    HEAPSIM_WATCH_PROCESS, 0,
						    1), 0);
	w->is_watching = true;
}

static void prepare_watch(struct world *w)
{
	w->any.watch.scope = HEAPSIM_WATCH_PROCESS;
	w->any.watch.kinds = HEAPSIM_KINDS_ALL;
	w->any.watch.nr_records = 1;
	w->any.watch.record_size = sizeof(struct heapsim_record);
}

static void prepare_policy(struct world *w)
{
	w->any.set_policy.scope = HEAPSIM_POLICY_OF_BUF;
	w->any.set_policy.fd = w->fd;
	w->any.set_policy.policy = HEAPSIM_POLICY_RECORD;
}

/* Runs a command that must precede the tested one. */
static void prepared(struct world *w, unsigned long cmd, void *arg)
{
	assert_int_equal(device_ioctl_errno(w->dev, cmd, arg), 0);
}

static uint64_t managed(struct world *w)
{
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.len = 4096,
		.kind = HEAPSIM_KIND_MANAGED,
		.attach = HEAPSIM_ATTACH_GLOBAL,
	};

	prepared(w, HEAPSIM_IOC_BUF_ALLOC, &alloc);
	if (w->managed > 0)
		close(w->managed);
	w->managed = alloc.fd;
	return alloc.id;
}

static void prepare_stream_add(struct world *w)
{
	w->any.stream_id.stream = ++w->last_id;
}

static void after_stream_add(struct world *w)
{
	struct heapsim_stream_id id = {
		.size = sizeof(id),
		.stream = w->any.stream_id.stream,
	};

	prepared(w, HEAPSIM_IOC_STREAM_REMOVE, &id);
}

static void prepare_stream_remove(struct world *w)
{
	struct heapsim_stream_id id = {
		.size = sizeof(id),
		.stream = ++w->last_id,
	};

	prepared(w, HEAPSIM_IOC_STREAM_ADD, &id);
	w->any.stream_id.stream = id.stream;
}

static void prepare_buf_attach(struct world *w)
{
	w->any.buf_attach.buf = managed(w);
}

static void prepare_work_add(struct world *w)
{
	w->any.work_add.work = ++w->last_id;
}

static void run_started(struct world *w, uint64_t work)
{
	struct heapsim_work_start start = {
		.size = sizeof(start),
		.work = work,
	};

	prepared(w, HEAPSIM_IOC_WORK_START, &start);
}

static void after_work_add(struct world *w)
{
	struct heapsim_work_finish finish = {
		.size = sizeof(finish),
		.work = w->any.work_add.work,
	};

	run_started(w, finish.work);
	prepared(w, HEAPSIM_IOC_WORK_FINISH, &finish);
}

static uint64_t add_work(struct world *w)
{
	struct heapsim_work_add add = {
		.size = sizeof(add),
		.work = ++w->last_id,
	};

	prepared(w, HEAPSIM_IOC_WORK_ADD, &add);
	return add.work;
}

static void prepare_work_start(struct world *w)
{
	w->any.work_start.work = add_work(w);
}

static void prepare_work_finish(struct world *w)
{
	w->any.work_finish.work = add_work(w);
	run_started(w, w->any.work_finish.work);
}

static void prepare_work_report(struct world *w)
{
	w->any.work_report.access = HEAPSIM_ACCESS_READ;
	w->any.work_report.work = add_work(w);
	w->any.work_report.buf = managed(w);
}

static void prepare_range(struct world *w)
{
	w->any.range_maintain.range = (struct heapsim_range) {
		.fd = w->fd,
		.op = HEAPSIM_MAINT_CLEAN,
		.len = 64,
	};
}

static void prepare_reopen(struct world *w)
{
	w->any.buf_reopen.fd = w->fd;
}

static void after_reopen(struct world *w)
{
	close(w->any.buf_reopen.new_fd);
	w->any.buf_reopen.new_fd = 0;
}

/* An open can watch only once. */
static void after_watch(struct world *w)
{
	close(w->dev);
	w->dev = device_open();
}

/*
 * All commands. @first_size is the size of the struct in its first release.
 * @prepare sets the arguments, and @after reverts the call; either may be NULL.
 */
static const struct command {
	const char *name;
	unsigned long cmd;
	size_t first_size;
	size_t size;
	void (*prepare)(struct world *w);
	void (*after)(struct world *w);
} commands[] = {
#define COMMAND(ioc, type, first_size, prepare, after) \
	{ #ioc, HEAPSIM_IOC_##ioc, first_size, \
	  sizeof(struct heapsim_##type), prepare, after }
	COMMAND(PROBE, probe, 80, NULL, NULL),
	COMMAND(INFO, info, 64, NULL, NULL),
	COMMAND(BUF_ALLOC, buf_alloc, 64, prepare_alloc, after_alloc),
	COMMAND(BUF_INFO, buf_info, 208, prepare_buf_info, NULL),
	COMMAND(BUF_MAINTAIN, buf_maintain, 24, prepare_maintain, NULL),
	COMMAND(DMA_SUBMIT, dma_submit, 96, prepare_submit, after_submit),
	COMMAND(JOB_WAIT, job_wait, 40, prepare_wait, NULL),
	COMMAND(FENCE_CREATE, fence_create, 32, prepare_create, after_create),
	COMMAND(FENCE_SIGNAL, fence_signal, 16, prepare_signal, NULL),
	COMMAND(HOLD, hold, 48, prepare_hold, after_hold),
	COMMAND(RELEASE, release, 16, prepare_release, NULL),
	COMMAND(BUF_REVOKE, buf_revoke, 8, prepare_revoke, NULL),
	COMMAND(WATCH, watch, 24, prepare_watch, after_watch),
	COMMAND(POLICY, set_policy, 32, prepare_policy, NULL),
	COMMAND(RANGE_MAINTAIN, range_maintain, 32, prepare_range, NULL),
	COMMAND(BUF_REOPEN, buf_reopen, 16, prepare_reopen, after_reopen),
	COMMAND(STREAM_ADD, stream_id, 16, prepare_stream_add,
		after_stream_add),
	COMMAND(STREAM_REMOVE, stream_id, 16, prepare_stream_remove, NULL),
	COMMAND(STREAM_STATE, stream_state, 16, NULL, NULL),
	COMMAND(BUF_ATTACH, buf_attach, 40, prepare_buf_attach, NULL),
	COMMAND(WORK_ADD, work_add, 64, prepare_work_add, after_work_add),
	COMMAND(WORK_START, work_start, 32, prepare_work_start, NULL),
	COMMAND(WORK_FINISH, work_finish, 16, prepare_work_finish, NULL),
	COMMAND(WORK_REPORT, work_report, 24, prepare_work_report, NULL),
	COMMAND(RIGHTS_INFO, rights_info, 56, NULL, NULL),
};

#define NR_COMMANDS	(ARRAY_SIZE(commands))

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->command = *state;
	w->dev = device_open();
	w->fd = device_alloc(w->dev, HEAPSIM_KIND_NONCOHERENT, 4096);
	if (w->command->prepare)
		w->command->prepare(w);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	close(w->fd);
	close(w->dev);
	if (w->managed > 0)
		close(w->managed);
	free(w);
	return 0;
}

static int call(struct world *w, size_t size)
{
	w->any.size = size;
	return device_ioctl_errno(w->dev, w->command->cmd, &w->any);
}

static void call_succeeds(struct world *w, size_t size)
{
	assert_int_equal(call(w, size), 0);
	if (w->command->after)
		w->command->after(w);
}

static void size_below_the_first_is_einval(void **state)
{
	struct world *w = *state;
	size_t size;

	for (size = 0; size < w->command->first_size; size++)
		assert_int_equal(call(w, size), -EINVAL);
	/* The refused calls changed nothing, so a right one succeeds. */
	call_succeeds(w, w->command->size);
}

static void bigger_size_with_a_zero_tail_is_taken(void **state)
{
	struct world *w = *state;
	const struct command *command = w->command;
	size_t more;

	for (more = 1; more <= 512; more += 73) {
		memset(&w->any, 0, sizeof(w->any));
		if (command->prepare)
			command->prepare(w);
		call_succeeds(w, command->size + more);
		assert_true(device_is_filled(w->any.bytes + command->size, 0,
					     more));
	}
}

static void bigger_size_with_another_tail_is_e2big(void **state)
{
	struct world *w = *state;
	const size_t size = w->command->size;
	size_t more;

	for (more = 1; more <= 512; more += 73) {
		w->any.bytes[size + more - 1] = 1;
		assert_int_equal(call(w, size + more), -E2BIG);
		w->any.bytes[size + more - 1] = 0;
	}
	call_succeeds(w, size);
}

/*
 * Programs built before the struct grew pass the first size, and programs older
 * than the module may pass any size from there on.
 */
static void answers_are_cut_to_every_size(void **state)
{
	struct world *w = *state;
	const struct command *command = w->command;
	size_t size;

	for (size = command->first_size; size <= command->size; size += 4) {
		memset(&w->any, 0, sizeof(w->any));
		if (command->prepare)
			command->prepare(w);
		memset(w->any.bytes + size, 0xa5, 512);
		call_succeeds(w, size);
		assert_true(device_is_filled(w->any.bytes + size, 0xa5, 512));
	}
}

static void bad_pointer_is_efault(void **state)
{
	struct world *w = *state;

	assert_int_equal(device_ioctl_errno(w->dev, w->command->cmd, NULL),
			 -EFAULT);
	call_succeeds(w, w->command->size);
}

static void a_tail_is_looked_at_before_the_contents(void **state)
{
	struct world *w = *state;
	const size_t size = w->command->size;

	memset(w->any.bytes, 0xff, size + 8);
	assert_int_equal(call(w, size + 8), -E2BIG);
}

static void probe_tells_the_size_that_the_kernel_knows(void **state)
{
	union any any = { .size = sizeof(struct heapsim_probe) + 64 };
	int dev = device_open();

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_PROBE, &any), 0);
	assert_int_equal(any.size, sizeof(struct heapsim_probe));
	assert_int_equal(any.probe.abi_version, HEAPSIM_ABI_VERSION);
	close(dev);
}

static const struct {
	const char *name;
	CMUnitTestFunction fn;
} tests[] = {
#define TEST(fn) { #fn, fn }
	TEST(size_below_the_first_is_einval),
	TEST(bigger_size_with_a_zero_tail_is_taken),
	TEST(bigger_size_with_another_tail_is_e2big),
	TEST(answers_are_cut_to_every_size),
	TEST(bad_pointer_is_efault),
	TEST(a_tail_is_looked_at_before_the_contents),
};

#define NR_TESTS	(ARRAY_SIZE(tests))

int main(void)
{
	static struct CMUnitTest list[1 + NR_COMMANDS * NR_TESTS];
	static char names[NR_COMMANDS * NR_TESTS][96];
	size_t i, k, nr = 0;

	list[nr++] = (struct CMUnitTest) {
		.name = "probe_tells_the_size_that_the_kernel_knows",
		.test_func = probe_tells_the_size_that_the_kernel_knows,
	};
	for (i = 0; i < NR_COMMANDS; i++)
		for (k = 0; k < NR_TESTS; k++) {
			char *name = names[i * NR_TESTS + k];

			snprintf(name, sizeof(names[0]), "%s: %s",
				 commands[i].name, tests[k].name);
			list[nr++] = (struct CMUnitTest) {
				.name = name,
				.test_func = tests[k].fn,
				.setup_func = setup,
				.teardown_func = teardown,
				.initial_state = (void *)&commands[i],
			};
		}
	return _cmocka_run_group_tests("uapi", list, nr, NULL, NULL);
}
