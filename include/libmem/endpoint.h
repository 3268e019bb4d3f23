/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Endpoints: two make a channel, over which messages and objects go from
 * process to process, or from thread to thread. Part of libmem.h.
 *
 * What a channel carries is bounded: MEM_ENDPOINT_QUEUE messages wait at each
 * end at most, and as many objects that have been exported to it and not been
 * imported. Whoever sends one more waits, as long as the call says. An end that
 * receives what no end of this library sends is cut off: what has arrived may
 * be taken, then the peer has gone.
 */
#ifndef _LIBMEM_ENDPOINT_H
#define _LIBMEM_ENDPOINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mem_ctx;
struct mem_endpoint;

/* Longest name of an endpoint, with its end */
#define MEM_ENDPOINT_NAME_LEN	64U
/* Longest message of mem_endpoint_send(), bytes */
#define MEM_ENDPOINT_MAX	65536U
/* Messages, and objects, that wait at an end at most; a sender waits then */
#define MEM_ENDPOINT_QUEUE	64U

/**
 * mem_endpoint_open() - one end of a channel between two processes
 * @ctx: context; kept by the endpoint
 * @name: of the end, shorter than MEM_ENDPOINT_NAME_LEN: letters, digits, '_',
 *	'-' and '.'
 * @timeout_ns: how long to wait for the peer; MEM_WAIT_FOREVER. If an end of
 *	the name has been found then, its answer may take a second more.
 * @endpoint: out: the end, owned by the caller: mem_endpoint_close()
 *
 * Two ends of one name form a channel; so do two whose names differ in a last
 * "_0" and "_1", and two that the file which LIBMEM_IPC names has in one line
 * (Documentation/objects.rst). Ends are the user's own: another user has other
 * channels. Whoever comes third waits for the next peer.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @name is none), -ETIMEDOUT (no peer
 * has come), -EPERM (a child of the process that opened @ctx, or a host
 * function), -EMFILE or -ENFILE, -ENOMEM, what open() returns for the file that
 * LIBMEM_IPC names, or the error of a call on a socket.
 */
int mem_endpoint_open(struct mem_ctx *ctx, const char *name,
		      uint64_t timeout_ns, struct mem_endpoint **endpoint);

/**
 * mem_endpoint_from_fd() - one end of a channel that the program has made
 * @ctx: context; kept by the endpoint
 * @fd: a connected Unix socket of type SOCK_SEQPACKET; duplicated, so that it
 *	stays the caller's. Nobody else may read from it or write to it
 * @endpoint: out: the end, owned by the caller: mem_endpoint_close()
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no such socket), -EBADF (@fd is not
 * open), -EPERM (see mem_endpoint_open()), -EMFILE, -ENOMEM.
 */
int mem_endpoint_from_fd(struct mem_ctx *ctx, int fd,
			 struct mem_endpoint **endpoint);

/**
 * mem_endpoint_close() - close an end
 * @endpoint: end, or NULL, which does nothing
 *
 * Descriptors that were made for it and have not been imported are good no
 * more.
 *
 * Context: any thread.
 */
void mem_endpoint_close(struct mem_endpoint *endpoint);

/**
 * mem_endpoint_fd() - a descriptor to poll
 * @endpoint: end
 *
 * Readable: mem_endpoint_recv() may have something, or the peer has gone. A
 * call of it with no time-out takes in what is there, so that one that finds no
 * message is not repeated without end.
 *
 * Context: any thread.
 * Return: the endpoint's own, not to be closed, read or written; -EINVAL:
 * @endpoint is NULL.
 */
int mem_endpoint_fd(const struct mem_endpoint *endpoint);

/**
 * mem_endpoint_send() - send a message of the program's
 * @endpoint: end
 * @bytes: message
 * @len: 1 to MEM_ENDPOINT_MAX bytes
 * @timeout_ns: how long to wait while the peer's queue is full
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @len), -ETIMEDOUT, -EPIPE (the peer
 * has gone), -EPERM (see mem_endpoint_open()), -ENOMEM.
 */
int mem_endpoint_send(struct mem_endpoint *endpoint, const void *bytes,
		      size_t len, uint64_t timeout_ns);

/**
 * mem_endpoint_wait_room() - wait until a message can be sent
 * @endpoint: end
 * @timeout_ns: how long to wait while the peer's queue is full
 *
 * Unless another thread sends one first, the peer's queue then has a place for
 * mem_endpoint_send(), which may still have to wait for the socket if long
 * messages fill it. After -ETIMEDOUT, mem_endpoint_fd() becomes readable when
 * there is a place.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@endpoint is NULL), -ETIMEDOUT, -EPIPE (the peer has
 * gone), -EPERM (see mem_endpoint_open()), -ENOMEM.
 */
int mem_endpoint_wait_room(struct mem_endpoint *endpoint, uint64_t timeout_ns);

/**
 * mem_endpoint_recv() - receive a message of the program's
 * @endpoint: end
 * @bytes: out: message
 * @len: bytes at @bytes
 * @timeout_ns: how long to wait for one
 *
 * Context: may sleep; any thread.
 * Return: length of the message, or -EINVAL (a pointer is NULL), -EMSGSIZE (it
 * is longer than @len: it stays, ask again), -ETIMEDOUT, -EPIPE (the peer has
 * gone and nothing is left), -EPERM (see mem_endpoint_open()), -ENOMEM.
 */
int mem_endpoint_recv(struct mem_endpoint *endpoint, void *bytes, size_t len,
		      uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif

#endif
