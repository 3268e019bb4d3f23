// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: frames of endpoints. What arrives comes from another process and is
 * not trusted: a peer that breaks the protocol is cut off. The endpoint's input
 * belongs to the thread that reads; its lock protects everything else.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../page.h"
#include "endpoint.h"

/* Room for two descriptors (a frame may have one) and for credentials */
#define CONTROL_LEN	(CMSG_SPACE(2 * sizeof(int)) + \
			 CMSG_SPACE(sizeof(struct ucred)))

/**
 * endpoint_break() - cut the peer off
 * @endpoint: end
 *
 * The program can still take what has arrived.
 *
 * Context: the endpoint's lock is held.
 */
void endpoint_break(struct mem_endpoint *endpoint)
{
	endpoint->is_gone = true;
	shutdown(endpoint->sock.nr, SHUT_RDWR);
	pthread_cond_broadcast(&endpoint->changed);
}

static void frame_close_fds(struct mem_endpoint *endpoint)
{
	while (endpoint->nr_input_fds)
		fd_close(endpoint->input_fds[--endpoint->nr_input_fds]);
}

static void frame_keep_fds(struct mem_endpoint *endpoint, struct msghdr *msg)
{
	struct cmsghdr *control;
	size_t nr, i;
	int fd;

	endpoint->nr_input_fds = 0;
	endpoint->is_cut = msg->msg_flags & MSG_CTRUNC;
	for (control = CMSG_FIRSTHDR(msg); control;
	     control = CMSG_NXTHDR(msg, control)) {
		if (control->cmsg_level != SOL_SOCKET ||
		    control->cmsg_type != SCM_RIGHTS)
			continue;
		nr = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nr; i++) {
			memcpy(&fd, CMSG_DATA(control) + i * sizeof(int),
			       sizeof(fd));
			if (endpoint->nr_input_fds == 2)
				fd_close(fd);
			else
				endpoint->input_fds[endpoint->nr_input_fds++] =
					fd;
		}
	}
}

/**
 * frame_read() - read a frame, if there is one
 * @endpoint: end; the caller is the thread that reads
 *
 * If the previous frame has not been processed, nothing is read.
 *
 * Context: no lock is held.
 * Return: 1; 0 if there is no frame now; or -errno: the peer has gone (-EPIPE),
 * or the kernel is out of memory (-ENOMEM).
 */
