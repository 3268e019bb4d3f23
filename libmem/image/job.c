// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: submission of image jobs. A job has up to five stages in its stream.
 * If the engine cannot access the caller's memory, sources are copied in first
 * and results are copied out last. In between is the work, which has two stages
 * for Harris. A job keeps references to its images until the last stage has
 * ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "job.h"

/* Maximum number of blocks of a kernel */
#define MAX_BLOCKS	64U
/* The watchdog's time, and what each pixel adds to it */
#define WATCHDOG_NS	(10 * NS_PER_S)
#define PIXEL_NS	400U

/**
 * struct stage - a copy in or out by a host function
 * @job: job; the stage holds a reference
 * @store: store of which the memory is copied
 * @is_in: copy from the caller's memory, else to it
 */
struct stage {
	const struct job *job;
	struct store *store;
	bool is_in;
};

/**
 * struct job_store - an image or array of a job
 * @store: store; the job holds a reference
 * @access: MEM_READ or MEM_WRITE
 * @place: memory on which the engine works
 */
struct job_store {
	struct store *store;
	unsigned int access;
	struct place *place;
};

/**
 * struct job - a job
 * @nr_users: number of references: of the submitter, and of each stage
 * @engine: engine that runs the job
 * @entry: function that the program called; names the kernel in reports
 * @stack: stack of that call, if a wrapper takes part and reports are enabled;
 *	else 0
 * @work: parameters of the work
 * @stores: images and arrays
 * @nr_stores: number of @stores
 * @stages: room for their copies
 * @nr_stages: number of @stages that are used
 * @scratch: scratch memory of Harris on an engine, or NULL
 * @memory: scratch memory of Harris on the CPU, or NULL
 */
struct job {
	atomic_uint nr_users;
	unsigned int engine;
	const void *entry;
	uint32_t stack;
	struct work_args work;
	struct job_store stores[MAX_STORES];
	unsigned int nr_stores;
	struct stage stages[MAX_STORES];
	unsigned int nr_stages;
	struct mem_buf *scratch;
	void *memory;
};

static bool image_job_is_cpu(const struct job *job)
{
	return job->engine == MEM_ENGINE_CPU;
}

/*
 * Sets the gate again after a job that ran on threads of the program: its other
 * threads could access the memory meanwhile.
 */
static void image_job_close_gate(const struct job *job, struct store *store)
{
	if (image_job_is_cpu(job) ||
	    board_has_pageable_access(store->ctx->board))
		store_set_gate(store);
}

static void image_job_put(struct job *job)
{
	unsigned int i;

	if (atomic_fetch_sub(&job->nr_users, 1) != 1)
		return;
	for (i = 0; i < job->nr_stores; i++) {
		image_job_close_gate(job, job->stores[i].store);
		store_put(job->stores[i].store);
	}
	mem_buf_destroy(job->scratch);
	free(job->memory);
	free(job);
}

static void image_job_put_arg(void *arg)
{
	image_job_put(arg);
}

/* Takes a reference for a stage, dropped when the stage has ended. */
static struct op_done image_job_stage_done(struct job *job)
{
	atomic_fetch_add(&job->nr_users, 1);
	return (struct op_done) { image_job_put_arg, job };
}

/* Kernels */

GATE_KERNEL static void job_kernel(const struct mem_block *block, void *args)
{
	const struct part part = { block->index[0], block->grid[0] };

	work_run(args, &part);
}

static uint64_t image_job_timeout(const struct work_args *work)
{
	const struct view *src = &work->src, *dst = &work->dst;

	return WATCHDOG_NS + ((uint64_t)src->width * src->height +
			      (uint64_t)dst->width * dst->height) * PIXEL_NS;
}

static int image_job_launch(struct mem_stream *stream, unsigned int engine,
			    const struct work_args *work, const void *entry,
			    const struct op_done *done)
{
	const struct view *by = work->dst.nr_planes ? &work->dst : &work->src;
	const uint32_t height = by->planes[0].height;
	const struct mem_launch all = {
		.size = sizeof(all),
		.engine = engine,
		.kernel = job_kernel,
		.grid = {
			work->op == WORK_PICK ? 1 :
			height < MAX_BLOCKS ? height : MAX_BLOCKS, 1, 1,
		},
		.block = { 1, 1, 1 },
		.args_len = sizeof(*work),
		.args = work,
		.timeout_ns = image_job_timeout(work),
		.entry = entry,
	};

	return stream_launch(stream, &all, done);
}

/* Copies between the caller's memory and the internal copy */

