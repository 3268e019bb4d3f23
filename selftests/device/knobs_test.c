// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the fault knobs in debugfs: which calls fail, how often, and that a
 * failure leaves nothing behind. faults_test.c makes the kernel's own
 * allocations fail.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

#define LEN	(64 * KIB)
#define KNOBS	"/sys/kernel/debug/heapsim/"

static const char *const faults[] = {
	"fail_alloc", "fail_map", "fail_vmap", "fail_begin", "late_fence",
};

static void knob_set(const char *fault, const char *knob, int value)
{
	char path[128], text[16];
	int fd, len = snprintf(text, sizeof(text), "%d", value);

	snprintf(path, sizeof(path), KNOBS "%s/%s", fault, knob);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static int knob_get(const char *fault, const char *knob)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), KNOBS "%s/%s", fault, knob);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strtol(text, NULL, 0);
}

/* Makes the next @times calls fail. */
static void fault_arm(const char *fault, int times)
{
	knob_set(fault, "times", times);
	knob_set(fault, "probability", 100);
}

static void faults_off(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		knob_set(faults[i], "probability", 0);
		knob_set(faults[i], "interval", 1);
		knob_set(faults[i], "times", 1);
		knob_set(faults[i], "space", 0);
	}
}

static int setup(void **state)
{
	struct fixture *f;

	if (access(KNOBS, F_OK))
		device_skip("no " KNOBS);
	faults_off();
	f = fixture_create();
	fixture_alloc(f, HEAPSIM_KIND_NONCOHERENT, LEN);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	faults_off();
	return fixture_teardown(state);
}

static int hold_errno(struct fixture *f, uint32_t how,
		      struct heapsim_hold *answer)
{
	return device_hold_errno(f->dev, f->fd, how, HEAPSIM_DIR_BIDIRECTIONAL,
				 answer);
}

static void set_policy(struct fixture *f, uint32_t policy)
{
	/* This would be refused if the buffer still had a holder. */
	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF,
					     f->fd, policy), 0);
}

static void nothing_fails_by_default(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		assert_int_equal(knob_get(faults[i], "probability"), 0);
	assert_int_equal(hold_errno(f, HEAPSIM_HOLD_MAP, &hold), 0);
	device_release(f->dev, hold.hold);
}

static void hold_that_fails_leaves_no_holder(struct fixture *f,
					     const char *fault, uint32_t how)
{
	const int nr_fds = device_nr_fds();
	struct heapsim_hold hold;

	f->map[0] = 1;
	fault_arm(fault, 2);
	assert_int_equal(hold_errno(f, how, &hold), -ENOMEM);
	assert_int_equal(hold_errno(f, how, &hold), -ENOMEM);
	assert_int_equal(knob_get(fault, "times"), 0);
	assert_int_equal(device_buf_info(f->dev, f->fd).nr_holders, 0);
	/* The failed hold did not clean the buffer for a device. */
	assert_int_equal(device_count(f->dev, f->fd).lines_cleaned, 0);
	set_policy(f, HEAPSIM_POLICY_OFF);
	set_policy(f, HEAPSIM_POLICY_STRICT);
	assert_int_equal(hold_errno(f, how, &hold), 0);
	assert_int_equal(device_buf_info(f->dev, f->fd).nr_holders, 1);
	device_release(f->dev, hold.hold);
	assert_int_equal(device_nr_fds(), nr_fds);
}

static void map_that_fails_leaves_no_holder(void **state)
{
	hold_that_fails_leaves_no_holder(*state, "fail_map", HEAPSIM_HOLD_MAP);
}

static void vmap_that_fails_leaves_no_holder(void **state)
{
	hold_that_fails_leaves_no_holder(*state, "fail_vmap",
					 HEAPSIM_HOLD_VMAP);
}

static void begin_that_fails_opens_no_bracket(void **state)
{
	struct fixture *f = *state;

	f->map[0] = 1;
	fault_arm("fail_begin", 1);
	assert_int_equal(device_sync_errno(f->fd, SYNC_START_RW), -EINTR);
	assert_int_equal(device_count(f->dev, f->fd).lines_invalidated, 0);
	device_sync(f->fd, SYNC_END_RW);
	assert_int_equal(device_count(f->dev, f->fd).unmatched_ends, 1);
	device_sync(f->fd, SYNC_START_RW);
	device_sync(f->fd, SYNC_END_RW);
	assert_int_equal(device_count(f->dev, f->fd).unmatched_ends, 1);
}

