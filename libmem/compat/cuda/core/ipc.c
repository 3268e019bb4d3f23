// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sharing device memory between processes. CUDA's handle contains the path
 * /proc/PID/fd/N of the file that libmem returned for the memory, and the
 * identity of that file. The exporter keeps the file open until the memory is
 * freed. So the path in a handle that has outlived its memory or its process
 * leads to another file or to none, which is detected.
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
 * struct ipc_handle - contents of the 64 bytes of a handle
 * @magic: MAGIC
 * @device: ordinal
 * @pid: process id of the exporter
 * @fd: the exporter's descriptor
 * @dev: device of the file
 * @ino: inode of the file, unique as long as the file exists
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
 * struct export - memory that has been exported
 * @base: start of the memory
 * @fd: file of the memory
 * @next: next export
 */
struct export {
	const void *base;
	int fd;
	struct export *next;
};

/**
 * struct import - memory of another process
 * @ctx: context that opened it
 * @dev: device of its file
 * @ino: inode of its file
 * @ptr: start of the memory in this process
 * @nr_opens: how often it is open
 * @next: next import
 */
struct import {
	struct CUctx_st *ctx;
	uint64_t dev;
	uint64_t ino;
	void *ptr;
	unsigned int nr_opens;
	struct import *next;
};

/* Protects the lists. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct export *exports;
static struct import *imports;

/* For a board without memory IPC, and a backend whose memory has no file */
static int ipc_unsupported(const struct CUctx_st *ctx, const char *call)
{
	return ctx->device->board.has_memory_ipc ? core_missing(call) :
						   CUDA_ERROR_NOT_SUPPORTED;
}

static int ipc_handle_fill(const struct core_ptr *what, int fd,
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

/*
 * Returns the descriptor of exported memory; exports it the first time. The
 * lock is held.
 */
static int ipc_export_fd(const struct core_ptr *what, int *fd)
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
		return rc == -EOPNOTSUPP ?
			       ipc_unsupported(what->ctx,
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
 * core_ipc_export() - make a handle of device memory for other processes
 * @ptr: any address of an allocation; the handle is for its start
 * @handle: out: CU_IPC_HANDLE_SIZE bytes, valid until the memory is freed
 *
 * The first call waits for the work of the context, which CUDA's does not: see
 * mem_ptr_export().
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (an argument is NULL, @ptr is
 * not device memory allocated by this process), CUDA_ERROR_NOT_SUPPORTED (the
 * board has no memory IPC; over the module), or core_error() of
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
	rc = ipc_export_fd(&what, &fd);
	if (!rc)
		rc = ipc_handle_fill(&what, fd, handle);
	pthread_mutex_unlock(&lock);
	return rc;
}

/**
 * core_ipc_forget() - invalidate the handles of memory that is freed
 * @base: start of the memory
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

static bool ipc_is_file(const struct ipc_handle *handle,
			const struct stat *stat)
{
	return stat->st_dev == handle->dev && stat->st_ino == handle->ino;
}

/* Checks the file before opening it, too, since it may be any file by now. */
static int ipc_handle_open(const struct ipc_handle *handle, int *fd)
{
	char path[40];
	struct stat now;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", handle->pid,
		 handle->fd);
	if (stat(path, &now))
		return errno == EACCES || errno == EPERM ?
			CUDA_ERROR_MAP_FAILED : CUDA_ERROR_INVALID_HANDLE;
	if (!ipc_is_file(handle, &now))
		return CUDA_ERROR_INVALID_HANDLE;
	*fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return errno == EMFILE || errno == ENFILE ?
			CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_MAP_FAILED;
	if (!fstat(*fd, &now) && ipc_is_file(handle, &now))
		return CUDA_SUCCESS;
	close(*fd);
	return CUDA_ERROR_INVALID_HANDLE;
}

/* The lock is held. */
static int ipc_import_new(struct CUctx_st *ctx, const struct ipc_handle *handle,
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
			return ipc_unsupported(ctx, "cudaIpcOpenMemHandle");
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

/*
 * Returns the context's import of the memory, or a new one. The lock is held.
 */
static int ipc_import_of(struct CUctx_st *ctx, const struct ipc_handle *handle,
			 int fd, struct import **import)
{
	struct import *at;

	for (at = imports; at; at = at->next)
		if (at->ctx == ctx && at->dev == handle->dev &&
		    at->ino == handle->ino)
			break;
	*import = at;
	return at ? CUDA_SUCCESS : ipc_import_new(ctx, handle, fd, import);
}

/**
 * core_ipc_open() - open device memory of another process
 * @handle: handle from core_ipc_export() of that process
 * @flags: CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
 * @ptr: out: start of the memory; each call needs a core_ipc_close()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (@ptr is NULL, no such flags,
 * malformed handle), CUDA_ERROR_INVALID_CONTEXT (it is this process's own
 * memory), CUDA_ERROR_INVALID_HANDLE (the memory was freed, or its process has
 * ended), CUDA_ERROR_MAP_FAILED (no permission: the process is another user's),
 * CUDA_ERROR_NOT_SUPPORTED (the board has no memory IPC; over the module), or
 * core_error() of mem_ptr_import().
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
	rc = ipc_handle_open(&what, &fd);
	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	rc = ipc_import_of(ctx, &what, fd, &import);
	if (!rc) {
		import->nr_opens++;
		*ptr = import->ptr;
	}
	pthread_mutex_unlock(&lock);
	close(fd);
	return rc;
}

/*
 * Drops an open; returns NULL if there is none. If *@is_last, the caller must
 * free the import.
 */
static struct import *ipc_import_put(const void *ptr, bool is_all,
				     bool *is_last)
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
 * core_ipc_close() - close device memory of another process
 * @ptr: address from core_ipc_open()
 *
 * The last close waits for all work of its context.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (it is not open),
 * CUDA_ERROR_NOT_SUPPORTED (the board has no memory IPC),
 * CUDA_ERROR_NOT_PERMITTED (in a host function), or the error that ended the
 * context's work; the memory is closed in the last case, too.
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
	import = ipc_import_put(ptr, false, &is_last);
	if (!import)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_last)
		return CUDA_SUCCESS;
	free(import);
	core_object_del(CORE_IPC, ptr);
	err = mem_free(ctx->mem, ptr);
	return core_error(err ? err : waited);
}

/* Called by core_objects_drop(). */
void core_ipc_drop(struct CUctx_st *ctx, void *ptr)
{
	bool is_last;

	free(ipc_import_put(ptr, true, &is_last));
	mem_free(ctx->mem, ptr);
}
