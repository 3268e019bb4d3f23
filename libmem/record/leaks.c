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
 * tell_object() - record a new object, which is a finding if it is not
 * destroyed
 * @v: that finding
 * @cpu_stack: stack that creates it
 *
 * Context: any.
 * Return: entry for tell_object_gone(); NULL: not recorded.
 */
struct told_place *tell_object(const struct mem_violation *v,
			       uint32_t cpu_stack)
{
	struct stacks *s = record_stacks();
	struct told_record r;

	if (!s)
		return NULL;
	r = record_of_violation(v);
	r.cpu_stack = cpu_stack;
	return record_add_object(&s->told, &r, v);
}

/**
 * tell_object_gone() - record that an object was destroyed
 * @place: from tell_object(); may be NULL
 * @len: its bytes
 *
 * Context: any; not in a child that was forked after tell_object().
 */
void tell_object_gone(struct told_place *place, uint64_t len)
{
	if (!place)
		return;
	atomic_fetch_sub(&place->count, 1);
	atomic_fetch_sub(&place->bytes, len);
}

static void record_living_begin(struct living *living, struct mem_violation *v)
{
	v->time_ns = now_ns();
	v->cpu_time_ns = v->time_ns;
	v->cpu_tid = (uint32_t)gettid();
	v->count = 1;
	living->len = v->len;
	living->buf = v->buf;
	living->maker = getpid();
	living->place = tell_object(v, tell_stack(0));
}

static void record_memory_begin(struct living *living, uint32_t kind,
				const struct mem_buf_info *info)
{
	struct mem_violation v = {
		.kind = kind,
		.buf = info->id,
		.len = info->len,
	};

	memcpy(v.name, info->name, sizeof(v.name));
	record_living_begin(living, &v);
}

static void record_thing_begin(struct living *living, uint32_t kind)
{
	struct mem_violation v = { .kind = kind };

	*living = (struct living) { 0 };
	if (tell_is_on())
		record_living_begin(living, &v);
}

/**
 * tell_buf() - record a new buffer
 * @living: member of the buffer, zeroed
 * @info: the buffer
 */
void tell_buf(struct living *living, const struct mem_buf_info *info)
{
	record_memory_begin(living, TOLD_LEAKED_BUF, info);
}

/**
 * tell_registered() - record a new registration
 * @living: member of the registration, zeroed
 * @info: the registration
 */
void tell_registered(struct living *living, const struct mem_buf_info *info)
{
	record_memory_begin(living, TOLD_LEAKED_REGISTRATION, info);
}

/**
 * tell_lock() - record a new lock of an image or array
 * @living: member of the lock, zeroed
 * @info: its buffer, with the name of the image
 */
void tell_lock(struct living *living, const struct mem_buf_info *info)
{
	record_memory_begin(living, MEM_VIOLATION_MISSING_UNLOCK, info);
}

/**
 * tell_job() - record a new job
 * @living: member of the job
 */
void tell_job(struct living *living)
{
	record_thing_begin(living, TOLD_LEAKED_JOB);
}

/**
 * tell_stream() - record a new stream that the caller owns
 * @living: member of the stream
 */
void tell_stream(struct living *living)
{
	record_thing_begin(living, TOLD_LEAKED_STREAM);
}

/**
 * tell_event() - record a new event
 * @living: member of the event
 */
void tell_event(struct living *living)
{
	record_thing_begin(living, TOLD_LEAKED_EVENT);
}

/**
 * tell_named() - record the name of a buffer
 * @living: member of the buffer
 * @name: shorter than TOLD_NAME_LEN
 *
 * An entry has the name of its first buffer.
 */
void tell_named(struct living *living, const char *name)
{
	struct told_place *place;

	place = __atomic_load_n(&living->place, __ATOMIC_ACQUIRE);
	if (place && living->maker == getpid() && place->buf == living->buf)
		record_copy_text(place->record.name, name,
				 sizeof(place->record.name));
}

/**
 * tell_gone() - record that an object is destroyed
 * @living: member of the object
 */
void tell_gone(struct living *living)
{
	if (living->place && living->maker == getpid())
		tell_object_gone(living->place, living->len);
}

/**
 * tell_lasting() - do not report an object as leaked
 * @living: member of the object
 */
void tell_lasting(struct living *living)
{
	struct told_place *place;

	place = __atomic_exchange_n(&living->place, NULL, __ATOMIC_ACQ_REL);
	if (place && living->maker == getpid())
		tell_object_gone(place, living->len);
}
