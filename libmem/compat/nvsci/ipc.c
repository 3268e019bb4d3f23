// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciIpc: endpoints. Unlike libmem's, the vendor's call that opens an
 * endpoint does not wait for the peer: a thread of the endpoint waits until the
 * peer has come or the endpoint is closed. The vendor's frames are messages of
 * libmem.
 *
 * The lock of the table protects the mapping from handles to endpoints; the
 * lock of an endpoint protects its variable fields. Neither is held while
 * waiting.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "../../compat.h"
#include "ipc.h"

/* Maximum number of endpoints of a process: the vendor's limit */
#define ENDPOINTS_MAX	50U
/* How often the thread checks whether the endpoint is closed */
#define SLICE_NS	(100ULL * 1000 * 1000)
#define NS_PER_S	(1000ULL * 1000 * 1000)

static struct {
	pthread_mutex_t lock;
	unsigned int nr_inits;
	struct mem_ctx *ctx;
	uint32_t nr_opened;
	struct nvsci_endpoint *all[ENDPOINTS_MAX];
} table = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* A handle is the index in the table plus 1, and a count of all opened. */
static unsigned int ipc_place_of(NvSciIpcEndpoint handle)
{
	return (unsigned int)(handle & 0xff) - 1;
}

static void ipc_endpoint_destroy(struct nvsci_endpoint *endpoint)
{
	mem_endpoint_close(endpoint->mem);
	pthread_cond_destroy(&endpoint->changed);
	pthread_mutex_destroy(&endpoint->lock);
	close(endpoint->poll);
	close(endpoint->event);
	free(endpoint->read);
	free(endpoint->write);
	free(endpoint);
}

static void ipc_endpoint_put(struct nvsci_endpoint *endpoint)
{
	bool is_last;

	pthread_mutex_lock(&endpoint->lock);
	is_last = !--endpoint->nr_users;
	pthread_mutex_unlock(&endpoint->lock);
	if (is_last)
		ipc_endpoint_destroy(endpoint);
}

/* Takes a reference, for ipc_endpoint_put(). */
static NvSciError ipc_endpoint_find(NvSciIpcEndpoint handle,
				    struct nvsci_endpoint **found)
{
	const unsigned int place = ipc_place_of(handle);
	NvSciError error = NvSciError_BadParameter;

	pthread_mutex_lock(&table.lock);
	if (!table.nr_inits) {
		error = NvSciError_NotInitialized;
	} else if (place < ENDPOINTS_MAX && table.all[place] &&
		   table.all[place]->handle == handle) {
		*found = table.all[place];
		pthread_mutex_lock(&(*found)->lock);
		(*found)->nr_users++;
		pthread_mutex_unlock(&(*found)->lock);
		error = NvSciError_Success;
	}
	pthread_mutex_unlock(&table.lock);
	return error;
}

/* Waiting for the peer */

static int ipc_poll_also(const struct nvsci_endpoint *endpoint, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(endpoint->poll, EPOLL_CTL_ADD, fd, &event) ?
	       -errno : 0;
}

/**
 * nvsci_endpoint_set_new() - set whether an event of the peer is pending
 * @endpoint: endpoint; its lock is held
 * @is_new: the event is pending
 */
void nvsci_endpoint_set_new(struct nvsci_endpoint *endpoint, bool is_new)
{
	uint64_t count;

	if (endpoint->is_new == is_new)
		return;
	endpoint->is_new = is_new;
	/* The count is 0 or 1, so neither call can fail. */
	if (is_new)
		eventfd_write(endpoint->event, 1);
	else
		eventfd_read(endpoint->event, &count);
}

