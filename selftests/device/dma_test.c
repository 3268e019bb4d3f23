// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the dma engine: which jobs wait for each other, the limit of the time
 * that they wait, and why a submission is refused. cdev_test.c tests the bytes
 * that jobs write.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "../nobody.h"
#include "fixture.h"

#define LEN		(16 * KIB)
#define NR_JOBS		64	/* limit of jobs of an open */

#define LIMIT_NS	(10 * NSEC_PER_SEC)

static int setup(void **state)
{
	return fixture_setup(state, HEAPSIM_KIND_NONCOHERENT, LEN);
}

static struct heapsim_dma_submit fill_of(int fd, uint64_t len)
{
	return device_fill_of(fd, len, 0x5a5a5a5a);
}

/* Submits a job and returns its fence. */
static int submit(int dev, struct heapsim_dma_submit job)
{
	assert_int_equal(device_submit_errno(dev, &job), 0);
	return job.fence_fd;
}

/* Waits for a job. Returns 1, or its -errno. */
static int status_of(int fence_fd)
{
	assert_int_equal(device_poll(fence_fd, POLLIN, DEVICE_HANGS_MS),
			 POLLIN);
	return device_fence_status(fence_fd);
}

/* The same, and checks that the job was done in time after its submission. */
static int status_in_time(int fence_fd, uint64_t submitted_ns)
{
	const int status = status_of(fence_fd);

	device_fence_is_in_time(fence_fd, submitted_ns);
	return status;
}

static void job_of_another_context_waits_for_no_delay(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit slow = fill_of(f->fd, 1);
	int stranger = device_open();
	int fd = device_alloc(stranger, HEAPSIM_KIND_COHERENT, LEN);
	int last = -1, fence, i;

	slow.delay_ns = 3 * NSEC_PER_SEC;
	for (i = 0; i < 3; i++) {
		if (last >= 0)
			close(last);
		last = submit(f->dev, slow);
	}
	fence = submit(stranger, fill_of(fd, 1));
	assert_int_equal(status_of(fence), 1);
	assert_int_equal(device_fence_status(last), 0);
	close(fence);
	close(last);
	close(fd);
	close(stranger);
}

static void job_of_another_context_waits_for_no_bytes(void **state)
{
	const size_t len = 64 * MIB;
	struct fixture *f = *state;
	int big = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, len);
	int stranger = device_open(), last = -1, fence, i;
	int fd = device_alloc(stranger, HEAPSIM_KIND_COHERENT, LEN);
	struct heapsim_dma_submit job = fill_of(big, len);
	uint64_t submitted = 0;
	int status;

	job.nr_rows = 8;
	for (i = 0; i < NR_JOBS; i++) {
		if (last >= 0)
			close(last);
		submitted = device_now_ns();
		last = submit(f->dev, job);
	}
	fence = submit(stranger, fill_of(fd, 1));
	assert_int_equal(status_of(fence), 1);
	/* On most machines all the jobs take longer than the limit. */
	status = status_in_time(last, submitted);
	if (status != 1)
		assert_int_equal(status, -ETIMEDOUT);
	assert_true(device_fence_time_ns(fence) < device_fence_time_ns(last));
	close(fence);
	close(last);
	close(fd);
	close(stranger);
	close(big);
}

static void job_of_another_context_waits_for_no_fence(void **state)
{
	struct fixture *f = *state;
	int stranger = device_open(), waits, fence;
	int fd = device_alloc(stranger, HEAPSIM_KIND_COHERENT, LEN);
	struct heapsim_fence_create create;

	assert_int_equal(device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_READ,
					    10 * NSEC_PER_SEC, &create), 0);
	waits = submit(f->dev, fill_of(f->fd, 1));
	fence = submit(stranger, fill_of(fd, 1));
	assert_int_equal(status_of(fence), 1);
	assert_int_equal(device_fence_status(waits), 0);
	device_fence_signal(f->dev, create.fence, 0);
	assert_int_equal(status_of(waits), 1);
	close(create.fence_fd);
	close(waits);
	close(fence);
	close(fd);
	close(stranger);
}

