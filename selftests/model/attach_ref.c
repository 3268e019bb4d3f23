// SPDX-License-Identifier: GPL-2.0-only
/*
 * See attach_ref.h. Each function implements one sentence or row of DESIGN 2.4.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach_ref.h"

/**
 * attach_ref_create() - make a context with its NULL stream
 * @board: column of the table
 *
 * Return: the context; the program ends if out of memory.
 */
struct attach_ref *attach_ref_create(enum attach_ref_board board)
{
	struct attach_ref *ref = calloc(1, sizeof(*ref));

	assert(ref);
	ref->board = board;
	attach_ref_stream_create(ref, true, false);
	return ref;
}

/**
 * attach_ref_destroy() - free a context
 * @ref: the context, or NULL
 */
void attach_ref_destroy(struct attach_ref *ref)
{
	size_t i;

	if (!ref)
		return;
	for (i = 0; i < ref->nr_ops; i++)
		free(ref->ops[i].before);
	for (i = 0; i < ATTACH_REF_BUFS; i++)
		free(ref->bufs[i].attaches);
	free(ref->ops);
	free(ref->is_found);
	free(ref);
}

/* Marks @op and all operations that are ordered before it as found. */
static void find(struct attach_ref *ref, size_t op)
{
	size_t i;

	if (ref->is_found[op])
		return;
	ref->is_found[op] = true;
	for (i = 0; i < ref->ops[op].nr_before; i++)
		find(ref, ref->ops[op].before[i]);
}

static void find_nothing(struct attach_ref *ref)
{
	if (ref->nr_ops)
		memset(ref->is_found, 0, ref->nr_ops * sizeof(*ref->is_found));
}

/*
 * Lists the direct predecessors of a new operation in @stream: the stream's
 * last one, and those by the order of the NULL stream, which all blocking
 * streams share.
 */
static size_t right_before(const struct attach_ref *ref, int stream,
			   size_t before[ATTACH_REF_STREAMS])
{
	size_t nr = 0;
	int i;

	for (i = 0; i < ref->nr_streams; i++) {
		bool is_ordered = i == stream ||
			(ref->streams[stream].is_blocking &&
			 ref->streams[i].is_blocking && (!stream || !i));

		if (is_ordered && ref->streams[i].last)
			before[nr++] = ref->streams[i].last - 1;
	}
	return nr;
}

static void find_before_now(struct attach_ref *ref, int stream)
{
	size_t before[ATTACH_REF_STREAMS];
	size_t i, nr = right_before(ref, stream, before);

	find_nothing(ref);
	for (i = 0; i < nr; i++)
		find(ref, before[i]);
}

static size_t add_op(struct attach_ref *ref, int stream,
		     enum attach_ref_what what)
{
	size_t before[ATTACH_REF_STREAMS];
	size_t nr = right_before(ref, stream, before);
	struct attach_ref_op *op;

	ref->ops = realloc(ref->ops, (ref->nr_ops + 1) * sizeof(*ref->ops));
	ref->is_found = realloc(ref->is_found,
				(ref->nr_ops + 1) * sizeof(*ref->is_found));
	assert(ref->ops && ref->is_found);
	op = &ref->ops[ref->nr_ops];
	memset(op, 0, sizeof(*op));
	op->what = what;
	op->stream = stream;
	/* there is room for one more, an event */
	op->before = calloc(nr + 1, sizeof(*before));
	assert(op->before);
	memcpy(op->before, before, nr * sizeof(*before));
	op->nr_before = nr;
	ref->streams[stream].last = ref->nr_ops + 1;
	return ref->nr_ops++;
}

/**
 * attach_ref_is_before() - check if an operation is ordered before a new one
 * @ref: the context
 * @op: the operation
 * @stream: stream of the new operation
 *
 * Return: true if so.
 */
bool attach_ref_is_before(struct attach_ref *ref, size_t op, int stream)
{
	find_before_now(ref, stream);
	return ref->is_found[op];
}

/**
 * attach_ref_waits_for_host() - check if a new operation would wait for the
 * host
 * @ref: the context
 * @stream: stream of the new operation
 *
 * Return: true if a host function before it has not returned.
 */
