// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Hash tables of call sites ("places"), for findings and for objects that
 * exist, and of the contents of buffers. Entries are written without a lock, by
 * threads that may be killed at any point.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "internal.h"

/**
 * record_of_violation() - convert a violation to a record
 * @v: violation
 *
 * Context: any.
 * Return: the record, without stacks.
 */
struct record_entry record_of_violation(const struct mem_violation *v)
{
	struct record_entry r = {
		.size = sizeof(r),
		.kind = v->kind,
		.missing = v->missing,
		.other = v->other,
		.time_ns = v->time_ns,
		.off = v->off,
		.len = v->len,
		.pid = (uint32_t)getpid(),
		.tid = v->cpu_tid,
		.is_write = v->is_write,
		.cpu_ip = v->cpu_ip,
		.cpu_addr = v->cpu_addr,
		.cpu_time_ns = v->cpu_time_ns,
		.other_time_ns = v->other_time_ns,
		.other_job = v->other_job,
		.other_stream = v->other_stream,
		.attach = v->attach,
		.attach_stream = v->attach_stream,
	};

	record_copy_text(r.comm, program_invocation_short_name, sizeof(r.comm));
	record_copy_text(r.name, v->name, sizeof(r.name));
	record_copy_text(r.other_name, v->other_name, sizeof(r.other_name));
	return r;
}

