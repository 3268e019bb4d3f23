// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests streams, works and managed memory of the real module: each command with
 * each of its errors, the rules of DESIGN 2.4 with real page tables, and bytes
 * through both views. stream_random_test runs random programs.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stream.h"

#define NR_PAGES	20	/* more than a fill granule has */
#define NO_ID		987654

/**
 * struct world - a context and its objects
 * @dev: the context
 * @page: page size in bytes
 * @is_concurrent: the board permits concurrent access by CPU and engines
 * @is_io_coherent: managed memory has one view
 * @a: a non-blocking stream
 * @b: a non-blocking stream
 * @c: a blocking stream
 * @d: a blocking stream
 * @global: a buffer attached globally
 * @host: a buffer attached to the host
 * @event: an event that is never recorded
 */
struct world {
	int dev;
	size_t page;
	bool is_concurrent;
	bool is_io_coherent;
	uint64_t a;
	uint64_t b;
	uint64_t c;
	uint64_t d;
	struct managed global;
	struct managed host;
	uint64_t event;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct heapsim_probe probe;

	assert_non_null(w);
	w->dev = device_open();
	w->page = device_page_size();
	probe = device_probe(w->dev);
	w->is_io_coherent = probe.io_coherent;
	w->is_concurrent = !strcmp(probe.soc, "thor");
	w->a = stream_create(w->dev, HEAPSIM_STREAM_NON_BLOCKING);
	w->b = stream_create(w->dev, HEAPSIM_STREAM_NON_BLOCKING);
	w->c = stream_create(w->dev, 0);
	w->d = stream_create(w->dev, 0);
	w->global = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
				   HEAPSIM_ATTACH_GLOBAL, NR_PAGES * w->page);
	w->host = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
				 HEAPSIM_ATTACH_HOST, NR_PAGES * w->page);
	w->event = event_create(w->dev);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	managed_destroy(&w->global);
	managed_destroy(&w->host);
	if (w->dev >= 0)
		close(w->dev);
	free(w);
	return 0;
}

static uint64_t submit(struct world *w, uint64_t stream)
{
	uint64_t work;

	assert_int_equal(work_submit_errno(w->dev, stream, "gpu", &work), 0);
	return work;
}

static void begin(struct world *w, uint64_t work)
{
	assert_int_equal(work_errno(w->dev, HEAPSIM_IOC_WORK_BEGIN, work), 0);
}

static void end(struct world *w, uint64_t work)
{
	assert_int_equal(work_errno(w->dev, HEAPSIM_IOC_WORK_END, work), 0);
}

/* Runs a whole work, and does not wait for it. */
static void work(struct world *w, uint64_t stream)
{
	uint64_t id = submit(w, stream);

	begin(w, id);
	end(w, id);
}

static void attach(struct world *w, uint64_t stream, const struct managed *m,
		   uint32_t to)
{
	assert_int_equal(attach_errno(w->dev, stream, m->id, to), 0);
}

static void sync_device(struct world *w)
{
	assert_int_equal(sync_errno(w->dev, HEAPSIM_SYNC_DEVICE, 0), 0);
}

static void sync_stream(struct world *w, uint64_t stream)
{
	assert_int_equal(sync_errno(w->dev, HEAPSIM_SYNC_STREAM, stream), 0);
}

static void sync_event(struct world *w, uint64_t event)
{
	assert_int_equal(sync_errno(w->dev, HEAPSIM_SYNC_EVENT, event), 0);
}

static void record(struct world *w, uint64_t event, uint64_t stream)
{
	assert_int_equal(event_errno(w->dev, HEAPSIM_IOC_EVENT_RECORD, event,
				     stream), 0);
}

static void wait_for(struct world *w, uint64_t stream, uint64_t event)
{
	assert_int_equal(event_errno(w->dev, HEAPSIM_IOC_EVENT_WAIT, event,
				     stream), 0);
}

static uint64_t host_function(struct world *w, uint64_t stream)
{
	uint64_t host;

	assert_int_equal(host_submit_errno(w->dev, stream, &host), 0);
	return host;
}

static void host_begin(struct world *w, uint64_t host)
{
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_BEGIN, host), 0);
}

static void host_return(struct world *w, uint64_t host)
{
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_RETURN, host), 0);
}

static uint64_t nr_refused(struct world *w, const struct managed *m)
{
	return attach_info(w->dev, m->id).count.cpu_while_active;
}

static void cpu_may(struct world *w, const struct managed *m)
{
	const uint64_t before = nr_refused(w, m);

	assert_true(attach_info(w->dev, m->id).is_cpu_allowed);
	assert_true(cpu_reads(m->map, NULL));
	assert_true(cpu_writes(m->map + w->page, 1));
	assert_int_equal(nr_refused(w, m), before);
}

static void cpu_may_not(struct world *w, const struct managed *m)
{
	const uint64_t before = nr_refused(w, m);

	if (w->is_concurrent) {
		cpu_may(w, m);
		return;
	}
	assert_false(attach_info(w->dev, m->id).is_cpu_allowed);
	assert_false(cpu_reads(m->map, NULL));
	assert_int_equal(nr_refused(w, m), before + 1);
	assert_false(cpu_writes(m->map + w->page, 1));
	assert_int_equal(nr_refused(w, m), before + 2);
}

static bool is_allowed(struct world *w, uint64_t id, const struct managed *m)
{
	struct heapsim_work_touch touch;

	assert_int_equal(work_touch_errno(w->dev, id, m->id, &touch), 0);
	return touch.is_allowed;
}

static void job_may(struct world *w, uint64_t stream, const struct managed *m)
{
	uint64_t id = submit(w, stream);

	assert_true(is_allowed(w, id, m));
	begin(w, id);
	end(w, id);
}

static void job_may_not(struct world *w, uint64_t stream,
			const struct managed *m)
{
	uint64_t id = submit(w, stream);

	assert_int_equal(is_allowed(w, id, m), w->is_concurrent);
	begin(w, id);
	end(w, id);
}

/* The rules of DESIGN 2.4, in the order of selftests/model/attach_test.c */

static void host_attached_buffer_is_the_cpus_alone(void **state)
{
	struct world *w = *state;

	work(w, w->a);
	cpu_may(w, &w->host);
	cpu_may_not(w, &w->global);
	job_may(w, w->a, &w->global);
	job_may_not(w, w->a, &w->host);
	job_may_not(w, 0, &w->host);
}

static void global_buffer_is_the_cpus_when_no_stream_is_active(void **state)
{
	struct world *w = *state;

	cpu_may(w, &w->global);
	work(w, w->a);
	work(w, w->b);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->a);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->b);
	cpu_may(w, &w->global);
}

static void single_buffer_is_the_cpus_when_its_stream_is_idle(void **state)
{
	struct world *w = *state;

	attach(w, w->a, &w->global, HEAPSIM_ATTACH_SINGLE);
	sync_device(w);
	work(w, w->b);
	cpu_may(w, &w->global);
	work(w, w->a);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->b);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->a);
	cpu_may(w, &w->global);
	job_may(w, w->a, &w->global);
	job_may_not(w, w->b, &w->global);
	job_may_not(w, 0, &w->global);
}

