// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: memory and frames of a producer in another process. What it sends is
 * not trusted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../image/image.h"
#include "../object/endpoint.h"
#include "serve.h"

/* Memory */

void serve_memory_fini(const struct pipe_server *server,
		       struct serve_memory *memory)
{
	/* Frames that have the image keep its memory. */
	mem_image_destroy(memory->image);
	/* The consumer may still have work on frames that were in it. */
	memory_retire(memory->buf, server->id);
	memory_retire(memory->device, server->id);
	*memory = (struct serve_memory) { .image = NULL };
}

/*
 * Returns true if frames can be in device memory, which is accessible in the
 * context of the endpoint only. The pipe's lock is held.
 */
bool serve_takes_device(const struct pipe_server *server)
{
	return server->pipe->ctxs[PIPE_CONSUMER] == server->endpoint->ctx;
}

/* Returns true if a frame is left. The pipe's lock is held. */
bool serve_has_slots(const struct pipe_server *server)
{
	const struct pipe_slot *slot = server->pipe->queue.slots;
	unsigned int i;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++)
		if (slot->server == server)
			return true;
	return false;
}

/* Returns true if a frame uses the memory. */
static bool serve_memory_is_used(const struct pipe_server *server,
				 uint32_t index)
{
	const struct pipe_slot *slot = server->pipe->queue.slots;
	bool ret = false;
	unsigned int i, j;

	pthread_mutex_lock(&server->pipe->lock);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++)
		for (j = 0; j < MEM_PLANES_MAX; j++)
			ret |= slot->server == server &&
			       slot->memories[j] == index;
	pthread_mutex_unlock(&server->pipe->lock);
	return ret;
}

static int serve_import_buf(const struct pipe_server *server, int fd,
			    struct serve_memory *memory)
{
	void *base;
	int err;

	err = mem_buf_import(server->endpoint->ctx, fd, &memory->buf);
	if (err)
		return err;
	err = mem_buf_device_ptr(memory->buf, &base);
	if (err) {
		serve_memory_fini(server, memory);
		return err;
	}
	memory->base = base;
	memory->len = memory->buf->asked_len;
	return 0;
}

static int serve_import_device(const struct pipe_server *server,
			       const struct message *message,
			       struct serve_memory *memory)
{
	const struct wire *wire = (const void *)message->bytes;
	struct mem_ctx *ctx = server->endpoint->ctx;
	const int seals = fcntl(message->fd, F_GET_SEALS);
	struct mem_buf *buf;
	bool is_taken;
	int err;

	/* The client could otherwise truncate it while engines read it. */
	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return -EBADMSG;
	pthread_mutex_lock(&server->pipe->lock);
	is_taken = serve_takes_device(server);
	pthread_mutex_unlock(&server->pipe->lock);
	if (!is_taken)
		return -EOPNOTSUPP;
	/* An error of the consumer's work is not the producer's. */
	err = memory_import(ctx, message->fd, 0, wire->memory.len,
			    wire->memory.flags, &buf);
	if (err)
		return err;
	/* The program could free it, too. */
	ctx->backend->keep(buf);
	memory->device = buf;
	memory->base = buf->device;
	memory->len = wire->memory.len;
	return 0;
}

static int serve_import_image(const struct pipe_server *server,
			      const struct message *message,
			      struct serve_memory *memory)
{
	const struct wire *wire = (const void *)message->bytes;
	const struct wire_memory *from = &wire->memory;
	const struct image_pack pack = {
		.uses = from->uses,
		.perm = from->perm,
		.format = from->format,
		.width = from->width,
		.height = from->height,
		.nr_planes = from->nr_planes,
		.list = (void *)(wire + 1),
		.list_len = message->len - sizeof(*wire),
	};
	struct image_pack own = pack;
	int err;

	if (from->nr_planes > MEM_PLANES_MAX)
		return -EBADMSG;
	wire_put_planes(own.planes, from->planes, from->nr_planes);
	err = image_unpack(server->endpoint->ctx, &own, message->fd,
			   &memory->image);
	if (!err && !image_has_ctxs(memory->image)) {
		serve_memory_fini(server, memory);
		err = -EBADMSG;
	}
	return err;
}

