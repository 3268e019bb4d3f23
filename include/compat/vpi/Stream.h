/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams: work in order; payloads of algorithms. */
#ifndef NV_VPI_STREAM_H
#define NV_VPI_STREAM_H

#include "Export.h"
#include "Status.h"
#include "Types.h"
#include "Version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing waits to be flushed anyway */
#define VPI_STREAM_GREEDY (1ULL << 63)

/**
 * vpiStreamCreate() - make a stream
 * @flags: backends that may work in it, 0: all of the current context; flags of
 *	Types.h; VPI_STREAM_GREEDY
 * @stream: out: the stream: vpiStreamDestroy()
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION,
 * INVALID_CONTEXT, OUT_OF_MEMORY.
 */
VPI_PUBLIC VPIStatus vpiStreamCreate(uint64_t flags, VPIStream *stream);

/**
 * vpiStreamDestroy() - give a stream back
 * @stream: stream, or NULL, which does nothing
 *
 * Waits for its work.
 *
 * Context: may sleep; any thread.
 */
VPI_PUBLIC void vpiStreamDestroy(VPIStream stream);

/**
 * vpiStreamFlush() - have work begin
 * @stream: stream
 *
 * It has begun: this does nothing.
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiStreamFlush(VPIStream stream);

/**
 * vpiStreamSync() - wait for all work of a stream
 * @stream: stream
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, what a host function has
 * returned, VPI_ERROR_DEVICE (an engine has failed).
 */
VPI_PUBLIC VPIStatus vpiStreamSync(VPIStream stream);

/**
 * vpiStreamWaitEvent() - have later work of a stream wait for an event
 * @stream: stream
 * @event: event, as recorded last
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiStreamWaitEvent(VPIStream stream, VPIEvent event);

/**
 * vpiStreamGetThreadHandle() - heapsim lacks it
 * @stream: stream
 * @handle: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiStreamGetThreadHandle(VPIStream stream,
					      VPINativeThreadHandle *handle);

/**
 * vpiStreamGetFlags() - backends and flags of a stream
 * @stream: stream
 * @flags: out: as of vpiStreamCreate(), never without a backend
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiStreamGetFlags(VPIStream stream, uint64_t *flags);

/**
 * vpiPayloadGetFlags() - backends of a payload
 * @payload: payload
 * @flags: out: backends
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiPayloadGetFlags(VPIPayload payload, uint64_t *flags);

/**
 * vpiPayloadDestroy() - give a payload back
 * @payload: payload, or NULL, which does nothing
 *
 * Context: any thread.
 */
VPI_PUBLIC void vpiPayloadDestroy(VPIPayload payload);

#ifdef __cplusplus
}
#endif

#endif
