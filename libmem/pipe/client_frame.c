// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: frames of a producer whose pipe is in another process, and their
 * memory, which that process gets once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../image/image.h"
#include "../object/endpoint.h"
#include "client.h"

static uint32_t client_index(const struct pipe_client *client,
			     const struct client_frame *own)
{
	return (uint32_t)(own - client->frames);
}

/* Memory. The call lock is held, unless stated otherwise. */

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

/*
 * Returns a place for new memory, preferably that of a destroyed image. NULL:
 * frames use all, those among them that the consumer has held since before a
 * disconnection.
 */
static struct client_memory *client_place(struct pipe_client *client)
{
	struct client_memory *memory = client->memories, *best = NULL;
	unsigned int i;

	for (i = 0; i < WIRE_MEMORIES; i++, memory++) {
		if (atomic_load(&memory->nr_users) || memory->is_held)
			continue;
		if (memory->store && atomic_load(&memory->store->nr_users) == 1)
			return memory;
		if (!best || (best->is_known && !memory->is_known))
			best = memory;
	}
	return best;
}

void client_memory_fini(struct client_memory *memory)
{
	if (memory->store)
		store_put(memory->store);
	memory->store = NULL;
	memory->is_known = false;
}

static void client_put_pack(const struct image_pack *pack,
			    struct wire_memory *to)
{
	to->type = WIRE_IMAGE;
	to->perm = pack->perm;
	to->format = pack->format;
	to->width = pack->width;
	to->height = pack->height;
	to->nr_planes = pack->nr_planes;
	to->uses = pack->uses;
	wire_put_planes(to->planes, pack->planes, pack->nr_planes);
}

/**
 * struct announcement - what makes the server know memory
 * @wire: message
 * @list: list of an image, to be freed; else NULL
 * @list_len: bytes of @list
 * @fd: descriptor of the memory
 */
struct announcement {
	struct wire wire;
	void *list;
	size_t list_len;
	int fd;
};

static int client_pack_image(struct mem_image *image, struct announcement *new)
{
	struct image_pack pack;
	int err;

	err = image_pack(image, &pack, &new->fd);
	if (err)
		return err;
	client_put_pack(&pack, &new->wire.memory);
	new->list = pack.list;
	new->list_len = pack.list_len;
	return 0;
}

static int client_export_buf(struct mem_buf *buf, struct announcement *new)
{
	struct wire_memory *to = &new->wire.memory;

	if (is_heaps(buf)) {
		to->type = WIRE_BUFFER;
		return mem_buf_export_as(buf, buf->is_read_only ? MEM_READ :
								  MEM_RW,
					 &new->fd);
	}
	to->type = WIRE_DEVICE;
	to->flags = buf->flags;
	to->len = buf->asked_len;
	return mem_ptr_export(buf->ctx, buf->device, &new->fd);
}

/* Returns memory that the server has, with a user more, or NULL. */
static struct client_memory *client_get_known(struct pipe_client *client,
					      const struct store *store,
					      uint64_t id)
{
	struct client_memory *memory = client_find(client, store, id);

	if (memory)
		atomic_fetch_add(&memory->nr_users, 1);
	return memory;
}

static void client_forget_held(struct pipe_client *client)
{
	unsigned int i;

	for (i = 0; i < WIRE_MEMORIES; i++)
		client->memories[i].is_held = false;
}

/* Announces memory, and returns it with a user. -ENOBUFS: too many frames. */
static int client_announce(struct pipe_client *client, struct store *store,
			   uint64_t id, struct announcement *new,
			   struct client_memory **memory)
{
	const uint64_t deadline = deadline_of(ANSWER_NS);
	struct client_memory *place;
	bool has_forgotten = false;
	int err;

