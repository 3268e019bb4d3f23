// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the rules of DESIGN 2.4, each with a right program, for which nothing
 * is reported, and a wrong one. LIBMEM_SOC or the module chooses the board; on
 * a board with concurrent access all programs are right.
 */
#include "../asleep.h"
#include "stream.h"

#include <pthread.h>
#include <semaphore.h>

static struct mem_stream *other;	/* non-blocking, like stream */

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
 * struct held - a host function that returns on request
 * @has_begun: posted when the function begins
 * @may_return: the function waits for it
 * @after: event recorded after the function
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

/* Reads the event's time until it is known, since a wait would have effects. */
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

/* Known done */

static void work(struct mem_stream *where)
{
	start(where, k_nothing, NULL, 0);
}

static struct mem_stream *blocking(void)
{
	struct mem_stream *made;

	assert_int_equal(mem_stream_create(ctx, 0, 0, &made), 0);
	return made;
}

static struct mem_event *event_of(struct mem_stream *where)
{
	struct mem_event *event;

	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	assert_int_equal(mem_event_record(event, where), 0);
	return event;
}

static void *sync_in_thread(void *where)
{
	return (void *)(intptr_t)mem_stream_sync(where);
}

static void a_thread_waits_for(struct mem_stream *where)
{
	pthread_t thread;
	void *err;

	assert_int_equal(pthread_create(&thread, NULL, sync_in_thread, where),
			 0);
	assert_int_equal(pthread_join(thread, &err), 0);
	assert_null(err);
}

static void a_wait_in_any_thread_is_the_hosts(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);

	(void)state;
	work(stream);
	a_thread_waits_for(other);
	is_refused(ptr);
	a_thread_waits_for(stream);
	is_allowed(ptr);
	release(ptr);
}

static void a_wait_for_the_context_is_one_for_all(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);

	(void)state;
	work(stream);
	work(other);
	work(mem_stream_legacy(ctx));
	sync_of(stream);
	sync_of(other);
	is_refused(ptr);
	work(stream);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	is_allowed(ptr);
	release(ptr);
}

/**
 * struct waiter - a thread that waits
 * @thread: the thread
 * @tid: number of the thread, set when it begins
 * @wait: function that waits
 * @arg: argument of @wait
 */
struct waiter {
	pthread_t thread;
	atomic_int tid;
	int (*wait)(void *arg);
	void *arg;
};

static int sync_ctx(void *of)
{
	return mem_ctx_sync(of);
}

static void *waiter_main(void *arg)
{
	struct waiter *waiter = arg;

	waiter->tid = gettid();
	return (void *)(intptr_t)waiter->wait(waiter->arg);
}

/* Starts a waiter, and returns when it sleeps for longer than for a lock. */
static void start_waiter(struct waiter *waiter, int (*wait)(void *arg),
			 void *arg)
{
	*waiter = (struct waiter) { .wait = wait, .arg = arg };
	assert_int_equal(pthread_create(&waiter->thread, NULL, waiter_main,
					waiter), 0);
	wait_until_asleep(&waiter->tid);
}

static void waiter_returns(struct waiter *waiter)
{
	void *err;

	assert_int_equal(pthread_join(waiter->thread, &err), 0);
	assert_null(err);
}

static sem_t is_late;
static atomic_bool may_go_on;

static void be_late(int signal)
{
	const uint64_t end = now_ns() + 10000 * NS_PER_MS;

	(void)signal;
	sem_post(&is_late);
	while (!may_go_on && now_ns() < end)
		usleep(1000);
}

static void hold_thread(struct waiter *waiter)
{
	const struct sigaction action = { .sa_handler = be_late };

	sem_init(&is_late, 0, 0);
	may_go_on = false;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(pthread_kill(waiter->thread, SIGUSR1), 0);
	while (sem_wait(&is_late))
		;
}

/*
 * Two threads wait for the context, and the one that began first is stopped.
 * More work is submitted meanwhile, so the context does not become idle.
 */
static void the_second_of_two_waits(bool is_destroyed)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	struct waiter first, second;
	struct mem_stream *mine;
	struct held held;
	struct gate gate;

	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &mine), 0);
	attach(mine, ptr, MEM_ATTACH_SINGLE);
	sync_of(mine);
	hold(other, &held);
	begins(&held);
	work(mine);
	if (is_destroyed)
		assert_int_equal(mem_stream_destroy(mine), 0);
	is_refused(ptr);
	start_waiter(&first, sync_ctx, ctx);
	hold_thread(&first);
	start_waiter(&second, sync_ctx, ctx);
	gate = hold_up(stream);
	returns(&held);
	waiter_returns(&second);
	is_allowed(ptr);
	may_go_on = true;
	waiter_returns(&first);
	is_allowed(ptr);
	let_go(gate);
	if (!is_destroyed)
		assert_int_equal(mem_stream_destroy(mine), 0);
	release(ptr);
	release(gate.word);
}

