// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clauses of DESIGN 2.4 as programs: each with one that is right, of which
 * nothing is told, and one that is wrong. Which board it is LIBMEM_SOC says, or
 * the module; on the one with concurrent access all is right.
 */
#include "stream.h"

#include <semaphore.h>

static struct mem_stream *other;	/* non-blocking, as stream is */

static int open_two(void **state)
{
	if (open_strict(state))
		return -1;
	return mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0, &other);
}

static int close_two(void **state)
{
	mem_stream_destroy(other);
	return close_all(state);
}

/**
 * struct held - a host function that returns when it is told to
 * @has_begun: posted as it begins
 * @may_return: waited for
 * @after: recorded behind it
 */
struct held {
	sem_t has_begun;
	sem_t may_return;
	struct mem_event *after;
};

static void wait_here(void *arg)
{
	struct held *held = arg;

	sem_post(&held->has_begun);
	while (sem_wait(&held->may_return))
		;
}

static void hold(struct mem_stream *where, struct held *held)
{
	sem_init(&held->has_begun, 0, 0);
	sem_init(&held->may_return, 0, 0);
	assert_int_equal(mem_event_create(ctx, 0, &held->after), 0);
	assert_int_equal(mem_stream_call(where, wait_here, held), 0);
	assert_int_equal(mem_event_record(held->after, where), 0);
}

static void begins(struct held *held)
{
	while (sem_wait(&held->has_begun))
		;
}

/* That it has returned is known by the time it took: that is no wait. */
static void returns(struct held *held)
{
	int64_t ns;
	int err;

	sem_post(&held->may_return);
	while ((err = mem_event_elapsed(held->after, held->after, &ns)))
		assert_int_equal(err, -EBUSY);
	mem_event_destroy(held->after);
}

static void sync_of(struct mem_stream *where)
{
	assert_int_equal(mem_stream_sync(where), 0);
}

static void attach(struct mem_stream *where, void *ptr, unsigned int how)
{
	assert_int_equal(mem_stream_attach(where, ptr, 0, how), 0);
}

/* What a wait gives back, for a while */

/*
 * The job is behind a host function, and so is what lets it have the buffer:
 * the wait for another stream knows of neither, and the CPU fills its lines
 * before the job writes.
 */
static void a_job_behind_an_unknown_attach_sees_it(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	struct held held;

	(void)state;
	set_all(ptr, VALUE);
	hold(stream, &held);
	begins(&held);
	attach(stream, ptr, MEM_ATTACH_GLOBAL);
	start_add(stream, ptr, ptr, 1);
	start(other, k_nothing, NULL, 0);
	sync_of(other);
	all_are(ptr, VALUE);
	returns(&held);
	sync_of(stream);
	all_are(ptr, VALUE + 1);
	nothing_found();
	release(ptr);
}

/* The same, but the CPU waits for the function alone. */
static void a_job_that_has_come_has_it(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	struct held held;
	struct gate gate;

	(void)state;
	hold(stream, &held);
	begins(&held);
	attach(stream, ptr, MEM_ATTACH_GLOBAL);
	gate = hold_up(stream);
	start(other, k_nothing, NULL, 0);
	is_refused(ptr);
	sync_of(other);
	is_allowed(ptr);
	returns(&held);
	is_refused(ptr);
	let_go(gate);
	sync_of(stream);
	is_allowed(ptr);
	release(ptr);
	release(gate.word);
}

/* A destroyed stream */

/* Where all of it is known done the default is back at once. */
static void the_default_comes_back_with_the_stream(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct mem_stream *fresh;

	(void)state;
	set_all(ptr, VALUE);
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &fresh), 0);
	attach(fresh, ptr, MEM_ATTACH_SINGLE);
	start_add(fresh, ptr, ptr, 1);
	sync_of(fresh);
	assert_int_equal(mem_stream_destroy(fresh), 0);
	start_add(stream, ptr, ptr, 1);
	sync_of(stream);
	all_are(ptr, VALUE + 2);
	nothing_found();
	release(ptr);
}

/* What is behind its last operation is behind that, too; nothing else is. */
static void the_default_comes_back_behind_its_last(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct mem_stream *fresh;
	struct mem_event *event;

	(void)state;
	set_all(ptr, VALUE);
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &fresh), 0);
	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	attach(fresh, ptr, MEM_ATTACH_SINGLE);
	start_add(fresh, ptr, ptr, 1);
	assert_int_equal(mem_event_record(event, fresh), 0);
	assert_int_equal(mem_stream_wait_event(stream, event), 0);
	assert_int_equal(mem_stream_destroy(fresh), 0);
	start_add(stream, ptr, ptr, 1);
	sync_of(stream);
	all_are(ptr, VALUE + 2);
	nothing_found();

	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &fresh), 0);
	attach(fresh, ptr, MEM_ATTACH_SINGLE);
	sync_of(fresh);
	start_add(fresh, ptr, ptr, 1);
	assert_int_equal(mem_stream_destroy(fresh), 0);
	start_add(stream, ptr, ptr, 1);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(found(MEM_VIOLATION_ENGINE_NOT_ATTACHED),
			 is_concurrent() ? 0 : 1);
	mem_event_destroy(event);
	release(ptr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_behind_an_unknown_attach_sees_it),
		cmocka_unit_test(a_job_that_has_come_has_it),
		cmocka_unit_test(the_default_comes_back_with_the_stream),
		cmocka_unit_test(the_default_comes_back_behind_its_last),
	};

	return cmocka_run_group_tests(tests, open_two, close_two);
}
