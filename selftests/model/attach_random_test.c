// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs random programs on the model of managed memory and its reference. After
 * each call all verdicts, active streams and counters must be equal, and act
 * must have been called for all operations that are due. SEED= runs one seed
 * only, ROUNDS= is the number of seeds, STEPS= the length.
 *
 * Each program runs for two hosts: one that is called for each buffer, and one
 * that keeps groups, is called for streams, and revokes pages and drops lines
 * only of buffers in its lists. Buffers that are not in these lists must not
 * have such pages or lines.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <profile.h>

#include "attach_run.h"
#include "sequence.h"

static void log_step(struct run *run, const char *what, int a, int b)
{
	steps_log(&run->steps, "%s %d %d", what, a, b);
}

static void compare_acts(struct run *run, struct buf *b)
{
	const struct attach_ref_count *want = &run->ref->bufs[b->ref].count;

	equal(run, "act revoke", acted(b, ATTACH_REVOKE), want->revoked);
	equal(run, "act restore", acted(b, ATTACH_RESTORE), want->restored);
	equal(run, "act GPU clean", acted(b, ATTACH_GPU_CLEAN),
	      want->gpu_cleans);
	equal(run, "act CPU invalidate", acted(b, ATTACH_CPU_INVALIDATE),
	      want->cpu_invalidates);
}

