// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: a producer whose pipe is in the consumer's process. It counts the
 * room of a fifo and the active frames itself, so that a present needs no
 * answer; the server decides everything else. The endpoint's lock protects the
 * state, and threads that wait read for each other as endpoint_wait() says.
 *
 * What the other process sends is not trusted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../image/image.h"
#include "../object/endpoint.h"
#include "wire.h"

/* Longest wait for the answer to a request; the thread there is never busy. */
#define ANSWER_NS	(10 * NS_PER_S)
/* Least time to send something, while another thread sends */
#define SEND_NS		(10 * NS_PER_S / 1000)
/* Longest wait for that to a disconnection, whose result does not matter */
#define GOODBYE_NS	NS_PER_S
#define MAX_ERRNO	4095

/**
 * enum client_state - where a frame is
 * @CLIENT_FREE: there is no frame
 * @CLIENT_BUSY: a call has it, on its way to another state
 * @CLIENT_ACTIVE: presented
 * @CLIENT_DONE: in the list of frames to be returned
 * @CLIENT_RETURNED: returned, which the server has not been told yet
 */
enum client_state {
	CLIENT_FREE,
	CLIENT_BUSY,
	CLIENT_ACTIVE,
	CLIENT_DONE,
	CLIENT_RETURNED
};

/**
 * struct client_memory - memory of the producer's context
 * @nr_users: frames that use it
 * @is_known: the server has it
 * @store: of an image, with a reference; NULL: it is a buffer
 * @id: id of the buffer
 */
struct client_memory {
	atomic_uint nr_users;
	bool is_known;
	struct store *store;
	uint64_t id;
};

/**
 * struct client_frame - an active frame
 * @state: enum client_state
 * @session: as in struct pipe_client, when it was presented
 * @next: next that is done
 * @frame: as it was presented; with number, id and time once it is done
 * @store: the image's, with a reference; NULL: the frame has planes
 * @memories: memory of the frame; NULL after the last one
 * @consumed: end of the consumer's work
 */
struct client_frame {
	enum client_state state;
	uint64_t session;
	struct client_frame *next;
	struct mem_frame frame;
	struct store *store;
	struct client_memory *memories[MEM_PLANES_MAX];
	struct pipe_fence consumed;
};

/**
 * struct pipe_client - a pipe of another process
 * @pipe: the object for the program
 * @endpoint: connection, owned by the client
 * @call_lock: held during a request; protects @seq and @memories
 * @seq: number of the newest request
 * @memories: memory that the server has
 * @end: connected producer, or NULL; like all below protected by the endpoint's
 *	lock
 * @session: number of disconnections
 * @answer_seq: request of @answer
 * @answer: newest answer
 * @nr_active: frames that were presented and not returned
 * @returned: bits of frames in state CLIENT_RETURNED
 * @is_flushing: a thread tells the server of such frames
 * @done: oldest frame that can be returned
 * @last_done: newest; valid if @done is not NULL
 * @frames: frames, by their index
 */
struct pipe_client {
	struct mem_pipe *pipe;
	struct mem_endpoint *endpoint;

	pthread_mutex_t call_lock;
	uint64_t seq;
	struct client_memory memories[WIRE_MEMORIES];

	struct mem_pipe_end *end;
	uint64_t session;
	uint64_t answer_seq;
	struct wire_answer answer;
	uint32_t nr_active;
	uint64_t returned;
	bool is_flushing;
	struct client_frame *done;
	struct client_frame *last_done;
	struct client_frame frames[MEM_PIPE_FRAMES_MAX];
};

static uint32_t client_index(const struct pipe_client *client,
			     const struct client_frame *own)
{
	return (uint32_t)(own - client->frames);
}

/* Frames. The endpoint's lock is held. */

/* The server does not use the frame any more. */
static void client_free_frame(struct client_frame *own)
{
	unsigned int i;

	for (i = 0; i < MEM_PLANES_MAX; i++) {
		if (own->memories[i])
			atomic_fetch_sub(&own->memories[i]->nr_users, 1);
		own->memories[i] = NULL;
	}
	if (own->store)
		store_put(own->store);
	own->store = NULL;
	pipe_fence_fini(&own->consumed);
	own->state = CLIENT_FREE;
}

