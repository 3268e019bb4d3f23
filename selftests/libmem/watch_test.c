// SPDX-License-Identifier: GPL-2.0-only
/* Tests the violations that a watching context gets, on both backends. */
#include "test.h"

#define ALL	(MEM_WATCH_ERRORS | MEM_WATCH_WASTE)

static int open_watching(void **state)
{
	return open_ctx(state) || mem_ctx_watch(ctx, ALL, 64);
}

/* Returns the only pending violation. */
static struct mem_violation only(struct mem_ctx *watching, uint32_t kind)
{
	struct mem_violation v = { .size = sizeof(v) }, other = v;

	assert_int_equal(mem_ctx_next_violation(watching, &v), 1);
	assert_int_equal(v.kind, kind);
	assert_int_equal(v.size, sizeof(v));
	assert_int_equal(mem_ctx_next_violation(watching, &other), 0);
	return v;
}

static void read_all(void)
{
	struct mem_violation v = { .size = sizeof(v) };

	while (mem_ctx_next_violation(ctx, &v) > 0)
		;
}

static void assert_touch(const struct mem_violation *v, const uint8_t *addr,
			 bool is_write)
{
	assert_int_equal(v->cpu_addr, (uintptr_t)addr);
	assert_int_equal(v->is_write, is_write);
	assert_int_equal(v->cpu_tid, gettid());
	assert_int_not_equal(v->cpu_ip, 0);
	assert_true(v->cpu_time_ns && v->cpu_time_ns <= now_ns());
}

static void assert_engine(const struct mem_violation *v)
{
	assert_int_equal(v->other, MEM_OTHER_ENGINE);
	assert_string_equal(v->other_name, "dma");
	assert_int_not_equal(v->other_job, 0);
	assert_true(v->other_time_ns && v->other_time_ns <= now_ns());
}

static void a_stale_read_has_both_sides(void **state)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_violation v;
	struct mem_buf *buf;
	uint8_t *addr;

	(void)state;
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, LEN, "frame",
				       &buf), 0);
	assert_int_equal(mem_buf_info(buf, &info), 0);
	addr = map_buf(buf);
	byte_at(addr + 70);
	fill_buf(buf, 0x11111111);
	byte_at(addr + 70);
	v = only(ctx, MEM_VIOLATION_STALE_READ);
	assert_int_equal(v.missing, MEM_MISSING_BEGIN_READ);
	assert_int_equal(v.count, 1);
	assert_int_equal(v.buf, info.id);
	assert_string_equal(v.name, "frame");
	assert_int_equal(v.off, 70);
	assert_int_equal(v.off + v.len, (70 / line_size() + 1) * line_size());
	assert_touch(&v, addr + 70, false);
	assert_engine(&v);
	mem_buf_destroy(buf);
}

static void a_missing_clean_names_the_store(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	struct mem_violation v;

	(void)state;
	*(volatile uint8_t *)(addr + 4097) = 1;
	sum_of(buf);
	v = only(ctx, MEM_VIOLATION_MISSING_CLEAN);
	assert_int_equal(v.missing, MEM_MISSING_END);
	assert_int_equal(v.off, 4097 / line_size() * line_size());
	assert_int_equal(v.len, line_size());
	assert_touch(&v, addr + 4097, true);
	assert_engine(&v);
	assert_true(v.cpu_time_ns < v.other_time_ns);
	mem_buf_destroy(buf);
}

static void a_lost_cpu_write_is_reported(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_range range = {
		.buf = buf,
		.op = MEM_MAINT_INVALIDATE,
		.len = LEN,
	};
	volatile uint8_t *addr = map_buf(buf);
	struct mem_violation v;

	(void)state;
	addr[0] = 1;
	assert_int_equal(mem_buf_maintain(ctx, &range, 1, NULL), 0);
	v = only(ctx, MEM_VIOLATION_LOST_CPU_WRITE);
	assert_int_equal(v.missing, MEM_MISSING_END);
	assert_touch(&v, (uint8_t *)addr, true);
	assert_int_equal(v.other, MEM_OTHER_PROCESS);
	assert_string_equal(v.other_name, "invalidate");

	addr[0] = 1;
	fill_buf(buf, 0x22222222);
	v = only(ctx, MEM_VIOLATION_WRITE_CONFLICT);
	assert_engine(&v);
	range.op = MEM_MAINT_CLEAN;
	assert_int_equal(mem_buf_maintain(ctx, &range, 1, NULL), 0);
	v = only(ctx, MEM_VIOLATION_LOST_DEVICE_WRITE);
	assert_touch(&v, (uint8_t *)addr, true);
	assert_engine(&v);
	mem_buf_destroy(buf);
}

