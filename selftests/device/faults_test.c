// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes every call fail at its first, second, third... allocation or user copy,
 * until none is left. Each call must return a documented error, leave nothing
 * behind, and succeed when repeated. Needs /proc/self/fail-nth, which the debug
 * kernel has.
 */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>

#include "rights.h"
#include "vgem.h"

#define LEN		(12 * KIB)
#define MAX_NTH		5000
/*
 * The number of allocations of a call varies by a few, since a processor may
 * have some objects cached. This many attempts without a fault mean that there
 * are no more.
 */
#define NR_BEYOND	8
#define SETTLE_NS	(300 * NSEC_PER_SEC)

/* Result of a call that ended in SIGBUS; no call returns EIO otherwise. */
#define WAS_SIGBUS	(-EIO)

/* Made anew for every attempt. */
struct fixture {
	int heap;
	int dev;
	int vgem;
	int fd;		/* two views */
	int other;	/* two views */
	int foreign;	/* buffer of vgem, or -1 */
	int hoard;	/* all write-combined memory of the pool, or -1 */
	int mem;	/* /proc/self/mem, or -1 */
	int watcher;	/* an open of /dev/heapsim that can watch, or -1 */
	uint8_t *map;	/* mapping of fd, or NULL */
	int made;	/* descriptor that a call returned */
	uint8_t *mapped;	/* mapping that a call returned */
	uint64_t id;	/* id of a job, fence, hold, handle or stream object */
	uint64_t stream;	/* 0: the NULL stream */
	struct managed managed;	/* .map NULL: none */
	int made_view;	/* device view that a call returned, or -1 */
	int error;	/* -errno of a call that failed */
	size_t foreign_len;
};

/**
 * struct call - a call to test
 * @prepare: makes what the call needs beyond the fixture; may be NULL
 * @run: does the call, and nothing else that allocates; returns 0 or -errno
 * @undo: reverts a successful @run, so that it can be repeated
 * @settle: reverts what a failed call may leave; may be NULL
 * @may_sigbus: the call accesses memory
 * @takes_pages: the call allocates pages; the pool must be empty, or they would
 *	not come from the kernel
 */
struct call {
	void (*prepare)(struct fixture *f);
	int (*run)(struct fixture *f);
	void (*undo)(struct fixture *f);
	void (*settle)(struct fixture *f);
	bool may_sigbus;
	bool takes_pages;
};

/* Counts that must be unchanged after a failure */
struct held {
	size_t nr_fds;
	size_t nr_bufs;
	size_t buf_bytes;
	size_t cpu_bytes;
	size_t nr_jobs;
	size_t nr_holders[2];
};

static int watch = -1;		/* an open of /dev/heapsim for queries */
static int fail_nth = -1;

static void write_to(const char *path, const char *what)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, what, strlen(what)) < 0)
		fail_msg("%s: %s", path, strerror(errno));
	close(fd);
}

/* Makes the @nth following allocation or user copy of this thread fail. */
static void arm(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	assert_int_equal(pwrite(fail_nth, text, len, 0), len);
}

/* Returns true if an allocation or copy was made to fail. */
static bool disarm(void)
{
	char text[16] = "";
	/* If 1 was left, the copy of this read itself fails. */
	bool was_there = pread(fail_nth, text, sizeof(text) - 1, 0) > 0 &&
			 !atoi(text);

	while (pwrite(fail_nth, "0", 1, 0) != 1)
		assert_int_equal(errno, EFAULT);
	return was_there;
}

static struct held held_now(const struct fixture *f)
{
	struct heapsim_info info = device_info(watch);
	struct held held = {
		.nr_fds = device_nr_fds(),
		.nr_bufs = info.nr_bufs,
		.buf_bytes = info.buf_bytes,
		.cpu_bytes = info.cpu_bytes,
		.nr_jobs = info.nr_jobs,
	};

	if (f) {
		held.nr_holders[0] = device_buf_info(watch, f->fd).nr_holders;
		held.nr_holders[1] =
			device_buf_info(watch, f->other).nr_holders;
	}
	return held;
}

/* Waits for a while, since workers release some objects later. */
static void assert_held(const struct fixture *f, const struct held *want,
			unsigned int nth, const char *when)
{
	uint64_t end = device_now_ns() + SETTLE_NS;
	struct held got;

	do {
		got = held_now(f);
		if (!memcmp(&got, want, sizeof(got)))
			return;
		device_sleep_ns(5 * NSEC_PER_MSEC);
	} while (device_now_ns() < end);
	fail_msg("fault %u: %s: %zu fds, not %zu; %zu buffers, not %zu; "
		 "%zu bytes, not %zu; %zu of CPU views, not %zu; "
		 "%zu jobs, not %zu; holders %zu and %zu, not %zu and %zu",
		 nth, when, got.nr_fds, want->nr_fds, got.nr_bufs,
		 want->nr_bufs, got.buf_bytes, want->buf_bytes, got.cpu_bytes,
		 want->cpu_bytes, got.nr_jobs, want->nr_jobs,
		 got.nr_holders[0], got.nr_holders[1], want->nr_holders[0],
		 want->nr_holders[1]);
}