bool attach_ref_waits_for_host(struct attach_ref *ref, int stream)
{
	size_t i;

	find_before_now(ref, stream);
	for (i = 0; i < ref->nr_ops; i++)
		if (ref->is_found[i] &&
		    ref->ops[i].what == ATTACH_REF_HOST_FUNCTION &&
		    !ref->ops[i].has_returned)
			return true;
	return false;
}

/**
 * attach_ref_is_held() - check if an operation waits for a host function
 * @ref: the context
 * @op: the operation
 *
 * Return: true if so.
 */
bool attach_ref_is_held(struct attach_ref *ref, size_t op)
{
	size_t i;

	find_nothing(ref);
	find(ref, op);
	for (i = 0; i < ref->nr_ops; i++)
		if (i != op && ref->is_found[i] &&
		    ref->ops[i].what == ATTACH_REF_HOST_FUNCTION &&
		    !ref->ops[i].has_returned)
			return true;
	return false;
}

/**
 * attach_ref_is_active() - check if a stream is active
 * @ref: the context
 * @stream: number
 *
 * Return: true while it holds device work that is neither known done nor
 * ordered behind a host function that has not returned.
 */
bool attach_ref_is_active(struct attach_ref *ref, int stream)
{
	size_t i;

	for (i = 0; i < ref->nr_ops; i++)
		if (ref->ops[i].stream == stream &&
		    ref->ops[i].what == ATTACH_REF_WORK &&
		    !ref->ops[i].is_known && !attach_ref_is_held(ref, i))
			return true;
	return false;
}

static bool is_any_active(struct attach_ref *ref)
{
	int i;

	for (i = 0; i < ref->nr_streams; i++)
		if (attach_ref_is_active(ref, i))
			return true;
	return false;
}

static bool is_attach_known(const struct attach_ref *ref,
			    const struct attach_ref_attach *attach)
{
	return !attach->op || ref->ops[attach->op - 1].is_known;
}

static const struct attach_ref_attach *newest(const struct attach_ref_buf *buf)
{
	return &buf->attaches[buf->nr_attaches - 1];
}

/* Returns the index of the last attach that is known done. */
static size_t last_known(const struct attach_ref *ref,
			 const struct attach_ref_buf *b)
{
	size_t i, last = 0;

	for (i = 0; i < b->nr_attaches; i++)
		if (is_attach_known(ref, &b->attaches[i]))
			last = i;
	return last;
}

/**
 * attach_ref_cpu_may() - check if the CPU may access a buffer
 * @ref: the context
 * @buf: number
 *
 * Return: true if every state from the last attach that is known done to the
 * newest, in call order, allows it.
 */
bool attach_ref_cpu_may(struct attach_ref *ref, int buf)
{
	struct attach_ref_buf *b = &ref->bufs[buf];
	size_t i;

	if (ref->board == ATTACH_REF_CONCURRENT)
		return true;
	for (i = last_known(ref, b); i < b->nr_attaches; i++) {
		if (b->attaches[i].kind == ATTACH_REF_GLOBAL &&
		    is_any_active(ref))
			return false;
		if (b->attaches[i].kind == ATTACH_REF_SINGLE &&
		    attach_ref_is_active(ref, b->attaches[i].stream))
			return false;
	}
	return true;
}

/* Returns true if a new job of the stream may use the buffer, on any board. */
static bool is_visible(struct attach_ref *ref, int stream, int buf)
{
	struct attach_ref_buf *b = &ref->bufs[buf];
	size_t i, judged = 0;

	find_before_now(ref, stream);
	for (i = 0; i < b->nr_attaches; i++)
		if (is_attach_known(ref, &b->attaches[i]) ||
		    ref->is_found[b->attaches[i].op - 1])
			judged = i;
	if (b->attaches[judged].kind == ATTACH_REF_SINGLE)
		return b->attaches[judged].stream == stream;
	return b->attaches[judged].kind == ATTACH_REF_GLOBAL;
}

/**
 * attach_ref_job_may() - check if a job may access a buffer
 * @ref: the context
 * @stream: number; the job is submitted now
 * @buf: number
 *
 * Return: true if the newest attach, in call order, that is ordered before it
 * or known done allows it.
 */