static void add_counters(struct attach_counters *sum,
			 const struct attach_counters *count)
{
	const u64 *from = (const u64 *)count;
	u64 *to = (u64 *)sum;
	size_t i;

	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

static void compare_buf(struct run *run, struct buf *b,
			struct attach_counters *sum)
{
	const struct attach_ref_count *want = &run->ref->bufs[b->ref].count;
	struct attach_counters have;
	u64 len = b->model.right.len;

	attach_buf_counters(&run->ctx, &b->model, &have);
	add_counters(sum, &have);
	equal(run, "revoked", have.revoked, want->revoked);
	equal(run, "restored", have.restored, want->restored);
	equal(run, "cleans", have.cleans, want->cleans);
	equal(run, "CPU invalidates", have.cpu_invalidates,
	      want->cpu_invalidates);
	equal(run, "GPU cleans", have.gpu_cleans, want->gpu_cleans);
	equal(run, "GPU invalidates", have.gpu_invalidates,
	      want->gpu_invalidates);
	equal(run, "prefetches to CPU", have.prefetches_to_cpu, want->to_cpu);
	equal(run, "prefetches to GPU", have.prefetches_to_gpu, want->to_gpu);
	equal(run, "cleaned bytes", have.cleaned_bytes, len * want->cleans);
	equal(run, "CPU invalidated bytes", have.cpu_invalidated_bytes,
	      len * want->cpu_invalidates);
	equal(run, "GPU cleaned bytes", have.gpu_cleaned_bytes,
	      len * want->gpu_cleans);
	equal(run, "GPU invalidated bytes", have.gpu_invalidated_bytes,
	      len * want->gpu_invalidates);
	if (groups_are_used(run))
		groups_compare(run, b);
	else
		compare_acts(run, b);
	equal(run, "act prefetch to CPU", acted(b, ATTACH_PREFETCH_TO_CPU),
	      want->to_cpu);
	equal(run, "act prefetch to GPU", acted(b, ATTACH_PREFETCH_TO_GPU),
	      want->to_gpu);
}

static void compare(struct run *run)
{
	struct attach_counters sum = run->gone;
	size_t i;

	for (i = 0; i < NR_STREAMS; i++)
		if (run->streams[i].model)
			equal(run, "active", run->streams[i].model->is_active,
			      attach_ref_is_active(run->ref,
						   run->streams[i].ref));
	for (i = 0; i < NR_BUFS; i++) {
		struct buf *b = &run->bufs[i];

		if (!b->exists)
			continue;
		equal(run, "CPU may", !attach_is_revoked(&b->model),
		      attach_ref_cpu_may(run->ref, b->ref));
		compare_buf(run, b, &sum);
		b->may_be_dirty |= !attach_is_revoked(&b->model);
		b->told = 0;
	}
	if (memcmp(&sum, &run->ctx.count, sizeof(sum)))
		failed(run, "sum of all counters", 0, 0);
}

/* Compares the verdicts that a job of each stream would get now. */
static void compare_jobs(struct run *run)
{
	size_t i, j;

	for (i = 0; i < NR_STREAMS; i++)
		for (j = 0; j < NR_BUFS; j++) {
			struct stream *s = &run->streams[i];
			struct buf *b = &run->bufs[j];

			if (s->model && b->exists)
				equal(run, "job may",
				      attach_judge_job(&run->ctx, s->model,
						       &b->model, NULL) ==
				      ATTACH_ALLOWED,
				      attach_ref_job_may(run->ref, s->ref,
							 b->ref));
		}
}

/* Compares what an operation of each stream would be behind now. */
static void compare_order(struct run *run)
{
	size_t i, j;

	for (i = 0; i < NR_STREAMS; i++)
		for (j = 0; j < NR_STREAMS; j++) {
			struct stream *s = &run->streams[i];
			struct stream *other = &run->streams[j];
			size_t last;

			if (!s->model || !other->model || !other->model->last)
				continue;
			last = run->ref->streams[other->ref].last;
			equal(run, "is behind",
			      attach_behind(&run->ctx, s->model,
					    other->model) >=
			      other->model->last,
			      run->ref->ops[last - 1].is_known ||
			      attach_ref_is_before(run->ref, last - 1, s->ref));
		}
}

static void give_op(struct run *run)
{
	struct attach_op *op = malloc(sizeof(*op));

	assert_non_null(op);
	attach_give_op(&run->ctx, op);
	run->nr_ops++;
}

/*
 * Returns true to retry a call that failed without effect for lack of memory.
 */
static bool try_again(struct run *run, int ret)
{
	if (ret != -ENOMEM)
		return false;
	compare(run);
	give_op(run);
	return true;
}

/* Takes streams and operations back from the model, up to a number. */
static void take_back(struct run *run, size_t nr)
{
	struct attach_stream *s;
	struct attach_op *op;

	while ((s = attach_take_stream(&run->ctx))) {
		free(s);
		run->nr_given--;
	}
	while (nr-- && (op = attach_take_op(&run->ctx))) {
		free(op);
		run->nr_ops--;
	}
}

static struct stream *some_stream(struct run *run)
{
	struct stream *s = &run->streams[below(run, NR_STREAMS)];

	return s->model ? s : &run->streams[0];
}

static struct buf *some_buf(struct run *run)
{
	return &run->bufs[below(run, NR_BUFS)];
}

static void step_stream(struct run *run)
{
	struct stream *s = &run->streams[1 + below(run, NR_STREAMS - 1)];
	enum attach_stream_kind kind = below(run, 3);
	struct own *own;
	int ret;

	if (!s->model) {
		log_step(run, "create stream", run->ref->nr_streams, kind);
		own = malloc(sizeof(*own));
		assert_non_null(own);
		right_group_init(&own->group);
		s->model = &own->model;
		run->nr_given++;
		attach_stream_create(&run->ctx, s->model, kind);
		s->ref = attach_ref_stream_create(run->ref,
						  s->model->is_blocking,
						  s->model->is_foreign);
		return;
	}
	log_step(run, "destroy stream", s->ref, 0);
	do {
		ret = attach_stream_destroy(&run->ctx, s->model);
	} while (try_again(run, ret));
	equal(run, "destroy", ret, attach_ref_stream_destroy(run->ref, s->ref));
	s->model = NULL;
}

static void step_buf(struct run *run)
{
	struct buf *b = some_buf(run);
	enum attach_kind kind = below(run, 2) ? ATTACH_HOST : ATTACH_GLOBAL;

	if (!b->exists) {
		log_step(run, "create buffer", run->ref->nr_bufs, kind);
		memset(b, 0, sizeof(*b));
		b->exists = true;
		attach_buf_create(&run->ctx, &b->model, 1 + below(run, 9000),
				  kind);
		right_buf_init(&b->right, b->model.right.len);
		if (groups_are_used(run))
			groups_join(run, b);
		b->ref = attach_ref_buf_create(run->ref,
					       (enum attach_ref_kind)kind);
		return;
	}
	if (below(run, 3))
		return;
	log_step(run, "destroy buffer", b->ref, 0);
	compare_buf(run, b, &run->gone);
	right_leave(&b->right);
	attach_buf_destroy(&run->ctx, &b->model);
	attach_ref_buf_destroy(run->ref, b->ref);
	b->exists = false;
}

/* Ends a job of a foreign stream, in whose place there may be a new one. */
static void foreign_replace(struct run *run, struct attach_stream *s)
{
	struct attach_stream **slot = &run->foreign[below(run, NR_FOREIGN)];

	if (*slot)
		attach_end_work(&run->ctx, *slot);
	*slot = s;
}

static void step_work(struct run *run)
{
	const u32 due = run->ctx.class == ATTACH_NONCOHERENT ?
		ATTACH_CLEAN | ATTACH_GPU_INVALIDATE : ATTACH_GPU_INVALIDATE;
	struct stream *s = some_stream(run);
	bool is_visible[NR_BUFS];
	size_t i;
	int ret;

	log_step(run, "work", s->ref, 0);
	for (i = 0; i < NR_BUFS; i++)
		is_visible[i] = run->bufs[i].exists &&
			attach_ref_job_may(run->ref, s->ref, run->bufs[i].ref);
	do {
		ret = attach_submit_work(&run->ctx, s->model);
	} while (try_again(run, ret));
	equal(run, "work", ret, attach_ref_work(run->ref, s->ref));
	if (s->model->is_foreign) {
		foreign_replace(run, s->model);
		return;
	}
	if (groups_are_used(run)) {
		groups_see_job(run, s->model, is_visible);
		return;
	}
	for (i = 0; i < NR_BUFS; i++) {
		struct buf *b = &run->bufs[i];

		if (!is_visible[i] || run->ctx.class == ATTACH_CONCURRENT)
			continue;
		if (b->may_be_dirty)
			equal(run, "told of the job", b->told & due, due);
		b->may_be_dirty = false;
	}
}

static void step_attach(struct run *run)
{
	struct stream *s = some_stream(run);
	enum attach_kind kind = below(run, 3);
	struct buf *b = some_buf(run);
	int ret;

	/* Memory is not attached to a stream of another API. */
	if (!b->exists || s->model->is_foreign)
		return;
	log_step(run, kind == ATTACH_SINGLE ? "attach single" :
		 kind == ATTACH_HOST ? "attach host" : "attach global",
		 s->ref, b->ref);
	do {
		ret = attach_submit_state(&run->ctx, s->model, &b->model, kind);
	} while (try_again(run, ret));
	equal(run, "attach", ret,
	      attach_ref_attach(run->ref, s->ref, b->ref,
				(enum attach_ref_kind)kind));
}

static void step_host(struct run *run)
{
	struct stream *s = some_stream(run);
	struct function *f;
	int ret;

	/* programs differ in how many host functions they have, from 0 on */
	if (!(run->steps.seed % (NR_HOSTS + 1)) || s->model->is_foreign)
		return;
	f = &run->hosts[below(run, run->steps.seed % (NR_HOSTS + 1))];
	if (!f->model) {
		log_step(run, "host function", s->ref, 0);
		do {
			ret = attach_submit_host(&run->ctx, s->model,
						 &f->model);
		} while (try_again(run, ret));
		equal(run, "host", ret,
		      attach_ref_host(run->ref, s->ref, &f->ref));
	} else if (below(run, 2)) {
		log_step(run, "begin", (int)f->ref, 0);
		equal(run, "begin", attach_host_begin(&run->ctx, f->model),
		      attach_ref_host_begin(run->ref, f->ref));
	} else {
		log_step(run, "return", (int)f->ref, 0);
		ret = attach_host_return(&run->ctx, f->model);
		equal(run, "return", ret,
		      attach_ref_host_return(run->ref, f->ref));
		if (!ret)
			f->model = NULL;
	}
}

static void step_event(struct run *run)
{
	struct stream *s = some_stream(run);
	int event = (int)below(run, NR_EVENTS);
	int ret;

	if (below(run, 2)) {
		log_step(run, "record", event, s->ref);
		equal(run, "record",
		      attach_event_record(&run->ctx, &run->events[event],
					  s->model),
		      attach_ref_record(run->ref, event, s->ref));
		return;
	}
	log_step(run, "wait", s->ref, event);
	do {
		ret = attach_event_wait(&run->ctx, s->model,
					&run->events[event]);
	} while (try_again(run, ret));
	equal(run, "wait", ret, attach_ref_wait(run->ref, s->ref, event));
}

static void step_sync(struct run *run)
{
	struct stream *s = some_stream(run);
	int event = (int)below(run, NR_EVENTS);

	switch (below(run, 6)) {
	case 0:
		log_step(run, "sync device", 0, 0);
		equal(run, "sync device", attach_sync_device(&run->ctx),
		      attach_ref_sync_device(run->ref));
		break;
	case 1:
	case 2:
		log_step(run, "sync event", event, 0);
		equal(run, "sync event",
		      attach_sync_event(&run->ctx, &run->events[event]),
		      attach_ref_sync_event(run->ref, event));
		break;
	default:
		log_step(run, "sync stream", s->ref, 0);
		equal(run, "sync stream",
		      attach_sync_stream(&run->ctx, s->model),
		      attach_ref_sync_stream(run->ref, s->ref));
	}
}

static void step_touch(struct run *run)
{
	struct stream *s = some_stream(run);
	struct buf *b = some_buf(run);
	bool may;

	if (!b->exists)
		return;
	if (below(run, 2)) {
		log_step(run, "job touches", s->ref, b->ref);
		may = attach_ref_job_may(run->ref, s->ref, b->ref);
		equal(run, "job touch",
		      attach_job_touch(&run->ctx, s->model, &b->model, NULL),
		      may ? ATTACH_ALLOWED : ATTACH_ENGINE_NOT_ATTACHED);
		return;
	}
	log_step(run, "CPU touches", b->ref, 0);
	may = attach_ref_cpu_may(run->ref, b->ref);
	equal(run, "CPU touch", attach_cpu_touch(&run->ctx, &b->model, NULL),
	      may ? ATTACH_ALLOWED : ATTACH_CPU_WHILE_ACTIVE);
	/* with policy record the CPU writes although this is forbidden */
	b->may_be_dirty = true;
}

static void step(struct run *run)
{
	size_t what = below(run, 100);

	if (!below(run, 20))
		foreign_replace(run, NULL);
	if (what < 7)
		step_stream(run);
	else if (what < 13)
		step_buf(run);
	else if (what < 31)
		step_work(run);
	else if (what < 49)
		step_attach(run);
	else if (what < 62)
		step_host(run);
	else if (what < 80)
		step_event(run);
	else if (what < 91)
		step_sync(run);
	else
		step_touch(run);
}

static void finish(struct run *run)
{
	size_t i;

	for (i = 0; i < NR_FOREIGN; i++)
		if (run->foreign[i])
			attach_end_work(&run->ctx, run->foreign[i]);

	for (i = 0; i < NR_BUFS; i++)
		if (run->bufs[i].exists) {
			right_leave(&run->bufs[i].right);
			attach_buf_destroy(&run->ctx, &run->bufs[i].model);
		}
	for (i = 0; i < NR_EVENTS; i++)
		attach_event_destroy(&run->ctx, &run->events[i]);
	attach_fini(&run->ctx);
	take_back(run, run->nr_ops);
	equal(run, "operations not taken back", run->nr_ops, 0);
	equal(run, "streams not taken back", run->nr_given, 0);
	attach_ref_destroy(run->ref);
}

static void play_seed(const char *soc, uint64_t seed, uint64_t nr_steps,
		      bool with_groups)
{
	static struct run run;
	uint64_t i;

	memset(&run, 0, sizeof(run));
	steps_begin(&run.steps, seed);
	attach_init(&run.ctx, profile_find(soc));
	run.ctx.act = act;
	if (with_groups)
		groups_init(&run);
	run.ref = attach_ref_create((enum attach_ref_board)run.ctx.class);
	run.streams[0].model = &run.ctx.null_stream;
	for (i = 0; i < nr_steps; i++) {
		unsigned int nr_logged = run.steps.nr;

		step(&run);
		take_back(&run, below(&run, 3));
		if (run.steps.nr == nr_logged)
			continue;
		compare(&run);
		if (!below(&run, 4)) {
			compare_jobs(&run);
			compare_order(&run);
		}
	}
	finish(&run);
}

static void play(const char *soc)
{
	uint64_t only = env_or("SEED", 0);
	uint64_t nr_rounds = only ? 1 : env_or("ROUNDS", 400);
	uint64_t nr_steps = env_or("STEPS", 250);
	uint64_t i;

	for (i = 0; i < nr_rounds; i++) {
		play_seed(soc, only ? only : 1 + i, nr_steps, false);
		play_seed(soc, only ? only : 1 + i, nr_steps, true);
	}
}

static void noncoherent_equals_the_reference(void **state)
{
	(void)state;
	play("tx2");
}

static void io_coherent_equals_the_reference(void **state)
{
	(void)state;
	play("orin");
}

static void concurrent_access_equals_the_reference(void **state)
{
	(void)state;
	play("thor");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noncoherent_equals_the_reference),
		cmocka_unit_test(io_coherent_equals_the_reference),
		cmocka_unit_test(concurrent_access_equals_the_reference),
	};

	return cmocka_run_group_tests_name("attach_random", tests, NULL, NULL);
}