/**
 * job_move() - copy to or from the caller's memory by an engine
 * @stream: stream to which the copy is submitted
 * @engine: enum mem_engine
 * @store: store with an internal copy, and memory that engines can access; the
 *	caller keeps a reference until @done
 * @is_in: copy from the caller's memory, else to it
 * @done: called when the copy has ended, if it was submitted; or NULL
 *
 * Return: 0, or an error of mem_launch().
 */
int job_move(struct mem_stream *stream, unsigned int engine,
	     struct store *store, bool is_in, const struct op_done *done)
{
	struct work_args work = {
		.op = WORK_UPDATE,
		.dst = place_view(is_in ? &store->inside : &store->main, true),
		.src = place_view(is_in ? &store->main : &store->inside, true),
		.is_array = store->is_array,
	};
	int err;

	err = image_job_launch(stream, engine, &work,
			       (const void *)(uintptr_t)mem_image_wrap, done);
	if (!err)
		store_count_move(store);
	return err;
}

static void image_job_stage_run(struct mem_stream *stream, int status,
				void *arg)
{
	const struct stage *stage = arg;

	(void)stream;
	/* The step that failed has reported its error. */
	if (status)
		return;
	record_done_for(stage->job->stack);
	sched_note_error(stage->store->ctx,
			 store_move_by_cpu(stage->store, stage->is_in));
	record_done_for(0);
}

/*
 * The engine that does the work also copies, if it can access the caller's
 * memory: the CPU must not touch managed memory that other streams use.
 */
static int image_job_stage_submit(struct mem_stream *stream, struct job *job,
				  struct store *store, bool is_in)
{
	struct stage *stage = &job->stages[job->nr_stages++];
	const struct op_call call = {
		.callback = image_job_stage_run,
		.arg = stage,
	};
	const struct op_done done = image_job_stage_done(job);
	int err;

	*stage = (struct stage) { job, store, is_in };
	if (image_job_is_cpu(job) ? !store->main.host[0] :
				    !!store->main.device[0])
		err = job_move(stream, image_job_is_cpu(job) ? MEM_ENGINE_GPU :
			       job->engine, store, is_in, &done);
	else
		err = stream_call(stream, &call, &done);
	if (err)
		image_job_put(job);
	return err;
}

static int image_job_stages_submit(struct mem_stream *stream, struct job *job,
				   bool is_in)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < job->nr_stores && !err; i++) {
		const struct job_store *one = &job->stores[i];

		if (one->place == &one->store->inside &&
		    one->access == (is_in ? MEM_READ : MEM_WRITE))
			err = image_job_stage_submit(stream, job, one->store,
						     is_in);
	}
	return err;
}

/* The work */

static void image_job_cpu_work(const struct job *job)
{
	const struct part all = { 0, 1 };
	struct work_args work = job->work;

	work_run(&work, &all);
	if (work.op == WORK_SCORES) {
		work.op = WORK_PICK;
		work_run(&work, &all);
	}
}

static void image_job_cpu_run(struct mem_stream *stream, int status, void *arg)
{
	const struct job *job = arg;
	unsigned int i, nr = 0;
	int err = 0;

	(void)stream;
	if (status)
		return;
	gate_own_begin();
	record_done_for(job->stack);
	for (; nr < job->nr_stores && !err; nr += !err) {
		err = store_check_wrapped(job->stores[nr].store);
		if (!err)
			err = place_begin(job->stores[nr].place,
					  job->stores[nr].access);
	}
	if (!err)
		image_job_cpu_work(job);
	sched_note_error(job->stores[0].store->ctx, err);
	for (i = 0; i < nr; i++)
		place_end(job->stores[i].place, job->stores[i].access);
	record_done_for(0);
	gate_own_end();
}

static int image_job_work_submit(struct mem_stream *stream, struct job *job)
{
	const struct op_call call = {
		.callback = image_job_cpu_run,
		.arg = job,
	};
	struct op_done done = image_job_stage_done(job);
	int err;

	if (image_job_is_cpu(job))
		err = stream_call(stream, &call, &done);
	else
		err = image_job_launch(stream, job->engine, &job->work,
				       job->entry, &done);
	if (err)
		image_job_put(job);
	if (err || image_job_is_cpu(job) || job->work.op != WORK_SCORES)
		return err;
	done = image_job_stage_done(job);
	job->work.op = WORK_PICK;
	err = image_job_launch(stream, job->engine, &job->work, job->entry,
			       &done);
	if (err)
		image_job_put(job);
	return err;
}