static void each_of_two_waits_for_the_context_is_one(void **state)
{
	(void)state;
	the_second_of_two_waits(false);
	the_second_of_two_waits(true);
}

static void a_wait_for_what_is_ordered_after_will_do(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct mem_event *event;

	(void)state;
	work(stream);
	event = event_of(stream);
	work(other);
	sync_of(other);
	is_refused(ptr);
	assert_int_equal(mem_stream_wait_event(other, event), 0);
	sync_of(other);
	is_allowed(ptr);
	/* The wait refers to the record before it, not to the later one. */
	assert_int_equal(mem_stream_wait_event(other, event), 0);
	work(stream);
	assert_int_equal(mem_event_record(event, stream), 0);
	sync_of(other);
	is_refused(ptr);
	sync_of(stream);
	mem_event_destroy(event);
	release(ptr);
}

static void an_event_covers_what_was_before_its_record(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct mem_event *first, *last;

	(void)state;
	work(stream);
	first = event_of(stream);
	work(stream);
	last = event_of(stream);
	assert_int_equal(mem_event_sync(first), 0);
	is_refused(ptr);
	assert_int_equal(mem_event_sync(last), 0);
	is_allowed(ptr);
	mem_event_destroy(first);
	mem_event_destroy(last);
	release(ptr);
}

static int sync_event(void *event)
{
	return mem_event_sync(event);
}

/* A wait refers to the record that was the latest when the wait began. */
static void an_event_that_is_recorded_anew_covers_both(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	struct waiter waiter;
	struct mem_event *event;
	struct gate gate;

	(void)state;
	attach(stream, ptr, MEM_ATTACH_SINGLE);
	sync_of(stream);
	gate = hold_up(stream);
	event = event_of(stream);
	start_waiter(&waiter, sync_event, event);
	assert_int_equal(mem_event_record(event, other), 0);
	/* The new record is done, but does not cover the first stream. */
	assert_int_equal(mem_event_sync(event), 0);
	is_refused(ptr);
	let_go(gate);
	waiter_returns(&waiter);
	is_allowed(ptr);
	mem_event_destroy(event);
	release(ptr);
	release(gate.word);
}

static void an_events_query_that_succeeds_is_a_wait(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct gate gate = hold_up(stream);
	struct mem_event *event = event_of(stream);

	(void)state;
	assert_int_equal(mem_event_query(event), -EBUSY);
	is_refused(ptr);
	let_go(gate);
	while (mem_event_query(event) == -EBUSY)
		usleep(100);
	is_allowed(ptr);
	mem_event_destroy(event);
	release(ptr);
	release(gate.word);
}

static void the_legacy_stream_takes_in_blocking_ones(void **state)
{
	struct mem_stream *legacy = mem_stream_legacy(ctx), *a = blocking();
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);

	(void)state;
	work(a);
	sync_of(legacy);
	is_allowed(ptr);
	work(stream);
	sync_of(legacy);
	is_refused(ptr);
	sync_of(stream);
	assert_int_equal(mem_stream_destroy(a), 0);
	release(ptr);
}

static void a_blocking_stream_is_behind_the_legacy_one(void **state)
{
	struct mem_stream *legacy = mem_stream_legacy(ctx);
	struct mem_stream *a = blocking(), *b = blocking();
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);

	(void)state;
	work(legacy);
	sync_of(stream);
	is_refused(ptr);
	sync_of(b);
	is_allowed(ptr);
	work(a);
	sync_of(b);
	is_refused(ptr);
	work(legacy);
	sync_of(b);
	is_allowed(ptr);
	assert_int_equal(mem_stream_destroy(a), 0);
	assert_int_equal(mem_stream_destroy(b), 0);
	release(ptr);
}

/* Copies and sets */

static void copy(void *to, const void *from)
{
	assert_int_equal(mem_copy(stream, to, from, LEN, MEM_DIR_DEFAULT), 0);
}

static void a_copy_between_host_memory_is_a_wait(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *from = calloc(1, LEN), *to = malloc(LEN);

	(void)state;
	work(stream);
	assert_int_equal(mem_copy_async(stream, to, from, LEN,
					MEM_DIR_DEFAULT), 0);
	is_refused(ptr);
	copy(to, from);
	is_allowed(ptr);
	work(other);
	copy(to, from);
	is_refused(ptr);
	sync_of(other);
	free(from);
	free(to);
	release(ptr);
}

