// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests fences on buffers: those of jobs, those made for tests, and vgem's;
 * which operations wait for them, for how long, and the state after a wait that
 * fails.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "fixture.h"

#define LEN	(16 * KIB)

static int setup(void **state)
{
	struct fixture *f = fixture_create();

	/* The buffer is not mapped, since most tests do not access it. */
	f->fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, LEN);
	*state = f;
	return 0;
}

static struct heapsim_fence_create create(struct fixture *f, uint32_t flags,
					  uint64_t timeout_ns)
{
	struct heapsim_fence_create answer;

	assert_int_equal(device_fence_errno(f->dev, f->fd, flags, timeout_ns,
					    &answer), 0);
	return answer;
}

static void fence_is_signalled_by_command(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_WRITE,
						   10 * NSEC_PER_SEC);

	assert_int_equal(fcntl(fence.fence_fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(device_fence_status(fence.fence_fd), 0);
	assert_int_equal(device_poll(fence.fence_fd, POLLIN, 20), 0);
	device_fence_signal(f->dev, fence.fence, 0);
	assert_int_equal(device_poll(fence.fence_fd, POLLIN, 0), POLLIN);
	assert_int_equal(device_fence_status(fence.fence_fd), 1);
	close(fence.fence_fd);
}

static void fence_carries_its_error(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_WRITE,
						   10 * NSEC_PER_SEC);

	device_fence_signal(f->dev, fence.fence, -EIO);
	assert_int_equal(device_fence_status(fence.fence_fd), -EIO);
	close(fence.fence_fd);
}

static void fence_is_signalled_once(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_WRITE,
						   10 * NSEC_PER_SEC);
	struct heapsim_fence_signal again = {
		.size = sizeof(again),
		.fence = fence.fence,
	};

	device_fence_signal(f->dev, fence.fence, 0);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_FENCE_SIGNAL,
					    &again), -ENOENT);
	close(fence.fence_fd);
}

static void fence_times_out_by_itself(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_WRITE,
						   100 * NSEC_PER_MSEC);

	assert_int_equal(device_poll(fence.fence_fd, POLLIN, DEVICE_HANGS_MS),
			 POLLIN);
	assert_int_equal(device_fence_status(fence.fence_fd), -ETIMEDOUT);
	/* The fence can still be signalled, without effect. */
	device_fence_signal(f->dev, fence.fence, 0);
	assert_int_equal(device_fence_status(fence.fence_fd), -ETIMEDOUT);
	close(fence.fence_fd);
}

static void closing_the_open_cancels_its_fences(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence;
	int dev = device_open();

	assert_int_equal(device_fence_errno(dev, f->fd, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &fence), 0);
	close(dev);
	assert_int_equal(device_poll(fence.fence_fd, POLLIN, DEVICE_HANGS_MS),
			 POLLIN);
	assert_int_equal(device_fence_status(fence.fence_fd), -ECANCELED);
	close(fence.fence_fd);
	device_sync(f->fd, SYNC_START_RW);
	device_sync(f->fd, SYNC_END_RW);
}

/* Programs add it to buffers of any driver. */
static void fence_needs_no_buffer(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence;
	int dev = device_open();

	assert_int_equal(device_fence_errno(dev, -1, 0, 10 * NSEC_PER_SEC,
					    &fence), 0);
	assert_int_equal(device_fence_status(fence.fence_fd), 0);
	device_sync_file_import(f->fd, DMA_BUF_SYNC_WRITE, fence.fence_fd);
	assert_int_equal(device_poll(f->fd, POLLIN, 20), 0);
	device_fence_signal(dev, fence.fence, -EIO);
	assert_int_equal(device_fence_status(fence.fence_fd), -EIO);
	assert_int_equal(device_poll(f->fd, POLLIN, DEVICE_HANGS_MS), POLLIN);
	close(fence.fence_fd);

	assert_int_equal(device_fence_errno(dev, -1, 0, 100 * NSEC_PER_MSEC,
					    &fence), 0);
	assert_int_equal(device_poll(fence.fence_fd, POLLIN, DEVICE_HANGS_MS),
			 POLLIN);
	assert_int_equal(device_fence_status(fence.fence_fd), -ETIMEDOUT);
	close(fence.fence_fd);

	assert_int_equal(device_fence_errno(dev, -1, 0, 10 * NSEC_PER_SEC,
					    &fence), 0);
	close(dev);
	assert_int_equal(device_poll(fence.fence_fd, POLLIN, DEVICE_HANGS_MS),
			 POLLIN);
	assert_int_equal(device_fence_status(fence.fence_fd), -ECANCELED);
	close(fence.fence_fd);
}

