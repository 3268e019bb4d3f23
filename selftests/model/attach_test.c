// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the rules of DESIGN 2.4, each with a right program and a wrong one, on
 * a board of each column of its table; then the rows of the table. On the board
 * with concurrent access all programs are right and no maintenance is due.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <attach.h>
#include <profile.h>

#define NR_OPS	64
#define LEN	4096

/**
 * struct world - a context and its objects
 * @ctx: the context
 * @ops: its pool of operations
 * @null: the NULL stream
 * @a: a non-blocking stream
 * @b: a non-blocking stream
 * @c: a blocking stream
 * @d: a blocking stream
 * @global: a buffer attached globally
 * @host: a buffer attached to the host
 * @event: an event that is never recorded
 * @other: another such event
 * @told: bits of the actions so far
 */
struct world {
	struct attach_ctx ctx;
	struct attach_op ops[NR_OPS];
	struct attach_stream *null;
	struct attach_stream a;
	struct attach_stream b;
	struct attach_stream c;
	struct attach_stream d;
	struct attach_buf global;
	struct attach_buf host;
	struct attach_event event;
	struct attach_event other;
	u32 told;
};

static void note(struct attach_ctx *ctx, struct attach_buf *buf, u32 what)
{
	(void)buf;
	((struct world *)ctx)->told |= what;
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	size_t i;

	if (!w)
		return -1;
	attach_init(&w->ctx, profile_find(*state));
	w->ctx.act = note;
	for (i = 0; i < NR_OPS; i++)
		attach_give_op(&w->ctx, &w->ops[i]);
	w->null = &w->ctx.null_stream;
	attach_stream_create(&w->ctx, &w->a, ATTACH_STREAM_NON_BLOCKING);
	attach_stream_create(&w->ctx, &w->b, ATTACH_STREAM_NON_BLOCKING);
	attach_stream_create(&w->ctx, &w->c, ATTACH_STREAM_BLOCKING);
	attach_stream_create(&w->ctx, &w->d, ATTACH_STREAM_BLOCKING);
	attach_buf_create(&w->ctx, &w->global, LEN, ATTACH_GLOBAL);
	attach_buf_create(&w->ctx, &w->host, LEN, ATTACH_HOST);
	*state = w;
	return 0;
}

/* Checks that all memory is returned, also with operations in flight. */
static int tear_down(void **state)
{
	struct world *w = *state;
	size_t nr = 0;

	attach_buf_destroy(&w->ctx, &w->global);
	attach_buf_destroy(&w->ctx, &w->host);
	attach_event_destroy(&w->ctx, &w->event);
	attach_event_destroy(&w->ctx, &w->other);
	attach_fini(&w->ctx);
	while (attach_take_op(&w->ctx))
		nr++;
	free(w);
	return nr == NR_OPS ? 0 : -1;
}

static bool is_concurrent(const struct world *w)
{
	return w->ctx.class == ATTACH_CONCURRENT;
}

static void work(struct world *w, struct attach_stream *s)
{
	assert_int_equal(attach_submit_work(&w->ctx, s), 0);
}

static void attach(struct world *w, struct attach_stream *s,
		   struct attach_buf *buf, enum attach_kind kind)
{
	assert_int_equal(attach_submit_state(&w->ctx, s, buf, kind), 0);
}

static struct attach_op *host_function(struct world *w, struct attach_stream *s)
{
	struct attach_op *host;

	assert_int_equal(attach_submit_host(&w->ctx, s, &host), 0);
	return host;
}

static void begin(struct world *w, struct attach_op *host)
{
	assert_int_equal(attach_host_begin(&w->ctx, host), 0);
}

static void end(struct world *w, struct attach_op *host)
{
	assert_int_equal(attach_host_return(&w->ctx, host), 0);
}

static void record(struct world *w, struct attach_event *event,
		   struct attach_stream *s)
{
	assert_int_equal(attach_event_record(&w->ctx, event, s), 0);
}

static void wait_for(struct world *w, struct attach_stream *s,
		     struct attach_event *event)
{
	assert_int_equal(attach_event_wait(&w->ctx, s, event), 0);
}

static void sync_stream(struct world *w, struct attach_stream *s)
{
	assert_int_equal(attach_sync_stream(&w->ctx, s), 0);
}

static void sync_event(struct world *w, struct attach_event *event)
{
	assert_int_equal(attach_sync_event(&w->ctx, event), 0);
}

static void sync_device(struct world *w)
{
	assert_int_equal(attach_sync_device(&w->ctx), 0);
}

static void destroy(struct world *w, struct attach_stream *s)
{
	assert_int_equal(attach_stream_destroy(&w->ctx, s), 0);
}

static void cpu_may(struct world *w, struct attach_buf *buf)
{
	u64 before = w->ctx.count.cpu_while_active;

	assert_int_equal(attach_cpu_touch(&w->ctx, buf, NULL), ATTACH_ALLOWED);
	assert_int_equal(w->ctx.count.cpu_while_active, before);
}

static void cpu_may_not(struct world *w, struct attach_buf *buf)
{
	u64 before = w->ctx.count.cpu_while_active;

	if (is_concurrent(w)) {
		cpu_may(w, buf);
		return;
	}
	assert_int_equal(attach_cpu_touch(&w->ctx, buf, NULL),
			 ATTACH_CPU_WHILE_ACTIVE);
	assert_int_equal(w->ctx.count.cpu_while_active, before + 1);
}

static void job_may(struct world *w, struct attach_stream *s,
		    struct attach_buf *buf)
{
	work(w, s);
	assert_int_equal(attach_job_touch(&w->ctx, s, buf, NULL),
			 ATTACH_ALLOWED);
	assert_int_equal(w->ctx.count.engine_not_attached, 0);
}

static void job_may_not(struct world *w, struct attach_stream *s,
			struct attach_buf *buf)
{
	u64 before = w->ctx.count.engine_not_attached;

	work(w, s);
	if (is_concurrent(w)) {
		assert_int_equal(attach_job_touch(&w->ctx, s, buf, NULL),
				 ATTACH_ALLOWED);
		return;
	}
	assert_int_equal(attach_job_touch(&w->ctx, s, buf, NULL),
			 ATTACH_ENGINE_NOT_ATTACHED);
	assert_int_equal(w->ctx.count.engine_not_attached, before + 1);
}

/* States */

static void host_attached_buffer_is_always_the_cpus(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	cpu_may(w, &w->host);
	cpu_may_not(w, &w->global);
}

static void host_attached_buffer_is_never_a_jobs(void **state)
{
	struct world *w = *state;

	job_may(w, &w->a, &w->global);
	job_may_not(w, &w->a, &w->host);
	job_may_not(w, w->null, &w->host);
}