static void fixture_make(struct fixture *f)
{
	*f = (struct fixture) {
		.vgem = -1,
		.foreign = -1,
		.hoard = -1,
		.mem = -1,
		.watcher = -1,
		.made = -1,
		.made_view = -1,
	};
	f->dev = device_open();
	f->heap = device_heap_open("noncoherent", O_RDWR);
	f->fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, LEN);
	f->other = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, LEN);
}

static void fixture_drop(struct fixture *f)
{
	const int fds[] = { f->heap, f->dev, f->vgem, f->fd, f->other,
			    f->foreign, f->hoard, f->mem, f->watcher };
	size_t i;

	if (f->map)
		device_unmap(f->map, LEN);
	if (f->managed.map)
		managed_destroy(&f->managed);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void pool_drain(struct fixture *f)
{
	uint64_t end = device_now_ns() + SETTLE_NS, left, last = 0;

	for (;;) {
		write_to("/proc/sys/vm/drop_caches", "2");
		left = device_info(watch).pool_bytes;
		/* The rest is write-combined, which no shrinker frees. */
		if (!left || left == last)
			break;
		last = left;
		assert_true(device_now_ns() < end);
	}
	if (left)
		f->hoard = device_alloc(f->dev, HEAPSIM_KIND_UNCACHED, left);
}

static bool is_documented(const struct call *call, int ret)
{
	/* EFAULT means that a copy from or to user space failed. */
	return ret == -ENOMEM || ret == -EFAULT ||
	       (call->may_sigbus && ret == WAS_SIGBUS);
}

/* Does one attempt; returns true if an allocation or copy failed. */
static bool attempt(const struct call *call, unsigned int nth,
		    unsigned int *nr_failed)
{
	struct held before = held_now(NULL), ready;
	struct fixture f;
	bool was_there;
	int ret;

	fixture_make(&f);
	if (call->prepare)
		call->prepare(&f);
	if (call->takes_pages)
		pool_drain(&f);
	ready = held_now(&f);
	arm(nth);
	ret = call->run(&f);
	was_there = disarm();
	if (!ret) {
		call->undo(&f);
	} else {
		if (!was_there)
			fail_msg("fault %u: %s without a fault", nth,
				 strerror(-ret));
		if (!is_documented(call, ret))
			fail_msg("fault %u: %s", nth, strerror(-ret));
		++*nr_failed;
		f.error = ret;
		if (call->settle)
			call->settle(&f);
	}
	assert_held(&f, &ready, nth, ret ? strerror(-ret) : "undone");
	ret = call->run(&f);
	if (ret)
		fail_msg("fault %u: asked again: %s", nth, strerror(-ret));
	call->undo(&f);
	assert_held(&f, &ready, nth, "asked again");
	fixture_drop(&f);
	assert_held(NULL, &before, nth, "all closed");
	return was_there;
}

static void sweep(void **state)
{
	const struct call *call = *state;
	unsigned int nth, last = 0, nr_failed = 0;

	for (nth = 1; nth <= last + NR_BEYOND; nth++) {
		assert_true(nth < MAX_NTH);
		if (attempt(call, nth, &nr_failed))
			last = nth;
	}
	printf("# %u faults, %u failed the call\n", last, nr_failed);
	fflush(stdout);
	assert_true(nr_failed > 0);
}

static void close_made(struct fixture *f)
{
	assert_int_equal(close(f->made), 0);
	f->made = -1;
}

static void nothing(struct fixture *f)
{
}

static int made_or_errno(struct fixture *f, int ret)
{
	if (ret < 0)
		return ret;
	f->made = ret;
	return 0;
}

/* Buffers. */

static int run_open(struct fixture *f)
{
	int fd = open("/dev/heapsim", O_RDWR | O_CLOEXEC);

	return made_or_errno(f, fd < 0 ? -errno : fd);
}

static const struct call open_of_the_device = {
	.run = run_open,
	.undo = close_made,
};

static int run_heap_alloc(struct fixture *f)
{
	return made_or_errno(f, device_heap_alloc_errno(f->heap, LEN,
							O_RDWR | O_CLOEXEC));
}

static const struct call alloc_from_a_heap = {
	.run = run_heap_alloc,
	.undo = close_made,
	.takes_pages = true,
};

/* The struct is larger than the module's buffer on the stack. */
static int run_heap_alloc_large(struct fixture *f)
{
	struct {
		struct dma_heap_allocation_data head;
		uint64_t tail[16];
	} data = {
		.head.len = LEN,
		.head.fd_flags = O_RDWR | O_CLOEXEC,
	};
	int ret = device_ioctl_errno(f->heap,
				     _IOC(_IOC_READ | _IOC_WRITE,
					  DMA_HEAP_IOC_MAGIC, 0, sizeof(data)),
				     &data);

	return made_or_errno(f, ret < 0 ? ret : (int)data.head.fd);
}

static const struct call alloc_from_a_heap_by_a_longer_struct = {
	.run = run_heap_alloc_large,
	.undo = close_made,
};

static int run_alloc(struct fixture *f, uint32_t kind)
{
	return made_or_errno(f, device_alloc_errno(f->dev, kind, LEN,
						   O_RDWR | O_CLOEXEC));
}

static int run_alloc_noncoherent(struct fixture *f)
{
	return run_alloc(f, HEAPSIM_KIND_NONCOHERENT);
}

static const struct call alloc_of_noncoherent = {
	.run = run_alloc_noncoherent,
	.undo = close_made,
	.takes_pages = true,
};

static int run_alloc_uncached(struct fixture *f)
{
	return run_alloc(f, HEAPSIM_KIND_UNCACHED);
}

static const struct call alloc_of_uncached = {
	.run = run_alloc_uncached,
	.undo = close_made,
	.takes_pages = true,
};

static int run_alloc_contiguous(struct fixture *f)
{
	return run_alloc(f, HEAPSIM_KIND_CONTIGUOUS);
}

static const struct call alloc_of_contiguous = {
	.run = run_alloc_contiguous,
	.undo = close_made,
};

/* Commands that only query. */

static int run_probe(struct fixture *f)
{
	struct heapsim_probe probe = { .size = sizeof(probe) };

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_PROBE, &probe);
}

