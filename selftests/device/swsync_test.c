// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests /sys/kernel/debug/sync/sw_sync, the module's or the kernel's own. Only
 * the module bounds how many fences wait, and for how long.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "../skip.h"
#include "fixture.h"

#define NODE		"/sys/kernel/debug/sync/sw_sync"
#define LEN		(16 * KIB)
#define MAX_PENDING	1024

/* Of the kernel's driver, which has no header for user space. */
struct create_fence {
	uint32_t value;
	char name[32];
	int32_t fence;
};

#define CREATE_FENCE	_IOWR('W', 0, struct create_fence)
#define INC		_IOW('W', 1, uint32_t)

/* Beside it the kernel's own driver has a list of all timelines. */
static void skip_if_unbounded(void)
{
	if (!access("/sys/kernel/debug/sync/info", F_OK))
		skip_because("the kernel's own driver has no bounds");
}

static int timeline_open(void)
{
	int timeline = open(NODE, O_RDWR | O_CLOEXEC);

	assert_true(timeline >= 0);
	return timeline;
}

static int create_errno(int timeline, uint32_t value, int *fence)
{
	struct create_fence create = { .value = value, .name = "test" };
	int ret = ioctl(timeline, CREATE_FENCE, &create) ? -errno : 0;

	*fence = create.fence;
	return ret;
}

static int create(int timeline, uint32_t value)
{
	int fence;

	assert_int_equal(create_errno(timeline, value, &fence), 0);
	return fence;
}

static void advance(int timeline, uint32_t by)
{
	assert_int_equal(ioctl(timeline, INC, &by), 0);
}

static int merge(int one, int other)
{
	struct sync_merge_data data = { .name = "merged", .fd2 = other };

	assert_int_equal(ioctl(one, SYNC_IOC_MERGE, &data), 0);
	return data.fence;
}

static void assert_status(int fence, int status)
{
	assert_int_equal(device_fence_status(fence), status);
	assert_int_equal(device_poll(fence, POLLIN, 0), status ? POLLIN : 0);
}

static void a_fence_is_signalled_at_its_value(void **state)
{
	int timeline = timeline_open();
	int third = create(timeline, 3), first = create(timeline, 1);

	assert_int_equal(fcntl(third, F_GETFD), FD_CLOEXEC);
	assert_status(first, 0);
	advance(timeline, 1);
	assert_status(first, 1);
	assert_status(third, 0);
	advance(timeline, 1);
	assert_status(third, 0);
	advance(timeline, 5);
	assert_status(third, 1);
	close(first);
	close(third);
	close(timeline);
}

static void a_value_that_is_reached_is_signalled_at_once(void **state)
{
	int timeline = timeline_open(), fence = create(timeline, 0);

	assert_status(fence, 1);
	close(fence);
	advance(timeline, 9);
	fence = create(timeline, 9);
	assert_status(fence, 1);
	close(fence);
	fence = create(timeline, 10);
	assert_status(fence, 0);
	close(fence);
	close(timeline);
}

/* Values are compared as 32-bit numbers that wrap around. */
static void values_wrap_around(void **state)
{
	int timeline = timeline_open(), before, after;

	advance(timeline, UINT32_MAX - 1);
	before = create(timeline, UINT32_MAX);
	after = create(timeline, 1);
	assert_status(before, 0);
	assert_status(after, 0);
	advance(timeline, 1);
	assert_status(before, 1);
	assert_status(after, 0);
	advance(timeline, 2);
	assert_status(after, 1);
	close(after);
	/* A value that is farther ahead is behind. */
	after = create(timeline, 2 + (uint32_t)INT32_MAX);
	assert_status(after, 1);
	close(after);
	after = create(timeline, 1 + (uint32_t)INT32_MAX);
	assert_status(after, 0);
	advance(timeline, UINT32_MAX);
	assert_status(after, 1);
	close(before);
	close(after);
	close(timeline);
}

static void the_close_of_the_timeline_ends_its_fences(void **state)
{
	int timeline = timeline_open(), fence = create(timeline, 1);

	close(timeline);
	assert_status(fence, -ENOENT);
	close(fence);
}

static void a_fence_names_the_program(void **state)
{
	int timeline = timeline_open(), fence = create(timeline, 1);
	struct sync_fence_info info = { .status = 9 };
	struct sync_file_info file = {
		.num_fences = 1,
		.sync_fence_info = (uintptr_t)&info,
	};

	assert_int_equal(ioctl(fence, SYNC_IOC_FILE_INFO, &file), 0);
	assert_string_equal(info.driver_name, "sw_sync");
	assert_string_equal(info.obj_name, "swsync_test");
	assert_int_equal(info.status, 0);
	close(timeline);
	close(fence);
}

static void merged_fences_wait_for_both_timelines(void **state)
{
	int one = timeline_open(), other = timeline_open();
	int a = create(one, 1), b = create(other, 2), both = merge(a, b);

	close(a);
	close(b);
	advance(one, 1);
	assert_status(both, 0);
	advance(other, 1);
	assert_status(both, 0);
	advance(other, 1);
	assert_status(both, 1);
	close(both);
	close(one);
	close(other);
}