static bool client_is_lost(const struct pipe_client *client,
			   const struct client_frame *own)
{
	return own->session != client->session || client->endpoint->is_gone;
}

static void client_done(struct pipe_client *client, struct client_frame *own)
{
	own->state = CLIENT_DONE;
	own->next = NULL;
	if (client->done)
		client->last_done->next = own;
	else
		client->done = own;
	client->last_done = own;
}

/* Messages. The endpoint's lock is held. */

static int client_take_done(struct pipe_client *client,
			    const struct wire_done *done,
			    struct message *message)
{
	struct client_frame *own;
	int err = 0;

	/* It was sent before the disconnection. */
	if (!client->end)
		return 0;
	if (done->index >= MEM_PIPE_FRAMES_MAX || done->has_fence > 1 ||
	    done->has_fence != (message->fd >= 0))
		return -EPROTO;
	own = &client->frames[done->index];
	if (own->state != CLIENT_ACTIVE)
		return -EPROTO;
	if (done->has_fence) {
		if (fence_check(message->fd))
			return -EPROTO;
		err = own_fd_take(&own->consumed.fd, message->fd);
		message->fd = -1;
		own->consumed.is_set = true;
		own->consumed.is_by_fd = true;
	}
	own->frame.number = done->number;
	own->frame.id = done->id;
	own->frame.time_ns = done->time_ns;
	client_done(client, own);
	return err;
}

static int client_take_answer(struct pipe_client *client,
			      const struct wire *wire)
{
	const struct wire_answer *answer = &wire->answer;

	if (answer->err > 0 || answer->err < -MAX_ERRNO ||
	    answer->info.state > MEM_PIPE_DISCONNECTED ||
	    answer->info.length > MEM_PIPE_FRAMES_MAX)
		return -EPROTO;
	client->answer = *answer;
	client->answer.board[sizeof(answer->board) - 1] = 0;
	client->answer_seq = wire->seq;
	return 0;
}

static int client_take(struct pipe_client *client, struct message *message)
{
	const struct wire *wire = wire_open(message);

	if (!wire)
		return -EPROTO;
	if (wire->type == WIRE_DONE)
		return client_take_done(client, &wire->done, message);
	if (wire->type != WIRE_ANSWER || message->fd >= 0)
		return -EPROTO;
	return client_take_answer(client, wire);
}

/* Processes messages that have arrived. */
static void client_take_all(struct pipe_client *client)
{
	struct mem_endpoint *endpoint = client->endpoint;
	struct message *message;
	int err = 0;

	while (!err && (message = endpoint_pop(endpoint))) {
		err = client_take(client, message);
		message_free(message);
		/* What other threads wait for may hold now. */
		pthread_cond_broadcast(&endpoint->changed);
	}
	if (err)
		endpoint_break(endpoint);
}

/**
 * struct client_wait - what a thread waits for
 * @client: client
 * @has: condition
 * @arg: its argument
 */
struct client_wait {
	const struct pipe_client *client;
	bool (*has)(const struct pipe_client *client, uint64_t arg);
	uint64_t arg;
};

static bool client_has(const struct mem_endpoint *endpoint, const void *arg)
{
	const struct client_wait *wait = arg;

	return endpoint->first || wait->has(wait->client, wait->arg);
}

/*
 * Processes messages until a condition holds. Returns 0, -ETIMEDOUT, -EPIPE or
 * -ENOMEM.
 */
static int client_wait(struct pipe_client *client,
		       bool (*has)(const struct pipe_client *client,
				   uint64_t arg),
		       uint64_t arg, uint64_t deadline)
{
	const struct client_wait wait = { client, has, arg };
	int err = 0;

	endpoint_drain(client->endpoint);
	for (;;) {
		client_take_all(client);
		if (has(client, arg))
			return 0;
		if (err)
			return err;
		err = endpoint_wait(client->endpoint, client_has, &wait,
				    deadline);
	}
}

static int client_send(struct pipe_client *client, struct wire *wire,
		       const void *tail, size_t tail_len, int fd,
		       uint64_t deadline)
{
	const uint64_t least = deadline_of(SEND_NS);

	wire->magic = WIRE_MAGIC;
	return wire_send(client->endpoint, wire, tail, tail_len, fd,
			 deadline > least ? deadline : least);
}

