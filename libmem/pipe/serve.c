// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: the side of a pipe's owner, if the producer is in another process. A
 * server imports that process's memory and does to the queue what a producer of
 * this process would do. Its messages are processed by a thread of the server,
 * since a mailbox is to replace frames while the consumer is busy, and by the
 * calls of the consumer, which therefore see all that was sent before.
 *
 * What the other process sends is not trusted. One that breaks the protocol is
 * disconnected.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../image/image.h"
#include "../object/endpoint.h"
#include "wire.h"

/* Most messages that one call processes */
#define SERVE_MAX	(4 * MEM_ENDPOINT_QUEUE)
/* Longest wait for a client that reads nothing, before its messages are read */
#define BEHIND_NS	(20 * NS_PER_S / 1000)

/**
 * struct serve_memory - memory that the client has announced
 * @image: image; NULL: it is a buffer, or there is none
 * @buf: buffer; NULL: it is an image, or there is none
 * @base: its address for engines
 */
struct serve_memory {
	struct mem_image *image;
	struct mem_buf *buf;
	uint8_t *base;
};

/**
 * struct pipe_server - serves the producer's process
 * @next: next of the pipe
 * @pipe: pipe, without a reference
 * @endpoint: connection, owned by the server
 * @end: producer of the queue, in the context of @endpoint
 * @thread: processes messages until the client has gone
 * @is_cut: the client has gone, or was disconnected
 * @is_over: the thread has ended
 * @memories: memory, in the context of @endpoint; protected by the pipe's
 *	servers_lock
 * @lock: held while messages are processed; protects @has_answer and @answer
 * @has_answer: @answer has not been sent yet, so no message is processed
 * @answer: answer to a request
 * @nr_users: calls that use the server; like all below protected by the pipe's
 *	lock
 * @nr_published: frames that had a place in the fifo
 * @refused: bits of frames, by index, that had no slot and are to be returned
 * @is_behind: something could not be sent yet
 */
struct pipe_server {
	struct pipe_server *next;
	struct mem_pipe *pipe;
	struct mem_endpoint *endpoint;
	struct mem_pipe_end end;
	pthread_t thread;
	atomic_bool is_cut;
	atomic_bool is_over;
	struct serve_memory memories[WIRE_MEMORIES];

	pthread_mutex_t lock;
	bool has_answer;
	struct wire answer;

	unsigned int nr_users;
	uint32_t nr_published;
	uint64_t refused;
	bool is_behind;
};

/* Memory */

static void serve_memory_fini(struct serve_memory *memory)
{
	/* Frames that have the image keep its memory. */
	mem_image_destroy(memory->image);
	mem_buf_destroy(memory->buf);
	*memory = (struct serve_memory) { .image = NULL };
}

/* Returns true if a frame is left. The pipe's lock is held. */
static bool serve_has_slots(const struct pipe_server *server)
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

static int serve_import_buf(struct mem_ctx *ctx, int fd,
			    struct serve_memory *memory)
{
	void *base;
	int err;

	err = mem_buf_import(ctx, fd, &memory->buf);
	if (err)
		return err;
	err = mem_buf_device_ptr(memory->buf, &base);
	if (err)
		serve_memory_fini(memory);
	else
		memory->base = base;
	return err;
}

static int serve_import_image(struct mem_ctx *ctx,
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
	err = image_unpack(ctx, &own, message->fd, &memory->image);
	if (!err && !image_has_ctxs(memory->image)) {
		serve_memory_fini(memory);
		err = -EBADMSG;
	}
	return err;
}

/* Returns a negative value if the client has broken the protocol. */
static int serve_take_memory(struct pipe_server *server,
			     const struct message *message, int *err)
{
	const struct wire *wire = (const void *)message->bytes;
	struct mem_ctx *ctx = server->endpoint->ctx;
	struct serve_memory new = { .image = NULL };

	if (wire->memory.index >= WIRE_MEMORIES || message->fd < 0 ||
	    wire->memory.is_image > 1 || wire->memory.reserved ||
	    serve_memory_is_used(server, wire->memory.index))
		return -EPROTO;
	*err = wire->memory.is_image ?
	       serve_import_image(ctx, message, &new) :
	       serve_import_buf(ctx, message->fd, &new);
	if (*err == -EBADMSG || *err == -EINVAL)
		return -EPROTO;
	if (*err)
		return 0;
	pthread_mutex_lock(&server->pipe->servers_lock);
	serve_memory_fini(&server->memories[wire->memory.index]);
	server->memories[wire->memory.index] = new;
	pthread_mutex_unlock(&server->pipe->servers_lock);
	return 0;
}