static const struct call probe = {
	.run = run_probe,
	.undo = nothing,
};

static int run_info(struct fixture *f)
{
	struct heapsim_info info = { .size = sizeof(info) };

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_INFO, &info);
}

static const struct call info = {
	.run = run_info,
	.undo = nothing,
};

static int run_buf_info(struct fixture *f)
{
	struct heapsim_buf_info info = { .size = sizeof(info), .fd = f->fd };

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_INFO, &info);
}

static const struct call info_of_a_buffer = {
	.run = run_buf_info,
	.undo = nothing,
};

/* Memory that is mapped and accessed. */

static sigjmp_buf back;

static void on_sigbus(int signr)
{
	siglongjmp(back, 1);
}

/* Returns 0 or WAS_SIGBUS. */
static int touch(uint8_t *at, bool is_write)
{
	struct sigaction action = { .sa_handler = on_sigbus }, old;
	int ret = 0;

	sigaction(SIGBUS, &action, &old);
	if (sigsetjmp(back, 1))
		ret = WAS_SIGBUS;
	else if (is_write)
		__atomic_store_n(at, 1, __ATOMIC_RELAXED);
	else
		device_peek(at);
	sigaction(SIGBUS, &old, NULL);
	return ret;
}

static void map_fd(struct fixture *f)
{
	f->map = device_map(f->fd, LEN);
}

static int run_map(struct fixture *f, int fd)
{
	uint8_t *map = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    0);
	int ret;

	if (map == MAP_FAILED)
		return -errno;
	ret = touch(map, false);
	if (ret)
		munmap(map, LEN);
	else
		f->mapped = map;
	return ret;
}

static int run_map_fd(struct fixture *f)
{
	return run_map(f, f->fd);
}

static void unmap_mapped(struct fixture *f)
{
	device_unmap(f->mapped, LEN);
}

static const struct call map_and_first_read = {
	.run = run_map_fd,
	.undo = unmap_mapped,
	.may_sigbus = true,
	.takes_pages = true,
};

/* With an importer that may write, the first read allocates pages. */
static void hold_and_map(struct fixture *f)
{
	struct heapsim_hold hold;

	map_fd(f);
	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_BIDIRECTIONAL, &hold),
			 0);
	f->id = hold.hold;
}

static int run_read(struct fixture *f)
{
	return touch(f->map, false);
}

/* An invalidate frees the pages of the CPU's view. */
static void invalidate(struct fixture *f)
{
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 0, LEN);
}

static const struct call first_read_of_a_held_buffer = {
	.prepare = hold_and_map,
	.run = run_read,
	.undo = invalidate,
	.may_sigbus = true,
	.takes_pages = true,
};

static int run_write(struct fixture *f)
{
	return touch(f->map, true);
}

static const struct call first_write = {
	.prepare = map_fd,
	.run = run_write,
	.undo = invalidate,
	.may_sigbus = true,
	.takes_pages = true,
};

static void map_and_read(struct fixture *f)
{
	map_fd(f);
	assert_int_equal(touch(f->map, false), 0);
}

static void invalidate_and_read(struct fixture *f)
{
	invalidate(f);
	assert_int_equal(touch(f->map, false), 0);
}

static const struct call first_write_after_a_read = {
	.prepare = map_and_read,
	.run = run_write,
	.undo = invalidate_and_read,
	.may_sigbus = true,
	.takes_pages = true,
};

/* The kernel turns any error of such an access into EIO. */
static int run_mem_write(struct fixture *f)
{
	uint8_t byte = 1;

	if (pwrite(f->mem, &byte, 1, (uintptr_t)f->map) == 1)
		return 0;
	return -errno;
}