/*
 * Tells the server which frames have been returned. On failure that is done
 * later.
 */
static int client_flush(struct pipe_client *client, uint64_t deadline)
{
	struct wire wire = { .type = WIRE_RETURNED };
	uint64_t session = client->session;
	uint32_t i;
	int err;

	if (!client->returned || client->is_flushing)
		return 0;
	client->is_flushing = true;
	wire.returned = client->returned;
	err = client_send(client, &wire, NULL, 0, -1, deadline);
	client->is_flushing = false;
	if (err || session != client->session)
		return err;
	client->returned &= ~wire.returned;
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++)
		if (wire.returned >> i & 1)
			client_free_frame(&client->frames[i]);
	return 0;
}

/* Requests */

static bool client_has_answer(const struct pipe_client *client, uint64_t seq)
{
	return client->answer_seq == seq;
}

/* Makes a request and waits for the answer. The call lock is held. */
static int client_call(struct pipe_client *client, struct wire *wire,
		       const void *tail, size_t tail_len, int fd,
		       uint64_t deadline)
{
	int cancel, err;

	endpoint_enter(client->endpoint, &cancel);
	err = client_flush(client, deadline);
	wire->seq = ++client->seq;
	if (!err)
		err = client_send(client, wire, tail, tail_len, fd, deadline);
	if (!err)
		err = client_wait(client, client_has_answer, wire->seq,
				  deadline);
	if (!err)
		err = client->answer.err;
	endpoint_leave(client->endpoint, cancel);
	return err;
}

static int client_request(struct pipe_client *client, struct wire *wire,
			  uint64_t timeout_ns)
{
	int err;

	pthread_mutex_lock(&client->call_lock);
	err = client_call(client, wire, NULL, 0, -1, deadline_of(timeout_ns));
	pthread_mutex_unlock(&client->call_lock);
	return err;
}

/**
 * client_reset() - discard the frames of the pipe
 * @client: client
 *
 * Return: as mem_pipe_reset().
 */
int client_reset(struct pipe_client *client)
{
	struct wire wire = { .type = WIRE_RESET };

	return client_request(client, &wire, ANSWER_NS);
}

/**
 * client_set_timeout() - set the time-out of acquires
 * @client: client
 * @timeout_ns: time-out
 *
 * Return: as mem_pipe_set_timeout().
 */
int client_set_timeout(struct pipe_client *client, uint64_t timeout_ns)
{
	struct wire wire = { .type = WIRE_TIMEOUT, .value = timeout_ns };

	return client_request(client, &wire, ANSWER_NS);
}

/**
 * client_set_latency() - set the latency that is announced
 * @client: client
 * @latency_ns: latency
 *
 * Return: as mem_pipe_set_latency().
 */
int client_set_latency(struct pipe_client *client, uint64_t latency_ns)
{
	struct wire wire = { .type = WIRE_LATENCY, .value = latency_ns };

	return client_request(client, &wire, ANSWER_NS);
}

/**
 * client_info() - return the state of the pipe
 * @client: client
 * @info: out: state; the last known one, but disconnected and without frames,
 *	if the other process has gone
 *
 * Return: 0, or as mem_pipe_info().
 */
int client_info(struct pipe_client *client, struct mem_pipe_info *info)
{
	struct wire wire = { .type = WIRE_INFO };
	int err;

	pthread_mutex_lock(&client->call_lock);
	err = client_call(client, &wire, NULL, 0, -1, deadline_of(ANSWER_NS));
	*info = client->answer.info;
	pthread_mutex_unlock(&client->call_lock);
	if (err != -EPIPE)
		return err;
	info->state = MEM_PIPE_DISCONNECTED;
	info->nr_active = 0;
	info->nr_waiting = 0;
	info->nr_held = 0;
	info->nr_returnable = 0;
	info->now_ns = now_ns();
	return 0;
}

/* Ends */

/**
 * client_connect() - connect the producer
 * @end: new end
 * @width: of the frames
 * @height: of the frames
 *
 * Return: as mem_pipe_connect_producer().
 */
