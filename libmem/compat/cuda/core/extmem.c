// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory of other drivers, imported by file descriptor, or by an object of
 * libmem, which an NvSciBufObj is. A mapping of it is like any device memory of
 * the program, and remains when the imported handle is destroyed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../compat.h"
#include "core_array.h"
#include "internal.h"

/**
 * struct extmem_buffer - a mapping of a file
 * @next: next mapping of the file
 * @ptr: its address, which the program may have freed
 * @id: number of the memory at that time
 */
struct extmem_buffer {
	struct extmem_buffer *next;
	void *ptr;
	uint64_t id;
};

/**
 * struct CUextMemory_st - another driver's memory
 * @object: object, a reference, or NULL
 * @at: address of @object for engines
 * @fd: file if there is no @object
 * @len: bytes
 * @buffers: mappings of the file, protected by buffers_lock
 */
struct CUextMemory_st {
	struct mem_object *object;
	char *at;
	int fd;
	uint64_t len;
	struct extmem_buffer *buffers;
};

static pthread_mutex_t buffers_lock = PTHREAD_MUTEX_INITIALIZER;

/* A mapping that is not remembered for lack of memory is not checked. */
static void extmem_remember(struct CUctx_st *ctx, struct CUextMemory_st *memory,
			    void *ptr)
{
	struct mem_ptr_info info = { .size = sizeof(info) };
	struct extmem_buffer *new;

	if (mem_ptr_info(ctx->mem, ptr, &info))
		return;
	new = malloc(sizeof(*new));
	if (!new)
		return;
	new->ptr = ptr;
	new->id = info.id;
	pthread_mutex_lock(&buffers_lock);
	new->next = memory->buffers;
	memory->buffers = new;
	pthread_mutex_unlock(&buffers_lock);
}

