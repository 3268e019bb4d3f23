// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: pipes and their ends: creation, connection, disconnection, and what
 * is asked about them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../image/store.h"
#include "../object/endpoint.h"
#include "pipe.h"

#define ALL_FLAGS	(MEM_PIPE_NO_REUSE | MEM_PIPE_SYNCHRONOUS | \
			 MEM_PIPE_RESET)

/* Pipes */

/* Takes a reference. */
struct mem_pipe *pipe_get(struct mem_pipe *pipe)
{
	atomic_fetch_add(&pipe->nr_users, 1);
	return pipe;
}

static void pipe_free(struct mem_pipe *pipe)
{
	unsigned int i;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++) {
		pipe_fence_fini(&pipe->queue.slots[i].produced);
		pipe_fence_fini(&pipe->queue.slots[i].consumed);
	}
	if (pipe->client)
		client_free(pipe->client);
	servers_fini(pipe);
	frame_forget(pipe);
	for (i = 0; i < NR_PIPE_ROLES; i++) {
		if (pipe->ctxs[i])
			ctx_put(pipe->ctxs[i]);
		pthread_cond_destroy(&pipe->changed[i]);
	}
	pthread_mutex_destroy(&pipe->lock);
	pthread_mutex_destroy(&pipe->maps_lock);
	pthread_mutex_destroy(&pipe->servers_lock);
	free(pipe);
}

/**
 * pipe_put() - drop a reference; the last one frees the pipe
 * @pipe: pipe without attached ends, if it is the last one; its lock is not
 *	held
 */
void pipe_put(struct mem_pipe *pipe)
{
	struct mem_ctx *ctx = pipe->ctx;

	if (atomic_fetch_sub(&pipe->nr_users, 1) != 1)
		return;
	/* In a child, locks may be held by threads that do not exist there. */
	if (!ctx_is_forked(ctx))
		pipe_free(pipe);
	ctx_put(ctx);
}