int client_connect(struct mem_pipe_end *end, uint32_t width, uint32_t height)
{
	struct pipe_client *client = end->pipe->client;
	struct wire wire = {
		.type = WIRE_CONNECT,
		.size = { width, height },
	};
	int cancel, err;

	err = client_request(client, &wire, ANSWER_NS);
	if (err)
		return err;
	endpoint_enter(client->endpoint, &cancel);
	client->endpoint->nr_sent[CREDIT_ROOM] = 0;
	client->end = end;
	end->is_attached = true;
	endpoint_leave(client->endpoint, cancel);
	return 0;
}

/* All frames are the producer's again. The endpoint's lock is held. */
static void client_drop_frames(struct pipe_client *client)
{
	struct client_frame *own = client->frames;
	unsigned int i;

	client->end = NULL;
	client->session++;
	client->done = NULL;
	client->returned = 0;
	client->nr_active = 0;
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, own++)
		if (own->state != CLIENT_FREE && own->state != CLIENT_BUSY)
			client_free_frame(own);
}

/**
 * client_detach() - disconnect the producer
 * @end: end
 *
 * Return: false if it has been disconnected before.
 */
bool client_detach(struct mem_pipe_end *end)
{
	struct pipe_client *client = end->pipe->client;
	struct wire wire = { .type = WIRE_DISCONNECT };
	bool was_attached;
	int cancel;

	endpoint_enter(client->endpoint, &cancel);
	was_attached = end->is_attached;
	end->is_attached = false;
	if (was_attached)
		client_drop_frames(client);
	pthread_cond_broadcast(&client->endpoint->changed);
	endpoint_leave(client->endpoint, cancel);
	if (was_attached)
		client_request(client, &wire, GOODBYE_NS);
	return was_attached;
}

/* Memory. The call lock is held. */

static struct client_memory *client_find(struct pipe_client *client,
					 const struct store *store, uint64_t id)
{
	struct client_memory *memory = client->memories;
	unsigned int i;

	for (i = 0; i < WIRE_MEMORIES; i++, memory++)
		if (memory->is_known && memory->store == store &&
		    memory->id == id)
			return memory;
	return NULL;
}

/* Returns a place for new memory, preferably that of a destroyed image. */
static struct client_memory *client_place(struct pipe_client *client)
{
	struct client_memory *memory = client->memories, *best = NULL;
	unsigned int i;

	for (i = 0; i < WIRE_MEMORIES; i++, memory++) {
		if (atomic_load(&memory->nr_users))
			continue;
		if (memory->store && atomic_load(&memory->store->nr_users) == 1)
			return memory;
		if (!best || (best->is_known && !memory->is_known))
			best = memory;
	}
	return best;
}

static void client_memory_fini(struct client_memory *memory)
{
	if (memory->store)
		store_put(memory->store);
	memory->store = NULL;
	memory->is_known = false;
}

static void client_put_pack(const struct image_pack *pack,
			    struct wire_memory *to)
{
	to->is_image = 1;
	to->perm = pack->perm;
	to->format = pack->format;
	to->width = pack->width;
	to->height = pack->height;
	to->nr_planes = pack->nr_planes;
	to->uses = pack->uses;
	wire_put_planes(to->planes, pack->planes, pack->nr_planes);
}

static int client_announce_image(struct pipe_client *client,
				 struct mem_image *image, struct wire *wire)
{
	struct image_pack pack;
	int fd, err;

	err = image_pack(image, &pack, &fd);
	if (err)
		return err;
	client_put_pack(&pack, &wire->memory);
	err = client_call(client, wire, pack.list, pack.list_len, fd,
			  deadline_of(ANSWER_NS));
	fd_close(fd);
	free(pack.list);
	return err;
}

static int client_announce_buf(struct pipe_client *client, struct mem_buf *buf,
			       struct wire *wire)
{
	int fd, err;

	err = mem_buf_export_as(buf, buf->is_read_only ? MEM_READ : MEM_RW,
				&fd);
	if (err)
		return err;
	err = client_call(client, wire, NULL, 0, fd, deadline_of(ANSWER_NS));
	fd_close(fd);
	return err;
}

