// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports to `heapsim run` on images and arrays: what their buffers hold, who
 * may access them now (gates), locks that are never released, freed memory of
 * wrappers, rows that were stored without the padding between them, and frames
 * of pipes that a consumer uses when it may not.
 *
 * The caller's own memory has no gate: the program may access it as its kind of
 * memory permits. What was locked as a surface or an object has no gate from
 * then on, even when that lock is released: others who do not know about locks
 * may have the memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../object/object.h"
#include "image.h"

/**
 * struct snapshot - bytes of an image at the time of a lock for writing
 * @first: offset of each plane in @bytes
 * @bytes: all planes, including padding, except behind the last row
 */
struct snapshot {
	size_t first[MEM_PLANES_MAX];
	uint8_t bytes[];
};

static struct mem_buf *watched_buf(const struct store *store)
{
	return store->is_wrapper ? NULL : store->main.buf;
}

static enum gate watched_gate_of(const struct hold *hold)
{
	const bool is_write = hold->access & MEM_WRITE;

	if (hold->as == MEM_LOCK_DEVICE)
		return is_write ? GATE_DEVICE_WRITE : GATE_DEVICE_READ;
	return is_write ? GATE_CPU_WRITE : GATE_CPU_READ;
}

/* Combines what all locks permit. The store's mutex is held. */
static enum gate watched_gate(const struct store *store)
{
	const struct hold *hold;
	enum gate gate = GATE_CLOSED;

	if (store->has_escaped)
		return GATE_NONE;
	for (hold = store->holds; hold; hold = hold->next)
		if (hold->place == &store->main)
			gate &= watched_gate_of(hold);
	return gate;
}

/**
 * store_set_gate() - update who may access the memory
 * @store: store whose locks have changed
 *
 * Context: may sleep, no lock is held.
 */
void store_set_gate(struct store *store)
{
	struct mem_buf *buf = watched_buf(store);
	enum gate gate;

	if (!buf)
		return;
	/* gate_lock keeps an older result from being set after this one. */
	pthread_mutex_lock(&store->gate_lock);
	pthread_mutex_lock(&store->lock);
	gate = watched_gate(store);
	pthread_mutex_unlock(&store->lock);
	gate_set(buf, gate);
	pthread_mutex_unlock(&store->gate_lock);
}

/**
 * store_open_gate() - permit all accesses to the memory from now on
 * @store: store
 */
void store_open_gate(struct store *store)
{
	struct mem_buf *buf = watched_buf(store);

	if (buf)
		gate_set(buf, GATE_NONE);
}

/**
 * store_record() - report what the buffer of a store holds
 * @store: store with a name and format; nothing is reported for a wrapper
 */
void store_record(const struct store *store)
{
	if (!store->is_wrapper && store->main.object)
		object_record_shape(store->main.object, store->is_array ?
				    OBJECT_SHAPE_ARRAY : OBJECT_SHAPE_IMAGE,
				    store->format, store->name);
}

static void watched_name(const struct store *store, struct mem_buf_info *info)
{
	struct mem_buf *buf = store->main.buf;

	info->size = sizeof(*info);
	if (!buf || mem_buf_info(buf, info))
		info->id = 0;
	memcpy(info->name, store->name, sizeof(info->name));
}

/* Rows */

static bool watched_is_between(const struct place *place, uint32_t one,
			       uint32_t other)
{
	const uint8_t *at = place->host[one];
	const uint8_t *first = place->host[other];

	return at >= first &&
	       at < first + plane_len(&place->view.planes[other]);
}

/* Returns true if the bytes behind its rows belong to no other plane. */
static bool watched_has_padding(const struct place *place, uint32_t i)
{
	const struct mem_plane *plane = &place->view.planes[i];
	uint32_t j;

	for (j = 0; j < place->view.nr_planes; j++)
		if (j != i && (watched_is_between(place, i, j) ||
			       watched_is_between(place, j, i)))
			return false;
	return plane->height > 1 &&
	       plane->pitch > plane->width * plane->pixel_len;
}

static struct snapshot *watched_take_snapshot(const struct place *place)
{
	struct snapshot *new;
	size_t len = 0;
	uint32_t i;

	for (i = 0; i < place->view.nr_planes; i++)
		if (watched_has_padding(place, i))
			len += plane_len(&place->view.planes[i]);
	new = len ? malloc(sizeof(*new) + len) : NULL;
	if (!new)
		return NULL;
	len = 0;
	for (i = 0; i < place->view.nr_planes; i++) {
		new->first[i] = len;
		if (!watched_has_padding(place, i))
			continue;
		memcpy(new->bytes + len, place->host[i],
		       plane_len(&place->view.planes[i]));
		len += plane_len(&place->view.planes[i]);
	}
	return new;
}

