// SPDX-License-Identifier: GPL-2.0-only
/* Tests of libmem's jobs, on its own buffers and on those of vgem. */
#include "test.h"

static void fill_writes_its_pattern(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	uint8_t *addr = map_buf(buf);
	struct mem_job *job;

	(void)state;
	assert_int_equal(mem_job_fill(buf, 5, 6, 0x04030201, &job), 0);
	assert_int_equal(finish_job(job), 6);
	assert_memory_equal(addr, "\0\0\0\0\0\1\2\3\4\1\2\0", 12);
	mem_buf_destroy(buf);
}

static void copy_moves_bytes_between_buffers(void **state)
{
	struct mem_buf *src = new_buf(MEM_KIND_COHERENT);
	struct mem_buf *dst = new_buf(MEM_KIND_COHERENT);
	struct mem_job *job;

	(void)state;
	strcpy((char *)map_buf(src) + 100, "over here");
	assert_int_equal(mem_job_copy(dst, 7, src, 100, 10, &job), 0);
	assert_int_equal(finish_job(job), 10);
	assert_string_equal(map_buf(dst) + 7, "over here");
	mem_buf_destroy(src);
	mem_buf_destroy(dst);
}

static void copy2d_turns_and_inverts(void **state)
{
	enum { PITCH = 256, ROW = 100, NR = 9 };
	struct mem_buf *src = new_buf(MEM_KIND_COHERENT);
	struct mem_buf *dst = new_buf(MEM_KIND_COHERENT);
	struct mem_copy2d copy = {
		.size = sizeof(copy),
		.pattern = 0x00ffffff,
		.dst = dst,
		.dst_off = (NR - 1) * PITCH,
		.dst_pitch = -PITCH,
		.src = src,
		.src_off = 3,
		.src_pitch = PITCH,
		.row_len = ROW,
		.nr_rows = NR,
	};
	uint8_t *from = map_buf(src), *to = map_buf(dst);
	struct mem_job *job;
	unsigned int x, y;

	(void)state;
	for (x = 0; x < LEN; x++)
		from[x] = (uint8_t)(x * 7 + x / 256);
	assert_int_equal(mem_job_copy2d(&copy, &job), 0);
	assert_int_equal(finish_job(job), NR * ROW);
	for (y = 0; y < NR; y++)
		for (x = 0; x < PITCH; x++)
			assert_int_equal(to[(NR - 1 - y) * PITCH + x],
					 x >= ROW ? 0 :
					 from[y * PITCH + 3 + x] ^
					 (x % 4 == 3 ? 0 : 0xff));
	mem_buf_destroy(src);
	mem_buf_destroy(dst);
}

static void checksum_is_fnv1a(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct mem_job *job;

	(void)state;
	memcpy(map_buf(buf), "foobar", 6);
	assert_int_equal(mem_job_checksum(buf, 0, 6, &job), 0);
	/* Landon Curt Noll's test vectors: FNV-1a, 64 bits, "foobar". */
	assert_int_equal(finish_job(job), 0x85944171f73967e8ULL);
	mem_buf_destroy(buf);
}

static void submit_refuses_what_is_wrong(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct mem_job *job = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_job_fill(NULL, 0, 1, 0, &job), -EINVAL);
	assert_int_equal(mem_job_fill(buf, 0, 1, 0, NULL), -EINVAL);
	assert_int_equal(mem_job_fill(buf, 0, 0, 0, &job), -EINVAL);
	assert_int_equal(mem_job_fill(buf, 0, LEN + 1, 0, &job), -EINVAL);
	assert_int_equal(mem_job_fill(buf, UINT64_MAX, 2, 0, &job), -EINVAL);
	assert_int_equal(mem_job_copy(NULL, 0, buf, 0, 1, &job), -EINVAL);
	assert_int_equal(mem_job_copy(buf, 0, NULL, 0, 1, &job), -EINVAL);
	assert_int_equal(mem_job_copy(buf, 0, buf, 0, 1, NULL), -EINVAL);
	assert_int_equal(mem_job_copy(buf, LEN, buf, 0, 1, &job), -EINVAL);
	assert_int_equal(mem_job_copy(buf, 0, buf, LEN, 1, &job), -EINVAL);
	assert_int_equal(mem_job_checksum(NULL, 0, 1, &job), -EINVAL);
	assert_int_equal(mem_job_checksum(buf, 0, 1, NULL), -EINVAL);
	assert_int_equal(mem_job_checksum(buf, 1, LEN, &job), -EINVAL);
	assert_ptr_equal(job, UNTOUCHED);
	mem_buf_destroy(buf);
}

