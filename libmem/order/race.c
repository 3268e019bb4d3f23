// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Races: jobs of two streams that touch the same byte of a buffer, one of them
 * writing, although nothing orders them. They are looked for in the buffers of
 * mem_check_order(), whose newest accesses are kept.
 *
 * What a copy or fill accesses is known exactly. Of a kernel only the first
 * read and the first store in each part of the buffer are seen, so it is
 * compared by these bytes alone: whatever is found is a race, but not every
 * race is found.
 *
 * A job notes at its submission what it is behind. If something that the model
 * does not know may have ordered two jobs, such as a semaphore, they count as
 * ordered.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../kmod/model/list.h"
#include "order.h"

/* Number of jobs whose accesses are kept for a buffer */
#define NR_ACCESSES	32
/* Number of parts of a buffer in which the touches of kernels are seen */
#define NR_PARTS	1024

/**
 * struct behind - what a job is behind
 * @nr: number of @streams
 * @streams: streams of which it is not behind all operations
 * @streams.stream: stream
 * @streams.ticket: it is behind the operations up to this ticket
 */
struct behind {
	size_t nr;
	struct {
		const struct attach_stream *stream;
		u64 ticket;
	} streams[];
};

/**
 * struct part - what a kernel has touched in a part of a buffer
 * @read: offset in the part of the first read, plus 1; 0: none was seen
 * @written: offset of the first store, likewise
 */
struct part {
	uint32_t read;
	uint32_t written;
};

/**
 * struct access - accesses of a job to a buffer
 * @party: the job, for reports
 * @stream: its stream, which may be gone
 * @ticket: its ticket
 * @seq: number of the access in the context
 * @is_reported: a race in which it is the later one has been reported
 * @is_write: copies and fills: @rows are written
 * @rows: copies and fills: accessed bytes
 * @parts: kernels: touches in each part of the buffer; else NULL
 */
struct access {
	struct race_party party;
	const struct attach_stream *stream;
	u64 ticket;
	u64 seq;
	bool is_reported;
	bool is_write;
	struct race_rows rows;
	struct part *parts;
};

/**
 * struct race - the accesses of a buffer
 * @part_len: bytes of a part, a multiple of the page size
 * @nr_parts: number of parts
 * @nr: number of accesses so far; the newest are in @all
 * @all: accesses, at their number modulo NR_ACCESSES
 */
struct race {
	uint64_t part_len;
	size_t nr_parts;
	uint64_t nr;
	struct access all[NR_ACCESSES];
};

/**
 * race_begin() - begin to look for races in a buffer
 * @buf: buffer; nothing changes if it is looked for already
 *
 * Context: takes the order lock.
 * Return: 0 or -ENOMEM.
 */
int race_begin(struct mem_buf *buf)
{
	struct order_ctx *order = buf->ctx->order;
	const uint64_t page_size = sysconf(_SC_PAGESIZE);
	const uint64_t min = (buf->len + NR_PARTS - 1) / NR_PARTS;
	struct race *race = calloc(1, sizeof(*race));
	sigset_t old;

	if (!race)
		return -ENOMEM;
	race->part_len = (min + page_size - 1) / page_size * page_size;
	race->nr_parts = (buf->len + race->part_len - 1) / race->part_len;
	order_lock(buf->ctx, &old);
	if (!buf->race) {
		__atomic_store_n(&buf->race, race, __ATOMIC_RELEASE);
		atomic_fetch_add(&order->nr_races, 1);
		race = NULL;
	}
	order_unlock(buf->ctx, &old);
	free(race);
	return 0;
}

/**
 * race_end() - forget the accesses of a buffer that no job uses any more
 * @buf: buffer of any kind
 *
 * Context: takes the order lock.
 */
void race_end(struct mem_buf *buf)
{
	struct race *race = buf->race;
	sigset_t old;
	size_t i;

	if (!race)
		return;
	order_lock(buf->ctx, &old);
	buf->race = NULL;
	atomic_fetch_sub(&buf->ctx->order->nr_races, 1);
	order_unlock(buf->ctx, &old);
	for (i = 0; i < NR_ACCESSES; i++)
		free(race->all[i].parts);
	free(race);
}

/**
 * race_part() - find the part of a buffer in which touches are told apart
 * @buf: buffer of race_begin()
 * @off: byte of the buffer
 * @len: out: length of the part, which ends with the buffer at the latest
 *
 * Return: offset of the part's first byte.
 */
uint64_t race_part(const struct mem_buf *buf, uint64_t off, uint64_t *len)
{
	const uint64_t part_len = buf->race->part_len;
	const uint64_t start = off / part_len * part_len;

	*len = buf->len - start < part_len ? buf->len - start : part_len;
	return start;
}

