/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NvSciIpc over libmem: interfaces between its files. */
#ifndef _COMPAT_NVSCI_IPC_H
#define _COMPAT_NVSCI_IPC_H

#include <pthread.h>

#include "nvsci.h"

#define NVSCI_FRAME_LEN	MEM_ENDPOINT_MAX

/**
 * struct nvsci_endpoint - one end of a channel
 * @handle: handle of the program
 * @name: name with which it was opened
 * @poll: descriptor for the program: an epoll of @event and libmem's descriptor
 * @event: readable while @is_new
 * @thread: waits for the peer; joined when the endpoint is destroyed
 * @lock: protects the fields below
 * @changed: signalled when @mem, @err or @is_closed changes
 * @nr_users: references: the table's, and of calls in progress
 * @is_closed: the program has closed it
 * @mem: libmem's endpoint; NULL: the peer has not come. Does not change after
 *	that
 * @err: error that ended the wait for the peer
 * @is_new: the program does not know of the peer yet
 * @nr_resets: number of resets by the program
 * @read: frame that the program reads in place
 * @has_read: @read has a frame
 * @write: frame that the program writes in place
 * @has_write: @write has a frame
 * @nr_unread: number of frames written after the peer closed its end
 */
struct nvsci_endpoint {
	NvSciIpcEndpoint handle;
	char name[NVSCIIPC_MAX_ENDPOINT_NAME];
	int poll;
	int event;
	pthread_t thread;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int nr_users;
	bool is_closed;
	struct mem_endpoint *mem;
	int err;
	bool is_new;
	unsigned int nr_resets;
	uint8_t *read;
	bool has_read;
	uint8_t *write;
	bool has_write;
	unsigned int nr_unread;
};

NvSciError nvsci_endpoint_enter(NvSciIpcEndpoint handle,
				struct nvsci_endpoint **endpoint);
void nvsci_endpoint_leave(struct nvsci_endpoint *endpoint);
void nvsci_endpoint_set_new(struct nvsci_endpoint *endpoint, bool is_new);

#endif