static void copy2d_refuses_what_is_wrong(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct {
		struct mem_copy2d copy;
		uint64_t tail;
	} longer = {
		.copy = {
			.size = sizeof(struct mem_copy2d),
			.dst = buf,
			.src = buf,
			.row_len = 1,
			.nr_rows = 1,
		},
	};
	struct mem_copy2d *copy = &longer.copy;
	struct mem_job *job = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_job_copy2d(NULL, &job), -EINVAL);
	assert_int_equal(mem_job_copy2d(copy, NULL), -EINVAL);
	copy->size--;
	assert_int_equal(mem_job_copy2d(copy, &job), -EINVAL);
	copy->size = sizeof(longer);
	longer.tail = 1;
	assert_int_equal(mem_job_copy2d(copy, &job), -E2BIG);
	longer.tail = 0;
	copy->reserved = 1;
	assert_int_equal(mem_job_copy2d(copy, &job), -EINVAL);
	copy->reserved = 0;
	copy->nr_rows = 0;
	assert_int_equal(mem_job_copy2d(copy, &job), -EINVAL);
	copy->nr_rows = 2;
	copy->dst_pitch = -1;
	assert_int_equal(mem_job_copy2d(copy, &job), -EINVAL);
	copy->dst_pitch = INT64_MIN;
	assert_int_equal(mem_job_copy2d(copy, &job), -EINVAL);
	copy->dst_pitch = 0;
	copy->nr_rows = UINT32_MAX;
	assert_int_equal(mem_job_copy2d(copy, &job), -EINVAL);
	copy->dst_pitch = INT64_MIN;
	copy->nr_rows = 1;
	copy->delay_ns = 10000000001ULL;
	assert_int_equal(mem_job_copy2d(copy, &job), -EINVAL);
	copy->delay_ns = 0;
	copy->src = NULL;
	assert_int_equal(mem_job_copy2d(copy, &job), -EINVAL);
	assert_ptr_equal(job, UNTOUCHED);
	copy->src = buf;
	assert_int_equal(mem_job_copy2d(copy, &job), 0);
	finish_job(job);
	mem_buf_destroy(buf);
}

static void submit_without_descriptors_is_emfile(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct mem_job *job = UNTOUCHED;
	struct rlimit old = take_all_fds();
	int err;

	(void)state;
	err = mem_job_fill(buf, 0, LEN, 0, &job);
	give_fds_back(old);
	assert_int_equal(err, -EMFILE);
	assert_ptr_equal(job, UNTOUCHED);
	mem_buf_destroy(buf);
}

/* A job makes a descriptor only if its fence is requested. */
static void jobs_need_no_descriptors(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct rlimit old = take_all_fds();
	struct mem_job *job = NULL;
	int err;

	(void)state;
	err = mem_job_fill(buf, 0, LEN, 0, &job);
	give_fds_back(old);
	assert_int_equal(err, 0);
	finish_job(job);
	mem_buf_destroy(buf);
}

static void wait_tells_not_done_yet(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint64_t result = 1, start = now_ns();
	struct mem_job *job = start_slow(buf, 2000 * NS_PER_MS);

	(void)state;
	assert_int_equal(mem_job_wait(job, 0, &result), -ETIMEDOUT);
	assert_int_equal(mem_job_wait(job, 50 * NS_PER_MS, &result),
			 -ETIMEDOUT);
	assert_true(now_ns() - start >= 50 * NS_PER_MS);
	assert_int_equal(result, 1);
	assert_int_equal(mem_job_wait(job, MEM_WAIT_FOREVER, NULL), 0);
	assert_true(now_ns() - start >= 2000 * NS_PER_MS);
	assert_int_equal(mem_job_wait(job, 0, &result), 0);
	assert_int_equal(result, LEN);
	assert_int_equal(mem_job_wait(NULL, 0, &result), -EINVAL);
	mem_job_destroy(job);
	mem_buf_destroy(buf);
}

static void wait_goes_on_after_signals(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint64_t result, start = now_ns();
	struct mem_job *job = start_slow(buf, 2000 * NS_PER_MS);
	int early, err;

	(void)state;
	start_storm();
	early = mem_job_wait(job, 100 * NS_PER_MS, &result);
	err = mem_job_wait(job, MEM_WAIT_FOREVER, &result);
	stop_storm();
	assert_int_equal(early, -ETIMEDOUT);
	assert_int_equal(err, 0);
	assert_true(nr_signals > 3);
	assert_true(now_ns() - start >= 2000 * NS_PER_MS);
	assert_int_equal(result, LEN);
	mem_job_destroy(job);
	mem_buf_destroy(buf);
}

