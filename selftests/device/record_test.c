// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests records: each kind of mistake is reported, with both sides, to those
 * who watch and to nobody else; repeated records are folded, dropped ones are
 * reported, and nothing else is lost. The same rules hold for events, which
 * only those get who ask for them.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "rights.h"
#include "../nobody.h"

#define NAME		DEVICE_BUF_NAME
#define NR_PAGES	8
#define FIRST_RECORD_SIZE	232	/* size in the first version */

static int watch_open(uint32_t scope, uint64_t kinds, uint32_t nr)
{
	int dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);

	assert_true(dev >= 0);
	assert_int_equal(device_watch_errno(dev, scope, kinds, nr), 0);
	return dev;
}

static int setup(void **state)
{
	struct fixture *f = fixture_create();

	fixture_alloc(f, HEAPSIM_KIND_NONCOHERENT, NR_PAGES * f->page);
	f->watch = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_ALL, 64);
	*state = f;
	return 0;
}

static void assert_none(int watch)
{
	struct heapsim_record r;

	if (record_next(watch, &r))
		fail_msg("a record of kind %u, off %llu, len %llu", r.kind,
			 r.off, r.len);
}

/* Reads a record of this kind, which must be the only one. */
static struct heapsim_record only(struct fixture *f, uint32_t kind)
{
	struct heapsim_record r;

	if (!record_next(f->watch, &r))
		fail_msg("no record");
	assert_int_equal(r.kind, kind);
	assert_int_equal(r.buf, f->id);
	assert_string_equal(r.name, NAME);
	assert_int_equal(r.reserved, 0);
	assert_true(r.time_ns && r.time_ns <= device_now_ns());
	assert_none(f->watch);
	return r;
}

/* Accesses are in a section of their own, to recognize them by address. */
__attribute__((noinline, section("touches")))
static uint8_t read_at(const uint8_t *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

__attribute__((noinline, section("touches")))
static void write_at(uint8_t *at, uint8_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

extern const char __start_touches[], __stop_touches[];

static void assert_in_touches(uint64_t ip)
{
	assert_in_range(ip, (uintptr_t)__start_touches,
			(uintptr_t)__stop_touches - 1);
}

static void assert_comm_is_ours(const char *comm)
{
	char ours[16];

	prctl(PR_GET_NAME, ours);
	assert_string_equal(comm, ours);
}

static void assert_touch(const struct heapsim_record_cpu *cpu, const void *at,
			 bool is_write)
{
	assert_int_equal(cpu->pid, getpid());
	assert_int_equal(cpu->tid, gettid());
	assert_comm_is_ours(cpu->comm);
	assert_in_touches(cpu->ip);
	assert_int_equal(cpu->addr, (uintptr_t)at);
	assert_int_equal(cpu->is_write, is_write);
	assert_true(cpu->time_ns && cpu->time_ns <= device_now_ns());
	assert_int_equal(cpu->reserved, 0);
}

static void assert_engine(const struct heapsim_record_other *other)
{
	assert_int_equal(other->type, HEAPSIM_OTHER_ENGINE);
	assert_string_equal(other->name, "dma");
	assert_int_equal(other->pid, getpid());
	assert_comm_is_ours(other->comm);
	assert_true(other->job > 0);
	assert_int_equal(other->stream, 0);
	assert_true(other->time_ns && other->time_ns <= device_now_ns());
}

static void stale_read_is_reported(void **state)
{
	struct fixture *f = *state;
	uint8_t *at = f->map + f->page + f->line + 5;
	struct heapsim_record r;

	read_at(at);
	device_fill(f->dev, f->fd, 0, f->len, 0x11111111);
	assert_none(f->watch);
	device_revoke(f->dev, f->fd);
	assert_int_equal(read_at(at), 0);
	r = only(f, HEAPSIM_RECORD_STALE_READ);
	assert_int_equal(r.missing, HEAPSIM_MISSING_START_READ);
	assert_int_equal(r.off, f->page + f->line + 5);
	assert_int_equal(r.len, f->line - 5);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.seq, 1);
	assert_touch(&r.cpu, at, false);
	assert_engine(&r.other);
	assert_true(r.other.time_ns < r.cpu.time_ns);
}

static void possible_stale_read_is_reported(void **state)
{
	struct fixture *f = *state;

	device_fill(f->dev, f->fd, 0, f->len, 0x22222222);
	assert_int_equal(read_at(f->map), 0x22);
	struct heapsim_record r = only(f, HEAPSIM_RECORD_POSSIBLE_STALE_READ);

	assert_touch(&r.cpu, f->map, false);
	assert_engine(&r.other);
	/* Only the first read since the engine's write is reported. */
	device_revoke(f->dev, f->fd);
	read_at(f->map);
	assert_none(f->watch);
}

static void lost_device_write_is_reported(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;

	device_sync(f->fd, SYNC_START_WRITE);
	read_at(f->map);
	device_fill(f->dev, f->fd, 0, f->line, 0x33333333);
	write_at(f->map + 7, 1);
	assert_none(f->watch);
	device_sync(f->fd, SYNC_END_WRITE);
	r = only(f, HEAPSIM_RECORD_LOST_DEVICE_WRITE);
	assert_int_equal(r.missing, HEAPSIM_MISSING_START_READ);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.len, f->line);
	assert_touch(&r.cpu, f->map + 7, true);
	assert_engine(&r.other);
}

static void lost_cpu_write_is_reported(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;

	write_at(f->map + f->page, 1);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 0, f->len);
	r = only(f, HEAPSIM_RECORD_LOST_CPU_WRITE);
	assert_int_equal(r.missing, HEAPSIM_MISSING_END);
	assert_int_equal(r.off, f->page);
	assert_int_equal(r.len, f->line);
	assert_touch(&r.cpu, f->map + f->page, true);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_PROCESS);
	assert_string_equal(r.other.name, "invalidate");
	assert_int_equal(r.other.pid, getpid());
}