/* Returns memory with a user more: of an image, else of a buffer with an id. */
static int client_get_memory(struct pipe_client *client,
			     struct mem_image *image, struct mem_buf *buf,
			     uint64_t id, struct client_memory **memory)
{
	struct store *store = image ? &image->store : NULL;
	struct wire wire = { .type = WIRE_MEMORY };
	struct client_memory *found = client_find(client, store, id);
	int err;

	if (!found) {
		found = client_place(client);
		client_memory_fini(found);
		wire.memory.index = (uint32_t)(found - client->memories);
		err = image ? client_announce_image(client, image, &wire) :
			      client_announce_buf(client, buf, &wire);
		if (err)
			return err;
		found->store = store ? store_get(store) : NULL;
		found->id = id;
		found->is_known = true;
	}
	atomic_fetch_add(&found->nr_users, 1);
	*memory = found;
	return 0;
}

static int client_get_plane(struct mem_pipe_end *end, struct mem_plane *plane,
			    struct client_memory **memory)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	const struct backend *backend = end->ctx->backend;
	struct mem_buf *buf = backend->find(end->ctx, plane->base);
	int err;

	if (!buf)
		return -EFAULT;
	err = mem_buf_info(buf, &info);
	if (!err)
		err = client_get_memory(end->pipe->client, NULL, buf, info.id,
					memory);
	plane->off = buf_off_of(buf, plane->base);
	plane->base = NULL;
	backend->put(buf);
	return err;
}

static void client_put_memories(struct client_memory **memories)
{
	unsigned int i;

	for (i = 0; i < MEM_PLANES_MAX; i++)
		if (memories[i])
			atomic_fetch_sub(&memories[i]->nr_users, 1);
}

/* Makes the server know the memory of a frame, and describes the frame. */
static int client_get_memories(struct mem_pipe_end *end,
			       const struct mem_frame *frame,
			       struct wire_frame *wire,
			       struct client_memory **memories)
{
	struct pipe_client *client = end->pipe->client;
	uint32_t i;
	int err = 0;

	wire->user = (uintptr_t)frame->user;
	pthread_mutex_lock(&client->call_lock);
	if (frame->image) {
		err = client_get_memory(client, frame->image, NULL, 0,
					&memories[0]);
	} else {
		wire->nr_planes = frame->nr_planes;
		memcpy(wire->planes, frame->planes, sizeof(wire->planes));
		for (i = 0; i < frame->nr_planes && !err; i++)
			err = client_get_plane(end, &wire->planes[i],
					       &memories[i]);
	}
	pthread_mutex_unlock(&client->call_lock);
	for (i = 0; i < MEM_PLANES_MAX && memories[i]; i++)
		wire->memory[i] = (uint32_t)(memories[i] - client->memories);
	if (err)
		client_put_memories(memories);
	return err;
}

/* Presents. The endpoint's lock is held. */

static struct client_frame *client_free_one(struct pipe_client *client)
{
	unsigned int i;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++)
		if (client->frames[i].state == CLIENT_FREE)
			return &client->frames[i];
	return NULL;
}

/* Waits for room and takes a free frame. */
static int client_reserve(struct mem_pipe_end *end, uint64_t deadline,
			  struct client_frame **own)
{
	struct pipe_client *client = end->pipe->client;
	struct mem_endpoint *endpoint = client->endpoint;
	int err;

	client_flush(client, 0);
	endpoint_drain(endpoint);
	client_take_all(client);
	if (!end->is_attached || endpoint->is_gone)
		return -EPIPE;
	if (client->nr_active == MEM_PIPE_FRAMES_MAX)
		return -ENOBUFS;
	err = client->pipe->queue.length ?
	      endpoint_wait_credit(endpoint, CREDIT_ROOM, deadline) : 0;
	if (!err && !end->is_attached)
		err = -EPIPE;
	if (err)
		return err;
	/* Those that have been returned have a place until the server knows. */
	*own = client_free_one(client);
	if (client->nr_active == MEM_PIPE_FRAMES_MAX)
		return -ENOBUFS;
	if (!*own)
		return -ETIMEDOUT;
	endpoint->nr_sent[CREDIT_ROOM]++;
	client->nr_active++;
	(*own)->state = CLIENT_BUSY;
	(*own)->session = client->session;
	return 0;
}