static void open_mem(struct fixture *f)
{
	map_fd(f);
	f->mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	assert_true(f->mem >= 0);
}

static const struct call write_by_a_debugger = {
	.prepare = open_mem,
	.run = run_mem_write,
	.undo = invalidate,
	.may_sigbus = true,
	.takes_pages = true,
};

/* Brackets and maintenance. */

static int run_start(struct fixture *f)
{
	return device_sync_errno(f->fd, SYNC_START_RW);
}

static void undo_start(struct fixture *f)
{
	device_sync(f->fd, SYNC_END_RW);
}

static const struct call start_of_a_bracket = {
	.run = run_start,
	.undo = undo_start,
};

static int run_maintain(struct fixture *f)
{
	struct heapsim_range range = {
		.fd = f->fd,
		.op = HEAPSIM_MAINT_CLEAN_INVALIDATE,
		.len = LEN,
	};

	return device_maintain_errno(f->dev, &range, 1, NULL);
}

static const struct call maintenance = {
	.run = run_maintain,
	.undo = nothing,
};

static int run_revoke(struct fixture *f)
{
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = f->fd,
	};

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REVOKE, &revoke);
}

static void map_and_watch(struct fixture *f)
{
	map_fd(f);
	assert_int_equal(device_watch_errno(f->dev, HEAPSIM_WATCH_PROCESS, 0,
					    1), 0);
}

static const struct call revocation = {
	.prepare = map_and_watch,
	.run = run_revoke,
	.undo = nothing,
};

/* Watching, and reading of records. */

static int run_watch(struct fixture *f)
{
	return device_watch_errno(f->watcher, HEAPSIM_WATCH_PROCESS,
				  HEAPSIM_KINDS_ALL, 4);
}

static void open_another(struct fixture *f)
{
	f->watcher = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	assert_true(f->watcher >= 0);
}

static void reopen(struct fixture *f)
{
	close(f->watcher);
	open_another(f);
}

static const struct call watching = {
	.prepare = open_another,
	.run = run_watch,
	.undo = reopen,
};

static void watch_and_be_told(struct fixture *f)
{
	open_another(f);
	assert_int_equal(run_watch(f), 0);
	assert_int_equal(device_sync_errno(f->fd, SYNC_END_READ), 0);
}

static int run_read_record(struct fixture *f)
{
	struct heapsim_record r;

	return read(f->watcher, &r, sizeof(r)) < 0 ? -errno :
	       r.kind == HEAPSIM_RECORD_UNMATCHED_END ? 0 : -EBADMSG;
}

static void be_told(struct fixture *f)
{
	assert_int_equal(device_sync_errno(f->fd, SYNC_END_READ), 0);
}

/* A record that could not be copied is returned by the next read. */
static const struct call reading_of_records = {
	.prepare = watch_and_be_told,
	.run = run_read_record,
	.undo = be_told,
};

/*
 * Jobs. If lines of the destination are in the CPU's cache, a job allocates
 * pages for them, which are kept until an invalidate. A job whose result could
 * not be copied to the caller runs all the same.
 */

static int submit(struct fixture *f, int src, int dst, uint64_t delay_ns)
{
	struct heapsim_dma_submit submit = {
		.op = src < 0 ? HEAPSIM_DMA_FILL : HEAPSIM_DMA_COPY,
		.src_fd = src,
		.dst_fd = dst,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = delay_ns,
	};
	int ret = device_submit_errno(f->dev, &submit);

	if (ret)
		return ret;
	f->made = submit.fence_fd;
	f->id = submit.job;
	return 0;
}

static int run_submit(struct fixture *f, int src, int dst)
{
	return submit(f, src, dst, 0);
}

static void job_end(struct fixture *f)
{
	struct heapsim_job_wait answer;

	close_made(f);
	assert_int_equal(device_wait_errno(f->dev, f->id, 60 * NSEC_PER_SEC,
					   &answer), 0);
	assert_int_equal(answer.status, 0);
}

static void jobs_end_and_read(struct fixture *f)
{
	while (device_info(watch).nr_jobs)
		device_sleep_ns(NSEC_PER_MSEC);
	invalidate_and_read(f);
}

static void job_end_and_read(struct fixture *f)
{
	job_end(f);
	invalidate_and_read(f);
}

static int run_fill(struct fixture *f)
{
	return run_submit(f, -1, f->fd);
}

static const struct call fill_of_a_buffer = {
	.prepare = map_and_read,
	.run = run_fill,
	.undo = job_end_and_read,
	.settle = jobs_end_and_read,
	.takes_pages = true,
};

static int run_copy(struct fixture *f)
{
	return run_submit(f, f->other, f->fd);
}

static const struct call copy_between_buffers = {
	.prepare = map_and_read,
	.run = run_copy,
	.undo = job_end_and_read,
	.settle = jobs_end_and_read,
	.takes_pages = true,
};

