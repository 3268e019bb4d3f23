// SPDX-License-Identifier: GPL-2.0-only
/* Tests a module that was inserted without test_hooks=1. */
#include <unistd.h>

#include "fixture.h"

#define LEN	(16 * KIB)

static int setup(void **state)
{
	return fixture_setup(state, HEAPSIM_KIND_NONCOHERENT, LEN);
}

static void probe_lacks_the_feature(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(device_probe(f->dev).features &
			 HEAPSIM_FEATURE_TEST_HOOKS, 0);
}

static void hold_is_eopnotsupp(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_TO_DEVICE, &hold),
			 -EOPNOTSUPP);
	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_VMAP, 0,
					   &hold), -EOPNOTSUPP);
	/* EINVAL precedes EOPNOTSUPP, which precedes EBADF. */
	assert_int_equal(device_hold_errno(f->dev, f->fd, 3, 0, &hold),
			 -EINVAL);
	assert_int_equal(device_hold_errno(f->dev, 987, HEAPSIM_HOLD_MAP, 0,
					   &hold), -EOPNOTSUPP);
	assert_int_equal(device_buf_info(f->dev, f->fd).nr_holders, 0);
}

static void fence_on_a_buffer_is_eopnotsupp(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create create;

	assert_int_equal(device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_READ,
					    NSEC_PER_SEC, &create),
			 -EOPNOTSUPP);
	assert_int_equal(device_fence_errno(f->dev, f->fd, 0, NSEC_PER_SEC,
					    &create), -EINVAL);
	/* Since no fence was made, START does not wait. */
	device_sync(f->fd, SYNC_START_RW);
	device_sync(f->fd, SYNC_END_RW);
}

static void fence_without_a_buffer_needs_no_hooks(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create create;

	assert_int_equal(device_fence_errno(f->dev, -1, 0, NSEC_PER_SEC,
					    &create), 0);
	device_fence_signal(f->dev, create.fence, 0);
	assert_int_equal(device_fence_status(create.fence_fd), 1);
	close(create.fence_fd);
}

/* A kernel with CONFIG_SW_SYNC has its own. */
static void there_are_no_timelines(void **state)
{
	assert_int_equal(access("/sys/kernel/debug/sync/info", F_OK),
			 access("/sys/kernel/debug/sync/sw_sync", F_OK));
}

static void watchers_may_revoke_all_the_same(void **state)
{
	struct fixture *f = *state;

	f->map[0] = 1;
	device_revoke(f->dev, f->fd);
	assert_int_equal(f->map[0], 1);
}

int main(void)
{
#define TEST(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(probe_lacks_the_feature),
		TEST(hold_is_eopnotsupp),
		TEST(fence_on_a_buffer_is_eopnotsupp),
		TEST(fence_without_a_buffer_needs_no_hooks),
		TEST(there_are_no_timelines),
		TEST(watchers_may_revoke_all_the_same),
	};

	return cmocka_run_group_tests_name("hooks", tests, NULL, NULL);
}
