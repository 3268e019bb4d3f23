/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the samples of NvSciBuf share: they end at the first call that fails,
 * and send descriptors from one process to another.
 */
#ifndef _SCI_SAMPLE_H
#define _SCI_SAMPLE_H

#include <nvscibuf.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMEOUT_US	10000000

#define SCI(call)	sci(call, #call, __FILE__, __LINE__)

static inline void sci(NvSciError err, const char *call, const char *file,
		       int line)
{
	if (err == NvSciError_Success)
		return;
	fprintf(stderr, "%s:%d: %s: 0x%x\n", file, line, call, err);
	exit(2);
}

/*
 * End 1 of a channel is that of the child of the process with end 0. Its id is
 * in the name, so that two runs do not meet.
 */
static inline NvSciIpcEndpoint end_open(const char *channel, int nr)
{
	NvSciIpcEndpoint end;
	char name[NVSCIIPC_MAX_ENDPOINT_NAME];

	snprintf(name, sizeof(name), "%s.%d_%d", channel,
		 (int)(nr ? getppid() : getpid()), nr);
	SCI(NvSciIpcInit());
	SCI(NvSciIpcOpenEndpoint(name, &end));
	SCI(NvSciIpcResetEndpointSafe(end));
	return end;
}

static inline void end_close(NvSciIpcEndpoint end)
{
	SCI(NvSciIpcCloseEndpointSafe(end, false));
	NvSciIpcDeinit();
}

static inline void wait_for(NvSciIpcEndpoint end, uint32_t event)
{
	struct pollfd fd = { 0, POLLIN, 0 };
	uint32_t events;

	SCI(NvSciIpcGetLinuxEventFd(end, &fd.fd));
	for (;;) {
		SCI(NvSciIpcGetEventSafe(end, &events));
		if (events & event)
			return;
		if ((events & NV_SCI_IPC_EVENT_CONN_RESET) ||
		    poll(&fd, 1, TIMEOUT_US / 1000) != 1) {
			fprintf(stderr, "the other process has gone\n");
			exit(2);
		}
	}
}

static inline void msg_send(NvSciIpcEndpoint end, const void *bytes, size_t len)
{
	int32_t sent;

	wait_for(end, NV_SCI_IPC_EVENT_WRITE);
	SCI(NvSciIpcWrite(end, bytes, len, &sent));
}

static inline void msg_recv(NvSciIpcEndpoint end, void *bytes, size_t len)
{
	int32_t received;

	wait_for(end, NV_SCI_IPC_EVENT_READ);
	SCI(NvSciIpcRead(end, bytes, len, &received));
}

/* A descriptor is bytes; the other end learns first how many. */
static inline void send_desc(NvSciIpcEndpoint end, const void *desc, size_t len)
{
	msg_send(end, &len, sizeof(len));
	msg_send(end, desc, len);
}

static inline void *recv_desc(NvSciIpcEndpoint end, size_t *len)
{
	void *desc;

	msg_recv(end, len, sizeof(*len));
	desc = malloc(*len);
	if (!desc)
		exit(2);
	msg_recv(end, desc, *len);
	return desc;
}

#endif