/* The frame of a session was not presented. */
static void client_unreserve(struct pipe_client *client,
			     struct client_frame *own, uint64_t session)
{
	/* A disconnection has freed all but those that calls had. */
	if (session == client->session) {
		client->endpoint->nr_sent[CREDIT_ROOM]--;
		client->nr_active--;
		client_free_frame(own);
	} else if (own->state == CLIENT_BUSY && own->session == session) {
		client_free_frame(own);
	}
	pthread_cond_broadcast(&client->endpoint->changed);
}

static int client_send_frame(struct mem_pipe_end *end, struct wire *wire,
			     const struct mem_frame *frame,
			     struct mem_stream *stream, uint64_t deadline)
{
	struct pipe_client *client = end->pipe->client;
	struct client_frame *own = &client->frames[wire->frame.index];
	struct pipe_fence fence = { .fd = OWN_FD_NONE };
	int err;

	err = pipe_fence_record(&fence, stream, true);
	if (!err && client_is_lost(client, own))
		err = -EPIPE;
	if (err)
		return err;
	own->frame = *frame;
	own->store = frame->image ? store_get(&frame->image->store) : NULL;
	/* It may be done before the call returns. */
	own->state = CLIENT_ACTIVE;
	wire->frame.has_fence = fence.is_set;
	err = client_send(client, wire, NULL, 0, fence.is_set ? fence.fd.nr : -1,
			  deadline);
	pipe_fence_fini(&fence);
	return err;
}

/**
 * client_present() - present a frame
 * @end: producer
 * @frame: checked frame
 * @stream: stream of the producer
 * @deadline: how long to wait for room
 *
 * Return: as mem_pipe_present().
 */
int client_present(struct mem_pipe_end *end, const struct mem_frame *frame,
		   struct mem_stream *stream, uint64_t deadline)
{
	struct client_memory *memories[MEM_PLANES_MAX] = { NULL };
	struct pipe_client *client = end->pipe->client;
	struct wire wire = { .type = WIRE_PRESENT };
	struct client_frame *own;
	uint64_t session;
	int cancel, err;

	err = client_get_memories(end, frame, &wire.frame, memories);
	if (err)
		return err;
	endpoint_enter(client->endpoint, &cancel);
	err = client_reserve(end, deadline, &own);
	if (err) {
		client_put_memories(memories);
	} else {
		session = own->session;
		wire.frame.index = client_index(client, own);
		memcpy(own->memories, memories, sizeof(memories));
		err = client_send_frame(end, &wire, frame, stream, deadline);
		if (err)
			client_unreserve(client, own, session);
	}
	endpoint_leave(client->endpoint, cancel);
	return err;
}

/* Returns */

static bool client_has_done(const struct pipe_client *client, uint64_t arg)
{
	(void)arg;
	return client->done || !client->end || client->endpoint->is_gone;
}

/* Waits for a frame and takes it. */
static int client_return_take(struct mem_pipe_end *end, uint64_t deadline,
			      struct client_frame **own)
{
	struct pipe_client *client = end->pipe->client;
	int err;

	if (!end->is_attached)
		return -EPIPE;
	err = client_wait(client, client_has_done, 0, deadline);
	if (!end->is_attached || client->endpoint->is_gone)
		return -EPIPE;
	if (err)
		return err == -ETIMEDOUT && !client->nr_active ? -ENODATA : err;
	*own = client->done;
	client->done = (*own)->next;
	(*own)->state = CLIENT_BUSY;
	return 0;
}

/* The frame is the producer's. */
static void client_return_end(struct pipe_client *client,
			      struct client_frame *own)
{
	if (client_is_lost(client, own)) {
		client_free_frame(own);
		return;
	}
	client->nr_active--;
	/* One without an id was not taken by the server. */
	if (!own->frame.id) {
		client_free_frame(own);
		return;
	}
	own->state = CLIENT_RETURNED;
	client->returned |= 1ULL << client_index(client, own);
	client_flush(client, 0);
}

static void client_return_failed(struct pipe_client *client,
				 struct client_frame *own)
{
	own->state = CLIENT_DONE;
	own->next = client->done;
	if (!client->done)
		client->last_done = own;
	client->done = own;
}