/*
 * Returns true if rows were stored without padding. Such rows end within
 * another row of the image, and are in the padding of the rows before. Whole
 * rows, with padding or without, end elsewhere. A stored byte is only seen if
 * its value has changed, so it is enough if half of the padding has changed.
 */
static bool watched_is_packed(const struct mem_plane *plane,
			      const uint8_t *before, const uint8_t *now)
{
	const uint64_t row_len = (uint64_t)plane->width * plane->pixel_len;
	const uint64_t packed = row_len * plane->height;
	const uint64_t pad = plane->pitch - row_len;
	uint64_t end = plane_len(plane), i, y, nr = 0;

	while (end && before[end - 1] == now[end - 1])
		end--;
	if (end != packed || end % plane->pitch == 0 ||
	    end % plane->pitch == row_len)
		return false;
	for (y = 0; y < end / plane->pitch; y++)
		for (i = y * plane->pitch + row_len; i < (y + 1) * plane->pitch;
		     i++)
			nr += before[i] != now[i];
	return y && nr * 2 >= y * pad;
}

static void watched_report_packed(const struct store *store,
				  const struct hold *hold, uint32_t plane)
{
	const struct mem_plane *rows = &hold->place->view.planes[plane];
	const uint64_t row_len = (uint64_t)rows->width * rows->pixel_len;
	struct mem_buf_info info = { 0 };
	struct mem_violation v = {
		.kind = MEM_VIOLATION_WIDTH_FOR_PITCH,
		.count = 1,
		.len = rows->pitch - row_len,
		.time_ns = now_ns(),
		.cpu_time_ns = hold->time_ns,
		.cpu_tid = hold->tid,
		.is_write = 1,
	};
	const struct record_facts beside = { .cpu_stack = hold->stack };

	watched_name(store, &info);
	v.buf = info.id;
	v.off = rows->off + row_len;
	memcpy(v.name, info.name, sizeof(v.name));
	record_add_violation(&v, &beside);
}

static void watched_compare_snapshot(const struct store *store,
				     const struct hold *hold)
{
	const struct place *place = hold->place;
	const struct snapshot *old = hold->snapshot;
	uint32_t i;

	for (i = 0; i < place->view.nr_planes; i++)
		if (watched_has_padding(place, i) &&
		    watched_is_packed(&place->view.planes[i],
				      old->bytes + old->first[i],
				      place->host[i]))
			watched_report_packed(store, hold, i);
}

/* Locks */

/**
 * hold_record() - report that a lock is complete and must be released
 * @store: store
 * @hold: lock of @store
 */
void hold_record(struct store *store, struct hold *hold)
{
	struct mem_buf_info info = { 0 };

	if (hold->as >= MEM_LOCK_FD)
		store_open_gate(store);
	if (!record_is_on())
		return;
	watched_name(store, &info);
	living_begin_lock(&hold->living, &info);
	hold->time_ns = now_ns();
	hold->tid = (uint32_t)gettid();
	hold->stack = record_stack(0);
	if (hold->as == MEM_LOCK_HOST && hold->access & MEM_WRITE &&
	    !store->is_array) {
		gate_own_begin();
		hold->snapshot = watched_take_snapshot(hold->place);
		gate_own_end();
	}
}

/**
 * hold_record_gone() - report that a lock is being released
 * @store: store
 * @hold: lock of @store, with its bracket still open
 */
void hold_record_gone(struct store *store, struct hold *hold)
{
	living_end(&hold->living);
	if (!hold->snapshot)
		return;
	gate_own_begin();
	watched_compare_snapshot(store, hold);
	gate_own_end();
	free(hold->snapshot);
	hold->snapshot = NULL;
}

/* Wrappers */

/* Returns the id of libmem's memory that has the plane, or 0. */
static uint64_t watched_id_of(struct mem_ctx *ctx, const struct place *place,
			      uint32_t plane)
{
	struct mem_ptr_info info = { .size = sizeof(info) };
	const void *base = place->host[plane] ? place->host[plane] :
						place->device[plane];

	return base && !mem_ptr_info(ctx, base, &info) ? info.id : 0;
}

/**
 * place_remember() - record which of libmem's memory a wrapper has
 * @place: place of the wrapper, with its addresses
 * @ctx: context
 */
void place_remember(struct place *place, struct mem_ctx *ctx)
{
	uint32_t i;

	for (i = 0; i < place->view.nr_planes; i++)
		place->buf_id[i] = watched_id_of(ctx, place, i);
}

