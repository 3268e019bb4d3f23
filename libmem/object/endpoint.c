// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: endpoints: creation and destruction, messages of the program, and
 * file descriptors of objects' memory that arrive on the same socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../page.h"
#include "endpoint.h"

/**
 * endpoint_check() - check whether a call is permitted now
 * @endpoint: end
 *
 * Return: 0, or -EPERM in a host function, or in a child process, where the
 * endpoint's lock may be held by a thread that does not exist there; -EBUSY: a
 * pipe has it.
 */
int endpoint_check(const struct mem_endpoint *endpoint)
{
	const int err = sched_check_call();

	if (err)
		return err;
	if (ctx_is_forked(endpoint->ctx))
		return -EPERM;
	return endpoint->is_of_pipe ? -EBUSY : 0;
}

/**
 * endpoint_enter() - take an endpoint's lock for a call
 * @endpoint: end
 * @cancel: out: cancel state for endpoint_leave(); cancellation is disabled
 *	until then
 */
void endpoint_enter(struct mem_endpoint *endpoint, int *cancel)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel);
	pthread_mutex_lock(&endpoint->lock);
}

/**
 * endpoint_leave() - release an endpoint's lock at the end of a call
 * @endpoint: end
 * @cancel: from endpoint_enter()
 */
void endpoint_leave(struct mem_endpoint *endpoint, int cancel)
{
	const bool is_set = endpoint->first || endpoint->is_poked;

	frame_reply(endpoint);
	if (endpoint->is_set != is_set) {
		own_event_set(&endpoint->event, is_set);
		endpoint->is_set = is_set;
	}
	pthread_mutex_unlock(&endpoint->lock);
	pthread_setcancelstate(cancel, NULL);
}

static int endpoint_init_lock(struct mem_endpoint *endpoint)
{
	pthread_condattr_t monotonic;
	int err;

	err = pthread_mutex_init(&endpoint->lock, NULL);
	if (err)
		return -err;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	err = pthread_cond_init(&endpoint->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (err)
		pthread_mutex_destroy(&endpoint->lock);
	return -err;
}

static int endpoint_poll_for(const struct mem_endpoint *endpoint,
			     const struct own_fd *fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP };

	return epoll_ctl(endpoint->poll.nr, EPOLL_CTL_ADD, fd->nr, &event) ?
	       -errno : 0;
}

static int endpoint_open_fds(struct mem_endpoint *endpoint, int fd)
{
	void *page = NULL;
	int err;

	err = own_fd_take(&endpoint->sock, fd);
	if (!err)
		err = own_event_open(&endpoint->event);
	if (!err)
		err = own_fd_take(&endpoint->poll,
				  epoll_create1(EPOLL_CLOEXEC));
	if (!err)
		err = endpoint_poll_for(endpoint, &endpoint->sock);
	if (!err)
		err = endpoint_poll_for(endpoint, &endpoint->event);
	if (!err)
		err = page_create(&page, &endpoint->own_fd);
	endpoint->own = page;
	return err;
}

static void endpoint_close_fds(struct mem_endpoint *endpoint)
{
	page_unmap(endpoint->own);
	page_unmap(endpoint->peers);
	own_fd_close(&endpoint->own_fd);
	own_fd_close(&endpoint->poll);
	own_fd_close(&endpoint->event);
	own_fd_close(&endpoint->sock);
}

/**
 * endpoint_create() - make an endpoint from a socket
 * @ctx: context
 * @fd: connected socket; closed on failure, too
 * @is_own: libmem made the socket, so no other process has it
 * @endpoint: out: an end that has neither sent nor received a hello
 *
 * Return: 0 or -errno.
 */
int endpoint_create(struct mem_ctx *ctx, int fd, bool is_own,
		    struct mem_endpoint **endpoint)
{
	struct mem_endpoint *new = calloc(1, sizeof(*new));
	int err;