static void missing_clean_is_reported(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;

	write_at(f->map + f->page, 1);
	device_checksum(f->dev, f->fd, 0, f->len);
	r = only(f, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_int_equal(r.missing, HEAPSIM_MISSING_END);
	assert_int_equal(r.off, f->page);
	assert_int_equal(r.len, f->line);
	assert_int_equal(r.count, 1);
	assert_touch(&r.cpu, f->map + f->page, true);
	assert_engine(&r.other);
	assert_true(r.cpu.time_ns < r.other.time_ns);
}

static void write_conflict_is_reported(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;

	write_at(f->map, 1);
	device_fill(f->dev, f->fd, 0, f->line, 0);
	r = only(f, HEAPSIM_RECORD_WRITE_CONFLICT);
	assert_int_equal(r.missing, HEAPSIM_MISSING_END);
	assert_int_equal(r.off, 0);
	assert_touch(&r.cpu, f->map, true);
	assert_engine(&r.other);
}

/* How long a job runs, so that a test can act meanwhile */
#define RUN_NS	(500 * NSEC_PER_MSEC)

static uint64_t start_job(struct fixture *f, struct heapsim_dma_submit submit)
{
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	close(submit.fence_fd);
	return submit.job;
}

static uint64_t start_checksum(struct fixture *f, uint64_t off, uint64_t len)
{
	return start_job(f, (struct heapsim_dma_submit) {
		.op = HEAPSIM_DMA_CHECKSUM,
		.src_fd = f->fd,
		.dst_fd = -1,
		.src_off = off,
		.row_len = len,
		.nr_rows = 1,
		.delay_ns = RUN_NS,
	});
}

/* Starts a copy from the buffer to @fd. */
static uint64_t start_copy(struct fixture *f, int fd)
{
	return start_job(f, (struct heapsim_dma_submit) {
		.op = HEAPSIM_DMA_COPY,
		.src_fd = f->fd,
		.dst_fd = fd,
		.row_len = f->len,
		.nr_rows = 1,
		.delay_ns = RUN_NS,
	});
}

static struct heapsim_job_wait wait_for_job(struct fixture *f, uint64_t job)
{
	struct heapsim_job_wait wait;

	assert_int_equal(device_wait_errno(f->dev, job, DEVICE_HANGS_NS,
					   &wait), 0);
	assert_int_equal(wait.status, 0);
	return wait;
}

/* A clean must precede the submission, after which the engine may read. */
static void clean_while_a_job_runs_is_too_late(void **state)
{
	struct fixture *f = *state;
	uint8_t *want = calloc(1, f->len);
	struct heapsim_record r;
	uint64_t job;

	device_sync(f->fd, SYNC_START_WRITE);
	write_at(f->map + f->page, 1);
	job = start_checksum(f, 0, f->len);
	/* The submission itself reported the record. */
	r = only(f, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_int_equal(r.missing, HEAPSIM_MISSING_END);
	assert_int_equal(r.off, f->page);
	assert_int_equal(r.len, f->line);
	assert_int_equal(r.count, 1);
	assert_touch(&r.cpu, f->map + f->page, true);
	assert_engine(&r.other);
	assert_int_equal(r.other.job, job);
	device_sync(f->fd, SYNC_END_WRITE);
	want[f->page] = 1;
	assert_int_equal(wait_for_job(f, job).result,
			 fnv1a(want, f->len));
	assert_none(f->watch);
	free(want);
}

static void job_tells_a_line_once(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	uint64_t job;

	write_at(f->map + f->page, 1);
	job = start_checksum(f, 0, f->len);
	r = only(f, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_int_equal(r.off, f->page);
	/* A store while the job runs is forbidden by the job's fence, too. */
	write_at(f->map + 3 * f->page, 1);
	only(f, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	wait_for_job(f, job);
	r = only(f, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_int_equal(r.off, 3 * f->page);
	assert_int_equal(r.len, f->line);
	assert_int_equal(r.count, 1);
	assert_int_equal(device_count(f->dev, f->fd).missing_cleans, 2);
}

/* The job reads every other line, backwards; lines between do not count. */
static void rows_of_a_job_are_reported_alone(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	uint64_t job;

	write_at(f->map + f->line, 1);
	write_at(f->map + 2 * f->line, 1);
	job = start_job(f, (struct heapsim_dma_submit) {
		.op = HEAPSIM_DMA_CHECKSUM,
		.src_fd = f->fd,
		.dst_fd = -1,
		.src_off = 4 * f->line,
		.src_pitch = -2 * (int64_t)f->line,
		.row_len = f->line,
		.nr_rows = 3,
		.delay_ns = RUN_NS,
	});
	r = only(f, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_int_equal(r.off, 2 * f->line);
	assert_int_equal(r.count, 1);
	wait_for_job(f, job);
	assert_none(f->watch);
}

static void clean_while_a_job_writes_is_too_late(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	uint64_t job;

	write_at(f->map + f->page, 1);
	job = start_job(f, (struct heapsim_dma_submit) {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.pattern = 0x44444444,
		.row_len = f->len,
		.nr_rows = 1,
		.delay_ns = RUN_NS,
	});
	r = only(f, HEAPSIM_RECORD_WRITE_CONFLICT);
	assert_int_equal(r.off, f->page);
	assert_int_equal(r.len, f->line);
	assert_touch(&r.cpu, f->map + f->page, true);
	assert_engine(&r.other);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN, 0, f->len);
	wait_for_job(f, job);
	assert_none(f->watch);
	device_sync(f->fd, SYNC_START_READ);
	assert_true(device_is_filled(f->map, 0x44, f->len));
	device_sync(f->fd, SYNC_END_READ);
	assert_none(f->watch);
}

/* An invalidate while the engine may still write is too early. */
static void invalidate_while_a_job_writes_is_too_early(void **state)
{
	struct fixture *f = *state;
	uint64_t job;

	read_at(f->map);
	job = start_job(f, (struct heapsim_dma_submit) {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.pattern = 0x45454545,
		.row_len = f->len,
		.nr_rows = 1,
		.delay_ns = RUN_NS,
	});
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 0, f->len);
	wait_for_job(f, job);
	assert_none(f->watch);
	assert_int_equal(read_at(f->map), 0x45);
	only(f, HEAPSIM_RECORD_POSSIBLE_STALE_READ);
}

/* A job reads and overwrites lines of one buffer, and both are reported. */
static void job_in_place_tells_of_both_sides(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	uint64_t job;

	write_at(f->map, 1);
	job = start_copy(f, f->fd);
	assert_true(record_next(f->watch, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_MISSING_CLEAN);
	r = only(f, HEAPSIM_RECORD_WRITE_CONFLICT);
	wait_for_job(f, job);
	assert_none(f->watch);
}

/* A job that waits for a fence has not started, so END is in time. */
static void clean_before_the_fence_of_a_job_is_in_time(void **state)
{
	struct fixture *f = *state;
	int dst = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, f->len);
	struct heapsim_fence_create fence;
	uint64_t job, next_job;
	uint8_t *dram;

	assert_int_equal(device_fence_errno(f->dev, dst, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &fence), 0);
	device_sync(f->fd, SYNC_START_WRITE);
	write_at(f->map + f->page, 1);
	job = start_copy(f, dst);
	/* The next job waits for this one, and has not started either. */
	next_job = start_checksum(f, 0, f->len);
	device_sleep_ns(50 * NSEC_PER_MSEC);
	device_sync(f->fd, SYNC_END_WRITE);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	wait_for_job(f, job);
	wait_for_job(f, next_job);
	assert_none(f->watch);
	dram = device_dram(f->dev, dst, f->len);
	assert_int_equal(dram[f->page], 1);
	free(dram);
	close(dst);
}

static void clean_after_the_fence_of_a_job_is_too_late(void **state)
{
	struct fixture *f = *state;
	int dst = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, f->len);
	struct heapsim_fence_create fence;
	uint64_t job;

	assert_int_equal(device_fence_errno(f->dev, dst, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &fence), 0);
	device_sync(f->fd, SYNC_START_WRITE);
	write_at(f->map + f->page, 1);
	job = start_copy(f, dst);
	assert_none(f->watch);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	while (!device_count(f->dev, f->fd).missing_cleans)
		device_sleep_ns(NSEC_PER_MSEC);
	device_sync(f->fd, SYNC_END_WRITE);
	wait_for_job(f, job);
	assert_int_equal(only(f, HEAPSIM_RECORD_MISSING_CLEAN).off, f->page);
	close(dst);
}

/* A job that never starts reads no line. */
static void job_whose_fence_never_comes_tells_of_no_line(void **state)
{
	struct fixture *f = *state;
	int dst = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, f->len);
	struct heapsim_fence_create fence;
	struct heapsim_job_wait wait;
	uint64_t job;

	assert_int_equal(device_fence_errno(f->dev, dst, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &fence), 0);
	write_at(f->map + f->page, 1);
	job = start_copy(f, dst);
	assert_int_equal(device_wait_errno(f->dev, job, DEVICE_HANGS_NS,
					   &wait), 0);
	assert_int_equal(wait.status, -ETIMEDOUT);
	assert_none(f->watch);
	/* The next job reports the line, although the first never started. */
	wait_for_job(f, start_checksum(f, 0, f->len));
	only(f, HEAPSIM_RECORD_MISSING_CLEAN);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	close(dst);
}

static void touch_of_a_held_buffer_is_reported(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;
	struct heapsim_record r;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_FROM_DEVICE, &hold), 0);
	record_drain(f->watch);
	write_at(f->map + 3, 1);
	r = only(f, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	assert_int_equal(r.missing, HEAPSIM_MISSING_START_WRITE);
	assert_int_equal(r.off, 3);
	assert_int_equal(r.len, 1);
	assert_touch(&r.cpu, f->map + 3, true);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_DEVICE);
	assert_non_null(strstr(r.other.name, "heapsim"));
	assert_int_equal(r.other.pid, getpid());
	assert_int_equal(r.other.job, 0);
	device_revoke(f->dev, f->fd);
	read_at(f->map + f->page);
	r = only(f, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	assert_int_equal(r.missing, HEAPSIM_MISSING_START_READ);
	assert_touch(&r.cpu, f->map + f->page, false);
	device_release(f->dev, hold.hold);
	record_drain(f->watch);

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_VMAP,
					   0, &hold), 0);
	record_drain(f->watch);
	read_at(f->map);
	r = only(f, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_VMAP);
	assert_comm_is_ours(r.other.name);
	device_release(f->dev, hold.hold);
}

static void touch_under_a_fence_is_reported(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence;
	struct heapsim_record r;

	assert_int_equal(device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &fence), 0);
	read_at(f->map);
	r = only(f, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	assert_int_equal(r.missing, HEAPSIM_MISSING_WAIT);
	assert_touch(&r.cpu, f->map, false);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_FENCE);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
}

static void unmatched_end_is_reported(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;

	device_sync(f->fd, SYNC_END_READ);
	r = only(f, HEAPSIM_RECORD_UNMATCHED_END);
	assert_int_equal(r.missing, HEAPSIM_MISSING_START_READ);
	assert_int_equal(r.cpu.is_write, 0);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.len, f->len);
	assert_int_equal(r.cpu.pid, getpid());
	assert_true(r.cpu.ip != 0);
	assert_int_equal(r.cpu.addr, 0);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_NOBODY);
	device_sync(f->fd, SYNC_START_READ);
	record_drain(f->watch);
	write_at(f->map, 1);
	device_sync(f->fd, SYNC_END_RW);
	r = only(f, HEAPSIM_RECORD_UNMATCHED_END);
	assert_int_equal(r.missing, HEAPSIM_MISSING_START_WRITE);
	assert_int_equal(r.cpu.is_write, 1);
}

/* The record must name the START without END, not the later one. */
static int start_write_and_end(void *arg)
{
	struct fixture *f = arg;
	int ret;

	prctl(PR_SET_NAME, "forgetful");
	ret = device_sync_errno(f->fd, SYNC_START_WRITE);
	prctl(PR_SET_NAME, "careful");
	if (!ret)
		ret = device_sync_errno(f->fd, SYNC_START_READ);
	return ret ? ret : device_sync_errno(f->fd, SYNC_END_READ);
}

/* The process has ended and been reaped when its missing END is found. */
static void missing_end_is_reported_to_the_tree(void **state)
{
	struct fixture *f = *state;
	int tree = watch_open(HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_ERRORS, 4);
	struct heapsim_record r;

	assert_int_equal(device_in_child(start_write_and_end, f), 0);
	device_buf_info(f->dev, f->fd);
	assert_true(record_next(tree, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_MISSING_END);
	assert_int_equal(r.missing, HEAPSIM_MISSING_END);
	assert_int_equal(r.count, 1);
	assert_true(r.cpu.pid && r.cpu.pid != (uint32_t)getpid());
	assert_string_equal(r.cpu.comm, "forgetful");
	assert_int_equal(r.cpu.is_write, 1);
	assert_true(r.cpu.ip != 0);
	assert_none(tree);
	assert_none(f->watch);
	close(tree);
}

static int start_read_and_end(void *arg)
{
	struct fixture *f = arg;
	int ret = device_sync_errno(f->fd, SYNC_START_RW);

	if (!ret)
		ret = device_sync_errno(f->fd, SYNC_END_RW);
	return ret ? ret : device_sync_errno(f->fd, SYNC_START_READ);
}

static void read_bracket_left_open_is_no_error(void **state)
{
	struct fixture *f = *state;
	int tree = watch_open(HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_ALL, 8);
	struct heapsim_record r;

	assert_int_equal(device_in_child(start_read_and_end, f), 0);
	assert_int_equal(device_buf_info(f->dev, f->fd).count.missing_ends, 0);
	do {
		assert_true(record_next(tree, &r));
	} while (r.kind != HEAPSIM_RECORD_UNENDED_READ);
	assert_int_equal(r.missing, HEAPSIM_MISSING_END);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.len, f->len);
	assert_int_equal(r.cpu.is_write, 0);
	assert_none(tree);
	assert_int_equal(HEAPSIM_KIND_BIT(r.kind) & HEAPSIM_KINDS_ERRORS, 0);
	record_drain(f->watch);
	close(tree);
}