bool attach_ref_job_may(struct attach_ref *ref, int stream, int buf)
{
	return ref->board == ATTACH_REF_CONCURRENT ||
	       is_visible(ref, stream, buf);
}

/* Returns true if an attach since the last known one permits a job's access. */
static bool may_have_been_seen(const struct attach_ref *ref,
			       const struct attach_ref_buf *b, int stream)
{
	size_t i, last = last_known(ref, b);

	for (i = last; i < b->nr_attaches; i++)
		if (b->attaches[i].kind == ATTACH_REF_GLOBAL ||
		    (b->attaches[i].kind == ATTACH_REF_SINGLE &&
		     b->attaches[i].stream == stream))
			return true;
	return false;
}

/*
 * Returns true if work that is not known done may have seen the buffer, except
 * work that is ordered before the attach @op - 1.
 */
static bool is_seen_still(struct attach_ref *ref,
			  const struct attach_ref_buf *b, size_t op)
{
	size_t i;

	find_nothing(ref);
	if (op)
		find(ref, op - 1);
	for (i = 0; i < ref->nr_ops; i++)
		if (ref->ops[i].what == ATTACH_REF_WORK &&
		    !ref->ops[i].is_known && !ref->is_found[i] &&
		    may_have_been_seen(ref, b, ref->ops[i].stream))
			return true;
	return false;
}

/*
 * Counts a GPU clean and a CPU invalidate, if a job has seen the buffer since
 * the last ones, or was not known done then. @op: operation of the attach, or
 * 0.
 */
static void gpu_clean(struct attach_ref *ref, struct attach_ref_buf *b,
		      size_t op)
{
	if (!b->is_seen)
		return;
	b->is_seen = is_seen_still(ref, b, op);
	b->count.gpu_cleans++;
	if (ref->board == ATTACH_REF_NONCOHERENT)
		b->count.cpu_invalidates++;
}

/* Applies the rows of the table in which the CPU loses or gets access. */
static void rights_change(struct attach_ref *ref)
{
	int i;

	for (i = 0; i < ref->nr_bufs; i++) {
		struct attach_ref_buf *b = &ref->bufs[i];
		bool may = b->exists && attach_ref_cpu_may(ref, i);

		if (!b->exists || may == b->has_access)
			continue;
		b->has_access = may;
		if (may) {
			gpu_clean(ref, b, 0);
			b->count.restored++;
		} else {
			b->count.revoked++;
		}
	}
}

static void add_attach(struct attach_ref *ref, int buf,
		       struct attach_ref_attach attach)
{
	struct attach_ref_buf *b = &ref->bufs[buf];
	bool was_host, is_host = attach.kind == ATTACH_REF_HOST;

	was_host = b->nr_attaches && newest(b)->kind == ATTACH_REF_HOST;
	b->attaches = realloc(b->attaches, (b->nr_attaches + 1) *
					   sizeof(*b->attaches));
	assert(b->attaches);
	b->attaches[b->nr_attaches++] = attach;
	if (b->nr_attaches == 1 || was_host == is_host ||
	    ref->board == ATTACH_REF_CONCURRENT)
		return;
	if (is_host) {
		b->count.to_cpu++;
		gpu_clean(ref, b, attach.op);
	} else {
		b->count.to_gpu++;
		if (ref->board == ATTACH_REF_NONCOHERENT)
			b->count.cleans++;
	}
}

/**
 * attach_ref_stream_create() - make a stream
 * @ref: the context
 * @is_blocking: ordered with the NULL stream
 * @is_foreign: of another API: its work uses no managed memory, and a wait for
 *	the device does not include it
 *
 * Return: its number.
 */
int attach_ref_stream_create(struct attach_ref *ref, bool is_blocking,
			     bool is_foreign)
{
	assert(ref->nr_streams < ATTACH_REF_STREAMS);
	ref->streams[ref->nr_streams].is_blocking = is_blocking;
	ref->streams[ref->nr_streams].is_foreign = is_foreign;
	return ref->nr_streams++;
}