/* A delayed job allocates a copy of the state of both buffers. */
static int run_copy_delayed(struct fixture *f)
{
	return submit(f, f->other, f->fd, 1);
}

static const struct call copy_that_is_delayed = {
	.prepare = map_and_read,
	.run = run_copy_delayed,
	.undo = job_end_and_read,
	.settle = jobs_end_and_read,
	.takes_pages = true,
};

static void vgem_make(struct fixture *f)
{
	f->vgem = vgem_open();
	if (f->vgem < 0)
		device_skip("this kernel has no vgem");
}

static void foreign_make(struct fixture *f)
{
	vgem_make(f);
	f->foreign = device_vgem_dumb(f->vgem, LEN, &f->foreign_len);
}

static int run_fill_foreign(struct fixture *f)
{
	return run_submit(f, -1, f->foreign);
}

static const struct call fill_of_a_foreign_buffer = {
	.prepare = foreign_make,
	.run = run_fill_foreign,
	.undo = job_end,
};

static int run_copy_foreign(struct fixture *f)
{
	return run_submit(f, f->foreign, f->fd);
}

static const struct call copy_from_a_foreign_buffer = {
	.prepare = foreign_make,
	.run = run_copy_foreign,
	.undo = job_end,
};

static void submit_and_poll(struct fixture *f)
{
	assert_int_equal(run_fill(f), 0);
	assert_int_equal(device_poll(f->made, POLLIN, 60000), POLLIN);
	close_made(f);
	/* A job whose id is unknown has ended when it is no longer counted. */
	while (device_info(watch).nr_jobs)
		device_sleep_ns(NSEC_PER_MSEC);
}

static int run_wait(struct fixture *f)
{
	struct heapsim_job_wait answer;

	return device_wait_errno(f->dev, f->id, 60 * NSEC_PER_SEC, &answer);
}

static const struct call wait_for_a_job = {
	.prepare = submit_and_poll,
	.run = run_wait,
	.undo = submit_and_poll,
};

/* Fences. */

static int run_fence(struct fixture *f)
{
	struct heapsim_fence_create answer;
	int ret = device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_WRITE,
				     10 * NSEC_PER_SEC, &answer);

	if (ret)
		return ret;
	f->made = answer.fence_fd;
	f->id = answer.fence;
	return 0;
}

static void undo_fence(struct fixture *f)
{
	device_fence_signal(f->dev, f->id, 0);
	close_made(f);
}

static const struct call fence_create = {
	.prepare = map_fd,
	.run = run_fence,
	.undo = undo_fence,
};

static void fence_make(struct fixture *f)
{
	assert_int_equal(run_fence(f), 0);
	close_made(f);
}

static int run_signal(struct fixture *f)
{
	struct heapsim_fence_signal fence_signal = {
		.size = sizeof(fence_signal),
		.fence = f->id,
	};

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_FENCE_SIGNAL,
				  &fence_signal);
}

static const struct call signal_of_a_fence = {
	.prepare = fence_make,
	.run = run_signal,
	.undo = fence_make,
};

/* Importers. */

static int run_hold(struct fixture *f, uint32_t how)
{
	struct heapsim_hold answer;
	int ret = device_hold_errno(f->dev, f->fd, how,
				    HEAPSIM_DIR_BIDIRECTIONAL, &answer);

	f->id = answer.hold;
	return ret;
}

static void undo_hold(struct fixture *f)
{
	device_release(f->dev, f->id);
}

static void undo_hold_and_read(struct fixture *f)
{
	undo_hold(f);
	invalidate_and_read(f);
}

static int run_hold_map(struct fixture *f)
{
	return run_hold(f, HEAPSIM_HOLD_MAP);
}

static const struct call map_by_an_importer = {
	.prepare = map_and_read,
	.run = run_hold_map,
	.undo = undo_hold_and_read,
	.takes_pages = true,
};

static int run_hold_vmap(struct fixture *f)
{
	return run_hold(f, HEAPSIM_HOLD_VMAP);
}

static const struct call vmap_by_an_importer = {
	.prepare = map_and_read,
	.run = run_hold_vmap,
	.undo = undo_hold_and_read,
	.takes_pages = true,
};

static void hold_make(struct fixture *f)
{
	assert_int_equal(run_hold_map(f), 0);
}

static int run_release(struct fixture *f)
{
	struct heapsim_release release = {
		.size = sizeof(release),
		.hold = f->id,
	};

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_RELEASE, &release);
}

static const struct call release_by_an_importer = {
	.prepare = hold_make,
	.run = run_release,
	.undo = hold_make,
};

static int run_import(struct fixture *f)
{
	struct drm_prime_handle prime = { .fd = f->fd };
	int ret = device_ioctl_errno(f->vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE,
				     &prime);

	f->id = prime.handle;
	return ret;
}

static void undo_import(struct fixture *f)
{
	struct drm_gem_close gem_close = { .handle = f->id };

	assert_int_equal(device_ioctl_errno(f->vgem, DRM_IOCTL_GEM_CLOSE,
					    &gem_close), 0);
}