static void global_buffer_is_the_cpus_when_no_stream_is_active(void **state)
{
	struct world *w = *state;

	cpu_may(w, &w->global);
	work(w, &w->a);
	work(w, &w->b);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->a);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->b);
	cpu_may(w, &w->global);
}

static void global_buffer_is_for_jobs_of_any_stream(void **state)
{
	struct world *w = *state;

	job_may(w, &w->a, &w->global);
	job_may(w, &w->b, &w->global);
	job_may(w, &w->c, &w->global);
	job_may(w, w->null, &w->global);
}

static void single_buffer_is_the_cpus_when_its_stream_is_idle(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	sync_device(w);
	work(w, &w->b);
	cpu_may(w, &w->global);
	work(w, &w->a);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->b);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->a);
	cpu_may(w, &w->global);
}

static void single_buffer_is_for_jobs_of_its_stream_only(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	sync_device(w);
	job_may(w, &w->a, &w->global);
	job_may_not(w, &w->b, &w->global);
	job_may_not(w, w->null, &w->global);
}

static void single_to_the_null_stream_is_not_for_blocking_ones(void **state)
{
	struct world *w = *state;

	attach(w, w->null, &w->global, ATTACH_SINGLE);
	sync_stream(w, w->null);
	work(w, &w->c);
	work(w, &w->a);
	cpu_may(w, &w->global);
	work(w, w->null);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->a);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->c);
	cpu_may(w, &w->global);
	job_may(w, w->null, &w->global);
	job_may_not(w, &w->c, &w->global);
	job_may_not(w, &w->a, &w->global);
}

static void a_global_buffer_made_while_active_waits(void **state)
{
	struct world *w = *state;
	struct attach_buf buf;

	work(w, &w->a);
	attach_buf_create(&w->ctx, &buf, LEN, ATTACH_GLOBAL);
	cpu_may_not(w, &buf);
	work(w, &w->a);
	cpu_may_not(w, &buf);
	sync_stream(w, &w->a);
	cpu_may(w, &buf);
	attach_buf_destroy(&w->ctx, &buf);
}

static void a_host_buffer_made_while_active_does_not(void **state)
{
	struct world *w = *state;
	struct attach_buf buf;

	work(w, &w->a);
	attach_buf_create(&w->ctx, &buf, LEN, ATTACH_HOST);
	cpu_may(w, &buf);
	attach_buf_destroy(&w->ctx, &buf);
}

/* Known done */

static void work_is_done_when_the_host_knows_and_not_before(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	/* the work may have finished, but the host does not know it */
	cpu_may_not(w, &w->global);
	sync_device(w);
	cpu_may(w, &w->global);
}

static void event_covers_what_was_before_its_record(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	record(w, &w->event, &w->a);
	sync_event(w, &w->event);
	cpu_may(w, &w->global);
	record(w, &w->event, &w->a);
	work(w, &w->a);
	sync_event(w, &w->event);
	cpu_may_not(w, &w->global);
}

static void event_in_a_row_of_jobs_covers_the_first_of_them(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	record(w, &w->event, &w->a);
	work(w, &w->a);
	work(w, &w->a);
	record(w, &w->other, &w->a);
	sync_event(w, &w->event);
	cpu_may_not(w, &w->global);
	sync_event(w, &w->other);
	cpu_may(w, &w->global);
}

static void event_stands_for_its_last_record(void **state)
{
	struct world *w = *state;

	record(w, &w->event, &w->a);
	work(w, &w->a);
	record(w, &w->event, &w->a);
	sync_event(w, &w->event);
	cpu_may(w, &w->global);
	work(w, &w->a);
	record(w, &w->event, &w->b);
	sync_event(w, &w->event);
	cpu_may_not(w, &w->global);
}

static void event_never_recorded_orders_nothing(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	wait_for(w, &w->b, &w->event);
	sync_event(w, &w->event);
	sync_stream(w, &w->b);
	cpu_may_not(w, &w->global);
}

static void a_wait_for_something_ordered_after_will_do(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	record(w, &w->event, &w->a);
	wait_for(w, &w->c, &w->event);
	record(w, &w->other, &w->c);
	wait_for(w, &w->b, &w->other);
	sync_stream(w, &w->b);
	cpu_may(w, &w->global);
}

static void a_wait_takes_the_record_of_its_own_time(void **state)
{
	struct world *w = *state;

	record(w, &w->event, &w->a);
	wait_for(w, &w->b, &w->event);
	work(w, &w->a);
	record(w, &w->event, &w->a);
	sync_stream(w, &w->b);
	cpu_may_not(w, &w->global);
}

static void null_stream_takes_in_blocking_streams(void **state)
{
	struct world *w = *state;

	work(w, &w->c);
	work(w, &w->d);
	work(w, w->null);
	sync_stream(w, w->null);
	cpu_may(w, &w->global);
	work(w, &w->a);
	work(w, w->null);
	sync_stream(w, w->null);
	cpu_may_not(w, &w->global);
}

static void blocking_stream_is_behind_the_null_stream(void **state)
{
	struct world *w = *state;

	work(w, &w->c);
	work(w, w->null);
	work(w, &w->d);
	sync_stream(w, &w->d);
	cpu_may(w, &w->global);
	work(w, w->null);
	work(w, &w->c);
	work(w, &w->d);
	sync_stream(w, &w->d);
	cpu_may_not(w, &w->global);
}

static void non_blocking_stream_is_not(void **state)
{
	struct world *w = *state;

	work(w, w->null);
	work(w, &w->a);
	sync_stream(w, &w->a);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->null);
	cpu_may(w, &w->global);
}

/* Measured on a real board: legacy.null_while_blocking_busy. */
static void an_empty_stream_is_waited_for_in_null_order(void **state)
{
	struct world *w = *state;

	work(w, &w->c);
	sync_stream(w, w->null);
	cpu_may(w, &w->global);
	work(w, w->null);
	sync_stream(w, &w->c);
	cpu_may(w, &w->global);
	work(w, &w->c);
	sync_stream(w, &w->d);
	cpu_may_not(w, &w->global);
}

static void event_of_the_null_stream_takes_in_blocking_streams(void **state)
{
	struct world *w = *state;

	work(w, &w->c);
	record(w, &w->event, w->null);
	work(w, &w->d);
	sync_event(w, &w->event);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->d);
	cpu_may(w, &w->global);
}

/* Host functions */

static void start_of_a_host_function_is_a_wait(void **state)
{
	struct world *w = *state;
	struct attach_op *host;

	work(w, &w->a);
	host = host_function(w, &w->a);
	cpu_may_not(w, &w->global);
	begin(w, host);
	cpu_may(w, &w->global);
	end(w, host);
	cpu_may(w, &w->global);
}

