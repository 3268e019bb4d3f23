/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVIDIA's NvSciIpc over libmem: channels between processes, over which
 * attribute lists and objects of NvSciBuf go. Names and numbers are the
 * vendor's, as of DRIVE OS 6; Documentation/nvscibuf.rst says where behaviour
 * differs.
 *
 * A message is a frame: what the reader asks for beyond what was written is 0.
 * An endpoint needs no configuration: two of one name form a channel, and two
 * whose names differ in a last "_0" and "_1".
 *
 * All calls but NvSciIpcInit() return NvSciError_NotInitialized before that.
 */
#ifndef INCLUDED_NVSCIIPC_H
#define INCLUDED_NVSCIIPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvscierror.h"
#include "nvscievent.h"

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t NvSciIpcMajorVersion = 1U;
static const uint32_t NvSciIpcMinorVersion = 4U;

typedef uint64_t NvSciIpcEndpoint;

/**
 * struct NvSciIpcEndpointInfo - what an endpoint can take
 * @nframes: frames that may be on their way in one direction
 * @frame_size: longest frame, bytes
 */
struct NvSciIpcEndpointInfo {
	uint32_t nframes;
	uint32_t frame_size;
};

typedef struct NvSciIpcEndpointInfo NvSciIpcEndpointInfo;

#define NVSCIIPC_MAX_ENDPOINT_NAME	64U

#define NV_SCI_IPC_EVENT_READ		0x01U
#define NV_SCI_IPC_EVENT_WRITE		0x02U
#define NV_SCI_IPC_EVENT_CONN_EST	0x04U
#define NV_SCI_IPC_EVENT_CONN_RESET	0x08U
#define NV_SCI_IPC_EVENT_WRITE_EMPTY	0x10U
#define NV_SCI_IPC_EVENT_ASYNC_ERROR	0x20U
#define NV_SCI_IPC_EVENT_CONN_EST_ALL \
	(NV_SCI_IPC_EVENT_CONN_EST | NV_SCI_IPC_EVENT_WRITE | \
	 NV_SCI_IPC_EVENT_WRITE_EMPTY | NV_SCI_IPC_EVENT_READ)

#define NVSCIIPC_INFINITE_WAIT		-1LL

#define NV_SCI_ASYNC_PCIE_EDMA_XFER_ERROR		0x1U
#define NV_SCI_ASYNC_PCIE_AER_UNCORRECTABLE_FATAL	0x2U
#define NV_SCI_ASYNC_PCIE_AER_UNCORRECTABLE_NONFATAL	0x4U
#define NV_SCI_ASYNC_PCIE_VALIDATION_ERROR		0x8U

/**
 * NvSciIpcInit() - begin to use endpoints
 *
 * May be called again, each time with its NvSciIpcDeinit().
 *
 * Return: NvSciError_Success, or NvSciError_NotPermitted (there is no context
 * of libmem: see mem_ctx_open_shared()), NvSciError_InsufficientMemory.
 */
NvSciError NvSciIpcInit(void);

/**
 * NvSciIpcDeinit() - end it
 *
 * The last one closes endpoints that are still open.
 */
void NvSciIpcDeinit(void);

/**
 * NvSciIpcOpenEndpoint() - open one end of a channel
 * @endpoint: its name, shorter than NVSCIIPC_MAX_ENDPOINT_NAME: letters,
 *	digits, '_', '-' and '.'
 * @handle: out: the end: NvSciIpcCloseEndpointSafe()
 *
 * Does not wait for the peer: NvSciIpcGetEventSafe() says when it is there.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * no such name), NvSciError_InsufficientMemory,
 * NvSciError_InsufficientResource (no file descriptor or thread is left, too
 * many endpoints).
 */
NvSciError NvSciIpcOpenEndpoint(const char *endpoint,
				NvSciIpcEndpoint *handle);

/**
 * NvSciIpcOpenEndpointWithEventService() - there is no event service
 * @endpoint: not looked at
 * @handle: not written
 * @eventService: not looked at
 *
 * Return: NvSciError_NotSupported.
 */
