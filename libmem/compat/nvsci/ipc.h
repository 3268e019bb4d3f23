/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NvSciIpc over libmem: what its files have in common. */
#ifndef _COMPAT_NVSCI_IPC_H
#define _COMPAT_NVSCI_IPC_H

#include <pthread.h>

#include "nvsci.h"

#define NVSCI_FRAME_LEN	MEM_ENDPOINT_MAX

/**
 * struct nvsci_endpoint - one end
 * @handle: the program's
 * @name: as it was opened
 * @poll: what the program polls: an epoll of @event and of libmem's
 * @event: readable while the program has not been told of the peer
 * @thread: waits for the peer; joined at the end
 * @lock: protects what follows
 * @changed: @mem, @err or @is_closed has
 * @nr_users: the table, and calls that use it
 * @is_closed: by the program
 * @mem: libmem's; NULL: the peer has not come. Stays, once it is there
 * @err: why it will not
 * @is_new: the program has not been told of the peer
 * @nr_resets: by the program
 * @read: a frame that the program looks at
 * @has_read: there is one
 * @write: a frame that the program writes
 * @has_write: there is one
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
};

NvSciError nvsci_endpoint_enter(NvSciIpcEndpoint handle,
				struct nvsci_endpoint **endpoint);
void nvsci_endpoint_leave(struct nvsci_endpoint *endpoint);
void nvsci_endpoint_set_new(struct nvsci_endpoint *endpoint, bool is_new);

#endif