static void fence_without_a_buffer_takes_no_descriptor(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence;

	assert_int_equal(device_fence_errno(f->dev, f->fd, 0, NSEC_PER_SEC,
					    &fence), -EINVAL);
	assert_int_equal(device_fence_errno(f->dev, 0, 0, NSEC_PER_SEC,
					    &fence), -EINVAL);
	assert_int_equal(device_fence_errno(f->dev, -1, 0, 0, &fence), -EINVAL);
	assert_int_equal(device_fence_errno(f->dev, -1, 0,
					    10 * NSEC_PER_SEC + 1, &fence),
			 -EINVAL);
}

static void poll_of_the_buffer_follows_its_fences(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_WRITE,
						   10 * NSEC_PER_SEC);

	assert_int_equal(device_poll(f->fd, POLLIN, 20), 0);
	assert_int_equal(device_poll(f->fd, POLLOUT, 20), 0);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	assert_int_equal(device_poll(f->fd, POLLIN, DEVICE_HANGS_MS), POLLIN);
	fence = create(f, HEAPSIM_FENCE_READ, 10 * NSEC_PER_SEC);
	assert_int_equal(device_poll(f->fd, POLLIN, DEVICE_HANGS_MS), POLLIN);
	assert_int_equal(device_poll(f->fd, POLLOUT, 20), 0);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	assert_int_equal(device_poll(f->fd, POLLOUT, DEVICE_HANGS_MS), POLLOUT);
}

/* Another thread signals a fence after a while. */
struct later {
	int dev;
	uint64_t fence;
	uint64_t delay_ns;
	pthread_t thread;
};

static void *signal_later(void *arg)
{
	struct later *later = arg;
	struct heapsim_fence_signal signal = {
		.size = sizeof(signal),
		.fence = later->fence,
	};

	device_sleep_ns(later->delay_ns);
	device_ioctl_errno(later->dev, HEAPSIM_IOC_FENCE_SIGNAL, &signal);
	return NULL;
}

/*
 * Returns how long START takes if a fence lasts for 200 ms, or 0 if START gave
 * up, since the machine was late.
 */
static uint64_t try_start_under_fence(struct fixture *f, uint32_t fence_flags,
				      uint64_t flags)
{
	struct heapsim_fence_create fence = create(f, fence_flags,
						   10 * NSEC_PER_SEC);
	struct later later = {
		.dev = f->dev,
		.fence = fence.fence,
		.delay_ns = 200 * NSEC_PER_MSEC,
	};
	uint64_t begin = device_now_ns(), took;
	int ret;

	assert_int_equal(pthread_create(&later.thread, NULL, signal_later,
					&later), 0);
	ret = device_sync_errno(f->fd, flags);
	took = device_now_ns() - begin;
	pthread_join(later.thread, NULL);
	close(fence.fence_fd);
	if (ret == -ETIMEDOUT)
		return 0;
	assert_int_equal(ret, 0);
	device_sync(f->fd, flags | DMA_BUF_SYNC_END);
	return took;
}

static uint64_t start_under_fence(struct fixture *f, uint32_t fence_flags,
				  uint64_t flags)
{
	uint64_t took = 0;
	int i;

	for (i = 0; !took && i < DEVICE_NR_TRIES; i++)
		took = try_start_under_fence(f, fence_flags, flags);
	return took;
}

#define WAITED(took)	assert_true((took) >= 190 * NSEC_PER_MSEC)

/* A START that waited would give up before the fence ends. */
static void start_read_does_not_wait_for_read_fences(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_READ,
						   10 * NSEC_PER_SEC);

	assert_int_equal(device_sync_errno(f->fd, SYNC_START_READ), 0);
	device_fence_signal(f->dev, fence.fence, 0);
	device_sync(f->fd, SYNC_END_READ);
	close(fence.fence_fd);
}