static void single_to_the_null_stream_is_not_for_blocking_ones(void **state)
{
	struct world *w = *state;

	attach(w, 0, &w->global, HEAPSIM_ATTACH_SINGLE);
	sync_stream(w, 0);
	work(w, w->c);
	work(w, w->a);
	cpu_may(w, &w->global);
	work(w, 0);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->a);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->c);
	cpu_may(w, &w->global);
	job_may(w, 0, &w->global);
	job_may_not(w, w->c, &w->global);
	job_may_not(w, w->a, &w->global);
}

static void a_global_buffer_made_while_active_waits(void **state)
{
	struct world *w = *state;
	struct managed m;

	work(w, w->a);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   2 * w->page);
	cpu_may_not(w, &m);
	sync_stream(w, w->a);
	cpu_may(w, &m);
	managed_destroy(&m);
}

static void work_is_done_when_the_host_knows_and_not_before(void **state)
{
	struct world *w = *state;

	work(w, w->a);
	cpu_may_not(w, &w->global);
	sync_device(w);
	cpu_may(w, &w->global);
}

static void event_covers_what_was_before_its_record(void **state)
{
	struct world *w = *state;

	work(w, w->a);
	record(w, w->event, w->a);
	sync_event(w, w->event);
	cpu_may(w, &w->global);
	record(w, w->event, w->a);
	work(w, w->a);
	sync_event(w, w->event);
	cpu_may_not(w, &w->global);
}

static void a_wait_for_something_ordered_after_will_do(void **state)
{
	struct world *w = *state;

	work(w, w->a);
	record(w, w->event, w->a);
	wait_for(w, w->c, w->event);
	sync_stream(w, w->c);
	cpu_may(w, &w->global);
}

static void null_stream_takes_in_blocking_streams(void **state)
{
	struct world *w = *state;

	work(w, w->c);
	work(w, w->d);
	work(w, 0);
	sync_stream(w, 0);
	cpu_may(w, &w->global);
	work(w, w->a);
	work(w, 0);
	sync_stream(w, 0);
	cpu_may_not(w, &w->global);
}

static void start_of_a_host_function_is_a_wait(void **state)
{
	struct world *w = *state;
	uint64_t host;

	work(w, w->a);
	host = host_function(w, w->a);
	cpu_may_not(w, &w->global);
	host_begin(w, host);
	cpu_may(w, &w->global);
	host_return(w, host);
	cpu_may(w, &w->global);
}

static void work_behind_a_host_function_is_not_active(void **state)
{
	struct world *w = *state;
	uint64_t host = host_function(w, w->a), id = submit(w, w->a);

	cpu_may(w, &w->global);
	host_begin(w, host);
	cpu_may(w, &w->global);
	host_return(w, host);
	cpu_may_not(w, &w->global);
	begin(w, id);
	end(w, id);
	sync_stream(w, w->a);
	cpu_may(w, &w->global);
}

static void an_attach_takes_rights_away_at_the_call(void **state)
{
	struct world *w = *state;

	cpu_may(w, &w->host);
	work(w, w->a);
	attach(w, w->b, &w->host, HEAPSIM_ATTACH_SINGLE);
	cpu_may(w, &w->host);
	attach(w, w->a, &w->host, HEAPSIM_ATTACH_SINGLE);
	cpu_may_not(w, &w->host);
}

static void an_attach_gives_rights_once_known_done(void **state)
{
	struct world *w = *state;

	work(w, w->a);
	attach(w, w->b, &w->global, HEAPSIM_ATTACH_HOST);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->b);
	cpu_may(w, &w->global);
}

static void a_job_is_judged_by_what_is_ordered_before_it(void **state)
{
	struct world *w = *state;

	attach(w, w->a, &w->host, HEAPSIM_ATTACH_GLOBAL);
	job_may(w, w->a, &w->host);
	record(w, w->event, w->a);
	wait_for(w, w->b, w->event);
	job_may(w, w->b, &w->host);
	job_may_not(w, w->c, &w->host);
}