static void host_function_knows_nothing_of_other_streams(void **state)
{
	struct world *w = *state;
	struct attach_op *host;

	work(w, &w->a);
	work(w, &w->b);
	host = host_function(w, &w->a);
	begin(w, host);
	cpu_may_not(w, &w->global);
	end(w, host);
	cpu_may_not(w, &w->global);
}

static void work_behind_a_host_function_is_not_active(void **state)
{
	struct world *w = *state;
	struct attach_op *host = host_function(w, &w->a);

	work(w, &w->a);
	cpu_may(w, &w->global);
	begin(w, host);
	cpu_may(w, &w->global);
	end(w, host);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->a);
	cpu_may(w, &w->global);
}

static void work_behind_it_in_another_stream_is_not_either(void **state)
{
	struct world *w = *state;
	struct attach_op *host = host_function(w, &w->a);

	record(w, &w->event, &w->a);
	wait_for(w, &w->b, &w->event);
	work(w, &w->b);
	cpu_may(w, &w->global);
	work(w, &w->c);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->c);
	begin(w, host);
	end(w, host);
	cpu_may_not(w, &w->global);
}

static void work_behind_two_waits_for_both_to_return(void **state)
{
	struct world *w = *state;
	struct attach_op *first = host_function(w, &w->c);
	struct attach_op *second = host_function(w, &w->d);

	work(w, w->null);
	cpu_may(w, &w->global);
	begin(w, first);
	end(w, first);
	cpu_may(w, &w->global);
	begin(w, second);
	cpu_may(w, &w->global);
	end(w, second);
	cpu_may_not(w, &w->global);
}

static void work_before_it_stays_active(void **state)
{
	struct world *w = *state;
	struct attach_op *host;

	work(w, w->null);
	host = host_function(w, &w->c);
	work(w, w->null);
	cpu_may_not(w, &w->global);
	begin(w, host);
	cpu_may(w, &w->global);
	end(w, host);
	cpu_may_not(w, &w->global);
}

static void what_cannot_be_is_refused(void **state)
{
	struct world *w = *state;
	struct attach_op *first, *second;

	work(w, &w->a);
	first = host_function(w, &w->a);
	second = host_function(w, &w->a);
	record(w, &w->event, &w->a);
	assert_int_equal(attach_sync_stream(&w->ctx, &w->a), -EBUSY);
	assert_int_equal(attach_sync_event(&w->ctx, &w->event), -EBUSY);
	assert_int_equal(attach_sync_device(&w->ctx), -EBUSY);
	assert_int_equal(attach_host_begin(&w->ctx, second), -EBUSY);
	assert_int_equal(attach_host_return(&w->ctx, first), -EINVAL);
	cpu_may_not(w, &w->global);
	begin(w, first);
	assert_int_equal(attach_host_begin(&w->ctx, first), -EINVAL);
	assert_int_equal(attach_host_begin(&w->ctx, second), -EBUSY);
	end(w, first);
	begin(w, second);
	end(w, second);
	sync_device(w);
}

static void only_device_work_makes_a_stream_active(void **state)
{
	struct world *w = *state;
	struct attach_op *host;

	attach(w, &w->a, &w->host, ATTACH_GLOBAL);
	record(w, &w->event, &w->a);
	wait_for(w, &w->b, &w->event);
	host = host_function(w, &w->b);
	cpu_may(w, &w->global);
	cpu_may(w, &w->host);
	begin(w, host);
	end(w, host);
	cpu_may(w, &w->global);
	work(w, &w->b);
	cpu_may_not(w, &w->global);
}

/* Attaches */

static void an_attach_takes_rights_away_at_the_call(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	attach(w, &w->b, &w->host, ATTACH_SINGLE);
	cpu_may(w, &w->host);
	attach(w, &w->a, &w->host, ATTACH_SINGLE);
	cpu_may_not(w, &w->host);
}

static void an_attach_gives_rights_once_known_done(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	attach(w, &w->b, &w->global, ATTACH_HOST);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->b);
	cpu_may(w, &w->global);
}

static void every_state_since_the_last_known_one_must_allow_it(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	attach(w, &w->b, &w->host, ATTACH_GLOBAL);
	attach(w, &w->c, &w->host, ATTACH_HOST);
	cpu_may_not(w, &w->host);
	sync_stream(w, &w->b);
	cpu_may_not(w, &w->host);
	sync_stream(w, &w->c);
	cpu_may(w, &w->host);
}

static void an_older_attach_known_later_says_nothing(void **state)
{
	struct world *w = *state;

	attach(w, &w->b, &w->host, ATTACH_GLOBAL);
	attach(w, &w->c, &w->host, ATTACH_HOST);
	sync_stream(w, &w->c);
	work(w, &w->a);
	cpu_may(w, &w->host);
	sync_stream(w, &w->b);
	cpu_may(w, &w->host);
	job_may_not(w, &w->b, &w->host);
}

static void a_job_is_judged_by_what_is_ordered_before_it(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->host, ATTACH_GLOBAL);
	job_may(w, &w->a, &w->host);
	record(w, &w->event, &w->a);
	wait_for(w, &w->b, &w->event);
	job_may(w, &w->b, &w->host);
	job_may_not(w, &w->c, &w->host);
}

static void a_job_is_judged_by_what_is_known_done(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->host, ATTACH_GLOBAL);
	sync_stream(w, &w->a);
	job_may(w, &w->c, &w->host);
	attach(w, &w->b, &w->host, ATTACH_HOST);
	job_may(w, &w->c, &w->host);
	sync_stream(w, &w->b);
	job_may_not(w, &w->c, &w->host);
}

static void a_job_is_judged_in_the_null_streams_order(void **state)
{
	struct world *w = *state;

	attach(w, &w->c, &w->host, ATTACH_GLOBAL);
	job_may(w, w->null, &w->host);
	job_may(w, &w->d, &w->host);
	attach(w, w->null, &w->host, ATTACH_HOST);
	job_may_not(w, &w->d, &w->host);
}

static void a_blocking_stream_is_not_behind_another(void **state)
{
	struct world *w = *state;

	attach(w, &w->c, &w->host, ATTACH_GLOBAL);
	job_may(w, &w->c, &w->host);
	job_may_not(w, &w->d, &w->host);
}

static void the_newest_in_call_order_decides(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_HOST);
	attach(w, &w->b, &w->global, ATTACH_SINGLE);
	record(w, &w->event, &w->a);
	wait_for(w, &w->b, &w->event);
	job_may(w, &w->b, &w->global);
	record(w, &w->event, &w->b);
	wait_for(w, &w->a, &w->event);
	job_may_not(w, &w->a, &w->global);
}