	do {
		place = client_place(client);
		if (!place && !has_forgotten) {
			/* The consumer may have released them since. */
			client_forget_held(client);
			has_forgotten = true;
			place = client_place(client);
		}
		if (!place)
			return -ENOBUFS;
		client_memory_fini(place);
		new->wire.memory.index = (uint32_t)(place - client->memories);
		err = client_call(client, &new->wire, new->list, new->list_len,
				  new->fd, deadline);
		place->is_held = err == -EEXIST;
	} while (place->is_held);
	if (err)
		return err;
	place->store = store ? store_get(store) : NULL;
	place->id = id;
	place->is_known = true;
	atomic_fetch_add(&place->nr_users, 1);
	*memory = place;
	return 0;
}

/* Makes the server know memory, as client_get_memory(). */
static int client_make_known(struct pipe_client *client,
			     struct mem_image *image, struct mem_buf *buf,
			     uint64_t id, struct client_memory **memory)
{
	struct store *store = image ? &image->store : NULL;
	struct announcement new = { .wire.type = WIRE_MEMORY };
	int err;

	/* Waits for work. Meanwhile other threads can make requests. */
	err = image ? client_pack_image(image, &new) :
		      client_export_buf(buf, &new);
	if (err)
		return err;
	pthread_mutex_lock(&client->call_lock);
	/* Another thread may have announced it. */
	*memory = client_get_known(client, store, id);
	if (!*memory)
		err = client_announce(client, store, id, &new, memory);
	pthread_mutex_unlock(&client->call_lock);
	fd_close(new.fd);
	free(new.list);
	return err;
}

/*
 * Returns memory with a user more: of an image, else of a buffer with an id. No
 * lock is held.
 */
static int client_get_memory(struct pipe_client *client,
			     struct mem_image *image, struct mem_buf *buf,
			     uint64_t id, struct client_memory **memory)
{
	const struct store *store = image ? &image->store : NULL;

	pthread_mutex_lock(&client->call_lock);
	*memory = client_get_known(client, store, id);
	pthread_mutex_unlock(&client->call_lock);
	return *memory ? 0 : client_make_known(client, image, buf, id, memory);
}

/*
 * What the newest answer says holds as long as the producer is connected, since
 * the consumer stays.
 */
static bool client_takes_device(struct pipe_client *client)
{
	bool ret;
	int cancel;

	endpoint_enter(client->endpoint, &cancel);
	ret = client->answer.takes_device;
	endpoint_leave(client->endpoint, cancel);
	return ret;
}

static int client_get_plane(struct mem_pipe_end *end, struct mem_plane *plane,
			    struct client_memory **memory)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	const struct backend *backend = end->ctx->backend;
	struct pipe_client *client = end->pipe->client;
	struct mem_buf *buf = backend->find(end->ctx, plane->base);
	int err;

	if (!buf)
		return -EFAULT;
	err = is_heaps(buf) || client_takes_device(client) ? 0 : -EOPNOTSUPP;
	if (!err)
		err = mem_buf_info(buf, &info);
	if (!err)
		err = client_get_memory(client, NULL, buf, info.id, memory);
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
	/* One may be in the state CLIENT_RETURNED. */
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
	int fd, err;

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
	fd = fence.is_set ? fence.fd.nr : -1;
	err = client_send(client, wire, NULL, 0, fd, deadline);
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
	const uint64_t begin_ns = record_begin();
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
		else
			pipe_record(end->pipe, RECORD_FRAME_PRESENT, own, 0,
				    stream, begin_ns);
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
	/* The end of the connection comes first. */
	if (client->done)
		endpoint_drain(client->endpoint);
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
	if (!own->frame.id) {
		client_free_frame(own);
		return;
	}
	own->state = CLIENT_RETURNED;
	while (client->nr_back != client->nr_done) {
		own = client->order[client->nr_back % MEM_PIPE_FRAMES_MAX];
		if (own->state != CLIENT_RETURNED)
			break;
		client_free_frame(own);
		client->nr_back++;
	}
	endpoint_set_taken(client->endpoint, CREDIT_BACK, client->nr_back);
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
	const uint64_t begin_ns = record_begin();
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
		pipe_record(end->pipe, RECORD_FRAME_RETURN, own, frame->number,
			    stream, begin_ns);
	} else {
		client_return_failed(client, own);
	}
	endpoint_leave(client->endpoint, cancel);
	return err;
}
