// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciIpc: frames and events of endpoints. The vendor's frames are messages of
 * libmem.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ipc.h"

/* The functions below are called with the endpoint's lock held. */

/* Allocates a frame that the program reads or writes in place. */
static bool ipc_frame_alloc(uint8_t **frame)
{
	if (!*frame)
		*frame = malloc(NVSCI_FRAME_LEN);
	return *frame;
}

/* Converts errors of libmem's calls with a timeout of 0. */
static NvSciError ipc_frame_error(int err)
{
	switch (err) {
	case -ETIMEDOUT:
		return NvSciError_InsufficientMemory;
	case -EPIPE:
		return NvSciError_ConnectionReset;
	default:
		return nvsci_error(err);
	}
}

/* Receives into 0 bytes: returns -EMSGSIZE if a frame waits, which stays. */
static int ipc_frame_peek(struct nvsci_endpoint *endpoint)
{
	uint8_t byte;

	if (endpoint->has_read)
		return -EMSGSIZE;
	if (!endpoint->mem)
		return -EPIPE;
	return mem_endpoint_recv(endpoint->mem, &byte, 0, 0);
}

static NvSciError ipc_frame_check(struct nvsci_endpoint *endpoint)
{
	int len;

	if (endpoint->has_read)
		return NvSciError_Success;
	if (!endpoint->mem)
		return NvSciError_ConnectionReset;
	if (!ipc_frame_alloc(&endpoint->read))
		return NvSciError_ResourceError;
	len = mem_endpoint_recv(endpoint->mem, endpoint->read, NVSCI_FRAME_LEN,
				0);
	if (len < 0)
		return ipc_frame_error(len);
	memset(endpoint->read + len, 0, NVSCI_FRAME_LEN - (size_t)len);
	endpoint->has_read = true;
	return NvSciError_Success;
}

static NvSciError ipc_frame_read(struct nvsci_endpoint *endpoint, void *buf,
				 size_t size)
{
	NvSciError error;
	int len;

	if (!endpoint->has_read && endpoint->mem) {
		len = mem_endpoint_recv(endpoint->mem, buf, size, 0);
		if (len >= 0) {
			memset((uint8_t *)buf + len, 0, size - (size_t)len);
			return NvSciError_Success;
		}
		if (len != -EMSGSIZE)
			return ipc_frame_error(len);
	}
	error = ipc_frame_check(endpoint);
	if (error)
		return error;
	memcpy(buf, endpoint->read, size);
	endpoint->has_read = false;
	return NvSciError_Success;
}

/*
 * On the board, frames are written into shared memory, and an endpoint does not
 * learn that its peer was closed. A program that sends its last frames to such
 * a peer is correct, so frames that nobody will read are accepted until the
 * channel is full.
 */
static bool ipc_frame_has_room(const struct nvsci_endpoint *endpoint)
{
	return endpoint->nr_unread < MEM_ENDPOINT_QUEUE;
}

static NvSciError ipc_frame_write(struct nvsci_endpoint *endpoint,
				  const void *buf, size_t size)
{
	int err;

	if (!endpoint->mem)
		return NvSciError_ConnectionReset;
	err = mem_endpoint_send(endpoint->mem, buf, size, 0);
	if (err != -EPIPE)
		return ipc_frame_error(err);
	if (!ipc_frame_has_room(endpoint))
		return NvSciError_InsufficientMemory;
	endpoint->nr_unread++;
	return NvSciError_Success;
}

static bool ipc_frame_is_valid(const void *buf, size_t size)
{
	return buf && size && size <= NVSCI_FRAME_LEN;
}

static NvSciError ipc_frame_do_read(NvSciIpcEndpoint handle, void *buf,
				    size_t size)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = nvsci_endpoint_enter(handle, &endpoint);

	if (error)
		return error;
	error = ipc_frame_is_valid(buf, size) ?
			ipc_frame_read(endpoint, buf, size) :
			NvSciError_BadParameter;
	nvsci_endpoint_leave(endpoint);
	return error;
}

static NvSciError ipc_frame_do_write(NvSciIpcEndpoint handle, const void *buf,
				     size_t size)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = nvsci_endpoint_enter(handle, &endpoint);

	if (error)
		return error;
	error = ipc_frame_is_valid(buf, size) ?
			ipc_frame_write(endpoint, buf, size) :
			NvSciError_BadParameter;
	nvsci_endpoint_leave(endpoint);
	return error;
}

API NvSciError NvSciIpcRead(NvSciIpcEndpoint handle, void *buf, size_t size,
			    int32_t *bytes)
{
	const NvSciError error =
		ipc_frame_do_read(handle, bytes ? buf : NULL, size);

	if (!error)
		*bytes = (int32_t)size;
	return error;
}

API NvSciError NvSciIpcReadSafe(NvSciIpcEndpoint handle, void *buf,
				uint32_t size, uint32_t *bytes)
{
	const NvSciError error =
		ipc_frame_do_read(handle, bytes ? buf : NULL, size);

	if (!error)
		*bytes = size;
	return error;
}

