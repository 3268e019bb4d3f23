// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: how two endpoints find each other. The first one listens at an
 * abstract Unix socket whose name contains the user and the channel. It accepts
 * one connection and closes the listener, so the name is free again at once. An
 * end that connected but was not accepted starts anew: it listens, or connects
 * to the next listener. An end is open once it has received the peer's hello;
 * the connecting end sends its hello first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "endpoint.h"

/* How long to wait for the hello of a connected peer */
#define HELLO_WAIT_NS		NS_PER_S
/* Pause after a failed try, e.g. if the name is bound but not listened at */
#define RETRY_NS		(2 * NS_PER_S / 1000)
/* Connections that may wait for accept(); others fail and are tried again. */
#define BACKLOG			64
/* Send buffer for a queue of frames; the kernel may limit it further. */
#define BUFFER_LEN		(256 * 1024)

/**
 * struct place - address at which the ends of a channel meet
 * @addr: abstract socket address
 * @len: bytes of it
 */
struct place {
	struct sockaddr_un addr;
	socklen_t len;
};

static void rendezvous_init_place(struct place *place, const char *channel)
{
	int len;

	memset(&place->addr, 0, sizeof(place->addr));
	place->addr.sun_family = AF_UNIX;
	len = snprintf(place->addr.sun_path + 1,
		       sizeof(place->addr.sun_path) - 1, "libmem/%u/%s",
		       geteuid(), channel);
	place->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				 (size_t)len);
}

static int rendezvous_open_socket(void)
{
	const int len = BUFFER_LEN;
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
			      SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &len, sizeof(len));
	return fd;
}

static bool rendezvous_is_of_user(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       peer.uid == geteuid();
}

static bool rendezvous_has_peer(const struct mem_endpoint *endpoint,
				const void *arg)
{
	(void)arg;
	return endpoint->peers;
}

static int rendezvous_wait_hello(struct mem_endpoint *endpoint,
				 uint64_t deadline)
{
	return endpoint_wait(endpoint, rendezvous_has_peer, NULL, deadline);
}

/* Returns 0, -EAGAIN if the caller should try another peer, or -errno. */
static int rendezvous_greet(struct mem_ctx *ctx, int fd, bool is_first,
			    uint64_t deadline, struct mem_endpoint **endpoint)
{
	const uint64_t hello_deadline = deadline_of(HELLO_WAIT_NS);
	struct mem_endpoint *new;
	int err, cancel;

	if (!rendezvous_is_of_user(fd)) {
		close(fd);
		return -EAGAIN;
	}
	/*
	 * The accepting end must take the next connection if there is no hello.
	 * The other one goes on beyond its deadline: the channel may be open at
	 * the peer.
	 */
	if (is_first ? hello_deadline > deadline : hello_deadline < deadline)
		deadline = hello_deadline;
	err = endpoint_create(ctx, fd, true, &new);
	if (err)
		return err;
	endpoint_enter(new, &cancel);
	err = is_first ? endpoint_send_hello(new) :
			 rendezvous_wait_hello(new, deadline);
	if (!err)
		err = is_first ? rendezvous_wait_hello(new, deadline) :
				 endpoint_send_hello(new);
	endpoint_leave(new, cancel);
	if (err) {
		mem_endpoint_close(new);
		return err == -ENOMEM ? -ENOMEM : -EAGAIN;
	}
	*endpoint = new;
	return 0;
}

static void rendezvous_sleep(uint64_t deadline, uint64_t most_ns)
{
	const uint64_t now = now_ns();
	struct timespec time = { 0 };
	uint64_t left = deadline > now ? deadline - now : 0;

	if (left > most_ns)
		left = most_ns;
	time.tv_nsec = (long)left;
	nanosleep(&time, NULL);
}

/* Accepts connections until one of them is a peer. */
static int rendezvous_accept(struct mem_ctx *ctx, int listener,
			     uint64_t deadline, struct mem_endpoint **endpoint)
{
	int fd, err;

	for (;;) {
		fd = accept4(listener, NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && errno == EAGAIN) {
			if (deadline_is_over(deadline))
				return -ETIMEDOUT;
			socket_poll(listener, POLLIN, deadline);
			continue;
		}
		if (fd < 0 && (errno == ECONNABORTED || errno == EINTR))
			continue;
		if (fd < 0)
			return -errno;
		err = rendezvous_greet(ctx, fd, false, deadline, endpoint);
		if (err != -EAGAIN)
			return err;
	}
}

static int rendezvous_listen(struct mem_ctx *ctx, int fd, uint64_t deadline,
			     struct mem_endpoint **endpoint)
{
	int err = listen(fd, BACKLOG) ? -errno : 0;

	if (!err)
		err = rendezvous_accept(ctx, fd, deadline, endpoint);
	close(fd);
	return err;
}

static int rendezvous_connect(struct mem_ctx *ctx, int fd,
			      const struct place *place, uint64_t deadline,
			      struct mem_endpoint **endpoint)
{
	int err;

	if (connect(fd, (const struct sockaddr *)&place->addr, place->len)) {
		err = -errno;
		close(fd);
		/*
		 * The other end does not listen (any more), or its backlog is
		 * full.
		 */
		return err == -ECONNREFUSED || err == -EINTR ? -EAGAIN : err;
	}
	return rendezvous_greet(ctx, fd, true, deadline, endpoint);
}

/* Returns -EAGAIN if neither listening nor connecting succeeded. */
static int rendezvous_meet(struct mem_ctx *ctx, const struct place *place,
			   uint64_t deadline, struct mem_endpoint **endpoint)
{
	const int fd = rendezvous_open_socket();
	int err;

	if (fd < 0)
		return fd;
	if (!bind(fd, (const struct sockaddr *)&place->addr, place->len))
		return rendezvous_listen(ctx, fd, deadline, endpoint);
	err = -errno;
	if (err == -EADDRINUSE)
		return rendezvous_connect(ctx, fd, place, deadline, endpoint);
	close(fd);
	return err;
}

API int mem_endpoint_open(struct mem_ctx *ctx, const char *name,
			  uint64_t timeout_ns, struct mem_endpoint **endpoint)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	char channel[MEM_ENDPOINT_NAME_LEN];
	struct mem_endpoint *new;
	struct place place;
	int err, cancel;

	if (!ctx || !name || !endpoint)
		return -EINVAL;
	err = sched_check_call();
	if (!err && ctx_is_forked(ctx))
		err = -EPERM;
	if (!err)
		err = name_channel(name, channel);
	if (err)
		return err;
	rendezvous_init_place(&place, channel);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	for (;;) {
		err = rendezvous_meet(ctx, &place, deadline, &new);
		if (err != -EAGAIN)
			break;
		if (deadline_is_over(deadline)) {
			err = -ETIMEDOUT;
			break;
		}
		rendezvous_sleep(deadline, RETRY_NS);
	}
	pthread_setcancelstate(cancel, NULL);
	if (!err)
		*endpoint = new;
	return err;
}
