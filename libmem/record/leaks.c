// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records objects that exist, by the call site that created them: those that
 * remain are reported as leaked.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "../clock.h"
#include "internal.h"

/**
 * record_create_object() - record a new object, which is a finding if it is not
 * destroyed
 * @v: that finding
 * @cpu_stack: stack that creates it
 *
 * Context: any.
 * Return: entry for record_destroy_object(); NULL: not recorded.
 */
struct record_place *record_create_object(const struct mem_violation *v,
					  uint32_t cpu_stack)
{
	struct stacks *s = record_tables();
	struct record_entry r;

	if (!s)
		return NULL;
	r = record_of_violation(v);
	r.cpu_stack = cpu_stack;
	return record_add_object(&s->tables, &r, v);
}

/**
 * record_destroy_object() - record that an object was destroyed
 * @place: from record_create_object(); may be NULL
 * @len: its bytes
 *
 * Context: any; not in a child that was forked after record_create_object().
 */
void record_destroy_object(struct record_place *place, uint64_t len)
{
	if (!place)
		return;
	atomic_fetch_sub(&place->count, 1);
	atomic_fetch_sub(&place->bytes, len);
}

static void living_begin(struct living *living, struct mem_violation *v)
{
	v->time_ns = now_ns();
	v->cpu_time_ns = v->time_ns;
	v->cpu_tid = (uint32_t)gettid();
	v->count = 1;
	living->len = v->len;
	living->buf = v->buf;
	living->maker = getpid();
	living->place = record_create_object(v, record_stack(0));
}

static void living_begin_memory(struct living *living, uint32_t kind,
				const struct mem_buf_info *info)
{
	struct mem_violation v = {
		.kind = kind,
		.buf = info->id,
		.len = info->len,
	};

	memcpy(v.name, info->name, sizeof(v.name));
	living_begin(living, &v);
}

static void living_begin_thing(struct living *living, uint32_t kind)
{
	struct mem_violation v = { .kind = kind };

	*living = (struct living) { 0 };
	if (record_is_on())
		living_begin(living, &v);
}

/**
 * living_begin_buf() - record a new buffer
 * @living: member of the buffer, zeroed
 * @info: the buffer
 */
void living_begin_buf(struct living *living, const struct mem_buf_info *info)
{
	living_begin_memory(living, RECORD_LEAKED_BUF, info);
}

/**
 * living_begin_registration() - record a new registration
 * @living: member of the registration, zeroed
 * @info: the registration
 */
void living_begin_registration(struct living *living,
			       const struct mem_buf_info *info)
{
	living_begin_memory(living, RECORD_LEAKED_REGISTRATION, info);
}

/**
 * living_begin_lock() - record a new lock of an image or array
 * @living: member of the lock, zeroed
 * @info: its buffer, with the name of the image
 */
void living_begin_lock(struct living *living, const struct mem_buf_info *info)
{
	living_begin_memory(living, MEM_VIOLATION_MISSING_UNLOCK, info);
}

/**
 * living_begin_job() - record a new job
 * @living: member of the job
 */
void living_begin_job(struct living *living)
{
	living_begin_thing(living, RECORD_LEAKED_JOB);
}

/**
 * living_begin_stream() - record a new stream that the caller owns
 * @living: member of the stream
 */
void living_begin_stream(struct living *living)
{
	living_begin_thing(living, RECORD_LEAKED_STREAM);
}

/**
 * living_begin_event() - record a new event
 * @living: member of the event
 */
void living_begin_event(struct living *living)
{
	living_begin_thing(living, RECORD_LEAKED_EVENT);
}

/**
 * living_set_name() - record the name of a buffer
 * @living: member of the buffer
 * @name: shorter than RECORD_NAME_LEN
 *
 * An entry has the name of its first buffer.
 */
void living_set_name(struct living *living, const char *name)
{
	struct record_place *place;

	place = __atomic_load_n(&living->place, __ATOMIC_ACQUIRE);
	if (place && living->maker == getpid() && place->buf == living->buf)
		record_copy_text(place->record.name, name,
				 sizeof(place->record.name));
}

/**
 * living_end() - record that an object is destroyed
 * @living: member of the object
 */
void living_end(struct living *living)
{
	if (living->place && living->maker == getpid())
		record_destroy_object(living->place, living->len);
}

/**
 * living_dismiss() - do not report an object as leaked
 * @living: member of the object
 */
void living_dismiss(struct living *living)
{
	struct record_place *place;

	place = __atomic_exchange_n(&living->place, NULL, __ATOMIC_ACQ_REL);
	if (place && living->maker == getpid())
		record_destroy_object(place, living->len);
}
