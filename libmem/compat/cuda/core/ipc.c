// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Device memory of one process in another: CUDA's handle of it is where the
 * file is that libmem has given it, /proc/PID/fd/N, and what file that must be.
 * The exporter has the file open until the memory is freed; so a handle that
 * has outlived its memory, or its process, leads to another file or to none.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#define MAGIC		0x63706968	/* "hipc" */

/**
 * struct ipc_handle - what is in the 64 bytes of a handle
 * @magic: MAGIC
 * @device: ordinal
 * @pid: of the exporter
 * @fd: its descriptor
 * @dev: of the file
 * @ino: of the file: as long as it is there no other has the same
 * @len: bytes of the memory
 * @reserved: 0
 */
struct ipc_handle {
	uint32_t magic;
	uint32_t device;
	int32_t pid;
	int32_t fd;
	uint64_t dev;
	uint64_t ino;
	uint64_t len;
	uint64_t reserved[3];
};

_Static_assert(sizeof(struct ipc_handle) == CU_IPC_HANDLE_SIZE,
	       "a handle has room for all");

/**
 * struct export - memory that others may have
 * @base: its start
 * @fd: its file
 * @next: of all
 */
struct export {
	const void *base;
	int fd;
	struct export *next;
};

/**
 * struct import - memory of another process
 * @ctx: that opened it
 * @dev: of its file
 * @ino: of its file
 * @ptr: its start here
 * @nr_opens: how often that was
 * @next: of all
 */
struct import {
	struct CUctx_st *ctx;
	uint64_t dev;
	uint64_t ino;
	void *ptr;
	unsigned int nr_opens;
	struct import *next;
};

/* Protects all that follows. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct export *exports;
static struct import *imports;

/* Of a board without it, and where memory has no file. */
static int not_here(const struct CUctx_st *ctx, const char *call)
{
	return ctx->device->board.has_memory_ipc ? core_missing(call) :
						   CUDA_ERROR_NOT_SUPPORTED;
}

static int handle_fill(const struct core_ptr *what, int fd,
		       struct ipc_handle *handle)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return CUDA_ERROR_OPERATING_SYSTEM;
	*handle = (struct ipc_handle) {
		.magic = MAGIC,
		.device = (uint32_t)what->ctx->device->ordinal,
		.pid = getpid(),
		.fd = fd,
		.dev = stat.st_dev,
		.ino = stat.st_ino,
		.len = what->info.len,
	};
	return CUDA_SUCCESS;
}

/* The descriptor of it, which it has from now on. The lock is held. */
static int export_fd(const struct core_ptr *what, int *fd)
{
	struct export *export;
	int rc;

	for (export = exports; export; export = export->next)
		if (export->base == what->info.base)
			break;
	if (export) {
		*fd = export->fd;
		return CUDA_SUCCESS;
	}
	export = malloc(sizeof(*export));
	if (!export)
		return CUDA_ERROR_OUT_OF_MEMORY;
	rc = mem_ptr_export(what->ctx->mem, what->info.base, fd);
	if (rc) {
		free(export);
		return rc == -EOPNOTSUPP ? not_here(what->ctx,
						    "cudaIpcGetMemHandle") :
					   core_error(rc);
	}
	export->base = what->info.base;
	export->fd = *fd;
	export->next = exports;
	exports = export;
	return CUDA_SUCCESS;
}

/**
 * core_ipc_export() - let other processes have device memory
 * @ptr: any byte of an allocation: its start is what others get
 * @handle: out: CU_IPC_HANDLE_SIZE bytes, good until that is freed
 *
 * The first time it waits for the work of the context, which the real thing
 * does not: see mem_ptr_export().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (an argument is NULL, @ptr
 * is not device memory of this process's own), CUDA_ERROR_NOT_SUPPORTED (the
 * board has no memory IPC; over the module), or as core_error() of
 * mem_ptr_export().
 */
CORE_API int core_ipc_export(const void *ptr, void *handle)
{
	struct CUctx_st *ctx;
	struct core_ptr what;
	int rc, fd;

	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&ctx);
	if (rc)
		return rc;
	if (!ctx->device->board.has_memory_ipc)
		return CUDA_ERROR_NOT_SUPPORTED;
	core_ptr(ptr, &what);
	if (what.kind != MEM_KIND_DEVICE ||
	    what.info.flags & MEM_DEVICE_IMPORTED ||
	    !core_object_ctx(CORE_MEMORY, what.info.base))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	rc = export_fd(&what, &fd);
	if (!rc)
		rc = handle_fill(&what, fd, handle);
	pthread_mutex_unlock(&lock);
	return rc;
}

/**
 * core_ipc_forget() - memory is freed: no handle of it is good any more
 * @base: its start
 */
void core_ipc_forget(const void *base)
{
	struct export **at, *export;

	pthread_mutex_lock(&lock);
	for (at = &exports; *at && (*at)->base != base; at = &(*at)->next)
		;
	export = *at;
	if (export)
		*at = export->next;
	pthread_mutex_unlock(&lock);
	if (!export)
		return;
	close(export->fd);
	free(export);
}

static bool is_file(const struct ipc_handle *handle, const struct stat *stat)
{
	return stat->st_dev == handle->dev && stat->st_ino == handle->ino;
}