/**
 * attach_ref_stream_destroy() - destroy a stream, with an attach of each buffer
 * @ref: the context
 * @stream: number
 *
 * The implicit attach follows the stream's last operation.
 *
 * Return: 0, or -EINVAL if the stream cannot be destroyed.
 */
int attach_ref_stream_destroy(struct attach_ref *ref, int stream)
{
	int i;

	if (!stream || ref->streams[stream].is_destroyed)
		return -EINVAL;
	ref->streams[stream].is_destroyed = true;
	for (i = 0; i < ref->nr_bufs; i++) {
		struct attach_ref_buf *b = &ref->bufs[i];
		struct attach_ref_attach attach = {
			.kind = b->fallback,
			.op = ref->streams[stream].last,
		};

		if (b->exists && newest(b)->kind == ATTACH_REF_SINGLE &&
		    newest(b)->stream == stream)
			add_attach(ref, i, attach);
	}
	rights_change(ref);
	return 0;
}

/**
 * attach_ref_buf_create() - make a buffer
 * @ref: the context
 * @kind: attach state of the buffer
 *
 * Return: its number.
 */
int attach_ref_buf_create(struct attach_ref *ref, enum attach_ref_kind kind)
{
	int buf = ref->nr_bufs++;
	struct attach_ref_attach attach = { .kind = kind };

	assert(buf < ATTACH_REF_BUFS);
	ref->bufs[buf].exists = true;
	ref->bufs[buf].fallback = kind;
	add_attach(ref, buf, attach);
	ref->bufs[buf].has_access = attach_ref_cpu_may(ref, buf);
	return buf;
}

/**
 * attach_ref_buf_destroy() - destroy a buffer
 * @ref: the context
 * @buf: number
 */
void attach_ref_buf_destroy(struct attach_ref *ref, int buf)
{
	ref->bufs[buf].exists = false;
}

/**
 * attach_ref_work() - submit device work
 * @ref: the context
 * @stream: number
 *
 * Return: 0, -EINVAL if the stream is destroyed.
 */
int attach_ref_work(struct attach_ref *ref, int stream)
{
	int i;

	if (ref->streams[stream].is_destroyed)
		return -EINVAL;
	if (ref->streams[stream].is_foreign) {
		add_op(ref, stream, ATTACH_REF_OTHER);
		return 0;
	}
	for (i = 0; i < ref->nr_bufs; i++) {
		struct attach_ref_buf *b = &ref->bufs[i];

		if (!b->exists || ref->board == ATTACH_REF_CONCURRENT ||
		    !is_visible(ref, stream, i))
			continue;
		b->is_seen = true;
		b->count.gpu_invalidates++;
		if (ref->board == ATTACH_REF_NONCOHERENT)
			b->count.cleans++;
	}
	add_op(ref, stream, ATTACH_REF_WORK);
	rights_change(ref);
	return 0;
}

/**
 * attach_ref_attach() - submit an attach
 * @ref: the context
 * @stream: number; for ATTACH_REF_SINGLE also the stream to attach to
 * @buf: number
 * @kind: new state
 *
 * Return: 0, -EINVAL if the stream is destroyed.
 */
int attach_ref_attach(struct attach_ref *ref, int stream, int buf,
		      enum attach_ref_kind kind)
{
	struct attach_ref_attach attach = { .kind = kind, .stream = stream };

	if (ref->streams[stream].is_destroyed)
		return -EINVAL;
	attach.op = add_op(ref, stream, ATTACH_REF_OTHER) + 1;
	add_attach(ref, buf, attach);
	rights_change(ref);
	return 0;
}

/**
 * attach_ref_host() - submit a host function
 * @ref: the context
 * @stream: number
 * @op: out: its number
 *
 * Return: 0, -EINVAL if the stream is destroyed.
 */
int attach_ref_host(struct attach_ref *ref, int stream, size_t *op)
{
	if (ref->streams[stream].is_destroyed)
		return -EINVAL;
	*op = add_op(ref, stream, ATTACH_REF_HOST_FUNCTION);
	return 0;
}