static void pipe_init_locks(struct mem_pipe *pipe)
{
	pthread_condattr_t monotonic;
	unsigned int i;

	pthread_mutex_init(&pipe->lock, NULL);
	pthread_mutex_init(&pipe->maps_lock, NULL);
	pthread_mutex_init(&pipe->servers_lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	for (i = 0; i < NR_PIPE_ROLES; i++)
		pthread_cond_init(&pipe->changed[i], &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static int pipe_take_params(const struct mem_pipe_params *from,
			    struct mem_pipe_params *params)
{
	int err;

	memset(params, 0, sizeof(*params));
	if (!from)
		return 0;
	err = struct_in(params, sizeof(*params), from,
			offsetofend(struct mem_pipe_params, latency_ns));
	if (err)
		return err;
	if (params->length > MEM_PIPE_FRAMES_MAX || params->reserved ||
	    params->flags & ~ALL_FLAGS ||
	    (params->flags & MEM_PIPE_SYNCHRONOUS && !params->length) ||
	    params->timeout_ns == MEM_PIPE_TIMEOUT)
		return -EINVAL;
	return 0;
}

/**
 * pipe_new() - allocate a pipe
 * @ctx: context
 * @pipe: out: a mailbox with one reference
 *
 * Return: 0 or -ENOMEM.
 */
int pipe_new(struct mem_ctx *ctx, struct mem_pipe **pipe)
{
	static atomic_ullong last_nr;
	struct mem_pipe *new = calloc(1, sizeof(*new));
	unsigned int i;

	if (!new)
		return -ENOMEM;
	pipe_init_locks(new);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++) {
		new->queue.slots[i].produced.fd = OWN_FD_NONE;
		new->queue.slots[i].consumed.fd = OWN_FD_NONE;
	}
	atomic_init(&new->nr_users, 1);
	new->ctx = ctx_get(ctx);
	new->nr = atomic_fetch_add(&last_nr, 1) + 1;
	*pipe = new;
	return 0;
}

API int mem_pipe_create(struct mem_ctx *ctx,
			const struct mem_pipe_params *params,
			struct mem_pipe **pipe)
{
	struct mem_pipe_params all;
	struct mem_pipe *new;
	int err;

	if (!ctx || !pipe)
		return -EINVAL;
	err = pipe_take_params(params, &all);
	if (!err)
		err = ctx_check(ctx);
	if (!err)
		err = pipe_new(ctx, &new);
	if (err)
		return err;
	new->queue.length = all.length;
	new->queue.flags = all.flags;
	new->timeout_ns = all.timeout_ns;
	new->latency_ns = all.latency_ns;
	*pipe = new;
	return 0;
}

API void mem_pipe_destroy(struct mem_pipe *pipe)
{
	if (pipe)
		pipe_put(pipe);
}

/* What the files of pipes share */

/**
 * pipe_check() - check whether an end may move a frame now
 * @end: end
 * @stream: stream of the call
 *
 * Return: 0, -EXDEV (the stream is of another context), or as
 * mem_stream_sync().
 */
int pipe_check(const struct mem_pipe_end *end, const struct mem_stream *stream)
{
	return stream->ctx == end->ctx ? ctx_check(end->ctx) : -EXDEV;
}

/**
 * pipe_wait() - wait until the end may have to go on
 * @end: end; its pipe's lock is held, but not while the thread sleeps
 * @deadline: CLOCK_MONOTONIC, or MEM_WAIT_FOREVER
 *
 * Return: 0, or -ETIMEDOUT.
 */
int pipe_wait(struct mem_pipe_end *end, uint64_t deadline)
{
	const struct timespec until = {
		.tv_sec = (time_t)(deadline / NS_PER_S),
		.tv_nsec = (long)(deadline % NS_PER_S),
	};
	struct mem_pipe *pipe = end->pipe;
	pthread_cond_t *changed = &pipe->changed[end->role];
	int err;

	if (end->role == PIPE_CONSUMER && serve_wait(pipe, deadline))
		return deadline_is_over(deadline) ? -ETIMEDOUT : 0;
	pipe->nr_waiters[end->role]++;
	if (deadline == MEM_WAIT_FOREVER)
		err = pthread_cond_wait(changed, &pipe->lock);
	else
		err = pthread_cond_timedwait(changed, &pipe->lock, &until);
	pipe->nr_waiters[end->role]--;
	return err ? -ETIMEDOUT : 0;
}

/**
 * pipe_unlock() - release a pipe's lock and wake threads that wait
 * @pipe: pipe, to which the caller has a reference
 * @wake: WAKE_CONSUMER, WAKE_PRODUCER
 */
void pipe_unlock(struct mem_pipe *pipe, unsigned int wake)
{
	unsigned int i;

	if (queue_settle(&pipe->queue))
		wake |= WAKE_PRODUCER;
	if (wake & WAKE_PRODUCER && pipe->server)
		serve_notify(pipe);
	if (wake & WAKE_CONSUMER && pipe->server)
		serve_wake(pipe);
	for (i = 0; i < NR_PIPE_ROLES; i++)
		if (!pipe->nr_waiters[i])
			wake &= ~(1U << i);
	pthread_mutex_unlock(&pipe->lock);
	/* Afterwards, since a woken thread needs the lock at once. */
	for (i = 0; i < NR_PIPE_ROLES; i++)
		if (wake >> i & 1)
			pthread_cond_broadcast(&pipe->changed[i]);
}

/**
 * pipe_slot_drop() - forget a frame
 * @pipe: pipe; its lock is held
 * @slot: slot, which is in no list
 */
void pipe_slot_drop(struct mem_pipe *pipe, struct pipe_slot *slot)
{
	const bool is_lost = queue_is_lost(&pipe->queue, slot);

	watch_end(slot, is_lost);
	if (slot->maps[0])
		frame_unmap(pipe, slot);
	if (slot->store)
		store_put(slot->store);
	slot->store = NULL;
	slot->server = NULL;
	slot->is_notified = false;
	queue_free(&pipe->queue, slot);
	/* The next end may be of another context. */
	if (is_lost) {
		pipe_fence_fini(&slot->produced);
		pipe_fence_fini(&slot->consumed);
	} else {
		pipe_fence_clear(&slot->produced);
		pipe_fence_clear(&slot->consumed);
	}
}

/**
 * pipe_record() - record what happens to a frame, for the timeline
 * @pipe: pipe; frames of a client are protected by its endpoint's lock, others
 *	by the pipe's, and it is held, so that records are in their order
 * @op: what
 * @place: &struct pipe_slot or &struct client_frame of the frame; NULL: all
 * @number: number of the frame, 0 unknown
 * @stream: stream of the call, or NULL
 * @begin_ns: begin of the call, from record_begin()
 */
void pipe_record(const struct mem_pipe *pipe, enum record_frame_op op,
		 const void *place, uint64_t number,
		 const struct mem_stream *stream, uint64_t begin_ns)
{
	const struct record_frame frame = {
		.pipe = pipe->nr,
		.id = (uintptr_t)place,
		.number = number,
		.stream = stream ? stream->id : 0,
		.begin_ns = begin_ns,
	};

	record_frame(op, &frame);
}

/* Ends */

static void pipe_drop_frames(struct mem_pipe *pipe, enum pipe_role role)
{
	struct pipe_slot *slot = pipe->queue.slots;
	unsigned int i;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++) {
		if (slot->state == SLOT_FREE) {
			pipe_fence_fini(&slot->produced);
			pipe_fence_fini(&slot->consumed);
		} else if (slot->state != SLOT_BUSY &&
			   (slot->state != SLOT_HELD ||
			    role == PIPE_CONSUMER)) {
			pipe_slot_drop(pipe, slot);
		} else if (slot->state == SLOT_HELD && slot->watch.is_shared) {
			watch_end(slot, true);
		}
	}
}

/**
 * end_detach() - disconnect an end
 * @end: end
 *
 * Return: false if the end has been disconnected before.
 */
bool end_detach(struct mem_pipe_end *end)
{
	struct mem_pipe *pipe = end->pipe;
	bool was_attached;

	if (pipe->client)
		return client_detach(end);
	pthread_mutex_lock(&pipe->lock);
	was_attached = end->is_attached;
	if (was_attached) {
		end->is_attached = false;
		queue_disconnect(&pipe->queue, end->role);
		pipe_drop_frames(pipe, end->role);
		if (pipe->server && pipe->server != end->server) {
			serve_cut(pipe->server);
			pipe->queue.is_connected[PIPE_PRODUCER] = false;
		}
		pipe->server = NULL;
		pipe_record(pipe, end->role == PIPE_CONSUMER ?
			    RECORD_FRAME_LOSE_ALL : RECORD_FRAME_LOSE,
			    NULL, 0, NULL, record_begin());
	}
	pipe_unlock(pipe, WAKE_CONSUMER | WAKE_PRODUCER);
	if (was_attached)
		frame_forget(pipe);
	return was_attached;
}

static void end_closed(struct ctx_hook *hook)
{
	end_detach(containerof(hook, struct mem_pipe_end, hook));
}

/* Returns 0 if an end may connect. The pipe's lock is held. */
static int end_check(struct pipe_queue *queue, enum pipe_role role)
{
	if (queue->is_disconnected)
		return -EPIPE;
	if (queue->is_connected[role])
		return -EISCONN;
	if (role == PIPE_CONSUMER)
		return 0;
	/* A real stream takes no producer after this any more. */
	if (!queue->is_connected[PIPE_CONSUMER])
		queue->is_spoiled = true;
	return queue->is_spoiled ? -ENOTCONN : 0;
}

/* The pipe's lock is held. */
static int end_attach_locked(struct mem_pipe_end *end, struct mem_ctx **old)
{
	struct mem_pipe *pipe = end->pipe;
	int err;

	err = end_check(&pipe->queue, end->role);
	if (err)
		return err;
	*old = pipe->ctxs[end->role];
	pipe->ctxs[end->role] = ctx_get(end->ctx);
	pipe->queue.is_connected[end->role] = true;
	if (end->server)
		pipe->server = end->server;
	end->is_attached = true;
	return 0;
}

/**
 * end_attach() - connect an end
 * @end: end
 * @width: of the frames, if it is the producer
 * @height: of the frames, if it is the producer
 *
 * Return: 0, or an error as documented for mem_pipe_connect_producer().
 */
int end_attach(struct mem_pipe_end *end, uint32_t width, uint32_t height)
{
	struct mem_pipe *pipe = end->pipe;
	struct mem_ctx *old = NULL;
	int err;

	pthread_mutex_lock(&pipe->lock);
	err = end_attach_locked(end, &old);
	if (!err && end->role == PIPE_PRODUCER) {
		pipe->width = width;
		pipe->height = height;
	}
	pthread_mutex_unlock(&pipe->lock);
	if (old)
		ctx_put(old);
	return err;
}

static void end_free(struct mem_pipe_end *end)
{
	struct mem_ctx *ctx = end->ctx;

	if (!ctx_is_forked(ctx))
		ctx_hook_del(ctx, &end->hook);
	pipe_put(end->pipe);
	free(end);
	ctx_put(ctx);
}

static int end_create(struct mem_pipe *pipe, struct mem_ctx *ctx,
		      enum pipe_role role, struct mem_pipe_end **end)
{
	struct mem_pipe_end *new;
	int err;

	err = ctx_check(ctx);
	if (!err && (ctx->backend != pipe->ctx->backend ||
		     ctx->board != pipe->ctx->board))
		err = -EXDEV;
	if (err)
		return err;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->pipe = pipe_get(pipe);
	new->ctx = ctx_get(ctx);
	new->role = role;
	new->hook.closed = end_closed;
	ctx_hook_add(ctx, &new->hook);
	*end = new;
	return 0;
}

/* @width, @height: of the frames, if the end is the producer */
static int end_connect(struct mem_pipe *pipe, struct mem_ctx *ctx,
		       enum pipe_role role, uint32_t width, uint32_t height,
		       struct mem_pipe_end **end)
{
	struct mem_pipe_end *new;
	int err;

	if (!pipe || !ctx || !end)
		return -EINVAL;
	if (pipe->client && role == PIPE_CONSUMER)
		return -EOPNOTSUPP;
	err = end_create(pipe, ctx, role, &new);
	if (err)
		return err;
	err = pipe->client ? client_connect(new, width, height) :
			     end_attach(new, width, height);
	if (err)
		end_free(new);
	else
		*end = new;
	return err;
}

API int mem_pipe_connect_consumer(struct mem_pipe *pipe, struct mem_ctx *ctx,
				  struct mem_pipe_end **end)
{
	return end_connect(pipe, ctx, PIPE_CONSUMER, 0, 0, end);
}

API int mem_pipe_connect_producer(struct mem_pipe *pipe, struct mem_ctx *ctx,
				  uint32_t width, uint32_t height,
				  struct mem_pipe_end **end)
{
	return end_connect(pipe, ctx, PIPE_PRODUCER, width, height, end);
}

API int mem_pipe_disconnect(struct mem_pipe_end *end)
{
	int cancel;
	bool was_attached;

	if (!end)
		return -EINVAL;
	if (ctx_is_forked(end->ctx))
		return -EPERM;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	was_attached = end_detach(end);
	pthread_setcancelstate(cancel, NULL);
	return was_attached ? 0 : -ENOTCONN;
}

API void mem_pipe_end_destroy(struct mem_pipe_end *end)
{
	int cancel;

	if (!end)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (!ctx_is_forked(end->ctx))
		end_detach(end);
	end_free(end);
	pthread_setcancelstate(cancel, NULL);
}

/* Settings and state */

/**
 * pipe_check_change() - check whether a pipe may be changed now
 * @pipe: pipe
 *
 * Return: 0, or -EPERM in a host function or a child process.
 */
int pipe_check_change(const struct mem_pipe *pipe)
{
	const int err = sched_check_call();

	if (err)
		return err;
	return ctx_is_forked(pipe->ctx) ? -EPERM : 0;
}

/**
 * pipe_reset() - discard the frames of a pipe
 * @pipe: pipe
 *
 * Return: 0, or -EACCES.
 */
int pipe_reset(struct mem_pipe *pipe)
{
	if (!(pipe->queue.flags & MEM_PIPE_RESET))
		return -EACCES;
	pthread_mutex_lock(&pipe->lock);
	queue_reset(&pipe->queue);
	pipe_unlock(pipe, WAKE_PRODUCER);
	return 0;
}

API int mem_pipe_reset(struct mem_pipe *pipe)
{
	int err, cancel;

	if (!pipe)
		return -EINVAL;
	err = pipe_check_change(pipe);
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (pipe->client) {
		err = client_reset(pipe->client);
	} else {
		serve_catch_up(pipe);
		err = pipe_reset(pipe);
	}
	pthread_setcancelstate(cancel, NULL);
	return err;
}

API int mem_pipe_set_timeout(struct mem_pipe *pipe, uint64_t timeout_ns)
{
	int err;

	if (!pipe || timeout_ns == MEM_PIPE_TIMEOUT)
		return -EINVAL;
	err = pipe_check_change(pipe);
	if (err)
		return err;
	if (pipe->client)
		return client_set_timeout(pipe->client, timeout_ns);
	pthread_mutex_lock(&pipe->lock);
	pipe->timeout_ns = timeout_ns;
	pthread_mutex_unlock(&pipe->lock);
	return 0;
}

API int mem_pipe_set_latency(struct mem_pipe *pipe, uint64_t latency_ns)
{
	int err;

	if (!pipe)
		return -EINVAL;
	err = pipe_check_change(pipe);
	if (err)
		return err;
	if (pipe->client)
		return client_set_latency(pipe->client, latency_ns);
	pthread_mutex_lock(&pipe->lock);
	pipe->latency_ns = latency_ns;
	pthread_mutex_unlock(&pipe->lock);
	return 0;
}

static uint32_t pipe_nr_held(const struct pipe_queue *queue)
{
	uint32_t nr = 0;
	unsigned int i;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++)
		nr += queue->slots[i].state == SLOT_HELD;
	return nr;
}

