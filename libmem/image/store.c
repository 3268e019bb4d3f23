// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: creation and destruction of images and arrays, the jobs that use
 * them, and copies between the caller's memory and the internal copy. The mutex
 * of a store is taken before the scheduler's, and is never held while waiting
 * for work.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "job.h"
#include "store.h"

/**
 * uses_take() - check the users of an image or array
 * @ctx: context
 * @uses: in and out: MEM_USE_*; 0 is replaced by all users of the board
 *
 * Return: 0, -EINVAL (no such user), or -EOPNOTSUPP (the board has no such
 * engine).
 */
int uses_take(const struct mem_ctx *ctx, uint64_t *uses)
{
	uint64_t all = MEM_USE_CPU | MEM_USE_DMA;
	unsigned int i;

	for (i = 0; i < NR_ENGINES; i++)
		if (board_has_engine(ctx->board, i))
			all |= 1ULL << i;
	if (!*uses)
		*uses = all;
	if (*uses & ~(MEM_USE_CPU | MEM_USE_DMA | USE_KERNELS))
		return -EINVAL;
	return *uses & ~all ? -EOPNOTSUPP : 0;
}

/**
 * uses_check() - check whether an image or array can be made for some users
 * @ctx: context
 * @uses: in and out: as for uses_take()
 *
 * Return: 0, as uses_take(), an error as documented for mem_attrs_create(), or
 * the error that has ended the context's work.
 */
int uses_check(struct mem_ctx *ctx, uint64_t *uses)
{
	const int err = ctx_check(ctx);

	return err ? err : uses_take(ctx, uses);
}

/* Memory */

/**
 * place_fini() - free the memory of a place
 * @place: place, with or without memory
 */
void place_fini(struct place *place)
{
	mem_object_put(place->object);
	mem_buf_destroy(place->own);
	if (place->map)
		munmap(place->map, place->map_len);
	memset(place, 0, sizeof(*place));
}

/**
 * place_view() - return planes with addresses for the CPU or for engines
 * @place: place
 * @is_device: addresses for engines, else for the CPU
 *
 * Return: planes with their bases.
 */
struct view place_view(const struct place *place, bool is_device)
{
	struct view view = place->view;
	uint32_t i;

	for (i = 0; i < view.nr_planes; i++)
		view.planes[i].base = is_device ? place->device[i] :
						  place->host[i];
	return view;
}

/**
 * place_begin() - begin accesses by the CPU
 * @place: place with addresses for the CPU
 * @access: MEM_READ, MEM_WRITE or both. A write counts as read and write, since
 *	rows may share cache lines with other bytes.
 *
 * Context: host functions, too.
 * Return: 0, or an error as documented for mem_buf_begin().
 */
int place_begin(const struct place *place, unsigned int access)
{
	struct mem_buf *buf = place->buf;

	if (!buf)
		return 0;
	return buf->ctx->backend->begin(buf, access & MEM_WRITE ? MEM_RW :
								  MEM_READ);
}

/**
 * place_end() - end accesses by the CPU
 * @place: place with addresses for the CPU
 * @access: as for place_begin()
 *
 * Context: host functions, too.
 */
void place_end(const struct place *place, unsigned int access)
{
	struct mem_buf *buf = place->buf;

	if (buf)
		buf->ctx->backend->end(buf, access & MEM_WRITE ? MEM_RW :
								 MEM_READ);
}

/* Life */

/**
 * store_init() - initialise a store without memory
 * @store: zeroed memory
 * @ctx: context
 * @uses: users from uses_check()
 */
void store_init(struct store *store, struct mem_ctx *ctx, uint64_t uses)
{
	store->ctx = ctx_get(ctx);
	store->uses = uses;
	atomic_init(&store->nr_users, 1);
	atomic_init(&store->nr_copies, 0);
	atomic_init(&store->copied_bytes, 0);
	pthread_mutex_init(&store->gate_lock, NULL);
	pthread_mutex_init(&store->lock, NULL);
	pthread_cond_init(&store->idle, NULL);
}

/**
 * store_get() - take a reference
 * @store: store
 *
 * Return: @store.
 */
struct store *store_get(struct store *store)
{
	atomic_fetch_add(&store->nr_users, 1);
	return store;
}

/**
 * store_put() - drop a reference; the last one frees the store
 * @store: store; its containing image or array is freed
 */
void store_put(struct store *store)
{
	struct mem_ctx *ctx = store->ctx;
	struct hold *hold;
	unsigned int i;

	if (atomic_fetch_sub(&store->nr_users, 1) != 1)
		return;
	while ((hold = store->holds)) {
		store->holds = hold->next;
		free(hold->snapshot);
		free(hold);
	}
	/* The program may still have a reference to the object. */
	if (store->main.object)
		store_open_gate(store);
	for (i = 0; i < MAX_USES; i++)
		mem_event_destroy(store->job_uses[i].event);
	place_fini(&store->inside);
	place_fini(&store->main);
	pthread_cond_destroy(&store->idle);
	pthread_mutex_destroy(&store->lock);
	pthread_mutex_destroy(&store->gate_lock);
	free(store);
	ctx_put(ctx);
}