/* Refuses a file that kernels could not access; @fd is not taken over yet. */
static int extmem_check_file(int fd, uint64_t len)
{
	const long page_len = sysconf(_SC_PAGESIZE);
	struct stat stat;
	void *page;

	if (fstat(fd, &stat))
		return CUDA_ERROR_INVALID_VALUE;
	if (S_ISREG(stat.st_mode) && (uint64_t)stat.st_size < len)
		return CUDA_ERROR_INVALID_VALUE;
	page = mmap(NULL, (size_t)page_len, PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	if (page == MAP_FAILED)
		return CUDA_ERROR_OPERATING_SYSTEM;
	munmap(page, (size_t)page_len);
	return CUDA_SUCCESS;
}

/* A backend that supports imports checks the descriptor, which is invalid. */
static bool extmem_can_import(const struct CUctx_st *ctx)
{
	void *ptr;

	return mem_ptr_import(ctx->mem, -1, 0, 1, 0, &ptr) != -EOPNOTSUPP;
}

static int extmem_take_file(struct CUctx_st *ctx, int fd,
			    struct CUextMemory_st *memory)
{
	const int rc = extmem_check_file(fd, memory->len);

	if (rc)
		return rc;
	if (!extmem_can_import(ctx))
		return core_missing("cudaImportExternalMemory");
	memory->fd = fd;
	return CUDA_SUCCESS;
}

/* Takes a reference to the object; nothing needs to be imported. */
static int extmem_take_object(const void *handle, struct CUextMemory_st *memory)
{
	struct mem_object *object = (struct mem_object *)(uintptr_t)handle;
	void *at;

	if (!object || memory->len > mem_buf_len(mem_object_buf(object)))
		return CUDA_ERROR_INVALID_VALUE;
	switch (mem_object_device_ptr(object, &at)) {
	case 0:
		break;
	case -EACCES:
		return CUDA_ERROR_NOT_PERMITTED;
	case -EOPNOTSUPP:
		return core_missing("cudaImportExternalMemory");
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	memory->object = mem_object_get(object);
	memory->at = at;
	return CUDA_SUCCESS;
}

/**
 * core_extmem_import() - import memory of another driver
 * @what: description of the memory
 * @memory: out: owned by the caller: core_extmem_destroy(). On success the core
 *	owns the descriptor, or has a reference to the object.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such type or flags, no
 * length, no descriptor, the file or object is too short),
 * CUDA_ERROR_NOT_PERMITTED (the object's list has no engine that runs kernels),
 * CUDA_ERROR_NOT_SUPPORTED (a type that Linux does not have; over the module),
 * CUDA_ERROR_OPERATING_SYSTEM (the file cannot be mapped for reading and
 * writing), CUDA_ERROR_OUT_OF_MEMORY.
 */
CORE_API int core_extmem_import(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *what,
				CUexternalMemory *memory)
{
	struct CUextMemory_st *new;
	struct CUctx_st *ctx;
	int rc;

	if (what->type < CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD ||
	    what->type > CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF ||
	    !what->size || what->flags & ~CUDA_EXTERNAL_MEMORY_DEDICATED)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&ctx);
	if (rc)
		return rc;
	if (what->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD &&
	    what->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF)
		return core_missing("cudaImportExternalMemory");
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->fd = -1;
	new->len = what->size;
	rc = what->type == CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF ?
		extmem_take_object(what->handle.nvSciBufObject, new) :
		extmem_take_file(ctx, what->handle.fd, new);
	if (!rc)
		rc = core_object_add(CORE_EXTERNAL, new, ctx);
	if (rc) {
		mem_object_put(new->object);
		free(new);
	} else {
		*memory = new;
	}
	return rc;
}

static const void *extmem_attr_of(struct mem_object *object, uint32_t key,
				  uint64_t *len)
{
	struct mem_attr attr = { .key = key };

	if (mem_attrs_get(mem_object_attrs(object), 0, &attr, 1))
		return NULL;
	*len = attr.len;
	return attr.value;
}

/* Returns the pitch of the image plane that begins at @off, or 0. */
static uint64_t extmem_pitch_at(struct mem_object *object, uint64_t off)
{
	uint64_t len, pitches_len, i;
	const uint64_t *offs =
		extmem_attr_of(object, MEM_ATTR_IMAGE_PLANE_OFFSET, &len);
	const uint32_t *pitches =
		extmem_attr_of(object, MEM_ATTR_IMAGE_PLANE_PITCH,
			       &pitches_len);

	for (i = 0; offs && pitches && i < len / sizeof(*offs); i++)
		if (offs[i] == off && i < pitches_len / sizeof(*pitches))
			return pitches[i];
	return 0;
}

/* Describes the memory from @off on. Returns false if there is none. */
static bool extmem_part_of(const struct CUextMemory_st *memory, uint64_t off,
			   struct core_part *part)
{
	if (off >= memory->len)
		return false;
	memset(part, 0, sizeof(*part));
	if (memory->object) {
		part->object = memory->object;
		part->at = memory->at + off;
		part->pitch = extmem_pitch_at(memory->object, off);
	}
	part->fd = memory->fd;
	part->off = off;
	part->len = memory->len - off;
	return true;
}

/**
 * core_extmem_buffer() - map a part of imported memory as device memory
 * @memory: handle
 * @desc: part
 * @ptr: out: memory, owned by the caller: core_free()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such memory),
 * CUDA_ERROR_INVALID_VALUE (flags, no length, the part exceeds the memory), or
 * core_error() of mem_ptr_import().
 */
CORE_API int
core_extmem_buffer(CUexternalMemory memory,
		   const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc, void **ptr)
{
	struct core_part part;
	struct CUctx_st *ctx;
	void *new;
	int rc = core_current(&ctx);

	if (rc)
		return rc;
	if (!core_object_ctx(CORE_EXTERNAL, memory))
		return CUDA_ERROR_INVALID_HANDLE;
	if (desc->flags || !desc->size ||
	    !extmem_part_of(memory, desc->offset, &part) ||
	    desc->size > part.len)
		return CUDA_ERROR_INVALID_VALUE;
	if (part.object) {
		rc = core_mapping_add(ctx, part.object, part.at, desc->size);
		if (!rc)
			*ptr = part.at;
		return rc;
	}
	rc = mem_ptr_import(ctx->mem, part.fd, part.off, desc->size,
			    ctx->device->is_discrete ? MEM_DEVICE_DISCRETE : 0,
			    &new);
	if (rc)
		return core_error(rc);
	rc = core_object_add(CORE_MEMORY, new, ctx);
	if (rc) {
		mem_free(ctx->mem, new);
		return rc;
	}
	extmem_remember(ctx, memory, new);
	*ptr = new;
	return CUDA_SUCCESS;
}

/**
 * core_extmem_mipmap() - map a part of imported memory as a mipmapped array
 * @memory: handle
 * @desc: part, and parameters of the array
 * @mipmap: out: array, owned by the caller: core_mipmap_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such memory),
 * CUDA_ERROR_INVALID_VALUE (the offset exceeds the memory), or an error of
 * core_mipmap_map().
 */
CORE_API int
core_extmem_mipmap(CUexternalMemory memory,
		   const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc,
		   CUmipmappedArray *mipmap)
{
	struct core_part part;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc)
		return rc;
	if (!core_object_ctx(CORE_EXTERNAL, memory))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!extmem_part_of(memory, desc->offset, &part))
		return CUDA_ERROR_INVALID_VALUE;
	return core_mipmap_map(ctx, &desc->arrayDesc, desc->numLevels, &part,
			       mipmap);
}

/**
 * core_extmem_destroy() - drop imported memory
 * @memory: handle; mappings of the memory remain, but may only be freed
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_HANDLE.
 */
CORE_API int core_extmem_destroy(CUexternalMemory memory)
{
	const struct extmem_buffer *buffer;
	struct CUctx_st *ctx;
	const int rc = core_current(&ctx);

	if (rc)
		return rc;
	if (!core_object_del(CORE_EXTERNAL, memory))
		return CUDA_ERROR_INVALID_HANDLE;
	for (buffer = memory->buffers; buffer; buffer = buffer->next)
		libmem_end_use(ctx->mem, buffer->ptr, buffer->id);
	core_extmem_drop(ctx, memory);
	return CUDA_SUCCESS;
}

/* Also called by core_objects_drop(). The handle is not valid any more. */
void core_extmem_drop(struct CUctx_st *ctx, void *object)
{
	struct CUextMemory_st *memory = object;
	struct extmem_buffer *buffer;

	(void)ctx;
	while ((buffer = memory->buffers)) {
		memory->buffers = buffer->next;
		free(buffer);
	}
	if (memory->object)
		mem_object_put(memory->object);
	else
		close(memory->fd);
	free(memory);
}