NvSciError
NvSciIpcOpenEndpointWithEventService(const char *endpoint,
				     NvSciIpcEndpoint *handle,
				     NvSciEventService *eventService);

/**
 * NvSciIpcGetEventNotifier() - there is no event service
 * @handle: not looked at
 * @eventNotifier: not written
 *
 * Return: NvSciError_NotSupported.
 */
NvSciError NvSciIpcGetEventNotifier(NvSciIpcEndpoint handle,
				    NvSciEventNotifier **eventNotifier);

/**
 * NvSciIpcCloseEndpoint() - close an end
 * @handle: end; one that is none does nothing
 */
void NvSciIpcCloseEndpoint(NvSciIpcEndpoint handle);

/**
 * NvSciIpcCloseEndpointSafe() - close an end
 * @handle: end
 * @clear: whether frames that the peer has not read go: they stay
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (there is no such
 * end).
 */
NvSciError NvSciIpcCloseEndpointSafe(NvSciIpcEndpoint handle, bool clear);

/**
 * NvSciIpcResetEndpoint() - begin on a channel
 * @handle: end
 *
 * As NvSciIpcResetEndpointSafe().
 */
void NvSciIpcResetEndpoint(NvSciIpcEndpoint handle);

/**
 * NvSciIpcResetEndpointSafe() - begin on a channel
 * @handle: end
 *
 * NV_SCI_IPC_EVENT_CONN_EST comes (again). From the second call on it drops
 * the frames that have arrived; the peer is not notified.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (there is no such
 * end).
 */
NvSciError NvSciIpcResetEndpointSafe(NvSciIpcEndpoint handle);

/**
 * NvSciIpcRead() - take the next frame
 * @handle: end
 * @buf: out: the frame; what of it is longer than @size is lost
 * @size: bytes to read, at most the size of a frame
 * @bytes: out: @size
 *
 * Does not wait.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (there is no such
 * end, a pointer is NULL, @size is 0 or more than a frame),
 * NvSciError_InsufficientMemory (no frame is there),
 * NvSciError_ConnectionReset (no peer has come yet, or it has gone).
 */
NvSciError NvSciIpcRead(NvSciIpcEndpoint handle, void *buf, size_t size,
			int32_t *bytes);

/**
 * NvSciIpcReadSafe() - take the next frame
 * @handle: as NvSciIpcRead()
 * @buf: out: as NvSciIpcRead()
 * @size: as NvSciIpcRead()
 * @bytes: out: as NvSciIpcRead()
 *
 * Return: as NvSciIpcRead().
 */
NvSciError NvSciIpcReadSafe(NvSciIpcEndpoint handle, void *buf, uint32_t size,
			    uint32_t *bytes);

/**
 * NvSciIpcReadGetNextFrame() - look at the next frame
 * @handle: end
 * @buf: out: the frame, as long as a frame may be, valid until
 *	NvSciIpcReadAdvance()
 *
 * Return: as NvSciIpcRead().
 */
NvSciError NvSciIpcReadGetNextFrame(NvSciIpcEndpoint handle,
				    const volatile void **buf);

/**
 * NvSciIpcReadAdvance() - be done with the next frame
 * @handle: end
 *
 * Return: as NvSciIpcRead().
 */
NvSciError NvSciIpcReadAdvance(NvSciIpcEndpoint handle);

/**
 * NvSciIpcWrite() - send a frame
 * @handle: end
 * @buf: the frame
 * @size: bytes of it, at most the size of a frame
 * @bytes: out: @size
 *
 * Does not wait. As on the board, a peer that has gone does not make it fail:
 * frames that nobody will read are accepted until the channel is full.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (there is no such
 * end, a pointer is NULL, @size is 0 or more than a frame),
 * NvSciError_InsufficientMemory (the channel is full),
 * NvSciError_ConnectionReset (no peer has come yet).
 */
NvSciError NvSciIpcWrite(NvSciIpcEndpoint handle, const void *buf, size_t size,
			 int32_t *bytes);