static void a_fence_can_be_polled(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_job *job = start_slow(buf, 2000 * NS_PER_MS);
	struct pollfd poll_fd = { .events = POLLIN };
	int fd = -5;

	(void)state;
	assert_int_equal(mem_job_fence(job, NULL), -EINVAL);
	assert_int_equal(mem_job_fence(NULL, &fd), -EINVAL);
	assert_int_equal(fd, -5);
	assert_int_equal(mem_job_fence(job, &fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	poll_fd.fd = fd;
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	assert_int_equal(poll(&poll_fd, 1, 5000), 1);
	assert_int_equal(poll_fd.revents & POLLIN, POLLIN);
	mem_job_destroy(job);
	assert_int_equal(poll(&poll_fd, 1, 0), 1);
	close(fd);
	mem_buf_destroy(buf);
}

static void a_fence_without_descriptors_is_emfile(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_job *job = start_slow(buf, 0);
	struct rlimit old = take_all_fds();
	int fd = -5, err;

	(void)state;
	err = mem_job_fence(job, &fd);
	give_fds_back(old);
	assert_int_equal(err, -EMFILE);
	assert_int_equal(fd, -5);
	finish_job(job);
	mem_buf_destroy(buf);
}

static void the_cpu_waits_for_the_engine(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint64_t start = now_ns();
	struct mem_job *job = start_slow(buf, 300 * NS_PER_MS);

	(void)state;
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	assert_true(now_ns() - start >= 300 * NS_PER_MS);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	finish_job(job);
	mem_buf_destroy(buf);
}

static void a_job_waits_for_earlier_ones(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct mem_buf *copy = new_buf(MEM_KIND_COHERENT);
	struct mem_job *slow = start_slow(buf, 200 * NS_PER_MS);
	struct mem_job *fill, *last;

	(void)state;
	assert_int_equal(mem_job_fill(buf, 0, LEN, 0x66666666, &fill), 0);
	assert_int_equal(mem_job_copy(copy, 0, buf, 0, LEN, &last), 0);
	assert_int_equal(finish_job(last), LEN);
	assert_int_equal(map_buf(copy)[LEN - 1], 0x66);
	assert_int_equal(mem_job_wait(slow, MEM_WAIT_FOREVER, NULL), 0);
	mem_job_destroy(slow);
	mem_job_destroy(fill);
	mem_buf_destroy(copy);
	mem_buf_destroy(buf);
}

/* An END after the submission is too late, even if the engine reads later. */
static void end_after_submit(uint64_t delay_ns)
{
	struct mem_buf *src = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_buf *dst = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_copy2d copy = {
		.size = sizeof(copy),
		.dst = dst,
		.src = src,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = delay_ns,
	};
	uint8_t *addr = map_buf(src);
	struct mem_job *job;

	addr[LEN / 2] = 1;
	assert_int_equal(mem_job_copy2d(&copy, &job), 0);
	assert_int_equal(mem_buf_end_range(src, 0, LEN, MEM_WRITE), 0);
	assert_int_equal(count_of(src).missing_cleans, 1);
	finish_job(job);
	assert_int_equal(count_of(src).missing_cleans, 1);

	assert_int_equal(mem_buf_begin(src, MEM_WRITE), 0);
	addr[LEN / 2] = 2;
	assert_int_equal(mem_buf_end(src, MEM_WRITE), 0);
	assert_int_equal(mem_job_copy2d(&copy, &job), 0);
	finish_job(job);
	assert_int_equal(count_of(src).missing_cleans, 1);
	mem_buf_destroy(dst);
	mem_buf_destroy(src);
}

static void an_end_after_the_submit_comes_too_late(void **state)
{
	(void)state;
	end_after_submit(0);
	end_after_submit(100 * NS_PER_MS);
}

static void a_destroyed_job_still_runs(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct mem_job *job;

	(void)state;
	mem_job_destroy(start_slow(buf, 100 * NS_PER_MS));
	assert_int_equal(mem_job_fill(buf, 0, LEN, 0x77777777, &job), 0);
	mem_job_destroy(job);
	mem_job_destroy(NULL);
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	assert_int_equal(map_buf(buf)[0], 0x77);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	mem_buf_destroy(buf);
}

/* Jobs that are never waited for must not pile up in the kernel. */
static void thousands_of_jobs_can_be_forgotten(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct mem_job *job;
	int i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		assert_int_equal(mem_job_fill(buf, 0, 64, 1, &job), 0);
		if (i % 16 == 15)
			assert_int_equal(mem_job_wait(job, MEM_WAIT_FOREVER,
						      NULL), 0);
		mem_job_destroy(job);
	}
	mem_buf_destroy(buf);
}

/*
 * Submits jobs after one that takes @delay_ns, until one is refused or there
 * are many. Waits for all of them. Returns the result of the last submission.
 */
static int submit_many(struct mem_buf *buf, uint64_t delay_ns)
{
	enum { MANY = 1000 };
	struct mem_job *first, *last = NULL, *job = UNTOUCHED;
	int err = 0, i;

	first = start_slow(buf, delay_ns);
	for (i = 0; i < MANY && !err; i++) {
		job = UNTOUCHED;
		err = mem_job_fill(buf, 0, 1, 0, &job);
		if (!err) {
			mem_job_destroy(last);
			last = job;
		}
	}
	if (err)
		assert_ptr_equal(job, UNTOUCHED);
	assert_non_null(last);
	finish_job(last);
	finish_job(first);
	return err;
}

static void too_many_jobs_are_ebusy(void **state)
{
	struct mem_buf *buf;
	struct mem_ctx *other;
	int err;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_buf_alloc(other, MEM_KIND_COHERENT, LEN, NULL,
				       &buf), 0);
	err = submit_many(buf, 3000 * NS_PER_MS);
	/* A slow machine needs more time to submit so many. */
	if (!err)
		err = submit_many(buf, 9000 * NS_PER_MS);
	assert_int_equal(err, -EBUSY);
	mem_buf_destroy(buf);
	mem_ctx_close(other);
}