/* Marks found operations as known done, or fails if this is impossible. */
static int found_is_known(struct attach_ref *ref)
{
	size_t i;

	for (i = 0; i < ref->nr_ops; i++)
		if (ref->is_found[i] &&
		    ref->ops[i].what == ATTACH_REF_HOST_FUNCTION &&
		    !ref->ops[i].has_returned)
			return -EBUSY;
	for (i = 0; i < ref->nr_ops; i++)
		if (ref->is_found[i])
			ref->ops[i].is_known = true;
	rights_change(ref);
	return 0;
}

/**
 * attach_ref_host_begin() - call a host function: earlier work is known done
 * @ref: the context
 * @op: number of the function
 *
 * Return: 0; -EINVAL if it was called before; -EBUSY if it must still wait.
 */
int attach_ref_host_begin(struct attach_ref *ref, size_t op)
{
	size_t i;
	int err;

	if (ref->ops[op].has_begun)
		return -EINVAL;
	find_nothing(ref);
	for (i = 0; i < ref->ops[op].nr_before; i++)
		find(ref, ref->ops[op].before[i]);
	err = found_is_known(ref);
	if (!err)
		ref->ops[op].has_begun = true;
	return err;
}

/**
 * attach_ref_host_return() - return from a host function, which is then known
 * done
 * @ref: the context
 * @op: number of the function
 *
 * Return: 0; -EINVAL if it has not begun.
 */
int attach_ref_host_return(struct attach_ref *ref, size_t op)
{
	if (!ref->ops[op].has_begun)
		return -EINVAL;
	ref->ops[op].has_returned = true;
	ref->ops[op].is_known = true;
	rights_change(ref);
	return 0;
}

/**
 * attach_ref_record() - record an event
 * @ref: the context
 * @event: number
 * @stream: number
 *
 * Return: 0, -EINVAL if the stream is destroyed.
 */
int attach_ref_record(struct attach_ref *ref, int event, int stream)
{
	if (ref->streams[stream].is_destroyed)
		return -EINVAL;
	ref->events[event] = add_op(ref, stream, ATTACH_REF_OTHER) + 1;
	return 0;
}

/**
 * attach_ref_wait() - let a stream wait for an event
 * @ref: the context
 * @stream: number
 * @event: number
 *
 * Return: 0, -EINVAL if the stream is destroyed.
 */
int attach_ref_wait(struct attach_ref *ref, int stream, int event)
{
	struct attach_ref_op *op;

	if (ref->streams[stream].is_destroyed)
		return -EINVAL;
	add_op(ref, stream, ATTACH_REF_OTHER);
	op = &ref->ops[ref->nr_ops - 1];
	if (ref->events[event])
		op->before[op->nr_before++] = ref->events[event] - 1;
	return 0;
}

/**
 * attach_ref_sync_device() - let the host wait for all operations
 * @ref: the context, whose foreign streams are waited for, too, but become
 *	known done only if an operation of another stream is behind them
 *
 * Return: 0; -EBUSY if the wait cannot end now.
 */
int attach_ref_sync_device(struct attach_ref *ref)
{
	size_t i;

	find_nothing(ref);
	for (i = 0; i < ref->nr_ops; i++) {
		if (ref->ops[i].what == ATTACH_REF_HOST_FUNCTION &&
		    !ref->ops[i].has_returned)
			return -EBUSY;
		if (!ref->streams[ref->ops[i].stream].is_foreign)
			find(ref, i);
	}
	return found_is_known(ref);
}

/**
 * attach_ref_sync_stream() - let the host wait for a stream
 * @ref: the context
 * @stream: number
 *
 * Return: 0; -EINVAL if it is destroyed; -EBUSY if the wait cannot end now.
 */
int attach_ref_sync_stream(struct attach_ref *ref, int stream)
{
	if (ref->streams[stream].is_destroyed)
		return -EINVAL;
	find_before_now(ref, stream);
	return found_is_known(ref);
}

/**
 * attach_ref_sync_event() - let the host wait for an event
 * @ref: the context
 * @event: number
 *
 * Return: 0; -EBUSY if the wait cannot end now.
 */
int attach_ref_sync_event(struct attach_ref *ref, int event)
{
	find_nothing(ref);
	if (ref->events[event])
		find(ref, ref->events[event] - 1);
	return found_is_known(ref);
}
