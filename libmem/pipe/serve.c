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

#include "../object/endpoint.h"
#include "serve.h"

/* Most messages that one call processes */
#define SERVE_MAX	(4 * MEM_ENDPOINT_QUEUE)
/*
 * The thread leaves the socket to a consumer that calls more often than that,
 * since each message would wake both
 */
#define PARK_NS		(NS_PER_S / 1000)
/* Longest wait for a client that reads nothing, before its messages are read */
#define BEHIND_NS	(20 * NS_PER_S / 1000)

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec) {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};
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
	server->nr_returned = endpoint_peer_took(server->endpoint,
						 CREDIT_BACK);
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
	answer->answer.takes_device = serve_takes_device(server);
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
	pthread_mutex_lock(&server->pipe->lock);
	ret = serve_collect(server);
	pthread_mutex_unlock(&server->pipe->lock);
	if (ret)
		return ret;
	ret = serve_request(server, message, &err);
	if (!ret)
		serve_answer(server, wire->seq, err);
	return ret;
}

/* Notifications of the client */

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
		if (slot->is_notified || slot->server != server)
			continue;
		if (serve_send_done(server, slot->index, slot))
			return false;
		slot->is_notified = true;
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
 * serve_notify() - notify the client of frames that it can have back
 * @pipe: pipe with a server; its lock is held
 *
 * Does not wait: if the client reads nothing, the server's thread tries again.
 */
void serve_notify(struct mem_pipe *pipe)
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
		pthread_cond_signal(&server->parked);
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

/* Processes what has arrived. Returns false if the client has gone. */
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
	is_gone = endpoint->is_gone;
	endpoint_leave(endpoint, cancel);
	if (!err) {
		pthread_mutex_lock(&server->pipe->lock);
		err = serve_collect(server);
		pthread_mutex_unlock(&server->pipe->lock);
	}
	if (err) {
		endpoint_enter(endpoint, &cancel);
		endpoint_break(endpoint);
		endpoint_leave(endpoint, cancel);
	}
	return !is_gone && !err;
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
					 serve_is_signalled(&slot->produced);
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
 *
 * Does nothing in a host function; the server's thread does it then.
 */
void serve_catch_up(struct mem_pipe *pipe)
{
	struct pipe_server *server;

	/* It may not import memory: an honest client would get the error. */
	if (sched_check_call())
		return;
	pthread_mutex_lock(&pipe->lock);
	server = pipe->server;
	if (server)
		server->nr_users++;
	pthread_mutex_unlock(&pipe->lock);
	if (!server)
		return;
	serve(server);
	pthread_mutex_lock(&pipe->lock);
	server->last_call_ns = now_ns();
	server->nr_users--;
	pthread_mutex_unlock(&pipe->lock);
}

/* The pipe's lock is held, but not while the thread sleeps. */
static void serve_lead(struct pipe_server *server, uint64_t deadline)
{
	const uint64_t now = now_ns();
	const struct timespec left = timespec_of(deadline > now ?
						 deadline - now : 0);
	struct pollfd fds[2] = {
		{ .fd = server->endpoint->poll.nr, .events = POLLIN },
		{ .fd = server->wake.nr, .events = POLLIN },
	};
	struct mem_pipe *pipe = server->pipe;

	server->is_polling = true;
	pthread_mutex_unlock(&pipe->lock);
	ppoll(fds, 2, deadline == MEM_WAIT_FOREVER ? NULL : &left, NULL);
	pthread_mutex_lock(&pipe->lock);
	server->is_polling = false;
	pthread_mutex_unlock(&pipe->lock);
	if (fds[1].revents)
		own_event_set(&server->wake, false);
	serve(server);
	pthread_mutex_lock(&pipe->lock);
}

/**
 * serve_wait() - wait for a frame of a producer in another process
 * @pipe: pipe; its lock is held, but not while the thread sleeps
 * @deadline: CLOCK_MONOTONIC, or MEM_WAIT_FOREVER
 *
 * A message thus wakes the consumer itself, not the server's thread first.
 *
 * Return: false if another thread has to process messages.
 */
bool serve_wait(struct mem_pipe *pipe, uint64_t deadline)
{
	struct pipe_server *server = pipe->server;

	if (!server || server->has_leader ||
	    pipe->queue.flags & MEM_PIPE_SYNCHRONOUS)
		return false;
	server->has_leader = true;
	server->nr_users++;
	serve_lead(server, deadline);
	server->has_leader = false;
	server->nr_users--;
	server->last_call_ns = now_ns();
	if (server->is_parked)
		pthread_cond_signal(&server->parked);
	/* Another consumer's thread may have to lead. */
	if (pipe->nr_waiters[PIPE_CONSUMER])
		pthread_cond_broadcast(&pipe->changed[PIPE_CONSUMER]);
	return true;
}

/**
 * serve_wake() - wake a thread in serve_wait()
 * @pipe: pipe with a server; its lock is held
 */
void serve_wake(struct mem_pipe *pipe)
{
	if (pipe->server->is_polling)
		own_event_set(&pipe->server->wake, true);
}

/* The thread */

/* Returns true if a consumer processes messages itself, after a while. */
static bool serve_park(struct pipe_server *server)
{
	struct mem_pipe *pipe = server->pipe;
	struct timespec until = timespec_of(now_ns() + PARK_NS);
	bool is_led;

	pthread_mutex_lock(&pipe->lock);
	is_led = server->has_leader ||
		 now_ns() - server->last_call_ns < PARK_NS;
	if (is_led && !server->is_behind)
		pthread_cond_timedwait(&server->parked, &pipe->lock, &until);
	server->is_parked = true;
	while (server->has_leader && !server->is_behind &&
	       now_ns() - server->last_call_ns > PARK_NS)
		pthread_cond_wait(&server->parked, &pipe->lock);
	server->is_parked = false;
	pthread_mutex_unlock(&pipe->lock);
	return is_led;
}

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
		else if (serve_park(server))
			continue;
		else if (poll(fds, serve_fences(server, fds + 1) + 1, -1) < 0 &&
			 errno != EINTR)
			server->is_cut = true;
		serve(server);
	}
	server->is_over = true;
	return NULL;
}

/* Servers */

static void server_fini(struct pipe_server *server)
{
	own_fd_close(&server->wake);
	pthread_cond_destroy(&server->parked);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

static void server_free(struct pipe_server *server)
{
	uint32_t i;

	pthread_join(server->thread, NULL);
	for (i = 0; i < WIRE_MEMORIES; i++)
		serve_memory_fini(server, &server->memories[i]);
	mem_endpoint_close(server->endpoint);
	server_fini(server);
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
	static atomic_ullong last_id;
	struct pipe_server *new = calloc(1, sizeof(*new));
	pthread_condattr_t monotonic;
	int err;

	if (!new)
		return -ENOMEM;
	new->id = atomic_fetch_add(&last_id, 1) + 1;
	new->pipe = pipe;
	new->endpoint = endpoint;
	new->end.pipe = pipe;
	new->end.ctx = endpoint->ctx;
	new->end.role = PIPE_PRODUCER;
	new->end.server = new;
	pthread_mutex_init(&new->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&new->parked, &monotonic);
	pthread_condattr_destroy(&monotonic);
	err = own_event_open(&new->wake);
	if (err) {
		server_fini(new);
		return err;
	}
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
		server_fini(new);
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