static void default_comes_back_with_the_streams_end(void **state)
{
	struct world *w = *state;

	attach(w, w->a, &w->global, HEAPSIM_ATTACH_SINGLE);
	work(w, w->a);
	sync_stream(w, w->a);
	assert_int_equal(attach_info(w->dev, w->global.id).attach,
			 HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(attach_info(w->dev, w->global.id).attach_stream, w->a);
	assert_int_equal(stream_destroy_errno(w->dev, w->a), 0);
	assert_int_equal(attach_info(w->dev, w->global.id).attach,
			 HEAPSIM_ATTACH_GLOBAL);
	job_may(w, w->b, &w->global);
	cpu_may_not(w, &w->global);
	sync_stream(w, w->b);
	cpu_may(w, &w->global);
}

static void default_does_not_come_back_before_that(void **state)
{
	struct world *w = *state;

	attach(w, w->a, &w->global, HEAPSIM_ATTACH_SINGLE);
	sync_device(w);
	work(w, w->a);
	assert_int_equal(stream_destroy_errno(w->dev, w->a), 0);
	cpu_may_not(w, &w->global);
	job_may_not(w, w->b, &w->global);
	sync_device(w);
	cpu_may(w, &w->global);
}

/* Judged late */

/* Recording an event for a stream's end adds no operation to the stream. */
static void an_event_for_the_end_is_no_operation(void **state)
{
	struct world *w = *state;
	struct heapsim_event_op op = {
		.size = sizeof(op),
		.flags = HEAPSIM_EVENT_END,
		.event = w->event,
		.stream = w->a,
	};

	attach(w, w->a, &w->global, HEAPSIM_ATTACH_SINGLE);
	attach(w, w->c, &w->host, HEAPSIM_ATTACH_SINGLE);
	sync_device(w);
	assert_int_equal(device_ioctl_errno(w->dev, HEAPSIM_IOC_EVENT_RECORD,
					    &op), 0);
	assert_int_equal(stream_destroy_errno(w->dev, w->a), 0);
	job_may(w, w->b, &w->global);
	sync_device(w);
	work(w, w->c);
	op.stream = w->c;
	assert_int_equal(device_ioctl_errno(w->dev, HEAPSIM_IOC_EVENT_RECORD,
					    &op), 0);
	assert_int_equal(stream_destroy_errno(w->dev, w->c), 0);
	cpu_may_not(w, &w->host);
	sync_event(w, w->event);
	cpu_may(w, &w->host);
	assert_int_equal(attach_info(w->dev, w->host.id).attach,
			 HEAPSIM_ATTACH_HOST);
}

static void a_late_touch_is_judged_as_of_the_submission(void **state)
{
	struct world *w = *state;
	uint64_t first = submit(w, w->a), second, third;

	attach(w, w->a, &w->global, HEAPSIM_ATTACH_HOST);
	second = submit(w, w->b);
	sync_stream(w, w->a);
	third = submit(w, w->b);
	attach(w, w->b, &w->global, HEAPSIM_ATTACH_SINGLE);
	sync_stream(w, w->b);
	attach(w, w->b, &w->global, HEAPSIM_ATTACH_HOST);
	assert_true(is_allowed(w, first, &w->global));
	/* the attach was neither ordered before it nor known done */
	assert_true(is_allowed(w, second, &w->global));
	assert_int_equal(is_allowed(w, third, &w->global), w->is_concurrent);
	begin(w, second);
	end(w, second);
	assert_true(is_allowed(w, first, &w->global));
	assert_int_equal(is_allowed(w, third, &w->global), w->is_concurrent);
}

static void a_late_touch_knows_its_stream_when_that_is_gone(void **state)
{
	struct world *w = *state;
	uint64_t mine, other, old = w->a, fresh;

	attach(w, w->a, &w->global, HEAPSIM_ATTACH_SINGLE);
	sync_device(w);
	mine = submit(w, w->a);
	assert_int_equal(stream_destroy_errno(w->dev, w->a), 0);
	fresh = stream_create(w->dev, HEAPSIM_STREAM_NON_BLOCKING);
	assert_int_equal(fresh, old);
	other = submit(w, fresh);
	assert_true(is_allowed(w, mine, &w->global));
	assert_int_equal(is_allowed(w, other, &w->global), w->is_concurrent);
}

static void a_wrong_touch_says_which_state_and_counts(void **state)
{
	struct world *w = *state;
	struct heapsim_work_touch touch;
	uint64_t id;

	attach(w, w->a, &w->global, HEAPSIM_ATTACH_SINGLE);
	sync_device(w);
	id = submit(w, w->b);
	assert_int_equal(work_touch_errno(w->dev, id, w->global.id, &touch), 0);
	if (w->is_concurrent) {
		assert_true(touch.is_allowed);
		return;
	}
	assert_false(touch.is_allowed);
	assert_int_equal(touch.attach, HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(touch.attach_stream, w->a);
	assert_int_equal(attach_info(w->dev, w->global.id).count
			 .engine_not_attached, 1);
	assert_int_equal(attach_info(w->dev, 0).count.engine_not_attached, 1);
	assert_int_equal(attach_info(w->dev, w->host.id).count
			 .engine_not_attached, 0);
}

/* Bytes */

static void engine_sees_what_the_cpu_wrote_when_it_begins(void **state)
{
	struct world *w = *state;
	uint64_t id;

	w->global.map[100] = 1;
	w->global.map[5 * w->page] = 2;
	id = submit(w, w->a);
	if (!w->is_io_coherent)
		assert_int_equal(w->global.view[100], 0);
	begin(w, id);
	assert_int_equal(w->global.view[100], 1);
	assert_int_equal(w->global.view[5 * w->page], 2);
	end(w, id);
}

static void cpu_sees_what_the_engine_wrote_when_it_has_waited(void **state)
{
	struct world *w = *state;
	struct heapsim_counters count;
	uint64_t id;
	size_t i;

	assert_int_equal(w->global.map[0], 0);
	w->global.map[70] = 1;
	id = submit(w, w->a);
	begin(w, id);
	for (i = 0; i < w->global.len; i++)
		w->global.view[i] = i % 251;
	end(w, id);
	sync_stream(w, w->a);
	for (i = 0; i < w->global.len; i++)
		if (w->global.map[i] != i % 251)
			fail_msg("byte %zu", i);
	count = device_count(w->dev, w->global.fd);
	assert_int_equal(count.stale_reads + count.possible_stale_reads +
			 count.lost_device_writes + count.lost_cpu_writes +
			 count.write_conflicts + count.missing_cleans, 0);
}

/* With policy record, forbidden accesses of the CPU continue. */
static void lines_that_the_engine_wrote_are_stale(void **state)
{
	struct world *w = *state;
	const size_t line = device_probe(w->dev).line_size;
	struct managed m;
	uint64_t id;

	if (w->is_io_coherent)
		device_skip("one view");
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_RECORD), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   4 * w->page);
	assert_int_equal(m.map[0], 0);
	id = submit(w, w->a);
	begin(w, id);
	m.view[3 * line] = 7;
	m.view[5 * line] = 0;
	end(w, id);
	assert_int_equal(m.map[3 * line], 0);
	assert_int_equal(device_count(w->dev, m.fd).stale_reads, 1);
	device_revoke(w->dev, m.fd);
	assert_int_equal(m.map[2 * line], 0);
	device_revoke(w->dev, m.fd);
	/* the stored value was equal, which cannot be detected */
	assert_int_equal(m.map[5 * line], 0);
	assert_int_equal(device_count(w->dev, m.fd).stale_reads, 1);
	assert_int_equal(device_count(w->dev, m.fd).possible_stale_reads, 0);
	assert_int_equal(nr_refused(w, &m), 3);
	sync_device(w);
	assert_int_equal(m.map[3 * line], 7);
	assert_int_equal(nr_refused(w, &m), 3);
	managed_destroy(&m);
}

/* The next work starts with the pages that the last one left. */
static void each_work_is_told_of_its_own_stores(void **state)
{
	struct world *w = *state;
	unsigned int i;
	uint64_t id;

	for (i = 1; i < 5; i++) {
		id = submit(w, w->a);
		begin(w, id);
		assert_int_equal(w->global.view[8], i - 1);
		w->global.view[8] = i;
		w->global.view[3 * w->page + i] = i;
		end(w, id);
		sync_stream(w, w->a);
		assert_int_equal(w->global.map[8], i);
		assert_int_equal(w->global.map[3 * w->page + i], i);
	}
}

/* A host function may store until it returns; the next work must see this. */
static void a_work_sees_what_a_host_function_before_it_wrote(void **state)
{
	struct world *w = *state;
	uint64_t host = host_function(w, w->a), other;
	uint64_t id = submit(w, w->a);

	other = submit(w, w->b);
	begin(w, other);
	end(w, other);
	sync_stream(w, w->b);
	host_begin(w, host);
	w->global.map[9] = 9;
	host_return(w, host);
	begin(w, id);
	assert_int_equal(w->global.view[9], 9);
	end(w, id);
}

/* The same if an earlier work of the stream began before the submission. */
static void a_work_sees_it_behind_one_that_has_begun(void **state)
{
	struct world *w = *state;
	uint64_t first = submit(w, w->a), host, id;

	begin(w, first);
	host = host_function(w, w->a);
	id = submit(w, w->a);
	end(w, first);
	host_begin(w, host);
	w->global.map[9] = 9;
	host_return(w, host);
	begin(w, id);
	assert_int_equal(w->global.view[9], 9);
	end(w, id);
}

/*
 * A wait gives the buffer to the CPU while a work that uses it has not begun.
 * The CPU's stores before and after the wait must not be lost.
 */
static void what_the_cpu_stored_before_a_work_began_stays(void **state)
{
	struct world *w = *state;
	uint64_t host = host_function(w, w->a), id;

	attach(w, w->a, &w->host, HEAPSIM_ATTACH_GLOBAL);
	id = submit(w, w->a);
	w->host.map[9] = 9;
	work(w, w->b);
	sync_stream(w, w->b);
	assert_int_equal(w->host.map[9], 9);
	w->host.map[10] = 10;
	host_begin(w, host);
	host_return(w, host);
	begin(w, id);
	assert_int_equal(w->host.view[9], 9);
	assert_int_equal(w->host.view[10], 10);
	w->host.view[9] = 19;
	end(w, id);
	sync_stream(w, w->a);
	assert_int_equal(w->host.map[9], 19);
	assert_int_equal(w->host.map[10], 10);
}

static void a_prefetch_waits_for_the_works_before_it(void **state)
{
	struct world *w = *state;
	struct heapsim_counters count;
	uint64_t id;

	assert_int_equal(w->global.map[0], 0);
	id = submit(w, w->a);
	begin(w, id);
	attach(w, w->a, &w->global, HEAPSIM_ATTACH_HOST);
	w->global.view[0] = 5;
	end(w, id);
	sync_stream(w, w->a);
	assert_int_equal(w->global.map[0], 5);
	count = device_count(w->dev, w->global.fd);
	assert_int_equal(count.stale_reads + count.possible_stale_reads, 0);
}