static void a_copy_from_pinned_to_device_is_a_wait(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *pinned = memory(MEM_KIND_PINNED);
	uint32_t *device = memory(MEM_KIND_DEVICE);
	uint32_t *second = memory(MEM_KIND_DEVICE);

	(void)state;
	copy(device, pinned);
	is_allowed(ptr);
	copy(second, device);
	is_refused(ptr);
	copy(pinned, second);
	is_allowed(ptr);
	release(ptr);
	release(pinned);
	release(device);
	release(second);
}

/* The copy is no wait, but the source may be overwritten afterwards. */
static void a_copy_from_pageable_to_device_is_none(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *device = memory(MEM_KIND_DEVICE);
	uint32_t *host = malloc(LEN);

	(void)state;
	set_all(host, VALUE);
	copy(device, host);
	set_all(host, 0);
	is_refused(ptr);
	copy(host, device);
	is_allowed(ptr);
	all_are(host, VALUE);
	free(host);
	release(ptr);
	release(device);
}

static void a_set_is_a_wait_where_the_cpu_sees_it(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *pinned = memory(MEM_KIND_PINNED);
	uint32_t *device = memory(MEM_KIND_DEVICE);

	(void)state;
	assert_int_equal(mem_fill(stream, device, 1, LEN), 0);
	is_refused(ptr);
	assert_int_equal(mem_fill(stream, pinned, 1, LEN), 0);
	is_allowed(ptr);
	assert_int_equal(mem_fill_async(stream, pinned, 1, LEN), 0);
	is_refused(ptr);
	assert_int_equal(mem_fill(stream, ptr, 1, LEN), 0);
	is_allowed(ptr);
	release(ptr);
	release(pinned);
	release(device);
}

static void a_managed_side_is_what_the_engine_may_touch(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *global = managed(MEM_ATTACH_GLOBAL);
	uint32_t *host = managed(MEM_ATTACH_HOST);

	(void)state;
	set_all(host, VALUE);
	/* The CPU reads @host itself, and the stream stays active. */
	copy(global, host);
	is_refused(ptr);
	copy(host, global);
	is_allowed(ptr);
	all_are(host, VALUE);
	copy(ptr, global);
	is_refused(ptr);
	sync_of(stream);
	release(ptr);
	release(global);
	release(host);
}

/* Host functions, and what is active */

static void the_start_of_a_host_function_is_a_wait(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct gate gate = hold_up(stream);
	struct held held;

	(void)state;
	hold(stream, &held);
	is_refused(ptr);
	let_go(gate);
	begins(&held);
	is_allowed(ptr);
	/* Its begin shows nothing about another stream. */
	work(other);
	is_refused(ptr);
	sync_of(other);
	returns(&held);
	release(ptr);
	release(gate.word);
}

static void work_behind_a_host_function_is_not_active(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct held held;

	(void)state;
	hold(stream, &held);
	begins(&held);
	work(stream);
	/* The event is recorded after the function. */
	assert_int_equal(mem_stream_wait_event(other, held.after), 0);
	work(other);
	is_allowed(ptr);
	work(mem_stream_legacy(ctx));
	is_refused(ptr);
	sync_of(mem_stream_legacy(ctx));
	is_allowed(ptr);
	returns(&held);
	is_refused(ptr);
	sync_of(stream);
	is_refused(ptr);
	sync_of(other);
	is_allowed(ptr);
	release(ptr);
}

static void only_device_work_makes_a_stream_active(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *moved = managed(MEM_ATTACH_HOST);
	struct mem_event *event;
	struct held held;

	(void)state;
	attach(stream, moved, MEM_ATTACH_GLOBAL);
	event = event_of(stream);
	assert_int_equal(mem_stream_wait_event(other, event), 0);
	hold(other, &held);
	begins(&held);
	is_allowed(ptr);
	is_allowed(moved);
	returns(&held);
	is_allowed(ptr);
	work(other);
	is_refused(ptr);
	is_refused(moved);
	sync_of(other);
	mem_event_destroy(event);
	release(ptr);
	release(moved);
}

/* Attaches */

static void an_attach_takes_now_and_gives_once_known(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);

	(void)state;
	work(other);
	is_allowed(ptr);
	attach(stream, ptr, MEM_ATTACH_GLOBAL);
	is_refused(ptr);
	attach(stream, ptr, MEM_ATTACH_HOST);
	is_refused(ptr);
	sync_of(stream);
	is_allowed(ptr);
	sync_of(other);
	release(ptr);
}