	if (!new) {
		fd_close(fd);
		return -ENOMEM;
	}
	new->sock = OWN_FD_NONE;
	new->event = OWN_FD_NONE;
	new->poll = OWN_FD_NONE;
	new->own_fd = OWN_FD_NONE;
	err = endpoint_open_fds(new, fd);
	if (!err && getrandom(new->id, sizeof(new->id), 0) != sizeof(new->id))
		err = -EIO;
	if (!err)
		err = endpoint_init_lock(new);
	if (err) {
		endpoint_close_fds(new);
		free(new);
		return err;
	}
	pthread_mutex_init(&new->list_lock, NULL);
	new->is_own = is_own;
	new->part_len = PART_MAX;
	new->limit[CREDIT_MESSAGE] = MEM_ENDPOINT_QUEUE;
	new->limit[CREDIT_MEMORY] = MEM_ENDPOINT_QUEUE;
	new->ctx = ctx_get(ctx);
	*endpoint = new;
	return 0;
}

API int mem_endpoint_from_fd(struct mem_ctx *ctx, int fd,
			     struct mem_endpoint **endpoint)
{
	struct mem_endpoint *new;
	struct sockaddr peer;
	socklen_t len = sizeof(int);
	int type, err, copy;

	if (!ctx || !endpoint)
		return -EINVAL;
	err = sched_check_call();
	if (!err && ctx_is_forked(ctx))
		err = -EPERM;
	if (err)
		return err;
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len))
		return errno == EBADF ? -EBADF : -EINVAL;
	len = sizeof(peer);
	if (type != SOCK_SEQPACKET || getsockname(fd, &peer, &len) ||
	    peer.sa_family != AF_UNIX)
		return -EINVAL;
	len = sizeof(peer);
	if (getpeername(fd, &peer, &len))
		return -EINVAL;
	copy = dup_cloexec(fd);
	if (copy < 0)
		return copy;
	err = endpoint_create(ctx, copy, false, &new);
	if (err)
		return err;
	pthread_mutex_lock(&new->lock);
	err = endpoint_send_hello(new);
	pthread_mutex_unlock(&new->lock);
	/* Later calls report it if the peer has gone. */
	if (err && err != -EPIPE) {
		mem_endpoint_close(new);
		return err == -ENOBUFS ? -ENOMEM : -EINVAL;
	}
	*endpoint = new;
	return 0;
}

static void endpoint_free_messages(struct mem_endpoint *endpoint)
{
	struct message *message;

	while ((message = endpoint->first)) {
		endpoint->first = message->next;
		message_free(message);
	}
	message_free(endpoint->partial);
}

static void endpoint_free_memories(struct mem_endpoint *endpoint)
{
	size_t i;

	for (i = 0; i < MEM_ENDPOINT_QUEUE; i++)
		if (endpoint->memories[i].state == MEMORY_ARRIVED)
			fd_close(endpoint->memories[i].fd);
	while (endpoint->nr_input_fds)
		fd_close(endpoint->input_fds[--endpoint->nr_input_fds]);
}

API void mem_endpoint_close(struct mem_endpoint *endpoint)
{
	struct mem_ctx *ctx;

	if (!endpoint)
		return;
	ctx = endpoint->ctx;
	endpoint_free_messages(endpoint);
	endpoint_free_memories(endpoint);
	/* Shut down explicitly: a forked child may hold the socket open. */
	if (endpoint->is_own && !ctx_is_forked(ctx) &&
	    own_fd_is_open(&endpoint->sock))
		shutdown(endpoint->sock.nr, SHUT_RDWR);
	endpoint_close_fds(endpoint);
	if (!ctx_is_forked(ctx)) {
		pthread_cond_destroy(&endpoint->changed);
		pthread_mutex_destroy(&endpoint->lock);
		pthread_mutex_destroy(&endpoint->list_lock);
	}
	mem_attrs_destroy(endpoint->list);
	free(endpoint->list_bytes);
	free(endpoint);
	ctx_put(ctx);
}

API int mem_endpoint_fd(const struct mem_endpoint *endpoint)
{
	return endpoint ? endpoint->poll.nr : -EINVAL;
}

API int mem_endpoint_send(struct mem_endpoint *endpoint, const void *bytes,
			  size_t len, uint64_t timeout_ns)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	int err, cancel;

	if (!endpoint || !bytes || !len || len > MEM_ENDPOINT_MAX)
		return -EINVAL;
	err = endpoint_check(endpoint);
	if (err)
		return err;
	endpoint_enter(endpoint, &cancel);
	err = endpoint_send_message(endpoint, bytes, len, -1, deadline);
	endpoint_leave(endpoint, cancel);
	return err;
}