static void hints_keep_what_the_cpu_wrote(void **state)
{
	struct world *w = *state;

	w->host.map[3] = 3;
	work(w, w->a);
	sync_device(w);
	assert_int_equal(w->host.map[3], 3);
	attach(w, w->a, &w->host, HEAPSIM_ATTACH_SINGLE);
	if (!w->is_io_coherent)
		assert_int_equal(w->host.view[3],
				 w->is_concurrent ? 0 : 3);
}

static void pinned_memory_is_everybodys(void **state)
{
	struct world *w = *state;
	struct managed m = managed_create(w->dev, HEAPSIM_KIND_PINNED, 0,
					  3 * w->page);
	uint64_t id = submit(w, w->a);

	m.map[w->page] = 1;
	assert_int_equal(m.view[w->page], 1);
	m.view[0] = 2;
	assert_int_equal(m.map[0], 2);
	assert_true(is_allowed(w, id, &m));
	assert_int_equal(attach_errno(w->dev, 0, m.id, HEAPSIM_ATTACH_HOST),
			 -EINVAL);
	managed_destroy(&m);
}

/* Lets the kernel store to memory, and returns the result. */
static int read_into(void *at)
{
	int fds[2], ret;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	ret = read(fds[0], at, 1) < 0 ? -errno : 0;
	close(fds[0]);
	close(fds[1]);
	return ret;
}

static int peek_from(int mem, volatile uint8_t *at)
{
	uint8_t byte;

	return pread(mem, &byte, 1, (off_t)(uintptr_t)at) < 0 ? -errno : 0;
}

static void device_memory_is_not_the_cpus(void **state)
{
	struct world *w = *state;
	struct managed m = managed_create(w->dev, HEAPSIM_KIND_DEVICE, 0,
					  3 * w->page);
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	uint64_t id = submit(w, w->a);

	assert_false(cpu_reads(m.map, NULL));
	assert_false(cpu_writes(m.map, 1));
	assert_int_equal(read_into((void *)m.map), -EFAULT);
	assert_int_equal(peek_from(mem, m.map), -EIO);
	/* the kernel retries byte by byte */
	assert_true(attach_info(w->dev, m.id).count.cpu_on_device >= 4);
	assert_true(attach_info(w->dev, 0).count.cpu_on_device >= 4);
	assert_false(attach_info(w->dev, m.id).is_cpu_allowed);
	m.view[5] = 5;
	assert_int_equal(m.view[5], 5);
	assert_true(is_allowed(w, id, &m));
	close(mem);
	managed_destroy(&m);
}

static void device_memory_is_recorded_and_goes_on(void **state)
{
	struct world *w = *state;
	struct managed m;

	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_RECORD), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_DEVICE, 0, 3 * w->page);
	m.view[1] = 4;
	assert_int_equal(m.map[1], 4);
	assert_int_equal(m.map[w->page], 0);
	assert_int_equal(attach_info(w->dev, m.id).count.cpu_on_device, 2);
	device_revoke(w->dev, m.fd);
	m.map[1] = 6;
	assert_int_equal(m.view[1], 6);
	assert_int_equal(attach_info(w->dev, m.id).count.cpu_on_device, 3);
	managed_destroy(&m);
}

static void with_policy_off_nothing_is_looked_at(void **state)
{
	struct world *w = *state;
	struct managed m, device;

	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_OFF), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   3 * w->page);
	device = managed_create(w->dev, HEAPSIM_KIND_DEVICE, 0, 3 * w->page);
	work(w, w->a);
	m.map[1] = 1;
	assert_int_equal(m.view[1], 1);
	m.view[2] = 2;
	assert_int_equal(m.map[2], 2);
	device.map[3] = 3;
	assert_int_equal(device.view[3], 3);
	assert_int_equal(nr_refused(w, &m), 0);
	/* the switch of a mapped buffer must revoke its PTEs */
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_BUF,
					     m.fd, HEAPSIM_POLICY_STRICT), 0);
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_BUF,
					     device.fd, HEAPSIM_POLICY_STRICT),
			 0);
	cpu_may_not(w, &m);
	assert_false(cpu_reads(device.map, NULL));
	sync_device(w);
	assert_int_equal(m.map[1], 1);
	managed_destroy(&m);
	managed_destroy(&device);
}

static void system_calls_are_refused_with_efault(void **state)
{
	struct world *w = *state;
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	if (w->is_concurrent)
		device_skip("access is concurrent");
	assert_int_equal(read_into((void *)w->global.map), 0);
	assert_int_equal(peek_from(mem, w->global.map), 0);
	work(w, w->a);
	assert_int_equal(read_into((void *)w->global.map), -EFAULT);
	assert_int_equal(peek_from(mem, w->global.map), -EIO);
	assert_true(nr_refused(w, &w->global) >= 2);
	close(mem);
}

static void debuggers_see_device_views(void **state)
{
	static const uint32_t kinds[] = {
		HEAPSIM_KIND_MANAGED, HEAPSIM_KIND_PINNED, HEAPSIM_KIND_DEVICE,
	};
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	struct world *w = *state;
	uint8_t bytes[2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct managed m = managed_create(w->dev, kinds[i], i ? 0 :
						  HEAPSIM_ATTACH_GLOBAL,
						  2 * w->page);

		m.view[w->page - 1] = 1;
		m.view[w->page] = 2;
		assert_int_equal(pread(mem, bytes, 2, (off_t)(uintptr_t)m.view +
						      w->page - 1), 2);
		assert_int_equal(bytes[0], 1);
		assert_int_equal(bytes[1], 2);
		assert_int_equal(attach_info(w->dev, m.id).count.cpu_on_device,
				 0);
		managed_destroy(&m);
	}
	close(mem);
}

static void a_bracket_may_be_open_at_the_end_of_a_buffer(void **state)
{
	struct world *w = *state;
	int watch = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	struct heapsim_record r;
	struct managed m;

	if (w->is_io_coherent)
		device_skip("one view");
	assert_int_equal(device_watch_errno(watch, HEAPSIM_WATCH_PROCESS,
					    HEAPSIM_KINDS_ERRORS, 4), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   w->page);
	device_sync(m.fd, SYNC_START_WRITE);
	managed_destroy(&m);
	/* the buffer is released before close() of the last fd returns */
	assert_int_equal(read(watch, &r, sizeof(r)), sizeof(r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_MISSING_END);
	assert_int_equal(r.buf, m.id);
	close(watch);
}

static int child_reads(void *at)
{
	return cpu_reads(at, NULL) ? 1 : 2;
}

static void a_right_that_ends_ends_in_all_processes(void **state)
{
	struct world *w = *state;
	int fds[2];
	char byte;
	pid_t pid;
	int status;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(w->global.map[0], 0);
	pid = fork();
	if (!pid) {
		/* the child has PTEs, too, before the work is submitted */
		byte = (char)child_reads((void *)w->global.map);
		if (read(fds[0], &byte, 1) != 1)
			_exit(9);
		_exit(child_reads((void *)w->global.map));
	}
	work(w, w->a);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), w->is_concurrent ? 1 : 2);
	close(fds[0]);
	close(fds[1]);
}