/* Order */

/*
 * Lists the streams with operations that a new job is not behind. Returns NULL
 * without memory: no race is found in which the job is the later one.
 */
static struct behind *behind_now(struct order_ctx *order,
				 struct attach_stream *stream)
{
	struct attach_link *link, *head = &order->model.streams;
	struct behind *behind;
	size_t max = 0;

	for (link = head->next; link != head; link = link->next)
		max++;
	behind = malloc(sizeof(*behind) + max * sizeof(behind->streams[0]));
	if (!behind)
		return NULL;
	behind->nr = 0;
	for (link = head->next; link != head; link = link->next) {
		struct attach_stream *other =
			containerof(link, struct attach_stream, in_ctx);
		u64 ticket = attach_behind(&order->model, stream, other);

		/* Others may have told the host of it. */
		if (ticket < other->signalled)
			ticket = other->signalled;
		if (other == stream || other->last <= ticket)
			continue;
		behind->streams[behind->nr].stream = other;
		behind->streams[behind->nr++].ticket = ticket;
	}
	return behind;
}

/**
 * race_submit() - note what a new job is behind
 * @order: order of its context, locked
 * @work: job, which the model has
 */
void race_submit(struct order_ctx *order, struct work *work)
{
	work->ticket = work->stream->last;
	if (!atomic_load(&order->nr_races))
		return;
	work->tid = (uint32_t)gettid();
	work->nr_passed = atomic_load(&order->nr_passed);
	work->behind = behind_now(order, work->stream);
}

/**
 * race_work_begin() - note that a job begins
 * @order: order of its context, locked
 * @work: job
 */
void race_work_begin(struct order_ctx *order, struct work *work)
{
	work->begun = order->nr_accesses;
}

/* Returns true if the job is behind an access by what the model knows. */
static bool work_is_behind(const struct work *work, const struct access *access)
{
	size_t i;

	if (access->ticket > work->ticket)
		return false;
	for (i = 0; i < work->behind->nr; i++)
		if (work->behind->streams[i].stream == access->stream)
			return access->ticket <=
			       work->behind->streams[i].ticket;
	return true;
}

static const struct attach_stream *stream_find(const struct order_ctx *order,
					       const struct attach_stream *s)
{
	const struct attach_link *link, *head = &order->model.streams;

	for (link = head->next; link != head; link = link->next)
		if (containerof(link, const struct attach_stream, in_ctx) == s)
			return s;
	return NULL;
}

/*
 * Returns true if something outside the model may have ordered the job after an
 * access: the host, or others, know now that the access is done, and may have
 * held up the job until then. They can hold up a job that has begun, or that is
 * behind a semaphore or a host function.
 */
static bool work_may_be_behind(const struct order_ctx *order,
			       const struct work *work,
			       const struct access *access)
{
	const struct attach_stream *s = stream_find(order, access->stream);
	const bool is_known = !s || access->ticket <= s->signalled ||
		access->ticket <= attach_known_of(&order->model, s);

	return is_known && (access->seq >= work->begun ||
			    atomic_load(&order->nr_passed) != work->nr_passed);
}

/* Accesses */

/* Returns true if rows contain one of the bytes of a range. */
static bool rows_meet(const struct race_rows *rows, uint64_t off, uint64_t len)
{
	uint64_t row;

	if (off + len <= rows->off)
		return false;
	row = off <= rows->off ? 0 : (off - rows->off) / rows->pitch;
	/* The range may begin in the gap behind the row. */
	if (off >= rows->off + row * rows->pitch + rows->len)
		row++;
	return row < rows->nr && rows->off + row * rows->pitch < off + len;
}

/* Returns true if an access conflicts with one of a part of the buffer. */
static bool access_meets(const struct race *race, const struct access *access,
			 uint64_t off, uint64_t len, bool is_write)
{
	uint64_t i = off / race->part_len;

	if (!access->parts)
		return (is_write || access->is_write) &&
		       rows_meet(&access->rows, off, len);
	for (; i < race->nr_parts && i * race->part_len < off + len; i++) {
		const struct part *part = &access->parts[i];
		const uint64_t start = i * race->part_len;

		/* Minus 1: the members are offsets plus 1. */
		if (part->written &&
		    start + part->written - 1 - off < len)
			return true;
		if (is_write && part->read &&
		    start + part->read - 1 - off < len)
			return true;
	}
	return false;
}

/* Returns true if nothing orders the job after an access. */
static bool work_races(const struct order_ctx *order, const struct work *work,
		       const struct access *access)
{
	return access->ticket && access->stream != work->stream &&
	       !work_is_behind(work, access) &&
	       !work_may_be_behind(order, work, access);
}

