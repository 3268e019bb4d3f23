/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by tests of endpoints: a channel, and messages of known bytes. */
#ifndef _LIBMEM_CHANNEL_H
#define _LIBMEM_CHANNEL_H

#include "test.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "../pass.h"

#define SOON		(50 * NS_PER_MS)
#define LONG		(200000 * NS_PER_MS)

static struct mem_endpoint *ends[2];

/* Opens the two ends of a channel. */
static inline void open_ends(void)
{
	int socks[2], i;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_endpoint_from_fd(ctx, socks[i], &ends[i]),
				 0);
		close(socks[i]);
	}
}

static inline void close_ends(void)
{
	mem_endpoint_close(ends[0]);
	mem_endpoint_close(ends[1]);
}

static inline void fill(uint8_t *bytes, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		bytes[i] = (uint8_t)(seed * 31 + i * 7 + (i >> 8));
}

static inline bool is_filled(const uint8_t *bytes, size_t len,
			     unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (bytes[i] != (uint8_t)(seed * 31 + i * 7 + (i >> 8)))
			return false;
	return true;
}

static inline int send_filled(struct mem_endpoint *end, size_t len,
			      unsigned int seed, uint64_t timeout_ns)
{
	uint8_t *bytes = malloc(len);
	int err;

	if (!bytes)
		return -ENOMEM;
	fill(bytes, len, seed);
	err = mem_endpoint_send(end, bytes, len, timeout_ns);
	free(bytes);
	return err;
}

/* Receives a message; returns -EILSEQ if it has other bytes than expected. */
static inline int recv_filled(struct mem_endpoint *end, size_t len,
			      unsigned int seed, uint64_t timeout_ns)
{
	uint8_t *bytes = malloc(MEM_ENDPOINT_MAX);
	int ret;

	if (!bytes)
		return -ENOMEM;
	ret = mem_endpoint_recv(end, bytes, MEM_ENDPOINT_MAX, timeout_ns);
	if (ret >= 0)
		ret = (size_t)ret == len && is_filled(bytes, len, seed) ?
		      0 : -EILSEQ;
	free(bytes);
	return ret;
}

static inline bool polls(const struct mem_endpoint *end)
{
	struct pollfd fd = { .fd = mem_endpoint_fd(end), .events = POLLIN };

	assert_true(fd.fd >= 0);
	return poll(&fd, 1, 0) == 1;
}

/*
 * The header of a frame (libmem/object/endpoint.h), for peers made by a test
 */
struct frame {
	uint32_t magic;
	uint32_t type;
	uint32_t len;
	uint32_t off;
	uint32_t seq;
	uint32_t reserved;
	uint8_t token[16];
};

enum {
	HELLO,
	MESSAGE,
	MEMORY,
	TAKEN,
	ASK,
};

#define MAGIC	0x48534601U

/* Sends a datagram, as a peer without the library does. */
static inline void send_fds(int sock, const void *bytes, size_t len,
			    const int *fds, size_t nr_fds)
{
	assert_int_equal(pass_fds(sock, bytes, len, fds, nr_fds, MSG_NOSIGNAL),
			 len);
}

static inline void send_fd(int sock, const void *bytes, size_t len, int fd)
{
	send_fds(sock, bytes, len, &fd, 1);
}

/* Sends a hello with a page of counters. All bytes of the token are @token. */
static inline void send_hello(int sock, uint8_t token)
{
	struct frame hello = { .magic = MAGIC, .type = HELLO };
	const int page = file_of(sysconf(_SC_PAGESIZE), F_SEAL_SHRINK);

	memset(hello.token, token, sizeof(hello.token));
	send_fd(sock, &hello, sizeof(hello), page);
	close(page);
}

struct opening {
	const char *name;
	uint64_t delay_ns;
	uint64_t timeout_ns;
	struct mem_endpoint *end;
	int err;
};

static inline void *open_end(void *arg)
{
	struct opening *opening = arg;

	usleep(opening->delay_ns / 1000);
	opening->err = mem_endpoint_open(ctx, opening->name,
					 opening->timeout_ns, &opening->end);
	return NULL;
}

/* Returns a name unique to this process, valid for the next eight calls. */
static inline const char *own(const char *name)
{
	static char names[8][MEM_ENDPOINT_NAME_LEN];
	static unsigned int nr;
	char *own = names[nr++ % 8];

	snprintf(own, MEM_ENDPOINT_NAME_LEN, "t%d.%s", getpid(), name);
	return own;
}

#endif