static void *image_job_plane_base(const struct place *place, unsigned int plane,
				  bool is_device)
{
	return is_device ? place->device[plane] : place->host[plane];
}

/*
 * Sets the outputs of Harris: the second store has keypoints, the third scores.
 */
static void image_job_place_harris(struct job *job)
{
	const struct place *points = job->stores[1].place;
	const struct place *values = job->stores[2].place;
	const struct mem_array *scores = (struct mem_array *)
					 job->stores[2].store;
	const uint32_t most = points->view.planes[0].height;
	const uint32_t room = values->view.planes[0].height;
	const bool is_device = !image_job_is_cpu(job);

	job->work.harris.out = (struct harris_out) {
		.keypoints = image_job_plane_base(points, 0, is_device),
		.scores = image_job_plane_base(values, 0, is_device),
		.keypoint_stride = points->view.planes[0].pitch,
		.score_stride = values->view.planes[0].pitch,
		.is_float = scores->data_type == MEM_DATA_F32,
		.capacity = most < room ? most : room,
		.counts = {
			image_job_plane_base(points, ARRAY_COUNT, is_device),
			image_job_plane_base(values, ARRAY_COUNT, is_device),
		},
	};
}

/* Allocates the scratch memory that both steps of Harris access. */
static int image_job_alloc_scratch(struct mem_ctx *ctx, struct job *job)
{
	const uint64_t len = harris_scratch_len(job->work.src.width,
						job->work.src.height);
	void *addr;
	int err;

	if (image_job_is_cpu(job)) {
		job->memory = malloc(len);
		job->work.harris.scratch = job->memory;
		return job->memory ? 0 : -ENOMEM;
	}
	err = mem_buf_alloc(ctx, MEM_KIND_UNCACHED, len, "harris",
			    &job->scratch);
	if (!err)
		err = mem_buf_map(job->scratch, &addr);
	if (!err)
		err = mem_buf_device_ptr(job->scratch,
					 &job->work.harris.scratch);
	return err;
}

/* Arrays are views of copies alone: Harris has its own pointers to them. */
static bool image_job_lacks_view(const struct job *job,
				 const struct store *store)
{
	return store->is_array && job->work.op != WORK_UPDATE;
}

/* Sets the addresses that are valid where the work is done. */
static void image_job_place(struct job *job)
{
	const bool is_device = !image_job_is_cpu(job);
	unsigned int i;

	for (i = 0; i < job->nr_stores; i++) {
		struct job_store *one = &job->stores[i];

		one->place = store_place(one->store, job->engine);
		if (image_job_lacks_view(job, one->store))
			continue;
		if (one->access == MEM_READ)
			job->work.src = place_view(one->place, is_device);
		else
			job->work.dst = place_view(one->place, is_device);
	}
	if (job->work.op == WORK_SCORES)
		image_job_place_harris(job);
}

static int image_job_submit(struct mem_stream *stream, struct job *job)
{
	int err;

	err = image_job_stages_submit(stream, job, true);
	if (!err)
		err = image_job_work_submit(stream, job);
	if (!err)
		err = image_job_stages_submit(stream, job, false);
	return err;
}

/* Checks */

static struct job *image_job_create(unsigned int engine, enum work_op op,
				    const void *entry)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	atomic_init(&job->nr_users, 1);
	job->engine = engine;
	job->entry = entry;
	job->work.op = op;
	return job;
}

static void image_job_add(struct job *job, struct store *store,
			  unsigned int access)
{
	struct job_store *one = &job->stores[job->nr_stores++];

	one->store = store_get(store);
	one->access = access;
	if ((store->is_wrapper || image_job_is_cpu(job)) && !job->stack &&
	    record_is_on())
		job->stack = record_stack(0);
	if (image_job_lacks_view(job, store))
		return;
	if (access == MEM_READ)
		job->work.src = store->main.view;
	else
		job->work.dst = store->main.view;
}

static bool image_job_has_blocks(const struct view *view)
{
	return view->format && pixel_of(view->format)->is_block_linear;
}

/* The compositor alone takes such pixels, and gives them another layout. */
static bool image_job_layouts_are_valid(const struct job *job)
{
	if (!image_job_has_blocks(&job->work.src) &&
	    !image_job_has_blocks(&job->work.dst))
		return true;
	return job->engine == MEM_ENGINE_VIC &&
	       (job->work.op == WORK_COPY || job->work.op == WORK_CONVERT);
}