/* Returns a negative value if the client has broken the protocol. */
int serve_take_memory(struct pipe_server *server, const struct message *message,
		      int *err)
{
	const struct wire *wire = (const void *)message->bytes;
	struct serve_memory new = { .image = NULL };

	if (wire->memory.index >= WIRE_MEMORIES || message->fd < 0 ||
	    (wire->memory.type != WIRE_DEVICE &&
	     (wire->memory.flags || wire->memory.len)))
		return -EPROTO;
	/* The client does not know which frames the consumer holds. */
	if (serve_memory_is_used(server, wire->memory.index)) {
		*err = -EEXIST;
		return 0;
	}
	/* The client may replace memory while the consumer's work goes on. */
	if (memory_nr_retired(server->endpoint->ctx, server->id) >=
	    WIRE_MEMORIES) {
		*err = -EBUSY;
		return 0;
	}
	switch (wire->memory.type) {
	case WIRE_BUFFER:
		*err = serve_import_buf(server, message->fd, &new);
		break;
	case WIRE_IMAGE:
		*err = serve_import_image(server, message, &new);
		break;
	case WIRE_DEVICE:
		*err = serve_import_device(server, message, &new);
		break;
	default:
		return -EPROTO;
	}
	if (*err == -EBADMSG || *err == -EINVAL)
		return -EPROTO;
	if (*err)
		return 0;
	pthread_mutex_lock(&server->pipe->servers_lock);
	serve_memory_fini(server, &server->memories[wire->memory.index]);
	server->memories[wire->memory.index] = new;
	pthread_mutex_unlock(&server->pipe->servers_lock);
	return 0;
}

/* Frees what no frame uses. The lock of the servers is held. */
void serve_trim(struct pipe_server *server)
{
	uint32_t i;

	for (i = 0; i < WIRE_MEMORIES; i++)
		if (!serve_memory_is_used(server, i))
			serve_memory_fini(server, &server->memories[i]);
}

/**
 * serve_forget() - free the memory of clients that have gone
 * @pipe: pipe
 *
 * Memory of frames that the consumer holds remains.
 */
void serve_forget(struct mem_pipe *pipe)
{
	struct pipe_server *server;

	pthread_mutex_lock(&pipe->servers_lock);
	for (server = pipe->servers; server; server = server->next)
		if (server->is_cut)
			serve_trim(server);
	pthread_mutex_unlock(&pipe->servers_lock);
}

/* Frames */

/* The client has forgotten frames of before a disconnection. */
static bool serve_has_frame(const struct pipe_server *server, uint32_t index)
{
	const struct pipe_queue *queue = &server->pipe->queue;
	const struct pipe_slot *slot = queue->slots;
	unsigned int i;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++)
		if (slot->server == server && slot->index == index &&
		    !queue_is_lost(queue, slot))
			return true;
	return false;
}

static bool serve_plane_is_inside(const struct serve_memory *memory,
				  const struct mem_plane *plane)
{
	return plane->off <= memory->len &&
	       plane_len(plane) <= memory->len - plane->off;
}

/* Returns -EPROTO if the client cannot have presented it. */
static int serve_open_frame(struct pipe_server *server,
			    const struct wire_frame *from,
			    struct mem_frame *frame)
{
	struct mem_frame all = {
		.size = sizeof(all),
		.nr_planes = from->nr_planes,
		.user = (void *)(uintptr_t)from->user,
	};
	const struct serve_memory *memory;
	uint32_t i;

	if (from->index >= MEM_PIPE_FRAMES_MAX ||
	    from->nr_planes > MEM_PLANES_MAX)
		return -EPROTO;
	for (i = 0; !i || i < from->nr_planes; i++) {
		if (from->memory[i] >= WIRE_MEMORIES)
			return -EPROTO;
		memory = &server->memories[from->memory[i]];
		if (!from->nr_planes) {
			all.image = memory->image;
			continue;
		}
		if (!memory->base ||
		    !serve_plane_is_inside(memory, &from->planes[i]))
			return -EPROTO;
		all.planes[i] = from->planes[i];
		all.planes[i].base = memory->base + from->planes[i].off;
	}
	if (!from->nr_planes) {
		if (!all.image)
			return -EPROTO;
		frame_take_planes(&all);
		*frame = all;
		return 0;
	}
	return frame_take(&server->end, &all, FRAME_FROM_PROCESS, frame) ?
	       -EPROTO : 0;
}

static int serve_take_fence(const struct wire_frame *from,
			    struct message *message, struct pipe_fence *fence)
{
	const bool has_fd = message->fd >= 0;
	int err;

	*fence = (struct pipe_fence) { .fd = OWN_FD_NONE };
	if (from->has_fence != has_fd)
		return -EPROTO;
	if (!from->has_fence)
		return 0;
	if (fence_check(message->fd))
		return -EPROTO;
	err = own_fd_take(&fence->fd, message->fd);
	message->fd = -1;
	fence->is_set = true;
	fence->is_by_fd = true;
	return err;
}