/**
 * NvSciIpcWriteSafe() - send a frame
 * @handle: as NvSciIpcWrite()
 * @buf: as NvSciIpcWrite()
 * @size: as NvSciIpcWrite()
 * @bytes: out: as NvSciIpcWrite()
 *
 * Return: as NvSciIpcWrite().
 */
NvSciError NvSciIpcWriteSafe(NvSciIpcEndpoint handle, const void *buf,
			     uint32_t size, uint32_t *bytes);

/**
 * NvSciIpcWriteGetNextFrame() - where to write the next frame
 * @handle: end
 * @buf: out: as long as a frame may be, valid until NvSciIpcWriteAdvance(),
 *	which sends all of it
 *
 * Return: as NvSciIpcWrite().
 */
NvSciError NvSciIpcWriteGetNextFrame(NvSciIpcEndpoint handle,
				     volatile void **buf);

/**
 * NvSciIpcWriteAdvance() - send the frame of NvSciIpcWriteGetNextFrame()
 * @handle: end
 *
 * Return: as NvSciIpcWrite(); NvSciError_InvalidState (there is none).
 */
NvSciError NvSciIpcWriteAdvance(NvSciIpcEndpoint handle);

/**
 * NvSciIpcGetEndpointInfo() - what an endpoint can take
 * @handle: end
 * @info: out: that
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (there is no such
 * end,
 * @info is NULL).
 */
NvSciError NvSciIpcGetEndpointInfo(NvSciIpcEndpoint handle,
				   struct NvSciIpcEndpointInfo *info);

/**
 * NvSciIpcGetLinuxEventFd() - a file descriptor to poll
 * @handle: end
 * @fd: out: readable when NvSciIpcGetEventSafe() has something else than
 *	NV_SCI_IPC_EVENT_WRITE; the endpoint's own
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (there is no such
 * end,
 * @fd is NULL).
 */
NvSciError NvSciIpcGetLinuxEventFd(NvSciIpcEndpoint handle, int32_t *fd);

/**
 * NvSciIpcGetEvent() - what has happened
 * @handle: end
 * @events: out: NV_SCI_IPC_EVENT_*: CONN_EST once after the peer has come or
 *	the end was reset; CONN_RESET alone if the peer has gone and no frame
 *	is left; READ while a frame is there; WRITE while there is a peer
 *
 * Does not wait.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (there is no such
 * end,
 * @events is NULL).
 */
NvSciError NvSciIpcGetEvent(NvSciIpcEndpoint handle, uint32_t *events);

/**
 * NvSciIpcGetEventSafe() - what has happened
 * @handle: as NvSciIpcGetEvent()
 * @events: out: as NvSciIpcGetEvent()
 *
 * Return: as NvSciIpcGetEvent().
 */
NvSciError NvSciIpcGetEventSafe(NvSciIpcEndpoint handle, uint32_t *events);

/**
 * NvSciIpcGetAsyncErrors() - errors of a channel between chips: there is none
 * @handle: not looked at
 * @errors: not written
 *
 * Return: NvSciError_NotSupported.
 */
NvSciError NvSciIpcGetAsyncErrors(NvSciIpcEndpoint handle, uint32_t *errors);

/**
 * NvSciIpcEnableNotification() - of a channel between chips: there is none
 * @handle: not looked at
 * @flag: not looked at
 *
 * Return: NvSciError_NotSupported.
 */
NvSciError NvSciIpcEnableNotification(NvSciIpcEndpoint handle, bool flag);

/**
 * NvSciIpcCheckVersionCompatibility() - check the version of the header
 * @majorVer: NvSciIpcMajorVersion when that was built
 * @minorVer: NvSciIpcMinorVersion when that was built
 * @isCompatible: out: the major version is the library's, the minor one not
 *	newer
 *
 * Needs no NvSciIpcInit().
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@isCompatible is
 * NULL).
 */
NvSciError NvSciIpcCheckVersionCompatibility(uint32_t majorVer,
					     uint32_t minorVer,
					     bool *isCompatible);

#ifdef __cplusplus
}
#endif

#endif