/* Records */

static struct heapsim_record only_record(int watch)
{
	struct heapsim_record r, more;

	if (read(watch, &r, sizeof(r)) != sizeof(r))
		fail_msg("no record");
	if (read(watch, &more, sizeof(more)) == sizeof(more))
		fail_msg("another record, of kind %u", more.kind);
	return r;
}

static void records_name_stream_work_and_state(void **state)
{
	struct world *w = *state;
	struct heapsim_work_op op = {
		.size = sizeof(op),
		.stream = w->b,
		.kernel = 0x5eed,
		.name = "gpu",
	};
	struct heapsim_work_touch touch;
	struct heapsim_record r;
	uint64_t id;
	int watch;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	watch = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	assert_int_equal(device_watch_errno(watch, HEAPSIM_WATCH_PROCESS,
					    HEAPSIM_KINDS_STREAMS, 8), 0);
	attach(w, w->b, &w->global, HEAPSIM_ATTACH_SINGLE);
	sync_device(w);
	assert_int_equal(device_ioctl_errno(w->dev, HEAPSIM_IOC_WORK_SUBMIT,
					    &op), 0);
	id = op.work;
	assert_false(cpu_writes(w->global.map + 77, 1));
	r = only_record(watch);
	assert_int_equal(r.kernel, 0x5eed);
	assert_int_equal(r.kind, HEAPSIM_RECORD_CPU_WHILE_ACTIVE);
	assert_int_equal(r.missing, HEAPSIM_MISSING_SYNC);
	assert_int_equal(r.buf, w->global.id);
	assert_int_equal(r.off, 77);
	assert_int_equal(r.cpu.pid, getpid());
	assert_int_equal(r.cpu.is_write, 1);
	assert_int_equal(r.cpu.addr, (uintptr_t)w->global.map + 77);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_ENGINE);
	assert_int_equal(r.other.job, id);
	assert_int_equal(r.other.stream, w->b);
	assert_string_equal(r.other.name, "gpu");
	assert_int_equal(r.attach, HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(r.attach_stream, w->b);

	id = submit(w, w->a);
	assert_int_equal(work_touch_errno(w->dev, id, w->global.id, &touch), 0);
	r = only_record(watch);
	assert_int_equal(r.kind, HEAPSIM_RECORD_ENGINE_NOT_ATTACHED);
	assert_int_equal(r.missing, HEAPSIM_MISSING_ATTACH);
	assert_int_equal(r.cpu.time_ns, 0);
	assert_int_equal(r.other.job, id);
	assert_int_equal(r.other.stream, w->a);
	assert_int_equal(r.attach_stream, w->b);
	close(watch);
}

static void attached_is(const struct heapsim_record_attach *a, uint32_t attach,
			uint32_t by, uint64_t stream)
{
	assert_int_equal(a->attach, attach);
	assert_int_equal(a->by, by);
	assert_int_equal(a->stream, stream);
	assert_int_equal(a->stack, 0);
}

