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
#include "client.h"

/* Least time to send something, while another thread sends */
#define SEND_NS		(10 * NS_PER_S / 1000)
/* Longest wait for that to a disconnection, whose result does not matter */
#define GOODBYE_NS	NS_PER_S
#define MAX_ERRNO	4095

/* Frames. The endpoint's lock is held. */

/* The server does not use the frame any more. */
void client_free_frame(struct client_frame *own)
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

/* Returns true if the end has been disconnected since it was presented. */
bool client_is_lost(const struct pipe_client *client,
		    const struct client_frame *own)
{
	return own->session != client->session || client->endpoint->is_gone;
}

static void client_done(struct pipe_client *client, struct client_frame *own)
{
	/* One without an id was not taken by the server. */
	if (own->frame.id)
		client->order[client->nr_done++ % MEM_PIPE_FRAMES_MAX] = own;
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
	const bool has_fd = message->fd >= 0;
	struct client_frame *own;
	int err = 0;

	/* It was sent before the disconnection. */
	if (!client->end)
		return 0;
	if (done->index >= MEM_PIPE_FRAMES_MAX || done->has_fence > 1 ||
	    done->has_fence != has_fd)
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
	    answer->info.length > MEM_PIPE_FRAMES_MAX ||
	    answer->takes_device > 1 || answer->reserved)
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
void client_take_all(struct pipe_client *client)
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
int client_wait(struct pipe_client *client,
		bool (*has)(const struct pipe_client *client, uint64_t arg),
		uint64_t arg, uint64_t deadline)
{
	const struct client_wait wait = { client, has, arg };
	int err = 0;

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

/* Sends a message. If the connection is full, it waits for at least SEND_NS. */
int client_send(struct pipe_client *client, struct wire *wire,
		const void *tail, size_t tail_len, int fd, uint64_t deadline)
{
	const uint64_t least = deadline_of(SEND_NS);

	wire->magic = WIRE_MAGIC;
	return wire_send(client->endpoint, wire, tail, tail_len, fd,
			 deadline > least ? deadline : least);
}

/* Requests */

static bool client_has_answer(const struct pipe_client *client, uint64_t seq)
{
	return client->answer_seq == seq;
}

/* Makes a request and waits for the answer. The call lock is held. */
int client_call(struct pipe_client *client, struct wire *wire,
		const void *tail, size_t tail_len, int fd, uint64_t deadline)
{
	int cancel, err;

	endpoint_enter(client->endpoint, &cancel);
	wire->seq = ++client->seq;
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
	client->nr_done = client->nr_back;
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
	if (was_attached) {
		client_drop_frames(client);
		pipe_record(end->pipe, RECORD_FRAME_LOSE, NULL, 0, NULL,
			    record_begin());
	}
	pthread_cond_broadcast(&client->endpoint->changed);
	endpoint_leave(client->endpoint, cancel);
	if (was_attached)
		client_request(client, &wire, GOODBYE_NS);
	return was_attached;
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