static void brackets_that_do_not_match_are_reported(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	volatile uint8_t *addr = map_buf(buf);
	struct mem_violation v;

	(void)state;
	addr[0] = 1;
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	v = only(ctx, MEM_VIOLATION_UNMATCHED_END);
	assert_int_equal(v.missing, MEM_MISSING_BEGIN_WRITE);
	assert_int_equal(v.len, LEN);
	assert_int_equal(mem_buf_begin(buf, MEM_WRITE), 0);
	assert_int_equal(mem_buf_begin(buf, MEM_WRITE), 0);
	mem_buf_destroy(buf);
	v = only(ctx, MEM_VIOLATION_MISSING_END);
	assert_int_equal(v.count, 2);
	assert_int_not_equal(v.cpu_time_ns, 0);
}

static void a_read_bracket_left_open_is_listed(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_violation v;

	(void)state;
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	while (mem_ctx_next_violation(ctx, &(struct mem_violation) {
				      .size = sizeof(v) }) > 0)
		;
	mem_buf_destroy(buf);
	v = only(ctx, MEM_VIOLATION_UNENDED_READ);
	assert_int_equal(v.missing, MEM_MISSING_END);
	assert_int_equal(v.count, 1);
	assert_int_equal(v.is_write, 0);
	assert_int_not_equal(v.cpu_time_ns, 0);
}

/* No byte is wrong by it, so it is reported with what is redundant. */
static void a_read_bracket_left_open_is_no_error(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_violation v = { .size = sizeof(v) };
	struct mem_ctx *errors, *waste;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &errors), 0);
	assert_int_equal(mem_ctx_open(NULL, &waste), 0);
	assert_int_equal(mem_ctx_watch(errors, MEM_WATCH_ERRORS, 64), 0);
	assert_int_equal(mem_ctx_watch(waste, MEM_WATCH_WASTE, 64), 0);
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	mem_buf_destroy(buf);
	assert_int_equal(mem_ctx_next_violation(errors, &v), 0);
	/* The bracket had nothing to invalidate. */
	while (mem_ctx_next_violation(waste, &v) > 0)
		;
	assert_int_equal(v.kind, MEM_VIOLATION_UNENDED_READ);
	mem_ctx_close(errors);
	mem_ctx_close(waste);
	read_all();
}

static void a_touch_beside_a_job_is_reported(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	volatile uint8_t *addr = map_buf(buf);
	struct mem_job *job = start_slow(buf, 100 * NS_PER_MS);
	struct mem_violation v;

	(void)state;
	addr[9] = 1;
	v = only(ctx, MEM_VIOLATION_UNBRACKETED_ACCESS);
	assert_int_equal(v.missing, MEM_MISSING_WAIT);
	assert_int_equal(v.other, MEM_OTHER_FENCE);
	assert_int_equal(v.off, 9);
	assert_touch(&v, (uint8_t *)addr + 9, true);
	finish_job(job);
	read_all();
	mem_buf_destroy(buf);
}

static void redundant_maintenance_is_reported_on_request(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_ctx *errors_only;
	struct mem_violation v = { .size = sizeof(v) };

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &errors_only), 0);
	assert_int_equal(mem_ctx_watch(errors_only, MEM_WATCH_ERRORS, 1), 0);
	assert_int_equal(mem_buf_begin(buf, MEM_RW), 0);
	assert_int_equal(mem_buf_end(buf, MEM_RW), 0);
	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	assert_int_equal(v.kind, MEM_VIOLATION_REDUNDANT_INVALIDATE);
	assert_int_equal(v.len, LEN);
	v = only(ctx, MEM_VIOLATION_REDUNDANT_CLEAN);
	assert_int_equal(mem_ctx_next_violation(errors_only, &v), 0);
	mem_ctx_close(errors_only);
	mem_buf_destroy(buf);
}

static void what_repeats_is_folded(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	volatile uint8_t *addr = map_buf(buf);
	struct mem_violation v;
	size_t i;

	(void)state;
	for (i = 0; i < LEN; i += line_size())
		addr[i] = 1;
	sum_of(buf);
	v = only(ctx, MEM_VIOLATION_MISSING_CLEAN);
	assert_int_equal(v.count, LEN / line_size());
	assert_int_equal(v.off, 0);
	assert_int_equal(v.len, LEN);
	mem_buf_destroy(buf);
}

static void what_finds_no_room_is_counted(void **state)
{
	struct mem_violation v = { .size = sizeof(v) };
	struct mem_buf *bufs[3];
	struct mem_ctx *narrow;
	size_t i;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &narrow), 0);
	assert_int_equal(mem_ctx_watch(narrow, MEM_WATCH_ERRORS, 1), 0);
	for (i = 0; i < 3; i++) {
		bufs[i] = new_buf(MEM_KIND_NONCOHERENT);
		assert_int_equal(mem_buf_end(bufs[i], MEM_READ), 0);
	}
	assert_int_equal(mem_ctx_next_violation(narrow, &v), 1);
	assert_int_equal(v.kind, MEM_VIOLATION_UNMATCHED_END);
	v = only(narrow, MEM_VIOLATION_DROPPED);
	assert_int_equal(v.count, 2);
	for (i = 0; i < 3; i++)
		mem_buf_destroy(bufs[i]);
	mem_ctx_close(narrow);
	read_all();
}

