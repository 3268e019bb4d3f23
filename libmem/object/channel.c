// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: how threads share an endpoint. One thread reads for all, and one
 * sends at a time; both release the endpoint's lock meanwhile. A thread that
 * has to wait, even one that waits to send, reads if no other thread does:
 * without this, two ends that both send would wait for each other for ever.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "endpoint.h"

/* Maximum number of frames read by one endpoint_drain() */
#define MAX_FRAMES	((int)(4 * MEM_ENDPOINT_QUEUE))
/* Frames read after the deadline; more than a socket's queue can hold */
#define MAX_LATE	(4 * MAX_FRAMES)
/* A part this short is not halved further after EMSGSIZE. */
#define PART_MIN	256U
/* Reads without sleeping if a descriptor's message may follow its memory */
#define MAX_LOOKS	32
/* Longest wait for room before a thread checks whether it has to read */
#define ROOM_WAIT_NS	(20 * NS_PER_S / 1000)
/*
 * Sleep after ETOOMANYREFS (the user's descriptors in flight exceed the limit),
 * since no event announces that the number has dropped.
 */
#define REFS_WAIT_NS	(NS_PER_S / 1000)

/**
 * deadline_of() - return the time at which a wait ends
 * @timeout_ns: duration of a wait that begins now, or MEM_WAIT_FOREVER
 *
 * Return: a time on the clock of now_ns(), or MEM_WAIT_FOREVER.
 */
uint64_t deadline_of(uint64_t timeout_ns)
{
	const uint64_t now = now_ns();

	return timeout_ns < MEM_WAIT_FOREVER - now ? now + timeout_ns :
						     MEM_WAIT_FOREVER;
}

/**
 * deadline_is_over() - compare a deadline with the current time
 * @deadline: from deadline_of()
 *
 * Return: true if the deadline has passed.
 */
bool deadline_is_over(uint64_t deadline)
{
	return deadline != MEM_WAIT_FOREVER && now_ns() >= deadline;
}

static struct timespec channel_timespec_of(uint64_t ns)
{
	return (struct timespec) {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};
}

/* Returns false if the deadline has passed. */
static bool channel_wait_change(struct mem_endpoint *endpoint,
				uint64_t deadline)
{
	const struct timespec end = channel_timespec_of(deadline);

	if (deadline == MEM_WAIT_FOREVER)
		return !pthread_cond_wait(&endpoint->changed, &endpoint->lock);
	return !pthread_cond_timedwait(&endpoint->changed, &endpoint->lock,
				       &end);
}

/**
 * socket_poll() - wait for events of a socket
 * @fd: the socket
 * @events: as in struct pollfd
 * @deadline: from deadline_of()
 *
 * Return: events as in struct pollfd; 0 at the deadline or after a signal.
 */
short socket_poll(int fd, short events, uint64_t deadline)
{
	struct pollfd sock = { .fd = fd, .events = events };
	const uint64_t now = now_ns();
	const struct timespec left = channel_timespec_of(deadline > now ?
							 deadline - now : 0);

	if (ppoll(&sock, 1, deadline == MEM_WAIT_FOREVER ? NULL : &left,
		  NULL) <= 0)
		return 0;
	return sock.revents;
}

/*
 * Reads at most @max frames, without waiting. Returns their number or -errno.
 */
static int channel_read_now(struct mem_endpoint *endpoint, int max)
{
	int nr, ret;

	for (nr = 0; nr < max; nr++) {
		pthread_mutex_unlock(&endpoint->lock);
		ret = frame_read(endpoint);
		pthread_mutex_lock(&endpoint->lock);
		if (!ret)
			break;
		if (ret > 0)
			ret = frame_take_in(endpoint);
		else if (ret == -EPIPE)
			endpoint_break(endpoint);
		if (ret)
			return ret;
	}
	return nr;
}

/*
 * Reads a frame, or waits until there is one, or one of @events, or the
 * deadline has passed. The caller has checked that no other thread reads.
 */