/* Frees what no frame uses. The lock of the servers is held. */
static void serve_trim(struct pipe_server *server)
{
	uint32_t i;

	for (i = 0; i < WIRE_MEMORIES; i++)
		if (!serve_memory_is_used(server, i))
			serve_memory_fini(&server->memories[i]);
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

static struct pipe_slot *serve_find(const struct pipe_server *server,
				    uint32_t index)
{
	struct pipe_slot *slot = server->pipe->queue.slots;
	unsigned int i;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++)
		if (slot->server == server && slot->index == index)
			return slot;
	return NULL;
}

static bool serve_plane_is_inside(const struct serve_memory *memory,
				  const struct mem_plane *plane)
{
	const uint64_t len = memory->buf->asked_len;

	return plane->off <= len && plane_len(plane) <= len - plane->off;
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
		if (!memory->buf ||
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
	return frame_take(&server->end, &all, true, frame) ? -EPROTO : 0;
}

static int serve_take_fence(const struct wire_frame *from,
			    struct message *message, struct pipe_fence *fence)
{
	int err;

	*fence = (struct pipe_fence) { .fd = OWN_FD_NONE };
	if (from->has_fence != (message->fd >= 0))
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

static bool fence_is_signalled(const struct pipe_fence *fence)
{
	struct pollfd poll_fd = { .fd = fence->fd.nr, .events = POLLIN };

	return !fence->is_set || poll(&poll_fd, 1, 0);
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
		slot->is_ready = fence_is_signalled(&slot->produced);
}

/* The pipe's lock is held. */
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
	if (serve_find(server, from->index) ||
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

static int serve_take_frame(struct pipe_server *server,
			    const struct wire *wire, struct message *message)
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

/* The client has these frames back. */
static int serve_take_returned(struct pipe_server *server, uint64_t returned)
{
	struct mem_pipe *pipe = server->pipe;
	struct pipe_slot *slot;
	uint32_t i;
	int err = 0;

	pthread_mutex_lock(&pipe->lock);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX && server->end.is_attached; i++) {
		if (!(returned >> i & 1))
			continue;
		slot = serve_find(server, i);
		if (!slot || !slot->is_told || slot->state != SLOT_DONE) {
			err = -EPROTO;
			break;
		}
		queue_return_one(&pipe->queue, slot);
		pipe_slot_drop(pipe, slot);
	}
	pthread_mutex_unlock(&pipe->lock);
	return err;
}

/* Requests */

static int serve_connect(struct pipe_server *server, const struct wire *wire)
{
	struct mem_pipe *pipe = server->pipe;
	int cancel;

	if (server->end.is_attached)
		return -EISCONN;
	pthread_mutex_lock(&pipe->lock);
	server->nr_published = 0;
	server->refused = 0;
	pthread_mutex_unlock(&pipe->lock);
	endpoint_enter(server->endpoint, &cancel);
	endpoint_set_taken(server->endpoint, CREDIT_ROOM, 0);
	endpoint_leave(server->endpoint, cancel);
	return end_attach(&server->end, wire->size.width, wire->size.height);
}

static int serve_request(struct pipe_server *server,
			 const struct message *message, int *err)
{
	const struct wire *wire = (const void *)message->bytes;
	struct mem_pipe *pipe = server->pipe;

	switch (wire->type) {
	case WIRE_INFO:
		*err = 0;
		return 0;
	case WIRE_CONNECT:
		*err = serve_connect(server, wire);
		return 0;
	case WIRE_DISCONNECT:
		*err = end_detach(&server->end) ? 0 : -ENOTCONN;
		return 0;
	case WIRE_RESET:
		*err = pipe_reset(pipe);
		return 0;
	case WIRE_TIMEOUT:
		*err = mem_pipe_set_timeout(pipe, wire->value);
		return 0;
	case WIRE_LATENCY:
		*err = mem_pipe_set_latency(pipe, wire->value);
		return 0;
	case WIRE_MEMORY:
		return serve_take_memory(server, message, err);
	default:
		return -EPROTO;
	}
}

static void serve_answer(struct pipe_server *server, uint64_t seq, int err)
{
	const struct mem_ctx *ctx = server->pipe->ctx;
	struct wire *answer = &server->answer;
	int cancel;

	memset(answer, 0, sizeof(*answer));
	answer->magic = WIRE_MAGIC;
	answer->type = WIRE_ANSWER;
	answer->seq = seq;
	answer->answer.err = err;
	answer->answer.backend = ctx->backend->id;
	strncpy(answer->answer.board, board_name(ctx->board),
		sizeof(answer->answer.board) - 1);
	pthread_mutex_lock(&server->pipe->lock);
	pipe_fill_info(server->pipe, &answer->answer.info);
	pthread_mutex_unlock(&server->pipe->lock);
	endpoint_enter(server->endpoint, &cancel);
	server->has_answer = wire_send(server->endpoint, answer, NULL, 0, -1,
				       now_ns()) != 0;
	endpoint_leave(server->endpoint, cancel);
}

/* Returns a negative value if the client has broken the protocol. */
static int serve_message(struct pipe_server *server, struct message *message)
{
	const struct wire *wire = wire_open(message);
	int ret, err;

	if (!wire || (message->fd >= 0 && wire->type != WIRE_MEMORY &&
		      wire->type != WIRE_PRESENT))
		return -EPROTO;
	if (wire->type == WIRE_PRESENT)
		return serve_take_frame(server, wire, message);
	if (wire->type == WIRE_RETURNED)
		return serve_take_returned(server, wire->returned);
	ret = serve_request(server, message, &err);
	if (!ret)
		serve_answer(server, wire->seq, err);
	return ret;
}

/* What the client is told */

static int serve_send_done(struct pipe_server *server, uint32_t index,
			   const struct pipe_slot *slot)
{
	struct wire wire = {
		.magic = WIRE_MAGIC,
		.type = WIRE_DONE,
		.done.index = index,
	};
	int fd = -1;

	if (slot) {
		wire.done.number = slot->frame.number;
		wire.done.id = slot->frame.id;
		wire.done.time_ns = slot->frame.time_ns;
		wire.done.has_fence = slot->consumed.is_set;
		if (slot->consumed.is_set)
			fd = slot->consumed.fd.nr;
	}
	return wire_send(server->endpoint, &wire, NULL, 0, fd, now_ns());
}

/* Returns false if something is left to be sent. */
static bool serve_send_all(struct pipe_server *server)
{
	struct pipe_slot *slot = server->pipe->queue.done.first;
	uint32_t i;

	for (; slot; slot = slot->next) {
		if (slot->is_told || slot->server != server)
			continue;
		if (serve_send_done(server, slot->index, slot))
			return false;
		slot->is_told = true;
	}
	for (i = 0; server->refused >> i; i++) {
		if (!(server->refused >> i & 1))
			continue;
		if (serve_send_done(server, i, NULL))
			return false;
		server->refused &= ~(1ULL << i);
	}
	return true;
}

/**
 * serve_tell() - tell the client which frames it can have back
 * @pipe: pipe with a server; its lock is held
 *
 * Does not wait: if the client reads nothing, the server's thread tries again.
 */
void serve_tell(struct mem_pipe *pipe)
{
	struct pipe_server *server = pipe->server;
	struct mem_endpoint *endpoint = server->endpoint;
	bool is_behind;
	int cancel;

	endpoint_enter(endpoint, &cancel);
	if (pipe->queue.length)
		endpoint_set_taken(endpoint, CREDIT_ROOM,
				   server->nr_published -
				   pipe->queue.waiting.nr);
	is_behind = !serve_send_all(server);
	endpoint_leave(endpoint, cancel);
	if (is_behind && !server->is_behind) {
		server->is_behind = true;
		endpoint_poke(endpoint);
	}
}

/**
 * serve_cut() - end the connection
 * @server: server; its producer is not connected any more
 */
void serve_cut(struct pipe_server *server)
{
	int cancel;

	server->end.is_attached = false;
	endpoint_enter(server->endpoint, &cancel);
	endpoint_break(server->endpoint);
	endpoint_leave(server->endpoint, cancel);
	server->is_cut = true;
}

/* Processing */

/* Processes messages that have arrived. Returns false if the client has gone. */
static bool serve_messages(struct pipe_server *server)
{
	struct mem_endpoint *endpoint = server->endpoint;
	struct message *message;
	int cancel, nr = 0, err = 0;
	bool is_gone;

	endpoint_enter(endpoint, &cancel);
	endpoint_drain(endpoint);
	while (!err && !server->has_answer && nr++ < (int)SERVE_MAX &&
	       !endpoint->is_gone && (message = endpoint_pop(endpoint))) {
		pthread_mutex_unlock(&endpoint->lock);
		err = serve_message(server, message);
		message_free(message);
		pthread_mutex_lock(&endpoint->lock);
	}
	if (err)
		endpoint_break(endpoint);
	is_gone = endpoint->is_gone;
	endpoint_leave(endpoint, cancel);
	return !is_gone;
}

/* A frame of a synchronous fifo is new once the producer's work has ended. */
static void serve_ready(struct mem_pipe *pipe)
{
	struct pipe_slot *slot = pipe->queue.slots;
	unsigned int i;

	pthread_mutex_lock(&pipe->lock);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++)
		if (slot->server && slot->state == SLOT_WAITING)
			slot->is_ready = slot->is_ready ||
					 fence_is_signalled(&slot->produced);
	pipe_unlock(pipe, WAKE_CONSUMER);
}

static void serve(struct pipe_server *server)
{
	bool is_there;

	pthread_mutex_lock(&server->lock);
	is_there = serve_messages(server);
	pthread_mutex_unlock(&server->lock);
	if (!is_there) {
		server->is_cut = true;
		end_detach(&server->end);
	} else if (server->pipe->queue.flags & MEM_PIPE_SYNCHRONOUS) {
		serve_ready(server->pipe);
	}
}

/**
 * serve_catch_up() - process what a producer of another process has sent
 * @pipe: pipe; no lock is held
 */
void serve_catch_up(struct mem_pipe *pipe)
{
	struct pipe_server *server;

	pthread_mutex_lock(&pipe->lock);
	server = pipe->server;
	if (server)
		server->nr_users++;
	pthread_mutex_unlock(&pipe->lock);
	if (!server)
		return;
	serve(server);
	pthread_mutex_lock(&pipe->lock);
	server->nr_users--;
	pthread_mutex_unlock(&pipe->lock);
}

/* The thread */

/* Fills in the fences of frames that are not ready. Returns their number. */
static nfds_t serve_fences(struct pipe_server *server, struct pollfd *fds)
{
	const struct pipe_slot *slot = server->pipe->queue.slots;
	unsigned int i;
	nfds_t nr = 0;

	pthread_mutex_lock(&server->pipe->lock);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++)
		if (slot->server == server && slot->state == SLOT_WAITING &&
		    !slot->is_ready)
			fds[nr++] = (struct pollfd) {
				.fd = slot->produced.fd.nr,
				.events = POLLIN,
			};
	pthread_mutex_unlock(&server->pipe->lock);
	return nr;
}