static int image_job_check_engine(const struct mem_stream *stream,
				  unsigned int engine)
{
	if (engine == MEM_ENGINE_CPU)
		return 0;
	if (engine >= NR_ENGINES)
		return -EINVAL;
	return board_has_engine(stream->ctx->board, engine) ? 0 : -EOPNOTSUPP;
}

/* Checks that depend on more than the caller's arguments. */
static int image_job_check(const struct mem_stream *stream,
			   const struct job *job)
{
	unsigned int i;

	for (i = 0; i < job->nr_stores; i++)
		if (job->stores[i].store->ctx != stream->ctx)
			return -EXDEV;
	for (i = 0; i < job->nr_stores; i++)
		if (!(job->stores[i].store->uses & use_of(job->engine)))
			return -EACCES;
	if (!image_job_layouts_are_valid(job))
		return -EOPNOTSUPP;
	return work_is_offered(&job->work, job->engine) ? 0 : -EOPNOTSUPP;
}

/* From here until the submission has ended, no image can be locked. */
static int image_job_stores_begin(struct job *job, unsigned int *nr)
{
	int err = 0;

	for (*nr = 0; *nr < job->nr_stores && !err; *nr += !err)
		err = store_job_begin(job->stores[*nr].store,
				      job->stores[*nr].access);
	return err;
}

/* Submits a job and drops the caller's reference. NULL: no memory. */
static int image_job_send(struct mem_stream *stream, struct job *job)
{
	unsigned int i, nr = 0;
	int err;

	if (!job)
		return -ENOMEM;
	err = ctx_check(stream->ctx);
	if (!err)
		err = image_job_check_engine(stream, job->engine);
	if (!err)
		err = image_job_check(stream, job);
	if (!err && job->work.op == WORK_SCORES)
		err = image_job_alloc_scratch(stream->ctx, job);
	if (!err)
		err = image_job_stores_begin(job, &nr);
	if (!err) {
		image_job_place(job);
		err = image_job_submit(stream, job);
	}
	/* If one stage failed, earlier ones may have been submitted. */
	for (i = 0; i < nr; i++)
		store_job_end(job->stores[i].store, stream);
	image_job_put(job);
	return err;
}

static bool image_job_is_same_size(const struct mem_image *one,
				   const struct mem_image *other)
{
	return one->store.main.view.width == other->store.main.view.width &&
	       one->store.main.view.height == other->store.main.view.height;
}

static uint32_t image_job_format_of(const struct mem_image *image)
{
	return image->store.main.view.format;
}

static const void *image_job_entry_of(void (*call)(void))
{
	return (const void *)(uintptr_t)call;
}

#define ENTRY(call)	image_job_entry_of((void (*)(void))(call))

static struct job *image_job_of(unsigned int engine, enum work_op op,
				const void *entry, struct mem_image *dst,
				struct mem_image *src)
{
	struct job *job = image_job_create(engine, op, entry);

	if (!job)
		return NULL;
	if (src)
		image_job_add(job, &src->store, MEM_READ);
	if (dst)
		image_job_add(job, &dst->store, MEM_WRITE);
	return job;
}

/* Public calls */

API int mem_image_copy(struct mem_stream *stream, unsigned int engine,
		       struct mem_image *dst, struct mem_image *src)
{
	if (!stream || !dst || !src || dst == src ||
	    image_job_format_of(dst) != image_job_format_of(src) ||
	    !image_job_is_same_size(dst, src))
		return -EINVAL;
	return image_job_send(stream,
			      image_job_of(engine, WORK_COPY,
					   ENTRY(mem_image_copy), dst, src));
}

API int mem_array_copy(struct mem_stream *stream, unsigned int engine,
		       struct mem_array *dst, struct mem_array *src)
{
	struct job *job;

	if (!stream || !dst || !src || dst == src ||
	    dst->data_type != src->data_type || dst->capacity < src->capacity)
		return -EINVAL;
	job = image_job_create(engine, WORK_UPDATE, ENTRY(mem_array_copy));
	if (job) {
		image_job_add(job, &src->store, MEM_READ);
		image_job_add(job, &dst->store, MEM_WRITE);
		job->work.is_array = true;
	}
	return image_job_send(stream, job);
}

API int mem_image_fill(struct mem_stream *stream, unsigned int engine,
		       struct mem_image *dst, const double *value,
		       size_t nr_values)
{
	struct job *job;

	if (!stream || !dst || !value ||
	    nr_values != image_nr_channels(image_job_format_of(dst)))
		return -EINVAL;
	job = image_job_of(engine, WORK_FILL, ENTRY(mem_image_fill), dst, NULL);
	if (job)
		memcpy(job->work.value, value, nr_values * sizeof(*value));
	return image_job_send(stream, job);
}