static uint64_t not_attached(void)
{
	return found(MEM_VIOLATION_ENGINE_NOT_ATTACHED);
}

static void a_job_needs_an_attach_that_is_before_it(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	struct mem_event *event;

	(void)state;
	attach(stream, ptr, MEM_ATTACH_GLOBAL);
	event = event_of(stream);
	start_add(stream, ptr, ptr, 1);
	assert_int_equal(mem_stream_wait_event(other, event), 0);
	start_add(other, ptr, ptr, 1);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	nothing_found();

	attach(stream, ptr, MEM_ATTACH_HOST);
	sync_of(stream);
	attach(stream, ptr, MEM_ATTACH_GLOBAL);
	start_add(other, ptr, ptr, 1);
	sync_of(other);
	assert_int_equal(not_attached(), is_concurrent() ? 0 : 1);
	mem_event_destroy(event);
	release(ptr);
}

static void a_job_needs_an_attach_that_is_known(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);

	(void)state;
	attach(stream, ptr, MEM_ATTACH_GLOBAL);
	sync_of(stream);
	start_add(other, ptr, ptr, 1);
	/* This was submitted before the attach. */
	attach(stream, ptr, MEM_ATTACH_HOST);
	sync_of(other);
	nothing_found();
	sync_of(stream);
	start_add(other, ptr, ptr, 1);
	sync_of(other);
	assert_int_equal(not_attached(), is_concurrent() ? 0 : 1);
	release(ptr);
}

static void single_memory_is_for_its_own_jobs(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);

	(void)state;
	attach(stream, ptr, MEM_ATTACH_SINGLE);
	start_add(stream, ptr, ptr, 1);
	sync_of(stream);
	nothing_found();
	start_add(other, ptr, ptr, 1);
	sync_of(other);
	assert_int_equal(not_attached(), is_concurrent() ? 0 : 1);
	release(ptr);
}

static void is_not_attached_to_legacy(struct mem_stream *of)
{
	struct mem_violation v = { .size = sizeof(v) };

	if (is_concurrent())
		return;
	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	assert_int_equal(v.kind, MEM_VIOLATION_ENGINE_NOT_ATTACHED);
	assert_int_equal(v.attach, MEM_ATTACH_SINGLE);
	assert_int_equal(v.attach_stream, 0);
	assert_int_equal(v.other_stream, mem_stream_id(of));
	nothing_found();
}

static void single_to_the_legacy_stream_is_for_its_work(void **state)
{
	struct mem_stream *legacy = mem_stream_legacy(ctx), *a = blocking();
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct mem_violation v = { .size = sizeof(v) };

	(void)state;
	attach(legacy, ptr, MEM_ATTACH_SINGLE);
	sync_of(legacy);
	/* Work of other streams does not matter, ordered with it or not. */
	work(other);
	work(a);
	is_allowed(ptr);
	set_all(ptr, VALUE);
	start_add(legacy, ptr, ptr, 1);
	is_refused(ptr);
	sync_of(other);
	is_refused(ptr);
	/* @a has work that is ordered after the legacy stream's. */
	sync_of(a);
	is_allowed(ptr);
	/* The accesses of the checks may have changed the first word. */
	assert_int_equal(ptr[1], VALUE + 1);
	work(legacy);
	sync_of(legacy);
	nothing_found();

	start_add(a, ptr, ptr, 1);
	sync_of(a);
	is_not_attached_to_legacy(a);
	start_add(other, ptr, ptr, 1);
	sync_of(other);
	is_not_attached_to_legacy(other);

	work(legacy);
	touch(ptr, false);
	if (!is_concurrent()) {
		assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
		assert_int_equal(v.kind, MEM_VIOLATION_CPU_WHILE_ACTIVE);
		assert_int_equal(v.attach, MEM_ATTACH_SINGLE);
		assert_int_equal(v.attach_stream, 0);
		assert_int_equal(v.other_stream, 0);
	}
	attach(legacy, ptr, MEM_ATTACH_GLOBAL);
	sync_of(legacy);
	start_add(other, ptr, ptr, 1);
	sync_of(other);
	nothing_found();
	assert_int_equal(mem_stream_destroy(a), 0);
	release(ptr);
}

static void global_memory_made_while_active_waits(void **state)
{
	uint32_t *global, *host;

	(void)state;
	work(stream);
	global = managed(MEM_ATTACH_GLOBAL);
	host = managed(MEM_ATTACH_HOST);
	is_allowed(host);
	is_refused(global);
	sync_of(stream);
	is_allowed(global);
	release(global);
	release(host);
}