static void start_read_waits_for_write_fences(void **state)
{
	WAITED(start_under_fence(*state, HEAPSIM_FENCE_WRITE,
				 SYNC_START_READ));
}

static void start_write_waits_for_all_fences(void **state)
{
	WAITED(start_under_fence(*state, HEAPSIM_FENCE_READ,
				 SYNC_START_WRITE));
	WAITED(start_under_fence(*state, HEAPSIM_FENCE_WRITE,
				 SYNC_START_WRITE));
}

static void start_rw_waits_for_all_fences(void **state)
{
	WAITED(start_under_fence(*state, HEAPSIM_FENCE_READ, SYNC_START_RW));
	WAITED(start_under_fence(*state, HEAPSIM_FENCE_WRITE,
				 SYNC_START_RW));
}

static void on_alarm(int signal)
{
}

/* Again and again, since the first one may come before the call. 0: no more */
static void set_alarm(unsigned int ms)
{
	const struct timeval time = {
		.tv_sec = ms / 1000,
		.tv_usec = ms % 1000 * 1000,
	};
	const struct itimerval timer = { time, time };

	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void catch_alarm(void)
{
	struct sigaction action = { .sa_handler = on_alarm };

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
}

static void signal_interrupts_start_and_leaves_no_bracket(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_WRITE,
						   10 * NSEC_PER_SEC);

	catch_alarm();
	set_alarm(100);
	assert_int_equal(device_sync_errno(f->fd, SYNC_START_READ), -EINTR);
	set_alarm(0);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	device_sync(f->fd, SYNC_END_READ);
	assert_int_equal(device_count(f->dev, f->fd).unmatched_ends, 1);
	assert_int_equal(device_count(f->dev, f->fd).redundant_invalidates,
			 0);
}

static void signal_interrupts_job_wait(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = NSEC_PER_SEC,
	};
	struct heapsim_job_wait wait;

	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	close(submit.fence_fd);
	catch_alarm();
	set_alarm(100);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   DEVICE_HANGS_NS, &wait), -EINTR);
	set_alarm(0);
	/* The job can still be waited for. */
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   DEVICE_HANGS_NS, &wait), 0);
	assert_int_equal(wait.status, 0);
}

/* A fence may last 10 s, but START waits only for 5 s. */
static void start_that_waits_too_long_is_etimedout(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence;
	bool is_late = true;
	int ret = 0, i;

	for (i = 0; is_late && i < DEVICE_NR_TRIES; i++) {
		fence = create(f, HEAPSIM_FENCE_WRITE, 10 * NSEC_PER_SEC);
		ret = device_sync_errno(f->fd, SYNC_START_RW);
		is_late = !ret && device_fence_status(fence.fence_fd);
		if (is_late)
			device_sync(f->fd, SYNC_END_RW);
		device_fence_signal(f->dev, fence.fence, 0);
		close(fence.fence_fd);
	}
	assert_int_equal(ret, -ETIMEDOUT);
	/* START neither opened a bracket nor maintained the cache. */
	assert_int_equal(device_count(f->dev, f->fd).redundant_invalidates,
			 0);
	device_sync(f->fd, SYNC_END_RW);
	assert_int_equal(device_count(f->dev, f->fd).unmatched_ends, 1);
}

static void job_waits_for_fences_of_others(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_READ,
						   10 * NSEC_PER_SEC);
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.row_len = LEN,
		.nr_rows = 1,
	};
	struct heapsim_job_wait wait;

	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   200 * NSEC_PER_MSEC, &wait),
			 -ETIMEDOUT);
	assert_int_equal(device_fence_status(submit.fence_fd), 0);
	device_fence_signal(f->dev, fence.fence, 0);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   DEVICE_HANGS_NS, &wait), 0);
	assert_int_equal(device_fence_status(submit.fence_fd), 1);
	close(submit.fence_fd);
	close(fence.fence_fd);
}