/*
 * Finds the newest job that races with an access to rows. Returns false if
 * there is none, or one was found for @own before.
 */
static bool race_find(const struct order_ctx *order, const struct race *race,
		      const struct work *work, struct access *own,
		      const struct race_rows *rows, bool is_write,
		      struct race_party *party)
{
	uint64_t i, row;

	if (own->is_reported || !work->behind)
		return false;
	for (i = race->nr; i && i + NR_ACCESSES > race->nr; i--) {
		const struct access *access =
			&race->all[(i - 1) % NR_ACCESSES];

		if (!work_races(order, work, access))
			continue;
		for (row = 0; row < rows->nr; row++) {
			if (!access_meets(race, access,
					  rows->off + row * rows->pitch,
					  rows->len, is_write))
				continue;
			*party = access->party;
			own->is_reported = true;
			return true;
		}
	}
	return false;
}

static struct access *access_add(struct order_ctx *order, struct race *race,
				 const struct work *work)
{
	struct access *access = &race->all[race->nr++ % NR_ACCESSES];

	free(access->parts);
	*access = (struct access) {
		.party = { .acting = work->acting, .tid = work->tid },
		.stream = work->stream,
		.ticket = work->ticket,
		.seq = order->nr_accesses++,
	};
	return access;
}

/* Returns the access of a kernel, or NULL without memory. */
static struct access *access_of_kernel(struct order_ctx *order,
				       struct race *race,
				       const struct work *work)
{
	struct access *access;
	struct part *parts;
	size_t i;

	for (i = 0; i < NR_ACCESSES; i++)
		if (race->all[i].ticket == work->ticket)
			return &race->all[i];
	parts = calloc(race->nr_parts, sizeof(*parts));
	if (!parts)
		return NULL;
	access = access_add(order, race, work);
	access->parts = parts;
	return access;
}

/**
 * race_touch() - note that a kernel touches a buffer, and look for a race
 * @work: job of the kernel
 * @buf: buffer of race_begin()
 * @off: first byte
 * @is_write: the touch is a store
 * @party: out: the job that it races with
 *
 * Context: caller must hold the order lock.
 * Return: true if there is one; once at most for each job and buffer.
 */
bool race_touch(const struct work *work, struct mem_buf *buf, uint64_t off,
		bool is_write, struct race_party *party)
{
	const struct race_rows byte = {
		.off = off, .pitch = 1, .len = 1, .nr = 1,
	};
	struct order_ctx *order = buf->ctx->order;
	struct race *race = buf->race;
	const uint64_t i = off / race->part_len;
	struct access *own;
	uint32_t *first;

	own = access_of_kernel(order, race, work);
	if (!own)
		return false;
	first = is_write ? &own->parts[i].written : &own->parts[i].read;
	if (!*first)
		*first = (uint32_t)(off - i * race->part_len + 1);
	return race_find(order, race, work, own, &byte, is_write, party);
}

/**
 * race_copy() - note that a copy or fill accesses a buffer, and look for a race
 * @work: its job
 * @buf: buffer
 * @rows: bytes
 * @is_write: they are written
 * @party: out: the job that it races with
 *
 * Context: takes the order lock.
 * Return: true if there is one.
 */
bool race_copy(const struct work *work, struct mem_buf *buf,
	       const struct race_rows *rows, bool is_write,
	       struct race_party *party)
{
	struct race *race = __atomic_load_n(&buf->race, __ATOMIC_ACQUIRE);
	struct order_ctx *order = buf->ctx->order;
	struct access *own;
	sigset_t old;
	bool is_race;

	if (!race)
		return false;
	order_lock(buf->ctx, &old);
	own = access_add(order, race, work);
	own->is_write = is_write;
	own->rows = *rows;
	is_race = race_find(order, race, work, own, rows, is_write, party);
	order_unlock(buf->ctx, &old);
	return is_race;
}

/**
 * race_signalled() - note that others may know the work of a stream to be done
 * @stream: stream that signals a semaphore
 * @ticket: ticket of the signal
 */
void race_signalled(struct mem_stream *stream, u64 ticket)
{
	sigset_t old;

	if (!atomic_load(&stream->ctx->order->nr_races))
		return;
	order_lock(stream->ctx, &old);
	order_model_of(stream)->signalled = ticket;
	order_unlock(stream->ctx, &old);
}

/**
 * race_passed() - note that something that the model does not know has let the
 * work of a stream go on
 * @ctx: context
 */
void race_passed(struct mem_ctx *ctx)
{
	atomic_fetch_add(&ctx->order->nr_passed, 1);
}
