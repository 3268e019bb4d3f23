// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs random programs on the real module and on the reference model of managed
 * memory. After each command the counters and the CPU's rights must be equal;
 * accesses by the CPU must succeed or fail as in the reference; and accesses of
 * a work, also late ones, must be judged as the reference did at its
 * submission. SEED= runs one seed only, ROUNDS= is the number of seeds, STEPS=
 * the length.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../model/attach_ref.h"
#include "../model/steps.h"
#include "../env.h"
#include "stream.h"

#define NR_STREAMS	5	/* existing at a time; the first is NULL */
#define NR_BUFS		4
#define NR_EVENTS	3
#define NR_HOSTS	3
#define NR_WORKS	6

/**
 * struct buf - a buffer on both sides
 * @m: buffer of the module
 * @ref: number in the reference
 * @exists: the slot is in use
 */
struct buf {
	struct managed m;
	int ref;
	bool exists;
};

/**
 * struct stream - a stream on both sides
 * @id: id in the module
 * @ref: number in the reference
 * @exists: the slot is in use
 */
struct stream {
	uint64_t id;
	int ref;
	bool exists;
};

/**
 * struct function - a host function on both sides
 * @id: id in the module
 * @ref: number in the reference
 * @exists: the function has not returned
 */
struct function {
	uint64_t id;
	size_t ref;
	bool exists;
};

/**
 * struct job - a work, and the reference's rights at its submission
 * @id: id in the module
 * @exists: the work has not ended
 * @has_begun: the work has begun
 * @may: for each number of a buffer in the reference: 1: the work may use it,
 *	2: it may not, 0: there was no such buffer
 */
struct job {
	uint64_t id;
	bool exists;
	bool has_begun;
	uint8_t may[ATTACH_REF_BUFS];
};

/**
 * struct run - a program while it runs
 * @steps: steps of the program
 * @dev: context
 * @ref: the reference
 * @page: page size in bytes
 * @streams: existing streams
 * @bufs: existing buffers
 * @events: ids in the module; the reference counts from 0
 * @hosts: functions that have not returned
 * @jobs: works that have not ended
 */
struct run {
	struct steps steps;
	int dev;
	struct attach_ref *ref;
	size_t page;
	struct stream streams[NR_STREAMS];
	struct buf bufs[NR_BUFS];
	uint64_t events[NR_EVENTS];
	struct function hosts[NR_HOSTS];
	struct job jobs[NR_WORKS];
};

static size_t below(struct run *run, size_t bound)
{
	return steps_draw(&run->steps, bound);
}

static void log_step(struct run *run, const char *what, int a, int b)
{
	steps_log(&run->steps, "%s %d %d", what, a, b);
}

static void equal(const struct run *run, const char *what, uint64_t have,
		  uint64_t want)
{
	if (have == want)
		return;
	steps_print(&run->steps, stdout);
	fail_msg("%s: %llu, reference %llu; SEED=%#llx", what,
		 (unsigned long long)have, (unsigned long long)want,
		 (unsigned long long)run->steps.seed);
}

static void compare_buf(struct run *run, const struct buf *b)
{
	const struct attach_ref_count *want = &run->ref->bufs[b->ref].count;
	const struct heapsim_attach_info info = attach_info(run->dev, b->m.id);
	const struct heapsim_attach_counters *have = &info.count;

	equal(run, "CPU may", info.is_cpu_allowed,
	      attach_ref_cpu_may(run->ref, b->ref));
	equal(run, "revoked", have->revoked, want->revoked);
	equal(run, "restored", have->restored, want->restored);
	equal(run, "cleans", have->cleans, want->cleans);
	equal(run, "cleaned bytes", have->cleaned_bytes,
	      want->cleans * b->m.len);
	equal(run, "CPU invalidates", have->cpu_invalidates,
	      want->cpu_invalidates);
	equal(run, "GPU cleans", have->gpu_cleans, want->gpu_cleans);
	equal(run, "GPU invalidates", have->gpu_invalidates,
	      want->gpu_invalidates);
	equal(run, "prefetches to CPU", have->prefetches_to_cpu, want->to_cpu);
	equal(run, "prefetches to GPU", have->prefetches_to_gpu, want->to_gpu);
}

static void compare(struct run *run)
{
	size_t i;

	for (i = 0; i < NR_BUFS; i++)
		if (run->bufs[i].exists)
			compare_buf(run, &run->bufs[i]);
}

static struct stream *some_stream(struct run *run)
{
	struct stream *s = &run->streams[below(run, NR_STREAMS)];

	return s->exists ? s : &run->streams[0];
}

static struct buf *some_buf(struct run *run)
{
	struct buf *b = &run->bufs[below(run, NR_BUFS)];

	return b->exists ? b : NULL;
}