static int channel_read_some(struct mem_endpoint *endpoint, short events,
			     uint64_t deadline)
{
	unsigned int nr_looks = 0;
	short polled = 0;
	int ret;

	endpoint->is_reading = true;
	do {
		ret = channel_read_now(endpoint, 1);
		if (ret)
			break;
		/* Reading again costs less than sleeping and waking up. */
		if (endpoint->is_followed && nr_looks++ < MAX_LOOKS)
			continue;
		endpoint->is_followed = false;
		if (deadline_is_over(deadline)) {
			ret = -ETIMEDOUT;
			break;
		}
		pthread_mutex_unlock(&endpoint->lock);
		polled = socket_poll(endpoint->sock.nr, POLLIN | events,
				     deadline);
		pthread_mutex_lock(&endpoint->lock);
	} while (!(polled & events));
	endpoint->is_reading = false;
	pthread_cond_broadcast(&endpoint->changed);
	return ret < 0 ? ret : 0;
}

/**
 * endpoint_wait() - wait until a condition holds at an end
 * @endpoint: end
 * @has: condition
 * @arg: argument of @has
 * @deadline: from deadline_of()
 *
 * Context: the endpoint's lock is held; released while it waits.
 * Return: 0, or -ETIMEDOUT, -EPIPE or -ENOMEM.
 */
int endpoint_wait(struct mem_endpoint *endpoint, endpoint_has has,
		  const void *arg, uint64_t deadline)
{
	int err = 0, nr_late = 0;

	while (!has(endpoint, arg)) {
		if (err)
			return err;
		if (endpoint->is_gone)
			return -EPIPE;
		/* Bounds the loop: the peer may send other frames for ever. */
		if (deadline_is_over(deadline) && nr_late++ == MAX_LATE)
			return -ETIMEDOUT;
		if (!endpoint->is_reading)
			err = channel_read_some(endpoint, 0, deadline);
		else if (!channel_wait_change(endpoint, deadline))
			err = -ETIMEDOUT;
	}
	return 0;
}

/**
 * endpoint_drain() - process the frames that have arrived
 * @endpoint: end
 *
 * Context: the endpoint's lock is held.
 */
void endpoint_drain(struct mem_endpoint *endpoint)
{
	if (endpoint->is_reading || endpoint->is_gone)
		return;
	endpoint->is_reading = true;
	channel_read_now(endpoint, MAX_FRAMES);
	endpoint->is_reading = false;
	pthread_cond_broadcast(&endpoint->changed);
}

/**
 * endpoint_took() - note that the program has taken what had arrived
 * @endpoint: end
 * @credit: what was taken
 *
 * No wakeup is lost: a peer that finds no room sends FRAME_ASK before it reads
 * the ledger again. So it either sees the count that is stored here, or its
 * frame is found by endpoint_drain().
 *
 * Context: the endpoint's lock is held.
 */
void endpoint_took(struct mem_endpoint *endpoint, enum credit credit)
{
	atomic_store(&endpoint->own->nr_taken[credit],
		     ++endpoint->nr_taken[credit]);
	endpoint_drain(endpoint);
	frame_reply(endpoint);
}

/**
 * endpoint_set_taken() - set the number of things that the program has taken
 * @endpoint: end
 * @credit: kind
 * @nr: number
 *
 * As endpoint_took(), but reads no frame: the thread that reads finds the
 * peer's FRAME_ASK.
 *
 * Context: the endpoint's lock is held.
 */
void endpoint_set_taken(struct mem_endpoint *endpoint, enum credit credit,
			uint32_t nr)
{
	endpoint->nr_taken[credit] = nr;
	atomic_store(&endpoint->own->nr_taken[credit], nr);
	frame_reply(endpoint);
}

/**
 * endpoint_peer_took() - return what the peer's program has taken
 * @endpoint: end
 * @credit: kind
 *
 * Return: a number that the peer claims, or 0 if its hello has not arrived.
 */
uint32_t endpoint_peer_took(const struct mem_endpoint *endpoint,
			    enum credit credit)
{
	return endpoint->peers ?
	       atomic_load(&endpoint->peers->nr_taken[credit]) : 0;
}

static bool channel_has_credit(const struct mem_endpoint *endpoint,
			       const void *arg)
{
	const enum credit credit = *(const enum credit *)arg;
	const uint32_t nr_taken = endpoint_peer_took(endpoint, credit);

	/* Unsigned: no room if a hostile peer claims more than was sent. */
	return endpoint->nr_sent[credit] - nr_taken < endpoint->limit[credit];
}