static void reading_job_does_not_wait_for_read_fences(void **state)
{
	struct fixture *f = *state;
	bool is_pending = false;
	int i;

	for (i = 0; !is_pending && i < DEVICE_NR_TRIES; i++) {
		struct heapsim_fence_create fence =
			create(f, HEAPSIM_FENCE_READ, 10 * NSEC_PER_SEC);

		device_checksum(f->dev, f->fd, 0, LEN);
		is_pending = !device_fence_status(fence.fence_fd);
		device_fence_signal(f->dev, fence.fence, 0);
		close(fence.fence_fd);
	}
	assert_true(is_pending);
}

static void fence_of_a_job_is_on_its_buffers(void **state)
{
	struct fixture *f = *state;
	int dst = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_COPY,
		.src_fd = f->fd,
		.dst_fd = dst,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = 300 * NSEC_PER_MSEC,
	};
	short src_read = 0, src_write = 0, dst_read = 0;
	bool is_late = true;
	int i;

	for (i = 0; is_late && i < DEVICE_NR_TRIES; i++) {
		assert_int_equal(device_submit_errno(f->dev, &submit), 0);
		src_read = device_poll(f->fd, POLLIN, 0);
		src_write = device_poll(f->fd, POLLOUT, 0);
		dst_read = device_poll(dst, POLLIN, 0);
		is_late = device_fence_status(submit.fence_fd);
		assert_int_equal(fcntl(submit.fence_fd, F_GETFD), FD_CLOEXEC);
		assert_int_equal(device_poll(submit.fence_fd, POLLIN,
					     DEVICE_HANGS_MS), POLLIN);
		assert_int_equal(device_fence_status(submit.fence_fd), 1);
		assert_int_equal(device_poll(dst, POLLIN | POLLOUT,
					     DEVICE_HANGS_MS),
				 POLLIN | POLLOUT);
		close(submit.fence_fd);
	}
	assert_false(is_late);
	/* Others may read the job's source, but not its target. */
	assert_int_equal(src_read, POLLIN);
	assert_int_equal(src_write, 0);
	assert_int_equal(dst_read, 0);
	close(dst);
}

static void start_waits_for_the_job(void **state)
{
	struct fixture *f = *state;
	uint8_t *map = device_map(f->fd, LEN);
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.pattern = 0x21212121,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = 300 * NSEC_PER_MSEC,
	};

	int ret = -ETIMEDOUT, i;

	map[0] = 0;
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	/* START gives up before the job is done if the machine is late. */
	for (i = 0; ret == -ETIMEDOUT && i < DEVICE_NR_TRIES; i++)
		ret = device_sync_errno(f->fd, SYNC_START_READ);
	assert_int_equal(ret, 0);
	assert_int_equal(device_fence_status(submit.fence_fd), 1);
	assert_true(device_is_filled(map, 0x21, LEN));
	device_sync(f->fd, SYNC_END_READ);
	close(submit.fence_fd);
	device_unmap(map, LEN);
}

/*
 * The buffer is invalidated while the job waits, and again while it writes.
 * Returns false if the job was done before that.
 */
static bool try_take_in(struct fixture *f, struct heapsim_dma_submit submit)
{
	struct heapsim_fence_create fence;
	struct heapsim_hold first, second;
	struct heapsim_job_wait wait;
	uint64_t redundant, then;
	bool is_late;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_TO_DEVICE, &first), 0);
	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_TO_DEVICE, &second), 0);
	fence = create(f, HEAPSIM_FENCE_WRITE, 10 * NSEC_PER_SEC);
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	device_release(f->dev, first.hold);
	redundant = device_count(f->dev, f->fd).redundant_invalidates;
	device_fence_signal(f->dev, fence.fence, 0);
	device_sleep_ns(30 * NSEC_PER_MSEC);
	device_release(f->dev, second.hold);
	is_late = device_fence_status(submit.fence_fd);
	then = device_count(f->dev, f->fd).redundant_invalidates;
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   DEVICE_HANGS_NS, &wait), 0);
	/* On a debug kernel the rows may take longer than a job's limit. */
	if (wait.status != -ETIMEDOUT)
		assert_int_equal(wait.status, 0);
	close(submit.fence_fd);
	close(fence.fence_fd);
	if (!is_late)
		assert_int_equal(then, redundant);
	return !is_late;
}