API int mem_image_convert(struct mem_stream *stream, unsigned int engine,
			  struct mem_image *dst, struct mem_image *src,
			  const struct mem_convert *how)
{
	struct mem_convert all = { .size = sizeof(all), .is_saturating = 1 };
	struct job *job;
	int err;

	if (!stream || !dst || !src || dst == src ||
	    !image_job_is_same_size(dst, src))
		return -EINVAL;
	if (how) {
		err = struct_in(&all, sizeof(all), how,
				offsetofend(struct mem_convert, offset));
		if (err)
			return err;
	}
	if (all.is_saturating > 1)
		return -EINVAL;
	if (!view_can_convert(image_job_format_of(dst),
			      image_job_format_of(src), &all))
		return -EOPNOTSUPP;
	job = image_job_of(engine, WORK_CONVERT, ENTRY(mem_image_convert), dst,
			   src);
	if (job)
		job->work.how = all;
	return image_job_send(stream, job);
}

API int mem_image_rescale(struct mem_stream *stream, unsigned int engine,
			  struct mem_image *dst, struct mem_image *src,
			  unsigned int interp, unsigned int border)
{
	struct job *job;

	if (!stream || !dst || !src || dst == src ||
	    image_job_format_of(dst) != image_job_format_of(src) ||
	    interp > MEM_INTERP_LINEAR || border > MEM_BORDER_CLAMP)
		return -EINVAL;
	job = image_job_of(engine, WORK_RESCALE, ENTRY(mem_image_rescale), dst,
			   src);
	if (job)
		job->work.rescale = (struct work_rescale) { interp, border };
	return image_job_send(stream, job);
}

static bool image_job_is_window(uint32_t len)
{
	return len % 2 && len <= 11;
}

API int mem_image_box(struct mem_stream *stream, unsigned int engine,
		      struct mem_image *dst, struct mem_image *src,
		      uint32_t width, uint32_t height, unsigned int border)
{
	struct job *job;

	if (!stream || !dst || !src || dst == src ||
	    image_job_format_of(dst) != image_job_format_of(src) ||
	    !image_job_is_same_size(dst, src) || !image_job_is_window(width) ||
	    !image_job_is_window(height) || border > MEM_BORDER_CLAMP ||
	    src->store.main.view.nr_planes != 1)
		return -EINVAL;
	job = image_job_of(engine, WORK_BOX, ENTRY(mem_image_box), dst, src);
	if (job)
		job->work.box = (struct work_box) { width, height, border };
	return image_job_send(stream, job);
}

static int image_job_check_harris(const struct mem_harris *how)
{
	if (how->gradient_len % 2 == 0 || how->gradient_len < 3 ||
	    how->gradient_len > 7 || how->block_len % 2 == 0 ||
	    how->block_len < 3 || how->block_len > 7 || how->reserved ||
	    how->reserved2)
		return -EINVAL;
	/* These conditions also reject NaN. */
	if (!(how->strength >= 0) || !(how->min_distance >= 0) ||
	    how->sensitivity != how->sensitivity)
		return -EINVAL;
	return 0;
}

static bool image_job_has_corners(unsigned int format)
{
	return format == MEM_FORMAT_U8 || format == MEM_FORMAT_Y8 ||
	       format == MEM_FORMAT_Y8_ER || format == MEM_FORMAT_S16;
}

API int mem_image_harris(struct mem_stream *stream, unsigned int engine,
			 struct mem_image *src, struct mem_array *keypoints,
			 struct mem_array *scores, const struct mem_harris *how)
{
	struct mem_harris all;
	struct job *job;
	int err;

	if (!stream || !src || !keypoints || !scores || !how ||
	    !image_job_has_corners(image_job_format_of(src)) ||
	    keypoints == scores || keypoints->data_type != MEM_DATA_KEYPOINT ||
	    (scores->data_type != MEM_DATA_F32 &&
	     scores->data_type != MEM_DATA_U32))
		return -EINVAL;
	err = struct_in(&all, sizeof(all), how,
			offsetofend(struct mem_harris, reserved2));
	if (!err)
		err = image_job_check_harris(&all);
	if (err)
		return err;
	job = image_job_of(engine, WORK_SCORES, ENTRY(mem_image_harris), NULL,
			   src);
	if (job) {
		image_job_add(job, &keypoints->store, MEM_WRITE);
		image_job_add(job, &scores->store, MEM_WRITE);
		job->work.harris.how = all;
	}
	return image_job_send(stream, job);
}