static int watch_itself_and_forget(void *arg)
{
	int *fds = arg;
	int ret = device_watch_errno(fds[0], HEAPSIM_WATCH_PROCESS,
				     HEAPSIM_KINDS_ERRORS, 4);

	return ret ? ret : device_sync_errno(fds[1], SYNC_START_WRITE);
}

/* The watching process has ended, but another one has its open. */
static void missing_end_of_the_watcher_is_reported(void **state)
{
	struct fixture *f = *state;
	int fds[2] = { open("/dev/heapsim", O_RDWR | O_NONBLOCK), f->fd };
	struct heapsim_record r;

	assert_int_equal(device_in_child(watch_itself_and_forget, fds), 0);
	device_buf_info(f->dev, f->fd);
	assert_true(record_next(fds[0], &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_MISSING_END);
	assert_true(r.cpu.pid != 0);
	assert_none(fds[0]);
	close(fds[0]);
}

/* The process is in two watched trees; the inner watch has ended meanwhile. */
static int forget_below_another_watch(void *arg)
{
	int inner = open("/dev/heapsim", O_RDWR);
	int ret = device_watch_errno(inner, HEAPSIM_WATCH_TREE,
				     HEAPSIM_KINDS_ERRORS, 4);

	return ret ? ret : device_in_child(start_write_and_end, arg);
}

static void outer_watch_outlives_the_inner_one(void **state)
{
	struct fixture *f = *state;
	int tree = watch_open(HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_ERRORS, 4);
	int late;
	struct heapsim_record r;

	assert_int_equal(device_in_child(forget_below_another_watch, f), 0);
	/* This watch reuses the slot of the inner one, but began later. */
	late = watch_open(HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_ERRORS, 4);
	device_buf_info(f->dev, f->fd);
	assert_true(record_next(tree, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_MISSING_END);
	assert_none(late);
	close(late);
	close(tree);
}

static void costs_are_reported_by_their_kinds(void **state)
{
	struct fixture *f = *state;
	const uint64_t no_errors = HEAPSIM_KINDS_ALL & ~HEAPSIM_KINDS_ERRORS;
	int errors = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_ERRORS, 9);
	int costs = watch_open(HEAPSIM_WATCH_PROCESS, no_errors, 9);
	struct heapsim_record r;

	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN, f->line, f->line);
	assert_true(record_next(costs, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_REDUNDANT_CLEAN);
	assert_int_equal(r.off, f->line);
	assert_int_equal(r.len, f->line);
	assert_int_equal(r.missing, HEAPSIM_MISSING_NOTHING);
	assert_int_equal(r.cpu.pid, getpid());
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 0, f->len);
	assert_true(record_next(costs, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_REDUNDANT_INVALIDATE);
	assert_int_equal(r.len, f->len);
	read_at(f->map);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 1, f->line);
	assert_true(record_next(costs, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_SHARED_LINE);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.len, 2 * f->line);
	assert_int_equal(r.count, 2);
	assert_none(costs);
	assert_none(errors);
	close(costs);
	close(errors);
}

static void repeats_are_folded_until_they_are_read(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	size_t i;

	for (i = 0; i < NR_PAGES; i++)
		write_at(f->map + i * f->page, 1);
	device_checksum(f->dev, f->fd, 0, f->len);
	r = only(f, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_int_equal(r.count, NR_PAGES);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.len, (NR_PAGES - 1) * f->page + f->line);
	/* The record was read, so the same place makes a new one. */
	device_checksum(f->dev, f->fd, 0, f->line);
	device_checksum(f->dev, f->fd, 0, 2 * f->page);
	r = only(f, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_int_equal(r.count, 3);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.len, f->page + f->line);
	assert_int_equal(r.seq, 2);
}

/* If there are several holders, the one that forbids the access is named. */
static void the_right_holder_is_named(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold camera, display;
	struct heapsim_record r;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_VMAP, 0,
					   &camera), 0);
	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_TO_DEVICE, &display), 0);
	record_drain(f->watch);
	read_at(f->map);
	r = only(f, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_VMAP);
	write_at(f->map, 1);
	r = only(f, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_DEVICE);
	device_release(f->dev, display.hold);
	record_drain(f->watch);
	device_revoke(f->dev, f->fd);
	write_at(f->map, 1);
	r = only(f, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_VMAP);
	device_release(f->dev, camera.hold);
	record_drain(f->watch);
}

static void other_code_is_another_place(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record a, b;

	read_at(f->map);
	read_at(f->map + f->page);
	device_fill(f->dev, f->fd, 0, f->len, 0x44444444);
	device_revoke(f->dev, f->fd);
	read_at(f->map);
	device_peek(f->map + f->page);
	assert_true(record_next(f->watch, &a));
	assert_true(record_next(f->watch, &b));
	assert_none(f->watch);
	assert_in_touches(a.cpu.ip);
	assert_true(b.cpu.ip && b.cpu.ip != a.cpu.ip);
	assert_int_equal(b.off, f->page);
}

/* A store by other code to a page that was prepared for a row is separate. */
static void other_code_ends_a_row(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	size_t i;

	write_at(f->map, 1);
	/* Code that is not in touches. */
	*(volatile uint8_t *)(f->map + f->page) = 1;
	for (i = 2; i < NR_PAGES; i++)
		write_at(f->map + i * f->page, 1);
	device_checksum(f->dev, f->fd, 0, f->len);
	assert_true(record_next(f->watch, &r));
	assert_in_touches(r.cpu.ip);
	assert_int_equal(r.off, 0);
	/* The rest of the row is folded into the first. */
	assert_int_equal(r.count, NR_PAGES - 1);
	assert_true(record_next(f->watch, &r));
	assert_not_in_range(r.cpu.ip, (uintptr_t)__start_touches,
			    (uintptr_t)__stop_touches - 1);
	assert_int_equal(r.off, f->page);
	assert_int_equal(r.count, 1);
	assert_none(f->watch);
}

/* Stores by other code after a row of pages do not belong to the row. */
static void code_behind_a_row_is_distinguished(void **state)
{
	struct fixture *f = *state;
	const size_t nr_row = NR_PAGES / 2;
	struct heapsim_record r;
	size_t i;

	for (i = 0; i < nr_row; i++)
		write_at(f->map + i * f->page, 1);
	/* Code that is not in touches. */
	for (; i < NR_PAGES; i++)
		*(volatile uint8_t *)(f->map + i * f->page) = 1;
	device_checksum(f->dev, f->fd, 0, f->len);
	assert_true(record_next(f->watch, &r));
	assert_in_touches(r.cpu.ip);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.count, nr_row);
	assert_true(record_next(f->watch, &r));
	assert_not_in_range(r.cpu.ip, (uintptr_t)__start_touches,
			    (uintptr_t)__stop_touches - 1);
	assert_int_equal(r.off, nr_row * f->page);
	assert_int_equal(r.count, NR_PAGES - nr_row);
	assert_none(f->watch);
}

/* Makes records of three places in a known order: read, write, END. */
static void make_three(struct fixture *f)
{
	struct heapsim_fence_create fence;

	assert_int_equal(device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &fence), 0);
	device_revoke(f->dev, f->fd);
	read_at(f->map);
	write_at(f->map, 1);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	device_sync(f->fd, SYNC_END_READ);
}

static void drops_are_reported(void **state)
{
	struct fixture *f = *state;
	int small = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_ERRORS, 1);
	struct heapsim_record r;

	make_three(f);
	assert_int_equal(device_poll(small, POLLIN, 0), POLLIN);
	assert_true(record_next(small, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_UNBRACKETED_ACCESS);
	assert_int_equal(r.cpu.is_write, 0);
	assert_int_equal(r.seq, 1);
	assert_int_equal(device_poll(small, POLLIN, 0), POLLIN);
	assert_true(record_next(small, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_DROPPED);
	assert_int_equal(r.count, 2);
	assert_int_equal(r.nr_harmless, 0);
	assert_int_equal(r.seq, 4);
	assert_int_equal(r.buf, 0);
	assert_none(small);
	assert_int_equal(device_poll(small, POLLIN, 0), 0);
	record_drain(f->watch);
	close(small);
}

/* Dropped records are reported before those that came after them. */
static void drops_are_reported_in_their_place(void **state)
{
	struct fixture *f = *state;
	int small = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_ERRORS, 2);
	struct heapsim_record r[2];

	make_three(f);
	assert_int_equal(read(small, r, sizeof(r)), sizeof(r));
	write_at(f->map, 1);
	device_checksum(f->dev, f->fd, 0, f->line);
	assert_int_equal(read(small, r, sizeof(r)), sizeof(r));
	assert_int_equal(r[0].kind, HEAPSIM_RECORD_DROPPED);
	assert_int_equal(r[0].count, 1);
	assert_int_equal(r[1].kind, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_none(small);
	record_drain(f->watch);
	close(small);
}

#define NR_WASTED	12

/*
 * Each clean is on its own buffer, or the records would be folded. Harmless
 * records are dropped to make room for errors, and counted as harmless, also if
 * the record of the drop was dropped itself.
 */
static void waste_costs_no_mistake(void **state)
{
	struct fixture *f = *state;
	int small = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_ALL, 8);
	uint64_t nr[HEAPSIM_NR_RECORD_KINDS] = { 0 };
	uint64_t seq = 0, nr_harmless = 0;
	int fds[NR_WASTED];
	struct heapsim_record r;
	size_t i;

	for (i = 0; i < NR_WASTED; i++)
		fds[i] = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
	for (i = 0; i < NR_WASTED; i++)
		device_maintain(f->dev, fds[i], HEAPSIM_MAINT_CLEAN, 0, f->len);
	for (i = 0; i < 7; i++)
		device_sync(fds[i], SYNC_END_READ);
	while (record_next(small, &r)) {
		assert_true(r.seq > seq);
		seq = r.seq;
		nr[r.kind] += r.count;
		nr_harmless += r.nr_harmless;
	}
	assert_int_equal(nr[HEAPSIM_RECORD_UNMATCHED_END], 7);
	assert_int_equal(nr[HEAPSIM_RECORD_REDUNDANT_CLEAN], 1);
	assert_int_equal(nr[HEAPSIM_RECORD_DROPPED], NR_WASTED - 1);
	assert_int_equal(nr_harmless, NR_WASTED - 1);
	for (i = 0; i < NR_WASTED; i++)
		close(fds[i]);
	record_drain(f->watch);
	close(small);
}