/* Returns true if something is left to be sent. */
static bool serve_is_behind(struct pipe_server *server)
{
	bool ret;
	int cancel;

	endpoint_enter(server->endpoint, &cancel);
	server->endpoint->is_poked = false;
	endpoint_leave(server->endpoint, cancel);
	pthread_mutex_lock(&server->pipe->lock);
	ret = server->is_behind;
	server->is_behind = false;
	pthread_mutex_unlock(&server->pipe->lock);
	pthread_mutex_lock(&server->lock);
	ret |= server->has_answer;
	pthread_mutex_unlock(&server->lock);
	return ret;
}

static void serve_send_again(struct pipe_server *server)
{
	struct mem_endpoint *endpoint = server->endpoint;
	struct mem_pipe *pipe = server->pipe;
	int cancel;

	endpoint_enter(endpoint, &cancel);
	endpoint_wait_send(endpoint, deadline_of(BEHIND_NS));
	endpoint_leave(endpoint, cancel);
	pthread_mutex_lock(&server->lock);
	if (server->has_answer) {
		endpoint_enter(endpoint, &cancel);
		server->has_answer = wire_send(endpoint, &server->answer, NULL,
					       0, -1, now_ns()) != 0;
		endpoint_leave(endpoint, cancel);
	}
	pthread_mutex_unlock(&server->lock);
	pthread_mutex_lock(&pipe->lock);
	pipe_unlock(pipe, WAKE_PRODUCER);
}