static void records_tell_attaches_the_newest_first(void **state)
{
	struct world *w = *state;
	struct heapsim_work_touch touch;
	struct heapsim_record r;
	uint64_t c, before;
	int i, watch;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	watch = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	assert_int_equal(device_watch_errno(watch, HEAPSIM_WATCH_PROCESS,
					    HEAPSIM_KINDS_STREAMS, 8), 0);
	attach(w, w->a, &w->global, HEAPSIM_ATTACH_HOST);
	assert_int_equal(work_touch_errno(w->dev, submit(w, w->a),
					  w->global.id, &touch), 0);
	r = only_record(watch);
	attached_is(&r.attaches[0], HEAPSIM_ATTACH_HOST,
		    HEAPSIM_ATTACHED_BY_CALL, w->a);
	attached_is(&r.attaches[1], HEAPSIM_ATTACH_GLOBAL,
		    HEAPSIM_ATTACHED_BY_ALLOC, 0);
	attached_is(&r.attaches[2], 0, 0, 0);

	c = stream_create(w->dev, 0);
	attach(w, c, &w->global, HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(stream_destroy_errno(w->dev, c), 0);
	attach(w, w->b, &w->global, HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(work_touch_errno(w->dev, submit(w, w->a),
					  w->global.id, &touch), 0);
	r = only_record(watch);
	attached_is(&r.attaches[0], HEAPSIM_ATTACH_SINGLE,
		    HEAPSIM_ATTACHED_BY_CALL, w->b);
	attached_is(&r.attaches[1], HEAPSIM_ATTACH_GLOBAL,
		    HEAPSIM_ATTACHED_BY_DESTROY, c);
	attached_is(&r.attaches[2], HEAPSIM_ATTACH_SINGLE,
		    HEAPSIM_ATTACHED_BY_CALL, c);
	attached_is(&r.attaches[3], HEAPSIM_ATTACH_HOST,
		    HEAPSIM_ATTACHED_BY_CALL, w->a);
	before = r.time_ns;
	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++) {
		assert_in_range(r.attaches[i].time_ns, 1, before);
		before = r.attaches[i].time_ns;
	}
	close(watch);
}

/* Commands */

static void what_is_malformed_is_einval(void **state)
{
	struct world *w = *state;
	struct {
		unsigned long cmd;
		union {
			uint32_t size;
			struct heapsim_stream_op stream;
			struct heapsim_attach_op attach;
			struct heapsim_event_op event;
			struct heapsim_host_op host;
			struct heapsim_work_op work;
			struct heapsim_work_touch touch;
			struct heapsim_sync sync;
			struct heapsim_attach_info info;
		};
	} bad[] = {
		{ HEAPSIM_IOC_STREAM_CREATE, .stream = { 16, 2, 0 } },
		{ HEAPSIM_IOC_STREAM_CREATE, .stream = { 16, 0, 1 } },
		{ HEAPSIM_IOC_STREAM_DESTROY, .stream = { 16, 1, w->a } },
		{ HEAPSIM_IOC_STREAM_DESTROY, .stream = { 16, 0, 0 } },
		{ HEAPSIM_IOC_ATTACH, .attach = { 24, 0, 0, w->global.id } },
		{ HEAPSIM_IOC_ATTACH, .attach = { 24, 3, 0, w->global.id } },
		{ HEAPSIM_IOC_ATTACH, .attach = { 24, 8, 0, NO_ID } },
		{ HEAPSIM_IOC_EVENT_CREATE, .event = { 24, 1, 0, 0 } },
		{ HEAPSIM_IOC_EVENT_CREATE, .event = { 24, 0, 1, 0 } },
		{ HEAPSIM_IOC_EVENT_CREATE, .event = { 24, 0, 0, 1 } },
		{ HEAPSIM_IOC_EVENT_DESTROY, .event = { 24, 0, 1, 1 } },
		{ HEAPSIM_IOC_EVENT_RECORD, .event = { 24, 2, 1, 0 } },
		{ HEAPSIM_IOC_EVENT_WAIT, .event = { 24, 1, 1, 0 } },
		{ HEAPSIM_IOC_HOST_SUBMIT, .host = { 24, 1, 0, 0 } },
		{ HEAPSIM_IOC_HOST_SUBMIT, .host = { 24, 0, 0, 1 } },
		{ HEAPSIM_IOC_HOST_BEGIN, .host = { 24, 0, 1, NO_ID } },
		{ HEAPSIM_IOC_HOST_RETURN, .host = { 24, 1, 0, NO_ID } },
		{ HEAPSIM_IOC_WORK_SUBMIT, .work = { 56, 1, 0, 0, "" } },
		{ HEAPSIM_IOC_WORK_SUBMIT, .work = { 56, 0, 0, 1, "" } },
		{ HEAPSIM_IOC_WORK_SUBMIT, .work = { 56, 0, 0, 0,
		  "0123456789abcdef0123456789abcdef" } },
		{ HEAPSIM_IOC_WORK_BEGIN, .work = { 56, 1, 0, NO_ID, "" } },
		{ HEAPSIM_IOC_WORK_BEGIN, .work = { 56, 0, 1, NO_ID, "" } },
		{ HEAPSIM_IOC_WORK_END, .work = { 56, 0, 0, NO_ID, "x" } },
		{ HEAPSIM_IOC_WORK_TOUCH, .touch = { 40, 0, NO_ID, NO_ID } },
		{ HEAPSIM_IOC_WORK_TOUCH, .touch = { 40, 4, NO_ID, NO_ID } },
		{ HEAPSIM_IOC_WORK_TOUCH, .touch = { 40, 1, NO_ID, NO_ID, 1 } },
		{ HEAPSIM_IOC_SYNC, .sync = { 16, 0, 0 } },
		{ HEAPSIM_IOC_SYNC, .sync = { 16, 4, 0 } },
		{ HEAPSIM_IOC_SYNC, .sync = { 16, 1, 1 } },
		{ HEAPSIM_IOC_ATTACH_INFO, .info = { 152, 1, 0 } },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (device_ioctl_errno(w->dev, bad[i].cmd, &bad[i].size) !=
		    -EINVAL)
			fail_msg("case %zu is not EINVAL", i);
}

static void what_is_not_there_is_enoent(void **state)
{
	struct world *w = *state;
	struct heapsim_work_touch touch;
	struct heapsim_attach_info info;
	const uint64_t far = (1ULL << 32) + w->a;
	uint64_t id = submit(w, w->a), made;

	assert_int_equal(stream_destroy_errno(w->dev, NO_ID), -ENOENT);
	assert_int_equal(stream_destroy_errno(w->dev, far), -ENOENT);
	assert_int_equal(attach_errno(w->dev, NO_ID, w->global.id,
				      HEAPSIM_ATTACH_HOST), -ENOENT);
	assert_int_equal(attach_errno(w->dev, w->a, NO_ID, HEAPSIM_ATTACH_HOST),
			 -ENOENT);
	assert_int_equal(event_errno(w->dev, HEAPSIM_IOC_EVENT_DESTROY, NO_ID,
				     0), -ENOENT);
	assert_int_equal(event_errno(w->dev, HEAPSIM_IOC_EVENT_RECORD, NO_ID,
				     0), -ENOENT);
	assert_int_equal(event_errno(w->dev, HEAPSIM_IOC_EVENT_RECORD, w->event,
				     NO_ID), -ENOENT);
	assert_int_equal(event_errno(w->dev, HEAPSIM_IOC_EVENT_WAIT, w->event,
				     NO_ID), -ENOENT);
	assert_int_equal(host_submit_errno(w->dev, NO_ID, &made), -ENOENT);
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_BEGIN, NO_ID),
			 -ENOENT);
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_RETURN, NO_ID),
			 -ENOENT);
	assert_int_equal(work_submit_errno(w->dev, NO_ID, "", &made), -ENOENT);
	assert_int_equal(work_errno(w->dev, HEAPSIM_IOC_WORK_BEGIN, NO_ID),
			 -ENOENT);
	assert_int_equal(work_errno(w->dev, HEAPSIM_IOC_WORK_END, NO_ID),
			 -ENOENT);
	assert_int_equal(work_touch_errno(w->dev, NO_ID, w->global.id, &touch),
			 -ENOENT);
	assert_int_equal(work_touch_errno(w->dev, id, NO_ID, &touch), -ENOENT);
	assert_int_equal(sync_errno(w->dev, HEAPSIM_SYNC_STREAM, NO_ID),
			 -ENOENT);
	assert_int_equal(sync_errno(w->dev, HEAPSIM_SYNC_EVENT, NO_ID),
			 -ENOENT);
	assert_int_equal(attach_info_errno(w->dev, NO_ID, &info), -ENOENT);
}

static void a_buffer_of_another_context_is_enoent(void **state)
{
	struct world *w = *state;
	int other = device_open();

	assert_int_equal(attach_errno(other, 0, w->global.id,
				      HEAPSIM_ATTACH_HOST), -ENOENT);
	close(other);
}

static void what_cannot_be_now_is_ebusy(void **state)
{
	struct world *w = *state;
	uint64_t id = submit(w, w->a), first, second;

	assert_int_equal(work_errno(w->dev, HEAPSIM_IOC_WORK_END, id), -EBUSY);
	begin(w, id);
	assert_int_equal(work_errno(w->dev, HEAPSIM_IOC_WORK_BEGIN, id),
			 -EBUSY);
	end(w, id);
	assert_int_equal(work_errno(w->dev, HEAPSIM_IOC_WORK_END, id), -ENOENT);
	first = host_function(w, w->a);
	second = host_function(w, w->a);
	record(w, w->event, w->a);
	assert_int_equal(sync_errno(w->dev, HEAPSIM_SYNC_DEVICE, 0), -EBUSY);
	assert_int_equal(sync_errno(w->dev, HEAPSIM_SYNC_STREAM, w->a), -EBUSY);
	assert_int_equal(sync_errno(w->dev, HEAPSIM_SYNC_EVENT, w->event),
			 -EBUSY);
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_BEGIN, second),
			 -EBUSY);
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_RETURN, first),
			 -EBUSY);
	host_begin(w, first);
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_BEGIN, first),
			 -EBUSY);
	host_return(w, first);
	host_begin(w, second);
	host_return(w, second);
	sync_device(w);
}