static void alloc_that_fails_on_its_way_leaks_nothing(void **state)
{
	static const uint32_t kinds[] = {
		HEAPSIM_KIND_NONCOHERENT, HEAPSIM_KIND_COHERENT,
		HEAPSIM_KIND_UNCACHED,
	};
	const size_t len = 8 * MIB;
	struct fixture *f = *state;
	struct heapsim_info before = device_info(f->dev), after;
	const int nr_fds = device_nr_fds();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		uint8_t *map;
		int fd;

		/* Half of the buffer is allocated before the failure. */
		knob_set("fail_alloc", "space", 4 * MIB);
		fault_arm("fail_alloc", 1);
		assert_int_equal(device_alloc_errno(f->dev, kinds[i], len,
						    O_RDWR | O_CLOEXEC),
				 -ENOMEM);
		assert_int_equal(knob_get("fail_alloc", "times"), 0);
		after = device_info(f->dev);
		assert_int_equal(after.nr_bufs, before.nr_bufs);
		assert_int_equal(after.buf_bytes, before.buf_bytes);
		assert_int_equal(device_nr_fds(), nr_fds);
		fd = device_alloc(f->dev, kinds[i], len);
		map = device_map(fd, len);
		assert_true(device_is_filled(map, 0, len));
		device_unmap(map, len);
		close(fd);
	}
}

static void alloc_of_contiguous_memory_can_fail(void **state)
{
	struct fixture *f = *state;
	const uint64_t nr_bufs = device_info(f->dev).nr_bufs;

	fault_arm("fail_alloc", 1);
	assert_int_equal(device_alloc_errno(f->dev, HEAPSIM_KIND_CONTIGUOUS,
					    LEN, O_RDWR | O_CLOEXEC), -ENOMEM);
	assert_int_equal(device_info(f->dev).nr_bufs, nr_bufs);
	close(device_alloc(f->dev, HEAPSIM_KIND_CONTIGUOUS, LEN));
}

static void interval_lets_calls_between_succeed(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;
	int i, ret, nr_failed = 0, last = -1;

	knob_set("fail_map", "interval", 3);
	fault_arm("fail_map", -1);
	for (i = 0; i < 12; i++) {
		ret = hold_errno(f, HEAPSIM_HOLD_MAP, &hold);
		if (!ret) {
			device_release(f->dev, hold.hold);
			continue;
		}
		assert_int_equal(ret, -ENOMEM);
		assert_true(last < 0 || i - last == 3);
		last = i;
		nr_failed++;
	}
	assert_int_equal(nr_failed, 4);
}

static void probability_is_per_cent(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;
	int i, nr_failed = 0;

	fault_arm("fail_map", -1);
	knob_set("fail_map", "probability", 50);
	for (i = 0; i < 200; i++) {
		if (hold_errno(f, HEAPSIM_HOLD_MAP, &hold))
			nr_failed++;
		else
			device_release(f->dev, hold.hold);
	}
	/* By chance, a result is outside this range once in 10^30 runs. */
	assert_in_range(nr_failed, 20, 180);
}

static void late_fence_is_signalled_in_time_and_moves_nothing(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit late = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.pattern = 0x11111111,
		.row_len = LEN,
		.nr_rows = 1,
	}, next;
	int other = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	int stranger = device_open();
	struct heapsim_job_wait wait;
	uint64_t submitted;

	next = late;
	next.pattern = 0x22222222;
	fault_arm("late_fence", 1);
	submitted = device_now_ns();
	assert_int_equal(device_submit_errno(f->dev, &late), 0);
	assert_int_equal(knob_get("late_fence", "times"), 0);
	/* Jobs of other contexts are not late. */
	device_fill(stranger, other, 0, LEN, 0x33333333);
	assert_int_equal(device_sync_errno(f->fd, SYNC_START_READ),
			 -ETIMEDOUT);
	assert_int_equal(device_wait_errno(f->dev, late.job, DEVICE_HANGS_NS,
					   &wait), 0);
	assert_int_equal(wait.status, -ETIMEDOUT);
	assert_int_equal(wait.result, 0);
	assert_int_equal(device_fence_status(late.fence_fd), -ETIMEDOUT);
	/* START had waited for 5 s. */
	assert_true(device_fence_time_ns(late.fence_fd) - submitted >=
		    5 * NSEC_PER_SEC);
	device_fence_is_in_time(late.fence_fd, submitted);
	assert_int_equal(device_info(f->dev).nr_jobs, 0);
	assert_true(device_checksum(f->dev, f->fd, 0, 4) ==
		    fnv1a("\0\0\0\0", 4));
	assert_int_equal(device_run(f->dev, &next).status, 0);
	device_sync(f->fd, SYNC_START_READ);
	assert_true(device_is_filled(f->map, 0x22, LEN));
	device_sync(f->fd, SYNC_END_READ);
	close(late.fence_fd);
	close(stranger);
	close(other);
}

int main(void)
{
#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(nothing_fails_by_default),
		TEST(map_that_fails_leaves_no_holder),
		TEST(vmap_that_fails_leaves_no_holder),
		TEST(begin_that_fails_opens_no_bracket),
		TEST(alloc_that_fails_on_its_way_leaks_nothing),
		TEST(alloc_of_contiguous_memory_can_fail),
		TEST(interval_lets_calls_between_succeed),
		TEST(probability_is_per_cent),
		TEST(late_fence_is_signalled_in_time_and_moves_nothing),
	};

	return cmocka_run_group_tests_name("knobs", tests,
					   device_measure_lateness, NULL);
}