/* Jobs of two contexts alternate on a buffer, so each waits for the other's. */
static void contexts_that_take_turns_on_a_buffer_keep_their_order(void **state)
{
	struct fixture *f = *state;
	int other = device_open(), fences[2 * NR_JOBS], i;
	struct heapsim_dma_submit job = fill_of(f->fd, LEN);

	for (i = 0; i < 2 * NR_JOBS; i++) {
		job.pattern = 0x01010101U * (i + 1);
		/* All other jobs wait for the first. */
		job.delay_ns = i ? 0 : NSEC_PER_SEC / 2;
		fences[i] = submit(i % 2 ? other : f->dev, job);
	}
	for (i = 0; i < 2 * NR_JOBS; i++) {
		assert_int_equal(status_of(fences[i]), 1);
		close(fences[i]);
	}
	assert_true(device_is_filled(f->map, 2 * NR_JOBS, LEN));
	close(other);
}

static void jobs_that_are_late_are_etimedout(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit job = fill_of(f->fd, LEN);
	int other = device_open(), fences[NR_JOBS], i, nr_late = 0;
	uint64_t submitted[NR_JOBS];

	job.delay_ns = NSEC_PER_SEC;
	for (i = 0; i < NR_JOBS; i++) {
		submitted[i] = device_now_ns();
		fences[i] = submit(f->dev, job);
	}
	for (i = 0; i < NR_JOBS; i++) {
		int status = status_in_time(fences[i], submitted[i]);

		if (status == -ETIMEDOUT)
			nr_late++;
		else
			assert_int_equal(status, 1);
		/* Jobs run in order, so all jobs after a late one are late. */
		if (nr_late)
			assert_int_equal(status, -ETIMEDOUT);
		close(fences[i]);
	}
	/* Within 10 s, 9 of them can run. */
	assert_true(nr_late >= NR_JOBS - 10);
	/* The engine still runs jobs; this open's results were not read. */
	device_fill(other, f->fd, 0, LEN, 0);
	close(other);
}

static void jobs_of_closed_opens_end_in_time(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit job = fill_of(f->fd, LEN);
	uint64_t submitted[16];
	int fences[16], i;

	job.delay_ns = 10 * NSEC_PER_SEC;
	for (i = 0; i < 16; i++) {
		int dev = device_open();

		submitted[i] = device_now_ns();
		fences[i] = submit(dev, job);
		close(dev);
	}
	for (i = 0; i < 16; i++) {
		assert_int_equal(status_in_time(fences[i], submitted[i]),
				 -ETIMEDOUT);
		close(fences[i]);
	}
	assert_int_equal(device_info(f->dev).nr_jobs, 0);
}

#define CROWD	200

/* Contexts with a job each, which takes some turns of the engine. */
struct crowd {
	int devs[CROWD];
	int fences[CROWD];
	int fd;
};

static void crowd_submit(struct crowd *crowd)
{
	const size_t len = 8 * MIB;
	size_t i;

	crowd->fd = device_alloc(crowd->devs[0], HEAPSIM_KIND_COHERENT, len);
	for (i = 0; i < CROWD; i++)
		crowd->fences[i] = submit(crowd->devs[i],
					  device_checksum_of(crowd->fd, len));
}

static void crowd_end(struct crowd *crowd)
{
	size_t i;

	for (i = 0; i < CROWD; i++) {
		status_of(crowd->fences[i]);
		close(crowd->fences[i]);
		close(crowd->devs[i]);
	}
	close(crowd->fd);
}

/*
 * All jobs of a context reach their deadline while many others take turns. A
 * turn for each of them would come after the last of the others.
 */