/* Destroyed streams */

static void default_comes_back_with_the_streams_end(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	work(w, &w->a);
	sync_stream(w, &w->a);
	destroy(w, &w->a);
	assert_ptr_equal(attach_take_stream(&w->ctx), &w->a);
	job_may(w, &w->b, &w->global);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->b);
	cpu_may(w, &w->global);
}

static void default_does_not_come_back_before_that(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	sync_device(w);
	work(w, &w->a);
	destroy(w, &w->a);
	assert_null(attach_take_stream(&w->ctx));
	cpu_may_not(w, &w->global);
	job_may_not(w, &w->b, &w->global);
	sync_stream(w, &w->b);
	cpu_may_not(w, &w->global);
	sync_device(w);
	assert_ptr_equal(attach_take_stream(&w->ctx), &w->a);
	cpu_may(w, &w->global);
	work(w, &w->b);
	assert_int_equal(attach_job_touch(&w->ctx, &w->b, &w->global, NULL),
			 ATTACH_ALLOWED);
}

static void what_is_behind_the_end_is_behind_the_implicit_attach(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->host, ATTACH_SINGLE);
	work(w, &w->a);
	record(w, &w->event, &w->a);
	wait_for(w, &w->b, &w->event);
	destroy(w, &w->a);
	cpu_may_not(w, &w->host);
	sync_event(w, &w->event);
	cpu_may(w, &w->host);
	job_may_not(w, &w->b, &w->host);
}

/* Recording an event for a stream's end adds no operation to the stream. */
static void an_event_for_the_end_is_no_operation(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	attach(w, &w->c, &w->host, ATTACH_SINGLE);
	sync_device(w);
	assert_int_equal(attach_event_end(&w->ctx, &w->event, &w->a), 0);
	destroy(w, &w->a);
	job_may(w, &w->b, &w->global);
	sync_device(w);
	work(w, &w->c);
	assert_int_equal(attach_event_end(&w->ctx, &w->event, &w->c), 0);
	destroy(w, &w->c);
	assert_int_equal(attach_event_end(&w->ctx, &w->event, &w->c), -EINVAL);
	cpu_may_not(w, &w->host);
	sync_event(w, &w->event);
	cpu_may(w, &w->host);
	job_may_not(w, &w->b, &w->host);
}

static void a_host_function_may_be_the_end(void **state)
{
	struct world *w = *state;
	struct attach_op *host;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	sync_device(w);
	host = host_function(w, &w->a);
	destroy(w, &w->a);
	begin(w, host);
	job_may_not(w, &w->b, &w->global);
	end(w, host);
	work(w, &w->b);
	assert_int_equal(attach_job_touch(&w->ctx, &w->b, &w->global, NULL),
			 ATTACH_ALLOWED);
	assert_ptr_equal(attach_take_stream(&w->ctx), &w->a);
}

static void a_destroyed_blocking_stream_keeps_its_order(void **state)
{
	struct world *w = *state;

	attach(w, &w->c, &w->global, ATTACH_SINGLE);
	work(w, &w->c);
	record(w, &w->event, w->null);
	attach(w, &w->d, &w->host, ATTACH_GLOBAL);
	destroy(w, &w->c);
	sync_event(w, &w->event);
	job_may(w, &w->a, &w->global);
	sync_stream(w, &w->a);
	cpu_may(w, &w->global);
	job_may_not(w, &w->a, &w->host);
}

static void a_newer_state_is_kept_when_the_stream_goes(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	attach(w, &w->b, &w->global, ATTACH_HOST);
	destroy(w, &w->a);
	sync_device(w);
	work(w, &w->b);
	cpu_may(w, &w->global);
	job_may_not(w, &w->b, &w->global);
}

static void a_destroyed_stream_takes_nothing_more(void **state)
{
	struct world *w = *state;
	struct attach_op *host;

	work(w, &w->a);
	destroy(w, &w->a);
	assert_int_equal(attach_submit_work(&w->ctx, &w->a), -EINVAL);
	assert_int_equal(attach_submit_state(&w->ctx, &w->a, &w->host,
					     ATTACH_GLOBAL), -EINVAL);
	assert_int_equal(attach_submit_host(&w->ctx, &w->a, &host), -EINVAL);
	assert_int_equal(attach_event_record(&w->ctx, &w->event, &w->a),
			 -EINVAL);
	assert_int_equal(attach_event_wait(&w->ctx, &w->a, &w->event),
			 -EINVAL);
	assert_int_equal(attach_sync_stream(&w->ctx, &w->a), -EINVAL);
	assert_int_equal(attach_stream_destroy(&w->ctx, &w->a), -EINVAL);
	assert_int_equal(attach_stream_destroy(&w->ctx, w->null), -EINVAL);
	sync_device(w);
	assert_ptr_equal(attach_take_stream(&w->ctx), &w->a);
}

/* Reasons */

static void a_violation_says_which_state_forbids_it(void **state)
{
	struct world *w = *state;
	struct attach_why why;

	if (is_concurrent(w))
		return;
	work(w, &w->b);
	attach_cpu_touch(&w->ctx, &w->global, &why);
	assert_int_equal(why.kind, ATTACH_GLOBAL);
	assert_ptr_equal(why.stream, &w->b);
	assert_false(why.is_in_flight);
	work(w, &w->a);
	attach(w, &w->a, &w->host, ATTACH_SINGLE);
	attach_cpu_touch(&w->ctx, &w->host, &why);
	assert_int_equal(why.kind, ATTACH_SINGLE);
	assert_ptr_equal(why.stream, &w->a);
	assert_true(why.is_in_flight);
	attach_job_touch(&w->ctx, &w->b, &w->host, &why);
	assert_int_equal(why.kind, ATTACH_HOST);
	assert_null(why.stream);
	sync_stream(w, &w->a);
	attach_job_touch(&w->ctx, &w->b, &w->host, &why);
	assert_int_equal(why.kind, ATTACH_SINGLE);
	assert_ptr_equal(why.stream, &w->a);
}

static void a_function_that_is_withdrawn_holds_up_nothing(void **state)
{
	struct world *w = *state;
	struct attach_op *host;

	work(w, &w->a);
	host = host_function(w, &w->a);
	work(w, &w->a);
	assert_int_equal(attach_sync_device(&w->ctx), -EBUSY);
	attach_host_withdraw(&w->ctx, host);
	cpu_may_not(w, &w->global);
	sync_device(w);
	cpu_may(w, &w->global);
}