/* Returns true if the thread has nothing more to do. */
static bool ipc_wait_slice(struct nvsci_endpoint *endpoint)
{
	struct mem_endpoint *mem = NULL;
	bool is_done;
	int err;

	err = mem_endpoint_open(table.ctx, endpoint->name, SLICE_NS, &mem);
	pthread_mutex_lock(&endpoint->lock);
	if (!err)
		err = ipc_poll_also(endpoint, mem_endpoint_fd(mem));
	if (!err) {
		endpoint->mem = mem;
		nvsci_endpoint_set_new(endpoint, true);
	} else if (err != -ETIMEDOUT) {
		endpoint->err = err;
	}
	is_done = err != -ETIMEDOUT || endpoint->is_closed;
	pthread_cond_broadcast(&endpoint->changed);
	pthread_mutex_unlock(&endpoint->lock);
	if (err)
		mem_endpoint_close(mem);
	return is_done;
}

static void *ipc_wait_for_peer(void *arg)
{
	struct nvsci_endpoint *endpoint = arg;

	while (!ipc_wait_slice(endpoint))
		;
	return NULL;
}

/* Blocks signals: they are for the program's own threads. */
static int ipc_start_thread(struct nvsci_endpoint *endpoint)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&endpoint->thread, NULL, ipc_wait_for_peer,
			     endpoint);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

/**
 * nvsci_endpoint_get() - find an endpoint and wait for its peer
 * @handle: handle of the program
 * @own: out: endpoint, for nvsci_endpoint_put()
 * @mem: out: libmem's endpoint, valid until then
 *
 * Waits for at most NVSCI_WAIT_NS.
 *
 * Return: NvSciError_Success, NvSciError_BadParameter (there is no such
 * endpoint), NvSciError_Timeout (no peer has come), or the error that ended the
 * wait.
 */
NvSciError nvsci_endpoint_get(NvSciIpcEndpoint handle,
			      struct nvsci_endpoint **own,
			      struct mem_endpoint **mem)
{
	struct nvsci_endpoint *found;
	struct timespec until;
	NvSciError error = NvSciError_Timeout;
	int err = 0;

	/* Exports and imports cannot return NotInitialized. */
	if (ipc_endpoint_find(handle, &found))
		return NvSciError_BadParameter;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += NVSCI_WAIT_NS / NS_PER_S;
	pthread_mutex_lock(&found->lock);
	while (!found->mem && !found->err && !found->is_closed && !err)
		err = pthread_cond_timedwait(&found->changed, &found->lock,
					     &until);
	if (found->mem)
		error = NvSciError_Success;
	else if (found->err)
		error = nvsci_error(found->err);
	else if (found->is_closed)
		error = NvSciError_BadParameter;
	pthread_mutex_unlock(&found->lock);
	if (error) {
		ipc_endpoint_put(found);
		return error;
	}
	*own = found;
	*mem = found->mem;
	return NvSciError_Success;
}

/**
 * nvsci_endpoint_put() - drop the reference of nvsci_endpoint_get()
 * @own: endpoint
 */
void nvsci_endpoint_put(struct nvsci_endpoint *own)
{
	ipc_endpoint_put(own);
}

/**
 * nvsci_endpoint_enter() - find an endpoint and lock it
 * @handle: handle of the program
 * @endpoint: out: for nvsci_endpoint_leave(); its peer need not have come
 *
 * Return: NvSciError_Success, NvSciError_NotInitialized, or
 * NvSciError_BadParameter (there is no such endpoint).
 */
NvSciError nvsci_endpoint_enter(NvSciIpcEndpoint handle,
				struct nvsci_endpoint **endpoint)
{
	const NvSciError error = ipc_endpoint_find(handle, endpoint);

	if (!error)
		pthread_mutex_lock(&(*endpoint)->lock);
	return error;
}

/**
 * nvsci_endpoint_leave() - unlock an endpoint and drop the reference
 * @endpoint: from nvsci_endpoint_enter()
 */
void nvsci_endpoint_leave(struct nvsci_endpoint *endpoint)
{
	pthread_mutex_unlock(&endpoint->lock);
	ipc_endpoint_put(endpoint);
}