static int make_stale_read(void *arg)
{
	struct fixture *f = arg;

	device_revoke(f->dev, f->fd);
	read_at(f->map);
	return 0;
}

static int make_in_grandchild(void *arg)
{
	return device_in_child(make_stale_read, arg);
}

static int make_unmatched_end(void *arg)
{
	struct fixture *f = arg;

	return device_sync_errno(f->fd, SYNC_END_READ);
}

static int watch_tree_elsewhere(void *arg)
{
	int *fds = arg;

	return device_watch_errno(fds[0], HEAPSIM_WATCH_TREE,
				  HEAPSIM_KINDS_ALL, 4);
}

static void scopes_are_kept(void **state)
{
	struct fixture *f = *state;
	int all = watch_open(HEAPSIM_WATCH_ALL, HEAPSIM_KINDS_ALL, 8);
	int tree = watch_open(HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_ALL, 8);
	int other = open("/dev/heapsim", O_RDWR | O_NONBLOCK);
	struct heapsim_record r;

	/* The root of this watched tree is a child that has no part in this. */
	assert_int_equal(device_in_child(watch_tree_elsewhere, &other), 0);
	read_at(f->map);
	device_fill(f->dev, f->fd, 0, f->line, 0x55555555);
	assert_none(all);
	assert_none(f->watch);
	assert_int_equal(device_in_child(make_in_grandchild, f), 0);
	assert_true(record_next(all, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_STALE_READ);
	assert_true(record_next(tree, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_STALE_READ);
	assert_true(r.cpu.pid != (uint32_t)getpid());
	assert_none(other);
	/* The job on the other side belongs to this process. */
	assert_true(record_next(f->watch, &r));
	assert_int_equal(r.other.pid, getpid());
	/* A record with a child on both sides is not for this process. */
	assert_int_equal(device_in_child(make_unmatched_end, f), 0);
	assert_none(f->watch);
	assert_true(record_next(tree, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_UNMATCHED_END);
	assert_none(other);
	close(other);
	close(tree);
	close(all);
}

static int make_unmatched_end_as_root(void *arg)
{
	return setresuid(0, 0, 0) ? -errno : make_unmatched_end(arg);
}

static int make_unmatched_end_as_nobody(void *arg)
{
	if (setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		return -errno;
	return make_unmatched_end(arg);
}

static int make_unmatched_end_undumpable(void *arg)
{
	if (setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 0))
		return -errno;
	return make_unmatched_end(arg);
}

/* The process has all capabilities, but only in its own user namespace. */
static int make_unmatched_end_in_a_namespace(void *arg)
{
	if (setresuid(NOBODY, NOBODY, NOBODY) || unshare(CLONE_NEWUSER) ||
	    prctl(PR_SET_DUMPABLE, 1))
		return -errno;
	return make_unmatched_end(arg);
}

static ssize_t read_one(int watch)
{
	struct heapsim_record r;

	return read(watch, &r, sizeof(r)) < 0 ? -errno : (int)r.kind;
}

/* A user who watches a tree gets no records of another user's processes. */
static int watch_as_nobody(void *arg)
{
	struct fixture *f = arg;
	int watch = open("/dev/heapsim", O_RDWR | O_NONBLOCK);

	if (setresuid(NOBODY, NOBODY, 0))
		return 1;
	if (device_watch_errno(watch, HEAPSIM_WATCH_ALL, HEAPSIM_KINDS_ALL,
			       4) != -EPERM)
		return 2;
	if (device_watch_errno(watch, HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_ALL, 4))
		return 3;
	if (device_in_child(make_unmatched_end_as_root, f))
		return 4;
	if (device_in_child(make_unmatched_end_undumpable, f))
		return 5;
	if (read_one(watch) != -EAGAIN)
		return 6;
	if (device_in_child(make_unmatched_end_as_nobody, f))
		return 7;
	return read_one(watch) == HEAPSIM_RECORD_UNMATCHED_END ? 0 : 8;
}

static void other_users_processes_are_not_reported(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(device_in_child(watch_as_nobody, f), 0);
}

static int watch_a_namespace(void *arg)
{
	int watch = open("/dev/heapsim", O_RDWR | O_NONBLOCK);
	int ret;

	/* This process has the same capabilities, but not in the namespace. */
	if (setresuid(NOBODY, NOBODY, 0) ||
	    device_watch_errno(watch, HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_ALL, 4))
		return -EIO;
	ret = device_in_child(make_unmatched_end_in_a_namespace, arg);
	return ret ? ret : read_one(watch) == -EAGAIN ? 0 : -EACCES;
}

static void processes_of_other_namespaces_are_not_reported(void **state)
{
	if (access("/proc/self/ns/user", F_OK))
		device_skip("this kernel has no user namespaces");
	assert_int_equal(device_in_child(watch_a_namespace, *state), 0);
}

static bool is_blank(const void *bytes, size_t len)
{
	return device_is_filled(bytes, 0, len);
}

/* Becomes user nobody, and returns an open that watches, or -1. */
static int become_nobody_and_watch(uint32_t scope)
{
	int watch = open("/dev/heapsim", O_RDWR | O_NONBLOCK);

	if (become_nobody() || prctl(PR_SET_DUMPABLE, 1) ||
	    device_watch_errno(watch, scope, HEAPSIM_KINDS_ALL, 4))
		return -1;
	return watch;
}

/* A job of nobody finds root's store: the record must not describe root. */
static int submit_as_nobody(void *arg)
{
	struct fixture *f = arg;
	int watch = become_nobody_and_watch(HEAPSIM_WATCH_PROCESS);
	struct heapsim_record r;

	if (watch < 0)
		return 1;
	device_checksum(f->dev, f->fd, 0, f->line);
	if (read(watch, &r, sizeof(r)) != sizeof(r) ||
	    r.kind != HEAPSIM_RECORD_MISSING_CLEAN || r.off || !r.other.job ||
	    r.other.pid != (uint32_t)getpid())
		return 2;
	if (!r.cpu.time_ns || !r.cpu.is_write)
		return 3;
	r.cpu.time_ns = 0;
	r.cpu.is_write = 0;
	if (!is_blank(&r.cpu, sizeof(r.cpu)))
		return 4;
	/* No dirty line of root is left for the opposite case. */
	device_sync_errno(f->fd, SYNC_START_READ);
	device_sync_errno(f->fd, SYNC_END_READ);
	return 0;
}

/* Waits for a byte, stores as nobody, and sends a byte. */
static int store_when_told(struct fixture *f, const int *from, const int *to)
{
	char byte;

	if (become_nobody() || prctl(PR_SET_DUMPABLE, 1) ||
	    read(from[0], &byte, 1) != 1)
		return 1;
	write_at(f->map, 1);
	if (write(to[1], &byte, 1) != 1)
		return 2;
	/* An ended process would not be described in any case, so wait. */
	return read(from[0], &byte, 1) == 1 ? 0 : 3;
}

/**
 * struct neighbour - a process of the same user outside of the tree
 * @f: fixture
 * @pid: number of the process
 * @to: pipe to the process
 * @from: pipe from the process
 */
struct neighbour {
	struct fixture *f;
	pid_t pid;
	int to[2];
	int from[2];
};

static int submit_beside_a_neighbour(void *arg)
{
	const struct neighbour *n = arg;
	int watch = become_nobody_and_watch(HEAPSIM_WATCH_TREE);
	struct heapsim_record r;
	char byte = 0;

	if (watch < 0)
		return 1;
	if (write(n->to[1], &byte, 1) != 1 || read(n->from[0], &byte, 1) != 1)
		return 2;
	device_checksum(n->f->dev, n->f->fd, 0, n->f->line);
	if (read(watch, &r, sizeof(r)) != sizeof(r) ||
	    r.kind != HEAPSIM_RECORD_MISSING_CLEAN ||
	    r.other.pid != (uint32_t)getpid())
		return 3;
	if (r.cpu.pid != (uint32_t)n->pid || !r.cpu.comm[0])
		return 4;
	return r.cpu.ip || r.cpu.addr ? 5 : 0;
}

static void addresses_of_a_neighbour_are_not_reported(void **state)
{
	struct neighbour n = { .f = *state };
	int status, ret;

	assert_int_equal(pipe(n.to), 0);
	assert_int_equal(pipe(n.from), 0);
	n.pid = fork();
	if (!n.pid)
		_exit(store_when_told(n.f, n.to, n.from));
	ret = device_in_child(submit_beside_a_neighbour, &n);
	assert_int_equal(write(n.to[1], "", 1), 1);
	assert_int_equal(waitpid(n.pid, &status, 0), n.pid);
	assert_int_equal(ret, 0);
	assert_int_equal(status, 0);
	close(n.to[0]);
	close(n.to[1]);
	close(n.from[0]);
	close(n.from[1]);
}

/* Runs a child that only stores, and returns its number. */
static pid_t child_that_stores(struct fixture *f)
{
	pid_t pid = fork();
	int status = 1;

	if (!pid) {
		write_at(f->map, 1);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status ? pid : -1;
}

/* The record describes a child that stored and has ended. */
static int submit_after_a_child(void *arg)
{
	struct fixture *f = arg;
	int watch = become_nobody_and_watch(HEAPSIM_WATCH_TREE);
	struct heapsim_record r;
	int pid;

	if (watch < 0)
		return 1;
	pid = child_that_stores(f);
	if (pid < 0)
		return 2;
	device_checksum(f->dev, f->fd, 0, f->line);
	if (read(watch, &r, sizeof(r)) != sizeof(r) ||
	    r.kind != HEAPSIM_RECORD_MISSING_CLEAN)
		return 3;
	return r.cpu.pid == (uint32_t)pid &&
	       r.cpu.addr == (uintptr_t)f->map ? 0 : 4;
}

static void sides_of_the_tree_are_reported_after_its_end(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(device_in_child(submit_after_a_child, f), 0);
	record_drain(f->watch);
}

static int read_as_nobody(void *arg)
{
	struct fixture *f = arg;
	int watch = become_nobody_and_watch(HEAPSIM_WATCH_PROCESS);
	struct heapsim_record r;

	if (watch < 0)
		return 1;
	read_at(f->map);
	if (read(watch, &r, sizeof(r)) != sizeof(r) ||
	    r.kind != HEAPSIM_RECORD_STALE_READ ||
	    r.cpu.addr != (uintptr_t)f->map ||
	    r.other.type != HEAPSIM_OTHER_ENGINE || strcmp(r.other.name, "dma"))
		return 2;
	return r.other.pid || r.other.job ||
	       !is_blank(r.other.comm, sizeof(r.other.comm)) ? 3 : 0;
}

static void sides_of_other_users_are_blank(void **state)
{
	struct fixture *f = *state;

	write_at(f->map, 1);
	assert_int_equal(device_in_child(submit_as_nobody, f), 0);
	record_drain(f->watch);
	read_at(f->map);
	device_fill(f->dev, f->fd, 0, f->line, 0x66666666);
	device_revoke(f->dev, f->fd);
	assert_int_equal(device_in_child(read_as_nobody, f), 0);
	record_drain(f->watch);
}

/* The other side is a work of root's. */
static int touch_as_nobody(void *arg)
{
	const struct managed *m = arg;
	int watch = become_nobody_and_watch(HEAPSIM_WATCH_PROCESS);
	struct heapsim_record r;
	uint8_t byte;

	if (watch < 0)
		return 1;
	cpu_reads(m->map, &byte);
	if (read(watch, &r, sizeof(r)) != sizeof(r) ||
	    r.kind != HEAPSIM_RECORD_CPU_WHILE_ACTIVE ||
	    r.cpu.addr != (uintptr_t)m->map ||
	    r.other.type != HEAPSIM_OTHER_ENGINE)
		return 2;
	return r.other.pid || r.other.job || r.other.stream || r.kernel ||
	       !is_blank(r.other.comm, sizeof(r.other.comm)) ? 3 : 0;
}

static void works_of_other_users_are_blank(void **state)
{
	const int dev = rights_open();
	struct managed m = managed_create(dev, HEAPSIM_KIND_MANAGED,
					  HEAPSIM_ATTACH_GLOBAL,
					  device_page_size());

	rights_stream_add(dev, 9);
	assert_int_equal(rights_work_submit_errno(dev, 9, 7, "gpu"), 0);
	assert_int_equal(device_in_child(touch_as_nobody, &m), 0);
	assert_int_equal(rights_work_start_errno(dev, 7, NULL, 0), 0);
	assert_int_equal(rights_work_finish_errno(dev, 7), 0);
	managed_destroy(&m);
	close(dev);
}

struct reuse {
	struct fixture *f;
	int pid;
};

/* A process with the number of an ended one gets no records of that one. */
static int watch_under_its_number(void *arg)
{
	const struct reuse *reuse = arg;
	int watch = open("/dev/heapsim", O_RDWR | O_NONBLOCK);

	if (getpid() != reuse->pid)
		return 1;
	if (device_watch_errno(watch, HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_ALL,
			       4))
		return 2;
	/* The parent submits a job through its own open. */
	kill(getppid(), SIGUSR1);
	while (!device_count(reuse->f->dev, reuse->f->fd).missing_cleans)
		device_sleep_ns(NSEC_PER_MSEC);
	return read_one(watch) == -EAGAIN ? 0 : 3;
}

static int next_pid_is(int pid)
{
	char text[16];
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
	int len = snprintf(text, sizeof(text), "%d", pid - 1);
	int ret = fd < 0 || write(fd, text, len) != len ? -errno : 0;

	close(fd);
	return ret;
}

static volatile sig_atomic_t nr_usr1;

static void on_usr1(int signal)
{
	nr_usr1++;
}

static void a_number_that_is_used_again_is_another_process(void **state)
{
	struct fixture *f = *state;
	struct sigaction action = { .sa_handler = on_usr1 };
	struct reuse reuse = { .f = f };
	pid_t first, second;
	int status;

	sigaction(SIGUSR1, &action, NULL);
	first = child_that_stores(f);
	assert_true(first > 0);
	reuse.pid = first;
	/* Another process may fork and take the number first. */
	do {
		nr_usr1 = 0;
		assert_int_equal(next_pid_is(first), 0);
		second = fork();
		if (!second)
			_exit(watch_under_its_number(&reuse));
		if (second == first) {
			while (!nr_usr1)
				device_sleep_ns(NSEC_PER_MSEC);
			device_checksum(f->dev, f->fd, 0, f->line);
		}
		assert_int_equal(waitpid(second, &status, 0), second);
	} while (second != first);
	assert_int_equal(status, 0);
	record_drain(f->watch);
}

static int watch_as_first_process(void *arg)
{
	struct fixture *f = arg;
	int watch = open("/dev/heapsim", O_RDWR | O_NONBLOCK);
	struct heapsim_record r;

	if (getpid() != 1 ||
	    device_watch_errno(watch, HEAPSIM_WATCH_PROCESS,
			       HEAPSIM_KINDS_ALL, 4) ||
	    make_unmatched_end(f) || read(watch, &r, sizeof(r)) != sizeof(r))
		return 1;
	return r.cpu.pid == 1 && r.cpu.tid == 1 ? 0 : 2;
}

static int make_pid_namespace(void *arg)
{
	return unshare(CLONE_NEWPID) ? -errno :
	       device_in_child(watch_as_first_process, arg);
}

static void pids_are_those_of_the_readers_namespace(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(device_in_child(make_pid_namespace, f), 0);
}

static void *make_later(void *arg)
{
	struct fixture *f = arg;

	device_sleep_ns(200 * NSEC_PER_MSEC);
	make_unmatched_end(f);
	return NULL;
}

static void read_and_poll_wait(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	pthread_t thread;

	assert_int_equal(device_poll(f->watch, POLLIN, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, make_later, f), 0);
	assert_int_equal(device_poll(f->watch, POLLIN, DEVICE_HANGS_MS),
			 POLLIN);
	pthread_join(thread, NULL);
	record_drain(f->watch);
	assert_int_equal(fcntl(f->watch, F_SETFL, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, make_later, f), 0);
	assert_int_equal(read(f->watch, &r, sizeof(r)), sizeof(r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_UNMATCHED_END);
	pthread_join(thread, NULL);
}

static void on_alarm(int signal)
{
}

/* epoll reads the wait queue once, before the open watches. */
static void epoll_sees_a_watch_that_begins_later(void **state)
{
	struct fixture *f = *state;
	struct epoll_event event = { .events = EPOLLIN };
	int dev = open("/dev/heapsim", O_RDWR | O_NONBLOCK);
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	pthread_t thread;

	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, dev, &event), 0);
	assert_int_equal(device_watch_errno(dev, HEAPSIM_WATCH_PROCESS,
					    HEAPSIM_KINDS_ALL, 4), 0);
	assert_int_equal(epoll_wait(epoll, &event, 1, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, make_later, f), 0);
	assert_int_equal(epoll_wait(epoll, &event, 1, DEVICE_HANGS_MS), 1);
	assert_int_equal(event.events, EPOLLIN);
	pthread_join(thread, NULL);
	close(epoll);
	close(dev);
}

static void read_is_interrupted(void **state)
{
	struct fixture *f = *state;
	struct sigaction action = { .sa_handler = on_alarm };
	/* The first signal may come before the call. */
	struct itimerval timer = {
		.it_value.tv_sec = 1,
		.it_interval.tv_sec = 1,
	};
	struct heapsim_record r;

	sigaction(SIGALRM, &action, NULL);
	assert_int_equal(fcntl(f->watch, F_SETFL, 0), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
	assert_int_equal(read(f->watch, &r, sizeof(r)), -1);
	assert_int_equal(errno, EINTR);
	timer = (struct itimerval) { 0 };
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void bad_memory_loses_no_record(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record *two;
	struct heapsim_record r;

	two = mmap(NULL, 2 * f->page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(two != MAP_FAILED);
	assert_int_equal(munmap((char *)two + f->page, f->page), 0);
	make_unmatched_end(f);
	write_at(f->map, 1);
	device_checksum(f->dev, f->fd, 0, f->line);
	errno = 0;
	assert_int_equal(read(f->watch, (char *)two + f->page, f->page), -1);
	assert_int_equal(errno, EFAULT);
	/* The second record does not fit, so only the first is returned. */
	two = (void *)((char *)two + f->page - sizeof(r) - sizeof(r) / 2);
	assert_int_equal(read(f->watch, two, 2 * sizeof(r)), sizeof(r));
	assert_int_equal(two->seq, 1);
	assert_true(record_next(f->watch, &r));
	assert_int_equal(r.seq, 2);
	assert_int_equal(r.kind, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_none(f->watch);
}

static void newer_readers_get_zeros(void **state)
{
	struct fixture *f = *state;
	uint8_t bytes[2 * (sizeof(struct heapsim_record) + 64)];
	const size_t size = sizeof(bytes) / 2;
	struct heapsim_watch watch = {
		.size = sizeof(watch),
		.scope = HEAPSIM_WATCH_PROCESS,
		.kinds = HEAPSIM_KINDS_ALL,
		.nr_records = 4,
		.record_size = size,
	};
	struct heapsim_record *r = (void *)bytes;
	int dev = open("/dev/heapsim", O_RDWR | O_NONBLOCK);

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_WATCH, &watch), 0);
	make_unmatched_end(f);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(read(dev, bytes, sizeof(bytes)), size);
	assert_int_equal(r->size, size);
	assert_true(device_is_filled(bytes + sizeof(*r), 0,
				     size - sizeof(*r)));
	assert_true(device_is_filled(bytes + size, 0xff, size));
	close(dev);
	record_drain(f->watch);
}

static void older_readers_get_what_they_know(void **state)
{
	struct fixture *f = *state;
	struct heapsim_watch watch = {
		.size = 24,
		.scope = HEAPSIM_WATCH_PROCESS,
		.kinds = HEAPSIM_KINDS_ALL,
		.nr_records = 4,
		.record_size = FIRST_RECORD_SIZE,
	};
	uint8_t bytes[2 * FIRST_RECORD_SIZE];
	struct heapsim_record r = { 0 };
	int dev = device_open();

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_WATCH, &watch), 0);
	memset(bytes, 0xee, sizeof(bytes));
	device_sync(f->fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	assert_int_equal(read(dev, bytes, sizeof(bytes)), FIRST_RECORD_SIZE);
	assert_int_equal(bytes[FIRST_RECORD_SIZE], 0xee);
	memcpy(&r, bytes, FIRST_RECORD_SIZE);
	assert_int_equal(r.size, FIRST_RECORD_SIZE);
	assert_int_equal(r.kind, HEAPSIM_RECORD_UNMATCHED_END);
	assert_int_equal(r.cpu.pid, getpid());
	record_drain(f->watch);
	close(dev);
}

static int events_open(void)
{
	return watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_EVENTS, 64);
}

/* Reads the next event, which must be of this kind. */
static struct heapsim_record event(struct fixture *f, int events, uint32_t kind)
{
	struct heapsim_record r;

	if (!record_next(events, &r))
		fail_msg("nothing of kind %u", kind);
	assert_int_equal(r.kind, kind);
	assert_int_equal(r.buf, f->id);
	assert_string_equal(r.name, NAME);
	assert_int_equal(r.missing, HEAPSIM_MISSING_NOTHING);
	assert_int_equal(r.reserved, 0);
	assert_int_equal(r.attach, 0);
	assert_int_equal(r.nr_harmless, 0);
	assert_int_equal(r.attach_stream, 0);
	assert_int_equal(r.kernel, 0);
	assert_true(r.time_ns && r.time_ns <= device_now_ns());
	return r;
}

/* Reads an event of this thread that has a begin and an end. */
static struct heapsim_record own_event(struct fixture *f, int events,
				       uint32_t kind)
{
	struct heapsim_record r = event(f, events, kind);

	assert_int_equal(r.cpu.pid, getpid());
	assert_int_equal(r.cpu.tid, gettid());
	assert_comm_is_ours(r.cpu.comm);
	assert_true(r.cpu.ip != 0);
	assert_in_range(r.cpu.time_ns, 1, r.time_ns);
	assert_int_equal(r.cpu_stack, 0);
	return r;
}

static void brackets_and_their_maintenance_are_events(void **state)
{
	struct fixture *f = *state;
	int events = events_open();
	struct heapsim_record r, part;

	device_sync(f->fd, SYNC_START_RW);
	part = own_event(f, events, HEAPSIM_RECORD_INVALIDATE);
	assert_int_equal(part.off, 0);
	assert_int_equal(part.len, f->len);
	assert_int_equal(part.count, 0);
	r = own_event(f, events, HEAPSIM_RECORD_START);
	assert_int_equal(r.access, HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE);
	assert_int_equal(r.cpu.is_write, 1);
	assert_int_equal(r.count, 1);
	assert_in_range(part.cpu.time_ns, r.cpu.time_ns, r.time_ns);
	assert_in_range(part.time_ns, r.cpu.time_ns, r.time_ns);
	read_at(f->map + f->page + 3);
	r = own_event(f, events, HEAPSIM_RECORD_FILL);
	assert_touch(&r.cpu, f->map + f->page + 3, false);
	assert_int_equal(r.access, HEAPSIM_ACCESS_READ);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.count * f->line, r.len);
	assert_int_equal(r.cpu.time_ns, r.time_ns);
	write_at(f->map + f->page, 1);
	device_sync(f->fd, SYNC_END_RW);
	part = own_event(f, events, HEAPSIM_RECORD_CLEAN);
	assert_int_equal(part.count, 1);
	r = own_event(f, events, HEAPSIM_RECORD_END);
	assert_int_equal(r.access, HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE);
	assert_true(r.cpu.time_ns <= part.cpu.time_ns);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, f->page,
			f->line);
	r = own_event(f, events, HEAPSIM_RECORD_INVALIDATE);
	assert_int_equal(r.off, f->page);
	assert_int_equal(r.len, f->line);
	assert_int_equal(r.count, 1);
	device_sync(f->fd, SYNC_START_READ);
	own_event(f, events, HEAPSIM_RECORD_INVALIDATE);
	r = own_event(f, events, HEAPSIM_RECORD_START);
	assert_int_equal(r.access, HEAPSIM_ACCESS_READ);
	device_sync(f->fd, SYNC_END_READ);
	own_event(f, events, HEAPSIM_RECORD_END);
	assert_none(events);
	record_drain(f->watch);
	close(events);
}

static void assert_job(const struct heapsim_record *r,
		       const struct heapsim_record *submit)
{
	assert_engine(&r->other);
	assert_int_equal(r->other.job, submit->other.job);
	assert_int_equal(r->other.time_ns, submit->other.time_ns);
	assert_int_equal(r->op, submit->op);
	assert_int_equal(r->src, submit->src);
	assert_int_equal(r->access, submit->access);
	assert_int_equal(r->bytes, submit->bytes);
	assert_true(submit->time_ns <= r->time_ns);
	assert_int_equal(r->status, 0);
}

/* Reads the three events of a job that was waited for. */
static struct heapsim_record job_events(struct fixture *f, int events)
{
	struct heapsim_record r, submit;

	submit = own_event(f, events, HEAPSIM_RECORD_SUBMIT);
	assert_engine(&submit.other);
	assert_int_equal(submit.cpu.time_ns, submit.other.time_ns);
	r = event(f, events, HEAPSIM_RECORD_JOB_BEGIN);
	assert_job(&r, &submit);
	assert_int_equal(r.cpu.time_ns, 0);
	assert_int_equal(r.cpu.pid, 0);
	submit.time_ns = r.time_ns;
	r = event(f, events, HEAPSIM_RECORD_JOB_END);
	assert_job(&r, &submit);
	assert_int_equal(r.cpu.time_ns, 0);
	return r;
}

static void jobs_are_events(void **state)
{
	struct fixture *f = *state;
	int other = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, f->len);
	int events = events_open();
	struct heapsim_record r;

	device_fill(f->dev, f->fd, f->line, f->page, 1);
	r = job_events(f, events);
	assert_int_equal(r.op, HEAPSIM_DMA_FILL);
	assert_int_equal(r.access, HEAPSIM_ACCESS_WRITE);
	assert_int_equal(r.src, 0);
	assert_int_equal(r.off, f->line);
	assert_int_equal(r.len, f->page);
	assert_int_equal(r.bytes, f->page);
	device_checksum(f->dev, f->fd, 0, f->len);
	r = job_events(f, events);
	assert_int_equal(r.op, HEAPSIM_DMA_CHECKSUM);
	assert_int_equal(r.access, HEAPSIM_ACCESS_READ);
	assert_int_equal(r.src, f->id);
	device_copy(f->dev, other, 0, f->fd, 0, f->line);
	r = job_events(f, events);
	assert_int_equal(r.op, HEAPSIM_DMA_COPY);
	assert_int_equal(r.access, HEAPSIM_ACCESS_WRITE);
	assert_int_equal(r.src, device_buf_info(f->dev, other).id);
	assert_none(events);
	close(events);
	close(other);
}