/* A job may access a buffer later than its verdict was determined. */
static void a_verdict_that_is_kept_is_counted_when_it_is_used(void **state)
{
	struct world *w = *state;
	struct attach_why why;
	enum attach_verdict verdict;

	work(w, &w->a);
	verdict = attach_judge_job(&w->ctx, &w->a, &w->host, &why);
	if (is_concurrent(w)) {
		assert_int_equal(verdict, ATTACH_ALLOWED);
		return;
	}
	assert_int_equal(verdict, ATTACH_ENGINE_NOT_ATTACHED);
	assert_int_equal(why.kind, ATTACH_HOST);
	assert_int_equal(w->ctx.count.engine_not_attached, 0);
	attach(w, &w->a, &w->host, ATTACH_GLOBAL);
	attach_count_job_touch(&w->ctx, &w->host);
	assert_int_equal(w->ctx.count.engine_not_attached, 1);
	assert_int_equal(w->host.count.engine_not_attached, 1);
}

static void violations_are_counted_for_their_buffer(void **state)
{
	struct world *w = *state;
	struct attach_counters count;

	work(w, &w->a);
	cpu_may_not(w, &w->global);
	cpu_may_not(w, &w->global);
	job_may_not(w, &w->a, &w->host);
	attach_buf_counters(&w->ctx, &w->global, &count);
	assert_int_equal(count.cpu_while_active, is_concurrent(w) ? 0 : 2);
	assert_int_equal(count.engine_not_attached, 0);
	attach_buf_counters(&w->ctx, &w->host, &count);
	assert_int_equal(count.cpu_while_active, 0);
	assert_int_equal(count.engine_not_attached, is_concurrent(w) ? 0 : 1);
}

/* Copies and sets */

static void copy_is(struct world *w, enum attach_memory from,
		    enum attach_memory to, bool is_work, bool is_waited_for)
{
	const struct attach_side source = { .memory = from };
	const struct attach_side target = { .memory = to };
	struct attach_copy copy;

	attach_judge_copy(&w->ctx, &w->a, &source, &target, &copy);
	assert_int_equal(copy.is_work, is_work);
	assert_int_equal(copy.is_waited_for, is_waited_for);
}

static void copies_are_waited_for_by_their_sides(void **state)
{
	struct world *w = *state;

	copy_is(w, ATTACH_DEVICE, ATTACH_PAGEABLE, true, true);
	copy_is(w, ATTACH_DEVICE, ATTACH_PINNED, true, true);
	copy_is(w, ATTACH_PAGEABLE, ATTACH_PAGEABLE, false, true);
	copy_is(w, ATTACH_PINNED, ATTACH_PAGEABLE, false, true);
	copy_is(w, ATTACH_PINNED, ATTACH_DEVICE, true, true);
	copy_is(w, ATTACH_PAGEABLE, ATTACH_DEVICE, true, false);
	copy_is(w, ATTACH_DEVICE, ATTACH_DEVICE, true, false);
}

static void sets_are_waited_for_on_what_the_cpu_sees(void **state)
{
	struct attach_copy copy;

	(void)state;
	assert_int_equal(attach_judge_set(ATTACH_DEVICE, &copy), 0);
	assert_true(copy.is_work);
	assert_false(copy.is_waited_for);
	assert_int_equal(attach_judge_set(ATTACH_PINNED, &copy), 0);
	assert_true(copy.is_waited_for);
	assert_int_equal(attach_judge_set(ATTACH_MANAGED, &copy), 0);
	assert_true(copy.is_waited_for);
	assert_int_equal(attach_judge_set(ATTACH_PAGEABLE, &copy), -EINVAL);
}

static void a_managed_side_is_device_when_a_job_may_touch_it(void **state)
{
	struct world *w = *state;
	const struct attach_side global = { ATTACH_MANAGED, &w->global };
	const struct attach_side host = { ATTACH_MANAGED, &w->host };
	struct attach_copy copy;

	attach_judge_copy(&w->ctx, &w->a, &host, &global, &copy);
	assert_int_equal(copy.from_is_device, is_concurrent(w));
	assert_true(copy.to_is_device);
	assert_false(copy.is_waited_for);
	attach_judge_copy(&w->ctx, &w->a, &global, &host, &copy);
	assert_int_equal(copy.is_waited_for, !is_concurrent(w));
	attach(w, &w->a, &w->host, ATTACH_SINGLE);
	attach_judge_copy(&w->ctx, &w->a, &host, &global, &copy);
	assert_true(copy.from_is_device);
	attach_judge_copy(&w->ctx, &w->b, &host, &global, &copy);
	assert_int_equal(copy.from_is_device, is_concurrent(w));
}

static void a_synchronous_copy_is_work_and_a_wait(void **state)
{
	struct world *w = *state;

	work(w, &w->c);
	work(w, w->null);
	sync_stream(w, w->null);
	cpu_may(w, &w->global);
	/* a copy from pageable memory to the device returns before its end */
	work(w, w->null);
	cpu_may_not(w, &w->global);
}

static void atomics_on_pinned_memory_need_a_cache(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < profile_count(); i++) {
		const struct profile *p = profile_at(i);

		if (p->capability)
			assert_int_equal(attach_has_pinned_atomics(p),
					 p->capability >= 72);
		else
			assert_int_equal(attach_has_pinned_atomics(p),
					 p->is_io_coherent);
	}
}

/* The table */

/* Checks the actions for this kind of board; none with concurrent access. */
static void told(struct world *w, u32 noncoherent, u32 io_coherent)
{
	static const u32 nothing;
	u32 want = nothing;

	if (w->ctx.class == ATTACH_NONCOHERENT)
		want = noncoherent;
	else if (w->ctx.class == ATTACH_IO_COHERENT)
		want = io_coherent;
	assert_int_equal(w->told, want);
	w->told = 0;
}

static void a_job_revokes_cleans_and_invalidates(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	told(w, ATTACH_REVOKE | ATTACH_CLEAN | ATTACH_GPU_INVALIDATE,
	     ATTACH_REVOKE | ATTACH_GPU_INVALIDATE);
}

static void a_synchronise_cleans_invalidates_and_restores(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	w->told = 0;
	sync_stream(w, &w->a);
	told(w, ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE | ATTACH_RESTORE,
	     ATTACH_GPU_CLEAN | ATTACH_RESTORE);
	sync_stream(w, &w->a);
	sync_device(w);
	told(w, 0, 0);
}

static void a_global_buffer_is_restored_by_the_last_stream(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	work(w, &w->b);
	w->told = 0;
	sync_stream(w, &w->a);
	told(w, 0, 0);
	sync_stream(w, &w->b);
	told(w, ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE | ATTACH_RESTORE,
	     ATTACH_GPU_CLEAN | ATTACH_RESTORE);
}

