// SPDX-License-Identifier: GPL-2.0-only
/* Tests of libmem's contexts. */
#include "test.h"

static void open_refuses_options_and_no_place(void **state)
{
	struct mem_ctx *place = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_ctx_open(UNTOUCHED, &place), -EINVAL);
	assert_ptr_equal(place, UNTOUCHED);
	assert_int_equal(mem_ctx_open(NULL, NULL), -EINVAL);
}

static void open_without_descriptors_is_emfile(void **state)
{
	struct mem_ctx *place = UNTOUCHED;
	struct rlimit old = take_all_fds();
	int err;

	(void)state;
	err = mem_ctx_open(NULL, &place);
	give_fds_back(old);
	assert_int_equal(err, -EMFILE);
	assert_ptr_equal(place, UNTOUCHED);
}

static void close_accepts_null(void **state)
{
	(void)state;
	mem_ctx_close(NULL);
}

static void probe_tells_the_soc(void **state)
{
	struct mem_probe probe = { .size = sizeof(probe) };

	(void)state;
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	assert_int_equal(probe.size, sizeof(probe));
	assert_int_equal(probe.abi_version, HEAPSIM_ABI_VERSION);
	assert_true(probe.line_size == 32 || probe.line_size == 64 ||
		    probe.line_size == 128);
	assert_int_equal(probe.page_size, sysconf(_SC_PAGESIZE));
	assert_int_equal(probe.fill_size % probe.line_size, 0);
	assert_true(probe.soc[0]);
	assert_non_null(memchr(probe.soc, 0, sizeof(probe.soc)));
}

static void probe_refuses_null_and_short_structs(void **state)
{
	struct mem_probe probe = { .size = sizeof(probe) - 1 };

	(void)state;
	assert_int_equal(mem_ctx_probe(ctx, &probe), -EINVAL);
	assert_int_equal(probe.line_size, 0);
	assert_int_equal(mem_ctx_probe(ctx, NULL), -EINVAL);
	assert_int_equal(mem_ctx_probe(NULL, &probe), -EINVAL);
}

static void probe_leaves_a_longer_tail_alone(void **state)
{
	struct {
		struct mem_probe probe;
		uint8_t tail[8];
	} longer = { .probe.size = sizeof(longer) };

	(void)state;
	memset(longer.tail, 0xa5, sizeof(longer.tail));
	assert_int_equal(mem_ctx_probe(ctx, &longer.probe), 0);
	assert_int_equal(longer.probe.size, sizeof(longer));
	assert_int_equal(longer.tail[0], 0xa5);
}

static void buffers_and_jobs_outlive_their_context(void **state)
{
	struct mem_ctx *other;
	struct mem_buf *buf;
	struct mem_job *job;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_buf_alloc(other, MEM_KIND_NONCOHERENT, LEN, NULL,
				       &buf), 0);
	mem_ctx_close(other);
	assert_int_equal(mem_job_fill(buf, 0, LEN, 1, &job), 0);
	mem_buf_destroy(buf);
	assert_int_equal(finish_job(job), LEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_refuses_options_and_no_place),
		cmocka_unit_test(open_without_descriptors_is_emfile),
		cmocka_unit_test(close_accepts_null),
		cmocka_unit_test(probe_tells_the_soc),
		cmocka_unit_test(probe_refuses_null_and_short_structs),
		cmocka_unit_test(probe_leaves_a_longer_tail_alone),
		cmocka_unit_test(buffers_and_jobs_outlive_their_context),
	};

	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