static bool is_readable(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };

	return poll(&polled, 1, 0) == 1 && polled.revents == POLLIN;
}

static void a_descriptor_polls_while_something_waits(void **state)
{
	struct mem_violation v = { .size = sizeof(v) };
	struct mem_ctx *narrow;
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_buf *other = new_buf(MEM_KIND_NONCOHERENT);
	int fd, again;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &narrow), 0);
	assert_int_equal(mem_ctx_watch(narrow, MEM_WATCH_ERRORS, 1), 0);
	assert_int_equal(mem_ctx_watch_fd(narrow, &fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_false(is_readable(fd));
	/* There is room for one violation; the second is dropped. */
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	assert_true(is_readable(fd));
	assert_int_equal(mem_buf_end(other, MEM_READ), 0);
	assert_int_equal(mem_ctx_watch_fd(narrow, &again), 0);
	assert_true(is_readable(again));
	while (mem_ctx_next_violation(narrow, &v) == 1)
		;
	assert_false(is_readable(fd));
	assert_false(is_readable(again));
	/* Closing one descriptor does not affect the other. */
	close(again);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	assert_true(is_readable(fd));
	mem_ctx_close(narrow);
	close(fd);
	/* The descriptor is requested when a violation is already pending. */
	assert_int_equal(mem_ctx_watch_fd(ctx, &fd), 0);
	assert_true(is_readable(fd));
	read_all();
	assert_false(is_readable(fd));
	close(fd);
	mem_buf_destroy(buf);
	mem_buf_destroy(other);
	read_all();
}

static void watch_refuses_what_is_wrong(void **state)
{
	int fd = 77;
	struct mem_violation v = { .size = sizeof(v) - 1 };
	struct mem_ctx *other;

	(void)state;
	assert_int_equal(mem_ctx_watch(ctx, ALL, 1), -EBUSY);
	assert_int_equal(mem_ctx_next_violation(ctx, &v), -EINVAL);
	assert_int_equal(mem_ctx_next_violation(ctx, NULL), -EINVAL);
	v.size = sizeof(v);
	assert_int_equal(mem_ctx_next_violation(NULL, &v), -EINVAL);
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_ctx_next_violation(other, &v), -EINVAL);
	assert_int_equal(mem_ctx_watch_fd(other, &fd), -EINVAL);
	assert_int_equal(mem_ctx_watch_fd(NULL, &fd), -EINVAL);
	assert_int_equal(mem_ctx_watch_fd(ctx, NULL), -EINVAL);
	assert_int_equal(fd, 77);
	assert_int_equal(mem_ctx_watch(NULL, ALL, 1), -EINVAL);
	assert_int_equal(mem_ctx_watch(other, 0, 1), -EINVAL);
	assert_int_equal(mem_ctx_watch(other, ALL + 1, 1), -EINVAL);
	assert_int_equal(mem_ctx_watch(other, ALL, 0), -EINVAL);
	assert_int_equal(mem_ctx_watch(other, ALL, MEM_WATCH_MAX + 1), -EINVAL);
	assert_int_equal(mem_ctx_watch(other, ALL, MEM_WATCH_MAX), 0);
	mem_ctx_close(other);
}

static void kinds_have_names(void **state)
{
	(void)state;
	assert_string_equal(mem_violation_name(MEM_VIOLATION_STALE_READ),
			    "stale-read");
	assert_string_equal(mem_violation_name(99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stale_read_has_both_sides),
		cmocka_unit_test(a_missing_clean_names_the_store),
		cmocka_unit_test(a_lost_cpu_write_is_reported),
		cmocka_unit_test(brackets_that_do_not_match_are_reported),
		cmocka_unit_test(a_read_bracket_left_open_is_listed),
		cmocka_unit_test(a_read_bracket_left_open_is_no_error),
		cmocka_unit_test(a_touch_beside_a_job_is_reported),
		cmocka_unit_test(redundant_maintenance_is_reported_on_request),
		cmocka_unit_test(what_repeats_is_folded),
		cmocka_unit_test(what_finds_no_room_is_counted),
		cmocka_unit_test(a_descriptor_polls_while_something_waits),
		cmocka_unit_test(watch_refuses_what_is_wrong),
		cmocka_unit_test(kinds_have_names),
	};

	return cmocka_run_group_tests(tests, open_watching, close_ctx);
}