static void a_single_buffer_is_restored_by_its_own(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	sync_device(w);
	told(w, 0, 0);
	work(w, &w->b);
	told(w, 0, 0);
	work(w, &w->a);
	told(w, ATTACH_REVOKE | ATTACH_CLEAN | ATTACH_GPU_INVALIDATE,
	     ATTACH_REVOKE | ATTACH_GPU_INVALIDATE);
	sync_stream(w, &w->a);
	told(w, ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE | ATTACH_RESTORE,
	     ATTACH_GPU_CLEAN | ATTACH_RESTORE);
}

static void attach_to_host_is_a_prefetch_to_the_cpu(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	w->told = 0;
	attach(w, &w->a, &w->global, ATTACH_HOST);
	told(w, ATTACH_PREFETCH_TO_CPU | ATTACH_GPU_CLEAN |
		ATTACH_CPU_INVALIDATE, ATTACH_PREFETCH_TO_CPU |
				       ATTACH_GPU_CLEAN);
	sync_stream(w, &w->a);
	told(w, ATTACH_RESTORE, ATTACH_RESTORE);
}

/* The second kernel runs after a host function, which may use the buffer. */
static void a_job_behind_a_host_function_makes_it_due_again(void **state)
{
	struct world *w = *state;
	struct attach_op *host;

	work(w, &w->a);
	host = host_function(w, &w->a);
	work(w, &w->a);
	w->told = 0;
	begin(w, host);
	told(w, ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE | ATTACH_RESTORE,
	     ATTACH_GPU_CLEAN | ATTACH_RESTORE);
	end(w, host);
	w->told = 0;
	sync_stream(w, &w->a);
	told(w, ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE | ATTACH_RESTORE,
	     ATTACH_GPU_CLEAN | ATTACH_RESTORE);
}

/*
 * The attach that permits the second kernel is after the host function, too,
 * and so is not known done after a wait for another stream.
 */
static void a_job_behind_an_unknown_attach_makes_it_due_again(void **state)
{
	struct world *w = *state;
	const struct attach_counters *count = &w->host.count;
	const u64 is_due = !is_concurrent(w);
	const u64 is_dropped = w->ctx.class == ATTACH_NONCOHERENT;
	struct attach_op *host = host_function(w, &w->a);

	attach(w, &w->a, &w->host, ATTACH_GLOBAL);
	job_may(w, &w->a, &w->host);
	cpu_may(w, &w->host);
	work(w, &w->b);
	cpu_may_not(w, &w->host);
	sync_stream(w, &w->b);
	cpu_may(w, &w->host);
	assert_int_equal(count->gpu_cleans, is_due);
	begin(w, host);
	cpu_may(w, &w->host);
	end(w, host);
	cpu_may_not(w, &w->host);
	sync_stream(w, &w->a);
	cpu_may(w, &w->host);
	assert_int_equal(count->gpu_cleans, 2 * is_due);
	assert_int_equal(count->cpu_invalidates, 2 * is_dropped);
	/* and no third time */
	attach(w, &w->a, &w->host, ATTACH_HOST);
	assert_int_equal(count->gpu_cleans, 2 * is_due);
}

/* The known state is single to a stream that is idle. */
static void a_job_of_a_stream_to_be_makes_it_due_again(void **state)
{
	struct world *w = *state;
	const struct attach_counters *count = &w->global.count;
	struct attach_op *host;

	attach(w, &w->b, &w->global, ATTACH_SINGLE);
	sync_stream(w, &w->b);
	job_may(w, &w->b, &w->global);
	host = host_function(w, &w->a);
	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	job_may(w, &w->a, &w->global);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->b);
	cpu_may(w, &w->global);
	begin(w, host);
	end(w, host);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->a);
	cpu_may(w, &w->global);
	assert_int_equal(count->gpu_cleans, is_concurrent(w) ? 0 : 2);
}

static void a_job_after_the_prefetch_makes_it_due_again(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	attach(w, &w->a, &w->global, ATTACH_HOST);
	/* this work is not ordered with the attach, and sees the old state */
	work(w, &w->b);
	w->told = 0;
	sync_stream(w, &w->a);
	told(w, ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE | ATTACH_RESTORE,
	     ATTACH_GPU_CLEAN | ATTACH_RESTORE);
}

static void attach_from_host_is_a_prefetch_to_the_gpu(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->host, ATTACH_GLOBAL);
	told(w, ATTACH_PREFETCH_TO_GPU | ATTACH_CLEAN, ATTACH_PREFETCH_TO_GPU);
	attach(w, &w->a, &w->host, ATTACH_HOST);
	told(w, ATTACH_PREFETCH_TO_CPU, ATTACH_PREFETCH_TO_CPU);
	attach(w, &w->a, &w->host, ATTACH_SINGLE);
	told(w, ATTACH_PREFETCH_TO_GPU | ATTACH_CLEAN, ATTACH_PREFETCH_TO_GPU);
}

static void between_global_and_single_there_is_none(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	attach(w, &w->b, &w->global, ATTACH_SINGLE);
	attach(w, &w->b, &w->global, ATTACH_GLOBAL);
	attach(w, &w->b, &w->global, ATTACH_GLOBAL);
	attach(w, &w->b, &w->host, ATTACH_HOST);
	sync_device(w);
	told(w, 0, 0);
}

static void the_implicit_attach_prefetches_as_any(void **state)
{
	struct world *w = *state;

	attach(w, &w->a, &w->host, ATTACH_SINGLE);
	work(w, &w->a);
	w->told = 0;
	destroy(w, &w->a);
	told(w, ATTACH_PREFETCH_TO_CPU | ATTACH_GPU_CLEAN |
		ATTACH_CPU_INVALIDATE, ATTACH_PREFETCH_TO_CPU |
				       ATTACH_GPU_CLEAN);
}

static void an_attach_that_takes_the_right_revokes(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	w->told = 0;
	attach(w, &w->b, &w->host, ATTACH_GLOBAL);
	told(w, ATTACH_PREFETCH_TO_GPU | ATTACH_CLEAN | ATTACH_REVOKE,
	     ATTACH_PREFETCH_TO_GPU | ATTACH_REVOKE);
}

/* Lines that the CPU wrote and no job has seen must not be dropped. */
static void what_no_job_saw_is_not_invalidated(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	w->told = 0;
	attach(w, &w->b, &w->host, ATTACH_GLOBAL);
	w->told = 0;
	sync_stream(w, &w->a);
	/* counters of the other buffer */
	assert_int_equal(w->host.count.restored, is_concurrent(w) ? 0 : 1);
	assert_int_equal(w->host.count.cpu_invalidates, 0);
	assert_int_equal(w->host.count.gpu_cleans, 0);
}

