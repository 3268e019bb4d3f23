// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Batches of this process: lookup by pointer, which is safe for a pointer that
 * was never valid or has been destroyed, and by descriptor.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../compat.h"
#include "nvbuf.h"

/* Protects the variables below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nvbuf_batch *batches;
static struct mem_ctx *mem_ctx;
static bool has_vic;
static bool is_embedded;

/**
 * nvbuf_fail() - set errno
 * @err: errno
 *
 * Return: -1, for use in a return statement.
 */
int nvbuf_fail(int err)
{
	errno = err;
	return -1;
}

/**
 * nvbuf_rc() - convert -errno to the vendor's convention
 * @rc: 0 or -errno
 *
 * Return: 0, or -1 with errno.
 */
int nvbuf_rc(int rc)
{
	return rc < 0 ? nvbuf_fail(-rc) : 0;
}

/* The lock is held. */
static int batch_open_context(void)
{
	struct mem_board board = { .size = sizeof(board) };
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_ctx *mem;
	int rc;

	if (mem_ctx)
		return 0;
	rc = compat_ctx_open(&mem);
	if (rc)
		return rc;
	rc = mem_ctx_board(mem, MEM_ENGINE_GPU, &board);
	if (!rc)
		rc = mem_ctx_probe(mem, &probe);
	if (rc) {
		mem_ctx_close(mem);
		return rc;
	}
	has_vic = board.has_vic;
	is_embedded = probe.backend == MEM_BACKEND_EMBEDDED;
	mem_ctx = mem;
	return 0;
}

/**
 * nvbuf_ctx() - return libmem's context
 * @ctx: out: context, valid until the process ends
 *
 * Return: 0 or -errno.
 */
int nvbuf_ctx(struct mem_ctx **ctx)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = batch_open_context();
	pthread_mutex_unlock(&lock);
	*ctx = mem_ctx;
	return rc;
}

/**
 * nvbuf_has_vic() - return true if the board has a VIC
 *
 * Only valid after nvbuf_ctx().
 */
bool nvbuf_has_vic(void)
{
	return has_vic;
}

/**
 * nvbuf_is_embedded() - return true for the embedded backend
 *
 * Only valid after nvbuf_ctx().
 */
bool nvbuf_is_embedded(void)
{
	return is_embedded;
}

/**
 * nvbuf_batch_of() - find the batch of an NvBufSurface
 * @surf: pointer, need not be valid
 *
 * Return: batch, or NULL if there is none.
 */
struct nvbuf_batch *nvbuf_batch_of(const NvBufSurface *surf)
{
	struct nvbuf_batch *batch;

	pthread_mutex_lock(&lock);
	for (batch = batches; batch; batch = batch->next)
		if (&batch->surf == surf)
			break;
	pthread_mutex_unlock(&lock);
	return batch;
}

/**
 * nvbuf_batch_of_fd() - find the batch that has a descriptor
 * @fd: descriptor, any number
 * @index: out: index of the buffer
 *
 * Return: batch, or NULL if there is none.
 */
struct nvbuf_batch *nvbuf_batch_of_fd(int fd, unsigned int *index)
{
	struct nvbuf_batch *batch;
	unsigned int i = 0;

	pthread_mutex_lock(&lock);
	for (batch = fd < 0 ? NULL : batches; batch; batch = batch->next) {
		for (i = 0; i < batch->surf.batchSize; i++)
			if (batch->buffers[i].fd == fd)
				break;
		if (i < batch->surf.batchSize)
			break;
	}
	pthread_mutex_unlock(&lock);
	*index = i;
	return batch;
}

/**
 * nvbuf_batch_new() - allocate a batch without memory
 * @nr: number of buffers
 *
 * Return: batch, for nvbuf_batch_free(); NULL: there is no memory.
 */
struct nvbuf_batch *nvbuf_batch_new(uint32_t nr)
{
	struct nvbuf_batch *batch = calloc(1, sizeof(*batch));
	uint32_t i;

	if (!batch)
		return NULL;
	batch->surf.surfaceList = calloc(nr, sizeof(*batch->surf.surfaceList));
	batch->buffers = calloc(nr, sizeof(*batch->buffers));
	if (!batch->surf.surfaceList || !batch->buffers) {
		nvbuf_batch_free(batch);
		return NULL;
	}
	batch->surf.batchSize = nr;
	for (i = 0; i < nr; i++) {
		batch->buffers[i].access = MEM_RW;
		batch->buffers[i].fd = -1;
	}
	return batch;
}

/**
 * nvbuf_batch_free() - free a batch
 * @batch: batch, whose buffers have no memory
 */
void nvbuf_batch_free(struct nvbuf_batch *batch)
{
	free(batch->surf.surfaceList);
	free(batch->buffers);
	free(batch);
}

/**
 * nvbuf_batch_add() - make a batch known
 * @batch: batch with its memory
 */
void nvbuf_batch_add(struct nvbuf_batch *batch)
{
	pthread_mutex_lock(&lock);
	batch->next = batches;
	batches = batch;
	pthread_mutex_unlock(&lock);
}

/**
 * nvbuf_batch_take() - make a batch unknown, to destroy it
 * @batch: batch
 *
 * Return: true if it was known; if several threads call this, for only one.
 */
bool nvbuf_batch_take(struct nvbuf_batch *batch)
{
	struct nvbuf_batch **at;
	bool had;

	pthread_mutex_lock(&lock);
	for (at = &batches; *at; at = &(*at)->next)
		if (*at == batch)
			break;
	had = *at;
	if (had)
		*at = batch->next;
	pthread_mutex_unlock(&lock);
	return had;
}