/**
 * client_return() - get a frame back
 * @end: producer
 * @stream: stream of the producer
 * @deadline: how long to wait
 * @frame: out: frame
 *
 * Return: as mem_pipe_return().
 */
int client_return(struct mem_pipe_end *end, struct mem_stream *stream,
		  uint64_t deadline, struct mem_frame *frame)
{
	struct pipe_client *client = end->pipe->client;
	struct client_frame *own;
	int cancel, err;

	endpoint_enter(client->endpoint, &cancel);
	err = client_return_take(end, deadline, &own);
	endpoint_leave(client->endpoint, cancel);
	if (err)
		return err;
	err = frame_wait_back(own->frame.image, &own->consumed, stream);
	endpoint_enter(client->endpoint, &cancel);
	if (!err || client_is_lost(client, own)) {
		*frame = own->frame;
		client_return_end(client, own);
	} else {
		client_return_failed(client, own);
	}
	endpoint_leave(client->endpoint, cancel);
	return err;
}

/* Import */

/**
 * client_free() - free a client
 * @client: client without a connected end
 */
void client_free(struct pipe_client *client)
{
	struct mem_endpoint *endpoint = client->endpoint;
	unsigned int i;
	int cancel;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++)
		if (client->frames[i].state != CLIENT_FREE)
			client_free_frame(&client->frames[i]);
	for (i = 0; i < WIRE_MEMORIES; i++)
		client_memory_fini(&client->memories[i]);
	if (endpoint->is_of_pipe) {
		/* Explicitly: a forked child may hold the socket open. */
		endpoint_enter(endpoint, &cancel);
		endpoint_break(endpoint);
		endpoint_leave(endpoint, cancel);
		mem_endpoint_close(endpoint);
	}
	pthread_mutex_destroy(&client->call_lock);
	free(client);
}

static int client_create(struct mem_pipe *pipe, struct mem_endpoint *endpoint)
{
	struct pipe_client *new = calloc(1, sizeof(*new));
	unsigned int i;

	if (!new)
		return -ENOMEM;
	new->pipe = pipe;
	new->endpoint = endpoint;
	pthread_mutex_init(&new->call_lock, NULL);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++)
		new->frames[i].consumed.fd = OWN_FD_NONE;
	pipe->client = new;
	return 0;
}

/* Asks the server what the pipe is like. */
static int client_greet(struct pipe_client *client, uint64_t deadline)
{
	const struct wire_answer *answer = &client->answer;
	struct wire wire = { .type = WIRE_INFO };
	struct mem_pipe *pipe = client->pipe;
	int err;

	pthread_mutex_lock(&client->call_lock);
	err = client_call(client, &wire, NULL, 0, -1, deadline);
	pthread_mutex_unlock(&client->call_lock);
	if (err)
		return err;
	if (answer->backend != pipe->ctx->backend->id ||
	    strcmp(answer->board, board_name(pipe->ctx->board)))
		return -EXDEV;
	pipe->queue.length = answer->info.length;
	pipe->queue.flags = answer->info.flags;
	client->endpoint->limit[CREDIT_ROOM] = answer->info.length;
	return 0;
}

static int client_import(struct mem_endpoint *endpoint, uint64_t deadline,
			 struct mem_pipe **pipe)
{
	struct mem_pipe *new;
	int err;

	err = pipe_new(endpoint->ctx, &new);
	if (err)
		return err;
	err = client_create(new, endpoint);
	if (!err) {
		endpoint->is_of_pipe = true;
		err = client_greet(new->client, deadline);
		/* It stays the caller's on failure. */
		endpoint->is_of_pipe = !err;
	}
	if (err)
		mem_pipe_destroy(new);
	else
		*pipe = new;
	return err;
}

API int mem_pipe_import(struct mem_endpoint *endpoint, uint64_t timeout_ns,
			struct mem_pipe **pipe)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	int err, cancel;

	if (!endpoint || !pipe)
		return -EINVAL;
	err = endpoint_check(endpoint);
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = client_import(endpoint, deadline, pipe);
	pthread_setcancelstate(cancel, NULL);
	return err;
}