static void step_stream(struct run *run)
{
	struct stream *s = &run->streams[1 + below(run, NR_STREAMS - 1)];
	bool is_blocking = below(run, 2);

	if (s->exists) {
		log_step(run, "destroy stream", s->ref, 0);
		equal(run, "destroy", stream_destroy_errno(run->dev, s->id),
		      attach_ref_stream_destroy(run->ref, s->ref));
		s->exists = false;
		return;
	}
	log_step(run, "create stream", run->ref->nr_streams, is_blocking);
	s->id = stream_create(run->dev, is_blocking ? 0 :
			      HEAPSIM_STREAM_NON_BLOCKING);
	s->ref = attach_ref_stream_create(run->ref, is_blocking);
	s->exists = true;
}

static void step_buf(struct run *run)
{
	struct buf *b = &run->bufs[below(run, NR_BUFS)];
	bool is_host = below(run, 2);

	if (!b->exists) {
		log_step(run, "create buffer", run->ref->nr_bufs, is_host);
		b->m = managed_create(run->dev, HEAPSIM_KIND_MANAGED,
				      is_host ? HEAPSIM_ATTACH_HOST :
						HEAPSIM_ATTACH_GLOBAL,
				      (1 + below(run, 3)) * run->page);
		b->ref = attach_ref_buf_create(run->ref, is_host ?
					       ATTACH_REF_HOST :
					       ATTACH_REF_GLOBAL);
		b->exists = true;
		return;
	}
	if (below(run, 4))
		return;
	log_step(run, "destroy buffer", b->ref, 0);
	managed_destroy(&b->m);
	attach_ref_buf_destroy(run->ref, b->ref);
	b->exists = false;
}

static void job_submit(struct run *run, struct job *job)
{
	struct stream *s = some_stream(run);
	size_t i;

	log_step(run, "submit", s->ref, (int)(job - run->jobs));
	for (i = 0; i < NR_BUFS; i++)
		if (run->bufs[i].exists)
			job->may[run->bufs[i].ref] =
				attach_ref_job_may(run->ref, s->ref,
						   run->bufs[i].ref) ? 1 : 2;
	equal(run, "submit", work_submit_errno(run->dev, s->id, "", &job->id),
	      attach_ref_work(run->ref, s->ref));
	job->exists = true;
	job->has_begun = false;
}

/* The reference does not know rights to buffers made after the submission. */
static void job_touch(struct run *run, struct job *job)
{
	struct heapsim_work_touch touch;
	struct buf *b = some_buf(run);
	uint64_t before;

	if (!b || !job->may[b->ref])
		return;
	log_step(run, "touch", (int)(job - run->jobs), b->ref);
	before = attach_info(run->dev, b->m.id).count.engine_not_attached;
	assert_int_equal(work_touch_errno(run->dev, job->id, b->m.id, &touch),
			 0);
	equal(run, "job may", touch.is_allowed, job->may[b->ref] == 1);
	equal(run, "counted", attach_info(run->dev, b->m.id).count
	      .engine_not_attached, before + !touch.is_allowed);
}

static void step_job(struct run *run)
{
	struct job *job = &run->jobs[below(run, NR_WORKS)];

	if (!job->exists) {
		job_submit(run, job);
	} else if (below(run, 3)) {
		job_touch(run, job);
	} else if (!job->has_begun) {
		log_step(run, "begin", (int)(job - run->jobs), 0);
		assert_int_equal(work_errno(run->dev, HEAPSIM_IOC_WORK_BEGIN,
					    job->id), 0);
		job->has_begun = true;
	} else {
		log_step(run, "end", (int)(job - run->jobs), 0);
		assert_int_equal(work_errno(run->dev, HEAPSIM_IOC_WORK_END,
					    job->id), 0);
		memset(job, 0, sizeof(*job));
	}
}

static void step_attach(struct run *run)
{
	static const uint32_t attaches[] = {
		[ATTACH_REF_GLOBAL] = HEAPSIM_ATTACH_GLOBAL,
		[ATTACH_REF_HOST] = HEAPSIM_ATTACH_HOST,
		[ATTACH_REF_SINGLE] = HEAPSIM_ATTACH_SINGLE,
	};
	enum attach_ref_kind kind = below(run, 3);
	struct stream *s = some_stream(run);
	struct buf *b = some_buf(run);

	if (!b)
		return;
	log_step(run, kind == ATTACH_REF_SINGLE ? "attach single" :
		 kind == ATTACH_REF_HOST ? "attach host" : "attach global",
		 s->ref, b->ref);
	equal(run, "attach",
	      attach_errno(run->dev, s->id, b->m.id, attaches[kind]),
	      attach_ref_attach(run->ref, s->ref, b->ref, kind));
}

/* Where the model returns EINVAL, the command returns EBUSY. */
static int busy(int err)
{
	return err ? -EBUSY : 0;
}

static void step_host(struct run *run)
{
	struct function *f = &run->hosts[below(run, NR_HOSTS)];
	struct stream *s = some_stream(run);
	int ret;

	if (run->steps.seed % 3 == 0)
		return;
	if (!f->exists) {
		log_step(run, "host function", s->ref, 0);
		equal(run, "host", host_submit_errno(run->dev, s->id, &f->id),
		      attach_ref_host(run->ref, s->ref, &f->ref));
		f->exists = true;
	} else if (below(run, 2)) {
		log_step(run, "begin function", (int)f->ref, 0);
		equal(run, "begin function",
		      host_errno(run->dev, HEAPSIM_IOC_HOST_BEGIN, f->id),
		      busy(attach_ref_host_begin(run->ref, f->ref)));
	} else {
		log_step(run, "return", (int)f->ref, 0);
		ret = host_errno(run->dev, HEAPSIM_IOC_HOST_RETURN, f->id);
		equal(run, "return", ret,
		      busy(attach_ref_host_return(run->ref, f->ref)));
		f->exists = ret;
	}
}