/*
 * Waits until the socket has room, but only for ROOM_WAIT_NS, since this thread
 * has to read if the one that reads now stops.
 */
static void channel_wait_room(struct mem_endpoint *endpoint, uint64_t deadline)
{
	const uint64_t soon = deadline_of(ROOM_WAIT_NS);

	if (soon < deadline)
		deadline = soon;
	if (!endpoint->is_reading) {
		channel_read_some(endpoint, POLLOUT, deadline);
		return;
	}
	pthread_mutex_unlock(&endpoint->lock);
	socket_poll(endpoint->sock.nr, POLLOUT, deadline);
	pthread_mutex_lock(&endpoint->lock);
}

/**
 * endpoint_wait_credit() - wait until one more thing may be sent
 * @endpoint: end
 * @credit: kind
 * @deadline: from deadline_of()
 *
 * Context: the endpoint's lock is held; released while it waits.
 * Return: 0, or -ETIMEDOUT, -EPIPE or -ENOMEM.
 */
int endpoint_wait_credit(struct mem_endpoint *endpoint, enum credit credit,
			 uint64_t deadline)
{
	struct frame ask = { .type = FRAME_ASK, .seq = credit };
	int err;

	if (credit == CREDIT_ROOM)
		ask.off = endpoint->nr_sent[credit];
	if (!channel_has_credit(endpoint, &credit))
		endpoint_drain(endpoint);
	/* If the socket is full, the ask is sent when the peer has read. */
	while (!channel_has_credit(endpoint, &credit) && !endpoint->is_gone &&
	       frame_send(endpoint, &ask, NULL, 0, -1) == -EAGAIN &&
	       !deadline_is_over(deadline))
		channel_wait_room(endpoint, deadline);
	err = endpoint_wait(endpoint, channel_has_credit, &credit, deadline);
	/* The peer has gone, although it has room. */
	return !err && endpoint->is_gone ? -EPIPE : err;
}

/**
 * endpoint_wait_send() - wait until a message can probably be sent
 * @endpoint: end
 * @deadline: from deadline_of(); the wait may end earlier
 *
 * Context: the endpoint's lock is held; released while it waits.
 */
void endpoint_wait_send(struct mem_endpoint *endpoint, uint64_t deadline)
{
	if (!endpoint_wait_credit(endpoint, CREDIT_MESSAGE, deadline))
		channel_wait_room(endpoint, deadline);
}

/* Becomes the only sender, with one credit of that kind. */
static int channel_send_begin(struct mem_endpoint *endpoint, enum credit credit,
			      uint64_t deadline)
{
	int err;

	while (endpoint->is_sending)
		if (!channel_wait_change(endpoint, deadline) &&
		    endpoint->is_sending)
			return -ETIMEDOUT;
	endpoint->is_sending = true;
	err = endpoint_wait_credit(endpoint, credit, deadline);
	if (err) {
		endpoint->is_sending = false;
		pthread_cond_broadcast(&endpoint->changed);
		return err;
	}
	endpoint->nr_sent[credit]++;
	return 0;
}

static void channel_send_end(struct mem_endpoint *endpoint, enum credit credit,
			     int err)
{
	if (err)
		endpoint->nr_sent[credit]--;
	endpoint->is_sending = false;
	pthread_cond_broadcast(&endpoint->changed);
}

static void channel_wait_refs(struct mem_endpoint *endpoint)
{
	const struct timespec while_ns = channel_timespec_of(REFS_WAIT_NS);

	pthread_mutex_unlock(&endpoint->lock);
	nanosleep(&while_ns, NULL);
	pthread_mutex_lock(&endpoint->lock);
}

/* As frame_send(), but waits until the socket accepts the frame. */
static int channel_send_frame(struct mem_endpoint *endpoint,
			      struct frame *frame, const void *bytes,
			      size_t len, int fd, uint64_t deadline)
{
	int err;

	for (;;) {
		err = frame_send(endpoint, frame, bytes, len, fd);
		if (err == -ENOBUFS)
			return -ENOMEM;
		if (err != -EAGAIN && err != -EWOULDBLOCK &&
		    err != -ETOOMANYREFS)
			return err;
		if (deadline_is_over(deadline))
			return -ETIMEDOUT;
		if (err == -ETOOMANYREFS)
			channel_wait_refs(endpoint);
		else
			channel_wait_room(endpoint, deadline);
	}
}