API int mem_endpoint_wait_room(struct mem_endpoint *endpoint,
			       uint64_t timeout_ns)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	int err, cancel;

	if (!endpoint)
		return -EINVAL;
	err = endpoint_check(endpoint);
	if (err)
		return err;
	endpoint_enter(endpoint, &cancel);
	/* There may be credit, and the peer's end be among what has arrived. */
	endpoint_drain(endpoint);
	err = endpoint_wait_credit(endpoint, CREDIT_MESSAGE, deadline);
	endpoint_leave(endpoint, cancel);
	return err;
}

static bool endpoint_has_message(const struct mem_endpoint *endpoint,
				 const void *arg)
{
	(void)arg;
	return endpoint->first;
}

/**
 * endpoint_pop() - take the oldest message that has arrived
 * @endpoint: end
 *
 * Context: the endpoint's lock is held.
 * Return: message, to be freed by message_free(); NULL: there is none.
 */
struct message *endpoint_pop(struct mem_endpoint *endpoint)
{
	struct message *first = endpoint->first;

	if (!first)
		return NULL;
	endpoint->first = first->next;
	/* A pipe reads until nothing is left, before it waits. */
	if (endpoint->is_of_pipe)
		endpoint_set_taken(endpoint, CREDIT_MESSAGE,
				   endpoint->nr_taken[CREDIT_MESSAGE] + 1);
	else
		endpoint_took(endpoint, CREDIT_MESSAGE);
	return first;
}

/**
 * endpoint_poke() - wake a thread that polls the endpoint's descriptor
 * @endpoint: end
 *
 * That thread clears @is_poked.
 *
 * Context: the endpoint's lock is not held.
 */
void endpoint_poke(struct mem_endpoint *endpoint)
{
	int cancel;

	endpoint_enter(endpoint, &cancel);
	endpoint->is_poked = true;
	endpoint_leave(endpoint, cancel);
}

/* Takes the oldest message. Returns -EMSGSIZE if it is longer than @max. */
static int endpoint_take_message(struct mem_endpoint *endpoint, size_t max,
				 uint64_t deadline, struct message **message)
{
	int err;

	err = endpoint_wait(endpoint, endpoint_has_message, NULL, deadline);
	if (err)
		return err;
	if (endpoint->first->len > max)
		return -EMSGSIZE;
	*message = endpoint_pop(endpoint);
	return 0;
}

API int mem_endpoint_recv(struct mem_endpoint *endpoint, void *bytes,
			  size_t len, uint64_t timeout_ns)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	struct message *message;
	int ret, cancel;

	if (!endpoint || !bytes)
		return -EINVAL;
	ret = endpoint_check(endpoint);
	if (ret)
		return ret;
	endpoint_enter(endpoint, &cancel);
	ret = endpoint_take_message(endpoint, len, deadline, &message);
	endpoint_leave(endpoint, cancel);
	if (ret)
		return ret;
	ret = (int)message->len;
	/* No lock is held, since the store to the caller's memory may fault. */
	memcpy(bytes, message->bytes, message->len);
	free(message);
	return ret;
}

/**
 * endpoint_send_memory() - send a file descriptor of an object's memory
 * @endpoint: end
 * @fd: descriptor; remains the caller's
 * @timeout_ns: maximum time to wait for a credit and for the socket
 * @ticket: out: identifies the descriptor to the peer
 *
 * Context: may sleep.
 * Return: 0, -EPIPE, -ETIMEDOUT, -ENOMEM or -errno of sendmsg().
 */
int endpoint_send_memory(struct mem_endpoint *endpoint, int fd,
			 uint64_t timeout_ns, struct ticket *ticket)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	int err, cancel;

	endpoint_enter(endpoint, &cancel);
	err = endpoint_send_fd(endpoint, fd, deadline, ticket);
	endpoint_leave(endpoint, cancel);
	return err;
}

/**
 * endpoint_is_peer() - compare an id with that of the peer
 * @endpoint: end
 * @id: ENDPOINT_ID_LEN bytes
 *
 * The hello with the peer's id is read first if it has arrived.
 *
 * Context: may sleep.
 * Return: true if the peer's id is known and equal.
 */