/* Looked at before it is opened, too: it may be anything by now. */
static int handle_open(const struct ipc_handle *handle, int *fd)
{
	char path[40];
	struct stat now;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", handle->pid,
		 handle->fd);
	if (stat(path, &now))
		return errno == EACCES || errno == EPERM ?
			CUDA_ERROR_MAP_FAILED : CUDA_ERROR_INVALID_HANDLE;
	if (!is_file(handle, &now))
		return CUDA_ERROR_INVALID_HANDLE;
	*fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return errno == EMFILE || errno == ENFILE ?
			CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_MAP_FAILED;
	if (!fstat(*fd, &now) && is_file(handle, &now))
		return CUDA_SUCCESS;
	close(*fd);
	return CUDA_ERROR_INVALID_HANDLE;
}

/* The lock is held. */
static int import_new(struct CUctx_st *ctx, const struct ipc_handle *handle,
		      int fd, struct import **made)
{
	struct import *new = calloc(1, sizeof(*new));
	int rc;

	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	rc = mem_ptr_import(ctx->mem, fd, 0, handle->len,
			    ctx->device->is_discrete ? MEM_DEVICE_DISCRETE : 0,
			    &new->ptr);
	if (rc) {
		free(new);
		if (rc == -EOPNOTSUPP)
			return not_here(ctx, "cudaIpcOpenMemHandle");
		return rc == -EINVAL ? CUDA_ERROR_MAP_FAILED : core_error(rc);
	}
	rc = core_object_add(CORE_IPC, new->ptr, ctx);
	if (rc) {
		mem_free(ctx->mem, new->ptr);
		free(new);
		return rc;
	}
	new->ctx = ctx;
	new->dev = handle->dev;
	new->ino = handle->ino;
	new->next = imports;
	imports = new;
	*made = new;
	return CUDA_SUCCESS;
}

/* That of the context, or a new one; the lock is held. */
static int import_of(struct CUctx_st *ctx, const struct ipc_handle *handle,
		     int fd, struct import **import)
{
	struct import *at;

	for (at = imports; at; at = at->next)
		if (at->ctx == ctx && at->dev == handle->dev &&
		    at->ino == handle->ino)
			break;
	*import = at;
	return at ? CUDA_SUCCESS : import_new(ctx, handle, fd, import);
}

/**
 * core_ipc_open() - have device memory of another process
 * @handle: of core_ipc_export() there
 * @flags: CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
 * @ptr: out: its start: core_ipc_close(), as often as it was opened
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (@ptr is NULL, no such
 * flags, it is no handle), CUDA_ERROR_INVALID_CONTEXT (it is this process's
 * own), CUDA_ERROR_INVALID_HANDLE (it was freed, its process has ended),
 * CUDA_ERROR_MAP_FAILED (this process may not have it: another user's),
 * CUDA_ERROR_NOT_SUPPORTED (the board has no memory IPC; over the module), or
 * as core_error() of mem_ptr_import().
 */
CORE_API int core_ipc_open(const void *handle, unsigned int flags, void **ptr)
{
	struct ipc_handle what;
	struct import *import;
	struct CUctx_st *ctx;
	int rc, fd;

	memcpy(&what, handle, sizeof(what));
	if (!ptr)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&ctx);
	if (rc)
		return rc;
	if (!ctx->device->board.has_memory_ipc)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS ||
	    what.magic != MAGIC || !what.len)
		return CUDA_ERROR_INVALID_VALUE;
	if (what.pid == getpid())
		return CUDA_ERROR_INVALID_CONTEXT;
	rc = handle_open(&what, &fd);
	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	rc = import_of(ctx, &what, fd, &import);
	if (!rc) {
		import->nr_opens++;
		*ptr = import->ptr;
	}
	pthread_mutex_unlock(&lock);
	close(fd);
	return rc;
}

/* NULL: there is none. Is it the last one's? Then it is the caller's. */
static struct import *import_put(const void *ptr, bool is_all, bool *is_last)
{
	struct import **at, *import;

	pthread_mutex_lock(&lock);
	for (at = &imports; *at && (*at)->ptr != ptr; at = &(*at)->next)
		;
	import = *at;
	if (import) {
		*is_last = !--import->nr_opens || is_all;
		if (*is_last)
			*at = import->next;
	}
	pthread_mutex_unlock(&lock);
	return import;
}

/**
 * core_ipc_close() - no longer
 * @ptr: of core_ipc_open()
 *
 * The last time it waits for all work of its context.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (it is none),
 * CUDA_ERROR_NOT_SUPPORTED (the board has no memory IPC),
 * CUDA_ERROR_NOT_PERMITTED (in a host function), or what has ended the
 * context's work: it is closed all the same.
 */
CORE_API int core_ipc_close(void *ptr)
{
	struct CUctx_st *ctx;
	struct import *import;
	bool is_last;
	int waited, err, rc;

	rc = core_current(&ctx);
	if (rc)
		return rc;
	if (!ctx->device->board.has_memory_ipc)
		return CUDA_ERROR_NOT_SUPPORTED;
	ctx = core_object_ctx(CORE_IPC, ptr);
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	waited = mem_ctx_sync(ctx->mem);
	if (waited == -EPERM)
		return core_error(-EPERM);
	import = import_put(ptr, false, &is_last);
	if (!import)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_last)
		return CUDA_SUCCESS;
	free(import);
	core_object_del(CORE_IPC, ptr);
	err = mem_free(ctx->mem, ptr);
	return core_error(err ? err : waited);
}

/* For core_objects_drop(). */
void core_ipc_drop(struct CUctx_st *ctx, void *ptr)
{
	bool is_last;

	free(import_put(ptr, true, &is_last));
	mem_free(ctx->mem, ptr);
}