static void step_event(struct run *run)
{
	int event = (int)below(run, NR_EVENTS);
	struct stream *s = some_stream(run);

	if (below(run, 2)) {
		log_step(run, "record", event, s->ref);
		equal(run, "record",
		      event_errno(run->dev, HEAPSIM_IOC_EVENT_RECORD,
				  run->events[event], s->id),
		      attach_ref_record(run->ref, event, s->ref));
		return;
	}
	log_step(run, "wait", s->ref, event);
	equal(run, "wait", event_errno(run->dev, HEAPSIM_IOC_EVENT_WAIT,
				       run->events[event], s->id),
	      attach_ref_wait(run->ref, s->ref, event));
}

static void step_sync(struct run *run)
{
	int event = (int)below(run, NR_EVENTS);
	struct stream *s = some_stream(run);

	switch (below(run, 5)) {
	case 0:
		log_step(run, "sync device", 0, 0);
		equal(run, "sync device",
		      sync_errno(run->dev, HEAPSIM_SYNC_DEVICE, 0),
		      attach_ref_sync_device(run->ref));
		break;
	case 1:
		log_step(run, "sync event", event, 0);
		equal(run, "sync event",
		      sync_errno(run->dev, HEAPSIM_SYNC_EVENT,
				 run->events[event]),
		      attach_ref_sync_event(run->ref, event));
		break;
	default:
		log_step(run, "sync stream", s->ref, 0);
		equal(run, "sync stream",
		      sync_errno(run->dev, HEAPSIM_SYNC_STREAM, s->id),
		      attach_ref_sync_stream(run->ref, s->ref));
	}
}

/* Real accesses, and thus page tables, must agree with the reference. */
static void step_touch(struct run *run)
{
	struct buf *b = some_buf(run);
	uint64_t before;
	size_t off;
	bool may;

	if (!b)
		return;
	off = below(run, b->m.len);
	may = attach_ref_cpu_may(run->ref, b->ref);
	log_step(run, "CPU touches", b->ref, may);
	before = attach_info(run->dev, b->m.id).count.cpu_while_active;
	equal(run, "touch", below(run, 2) ? cpu_reads(b->m.map + off, NULL) :
					    cpu_writes(b->m.map + off, 1), may);
	equal(run, "touches refused", attach_info(run->dev, b->m.id).count
	      .cpu_while_active, before + !may);
}

static void step(struct run *run)
{
	size_t what = below(run, 100);

	if (what < 7)
		step_stream(run);
	else if (what < 13)
		step_buf(run);
	else if (what < 35)
		step_job(run);
	else if (what < 52)
		step_attach(run);
	else if (what < 62)
		step_host(run);
	else if (what < 74)
		step_event(run);
	else if (what < 85)
		step_sync(run);
	else
		step_touch(run);
}

static enum attach_ref_board board_of(const struct heapsim_probe *probe)
{
	if (!strcmp(probe->soc, "thor"))
		return ATTACH_REF_CONCURRENT;
	return probe->io_coherent ? ATTACH_REF_IO_COHERENT :
				    ATTACH_REF_NONCOHERENT;
}

static void play_seed(uint64_t seed, uint64_t nr_steps)
{
	static struct run run;
	struct heapsim_probe probe;
	uint64_t i;

	memset(&run, 0, sizeof(run));
	steps_begin(&run.steps, seed);
	run.dev = device_open();
	probe = device_probe(run.dev);
	run.page = probe.page_size;
	run.ref = attach_ref_create(board_of(&probe));
	run.streams[0].exists = true;
	for (i = 0; i < NR_EVENTS; i++)
		run.events[i] = event_create(run.dev);
	for (i = 0; i < nr_steps; i++) {
		step(&run);
		compare(&run);
	}
	/* half of the runs close the context with operations in flight */
	if (seed % 2)
		close(run.dev);
	for (i = 0; i < NR_BUFS; i++)
		if (run.bufs[i].exists)
			managed_destroy(&run.bufs[i].m);
	if (!(seed % 2))
		close(run.dev);
	attach_ref_destroy(run.ref);
}

static void the_module_equals_the_reference(void **state)
{
	const uint64_t only = env_or("SEED", 0);
	const uint64_t nr_rounds = only ? 1 : env_or("ROUNDS", 60);
	uint64_t i;

	for (i = 0; i < nr_rounds; i++)
		play_seed(only ? only : 1 + i, env_or("STEPS", 150));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_module_equals_the_reference),
	};

	return cmocka_run_group_tests_name("stream_random", tests, NULL, NULL);
}