bool serve_is_signalled(const struct pipe_fence *fence)
{
	struct pollfd poll_fd = { .fd = fence->fd.nr, .events = POLLIN };

	return !fence->is_set || poll(&poll_fd, 1, 0);
}

/*
 * Frees the slots of frames that the client has returned. It has done so in the
 * order in which it was notified. Returns -EPROTO if it claims too many.
 * The pipe's lock is held.
 */
int serve_collect(struct pipe_server *server)
{
	struct pipe_queue *queue = &server->pipe->queue;
	const uint32_t nr = endpoint_peer_took(server->endpoint, CREDIT_BACK);
	struct pipe_slot *slot;

	while (server->end.is_attached && server->nr_returned != nr) {
		slot = queue->done.first;
		if (!slot || !slot->is_notified || slot->server != server)
			return -EPROTO;
		pipe_slot_drop(server->pipe, queue_return(queue));
		server->nr_returned++;
	}
	return 0;
}

/* The pipe's lock is held. */
static void serve_fill(struct pipe_server *server, struct pipe_slot *slot,
		       const struct wire_frame *from,
		       const struct mem_frame *frame, struct pipe_fence *fence)
{
	struct mem_pipe *pipe = server->pipe;
	uint32_t i;

	produce_fill(&server->end, frame, slot);
	slot->is_for_other = pipe->ctxs[PIPE_CONSUMER] != server->end.ctx;
	slot->server = server;
	slot->index = from->index;
	for (i = 0; i < MEM_PLANES_MAX; i++)
		slot->memories[i] = !i || i < from->nr_planes ?
				    from->memory[i] : WIRE_MEMORIES;
	pipe_fence_fini(&slot->produced);
	slot->produced = *fence;
	fence->fd = OWN_FD_NONE;
	if (pipe->queue.flags & MEM_PIPE_SYNCHRONOUS)
		slot->is_ready = serve_is_signalled(&slot->produced);
}

static bool serve_has_device(const struct pipe_server *server,
			     const struct wire_frame *from)
{
	uint32_t i;

	for (i = 0; i < from->nr_planes; i++)
		if (server->memories[from->memory[i]].device)
			return true;
	return false;
}

/* The pipe's lock and that of the servers are held. */
static int serve_publish(struct pipe_server *server,
			 const struct wire_frame *from,
			 const struct mem_frame *frame,
			 struct pipe_fence *fence)
{
	struct pipe_queue *queue = &server->pipe->queue;
	struct pipe_slot *slot;
	int err;

	/* The consumer has disconnected, which the client did not know yet. */
	if (!server->end.is_attached)
		return 0;
	err = serve_collect(server);
	if (err)
		return err;
	/* The client knows whether it can: connected, the consumer stays. */
	if (serve_has_device(server, from) && !serve_takes_device(server))
		return -EPROTO;
	if (serve_has_frame(server, from->index) ||
	    server->refused >> from->index & 1)
		return -EPROTO;
	server->nr_published++;
	slot = queue_reserve_any(queue, &err);
	if (!slot) {
		/* Others' frames, which the consumer holds, have the slots. */
		server->refused |= 1ULL << from->index;
		return 0;
	}
	serve_fill(server, slot, from, frame, fence);
	queue_publish(queue, slot, now_ns());
	return 0;
}

/* Returns a negative value if the client has broken the protocol. */
int serve_take_frame(struct pipe_server *server, const struct wire *wire,
		     struct message *message)
{
	struct mem_pipe *pipe = server->pipe;
	struct pipe_fence fence;
	struct mem_frame frame;
	int err;

	err = serve_take_fence(&wire->frame, message, &fence);
	if (err)
		return err;
	/* The memory stays until the frame uses it. */
	pthread_mutex_lock(&pipe->servers_lock);
	err = serve_open_frame(server, &wire->frame, &frame);
	if (!err) {
		pthread_mutex_lock(&pipe->lock);
		err = serve_publish(server, &wire->frame, &frame, &fence);
		pipe_unlock(pipe, WAKE_CONSUMER | WAKE_PRODUCER);
	}
	pthread_mutex_unlock(&pipe->servers_lock);
	pipe_fence_fini(&fence);
	/* The thread polls its fence. */
	if (pipe->queue.flags & MEM_PIPE_SYNCHRONOUS)
		endpoint_poke(server->endpoint);
	return err;
}