/* Reads the next event, which must match the submission of this work. */
static struct heapsim_record work_event(int events, uint32_t kind,
					const struct heapsim_work_add *op)
{
	struct heapsim_record r;

	if (!record_next(events, &r))
		fail_msg("nothing of kind %u", kind);
	assert_int_equal(r.kind, kind);
	assert_int_equal(r.buf, 0);
	assert_int_equal(r.len, 0);
	assert_int_equal(r.bytes, 0);
	assert_int_equal(r.op, 0);
	assert_int_equal(r.kernel, op->kernel);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_ENGINE);
	assert_string_equal(r.other.name, op->name);
	assert_int_equal(r.other.job, op->work);
	assert_int_equal(r.other.stream, op->stream);
	assert_int_equal(r.other.pid, getpid());
	assert_in_range(r.other.time_ns, 1, r.time_ns);
	if (kind == HEAPSIM_RECORD_SUBMIT) {
		assert_int_equal(r.cpu.tid, gettid());
		assert_int_equal(r.cpu.time_ns, r.other.time_ns);
	} else {
		assert_int_equal(r.cpu.pid, 0);
		assert_int_equal(r.cpu.time_ns, 0);
	}
	return r;
}

static void work_add(int dev, struct heapsim_work_add *add)
{
	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_WORK_ADD, add), 0);
}