int frame_read(struct mem_endpoint *endpoint)
{
	union {
		struct cmsghdr align;
		char bytes[CONTROL_LEN];
	} control;
	struct iovec input = {
		&endpoint->input,
		sizeof(endpoint->input),
	};
	struct msghdr msg = {
		.msg_iov = &input,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t len;

	if (endpoint->input_len)
		return 1;
	/* ECONNRESET is reported once if the peer left frames unread. */
	do {
		msg.msg_controllen = sizeof(control);
		len = recvmsg(endpoint->sock.nr, &msg,
			      MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (len < 0 && (errno == EINTR || errno == ECONNRESET));
	if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (len < 0 && (errno == ENOMEM || errno == ENOBUFS))
		return -ENOMEM;
	if (len < 0)
		return -EPIPE;
	frame_keep_fds(endpoint, &msg);
	/* End of file, or a frame that no end sends: too short or too long. */
	if (len < (ssize_t)sizeof(endpoint->input.frame) ||
	    msg.msg_flags & MSG_TRUNC) {
		frame_close_fds(endpoint);
		return -EPIPE;
	}
	endpoint->input_len = (size_t)len;
	return 1;
}

/**
 * frame_send() - send a frame if the socket accepts it now
 * @endpoint: end
 * @frame: frame with its type and the fields of that type; this function sets
 *	@magic
 * @bytes: part of a message, or NULL
 * @len: number of @bytes
 * @fd: descriptor to send, or -1
 *
 * Context: the endpoint's lock is held. It is released during the call if there
 * are @bytes, since reading the caller's memory may fault.
 * Return: 0, or -errno of sendmsg(); -EPIPE if the peer has gone.
 */
int frame_send(struct mem_endpoint *endpoint, struct frame *frame,
	       const void *bytes, size_t len, int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec parts[2] = {
		{ frame, sizeof(*frame) },
		{ (void *)bytes, len },
	};
	struct msghdr msg = {
		.msg_iov = parts,
		.msg_iovlen = len ? 2 : 1,
	};
	int err;

	if (fd >= 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
	}
	frame->magic = FRAME_MAGIC;
	if (len)
		pthread_mutex_unlock(&endpoint->lock);
	do {
		err = sendmsg(endpoint->sock.nr, &msg,
			      MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
	} while (err == -EINTR);
	if (len)
		pthread_mutex_lock(&endpoint->lock);
	if (err == -ECONNRESET || err == -ENOTCONN || err == -EBADF ||
	    err == -ENOTSOCK)
		return -EPIPE;
	return err;
}

static bool frame_has_room(const struct mem_endpoint *endpoint,
			   enum credit credit)
{
	return endpoint->nr_arrived[credit] - endpoint->nr_taken[credit] <
	       endpoint->limit[credit];
}

/**
 * frame_reply() - wake a peer that waits for room if there is room now
 * @endpoint: end
 *
 * The frame may be dropped if the socket is full: the peer then has frames to
 * read and is awake.
 *
 * Context: the endpoint's lock is held.
 */
void frame_reply(struct mem_endpoint *endpoint)
{
	struct frame frame = { .type = FRAME_TAKEN };
	bool is_due = false;
	unsigned int i;

	for (i = 0; i < NR_CREDITS; i++) {
		if (!endpoint->is_asked[i] || !frame_has_room(endpoint, i))
			continue;
		endpoint->is_asked[i] = false;
		is_due = true;
	}
	if (is_due && !endpoint->is_gone)
		frame_send(endpoint, &frame, NULL, 0, -1);
}

/**
 * message_free() - free a message that has arrived
 * @message: message, or NULL
 */
void message_free(struct message *message)
{
	if (message && message->fd >= 0)
		fd_close(message->fd);
	free(message);
}

static void frame_drop_partial(struct mem_endpoint *endpoint)
{
	message_free(endpoint->partial);
	endpoint->partial = NULL;
	endpoint->nr_partial = 0;
}

/* Moves the descriptor that came with a message, if there is one, into it. */
static int frame_take_fd(struct mem_endpoint *endpoint, struct message *message)
{
	message->fd = -1;
	message->is_fd_lost = endpoint->is_cut;
	if (endpoint->nr_input_fds > 1)
		return -EPIPE;
	if (!endpoint->nr_input_fds)
		return 0;
	message->fd = fd_aside(endpoint->input_fds[0]);
	message->is_fd_lost |= message->fd < 0;
	endpoint->nr_input_fds = 0;
	return 0;
}

/* A sender that timed out gives its message up, so a new one may begin here. */
static int frame_take_message(struct mem_endpoint *endpoint,
			      const struct frame *frame, size_t len)
{
	struct message *message = endpoint->partial;

	if (!frame->len || frame->len > MEM_ENDPOINT_MAX || !len ||
	    frame->off > frame->len || len > frame->len - frame->off ||
	    frame->seq != endpoint->nr_arrived[CREDIT_MESSAGE] ||
	    !frame_has_room(endpoint, CREDIT_MESSAGE))
		return -EPIPE;
	if (!frame->off) {
		frame_drop_partial(endpoint);
		message = malloc(sizeof(*message) + frame->len);
		if (!message)
			return -ENOMEM;
		message->next = NULL;
		message->len = frame->len;
		endpoint->partial = message;
		if (frame_take_fd(endpoint, message))
			return -EPIPE;
	} else if (!message || message->len != frame->len ||
		   endpoint->nr_partial != frame->off) {
		return -EPIPE;
	}
	memcpy(message->bytes + frame->off, endpoint->input.bytes, len);
	endpoint->nr_partial += len;
	if (endpoint->nr_partial < message->len)
		return 0;
	if (endpoint->first)
		endpoint->last->next = message;
	else
		endpoint->first = message;
	endpoint->last = message;
	endpoint->partial = NULL;
	endpoint->nr_partial = 0;
	endpoint->nr_arrived[CREDIT_MESSAGE]++;
	return 0;
}

/* If the process has no free number, the kernel drops the descriptor. */
static int frame_take_memory(struct mem_endpoint *endpoint,
			     const struct frame *frame, size_t len)
{
	const bool is_lost = !endpoint->nr_input_fds && endpoint->is_cut;
	struct memory *memory = endpoint->memories;

	if (frame->len || frame->off || len ||
	    frame->seq != endpoint->nr_arrived[CREDIT_MEMORY] ||
	    (!is_lost && (endpoint->nr_input_fds != 1 || endpoint->is_cut)) ||
	    !frame_has_room(endpoint, CREDIT_MEMORY))
		return -EPIPE;
	while (memory->state != MEMORY_FREE)
		memory++;
	memory->fd = is_lost ? -1 : endpoint->input_fds[0];
	/* The program's standard streams must not refer to it. */
	if (memory->fd >= 0 && memory->fd <= STDERR_FILENO)
		memory->fd = fd_aside(memory->fd);
	memory->state = memory->fd < 0 ? MEMORY_LOST : MEMORY_ARRIVED;
	memory->ticket.seq = frame->seq;
	memcpy(memory->ticket.token, frame->token, sizeof(frame->token));
	endpoint->nr_input_fds = 0;
	endpoint->is_cut = false;
	endpoint->nr_arrived[CREDIT_MEMORY]++;
	return 0;
}

static bool frame_is_zero(const uint8_t *bytes, size_t len)
{
	while (len && !*bytes) {
		bytes++;
		len--;
	}
	return !len;
}

static int frame_take_hello(struct mem_endpoint *endpoint,
			    const struct frame *frame, size_t len)
{
	void *page;

	if (frame->len || frame->off || frame->seq || len || endpoint->peers ||
	    endpoint->nr_input_fds != 1 || endpoint->is_cut ||
	    page_map(endpoint->input_fds[0], PROT_READ, &page))
		return -EPIPE;
	endpoint->peers = page;
	memcpy(endpoint->peer, frame->token, sizeof(frame->token));
	return 0;
}

static int frame_take_word(struct mem_endpoint *endpoint,
			   const struct frame *frame, size_t len)
{
	if (frame->len || len)
		return -EPIPE;
	if (frame->type == FRAME_TAKEN)
		return frame->seq || frame->off ? -EPIPE : 0;
	if (frame->seq > CREDIT_ROOM ||
	    (frame->seq == CREDIT_ROOM ? !endpoint->is_of_pipe : frame->off))
		return -EPIPE;
	if (frame->seq == CREDIT_ROOM)
		endpoint->nr_arrived[CREDIT_ROOM] = frame->off;
	endpoint->is_asked[frame->seq] = true;
	return 0;
}

/* Returns true for the first part of a message to a pipe. */
static bool frame_may_have_fd(const struct mem_endpoint *endpoint)
{
	return endpoint->is_of_pipe &&
	       endpoint->input.frame.type == FRAME_MESSAGE &&
	       !endpoint->input.frame.off;
}

static int frame_take(struct mem_endpoint *endpoint)
{
	const struct frame *frame = &endpoint->input.frame;
	const size_t len = endpoint->input_len - sizeof(*frame);

	if (frame->magic != FRAME_MAGIC || frame->reserved ||
	    frame->type >= NR_FRAME_TYPES)
		return -EPIPE;
	if (frame->type == FRAME_HELLO)
		return frame_take_hello(endpoint, frame, len);
	if (!endpoint->peers)
		return -EPIPE;
	endpoint->is_followed = frame->type == FRAME_MEMORY;
	if (frame->type == FRAME_MEMORY)
		return frame_take_memory(endpoint, frame, len);
	if (((endpoint->nr_input_fds || endpoint->is_cut) &&
	     !frame_may_have_fd(endpoint)) ||
	    !frame_is_zero(frame->token, sizeof(frame->token)))
		return -EPIPE;
	return frame->type == FRAME_MESSAGE ?
	       frame_take_message(endpoint, frame, len) :
	       frame_take_word(endpoint, frame, len);
}

/**
 * frame_take_in() - process the frame that was read
 * @endpoint: end; the caller is the thread that reads
 *
 * Context: the endpoint's lock is held.
 * Return: 0; -ENOMEM: the frame is kept for another try; or -EPIPE: it is
 * invalid, and the peer has been cut off.
 */
int frame_take_in(struct mem_endpoint *endpoint)
{
	const int err = frame_take(endpoint);

	if (err == -ENOMEM)
		return err;
	endpoint->input_len = 0;
	frame_close_fds(endpoint);
	if (err)
		endpoint_break(endpoint);
	else
		frame_reply(endpoint);
	pthread_cond_broadcast(&endpoint->changed);
	return err;
}