/* Of two fences of one timeline the later one is left. */
static void merged_fences_of_a_timeline_are_one(void **state)
{
	int timeline = timeline_open();
	int a = create(timeline, 4), b = create(timeline, 2);
	int both = merge(a, b);
	struct sync_file_info file = { .num_fences = 0 };

	assert_int_equal(ioctl(both, SYNC_IOC_FILE_INFO, &file), 0);
	assert_int_equal(file.num_fences, 1);
	advance(timeline, 3);
	assert_status(both, 0);
	advance(timeline, 1);
	assert_status(both, 1);
	close(a);
	close(b);
	close(both);
	close(timeline);
}

/* Fences that nobody has any more do not count. */
static void a_timeline_has_1024_waiting_fences(void **state)
{
	struct rlimit files = { 2 * MAX_PENDING, 2 * MAX_PENDING };
	int fences[MAX_PENDING], timeline, i, fence;

	skip_if_unbounded();
	timeline = timeline_open();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	for (i = 0; i < 2 * MAX_PENDING; i++)
		close(create(timeline, 1 + (uint32_t)i));
	for (i = 0; i < MAX_PENDING; i++)
		fences[i] = create(timeline, 1 + (uint32_t)i / 2);
	assert_int_equal(create_errno(timeline, 1, &fence), -EBUSY);
	/* One that is signalled at once does not wait. */
	close(create(timeline, 0));
	advance(timeline, 1);
	close(create(timeline, 2));
	close(create(timeline, 2));
	advance(timeline, MAX_PENDING);
	for (i = 0; i < MAX_PENDING; i++) {
		assert_status(fences[i], 1);
		close(fences[i]);
	}
	close(timeline);
}

static void a_fence_does_not_wait_for_more_than_10_s(void **state)
{
	int timeline, first, second;

	skip_if_unbounded();
	timeline = timeline_open();
	first = create(timeline, 1);
	usleep(500000);
	second = create(timeline, 2);
	assert_int_equal(device_poll(first, POLLIN, 60000), POLLIN);
	assert_int_equal(device_fence_status(first), -ETIMEDOUT);
	assert_int_equal(device_poll(second, POLLIN, 60000), POLLIN);
	assert_int_equal(device_fence_status(second), -ETIMEDOUT);
	close(first);
	/* The timeline goes on. */
	first = create(timeline, 3);
	advance(timeline, 3);
	assert_status(first, 1);
	assert_status(second, -ETIMEDOUT);
	close(first);
	close(second);
	close(timeline);
}

static void bad_calls_have_no_effect(void **state)
{
	int timeline = timeline_open(), next = dup(timeline), fence;
	/* The fence is installed only if its number could be stored. */
	void *read_only = mmap(NULL, 4096, PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	close(next);
	assert_true(read_only != MAP_FAILED);
	assert_int_equal(ioctl(timeline, CREATE_FENCE, NULL), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(ioctl(timeline, CREATE_FENCE, read_only), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(ioctl(timeline, INC, NULL), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(ioctl(timeline, _IOWR('W', 9, uint32_t), &fence), -1);
	assert_int_equal(errno, ENOTTY);
	fence = create(timeline, 1);
	assert_int_equal(fence, next);
	close(fence);
	close(timeline);
	munmap(read_only, 4096);
}

/* A bracket waits for an imported fence, as for one of the module's jobs. */
static void a_bracket_waits_for_an_imported_fence(void **state)
{
	struct fixture *f = fixture_create();
	int timeline = timeline_open(), fence = create(timeline, 1);

	fixture_alloc(f, HEAPSIM_KIND_NONCOHERENT, LEN);
	device_sync_file_import(f->fd, DMA_BUF_SYNC_WRITE, fence);
	assert_int_equal(device_poll(f->fd, POLLIN, 20), 0);
	advance(timeline, 1);
	assert_int_equal(device_poll(f->fd, POLLIN, 0), POLLIN);
	device_sync(f->fd, SYNC_START_RW);
	device_sync(f->fd, SYNC_END_RW);
	close(fence);
	close(timeline);
	*state = f;
	fixture_teardown(state);
}

static atomic_bool is_over;

static void *create_and_close(void *arg)
{
	uint32_t value = 0;
	int fence;

	while (!is_over) {
		/* Also EBUSY, since the threads share the timeline. */
		if (!create_errno(*(int *)arg, ++value % 5000, &fence))
			close(fence);
	}
	return NULL;
}

/* Fences are freed, signalled and timed while others are. */
static void threads_share_a_timeline(void **state)
{
	int timeline = timeline_open(), last, i;
	pthread_t threads[4];

	is_over = false;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						create_and_close, &timeline),
				 0);
	for (i = 0; i < 20000; i++)
		advance(timeline, 1);
	is_over = true;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	last = create(timeline, 20001);
	assert_status(last, 0);
	advance(timeline, 1);
	assert_status(last, 1);
	close(last);
	close(timeline);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fence_is_signalled_at_its_value),
		cmocka_unit_test(a_value_that_is_reached_is_signalled_at_once),
		cmocka_unit_test(values_wrap_around),
		cmocka_unit_test(the_close_of_the_timeline_ends_its_fences),
		cmocka_unit_test(a_fence_names_the_program),
		cmocka_unit_test(merged_fences_wait_for_both_timelines),
		cmocka_unit_test(merged_fences_of_a_timeline_are_one),
		cmocka_unit_test(a_timeline_has_1024_waiting_fences),
		cmocka_unit_test(a_fence_does_not_wait_for_more_than_10_s),
		cmocka_unit_test(bad_calls_have_no_effect),
		cmocka_unit_test(a_bracket_waits_for_an_imported_fence),
		cmocka_unit_test(threads_share_a_timeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