static void late_jobs_wait_for_no_turns(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit job = fill_of(f->fd, LEN);
	const uint64_t begin = device_now_ns();
	struct crowd crowd;
	int fences[NR_JOBS];
	size_t i;

	for (i = 0; i < CROWD; i++)
		crowd.devs[i] = device_open();
	job.delay_ns = 10 * NSEC_PER_SEC;
	for (i = 0; i < NR_JOBS; i++)
		fences[i] = submit(f->dev, job);
	while (device_now_ns() < begin + 9 * NSEC_PER_SEC)
		device_sleep_ns(NSEC_PER_SEC / 100);
	crowd_submit(&crowd);
	for (i = 0; i < NR_JOBS; i++)
		assert_int_equal(status_of(fences[i]), -ETIMEDOUT);
	status_of(crowd.fences[CROWD - 1]);
	for (i = 0; i < NR_JOBS; i++) {
		assert_true(device_fence_time_ns(fences[i]) <
			    device_fence_time_ns(crowd.fences[CROWD - 1]));
		close(fences[i]);
	}
	crowd_end(&crowd);
}

/* Of a user, as in kmod/queue.c */
#define MAX_RUNNING	1024

/*
 * Submits jobs that wait until no more are accepted, in new opens, as another
 * user. Returns their number, or -errno; -ETIME: the first ones may have ended.
 */
static int submit_all_as_nobody(int fd)
{
	const uint64_t end = device_now_ns() + LIMIT_NS;
	struct heapsim_dma_submit job;
	int dev, nr = 0, err, first;

	if (become_nobody())
		return -errno;
	do {
		dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
		if (dev < 0)
			return -errno;
		first = nr;
		do {
			job = fill_of(fd, LEN);
			job.delay_ns = LIMIT_NS;
			err = device_submit_errno(dev, &job);
			if (!err) {
				close(job.fence_fd);
				nr++;
			}
		} while (!err);
	} while (err == -EBUSY && nr > first && device_now_ns() < end);
	if (device_now_ns() >= end)
		return -ETIME;
	return err == -EBUSY ? nr : err;
}