/* Returns true if the whole range is mapped, which freed memory may be, too. */
static bool watched_is_mapped(const void *base, size_t len)
{
	unsigned char pages[512];
	const uintptr_t last = (uintptr_t)base + len - 1;
	const size_t page = getpagesize();
	uintptr_t at = (uintptr_t)base & -page;
	size_t step;

	for (; at <= last; at += step) {
		step = ((last - at) & -page) + page;
		if (step > sizeof(pages) * page)
			step = sizeof(pages) * page;
		if (mincore((void *)at, step, pages) && errno == ENOMEM)
			return false;
	}
	return true;
}

/* A file that is shortened stays mapped. */
static bool watched_plane_exists(const struct place *place, uint32_t i)
{
	const uint64_t len = plane_len(&place->view.planes[i]);
	const uint8_t *first = place->host[i];

	if (!first)
		return true;
	return place->may_be_cut ? foreign_exists(first + len - 1) :
				   watched_is_mapped(first, len);
}

static bool watched_store_exists(const struct store *store)
{
	const struct place *place = &store->main;
	uint32_t i;

	for (i = 0; i < place->view.nr_planes; i++)
		if (place->buf_id[i] ?
		    watched_id_of(store->ctx, place, i) != place->buf_id[i] :
		    !watched_plane_exists(place, i))
			return false;
	return true;
}

/**
 * store_check_wrapped() - check that a wrapper's memory still exists
 * @store: store that is about to be used
 *
 * If the memory has been freed, this is reported as a violation.
 *
 * Return: 0 or -EFAULT.
 */
int store_check_wrapped(const struct store *store)
{
	struct mem_violation v = {
		.kind = MEM_VIOLATION_WRAPPED_GONE,
		.count = 1,
	};
	struct record_facts beside = { 0 };

	if (!store->is_wrapper || watched_store_exists(store))
		return 0;
	if (record_is_on()) {
		v.time_ns = now_ns();
		v.cpu_time_ns = v.time_ns;
		v.cpu_tid = (uint32_t)gettid();
		v.buf = store->main.buf_id[0];
		memcpy(v.name, store->name, sizeof(v.name));
		beside.cpu_stack = record_stack(0);
		record_add_violation(&v, &beside);
	}
	return -EFAULT;
}

/* Frames of pipes */

/**
 * store_change_frames() - begin or end to check the use of an image as a frame
 * @store: store of the consumer's image
 * @change: change; its buffers do not matter
 */
void store_change_frames(struct store *store, const struct gate_change *change)
{
	pthread_mutex_lock(&store->lock);
	store->nr_frames += change->by;
	store->is_consumers = !change->is_shared;
	store->frame_note = change->note;
	pthread_mutex_unlock(&store->lock);
}

/* Returns the kind of the mistake, or 0. The store's lock is held. */
static uint32_t watched_frame_mistake(const struct store *store,
				      unsigned int access)
{
	if (store->nr_frames > 0)
		return access & MEM_WRITE ?
			MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER : 0;
	return store->is_consumers ? MEM_VIOLATION_FRAME_USED_AFTER_RELEASE : 0;
}

static void watched_report_frame(const struct store *store, uint32_t kind,
				 unsigned int access,
				 const struct gate_note *note)
{
	struct mem_violation v = {
		.kind = kind,
		.count = 1,
		.time_ns = now_ns(),
		.cpu_tid = (uint32_t)gettid(),
		.is_write = access & MEM_WRITE ? 1 : 0,
		.other = MEM_OTHER_PROCESS,
		.other_time_ns = note->time_ns,
	};
	const struct record_facts beside = {
		.cpu_stack = record_stack(0),
		.other_stack = note->stack,
	};
	struct mem_buf_info info = { 0 };

	watched_name(store, &info);
	v.buf = info.id;
	v.cpu_time_ns = v.time_ns;
	memcpy(v.name, info.name, sizeof(v.name));
	strcpy(v.other_name, kind == MEM_VIOLATION_FRAME_USED_AFTER_RELEASE ?
			     "release" : "acquire");
	record_add_violation(&v, &beside);
}

/**
 * store_check_frame() - check whether an image that is a frame may be used
 * @store: store that is about to be locked, or used by a job
 * @access: MEM_READ, MEM_WRITE or both
 *
 * What the consumer of a pipe may not do is reported as a violation. libmem
 * itself may access all images.
 */
void store_check_frame(struct store *store, unsigned int access)
{
	struct gate_note note;
	uint32_t kind;

	if (gate_is_own() || !record_is_on())
		return;
	pthread_mutex_lock(&store->lock);
	kind = watched_frame_mistake(store, access);
	note = store->frame_note;
	pthread_mutex_unlock(&store->lock);
	if (kind)
		watched_report_frame(store, kind, access, &note);
}
