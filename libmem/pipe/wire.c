// SPDX-License-Identifier: LGPL-2.1-or-later
/* libmem: messages of pipes between two processes, as bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../object/endpoint.h"
#include "wire.h"

/**
 * wire_send() - send a message
 * @endpoint: end
 * @wire: message; its magic need not be set
 * @tail: bytes after it, or NULL
 * @tail_len: number of @tail
 * @fd: descriptor, which remains the caller's; -1: none
 * @deadline: from deadline_of()
 *
 * Context: the endpoint's lock is held; released while it waits.
 * Return: 0, -EINVAL (the list of an image is too long for a message), or as
 * endpoint_send_message().
 */
int wire_send(struct mem_endpoint *endpoint, const struct wire *wire,
	      const void *tail, size_t tail_len, int fd, uint64_t deadline)
{
	const size_t len = sizeof(*wire) + tail_len;
	struct wire *all;
	int err;

	if (len > MEM_ENDPOINT_MAX)
		return -EINVAL;
	if (!tail_len)
		return endpoint_send_message(endpoint, wire, len, fd, deadline);
	all = malloc(len);
	if (!all)
		return -ENOMEM;
	*all = *wire;
	memcpy(all + 1, tail, tail_len);
	err = endpoint_send_message(endpoint, all, len, fd, deadline);
	free(all);
	return err;
}

/**
 * wire_open() - check what all messages have in common
 * @message: message
 *
 * Return: the message; NULL: no side sends it, or its descriptor was lost.
 */
const struct wire *wire_open(const struct message *message)
{
	const struct wire *wire = (const void *)message->bytes;

	if (message->len < sizeof(*wire) || message->is_fd_lost ||
	    wire->magic != WIRE_MAGIC)
		return NULL;
	if (message->len > sizeof(*wire) && wire->type != WIRE_MEMORY)
		return NULL;
	return wire;
}

/**
 * wire_put_planes() - copy planes without their addresses
 * @to: out: MEM_PLANES_MAX planes; those after @nr are 0
 * @from: planes
 * @nr: number, up to MEM_PLANES_MAX
 */
void wire_put_planes(struct mem_plane *to, const struct mem_plane *from,
		     uint32_t nr)
{
	uint32_t i;

	memset(to, 0, MEM_PLANES_MAX * sizeof(*to));
	for (i = 0; i < nr; i++) {
		to[i] = from[i];
		to[i].base = NULL;
	}
}