API NvSciError NvSciIpcWrite(NvSciIpcEndpoint handle, const void *buf,
			     size_t size, int32_t *bytes)
{
	const NvSciError error =
		ipc_frame_do_write(handle, bytes ? buf : NULL, size);

	if (!error)
		*bytes = (int32_t)size;
	return error;
}

API NvSciError NvSciIpcWriteSafe(NvSciIpcEndpoint handle, const void *buf,
				 uint32_t size, uint32_t *bytes)
{
	const NvSciError error =
		ipc_frame_do_write(handle, bytes ? buf : NULL, size);

	if (!error)
		*bytes = size;
	return error;
}

API NvSciError NvSciIpcReadGetNextFrame(NvSciIpcEndpoint handle,
					const volatile void **buf)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = nvsci_endpoint_enter(handle, &endpoint);

	if (error)
		return error;
	error = buf ? ipc_frame_check(endpoint) : NvSciError_BadParameter;
	if (!error)
		*buf = endpoint->read;
	nvsci_endpoint_leave(endpoint);
	return error;
}

API NvSciError NvSciIpcReadAdvance(NvSciIpcEndpoint handle)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = nvsci_endpoint_enter(handle, &endpoint);

	if (error)
		return error;
	error = ipc_frame_check(endpoint);
	endpoint->has_read = false;
	nvsci_endpoint_leave(endpoint);
	return error;
}

API NvSciError NvSciIpcWriteGetNextFrame(NvSciIpcEndpoint handle,
					 volatile void **buf)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = nvsci_endpoint_enter(handle, &endpoint);

	if (error)
		return error;
	if (!buf)
		error = NvSciError_BadParameter;
	else if (!endpoint->mem)
		error = NvSciError_ConnectionReset;
	else if (!ipc_frame_alloc(&endpoint->write))
		error = NvSciError_ResourceError;
	if (!error) {
		if (!endpoint->has_write)
			memset(endpoint->write, 0, NVSCI_FRAME_LEN);
		endpoint->has_write = true;
		*buf = endpoint->write;
	}
	nvsci_endpoint_leave(endpoint);
	return error;
}

API NvSciError NvSciIpcWriteAdvance(NvSciIpcEndpoint handle)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = nvsci_endpoint_enter(handle, &endpoint);

	if (error)
		return error;
	error = endpoint->has_write ?
		ipc_frame_write(endpoint, endpoint->write, NVSCI_FRAME_LEN) :
		NvSciError_InvalidState;
	if (!error)
		endpoint->has_write = false;
	nvsci_endpoint_leave(endpoint);
	return error;
}

/* Events */

API NvSciError NvSciIpcResetEndpointSafe(NvSciIpcEndpoint handle)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = nvsci_endpoint_enter(handle, &endpoint);

	if (error)
		return error;
	/* Before the first reset, the peer may have sent valid frames. */
	if (endpoint->nr_resets++) {
		while (!ipc_frame_check(endpoint))
			endpoint->has_read = false;
		endpoint->has_write = false;
	}
	if (endpoint->mem)
		nvsci_endpoint_set_new(endpoint, true);
	nvsci_endpoint_leave(endpoint);
	return NvSciError_Success;
}

API void NvSciIpcResetEndpoint(NvSciIpcEndpoint handle)
{
	NvSciIpcResetEndpointSafe(handle);
}

/* Returns true if ipc_frame_write() would accept a short frame now. */
static bool ipc_frame_can_write(const struct nvsci_endpoint *endpoint)
{
	const int err = mem_endpoint_wait_room(endpoint->mem, 0);

	return !err || (err == -EPIPE && ipc_frame_has_room(endpoint));
}

static uint32_t ipc_frame_events_of(struct nvsci_endpoint *endpoint)
{
	uint32_t events = 0;

	if (!endpoint->mem)
		return 0;
	if (ipc_frame_can_write(endpoint))
		events |= NV_SCI_IPC_EVENT_WRITE;
	switch (ipc_frame_peek(endpoint)) {
	case -EMSGSIZE:
		events |= NV_SCI_IPC_EVENT_READ;
		break;
	case -ETIMEDOUT:
		break;
	default:
		return events | NV_SCI_IPC_EVENT_CONN_RESET;
	}
	if (endpoint->is_new)
		events |= NV_SCI_IPC_EVENT_CONN_EST;
	return events;
}

API NvSciError NvSciIpcGetEventSafe(NvSciIpcEndpoint handle, uint32_t *events)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = nvsci_endpoint_enter(handle, &endpoint);

	if (error)
		return error;
	if (events) {
		*events = ipc_frame_events_of(endpoint);
		nvsci_endpoint_set_new(endpoint, false);
	}
	nvsci_endpoint_leave(endpoint);
	return events ? NvSciError_Success : NvSciError_BadParameter;
}

API NvSciError NvSciIpcGetEvent(NvSciIpcEndpoint handle, uint32_t *events)
{
	return NvSciIpcGetEventSafe(handle, events);
}