/**
 * endpoint_send_hello() - introduce this end to its peer
 * @endpoint: end that has sent nothing
 *
 * Context: the endpoint's lock is held.
 * Return: 0, or -errno of sendmsg().
 */
int endpoint_send_hello(struct mem_endpoint *endpoint)
{
	struct frame frame = { .type = FRAME_HELLO };
	int err;

	memcpy(frame.token, endpoint->id, sizeof(frame.token));
	err = frame_send(endpoint, &frame, NULL, 0, endpoint->own_fd.nr);
	/* Free the descriptor number for one that the peer sends. */
	own_fd_close(&endpoint->own_fd);
	return err;
}

static int channel_send_parts(struct mem_endpoint *endpoint,
			      const uint8_t *bytes, size_t len, int fd,
			      uint64_t deadline)
{
	struct frame frame = {
		.type = FRAME_MESSAGE,
		.len = (uint32_t)len,
		.seq = endpoint->nr_sent[CREDIT_MESSAGE] - 1,
	};
	size_t part_len;
	int err;

	while (frame.off < len) {
		part_len = len - frame.off;
		if (part_len > endpoint->part_len)
			part_len = endpoint->part_len;
		err = channel_send_frame(endpoint, &frame, bytes + frame.off,
					 part_len, frame.off ? -1 : fd,
					 deadline);
		if (err == -EMSGSIZE && part_len > PART_MIN) {
			endpoint->part_len = part_len / 2;
			continue;
		}
		if (err)
			return err;
		frame.off += (uint32_t)part_len;
	}
	return 0;
}

/**
 * endpoint_send_message() - send a message
 * @endpoint: end
 * @bytes: message
 * @len: length, bytes
 * @fd: descriptor to send with it, which remains the caller's; -1: none
 * @deadline: from deadline_of()
 *
 * Context: the endpoint's lock is held; released while it waits.
 * Return: 0 or -errno.
 */
int endpoint_send_message(struct mem_endpoint *endpoint, const void *bytes,
			  size_t len, int fd, uint64_t deadline)
{
	int err;

	err = channel_send_begin(endpoint, CREDIT_MESSAGE, deadline);
	if (err)
		return err;
	err = channel_send_parts(endpoint, bytes, len, fd, deadline);
	channel_send_end(endpoint, CREDIT_MESSAGE, err);
	return err;
}

static int channel_take_token(struct mem_endpoint *endpoint, uint8_t *token)
{
	if (!endpoint->nr_tokens) {
		if (getrandom(endpoint->tokens, sizeof(endpoint->tokens), 0) !=
		    sizeof(endpoint->tokens))
			return -EIO;
		endpoint->nr_tokens = NR_TOKENS;
	}
	memcpy(token, endpoint->tokens[--endpoint->nr_tokens],
	       ENDPOINT_ID_LEN);
	return 0;
}

/**
 * endpoint_send_fd() - send a file descriptor of memory
 * @endpoint: end
 * @fd: descriptor; remains the caller's
 * @deadline: from deadline_of()
 * @ticket: out: identifies the descriptor to the peer
 *
 * Context: the endpoint's lock is held; released while it waits.
 * Return: 0 or -errno.
 */
int endpoint_send_fd(struct mem_endpoint *endpoint, int fd, uint64_t deadline,
		     struct ticket *ticket)
{
	struct frame frame = { .type = FRAME_MEMORY };
	int err;

	err = channel_send_begin(endpoint, CREDIT_MEMORY, deadline);
	if (err)
		return err;
	frame.seq = endpoint->nr_sent[CREDIT_MEMORY] - 1;
	err = channel_take_token(endpoint, frame.token);
	if (!err)
		err = channel_send_frame(endpoint, &frame, NULL, 0, fd,
					 deadline);
	channel_send_end(endpoint, CREDIT_MEMORY, err);
	if (err)
		return err;
	ticket->seq = frame.seq;
	memcpy(ticket->token, frame.token, sizeof(ticket->token));
	return 0;
}