static void an_answer_that_cannot_be_given_leaves_nothing(void **state)
{
	const struct heapsim_host_op host = { .size = sizeof(host) };
	const struct heapsim_work_op op = { .size = sizeof(op) };
	struct world *w = *state;
	void *ask = mmap(NULL, w->page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t lowest = submit(w, w->a);
	uint64_t id;
	int i;

	begin(w, lowest);
	end(w, lowest);
	memcpy(ask, &host, sizeof(host));
	assert_int_equal(mprotect(ask, w->page, PROT_READ), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(device_ioctl_errno(w->dev,
						    HEAPSIM_IOC_HOST_SUBMIT,
						    ask), -EFAULT);
	assert_int_equal(mprotect(ask, w->page, PROT_READ | PROT_WRITE), 0);
	memcpy(ask, &op, sizeof(op));
	assert_int_equal(mprotect(ask, w->page, PROT_READ), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(device_ioctl_errno(w->dev,
						    HEAPSIM_IOC_WORK_SUBMIT,
						    ask), -EFAULT);
	/* nothing was submitted, and the lowest id is free again */
	sync_device(w);
	id = submit(w, w->a);
	assert_int_equal(id, lowest);
	device_unmap(ask, w->page);
}

/* The end */

static void buffers_of_a_closed_context_are_the_cpus(void **state)
{
	struct world *w = *state;
	uint64_t id = submit(w, w->a);

	begin(w, id);
	w->global.view[0] = 3;
	host_function(w, w->b);
	attach(w, w->a, &w->host, HEAPSIM_ATTACH_SINGLE);
	submit(w, w->a);
	if (!w->is_concurrent)
		assert_false(cpu_reads(w->global.map, NULL));
	close(w->dev);
	w->dev = -1;
	assert_true(cpu_reads(w->global.map, NULL));
	assert_true(cpu_writes(w->host.map, 1));
	assert_int_equal(w->global.view[0], 3);
	w->global.view[w->page] = 4;
}

/* A freed buffer must leave no pages to the remaining ones. */
static void views_of_a_closed_context_are_stored_to(void **state)
{
	struct world *w = *state;
	struct managed gone = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
					     HEAPSIM_ATTACH_GLOBAL, w->page);
	struct managed fresh[8];
	unsigned int i;

	close(w->dev);
	w->dev = device_open();
	w->global.view[0] = 1;
	gone.view[0] = 2;
	managed_destroy(&gone);
	/* New buffers may reuse the freed memory. */
	for (i = 0; i < ARRAY_SIZE(fresh); i++)
		fresh[i] = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
					  HEAPSIM_ATTACH_GLOBAL, w->page);
	w->host.view[0] = 3;
	assert_int_equal(w->global.view[0], 1);
	assert_int_equal(w->host.view[0], 3);
	for (i = 0; i < ARRAY_SIZE(fresh); i++)
		managed_destroy(&fresh[i]);
}

/* Runs stream operations until the process is killed. */
static int works_on(void *arg)
{
	struct world *w = arg;
	uint64_t id, event = event_create(w->dev);
	unsigned int i;

	for (i = 0;; i++) {
		uint64_t stream = stream_create(w->dev, i & 1);
		struct managed m = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
						  HEAPSIM_ATTACH_GLOBAL,
						  2 * w->page);

		work_submit_errno(w->dev, stream, "gpu", &id);
		attach_errno(w->dev, stream, m.id, HEAPSIM_ATTACH_SINGLE);
		work_errno(w->dev, HEAPSIM_IOC_WORK_BEGIN, id);
		m.view[i % w->page] = i;
		event_errno(w->dev, HEAPSIM_IOC_EVENT_RECORD, event, stream);
		cpu_writes(m.map, 1);
		if (i & 2)
			work_errno(w->dev, HEAPSIM_IOC_WORK_END, id);
		if (i & 4)
			sync_errno(w->dev, HEAPSIM_SYNC_EVENT, event);
		stream_destroy_errno(w->dev, stream);
		managed_destroy(&m);
	}
	return 0;
}

static void a_killed_program_leaves_nothing(void **state)
{
	struct world *w = *state;
	struct heapsim_info before = device_info(w->dev), after;
	unsigned int i, tries;
	int status;
	pid_t pid;

	for (i = 0; i < 12; i++) {
		pid = fork();
		if (!pid) {
			struct world mine = *w;

			mine.dev = device_open();
			_exit(works_on(&mine));
		}
		device_sleep_ns((5 + 13 * i) * NSEC_PER_MSEC);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
	}
	for (tries = 0; tries < 500; tries++) {
		after = device_info(w->dev);
		if (after.nr_bufs == before.nr_bufs &&
		    after.cpu_bytes == before.cpu_bytes)
			break;
		device_sleep_ns(10 * NSEC_PER_MSEC);
	}
	assert_int_equal(after.nr_bufs, before.nr_bufs);
	assert_int_equal(after.cpu_bytes, before.cpu_bytes);
	assert_int_equal(after.buf_bytes, before.buf_bytes);
}

#define NR_ATTACHED	300

/**
 * struct hurry - a thread that calls one command after the other
 * @dev: open
 * @event: event of it
 * @nr: calls that have returned
 * @ends: it stops
 */
struct hurry {
	int dev;
	uint64_t event;
	atomic_ulong nr;
	atomic_bool ends;
};

static void *record_in_a_hurry(void *arg)
{
	struct hurry *hurry = arg;

	while (!atomic_load(&hurry->ends) &&
	       !event_errno(hurry->dev, HEAPSIM_IOC_EVENT_RECORD, hurry->event,
			    0))
		atomic_fetch_add(&hurry->nr, 1);
	return atomic_load(&hurry->ends) ? NULL : hurry;
}

/*
 * A submission needs memory for each buffer with an attach in flight. Other
 * commands of the context free what is spare, but not that.
 */
static void a_command_gets_its_memory_whatever_others_call(void **state)
{
	struct world *w = *state;
	struct hurry hurry = { .dev = w->dev, .event = event_create(w->dev) };
	struct heapsim_buf_alloc bufs[NR_ATTACHED];
	uint64_t stream = stream_create(w->dev, 0), id;
	unsigned long least = ULONG_MAX, nr;
	pthread_t thread;
	void *failure;
	size_t i;

	for (i = 0; i < NR_ATTACHED; i++) {
		bufs[i] = (struct heapsim_buf_alloc) { .len = 1 };
		assert_int_equal(managed_alloc_errno(w->dev,
						     HEAPSIM_KIND_MANAGED,
						     HEAPSIM_ATTACH_GLOBAL, 0,
						     &bufs[i]), 0);
		assert_int_equal(attach_errno(w->dev, stream, bufs[i].id,
					      HEAPSIM_ATTACH_SINGLE), 0);
	}
	assert_int_equal(pthread_create(&thread, NULL, record_in_a_hurry,
					&hurry), 0);
	for (i = 0; i < 10; i++) {
		while (!atomic_load(&hurry.nr))
			;
		nr = atomic_load(&hurry.nr);
		assert_int_equal(work_submit_errno(w->dev, stream, "gpu", &id),
				 0);
		nr = atomic_load(&hurry.nr) - nr;
		print_message("%lu\n", nr);
		least = nr < least ? nr : least;
	}
	atomic_store(&hurry.ends, true);
	assert_int_equal(pthread_join(thread, &failure), 0);
	assert_null(failure);
	assert_true(least < 10 * NR_ATTACHED);
	for (i = 0; i < NR_ATTACHED; i++)
		close(bufs[i].fd);
}

static void *submits(void *arg)
{
	struct world *w = arg;
	unsigned int i;
	uint64_t id;

	for (i = 0; i < 300; i++) {
		uint64_t stream = stream_create(w->dev, i & 1);

		if (work_submit_errno(w->dev, stream, "gpu", &id) ||
		    attach_errno(w->dev, stream, w->global.id,
				 i & 2 ? HEAPSIM_ATTACH_SINGLE :
					 HEAPSIM_ATTACH_GLOBAL) ||
		    work_errno(w->dev, HEAPSIM_IOC_WORK_BEGIN, id))
			return arg;
		w->global.view[(i * 61) % w->global.len] = i;
		if (work_errno(w->dev, HEAPSIM_IOC_WORK_END, id) ||
		    sync_errno(w->dev, HEAPSIM_SYNC_STREAM, stream) ||
		    stream_destroy_errno(w->dev, stream))
			return arg;
	}
	return NULL;
}