static void take_in_sees_what_a_job_is_writing(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.row_len = 64,
		.nr_rows = 300000,
	};
	bool is_in_time = false;
	int i;

	/* The rows need a larger buffer. */
	close(f->fd);
	f->fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, MIB);
	submit.dst_fd = f->fd;
	for (i = 0; !is_in_time && i < DEVICE_NR_TRIES; i++)
		is_in_time = try_take_in(f, submit);
	assert_true(is_in_time);
}

static void touch_under_a_fence_is_unbracketed(void **state)
{
	struct fixture *f = *state;
	uint8_t *map = device_map(f->fd, LEN);
	struct heapsim_fence_create fence;

	/* A fence revokes all PTEs. */
	*map = 1;
	fence = create(f, HEAPSIM_FENCE_READ, 10 * NSEC_PER_SEC);
	*map = 2;
	assert_int_equal(device_count(f->dev, f->fd).unbracketed_accesses, 1);
	device_revoke(f->dev, f->fd);
	device_peek(map);
	assert_int_equal(device_count(f->dev, f->fd).unbracketed_accesses, 1);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	fence = create(f, HEAPSIM_FENCE_WRITE, 10 * NSEC_PER_SEC);
	device_peek(map);
	assert_int_equal(device_count(f->dev, f->fd).unbracketed_accesses, 2);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
	device_unmap(map, LEN);
}

static void export_and_import_of_sync_files_work(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence = create(f, HEAPSIM_FENCE_WRITE,
						   10 * NSEC_PER_SEC);
	int other = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	int fence_fd;

	fence_fd = device_sync_file_export(f->fd, DMA_BUF_SYNC_READ);
	assert_int_equal(device_fence_status(fence_fd), 0);
	device_sync_file_import(other, DMA_BUF_SYNC_WRITE, fence_fd);
	assert_int_equal(device_poll(other, POLLIN, 20), 0);
	device_fence_signal(f->dev, fence.fence, 0);
	assert_int_equal(device_fence_status(fence_fd), 1);
	assert_int_equal(device_poll(other, POLLIN, DEVICE_HANGS_MS), POLLIN);
	close(fence_fd);
	close(other);
	close(fence.fence_fd);
}

static void fence_outlives_buffer_and_open(void **state)
{
	int dev = device_open();
	int fd = device_alloc(dev, HEAPSIM_KIND_COHERENT, LEN);
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = fd,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = 200 * NSEC_PER_MSEC,
	};

	assert_int_equal(device_submit_errno(dev, &submit), 0);
	close(fd);
	close(dev);
	assert_int_equal(device_poll(submit.fence_fd, POLLIN, DEVICE_HANGS_MS),
			 POLLIN);
	/* The job ran or was cancelled with its open; both signal the fence. */
	assert_true(device_fence_status(submit.fence_fd) != 0);
	close(submit.fence_fd);
}

int main(void)
{
#define TEST(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(fence_is_signalled_by_command),
		TEST(fence_carries_its_error),
		TEST(fence_is_signalled_once),
		TEST(fence_times_out_by_itself),
		TEST(closing_the_open_cancels_its_fences),
		TEST(fence_needs_no_buffer),
		TEST(fence_without_a_buffer_takes_no_descriptor),
		TEST(poll_of_the_buffer_follows_its_fences),
		TEST(start_read_waits_for_write_fences),
		TEST(start_read_does_not_wait_for_read_fences),
		TEST(start_write_waits_for_all_fences),
		TEST(start_rw_waits_for_all_fences),
		TEST(signal_interrupts_start_and_leaves_no_bracket),
		TEST(signal_interrupts_job_wait),
		TEST(start_that_waits_too_long_is_etimedout),
		TEST(job_waits_for_fences_of_others),
		TEST(reading_job_does_not_wait_for_read_fences),
		TEST(fence_of_a_job_is_on_its_buffers),
		TEST(start_waits_for_the_job),
		TEST(take_in_sees_what_a_job_is_writing),
		TEST(touch_under_a_fence_is_unbracketed),
		TEST(export_and_import_of_sync_files_work),
		TEST(fence_outlives_buffer_and_open),
	};

	return cmocka_run_group_tests_name("fence", tests, NULL, NULL);
}