bool endpoint_is_peer(struct mem_endpoint *endpoint, const uint8_t *id)
{
	bool ret;
	int cancel;

	endpoint_enter(endpoint, &cancel);
	if (!endpoint->peers)
		endpoint_drain(endpoint);
	ret = endpoint->peers &&
	      !memcmp(endpoint->peer, id, sizeof(endpoint->peer));
	endpoint_leave(endpoint, cancel);
	return ret;
}

/* Returns true if the frame has arrived, even if it was taken since. */
static bool endpoint_has_arrived(const struct mem_endpoint *endpoint,
				 const void *arg)
{
	const struct ticket *ticket = arg;

	return endpoint->nr_arrived[CREDIT_MEMORY] - ticket->seq - 1 <=
	       INT32_MAX;
}

static struct memory *endpoint_find_memory(struct mem_endpoint *endpoint,
					   const struct ticket *ticket)
{
	struct memory *memory = endpoint->memories;
	size_t i;

	for (i = 0; i < MEM_ENDPOINT_QUEUE; i++, memory++)
		if (memory->state != MEMORY_FREE &&
		    memory->ticket.seq == ticket->seq)
			break;
	if (i == MEM_ENDPOINT_QUEUE ||
	    memcmp(memory->ticket.token, ticket->token,
		   sizeof(ticket->token)))
		return NULL;
	return memory;
}

static void endpoint_forget_memory(struct mem_endpoint *endpoint,
				   struct memory *memory)
{
	memory->state = MEMORY_FREE;
	endpoint_took(endpoint, CREDIT_MEMORY);
}

static int endpoint_wait_memory(struct mem_endpoint *endpoint,
				const struct ticket *ticket, uint64_t deadline,
				int *fd)
{
	struct memory *memory;
	int err;

	/* A ticket further ahead than the peer may send cannot be valid. */
	if (ticket->seq - endpoint->nr_taken[CREDIT_MEMORY] >=
	    MEM_ENDPOINT_QUEUE && !endpoint_has_arrived(endpoint, ticket))
		return -EBADMSG;
	err = endpoint_wait(endpoint, endpoint_has_arrived, ticket, deadline);
	if (err)
		return err;
	memory = endpoint_find_memory(endpoint, ticket);
	if (!memory || memory->state == MEMORY_TAKEN)
		return -EBADMSG;
	if (memory->state == MEMORY_LOST) {
		endpoint_forget_memory(endpoint, memory);
		return -EMFILE;
	}
	memory->state = MEMORY_TAKEN;
	*fd = memory->fd;
	return 0;
}

/**
 * endpoint_take_memory() - take a descriptor that was sent with a ticket
 * @endpoint: end
 * @ticket: ticket from the object's descriptor, not trusted
 * @timeout_ns: maximum time to wait until it arrives
 * @fd: out: descriptor, still owned by the endpoint; no other caller can take
 *	it until endpoint_end_memory()
 *
 * Context: may sleep.
 * Return: 0, -EBADMSG (no such descriptor, or it was taken before), -ETIMEDOUT,
 * -EPIPE, -EMFILE (no descriptor number was free when it arrived), -ENOMEM.
 */
int endpoint_take_memory(struct mem_endpoint *endpoint,
			 const struct ticket *ticket, uint64_t timeout_ns,
			 int *fd)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	int err, cancel;

	endpoint_enter(endpoint, &cancel);
	err = endpoint_wait_memory(endpoint, ticket, deadline, fd);
	endpoint_leave(endpoint, cancel);
	return err;
}

/**
 * endpoint_end_memory() - end the use of a descriptor that was taken
 * @endpoint: end
 * @ticket: ticket with which it was taken
 * @is_spent: close it; else it can be taken again
 *
 * Context: may sleep.
 */
void endpoint_end_memory(struct mem_endpoint *endpoint,
			 const struct ticket *ticket, bool is_spent)
{
	struct memory *memory;
	int cancel;

	endpoint_enter(endpoint, &cancel);
	memory = endpoint_find_memory(endpoint, ticket);
	if (is_spent) {
		fd_close(memory->fd);
		endpoint_forget_memory(endpoint, memory);
	} else {
		memory->state = MEMORY_ARRIVED;
	}
	endpoint_leave(endpoint, cancel);
}
