// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that calls of libmem/order with many streams, waits and buffers take a
 * bounded number of steps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <attach.h>
#include <profile.h>

#define LEN	4096

/**
 * struct crowd - a context with many objects
 * @ctx: the context
 * @ops: its pool of operations
 * @streams: non-blocking streams
 * @bufs: memory of buffers, which the tests create
 */
struct crowd {
	struct attach_ctx ctx;
	struct attach_op *ops;
	struct attach_stream *streams;
	struct attach_buf *bufs;
};

#define NR_CROWD	1000U	/* streams, and buffers */
#define NR_WAITS	4000U
#define NR_CROWD_OPS	(4 * NR_CROWD + NR_WAITS)

/* A call with more steps than this would search in a nested loop. */
#define MAX_STEPS	(4 * NR_CROWD_OPS)

static struct crowd *crowd_create(void)
{
	struct crowd *c = calloc(1, sizeof(*c));
	size_t i;

	assert_non_null(c);
	c->ops = calloc(NR_CROWD_OPS, sizeof(*c->ops));
	c->streams = calloc(NR_CROWD, sizeof(*c->streams));
	c->bufs = calloc(NR_CROWD, sizeof(*c->bufs));
	assert_true(c->ops && c->streams && c->bufs);
	attach_init(&c->ctx, profile_find("generic-noncoherent"));
	for (i = 0; i < NR_CROWD_OPS; i++)
		attach_give_op(&c->ctx, &c->ops[i]);
	for (i = 0; i < NR_CROWD; i++)
		attach_stream_create(&c->ctx, &c->streams[i],
				     ATTACH_STREAM_NON_BLOCKING);
	return c;
}

static void crowd_destroy(struct crowd *c)
{
	attach_fini(&c->ctx);
	free(c->bufs);
	free(c->streams);
	free(c->ops);
	free(c);
}

static struct attach_op *crowd_host(struct crowd *c, struct attach_stream *s)
{
	struct attach_op *host;

	assert_int_equal(attach_submit_host(&c->ctx, s, &host), 0);
	return host;
}

static void crowd_record(struct crowd *c, struct attach_event *event,
			 struct attach_stream *s)
{
	assert_int_equal(attach_event_record(&c->ctx, event, s), 0);
}

static void crowd_wait(struct crowd *c, struct attach_stream *s,
		       const struct attach_event *event)
{
	assert_int_equal(attach_event_wait(&c->ctx, s, event), 0);
}

static void crowd_work(struct crowd *c, struct attach_stream *s)
{
	assert_int_equal(attach_submit_work(&c->ctx, s), 0);
}

/* Lets @s wait many times for work of @of that is not known done. */
static void crowd_many_waits(struct crowd *c, struct attach_stream *s,
			     struct attach_stream *of)
{
	struct attach_event event = { 0 };
	size_t i;

	crowd_work(c, of);
	crowd_record(c, &event, of);
	for (i = 0; i < NR_WAITS; i++)
		crowd_wait(c, s, &event);
	attach_event_destroy(&c->ctx, &event);
}

/* @is_second: the streams wait for a second host function, too. */
static void crowd_return(bool is_second)
{
	struct crowd *c = crowd_create();
	struct attach_stream *s = c->streams;
	struct attach_event first = { 0 }, second = { 0 }, last = { 0 };
	struct attach_op *host;
	u64 before;
	size_t i;

	host = crowd_host(c, &s[0]);
	crowd_record(c, &first, &s[0]);
	crowd_host(c, &s[1]);
	crowd_record(c, &second, &s[1]);
	crowd_many_waits(c, &s[3], &s[2]);
	crowd_wait(c, &s[3], &first);
	if (is_second)
		crowd_wait(c, &s[3], &second);
	crowd_record(c, &last, &s[3]);
	for (i = 4; i < NR_CROWD; i++) {
		crowd_wait(c, &s[i], &last);
		crowd_work(c, &s[i]);
		assert_false(s[i].is_active);
	}
	assert_int_equal(attach_host_begin(&c->ctx, host), 0);
	before = c->ctx.nr_steps;
	assert_int_equal(attach_host_return(&c->ctx, host), 0);
	assert_in_range(c->ctx.nr_steps - before, 0, MAX_STEPS);
	for (i = 4; i < NR_CROWD; i++)
		assert_int_equal(s[i].is_active, !is_second);
	crowd_destroy(c);
}

static void a_return_looks_at_each_wait_once(void **state)
{
	(void)state;
	crowd_return(false);
	crowd_return(true);
}

/* Makes buffers single to @s, known done; @fallback: state after its end. */
static void crowd_singles(struct crowd *c, struct attach_stream *s,
			  enum attach_kind fallback)
{
	size_t i;

	for (i = 0; i < NR_CROWD; i++) {
		attach_buf_create(&c->ctx, &c->bufs[i], LEN, fallback);
		assert_int_equal(attach_submit_state(&c->ctx, s, &c->bufs[i],
						     ATTACH_SINGLE), 0);
	}
	assert_int_equal(attach_sync_stream(&c->ctx, s), 0);
}

static void a_wait_looks_at_each_stream_once(void **state)
{
	struct crowd *c = crowd_create();
	struct attach_stream *s = c->streams;
	u64 before;
	size_t i;

	(void)state;
	crowd_singles(c, &s[0], ATTACH_GLOBAL);
	for (i = 1; i < NR_CROWD; i++) {
		crowd_host(c, &s[i]);
		crowd_work(c, &s[i]);
	}
	crowd_work(c, &s[0]);
	assert_true(attach_is_revoked(&c->bufs[0]));
	before = c->ctx.nr_steps;
	assert_int_equal(attach_sync_stream(&c->ctx, &s[0]), 0);
	assert_in_range(c->ctx.nr_steps - before, 0, MAX_STEPS);
	for (i = 0; i < NR_CROWD; i++)
		assert_false(attach_is_revoked(&c->bufs[i]));
	crowd_destroy(c);
}