/* This includes a work whose open is closed before its end. */
static void works_are_events(void **state)
{
	struct heapsim_work_add work = {
		.size = sizeof(work),
		.stream = 9,
		.work = 7,
		.name = "gpu",
		.kernel = 0x123456789abcdef,
	};
	struct heapsim_work_add unbegun = work;
	int events = events_open();
	int dev = device_open();
	struct heapsim_record r;

	unbegun.work = 8;
	rights_stream_add(dev, 9);
	work_add(dev, &work);
	r = work_event(events, HEAPSIM_RECORD_SUBMIT, &work);
	work_add(dev, &unbegun);
	work_event(events, HEAPSIM_RECORD_SUBMIT, &unbegun);
	assert_int_equal(rights_work_start_errno(dev, work.work, NULL, 0), 0);
	assert_true(r.time_ns <= work_event(events, HEAPSIM_RECORD_JOB_BEGIN,
					    &work).time_ns);
	assert_none(events);
	assert_int_equal(rights_work_finish_errno(dev, work.work), 0);
	r = work_event(events, HEAPSIM_RECORD_JOB_END, &work);
	assert_int_equal(r.status, 0);

	work_add(dev, &work);
	work_event(events, HEAPSIM_RECORD_SUBMIT, &work);
	assert_int_equal(rights_work_start_errno(dev, work.work, NULL, 0), 0);
	work_event(events, HEAPSIM_RECORD_JOB_BEGIN, &work);
	close(dev);
	r = work_event(events, HEAPSIM_RECORD_JOB_END, &work);
	assert_int_equal(r.status, -ECANCELED);
	assert_none(events);
	close(events);
}