static void jobs_of_another_user_take_no_places(void **state)
{
	struct fixture *f = *state;
	const int own = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	int nr, fds[2], status, fence;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(chmod("/dev/heapsim", 0666), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		nr = submit_all_as_nobody(f->fd);
		if (write(fds[1], &nr, sizeof(nr)) == sizeof(nr))
			pause();
		_exit(1);
	}
	assert_int_equal(read(fds[0], &nr, sizeof(nr)), sizeof(nr));
	assert_int_equal(chmod("/dev/heapsim", 0660), 0);
	if (nr != -ETIME)
		assert_int_equal(nr, MAX_RUNNING);
	fence = submit(f->dev, fill_of(own, LEN));
	assert_int_equal(status_of(fence), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	/* His jobs, and what they keep, last until their deadline. */
	assert_int_equal(device_poll(f->fd, POLLOUT, DEVICE_HANGS_MS), POLLOUT);
	close(fence);
	close(own);
	close(fds[0]);
	close(fds[1]);
	if (nr == -ETIME)
		device_skip("the machine is too slow to fill the queue");
}

#define NR_LONG		8	/* fences that last as long as they may */
#define NEARLY_NS	(LIMIT_NS - 50 * NSEC_PER_MSEC)

/*
 * Fences with the longest timeout are signalled before a sleep ends that is a
 * bit shorter than the limit. On one processor timers end in their order, even
 * if they are late because the machine is busy. The fences are created over 256
 * ms, since a coarse timer would be late by a part of that.
 */
static void fences_end_before_sleeps(const struct fixture *f)
{
	struct heapsim_fence_create fences[NR_LONG];
	struct timespec wake[NR_LONG];
	cpu_set_t all, one;
	uint64_t wake_ns;
	size_t i;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (i = 0; i < NR_LONG; i++) {
		device_sleep_ns(256 * NSEC_PER_MSEC / NR_LONG);
		assert_int_equal(device_fence_errno(f->dev, f->fd,
						    HEAPSIM_FENCE_READ,
						    LIMIT_NS, &fences[i]), 0);
		wake_ns = device_now_ns() + NEARLY_NS;
		wake[i].tv_sec = wake_ns / NSEC_PER_SEC;
		wake[i].tv_nsec = wake_ns % NSEC_PER_SEC;
	}
	for (i = 0; i < NR_LONG; i++) {
		assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME,
						 &wake[i], NULL), 0);
		assert_int_equal(device_fence_status(fences[i].fence_fd),
				 -ETIMEDOUT);
		close(fences[i].fence_fd);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

#define NR_LATE		16	/* opens whose queues have turns all the time */
#define DEADLINE_NS	(9800 * NSEC_PER_MSEC)	/* of a job */

/* Opens with a job each that waits for one fence, until after its deadline */
struct late {
	uint64_t begin;
	int devs[NR_LATE];
	int fences[NR_LATE];
	int fd;
};

/*
 * Each submission is a turn of the queue, which reads the clock more than once.
 * The jobs wait behind those that reach their deadline; their number is
 * limited.
 */
static void *submit_at_the_deadline(void *arg)
{
	struct late *late = arg;
	struct heapsim_dma_submit job;
	size_t i = 0;
	int err;

	while (device_now_ns() < late->begin + DEADLINE_NS - 20 * NSEC_PER_MSEC)
		device_sleep_ns(NSEC_PER_MSEC);
	do {
		job = fill_of(late->fd, 1);
		err = device_submit_errno(late->devs[i++ % NR_LATE], &job);
		if (!err)
			close(job.fence_fd);
	} while (device_now_ns() < late->begin + LIMIT_NS &&
		 (!err || err == -EBUSY));
	return err && err != -EBUSY ? late : NULL;
}

/*
 * A job waits for the fences of others until its own deadline. Then it leaves
 * no callback at them, whatever turn ends it: otherwise the fences, which are
 * signalled later, call freed memory, which KASAN detects.
 */
static void job_behind_a_fence_is_done_in_time(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit job = fill_of(f->fd, LEN);
	struct late late = { .begin = device_now_ns() };
	struct heapsim_fence_create create;
	pthread_t thread;
	void *failed;
	size_t i;

	late.fd = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	assert_int_equal(device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_READ,
					    LIMIT_NS, &create), 0);
	job.delay_ns = 5 * NSEC_PER_SEC;
	for (i = 0; i < NR_LATE; i++) {
		late.devs[i] = device_open();
		late.fences[i] = submit(late.devs[i], job);
	}
	assert_int_equal(pthread_create(&thread, NULL, submit_at_the_deadline,
					&late), 0);
	fences_end_before_sleeps(f);
	assert_int_equal(status_in_time(create.fence_fd, late.begin),
			 -ETIMEDOUT);
	for (i = 0; i < NR_LATE; i++)
		assert_int_equal(status_in_time(late.fences[i], late.begin),
				 -ETIMEDOUT);
	pthread_join(thread, &failed);
	assert_null(failed);
	for (i = 0; i < NR_LATE; i++) {
		close(late.fences[i]);
		close(late.devs[i]);
	}
	close(create.fence_fd);
	close(late.fd);
}

static uint32_t nr_fences(int fd)
{
	int all = device_sync_file_export(fd, DMA_BUF_SYNC_RW);
	struct sync_file_info info = { 0 };

	assert_int_equal(device_ioctl_errno(all, SYNC_IOC_FILE_INFO, &info),
			 0);
	close(all);
	return info.num_fences;
}

static void fences_of_one_context_replace_each_other(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit job = device_checksum_of(f->fd, LEN);
	int fences[8], i;

	job.delay_ns = NSEC_PER_SEC / 4;
	for (i = 0; i < 8; i++)
		fences[i] = submit(f->dev, job);
	assert_int_equal(nr_fences(f->fd), 1);
	for (i = 0; i < 8; i++) {
		assert_int_equal(status_of(fences[i]), 1);
		close(fences[i]);
	}
}