static void *serve_main(void *arg)
{
	struct pollfd fds[MEM_PIPE_FRAMES_MAX + 1];
	struct pipe_server *server = arg;

	while (!server->is_cut) {
		fds[0] = (struct pollfd) {
			.fd = server->endpoint->poll.nr,
			.events = POLLIN,
		};
		if (serve_is_behind(server))
			serve_send_again(server);
		else if (poll(fds, serve_fences(server, fds + 1) + 1, -1) < 0 &&
			 errno != EINTR)
			server->is_cut = true;
		serve(server);
	}
	server->is_over = true;
	return NULL;
}

/* Servers */

static void server_free(struct pipe_server *server)
{
	uint32_t i;

	pthread_join(server->thread, NULL);
	for (i = 0; i < WIRE_MEMORIES; i++)
		serve_memory_fini(&server->memories[i]);
	mem_endpoint_close(server->endpoint);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

/* Frees servers whose client has gone. The lock of the servers is held. */
static void servers_reap(struct mem_pipe *pipe)
{
	struct pipe_server **at = &pipe->servers, *server;
	bool is_used;

	while ((server = *at)) {
		pthread_mutex_lock(&pipe->lock);
		is_used = server->nr_users || serve_has_slots(server);
		pthread_mutex_unlock(&pipe->lock);
		if (!server->is_over || is_used) {
			at = &server->next;
			continue;
		}
		*at = server->next;
		server_free(server);
	}
}

/**
 * servers_fini() - end all servers of a pipe
 * @pipe: pipe that is being freed
 */
void servers_fini(struct mem_pipe *pipe)
{
	struct pipe_server *server;

	while ((server = pipe->servers)) {
		serve_cut(server);
		pipe->servers = server->next;
		server_free(server);
	}
}

static int server_start(struct pipe_server *server)
{
	sigset_t old;
	int err;

	signals_block(&old);
	err = pthread_create(&server->thread, NULL, serve_main, server);
	signals_restore(&old);
	if (err)
		return -ENOMEM;
	pthread_setname_np(server->thread, "libmem-pipe");
	return 0;
}

static int server_create(struct mem_pipe *pipe, struct mem_endpoint *endpoint)
{
	struct pipe_server *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	new->pipe = pipe;
	new->endpoint = endpoint;
	new->end.pipe = pipe;
	new->end.ctx = endpoint->ctx;
	new->end.role = PIPE_PRODUCER;
	new->end.server = new;
	pthread_mutex_init(&new->lock, NULL);
	pthread_mutex_lock(&pipe->servers_lock);
	servers_reap(pipe);
	endpoint->limit[CREDIT_ROOM] = pipe->queue.length;
	endpoint->is_of_pipe = true;
	err = server_start(new);
	if (!err) {
		new->next = pipe->servers;
		pipe->servers = new;
	}
	pthread_mutex_unlock(&pipe->servers_lock);
	if (err) {
		endpoint->is_of_pipe = false;
		pthread_mutex_destroy(&new->lock);
		free(new);
	}
	return err;
}

API int mem_pipe_export(struct mem_pipe *pipe, struct mem_endpoint *endpoint)
{
	int err, cancel;

	if (!pipe || !endpoint)
		return -EINVAL;
	err = pipe_check_change(pipe);
	if (!err)
		err = endpoint_check(endpoint);
	if (err)
		return err;
	if (pipe->client)
		return -EOPNOTSUPP;
	if (endpoint->ctx->backend != pipe->ctx->backend ||
	    endpoint->ctx->board != pipe->ctx->board)
		return -EXDEV;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = server_create(pipe, endpoint);
	pthread_setcancelstate(cancel, NULL);
	return err;
}