/* The time limit of a job is 10 s, for which its fence alone lasts. */
static void a_job_that_waits_too_long_has_failed(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	uint64_t fence, result = 1, start = now_ns();
	struct mem_job *job;
	int dev;

	(void)state;
	dev = put_fence(buf, HEAPSIM_FENCE_WRITE, 10000 * NS_PER_MS, &fence);
	job = start_slow(buf, 5000 * NS_PER_MS);
	assert_int_equal(mem_job_wait(job, 10 * NS_PER_MS, &result),
			 -ETIMEDOUT);
	assert_int_equal(mem_job_wait(job, MEM_WAIT_FOREVER, &result), -ETIME);
	assert_true(now_ns() - start >= 9000 * NS_PER_MS);
	assert_int_equal(mem_job_wait(job, 0, &result), -ETIME);
	assert_int_equal(result, 1);
	assert_int_equal(map_buf(buf)[0], 0);
	mem_job_destroy(job);
	close(dev);
	mem_buf_destroy(buf);
}

/* A fence that is signalled with an error also ends the wait. */
static void a_job_goes_on_after_a_fence_that_failed(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	uint64_t fence, result = 1;
	struct mem_job *job;
	int dev;

	(void)state;
	dev = put_fence(buf, HEAPSIM_FENCE_WRITE, 200 * NS_PER_MS, &fence);
	assert_int_equal(mem_job_fill(buf, 0, LEN, 0x33333333, &job), 0);
	assert_int_equal(mem_job_wait(job, MEM_WAIT_FOREVER, &result), 0);
	assert_int_equal(result, LEN);
	assert_int_equal(map_buf(buf)[0], 0x33);
	mem_job_destroy(job);
	close(dev);
	mem_buf_destroy(buf);
}

int main(void)
{
	const struct CMUnitTest both[] = {
		cmocka_unit_test(fill_writes_its_pattern),
		cmocka_unit_test(copy_moves_bytes_between_buffers),
		cmocka_unit_test(copy2d_turns_and_inverts),
		cmocka_unit_test(checksum_is_fnv1a),
		cmocka_unit_test(submit_refuses_what_is_wrong),
		cmocka_unit_test(copy2d_refuses_what_is_wrong),
		cmocka_unit_test(wait_tells_not_done_yet),
		cmocka_unit_test(wait_goes_on_after_signals),
		cmocka_unit_test(a_fence_can_be_polled),
		cmocka_unit_test(a_fence_without_descriptors_is_emfile),
		cmocka_unit_test(the_cpu_waits_for_the_engine),
		cmocka_unit_test(a_job_waits_for_earlier_ones),
		cmocka_unit_test(an_end_after_the_submit_comes_too_late),
		cmocka_unit_test(a_destroyed_job_still_runs),
		cmocka_unit_test(thousands_of_jobs_can_be_forgotten),
		cmocka_unit_test(too_many_jobs_are_ebusy),
	};
	const struct CMUnitTest kernel[] = {
		cmocka_unit_test(submit_without_descriptors_is_emfile),
		cmocka_unit_test(a_job_that_waits_too_long_has_failed),
		cmocka_unit_test(a_job_goes_on_after_a_fence_that_failed),
	};
	const struct CMUnitTest embedded[] = {
		cmocka_unit_test(jobs_need_no_descriptors),
	};

	return run_both(both, kernel, embedded);
}