/**
 * pipe_fill_info() - return the state of a pipe
 * @pipe: pipe; its lock is held
 * @info: out: state, except for the size
 */
void pipe_fill_info(struct mem_pipe *pipe, struct mem_pipe_info *info)
{
	const struct pipe_queue *queue = &pipe->queue;

	info->state = queue_state(queue);
	info->length = queue->length;
	info->flags = queue->flags;
	info->width = pipe->width;
	info->height = pipe->height;
	info->nr_active = queue->nr_active;
	info->nr_waiting = queue->waiting.nr;
	info->nr_held = pipe_nr_held(queue);
	info->nr_returnable = queue->done.nr;
	info->timeout_ns = pipe->timeout_ns;
	info->latency_ns = pipe->latency_ns;
	info->producer_frame = queue->producer_frame;
	info->consumer_frame = queue->consumer_frame;
	info->now_ns = now_ns();
	info->producer_time_ns = queue->producer_time_ns;
	info->consumer_time_ns = queue->consumer_time_ns;
	info->measured_latency_ns = queue->measured_latency_ns;
	info->nr_replaced = queue->nr_replaced;
}

API int mem_pipe_info(struct mem_pipe *pipe, struct mem_pipe_info *info)
{
	struct mem_pipe_info all = { 0 };
	int err = 0;

	if (!pipe || !info ||
	    struct_check(info, offsetofend(struct mem_pipe_info, nr_replaced)))
		return -EINVAL;
	if (ctx_is_forked(pipe->ctx))
		return -EPERM;
	if (pipe->client) {
		err = client_info(pipe->client, &all);
	} else {
		serve_catch_up(pipe);
		pthread_mutex_lock(&pipe->lock);
		pipe_fill_info(pipe, &all);
		pthread_mutex_unlock(&pipe->lock);
	}
	if (!err)
		struct_out(info, &all, sizeof(all));
	return err;
}

API int mem_pipe_end_info(struct mem_pipe_end *end, struct mem_pipe_info *info)
{
	return end ? mem_pipe_info(end->pipe, info) : -EINVAL;
}