/**
 * nvsci_endpoint_check() - check a handle
 * @handle: handle, as passed by the program
 *
 * Return: NvSciError_Success or NvSciError_BadParameter.
 */
NvSciError nvsci_endpoint_check(NvSciIpcEndpoint handle)
{
	struct nvsci_endpoint *own;

	if (ipc_endpoint_find(handle, &own))
		return NvSciError_BadParameter;
	ipc_endpoint_put(own);
	return NvSciError_Success;
}

/* Initialisation */

API NvSciError NvSciIpcInit(void)
{
	int err = 0;

	pthread_mutex_lock(&table.lock);
	if (!table.ctx)
		err = compat_ctx_open(&table.ctx);
	if (!err)
		table.nr_inits++;
	pthread_mutex_unlock(&table.lock);
	if (err == -ENOMEM)
		return NvSciError_InsufficientMemory;
	return err ? NvSciError_NotPermitted : NvSciError_Success;
}

static void ipc_endpoint_close(struct nvsci_endpoint *endpoint)
{
	pthread_mutex_lock(&endpoint->lock);
	endpoint->is_closed = true;
	pthread_cond_broadcast(&endpoint->changed);
	pthread_mutex_unlock(&endpoint->lock);
	pthread_join(endpoint->thread, NULL);
	ipc_endpoint_put(endpoint);
}

/* Removes an endpoint from the table, or returns NULL. The caller closes it. */
static struct nvsci_endpoint *ipc_take_out(unsigned int place,
					   NvSciIpcEndpoint handle)
{
	struct nvsci_endpoint *endpoint = NULL;

	pthread_mutex_lock(&table.lock);
	if (place < ENDPOINTS_MAX && table.all[place] &&
	    (!handle || table.all[place]->handle == handle)) {
		endpoint = table.all[place];
		table.all[place] = NULL;
	}
	pthread_mutex_unlock(&table.lock);
	return endpoint;
}

API void NvSciIpcDeinit(void)
{
	struct nvsci_endpoint *endpoint;
	unsigned int i;
	bool is_last;

	pthread_mutex_lock(&table.lock);
	is_last = table.nr_inits && !--table.nr_inits;
	pthread_mutex_unlock(&table.lock);
	for (i = 0; is_last && i < ENDPOINTS_MAX; i++) {
		endpoint = ipc_take_out(i, 0);
		if (endpoint)
			ipc_endpoint_close(endpoint);
	}
}

API NvSciError NvSciIpcCheckVersionCompatibility(uint32_t majorVer,
						 uint32_t minorVer,
						 bool *isCompatible)
{
	if (!isCompatible)
		return NvSciError_BadParameter;
	*isCompatible = majorVer == NvSciIpcMajorVersion &&
			minorVer <= NvSciIpcMinorVersion;
	return NvSciError_Success;
}

/* Opening and closing */

/* Does not depend on the locale, unlike isalnum(). */
static bool ipc_is_letter(char c)
{
	const char small = c | 0x20;

	return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || c == '.';
}

/* Checks the name as mem_endpoint_open() does later, in the thread. */
static bool ipc_name_is_valid(const char *name)
{
	size_t len = 0;

	while (len < NVSCIIPC_MAX_ENDPOINT_NAME && ipc_is_letter(name[len]))
		len++;
	return len && len < NVSCIIPC_MAX_ENDPOINT_NAME && !name[len];
}