static void many_threads_are_served(void **state)
{
	struct world *w = *state;
	pthread_t threads[4];
	void *failed = NULL, *one;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, submits, w),
				 0);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &one);
		failed = failed ? failed : one;
	}
	assert_null(failed);
	sync_device(w);
	cpu_may(w, &w->global);
}

#define NR_STORED	8	/* buffers */

/**
 * struct storer - a thread that stores to device views
 * @bufs: buffers
 * @until: time at which the thread gives up
 * @is_stopped: the thread must end
 * @nr_rounds: number of rounds of stores to all buffers
 */
struct storer {
	struct managed bufs[NR_STORED];
	uint64_t until;
	bool is_stopped;
	unsigned long nr_rounds;
};

static void *store_until_stopped(void *arg)
{
	struct storer *storer = arg;
	unsigned int i;

	while (!__atomic_load_n(&storer->is_stopped, __ATOMIC_ACQUIRE) &&
	       device_now_ns() < storer->until) {
		for (i = 0; i < NR_STORED; i++)
			storer->bufs[i].view[0]++;
		__atomic_fetch_add(&storer->nr_rounds, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Stores after the end of a work count for the next one. */
static void a_work_ends_while_a_thread_stores(void **state)
{
	struct storer storer = { .until = device_now_ns() + 60 * NSEC_PER_SEC };
	struct world *w = *state;
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < NR_STORED; i++)
		storer.bufs[i] = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
						HEAPSIM_ATTACH_GLOBAL, w->page);
	assert_int_equal(pthread_create(&thread, NULL, store_until_stopped,
					&storer), 0);
	while (__atomic_load_n(&storer.nr_rounds, __ATOMIC_ACQUIRE) < 10)
		usleep(1000);
	for (i = 0; i < 20; i++)
		work(w, w->a);
	assert_true(device_now_ns() < storer.until);
	__atomic_store_n(&storer.is_stopped, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	for (i = 0; i < NR_STORED; i++)
		managed_destroy(&storer.bufs[i]);
}

#define NR_BEHIND	1000
#define NR_WAITS	20000

/*
 * The return of a host function must walk all waits once, however many streams
 * wait for it.
 */
static void a_return_takes_less_than_what_is_behind_it(void **state)
{
	uint64_t held, busy, last, host, other, s, begun, returned, set_up;
	struct world *w = *state;
	unsigned int i;

	begun = device_now_ns();
	held = event_create(w->dev);
	busy = event_create(w->dev);
	last = event_create(w->dev);
	/* Since another function has not returned, each stream is checked. */
	assert_int_equal(host_submit_errno(w->dev, w->c, &other), 0);
	s = stream_create(w->dev, HEAPSIM_STREAM_NON_BLOCKING);
	assert_int_equal(host_submit_errno(w->dev, s, &host), 0);
	record(w, held, s);
	submit(w, w->b);
	record(w, busy, w->b);
	for (i = 0; i < NR_WAITS; i++)
		wait_for(w, w->a, busy);
	wait_for(w, w->a, held);
	record(w, last, w->a);
	for (i = 0; i < NR_BEHIND; i++) {
		s = stream_create(w->dev, HEAPSIM_STREAM_NON_BLOCKING);
		wait_for(w, s, last);
		submit(w, s);
	}
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_BEGIN, host), 0);
	set_up = device_now_ns() - begun;
	begun = device_now_ns();
	assert_int_equal(host_errno(w->dev, HEAPSIM_IOC_HOST_RETURN, host), 0);
	returned = device_now_ns() - begun;
	print_message("# %lu us of %lu us\n", returned / 1000, set_up / 1000);
	assert_true(returned < set_up / 16);
}

static void objects_of_a_user_are_limited(void **state)
{
	struct world *w = *state;
	struct heapsim_event_op op;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 300000 && !ret; i++) {
		op = (struct heapsim_event_op) { .size = sizeof(op) };
		ret = device_ioctl_errno(w->dev, HEAPSIM_IOC_EVENT_CREATE, &op);
	}
	assert_int_equal(ret, -EBUSY);
	assert_true(i > 200000);
	/* existing events still work, and a destroyed one makes room */
	assert_int_equal(event_errno(w->dev, HEAPSIM_IOC_EVENT_DESTROY, i / 2,
				     0), 0);
	stream_create(w->dev, 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(host_attached_buffer_is_the_cpus_alone),
		TEST(global_buffer_is_the_cpus_when_no_stream_is_active),
		TEST(single_buffer_is_the_cpus_when_its_stream_is_idle),
		TEST(single_to_the_null_stream_is_not_for_blocking_ones),
		TEST(a_global_buffer_made_while_active_waits),
		TEST(work_is_done_when_the_host_knows_and_not_before),
		TEST(event_covers_what_was_before_its_record),
		TEST(a_wait_for_something_ordered_after_will_do),
		TEST(null_stream_takes_in_blocking_streams),
		TEST(start_of_a_host_function_is_a_wait),
		TEST(work_behind_a_host_function_is_not_active),
		TEST(an_attach_takes_rights_away_at_the_call),
		TEST(an_attach_gives_rights_once_known_done),
		TEST(a_job_is_judged_by_what_is_ordered_before_it),
		TEST(default_comes_back_with_the_streams_end),
		TEST(default_does_not_come_back_before_that),
		TEST(an_event_for_the_end_is_no_operation),
		TEST(a_late_touch_is_judged_as_of_the_submission),
		TEST(a_late_touch_knows_its_stream_when_that_is_gone),
		TEST(a_wrong_touch_says_which_state_and_counts),
		TEST(engine_sees_what_the_cpu_wrote_when_it_begins),
		TEST(cpu_sees_what_the_engine_wrote_when_it_has_waited),
		TEST(lines_that_the_engine_wrote_are_stale),
		TEST(each_work_is_told_of_its_own_stores),
		TEST(a_work_sees_what_a_host_function_before_it_wrote),
		TEST(a_work_sees_it_behind_one_that_has_begun),
		TEST(what_the_cpu_stored_before_a_work_began_stays),
		TEST(a_prefetch_waits_for_the_works_before_it),
		TEST(hints_keep_what_the_cpu_wrote),
		TEST(pinned_memory_is_everybodys),
		TEST(device_memory_is_not_the_cpus),
		TEST(device_memory_is_recorded_and_goes_on),
		TEST(with_policy_off_nothing_is_looked_at),
		TEST(system_calls_are_refused_with_efault),
		TEST(debuggers_see_device_views),
		TEST(a_bracket_may_be_open_at_the_end_of_a_buffer),
		TEST(a_right_that_ends_ends_in_all_processes),
		TEST(records_name_stream_work_and_state),
		TEST(records_tell_attaches_the_newest_first),
		TEST(what_is_malformed_is_einval),
		TEST(what_is_not_there_is_enoent),
		TEST(a_buffer_of_another_context_is_enoent),
		TEST(what_cannot_be_now_is_ebusy),
		TEST(an_answer_that_cannot_be_given_leaves_nothing),
		TEST(buffers_of_a_closed_context_are_the_cpus),
		TEST(views_of_a_closed_context_are_stored_to),
		TEST(a_killed_program_leaves_nothing),
		TEST(many_threads_are_served),
		TEST(a_command_gets_its_memory_whatever_others_call),
		TEST(a_work_ends_while_a_thread_stores),
		TEST(a_return_takes_less_than_what_is_behind_it),
		TEST(objects_of_a_user_are_limited),
	};

	return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