static void a_destruction_looks_at_each_wait_once(void **state)
{
	struct crowd *c = crowd_create();
	struct attach_stream *s = c->streams;
	u64 before;
	size_t i;

	(void)state;
	crowd_singles(c, &s[0], ATTACH_HOST);
	for (i = 2; i < NR_CROWD; i++)
		crowd_work(c, &s[i]);
	crowd_work(c, &s[0]);
	crowd_many_waits(c, &s[0], &s[1]);
	before = c->ctx.nr_steps;
	assert_int_equal(attach_stream_destroy(&c->ctx, &s[0]), 0);
	assert_in_range(c->ctx.nr_steps - before, 0, MAX_STEPS);
	assert_int_equal(c->ctx.count.prefetches_to_cpu, NR_CROWD);
	crowd_destroy(c);
}

/* The host queries each buffer, as a host with late accesses must. */
static void a_job_is_judged_by_one_search(void **state)
{
	struct crowd *c = crowd_create();
	struct attach_stream *s = c->streams;
	u64 before;
	size_t i;

	(void)state;
	for (i = 0; i < NR_CROWD; i++) {
		attach_buf_create(&c->ctx, &c->bufs[i], LEN, ATTACH_HOST);
		assert_int_equal(attach_submit_state(&c->ctx, &s[0],
						     &c->bufs[i],
						     ATTACH_GLOBAL), 0);
	}
	crowd_many_waits(c, &s[1], &s[2]);
	before = c->ctx.nr_steps;
	crowd_work(c, &s[1]);
	for (i = 0; i < NR_CROWD; i++)
		assert_int_equal(attach_judge_job(&c->ctx, &s[1], &c->bufs[i],
						  NULL),
				 ATTACH_ENGINE_NOT_ATTACHED);
	assert_in_range(c->ctx.nr_steps - before, 0, MAX_STEPS);
	crowd_destroy(c);
}

static void a_buffers_attaches_are_looked_at_once(void **state)
{
	struct crowd *c = crowd_create();
	struct attach_stream *s = c->streams;
	u64 before;
	size_t i;

	(void)state;
	attach_buf_create(&c->ctx, &c->bufs[0], LEN, ATTACH_HOST);
	for (i = 0; i < NR_WAITS; i++)
		assert_int_equal(attach_submit_state(&c->ctx, &s[0],
						     &c->bufs[0], i % 2 ?
						     ATTACH_HOST :
						     ATTACH_GLOBAL), 0);
	crowd_work(c, &s[1]);
	assert_true(attach_is_revoked(&c->bufs[0]));
	before = c->ctx.nr_steps;
	assert_int_equal(attach_sync_stream(&c->ctx, &s[1]), 0);
	assert_in_range(c->ctx.nr_steps - before, 0, MAX_STEPS);
	assert_false(attach_is_revoked(&c->bufs[0]));
	crowd_destroy(c);
}

#define NR_IDLE		2000U	/* buffers that are never accessed */
#define NR_LAUNCHES	200U

/*
 * Does launches, each with a wait, and returns the steps of all but the first.
 */
static u64 launch_steps(struct crowd *c, struct attach_stream *s)
{
	u64 before = 0;
	size_t i;

	for (i = 0; i < NR_LAUNCHES; i++) {
		/* The first launch cleans all new buffers. */
		if (i == 1)
			before = c->ctx.nr_steps;
		crowd_work(c, s);
		assert_int_equal(attach_sync_stream(&c->ctx, s), 0);
	}
	return c->ctx.nr_steps - before;
}

static void expect_launches(const struct crowd *c, const struct attach_buf *buf)
{
	struct attach_counters count;

	attach_buf_counters(&c->ctx, buf, &count);
	assert_int_equal(count.revoked, NR_LAUNCHES);
	assert_int_equal(count.restored, NR_LAUNCHES);
	assert_int_equal(count.cpu_invalidated_bytes, NR_LAUNCHES * LEN);
}

/* This holds if the host does not ask to be called for each buffer. */
static void idle_buffers_cost_a_launch_nothing(void **state)
{
	struct attach_buf *bufs = calloc(NR_IDLE, sizeof(*bufs));
	struct crowd *c = crowd_create();
	u64 alone;
	size_t i;

	(void)state;
	assert_non_null(bufs);
	alone = launch_steps(c, &c->streams[0]);
	for (i = 0; i < NR_IDLE; i++)
		attach_buf_create(&c->ctx, &bufs[i], LEN, ATTACH_GLOBAL);
	assert_int_equal(launch_steps(c, &c->streams[0]), alone);
	expect_launches(c, &bufs[0]);
	expect_launches(c, &bufs[NR_IDLE - 1]);
	assert_int_equal(c->ctx.count.revoked, NR_IDLE * NR_LAUNCHES);
	assert_int_equal(c->ctx.count.gpu_cleaned_bytes,
			 (u64)NR_IDLE * NR_LAUNCHES * LEN);
	crowd_destroy(c);
	free(bufs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_return_looks_at_each_wait_once),
		cmocka_unit_test(a_wait_looks_at_each_stream_once),
		cmocka_unit_test(a_destruction_looks_at_each_wait_once),
		cmocka_unit_test(a_job_is_judged_by_one_search),
		cmocka_unit_test(a_buffers_attaches_are_looked_at_once),
		cmocka_unit_test(idle_buffers_cost_a_launch_nothing),
	};

	return cmocka_run_group_tests_name("attach_steps", tests, NULL, NULL);
}