static uint64_t record_mix(uint64_t h, uint64_t n)
{
	h = (h ^ n) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

static uint64_t record_mix_text(uint64_t h, const char *text)
{
	while (*text)
		h = record_mix(h, (unsigned char)*text++);
	return h;
}

/* The module's rule, except that buffers of one name share an entry. */
static bool record_is_same_place(const struct record_entry *a,
				 const struct record_entry *b)
{
	return a->kind == b->kind && a->missing == b->missing &&
	       a->other == b->other && a->is_write == b->is_write &&
	       a->cpu_stack == b->cpu_stack &&
	       a->other_stack == b->other_stack &&
	       (a->cpu_stack || a->cpu_ip == b->cpu_ip) &&
	       !strcmp(a->name, b->name) &&
	       !strcmp(a->other_name, b->other_name) &&
	       a->kernel_stack == b->kernel_stack;
}

/* Objects of one kind that one call site created, whatever their names. */
static bool record_is_same_maker(const struct record_entry *a,
				 const struct record_entry *b)
{
	return a->kind == b->kind && a->cpu_stack == b->cpu_stack;
}

/**
 * struct table - a hash table of call sites
 * @places: entries
 * @nr: number of entries
 * @is_same: returns true if two records belong to one entry
 */
struct table {
	struct record_place *places;
	uint32_t nr;
	bool (*is_same)(const struct record_entry *a,
			const struct record_entry *b);
};

/* Fills in a new entry and publishes it. */
static void record_place_fill(struct record_place *place,
			      const struct record_entry *r,
			      const struct mem_violation *v)
{
	place->record = *r;
	place->buf = v->buf;
	atomic_init(&place->count, v->count);
	atomic_init(&place->bytes, v->len);
	atomic_init(&place->nr_bufs, 1);
	atomic_init(&place->last_buf, v->buf);
	atomic_init(&place->first_off, v->off);
	atomic_init(&place->end_off, v->off + v->len);
	atomic_store_explicit(&place->state, STACKS_READY,
			      memory_order_release);
}

static void record_lower(_Atomic uint64_t *at, uint64_t value)
{
	uint64_t seen = atomic_load(at);

	while (value < seen && !atomic_compare_exchange_weak(at, &seen, value))
		;
}

static void record_raise(_Atomic uint64_t *at, uint64_t value)
{
	uint64_t seen = atomic_load(at);

	while (value > seen && !atomic_compare_exchange_weak(at, &seen, value))
		;
}

static void record_place_add(struct record_place *place,
			     const struct mem_violation *v)
{
	atomic_fetch_add(&place->count, v->count);
	atomic_fetch_add(&place->bytes, v->len);
	if (place->buf == v->buf) {
		record_lower(&place->first_off, v->off);
		record_raise(&place->end_off, v->off + v->len);
	}
	if (atomic_exchange(&place->last_buf, v->buf) != v->buf)
		atomic_fetch_add(&place->nr_bufs, 1);
}

/*
 * Returns the entry of a record, with @v added to it, or NULL if there is no
 * room. Skips an entry that another thread is writing, or whose writer was
 * killed: a call site then has two entries, which the command merges.
 */
static struct record_place *record_place_get(struct record_tables *tables,
					     const struct table *table,
					     struct record_entry *r,
					     const struct mem_violation *v)
{
	uint64_t at = record_mix(record_mix(record_mix(r->kind, r->cpu_stack),
					    r->other_stack),
				 r->cpu_stack ? 0 : r->cpu_ip);
	uint32_t i;

	if (table->is_same == record_is_same_place)
		at = record_mix_text(at, r->name);
	for (i = 0; i < RECORD_PROBES; i++, at++) {
		struct record_place *place = &table->places[at % table->nr];
		uint32_t state = atomic_load_explicit(&place->state,
						      memory_order_acquire);

		if (state == STACKS_FREE &&
		    atomic_compare_exchange_strong(&place->state, &state,
						   STACKS_BUSY)) {
			r->seq = atomic_fetch_add(&tables->nr_seq, 1) + 1;
			record_place_fill(place, r, v);
			return place;
		}
		if (state == STACKS_READY &&
		    table->is_same(&place->record, r)) {
			record_place_add(place, v);
			return place;
		}
	}
	return NULL;
}

/**
 * record_add_finding() - add a violation to the findings
 * @tables: tables
 * @r: its record, whose @seq this call sets if the entry is new
 * @v: violation
 *
 * Context: any.
 * Return: entry of the call site; NULL: no room.
 */
struct record_place *record_add_finding(struct record_tables *tables,
					struct record_entry *r,
					const struct mem_violation *v)
{
	const struct table table = {
		tables->places, RECORD_NR_PLACES, record_is_same_place,
	};

	return record_place_get(tables, &table, r, v);
}

/**
 * record_add_object() - add an object to those that exist
 * @tables: tables
 * @r: record of the finding that it is if it is not destroyed; as in
 *	record_add_finding()
 * @v: that finding
 *
 * Context: any.
 * Return: entry of the call site that created it; NULL: no room.
 */
struct record_place *record_add_object(struct record_tables *tables,
				       struct record_entry *r,
				       const struct mem_violation *v)
{
	const struct table table = {
		tables->objects, RECORD_NR_OBJECTS, record_is_same_maker,
	};

	return record_place_get(tables, &table, r, v);
}

/* Returns the entry of a buffer, else a free one, now busy, or NULL. */
static struct record_shape *record_shape_get(struct record_tables *tables,
					     uint32_t pid,
					     uint64_t buf)
{
	uint32_t at = record_shape_at(pid, buf), i;

	for (i = 0; i < RECORD_PROBES; i++, at++) {
		struct record_shape *shape =
			&tables->shapes[at % RECORD_NR_SHAPES];
		uint32_t state = atomic_load_explicit(&shape->state,
						      memory_order_acquire);

		if (state == STACKS_READY && shape->pid == pid &&
		    shape->buf == buf)
			return shape;
		if (state == STACKS_FREE &&
		    atomic_compare_exchange_strong(&shape->state, &state,
						   STACKS_BUSY))
			return shape;
	}
	return NULL;
}

/**
 * record_add_shape() - record what a buffer contains
 * @buf: id of the buffer
 * @is_modules: the id is the module's, else this process's
 * @shape: all members except @state, @pid and @buf
 *
 * Replaces an earlier record of the buffer. If there is no room, reports show
 * only the buffer's number.
 *
 * Context: one thread per buffer at a time.
 */
void record_add_shape(uint64_t buf, bool is_modules,
		      const struct record_shape *shape)
{
	const uint32_t pid = is_modules ? 0 : (uint32_t)getpid();
	struct stacks *s = record_tables();
	struct record_shape *place;

	if (!s)
		return;
	place = record_shape_get(&s->tables, pid, buf);
	if (!place)
		return;
	place->pid = pid;
	place->buf = buf;
	memcpy(&place->type, &shape->type,
	       sizeof(*shape) - offsetof(struct record_shape, type));
	atomic_store_explicit(&place->state, STACKS_READY,
			      memory_order_release);
}