/*
 * DRM does not undo the import if it cannot copy the result to user space. So
 * after EFAULT there may be a handle, the first of the descriptor, which the
 * caller does not know; closing it must release the buffer. After any other
 * error the buffer must not be held.
 */
static void close_untold(struct fixture *f)
{
	struct drm_gem_close gem_close = { .handle = 1 };
	int ret;

	if (f->error != -EFAULT)
		return;
	ret = device_ioctl_errno(f->vgem, DRM_IOCTL_GEM_CLOSE, &gem_close);
	/* If copying the arguments failed, there is no handle. */
	assert_true(!ret || ret == -EINVAL);
}

static const struct call import_by_vgem = {
	.prepare = vgem_make,
	.run = run_import,
	.undo = undo_import,
	.settle = close_untold,
};

/* Policies. */

static int run_policy_of_buf(struct fixture *f)
{
	return device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF, f->fd,
				   HEAPSIM_POLICY_OFF);
}

static void undo_policy_of_buf(struct fixture *f)
{
	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF,
					     f->fd, HEAPSIM_POLICY_STRICT), 0);
}

static const struct call policy_of_a_buffer = {
	.prepare = map_and_read,
	.run = run_policy_of_buf,
	.undo = undo_policy_of_buf,
};

static int run_policy_of_context(struct fixture *f)
{
	return device_policy_errno(f->dev, HEAPSIM_POLICY_OF_CONTEXT, -1,
				   HEAPSIM_POLICY_RECORD);
}

static const struct call policy_of_a_context = {
	.run = run_policy_of_context,
	.undo = nothing,
};

static int run_policy_of_tree(struct fixture *f)
{
	return device_policy_errno(f->dev, HEAPSIM_POLICY_OF_TREE, -1,
				   HEAPSIM_POLICY_RECORD);
}

static const struct call policy_of_a_tree = {
	.run = run_policy_of_tree,
	.undo = nothing,
};

static int run_policy_of_all(struct fixture *f)
{
	return device_policy_errno(f->dev, HEAPSIM_POLICY_OF_ALL, -1,
				   HEAPSIM_POLICY_STRICT);
}

static const struct call policy_of_all = {
	.run = run_policy_of_all,
	.undo = nothing,
};

static void map_while_off(struct fixture *f)
{
	assert_int_equal(run_policy_of_buf(f), 0);
	map_fd(f);
}

/* The first access allocates the state of the lines. */
static void map_before_on(struct fixture *f)
{
	map_while_off(f);
	undo_policy_of_buf(f);
}

static const struct call first_write_after_off = {
	.prepare = map_before_on,
	.run = run_write,
	.undo = invalidate,
	.may_sigbus = true,
	.takes_pages = true,
};

/* Single stepping allocates memory, too; if unsupported, this is a read. */
static void map_precise(struct fixture *f)
{
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = HEAPSIM_POLICY_OF_BUF,
		.fd = f->fd,
		.is_precise = !!(device_probe(f->dev).features &
				 HEAPSIM_FEATURE_PRECISE),
	};

	map_and_read(f);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY, &set),
			 0);
}

static const struct call touch_that_is_stepped = {
	.prepare = map_precise,
	.run = run_write,
	.undo = invalidate,
	.may_sigbus = true,
	.takes_pages = true,
};

/* Streams, works and managed buffers */

static void settle_streams(struct fixture *f)
{
	assert_int_equal(rights_state_errno(f->dev, f->stream, 0), 0);
}

static int run_managed_alloc(struct fixture *f)
{
	struct heapsim_buf_alloc alloc = { .len = LEN };
	int ret = managed_alloc_errno(f->dev, HEAPSIM_KIND_MANAGED,
				      HEAPSIM_ATTACH_GLOBAL,
				      HEAPSIM_ALLOC_DEVICE_VIEW, &alloc);

	if (ret)
		return ret;
	f->made = alloc.fd;
	f->made_view = alloc.view_fd;
	return 0;
}

static void undo_managed_alloc(struct fixture *f)
{
	close_made(f);
	assert_int_equal(close(f->made_view), 0);
}

static const struct call alloc_of_managed = {
	.run = run_managed_alloc,
	.undo = undo_managed_alloc,
	.takes_pages = true,
};

static int run_stream_add(struct fixture *f)
{
	f->stream = 1;
	return rights_stream_errno(f->dev, HEAPSIM_IOC_STREAM_ADD, f->stream);
}

static int run_stream_remove(struct fixture *f)
{
	return rights_stream_errno(f->dev, HEAPSIM_IOC_STREAM_REMOVE,
				   f->stream);
}

static void stream_remove(struct fixture *f)
{
	assert_int_equal(run_stream_remove(f), 0);
}

static const struct call stream_is_added = {
	.run = run_stream_add,
	.undo = stream_remove,
};

static void stream_make(struct fixture *f)
{
	assert_int_equal(run_stream_add(f), 0);
}