static void rows_without_end_are_einval(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit job = fill_of(f->fd, 1);
	int fence;

	job.nr_rows = UINT32_MAX;
	assert_int_equal(device_submit_errno(f->dev, &job), -EINVAL);
	job.nr_rows = HEAPSIM_DMA_MAX_PASSES * LEN + 1;
	assert_int_equal(device_submit_errno(f->dev, &job), -EINVAL);
	job.row_len = LEN;
	job.nr_rows = HEAPSIM_DMA_MAX_PASSES;
	fence = submit(f->dev, job);
	assert_int_equal(status_of(fence), 1);
	close(fence);
	job = device_checksum_of(f->fd, LEN);
	job.nr_rows = UINT32_MAX;
	assert_int_equal(device_submit_errno(f->dev, &job), -EINVAL);
}

/* So long that its pages are not contiguous. */
static void rows_go_up_and_down_a_long_buffer(void **state)
{
	struct fixture *f = *state;
	const size_t nr = (2 * MIB + 16 * f->page) / f->page + 3;
	const size_t len = nr * f->page;
	int src = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, len);
	int dst = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, len);
	uint8_t *from = device_map(src, len), *to = device_map(dst, len);
	struct heapsim_dma_submit job = {
		.op = HEAPSIM_DMA_COPY,
		.src_fd = src,
		.dst_fd = dst,
		.src_off = len - f->page,
		.src_pitch = -(int64_t)f->page,
		.dst_pitch = f->page,
		.row_len = f->page,
		.nr_rows = nr,
	};
	size_t i;

	for (i = 0; i < nr; i++)
		memset(from + i * f->page, i % 251, f->page);
	assert_int_equal(device_run(f->dev, &job).status, 0);
	for (i = 0; i < nr; i++)
		assert_true(device_is_filled(to + i * f->page,
					     (nr - 1 - i) % 251, f->page));
	device_unmap(to, len);
	device_unmap(from, len);
	close(dst);
	close(src);
}

static void line_of_many_rows_is_reported_once(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit job = device_checksum_of(f->fd, 8);

	f->map[0] = 1;
	f->map[f->line] = 1;
	job.nr_rows = 1000;
	assert_int_equal(device_run(f->dev, &job).status, 0);
	assert_int_equal(device_count(f->dev, f->fd).missing_cleans, 1);
	/* The first row is in the first line, the second row in both lines. */
	job.nr_rows = 2;
	job.row_len = f->line;
	job.src_pitch = 8;
	assert_int_equal(device_run(f->dev, &job).status, 0);
	assert_int_equal(device_count(f->dev, f->fd).missing_cleans, 3);
}

static void line_of_many_rows_is_reported_once_after_fence(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit job = device_checksum_of(f->fd, 8);
	struct heapsim_fence_create create;
	int fence;

	f->map[0] = 1;
	assert_int_equal(device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &create), 0);
	job.nr_rows = 1000;
	fence = submit(f->dev, job);
	assert_int_equal(device_count(f->dev, f->fd).missing_cleans, 0);
	device_fence_signal(f->dev, create.fence, 0);
	assert_int_equal(status_of(fence), 1);
	assert_int_equal(device_count(f->dev, f->fd).missing_cleans, 1);
	close(fence);
	close(create.fence_fd);
}

int main(void)
{
#define TEST(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(job_of_another_context_waits_for_no_delay),
		TEST(job_of_another_context_waits_for_no_bytes),
		TEST(job_of_another_context_waits_for_no_fence),
		TEST(contexts_that_take_turns_on_a_buffer_keep_their_order),
		TEST(jobs_that_are_late_are_etimedout),
		TEST(jobs_of_closed_opens_end_in_time),
		TEST(late_jobs_wait_for_no_turns),
		TEST(job_behind_a_fence_is_done_in_time),
		TEST(fences_of_one_context_replace_each_other),
		TEST(rows_without_end_are_einval),
		TEST(rows_go_up_and_down_a_long_buffer),
		TEST(line_of_many_rows_is_reported_once),
		TEST(line_of_many_rows_is_reported_once_after_fence),
		TEST(jobs_of_another_user_take_no_places),
	};

	return cmocka_run_group_tests_name("dma", tests,
					   device_measure_lateness, NULL);
}