/**
 * store_destroy() - drop the reference of the caller
 * @store: store; jobs may still have references
 *
 * Brackets that were opened by locks stay open.
 */
void store_destroy(struct store *store)
{
	struct hold *hold;

	for (hold = store->holds; hold; hold = hold->next)
		if (hold->fd >= 0)
			fd_close(hold->fd);
	store_put(store);
}

/**
 * store_set_name() - set the name in reports
 * @store: store
 * @name: name, as passed by the caller
 *
 * Return: 0, or an error as documented for mem_image_set_name().
 */
int store_set_name(struct store *store, const char *name)
{
	int err;

	if (!name || strlen(name) >= sizeof(store->name))
		return -EINVAL;
	err = ctx_may_change(store->ctx);
	if (err)
		return err;
	pthread_mutex_lock(&store->lock);
	strcpy(store->name, name);
	pthread_mutex_unlock(&store->lock);
	if (!store->is_wrapper && store->main.buf)
		store->ctx->backend->set_name(store->main.buf, name);
	store_record(store);
	return 0;
}

/**
 * store_place() - return the memory on which an engine works
 * @store: store of which @engine is a user
 * @engine: enum mem_engine or MEM_ENGINE_CPU
 *
 * Return: the caller's memory, or the internal copy.
 */
struct place *store_place(struct store *store, unsigned int engine)
{
	return store->inside_for & use_of(engine) ? &store->inside :
						    &store->main;
}

/* Jobs */

/**
 * store_check_main() - check whether the memory of a store may be accessed
 * @store: store that is locked or has a job being submitted, so that it is not
 *	rewrapped meanwhile
 * @access: MEM_READ, MEM_WRITE or both
 *
 * Return: 0, -EACCES: the memory is read-only, or -EFAULT: it has been freed.
 */
int store_check_main(struct store *store, unsigned int access)
{
	store_check_frame(store, access);
	if (access & MEM_WRITE && store->is_read_only)
		return -EACCES;
	return store_check_wrapped(store);
}

/**
 * store_job_begin() - begin the submission of a job
 * @store: store
 * @access: MEM_READ or MEM_WRITE
 *
 * Return: 0: the store cannot be locked until store_job_end(); -EBUSY: it is
 * locked; or an error of store_check_main().
 */
int store_job_begin(struct store *store, unsigned int access)
{
	int err = 0;

	pthread_mutex_lock(&store->lock);
	if (store->holds)
		err = -EBUSY;
	else
		store->nr_submitting++;
	pthread_mutex_unlock(&store->lock);
	if (err)
		return err;
	err = store_check_main(store, access);
	if (err)
		store_job_end(store, NULL);
	return err;
}

/*
 * Returns the event of a stream, or NULL if there are too many streams or there
 * is no memory. The store's mutex is held.
 */
static struct mem_event *store_use_event(struct store *store, uint64_t stream)
{
	struct store_use *use = NULL;
	unsigned int i;

	for (i = 0; i < MAX_USES; i++) {
		if (store->job_uses[i].stream == stream + 1)
			return store->job_uses[i].event;
		if (!use && !store->job_uses[i].stream)
			use = &store->job_uses[i];
	}
	if (!use)
		return NULL;
	if (!use->event &&
	    event_make(store->ctx, MEM_EVENT_NO_TIMING, &use->event))
		return NULL;
	use->stream = stream + 1;
	return use->event;
}

/**
 * store_job_end() - end the submission of a job
 * @store: store
 * @stream: stream to which the job was submitted; NULL: it failed
 */
void store_job_end(struct store *store, struct mem_stream *stream)
{
	struct mem_event *event;

	pthread_mutex_lock(&store->lock);
	if (stream) {
		store->nr_jobs++;
		event = store_use_event(store, mem_stream_id(stream));
		/* The job is submitted, so this cannot fail any more. */
		if (!event || mem_event_record(event, stream))
			store->is_crowded = true;
	}
	if (!--store->nr_submitting)
		pthread_cond_broadcast(&store->idle);
	pthread_mutex_unlock(&store->lock);
}

/* Forgets the uses, if all were waited for and none was added since. */
static void store_forget_uses(struct store *store, uint64_t nr_jobs)
{
	unsigned int i;

	if (store->nr_jobs != nr_jobs || store->nr_submitting)
		return;
	store->is_crowded = false;
	for (i = 0; i < MAX_USES; i++)
		store->job_uses[i].stream = 0;
}

/**
 * store_wait() - wait for the jobs that use a store
 * @store: store
 *
 * Context: may sleep, no lock is held.
 * Return: 0, or an error of mem_stream_sync().
 */