static const struct call stream_is_removed = {
	.prepare = stream_make,
	.run = run_stream_remove,
	.undo = stream_make,
};

static void managed_make(struct fixture *f)
{
	stream_make(f);
	f->managed = managed_create(f->dev, HEAPSIM_KIND_MANAGED,
				    HEAPSIM_ATTACH_GLOBAL, LEN);
}

/* Makes lines of the managed buffer dirty. */
static void managed_store(struct fixture *f)
{
	settle_streams(f);
	assert_true(cpu_writes(f->managed.map, 1));
}

static void managed_make_dirty(struct fixture *f)
{
	managed_make(f);
	managed_store(f);
}

static int run_attach(struct fixture *f)
{
	return rights_settle_errno(f->dev, f->stream, f->managed.id,
			    HEAPSIM_ATTACH_SINGLE);
}

static void undo_attach(struct fixture *f)
{
	assert_int_equal(rights_settle_errno(f->dev, f->stream, f->managed.id,
					     HEAPSIM_ATTACH_GLOBAL), 0);
	managed_store(f);
}

static const struct call attach_of_a_buffer = {
	.prepare = managed_make_dirty,
	.run = run_attach,
	.undo = undo_attach,
	.settle = settle_streams,
};

static int run_rights_info(struct fixture *f)
{
	struct heapsim_rights_info answer;

	return rights_info_errno(f->dev, f->managed.id, &answer);
}

static const struct call info_of_rights = {
	.prepare = managed_make,
	.run = run_rights_info,
	.undo = nothing,
};

static int run_work_add(struct fixture *f)
{
	f->id = 1;
	return rights_work_add_errno(f->dev, f->stream, f->id, "gpu");
}

static int run_activate(struct fixture *f)
{
	return rights_state_errno(f->dev, f->stream, HEAPSIM_STREAM_ACTIVE);
}

/* A verdict is copied from user space. */
static int run_work_start(struct fixture *f)
{
	const struct heapsim_work_verdict verdict = {
		.buf = f->managed.id,
		.sees = 1,
	};
	struct heapsim_work_start start = {
		.size = sizeof(start),
		.work = f->id,
		.verdicts = (uintptr_t)&verdict,
		.nr_verdicts = 1,
	};

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_WORK_START, &start);
}

static int run_work_finish(struct fixture *f)
{
	return rights_work_finish_errno(f->dev, f->id);
}

static void work_end(struct fixture *f)
{
	assert_int_equal(run_work_finish(f), 0);
	settle_streams(f);
}

static void work_through(struct fixture *f)
{
	assert_int_equal(run_work_start(f), 0);
	work_end(f);
}

static const struct call work_is_added = {
	.prepare = managed_make,
	.run = run_work_add,
	.undo = work_through,
};

/* The CPU loses its right. */
static const struct call stream_becomes_active = {
	.prepare = managed_make_dirty,
	.run = run_activate,
	.undo = managed_store,
	.settle = managed_store,
};

static void work_submit(struct fixture *f)
{
	managed_store(f);
	assert_int_equal(run_work_add(f), 0);
	assert_int_equal(run_activate(f), 0);
}

static void work_make(struct fixture *f)
{
	managed_make(f);
	work_submit(f);
}

static void undo_work_begin(struct fixture *f)
{
	work_end(f);
	work_submit(f);
}

/* The begin of a work cleans the CPU's stores. */
static const struct call work_begins = {
	.prepare = work_make,
	.run = run_work_start,
	.undo = undo_work_begin,
};

static void work_make_begun(struct fixture *f)
{
	work_make(f);
	assert_int_equal(run_work_start(f), 0);
}

static int run_work_report(struct fixture *f)
{
	return rights_work_report_errno(f->dev, f->id, f->managed.id);
}

static const struct call work_is_reported = {
	.prepare = work_make_begun,
	.run = run_work_report,
	.undo = nothing,
};

/* The first store of each work to a page faults. */
static int run_view_store(struct fixture *f)
{
	return touch((uint8_t *)f->managed.view, true);
}

static void work_again(struct fixture *f)
{
	work_end(f);
	work_submit(f);
	assert_int_equal(run_work_start(f), 0);
}

static const struct call store_through_the_view = {
	.prepare = work_make_begun,
	.run = run_view_store,
	.undo = work_again,
	.takes_pages = true,
	.may_sigbus = true,
};

static void work_make_stored(struct fixture *f)
{
	work_make_begun(f);
	assert_int_equal(run_view_store(f), 0);
}

static void undo_work_end(struct fixture *f)
{
	settle_streams(f);
	work_submit(f);
	assert_int_equal(run_work_start(f), 0);
	assert_int_equal(run_view_store(f), 0);
}

static const struct call work_ends = {
	.prepare = work_make_stored,
	.run = run_work_finish,
	.undo = undo_work_end,
};

/* After the end of the work, a sync gives its pages to the CPU. */
static void work_make_ended(struct fixture *f)
{
	work_make_stored(f);
	assert_int_equal(run_work_finish(f), 0);
}