/* Access that a wait gives to the CPU for a while */

/*
 * The job and the attach that permits it are both after a host function. A wait
 * for another stream covers neither, and the CPU fills lines before the job
 * writes.
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
	work(other);
	sync_of(other);
	all_are(ptr, VALUE);
	returns(&held);
	sync_of(stream);
	all_are(ptr, VALUE + 1);
	nothing_found();
	release(ptr);
}

/* The same, but the job has not ended when the CPU accesses the buffer. */
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
	work(other);
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

/*
 * An attach to the host follows the job, but a host function before the job
 * accesses the buffer: the CPU fills its lines once more.
 */
static void a_prefetch_is_of_what_comes_before_it(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct held first, second;

	(void)state;
	set_all(ptr, VALUE);
	hold(stream, &first);
	begins(&first);
	work(stream);
	hold(stream, &second);
	start_add(stream, ptr, ptr, 1);
	attach(stream, ptr, MEM_ATTACH_HOST);
	all_are(ptr, VALUE);
	returns(&first);
	begins(&second);
	all_are(ptr, VALUE);
	ptr[0] = VALUE + 5;
	returns(&second);
	sync_of(stream);
	assert_int_equal(ptr[0], VALUE + 6);
	ptr[0] = VALUE + 1;
	all_are(ptr, VALUE + 1);
	nothing_found();
	release(ptr);
}

/* The CPU's stores before and after the wait must not be lost. */
static void a_job_to_come_takes_nothing(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	struct held held;

	(void)state;
	hold(stream, &held);
	begins(&held);
	attach(stream, ptr, MEM_ATTACH_GLOBAL);
	start_add(stream, ptr, ptr, 1);
	set_all(ptr, VALUE);
	work(other);
	sync_of(other);
	all_are(ptr, VALUE);
	ptr[0] = 7;
	returns(&held);
	sync_of(stream);
	assert_int_equal(ptr[0], 8);
	assert_int_equal(ptr[1], VALUE + 1);
	nothing_found();
	release(ptr);
}

/* A destroyed stream */

/* If all work of the stream is known done, the default returns at once. */
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

/* The default returns after the stream's last operation, in order with it. */
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
		cmocka_unit_test(a_wait_in_any_thread_is_the_hosts),
		cmocka_unit_test(a_wait_for_the_context_is_one_for_all),
		cmocka_unit_test(each_of_two_waits_for_the_context_is_one),
		cmocka_unit_test(a_wait_for_what_is_ordered_after_will_do),
		cmocka_unit_test(an_event_covers_what_was_before_its_record),
		cmocka_unit_test(an_event_that_is_recorded_anew_covers_both),
		cmocka_unit_test(an_events_query_that_succeeds_is_a_wait),
		cmocka_unit_test(the_legacy_stream_takes_in_blocking_ones),
		cmocka_unit_test(a_blocking_stream_is_behind_the_legacy_one),
		cmocka_unit_test(a_copy_between_host_memory_is_a_wait),
		cmocka_unit_test(a_copy_from_pinned_to_device_is_a_wait),
		cmocka_unit_test(a_copy_from_pageable_to_device_is_none),
		cmocka_unit_test(a_set_is_a_wait_where_the_cpu_sees_it),
		cmocka_unit_test(a_managed_side_is_what_the_engine_may_touch),
		cmocka_unit_test(the_start_of_a_host_function_is_a_wait),
		cmocka_unit_test(work_behind_a_host_function_is_not_active),
		cmocka_unit_test(only_device_work_makes_a_stream_active),
		cmocka_unit_test(an_attach_takes_now_and_gives_once_known),
		cmocka_unit_test(a_job_needs_an_attach_that_is_before_it),
		cmocka_unit_test(a_job_needs_an_attach_that_is_known),
		cmocka_unit_test(single_memory_is_for_its_own_jobs),
		cmocka_unit_test(single_to_the_legacy_stream_is_for_its_work),
		cmocka_unit_test(global_memory_made_while_active_waits),
		cmocka_unit_test(a_job_behind_an_unknown_attach_sees_it),
		cmocka_unit_test(a_job_that_has_come_has_it),
		cmocka_unit_test(a_prefetch_is_of_what_comes_before_it),
		cmocka_unit_test(a_job_to_come_takes_nothing),
		cmocka_unit_test(the_default_comes_back_with_the_stream),
		cmocka_unit_test(the_default_comes_back_behind_its_last),
	};

	return cmocka_run_group_tests(tests, open_two, close_two);
}