static void a_held_up_job_revokes_when_the_function_returns(void **state)
{
	struct world *w = *state;
	struct attach_op *host = host_function(w, &w->a);

	work(w, &w->a);
	told(w, ATTACH_CLEAN | ATTACH_GPU_INVALIDATE, ATTACH_GPU_INVALIDATE);
	begin(w, host);
	told(w, 0, 0);
	end(w, host);
	told(w, ATTACH_REVOKE, ATTACH_REVOKE);
	sync_stream(w, &w->a);
	told(w, ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE | ATTACH_RESTORE,
	     ATTACH_GPU_CLEAN | ATTACH_RESTORE);
}

static void a_host_attached_buffer_takes_no_part(void **state)
{
	struct world *w = *state;
	struct attach_counters count;
	static const struct attach_counters nothing;

	work(w, &w->a);
	work(w, w->null);
	sync_device(w);
	attach_buf_counters(&w->ctx, &w->host, &count);
	assert_memory_equal(&count, &nothing, sizeof(count));
}

static void each_job_counts_for_each_buffer_it_sees(void **state)
{
	struct world *w = *state;
	bool is_due = !is_concurrent(w);
	bool is_cleaned = w->ctx.class == ATTACH_NONCOHERENT;
	struct attach_counters count;

	attach(w, &w->a, &w->host, ATTACH_SINGLE);
	work(w, &w->a);
	work(w, &w->a);
	work(w, &w->b);
	attach_buf_counters(&w->ctx, &w->global, &count);
	assert_int_equal(count.gpu_invalidates, is_due * 3);
	assert_int_equal(count.cleans, is_cleaned * 3);
	attach_buf_counters(&w->ctx, &w->host, &count);
	assert_int_equal(count.gpu_invalidates, is_due * 2);
	/* this includes the clean of the prefetch */
	assert_int_equal(count.cleans, is_cleaned * 3);
	assert_int_equal(count.cleaned_bytes, is_cleaned * 3 * LEN);
	assert_int_equal(w->ctx.count.gpu_invalidated_bytes, is_due * 5 * LEN);
}

/*
 * With policy record, a forbidden store makes lines dirty, which are cleaned.
 */
static void a_buffer_touched_again_is_reported_again(void **state)
{
	struct world *w = *state;

	work(w, &w->a);
	w->told = 0;
	work(w, &w->a);
	told(w, 0, 0);
	cpu_may_not(w, &w->global);
	work(w, &w->a);
	told(w, ATTACH_CLEAN | ATTACH_GPU_INVALIDATE, ATTACH_GPU_INVALIDATE);
}

/* Programs */

/* Listing of section 3.3 of the note: matrixMul with hints. */
static void the_notes_example_with_hints_is_right(void **state)
{
	struct world *w = *state;
	struct attach_buf p;

	attach_buf_create(&w->ctx, &p, LEN, ATTACH_HOST);
	cpu_may(w, &p);
	attach(w, w->null, &p, ATTACH_GLOBAL);
	work(w, w->null);
	assert_int_equal(attach_job_touch(&w->ctx, w->null, &p, NULL),
			 ATTACH_ALLOWED);
	assert_int_equal(attach_job_touch(&w->ctx, w->null, &w->global, NULL),
			 ATTACH_ALLOWED);
	attach(w, w->null, &w->global, ATTACH_HOST);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->null);
	cpu_may(w, &w->global);
	attach_buf_destroy(&w->ctx, &p);
}

static u64 maintained_bytes(const struct world *w)
{
	return w->ctx.count.cleaned_bytes + w->ctx.count.cpu_invalidated_bytes +
	       w->ctx.count.gpu_cleaned_bytes +
	       w->ctx.count.gpu_invalidated_bytes;
}

#define NR_FRAMES	16

static u64 bytes_of_frames(struct world *w, bool has_hints)
{
	struct attach_buf bufs[NR_FRAMES];
	u64 before = maintained_bytes(w);
	size_t i;

	/* attached to the host, this buffer adds no maintenance */
	attach(w, w->null, &w->global, ATTACH_HOST);
	sync_device(w);
	for (i = 0; i < NR_FRAMES; i++)
		attach_buf_create(&w->ctx, &bufs[i], LEN,
				  has_hints ? ATTACH_HOST : ATTACH_GLOBAL);
	for (i = 0; i < NR_FRAMES; i++) {
		cpu_may(w, &bufs[i]);
		if (has_hints)
			attach(w, w->null, &bufs[i], ATTACH_GLOBAL);
		work(w, w->null);
		if (has_hints)
			attach(w, w->null, &bufs[i], ATTACH_HOST);
		sync_stream(w, w->null);
		cpu_may(w, &bufs[i]);
	}
	for (i = 0; i < NR_FRAMES; i++)
		attach_buf_destroy(&w->ctx, &bufs[i]);
	assert_int_equal(w->ctx.count.cpu_while_active, 0);
	return maintained_bytes(w) - before;
}

static void hints_save_what_the_other_buffers_cost(void **state)
{
	struct world *w = *state;
	u64 plain = bytes_of_frames(w, false);
	u64 hinted = bytes_of_frames(w, true);
	u64 prefetched = 0;

	/* each launch has one clean of the prefetch */
	if (w->ctx.class == ATTACH_NONCOHERENT)
		prefetched = NR_FRAMES * LEN;
	assert_int_equal(hinted - prefetched, plain / NR_FRAMES);
	assert_int_equal(plain % NR_FRAMES, 0);
	assert_int_equal(!plain, is_concurrent(w));
}

/* Memory */

static void jobs_in_a_row_take_one_operation(void **state)
{
	struct world *w = *state;
	u64 nr = w->ctx.nr_pool;
	int i;

	for (i = 0; i < 1000; i++) {
		work(w, &w->a);
		work(w, &w->c);
		work(w, &w->d);
	}
	assert_int_equal(w->ctx.nr_pool, nr - 3);
	sync_device(w);
	assert_int_equal(w->ctx.nr_pool, nr);
	for (i = 0; i < 1000; i++)
		work(w, w->null);
	assert_int_equal(w->ctx.nr_pool, nr - 1);
	/* each wait of the host returns all operations to the pool */
	for (i = 0; i < 1000; i++) {
		work(w, w->null);
		record(w, &w->event, w->null);
		wait_for(w, &w->a, &w->event);
		attach(w, &w->a, &w->global, ATTACH_SINGLE);
		work(w, &w->a);
		sync_stream(w, &w->a);
	}
	assert_int_equal(w->ctx.nr_pool, nr);
}