static int run_sync(struct fixture *f)
{
	return rights_state_errno(f->dev, f->stream, 0);
}

static void undo_sync(struct fixture *f)
{
	work_submit(f);
	assert_int_equal(run_work_start(f), 0);
	assert_int_equal(run_view_store(f), 0);
	assert_int_equal(run_work_finish(f), 0);
}

static const struct call stream_becomes_idle = {
	.prepare = work_make_ended,
	.run = run_sync,
	.undo = undo_sync,
};

static int run_managed_write(struct fixture *f)
{
	return touch((uint8_t *)f->managed.map, true);
}

/* Runs a whole work, after which the CPU's view has no pages. */
static void give_to_the_work(struct fixture *f)
{
	assert_int_equal(run_work_add(f), 0);
	assert_int_equal(run_activate(f), 0);
	work_through(f);
}

static const struct call first_write_of_managed = {
	.prepare = managed_make,
	.run = run_managed_write,
	.undo = give_to_the_work,
	.may_sigbus = true,
};

static int run_range(struct fixture *f)
{
	struct heapsim_range_maintain op = {
		.size = sizeof(op),
		.range = {
			.fd = f->fd,
			.op = HEAPSIM_MAINT_CLEAN_INVALIDATE,
			.len = LEN,
		},
	};

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_RANGE_MAINTAIN, &op);
}

static int run_reopen(struct fixture *f)
{
	struct heapsim_buf_reopen op = {
		.size = sizeof(op),
		.fd_flags = O_RDONLY | O_CLOEXEC,
		.fd = f->fd,
	};
	int ret = device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REOPEN, &op);

	if (!ret)
		close(op.new_fd);
	return ret;
}

static const struct call further_descriptor = {
	.run = run_reopen,
	.undo = nothing,
};

static const struct call maintenance_of_a_range = {
	.run = run_range,
	.undo = nothing,
};

static void no_fault_can_be_injected(void **state)
{
	device_skip("this kernel has no /proc/self/fail-nth");
}

/* All allocations and user copies may fail, without messages. */
static void knobs_set(void)
{
	static const struct { const char *knob, *value; } knobs[] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_usercopy/verbose", "0" },
	};
	char path[128];
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s",
			 knobs[i].knob);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, knobs[i].value, 1) != 1)
			printf("# no %s: %s\n", path, strerror(errno));
		close(fd);
	}
}

int main(void)
{
#define SWEEP(call)	{ #call, sweep, NULL, NULL, (void *)&(call) }
	static const struct CMUnitTest tests[] = {
		SWEEP(open_of_the_device),
		SWEEP(alloc_from_a_heap),
		SWEEP(alloc_from_a_heap_by_a_longer_struct),
		SWEEP(alloc_of_noncoherent),
		SWEEP(alloc_of_uncached),
		SWEEP(alloc_of_contiguous),
		SWEEP(probe),
		SWEEP(info),
		SWEEP(info_of_a_buffer),
		SWEEP(further_descriptor),
		SWEEP(map_and_first_read),
		SWEEP(first_read_of_a_held_buffer),
		SWEEP(first_write),
		SWEEP(first_write_after_a_read),
		SWEEP(write_by_a_debugger),
		SWEEP(start_of_a_bracket),
		SWEEP(maintenance),
		SWEEP(revocation),
		SWEEP(watching),
		SWEEP(reading_of_records),
		SWEEP(fill_of_a_buffer),
		SWEEP(copy_between_buffers),
		SWEEP(copy_that_is_delayed),
		SWEEP(fill_of_a_foreign_buffer),
		SWEEP(copy_from_a_foreign_buffer),
		SWEEP(wait_for_a_job),
		SWEEP(fence_create),
		SWEEP(signal_of_a_fence),
		SWEEP(map_by_an_importer),
		SWEEP(vmap_by_an_importer),
		SWEEP(release_by_an_importer),
		SWEEP(import_by_vgem),
		SWEEP(policy_of_a_buffer),
		SWEEP(policy_of_a_context),
		SWEEP(policy_of_a_tree),
		SWEEP(policy_of_all),
		SWEEP(first_write_after_off),
		SWEEP(touch_that_is_stepped),
		SWEEP(alloc_of_managed),
		SWEEP(stream_is_added),
		SWEEP(stream_is_removed),
		SWEEP(attach_of_a_buffer),
		SWEEP(info_of_rights),
		SWEEP(work_is_added),
		SWEEP(stream_becomes_active),
		SWEEP(work_begins),
		SWEEP(work_is_reported),
		SWEEP(store_through_the_view),
		SWEEP(work_ends),
		SWEEP(stream_becomes_idle),
		SWEEP(first_write_of_managed),
		SWEEP(maintenance_of_a_range),
	};
	static const struct CMUnitTest skipped[] = {
		cmocka_unit_test(no_fault_can_be_injected),
	};

	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		return cmocka_run_group_tests_name("faults", skipped, NULL,
						   NULL);
	knobs_set();
	watch = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