static void hold_and_release(struct fixture *f, int events, uint32_t how,
			     uint32_t dir, uint32_t access)
{
	struct heapsim_record r, hold;
	struct heapsim_hold answer;

	assert_int_equal(device_hold_errno(f->dev, f->fd, how, dir, &answer),
			 0);
	own_event(f, events, HEAPSIM_RECORD_CLEAN);
	hold = own_event(f, events, HEAPSIM_RECORD_HOLD);
	assert_int_equal(hold.other.type, how == HEAPSIM_HOLD_MAP ?
			 HEAPSIM_OTHER_DEVICE : HEAPSIM_OTHER_VMAP);
	assert_int_equal(hold.other.pid, getpid());
	assert_int_equal(hold.access, access);
	assert_int_equal(hold.len, f->len);
	device_release(f->dev, answer.hold);
	if (access & HEAPSIM_ACCESS_WRITE)
		own_event(f, events, HEAPSIM_RECORD_INVALIDATE);
	r = own_event(f, events, HEAPSIM_RECORD_RELEASE);
	assert_int_equal(r.other.time_ns, hold.other.time_ns);
	assert_string_equal(r.other.name, hold.other.name);
	assert_int_equal(r.access, access);
	assert_none(events);
}

static void holds_are_events(void **state)
{
	struct fixture *f = *state;
	const uint32_t both = HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE;
	int events = events_open();

	hold_and_release(f, events, HEAPSIM_HOLD_MAP,
			 HEAPSIM_DIR_FROM_DEVICE, HEAPSIM_ACCESS_WRITE);
	hold_and_release(f, events, HEAPSIM_HOLD_MAP, HEAPSIM_DIR_TO_DEVICE,
			 HEAPSIM_ACCESS_READ);
	hold_and_release(f, events, HEAPSIM_HOLD_MAP,
			 HEAPSIM_DIR_BIDIRECTIONAL, both);
	hold_and_release(f, events, HEAPSIM_HOLD_VMAP, 0, both);
	record_drain(f->watch);
	close(events);
}

static void evictions_are_events(void **state)
{
	struct fixture *f = *state;
	struct heapsim_set_policy policy = {
		.size = sizeof(policy),
		.scope = HEAPSIM_POLICY_OF_BUF,
		.fd = f->fd,
		.policy = HEAPSIM_POLICY_RECORD,
		.evict_random = 1,
		.seed = 7,
	};
	uint64_t count[HEAPSIM_RECORD_EVENTS_END] = { 0 };
	int events = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_EVENTS,
				1024);
	struct heapsim_record r;
	size_t i;

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY,
					    &policy), 0);
	for (i = 0; i < 100; i++) {
		device_revoke(f->dev, f->fd);
		read_at(f->map + i % NR_PAGES * f->page);
	}
	while (record_next(events, &r)) {
		assert_in_range(r.kind, HEAPSIM_RECORD_FILL,
				HEAPSIM_RECORD_EVICT);
		count[r.kind] += r.kind == HEAPSIM_RECORD_FILL ? r.count : 1;
	}
	assert_true(count[HEAPSIM_RECORD_EVICT] > 0);
	assert_int_equal(count[HEAPSIM_RECORD_EVICT],
			 device_count(f->dev, f->fd).evictions);
	assert_int_equal(count[HEAPSIM_RECORD_FILL],
			 device_count(f->dev, f->fd).lines_filled);
	close(events);
}

/* A watch for findings gets no events, and a watch for events no findings. */
static void events_are_for_who_asks(void **state)
{
	struct fixture *f = *state;
	int both = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_ALL |
			      HEAPSIM_KINDS_EVENTS, 8);
	int events = events_open();
	int ends = watch_open(HEAPSIM_WATCH_PROCESS,
			      HEAPSIM_KIND_BIT(HEAPSIM_RECORD_END), 8);
	struct heapsim_record r;

	device_sync(f->fd, SYNC_END_READ);
	only(f, HEAPSIM_RECORD_UNMATCHED_END);
	own_event(f, events, HEAPSIM_RECORD_END);
	assert_none(events);
	own_event(f, ends, HEAPSIM_RECORD_END);
	assert_none(ends);
	assert_true(record_next(both, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_UNMATCHED_END);
	assert_int_equal(r.access, 0);
	own_event(f, both, HEAPSIM_RECORD_END);
	assert_none(both);
	close(ends);
	close(events);
	close(both);
}

static void events_are_not_folded(void **state)
{
	struct fixture *f = *state;
	int events = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_EVENTS, 5);
	struct heapsim_record r;
	size_t i;

	for (i = 0; i < 8; i++)
		device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN, 0, f->line);
	for (i = 0; i < 5; i++) {
		r = own_event(f, events, HEAPSIM_RECORD_CLEAN);
		assert_int_equal(r.count, 0);
		assert_int_equal(r.seq, i + 1);
	}
	assert_true(record_next(events, &r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_DROPPED);
	assert_int_equal(r.count, 3);
	assert_none(events);
	record_drain(f->watch);
	close(events);
}

static sig_atomic_t nr_signals;

static void on_stack_signal(int signal, siginfo_t *info, void *context)
{
	nr_signals++;
}

static void events_ask_for_no_stack(void **state)
{
	struct fixture *f = *state;
	struct sigaction action = {
		.sa_sigaction = on_stack_signal,
		.sa_flags = SA_SIGINFO | HEAPSIM_SA_STACK,
	};
	struct heapsim_watch watch = {
		.size = sizeof(watch),
		.scope = HEAPSIM_WATCH_PROCESS,
		.kinds = HEAPSIM_KINDS_EVENTS,
		.nr_records = 16,
		.record_size = sizeof(struct heapsim_record),
		.stack_signal = SIGUSR1,
	};
	int events = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);

	/*
	 * No invalidate is redundant, since a finding would ask for a stack. A
	 * START asks for one, too, since a later finding may refer to it.
	 */
	read_at(f->map);
	sigaction(SIGUSR1, &action, NULL);
	assert_int_equal(device_ioctl_errno(events, HEAPSIM_IOC_WATCH, &watch),
			 0);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(nr_signals, 1);
	read_at(f->map);
	device_sync(f->fd, SYNC_END_READ);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 0, f->len);
	own_event(f, events, HEAPSIM_RECORD_INVALIDATE);
	own_event(f, events, HEAPSIM_RECORD_START);
	own_event(f, events, HEAPSIM_RECORD_FILL);
	own_event(f, events, HEAPSIM_RECORD_END);
	own_event(f, events, HEAPSIM_RECORD_INVALIDATE);
	assert_none(events);
	close(events);
	signal(SIGUSR1, SIG_DFL);
	assert_none(f->watch);
	assert_int_equal(nr_signals, 1);
}

static void events_have_the_scope_of_findings(void **state)
{
	struct fixture *f = *state;
	int events = events_open();
	int tree = watch_open(HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_EVENTS, 8);
	struct heapsim_record r;

	assert_int_equal(device_in_child(make_unmatched_end, f), 0);
	assert_none(events);
	r = event(f, tree, HEAPSIM_RECORD_END);
	assert_true(r.cpu.pid && r.cpu.pid != (uint32_t)getpid());
	assert_none(tree);
	close(tree);
	close(events);
}

static int watch_events_as_nobody(void *arg)
{
	struct fixture *f = arg;
	int watch = open("/dev/heapsim", O_RDWR | O_NONBLOCK);

	if (setresuid(NOBODY, NOBODY, 0) ||
	    device_watch_errno(watch, HEAPSIM_WATCH_TREE, HEAPSIM_KINDS_EVENTS,
			       4))
		return 1;
	if (device_in_child(make_unmatched_end_as_root, f) ||
	    read_one(watch) != -EAGAIN)
		return 2;
	if (device_in_child(make_unmatched_end_as_nobody, f))
		return 3;
	return read_one(watch) == HEAPSIM_RECORD_END ? 0 : 4;
}

static void other_users_events_are_not_reported(void **state)
{
	assert_int_equal(device_in_child(watch_events_as_nobody, *state), 0);
}

static void bad_watches_are_refused(void **state)
{
	const struct heapsim_watch good = {
		.size = sizeof(good),
		.scope = HEAPSIM_WATCH_PROCESS,
		.kinds = HEAPSIM_KINDS_ALL,
		.nr_records = 1,
		.record_size = sizeof(struct heapsim_record),
	};
	struct heapsim_watch bad[10];
	struct heapsim_record r;
	int dev = device_open();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].scope = 0;
	bad[1].scope = HEAPSIM_WATCH_ALL + 1;
	bad[2].kinds |= HEAPSIM_KIND_BIT(HEAPSIM_NR_RECORD_KINDS);
	bad[3].kinds |= HEAPSIM_KIND_BIT(HEAPSIM_RECORD_DROPPED);
	bad[4].nr_records = 0;
	bad[5].nr_records = HEAPSIM_WATCH_MAX_RECORDS + 1;
	bad[6].record_size = FIRST_RECORD_SIZE - 8;
	bad[7].record_size = sizeof(r) + 1;
	bad[8].record_size = HEAPSIM_WATCH_MAX_SIZE + 8;
	bad[9].kinds |= HEAPSIM_KIND_BIT(HEAPSIM_RECORD_EVENTS_END);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_WATCH,
						    &bad[i]), -EINVAL);
	assert_int_equal(device_poll(dev, POLLIN, 0), POLLERR);
	errno = 0;
	assert_int_equal(read(dev, &r, sizeof(r)), -1);
	assert_int_equal(errno, EINVAL);
	bad[0] = good;
	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_WATCH, &bad[0]),
			 0);
	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_WATCH, &bad[0]),
			 -EBUSY);
	errno = 0;
	assert_int_equal(read(dev, &r, sizeof(r) - 1), -1);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(pread(dev, &r, sizeof(r), 0), -1);
	assert_int_equal(errno, ESPIPE);
	close(dev);
}