static void an_empty_pool_changes_nothing(void **state)
{
	struct world *w = *state;
	struct attach_op *host;
	size_t nr = 0;

	attach(w, &w->a, &w->global, ATTACH_SINGLE);
	work(w, &w->a);
	record(w, &w->event, &w->a);
	while (attach_take_op(&w->ctx))
		nr++;
	assert_int_equal(attach_submit_work(&w->ctx, &w->b), -ENOMEM);
	assert_int_equal(attach_submit_state(&w->ctx, &w->b, &w->host,
					     ATTACH_GLOBAL), -ENOMEM);
	assert_int_equal(attach_submit_host(&w->ctx, &w->b, &host), -ENOMEM);
	assert_int_equal(attach_event_wait(&w->ctx, &w->b, &w->event),
			 -ENOMEM);
	assert_int_equal(attach_stream_destroy_needs(&w->a), 1);
	assert_int_equal(attach_stream_destroy(&w->ctx, &w->a), -ENOMEM);
	cpu_may(w, &w->host);
	cpu_may_not(w, &w->global);
	sync_stream(w, &w->a);
	assert_null(attach_take_stream(&w->ctx));
	cpu_may(w, &w->global);
	destroy(w, &w->a);
	assert_null(attach_take_stream(&w->ctx));
	attach_event_destroy(&w->ctx, &w->event);
	assert_ptr_equal(attach_take_stream(&w->ctx), &w->a);
	/* the operations of the attach and the work were returned */
	while (attach_take_op(&w->ctx))
		nr++;
	assert_int_equal(nr, NR_OPS);
	for (nr = 0; nr < NR_OPS; nr++)
		attach_give_op(&w->ctx, &w->ops[nr]);
}

#define TEST_ON(test, soc) \
	{ #test "_on_" soc, test, set_up, tear_down, (void *)soc }

#define TEST(test) \
	TEST_ON(test, "tx2"), TEST_ON(test, "orin"), TEST_ON(test, "thor")

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(host_attached_buffer_is_always_the_cpus),
		TEST(host_attached_buffer_is_never_a_jobs),
		TEST(global_buffer_is_the_cpus_when_no_stream_is_active),
		TEST(global_buffer_is_for_jobs_of_any_stream),
		TEST(single_buffer_is_the_cpus_when_its_stream_is_idle),
		TEST(single_buffer_is_for_jobs_of_its_stream_only),
		TEST(single_to_the_null_stream_is_not_for_blocking_ones),
		TEST(a_global_buffer_made_while_active_waits),
		TEST(a_host_buffer_made_while_active_does_not),
		TEST(work_is_done_when_the_host_knows_and_not_before),
		TEST(event_covers_what_was_before_its_record),
		TEST(event_in_a_row_of_jobs_covers_the_first_of_them),
		TEST(event_stands_for_its_last_record),
		TEST(event_never_recorded_orders_nothing),
		TEST(a_wait_for_something_ordered_after_will_do),
		TEST(a_wait_takes_the_record_of_its_own_time),
		TEST(null_stream_takes_in_blocking_streams),
		TEST(blocking_stream_is_behind_the_null_stream),
		TEST(non_blocking_stream_is_not),
		TEST(an_empty_stream_is_waited_for_in_null_order),
		TEST(event_of_the_null_stream_takes_in_blocking_streams),
		TEST(start_of_a_host_function_is_a_wait),
		TEST(host_function_knows_nothing_of_other_streams),
		TEST(work_behind_a_host_function_is_not_active),
		TEST(work_behind_it_in_another_stream_is_not_either),
		TEST(work_behind_two_waits_for_both_to_return),
		TEST(work_before_it_stays_active),
		TEST(what_cannot_be_is_refused),
		TEST(only_device_work_makes_a_stream_active),
		TEST(an_attach_takes_rights_away_at_the_call),
		TEST(an_attach_gives_rights_once_known_done),
		TEST(every_state_since_the_last_known_one_must_allow_it),
		TEST(an_older_attach_known_later_says_nothing),
		TEST(a_job_is_judged_by_what_is_ordered_before_it),
		TEST(a_job_is_judged_by_what_is_known_done),
		TEST(a_job_is_judged_in_the_null_streams_order),
		TEST(a_blocking_stream_is_not_behind_another),
		TEST(the_newest_in_call_order_decides),
		TEST(default_comes_back_with_the_streams_end),
		TEST(default_does_not_come_back_before_that),
		TEST(what_is_behind_the_end_is_behind_the_implicit_attach),
		TEST(an_event_for_the_end_is_no_operation),
		TEST(a_host_function_may_be_the_end),
		TEST(a_destroyed_blocking_stream_keeps_its_order),
		TEST(a_newer_state_is_kept_when_the_stream_goes),
		TEST(a_destroyed_stream_takes_nothing_more),
		TEST(a_violation_says_which_state_forbids_it),
		TEST(a_function_that_is_withdrawn_holds_up_nothing),
		TEST(a_verdict_that_is_kept_is_counted_when_it_is_used),
		TEST(violations_are_counted_for_their_buffer),
		TEST(copies_are_waited_for_by_their_sides),
		TEST(sets_are_waited_for_on_what_the_cpu_sees),
		TEST(a_managed_side_is_device_when_a_job_may_touch_it),
		TEST(a_synchronous_copy_is_work_and_a_wait),
		TEST(atomics_on_pinned_memory_need_a_cache),
		TEST(a_job_revokes_cleans_and_invalidates),
		TEST(a_synchronise_cleans_invalidates_and_restores),
		TEST(a_global_buffer_is_restored_by_the_last_stream),
		TEST(a_single_buffer_is_restored_by_its_own),
		TEST(attach_to_host_is_a_prefetch_to_the_cpu),
		TEST(a_job_behind_a_host_function_makes_it_due_again),
		TEST(a_job_behind_an_unknown_attach_makes_it_due_again),
		TEST(a_job_of_a_stream_to_be_makes_it_due_again),
		TEST(a_job_after_the_prefetch_makes_it_due_again),
		TEST(attach_from_host_is_a_prefetch_to_the_gpu),
		TEST(between_global_and_single_there_is_none),
		TEST(the_implicit_attach_prefetches_as_any),
		TEST(an_attach_that_takes_the_right_revokes),
		TEST(what_no_job_saw_is_not_invalidated),
		TEST(a_held_up_job_revokes_when_the_function_returns),
		TEST(a_host_attached_buffer_takes_no_part),
		TEST(each_job_counts_for_each_buffer_it_sees),
		TEST(a_buffer_touched_again_is_reported_again),
		TEST(the_notes_example_with_hints_is_right),
		TEST(hints_save_what_the_other_buffers_cost),
		TEST(jobs_in_a_row_take_one_operation),
		TEST(an_empty_pool_changes_nothing),
	};

	return cmocka_run_group_tests_name("attach", tests, NULL, NULL);
}