int store_wait(struct store *store)
{
	struct mem_event *events[MAX_USES];
	unsigned int i, nr = 0;
	bool is_crowded;
	uint64_t nr_jobs;
	int err = 0, cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&store->lock);
	while (store->nr_submitting)
		pthread_cond_wait(&store->idle, &store->lock);
	for (i = 0; i < MAX_USES; i++)
		if (store->job_uses[i].stream)
			events[nr++] = store->job_uses[i].event;
	is_crowded = store->is_crowded;
	nr_jobs = store->nr_jobs;
	pthread_mutex_unlock(&store->lock);
	pthread_setcancelstate(cancel, NULL);
	/* Events exist as long as the store. */
	for (i = 0; i < nr && !err; i++)
		err = mem_event_sync(events[i]);
	if (!err && is_crowded)
		err = mem_ctx_sync(store->ctx);
	if (err || (!nr && !is_crowded))
		return err;
	pthread_mutex_lock(&store->lock);
	store_forget_uses(store, nr_jobs);
	pthread_mutex_unlock(&store->lock);
	return 0;
}

/* The internal copy */

static uint64_t store_nr_elements(const struct view *src)
{
	uint64_t count;

	memcpy(&count, src->planes[ARRAY_COUNT].base, sizeof(count));
	return count < src->planes[0].height ? count : src->planes[0].height;
}

/**
 * views_update() - copy pixels that differ
 * @dst: target; only written where it differs, since others may be reading it
 * @src: source of the same format and sides
 * @is_array: copy only as many rows as the count of @src says
 * @part: rows of each plane to be copied
 */
void views_update(const struct view *dst, const struct view *src, bool is_array,
		  const struct part *part)
{
	uint32_t i, y, end, height;

	for (i = 0; i < dst->nr_planes; i++) {
		const struct mem_plane *to = &dst->planes[i];
		const size_t len = (size_t)to->width * to->pixel_len;

		height = is_array && i != ARRAY_COUNT ?
			 (uint32_t)store_nr_elements(src) : to->height;
		part_rows(part, height, &y, &end);
		for (; y < end; y++) {
			const uint8_t *from = row_of(&src->planes[i], y);

			if (memcmp(row_of(to, y), from, len))
				memcpy(row_of(to, y), from, len);
		}
	}
}

/**
 * store_count_move() - count a copy to or from the internal copy
 * @store: store
 */
void store_count_move(struct store *store)
{
	const struct view *view = &store->main.view;
	uint64_t len = 0;
	uint32_t i;

	for (i = 0; i < view->nr_planes; i++)
		len += (uint64_t)view->planes[i].width *
		       view->planes[i].pixel_len * view->planes[i].height;
	atomic_fetch_add(&store->nr_copies, 1);
	atomic_fetch_add(&store->copied_bytes, len);
}

/* Returns true if libmem has neither allocated nor mapped the memory. */
static bool store_is_foreign(const struct place *place)
{
	uint32_t i;

	for (i = 0; i < place->view.nr_planes; i++)
		if (place->buf_id[i])
			return false;
	return !place->object && !place->buf && !place->own &&
	       (!place->map || place->may_be_cut);
}

static int store_move_pixels(struct store *store, bool is_in)
{
	const struct view inside = place_view(&store->inside, false);
	const struct view main = place_view(&store->main, false);
	const struct part all = { 0, 1 };
	int err = -ENOSYS;

	if (store_is_foreign(&store->main))
		err = foreign_move(&inside, &main, store->is_array, is_in);
	if (!err)
		return 0;
	if (err == -EFAULT) {
		err = store_check_wrapped(store);
		if (err)
			return err;
	}
	/* It has been registered meanwhile, or the call is not allowed. */
	if (is_in)
		views_update(&inside, &main, store->is_array, &all);
	else
		views_update(&main, &inside, store->is_array, &all);
	return 0;
}

/**
 * store_move_by_cpu() - copy to or from the caller's memory by the CPU
 * @store: store with an internal copy, and memory that the CPU can access
 * @is_in: copy from the caller's memory, else to it
 *
 * Context: host functions, too.
 * Return: 0, -EFAULT: the memory has been freed, or an error of
 * mem_buf_begin().
 */
int store_move_by_cpu(struct store *store, bool is_in)
{
	const struct place *dst = is_in ? &store->inside : &store->main;
	const struct place *src = is_in ? &store->main : &store->inside;
	int err;

	gate_own_begin();
	err = place_begin(src, MEM_READ);
	if (err)
		goto out;
	err = place_begin(dst, MEM_RW);
	if (!err) {
		err = store_move_pixels(store, is_in);
		place_end(dst, MEM_RW);
		if (!err)
			store_count_move(store);
	}
	place_end(src, MEM_READ);
out:
	gate_own_end();
	return err;
}

/**
 * store_move() - copy to or from the caller's memory and wait for it
 * @store: store with an internal copy
 * @is_in: copy from the caller's memory, else to it
 *
 * A GPU copies if the CPU cannot, in the legacy stream, where a copy by the
 * caller would be, too.
 *
 * Context: may sleep, no lock is held.
 * Return: 0, or an error of mem_stream_sync().
 */
int store_move(struct store *store, bool is_in)
{
	struct mem_stream *stream = mem_stream_legacy(store->ctx);
	int err;

	if (store->main.host[0])
		return store_move_by_cpu(store, is_in);
	err = job_move(stream, MEM_ENGINE_GPU, store, is_in, NULL);
	return err ? err : mem_stream_sync(stream);
}