/* Privileged watchers are limited only by the number of slots. */
static void watchers_are_bounded(void **state)
{
	int fds[65];
	size_t nr, i;
	int ret = 0;

	for (nr = 0; nr < ARRAY_SIZE(fds) && !ret; nr++) {
		fds[nr] = device_open();
		ret = device_watch_errno(fds[nr], HEAPSIM_WATCH_ALL,
					 HEAPSIM_KINDS_ERRORS, 1);
	}
	/* The fixture has one, too. */
	assert_int_equal(ret, -EBUSY);
	assert_int_equal(nr, 64);
	for (i = 0; i < nr; i++)
		close(fds[i]);
	close(watch_open(HEAPSIM_WATCH_ALL, HEAPSIM_KINDS_ERRORS, 1));
}

static int watch_much_as_nobody(void *arg)
{
	int fds[17];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = open("/dev/heapsim", O_RDWR);
	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	for (i = 0; i < ARRAY_SIZE(fds) - 1; i++)
		if (device_watch_errno(fds[i], HEAPSIM_WATCH_TREE,
				       HEAPSIM_KINDS_ERRORS, 1))
			return 2;
	return device_watch_errno(fds[i], HEAPSIM_WATCH_TREE,
				  HEAPSIM_KINDS_ERRORS, 1) == -EBUSY ? 0 : 3;
}

static void watchers_of_a_user_are_bounded(void **state)
{
	assert_int_equal(device_in_child(watch_much_as_nobody, NULL), 0);
}

#define NR_THREADS	32
#define NR_TOUCHES	200

struct crowd {
	struct fixture *f;
	int watch;
	pthread_barrier_t barrier;
	bool is_over;
	uint64_t told[HEAPSIM_NR_RECORD_KINDS];
};

static void *touch_much(void *arg)
{
	struct crowd *crowd = arg;
	struct fixture *f = crowd->f;
	size_t i;

	pthread_barrier_wait(&crowd->barrier);
	for (i = 0; i < NR_TOUCHES; i++) {
		uint8_t *at = f->map + i % NR_PAGES * f->page;

		switch (i % 4) {
		case 0:
			device_revoke(f->dev, f->fd);
			break;
		case 1:
			device_sync_errno(f->fd, SYNC_END_READ);
			break;
		case 2:
			write_at(at, i);
			break;
		default:
			read_at(at);
			break;
		}
	}
	return NULL;
}

static void *read_all(void *arg)
{
	struct crowd *crowd = arg;
	struct heapsim_record r[3];
	bool is_last;
	ssize_t n, i;

	do {
		is_last = __atomic_load_n(&crowd->is_over, __ATOMIC_ACQUIRE);
		while ((n = read(crowd->watch, r, sizeof(r))) > 0)
			for (i = 0; i < n / (ssize_t)sizeof(*r); i++)
				crowd->told[r[i].kind] += r[i].count;
		sched_yield();
	} while (!is_last);
	return NULL;
}

/* With engines and many threads at once, records must match the counters. */
static void a_crowd_is_reported_as_it_is_counted(void **state)
{
	struct crowd crowd = { .f = *state };
	struct fixture *f = *state;
	struct heapsim_counters count;
	pthread_t threads[NR_THREADS], reader;
	const uint64_t *told = crowd.told;
	int events;
	size_t i;

	/* A reader of events is too slow and loses some. */
	events = events_open();
	/* There is room for all records, since the reader may be late. */
	crowd.watch = watch_open(HEAPSIM_WATCH_PROCESS, HEAPSIM_KINDS_ERRORS,
				 HEAPSIM_WATCH_MAX_RECORDS);
	pthread_barrier_init(&crowd.barrier, NULL, NR_THREADS + 1);
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, touch_much,
						&crowd), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_all, &crowd), 0);
	pthread_barrier_wait(&crowd.barrier);
	for (i = 0; i < 50; i++) {
		device_fill(f->dev, f->fd, 0, f->len, i);
		device_checksum(f->dev, f->fd, 0, f->len);
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	/* All jobs so far may have run before the first thread began. */
	device_checksum(f->dev, f->fd, 0, f->len);
	__atomic_store_n(&crowd.is_over, true, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	pthread_barrier_destroy(&crowd.barrier);
	close(crowd.watch);
	close(events);
	count = device_count(f->dev, f->fd);
	assert_true(count.unmatched_ends == NR_THREADS * NR_TOUCHES / 4);
	assert_true(count.write_conflicts + count.missing_cleans > 0);
	assert_int_equal(told[HEAPSIM_RECORD_DROPPED], 0);
	assert_int_equal(told[HEAPSIM_RECORD_STALE_READ], count.stale_reads);
	assert_int_equal(told[HEAPSIM_RECORD_POSSIBLE_STALE_READ],
			 count.possible_stale_reads);
	assert_int_equal(told[HEAPSIM_RECORD_LOST_DEVICE_WRITE],
			 count.lost_device_writes);
	assert_int_equal(told[HEAPSIM_RECORD_LOST_CPU_WRITE],
			 count.lost_cpu_writes);
	assert_int_equal(told[HEAPSIM_RECORD_MISSING_CLEAN],
			 count.missing_cleans);
	assert_int_equal(told[HEAPSIM_RECORD_WRITE_CONFLICT],
			 count.write_conflicts);
	assert_int_equal(told[HEAPSIM_RECORD_UNBRACKETED_ACCESS],
			 count.unbracketed_accesses);
	assert_int_equal(told[HEAPSIM_RECORD_UNMATCHED_END],
			 count.unmatched_ends);
}

/* A watch that is never read is closed while records are made. */
static void watchers_may_go_at_any_time(void **state)
{
	struct crowd crowd = { .f = *state };
	struct fixture *f = *state;
	pthread_t threads[NR_THREADS];
	size_t i;

	pthread_barrier_init(&crowd.barrier, NULL, NR_THREADS + 1);
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, touch_much,
						&crowd), 0);
	pthread_barrier_wait(&crowd.barrier);
	for (i = 0; i < 100; i++) {
		int watch = watch_open(1 + i % 3, i % 2 ? HEAPSIM_KINDS_ALL :
				       HEAPSIM_KINDS_EVENTS, 1 + i % 7);

		device_checksum(f->dev, f->fd, 0, f->len);
		close(watch);
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&crowd.barrier);
	record_drain(f->watch);
}

int main(void)
{
#define TEST(name)	\
	cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(stale_read_is_reported),
		TEST(possible_stale_read_is_reported),
		TEST(lost_device_write_is_reported),
		TEST(lost_cpu_write_is_reported),
		TEST(missing_clean_is_reported),
		TEST(write_conflict_is_reported),
		TEST(clean_while_a_job_runs_is_too_late),
		TEST(job_tells_a_line_once),
		TEST(rows_of_a_job_are_reported_alone),
		TEST(clean_while_a_job_writes_is_too_late),
		TEST(invalidate_while_a_job_writes_is_too_early),
		TEST(job_in_place_tells_of_both_sides),
		TEST(clean_before_the_fence_of_a_job_is_in_time),
		TEST(clean_after_the_fence_of_a_job_is_too_late),
		TEST(job_whose_fence_never_comes_tells_of_no_line),
		TEST(touch_of_a_held_buffer_is_reported),
		TEST(touch_under_a_fence_is_reported),
		TEST(unmatched_end_is_reported),
		TEST(missing_end_is_reported_to_the_tree),
		TEST(read_bracket_left_open_is_no_error),
		TEST(missing_end_of_the_watcher_is_reported),
		TEST(outer_watch_outlives_the_inner_one),
		TEST(costs_are_reported_by_their_kinds),
		TEST(repeats_are_folded_until_they_are_read),
		TEST(the_right_holder_is_named),
		TEST(other_code_is_another_place),
		TEST(other_code_ends_a_row),
		TEST(code_behind_a_row_is_distinguished),
		TEST(drops_are_reported),
		TEST(drops_are_reported_in_their_place),
		TEST(waste_costs_no_mistake),
		TEST(scopes_are_kept),
		TEST(other_users_processes_are_not_reported),
		TEST(addresses_of_a_neighbour_are_not_reported),
		TEST(processes_of_other_namespaces_are_not_reported),
		TEST(sides_of_other_users_are_blank),
		TEST(works_of_other_users_are_blank),
		TEST(sides_of_the_tree_are_reported_after_its_end),
		TEST(a_number_that_is_used_again_is_another_process),
		TEST(pids_are_those_of_the_readers_namespace),
		TEST(read_and_poll_wait),
		TEST(epoll_sees_a_watch_that_begins_later),
		TEST(read_is_interrupted),
		TEST(bad_memory_loses_no_record),
		TEST(newer_readers_get_zeros),
		TEST(older_readers_get_what_they_know),
		TEST(brackets_and_their_maintenance_are_events),
		TEST(jobs_are_events),
		TEST(works_are_events),
		TEST(holds_are_events),
		TEST(evictions_are_events),
		TEST(events_are_for_who_asks),
		TEST(events_are_not_folded),
		TEST(events_ask_for_no_stack),
		TEST(events_have_the_scope_of_findings),
		TEST(other_users_events_are_not_reported),
		TEST(bad_watches_are_refused),
		TEST(watchers_are_bounded),
		TEST(watchers_of_a_user_are_bounded),
		TEST(a_crowd_is_reported_as_it_is_counted),
		TEST(watchers_may_go_at_any_time),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