static int ipc_init_lock(struct nvsci_endpoint *endpoint)
{
	pthread_condattr_t attr;
	int err;

	err = pthread_mutex_init(&endpoint->lock, NULL);
	if (err)
		return -err;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	err = pthread_cond_init(&endpoint->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (err)
		pthread_mutex_destroy(&endpoint->lock);
	return -err;
}

static int ipc_open_fds(struct nvsci_endpoint *endpoint)
{
	int err;

	endpoint->poll = epoll_create1(EPOLL_CLOEXEC);
	if (endpoint->poll < 0)
		return -errno;
	endpoint->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (endpoint->event < 0) {
		err = -errno;
		goto err_close_poll;
	}
	err = ipc_poll_also(endpoint, endpoint->event);
	if (err)
		goto err_close_event;
	return 0;

err_close_event:
	close(endpoint->event);
err_close_poll:
	close(endpoint->poll);
	return err;
}

static int ipc_endpoint_create(const char *name,
			       struct nvsci_endpoint **endpoint)
{
	struct nvsci_endpoint *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	strcpy(new->name, name);
	new->nr_users = 1;
	err = ipc_init_lock(new);
	if (err)
		goto err_free;
	err = ipc_open_fds(new);
	if (err)
		goto err_destroy_lock;
	err = ipc_start_thread(new);
	if (err)
		goto err_close;
	*endpoint = new;
	return 0;

err_close:
	close(new->event);
	close(new->poll);
err_destroy_lock:
	pthread_cond_destroy(&new->changed);
	pthread_mutex_destroy(&new->lock);
err_free:
	free(new);
	return err;
}

/* The lock of the table is held. */
static NvSciError ipc_open_locked(const char *name, NvSciIpcEndpoint *handle)
{
	struct nvsci_endpoint *new;
	unsigned int place;
	int err;

	if (!table.nr_inits)
		return NvSciError_NotInitialized;
	for (place = 0; place < ENDPOINTS_MAX && table.all[place]; place++)
		;
	if (place == ENDPOINTS_MAX)
		return NvSciError_InsufficientResource;
	err = ipc_endpoint_create(name, &new);
	if (err)
		return err == -ENOMEM ? NvSciError_InsufficientMemory :
		       NvSciError_InsufficientResource;
	table.nr_opened++;
	new->handle = (NvSciIpcEndpoint)table.nr_opened << 8 | (place + 1);
	table.all[place] = new;
	*handle = new->handle;
	return NvSciError_Success;
}

API NvSciError NvSciIpcOpenEndpoint(const char *endpoint,
				    NvSciIpcEndpoint *handle)
{
	NvSciError error;

	if (!endpoint || !handle || !ipc_name_is_valid(endpoint))
		return NvSciError_BadParameter;
	pthread_mutex_lock(&table.lock);
	error = ipc_open_locked(endpoint, handle);
	pthread_mutex_unlock(&table.lock);
	return error;
}

API NvSciError NvSciIpcCloseEndpointSafe(NvSciIpcEndpoint handle, bool clear)
{
	struct nvsci_endpoint *endpoint =
		ipc_take_out(ipc_place_of(handle), handle);

	(void)clear;
	if (!handle || !endpoint)
		return NvSciError_BadParameter;
	ipc_endpoint_close(endpoint);
	return NvSciError_Success;
}

API void NvSciIpcCloseEndpoint(NvSciIpcEndpoint handle)
{
	NvSciIpcCloseEndpointSafe(handle, false);
}

API NvSciError NvSciIpcGetEndpointInfo(NvSciIpcEndpoint handle,
				       struct NvSciIpcEndpointInfo *info)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = ipc_endpoint_find(handle, &endpoint);

	if (error)
		return error;
	ipc_endpoint_put(endpoint);
	if (!info)
		return NvSciError_BadParameter;
	info->nframes = MEM_ENDPOINT_QUEUE;
	info->frame_size = NVSCI_FRAME_LEN;
	return NvSciError_Success;
}

API NvSciError NvSciIpcGetLinuxEventFd(NvSciIpcEndpoint handle, int32_t *fd)
{
	struct nvsci_endpoint *endpoint;
	NvSciError error = ipc_endpoint_find(handle, &endpoint);

	if (error)
		return error;
	if (fd)
		*fd = endpoint->poll;
	ipc_endpoint_put(endpoint);
	return fd ? NvSciError_Success : NvSciError_BadParameter;
}
