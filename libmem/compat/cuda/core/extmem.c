// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory of other drivers, by file descriptor: what it is mapped for is device
 * memory of the program's as any, which outlives the object that it is of.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core_array.h"
#include "internal.h"

/**
 * struct CUextMemory_st - another driver's memory
 * @fd: its file
 * @len: bytes
 */
struct CUextMemory_st {
	int fd;
	uint64_t len;
};

/* What no kernel could touch is refused before it is CUDA's. */
static int check_file(int fd, uint64_t len)
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

/* A backend that can looks at the descriptor, which is none. */
static bool can_import(const struct CUctx_st *ctx)
{
	void *ptr;

	return mem_ptr_import(ctx->mem, -1, 0, 1, 0, &ptr) != -EOPNOTSUPP;
}

/**
 * core_extmem_import() - take memory of another driver
 * @what: it
 * @memory: out: it, owned by the caller: core_extmem_destroy(). The descriptor
 *	is the core's from then on
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no such type or flags, no
 * length, no descriptor, a file that is shorter), CUDA_ERROR_NOT_SUPPORTED (a
 * type that Linux has not, NvSciBuf; over the module),
 * CUDA_ERROR_OPERATING_SYSTEM (it cannot be mapped, to read and write),
 * CUDA_ERROR_OUT_OF_MEMORY.
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
	if (what->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD)
		return core_missing("cudaImportExternalMemory");
	rc = check_file(what->handle.fd, what->size);
	if (rc)
		return rc;
	if (!can_import(ctx))
		return core_missing("cudaImportExternalMemory");
	new = malloc(sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->len = what->size;
	new->fd = what->handle.fd;
	rc = core_object_add(CORE_EXTERNAL, new, ctx);
	if (rc)
		free(new);
	else
		*memory = new;
	return rc;
}

/* From @off on; false: there is nothing. */
static bool part_of(const struct CUextMemory_st *memory, uint64_t off,
		    struct core_part *part)
{
	if (off >= memory->len)
		return false;
	part->fd = memory->fd;
	part->off = off;
	part->len = memory->len - off;
	return true;
}

/**
 * core_extmem_buffer() - part of it as device memory
 * @memory: handle
 * @desc: which part
 * @ptr: out: the memory, owned by the caller: core_free()
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE (there is no such memory),
 * CUDA_ERROR_INVALID_VALUE (flags, no length, not all of it is there), or as
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
	    !part_of(memory, desc->offset, &part) || desc->size > part.len)
		return CUDA_ERROR_INVALID_VALUE;
	rc = mem_ptr_import(ctx->mem, part.fd, part.off, desc->size,
			    ctx->device->is_discrete ? MEM_DEVICE_DISCRETE : 0,
			    &new);
	if (rc)
		return core_error(rc);
	rc = core_object_add(CORE_MEMORY, new, ctx);
	if (rc)
		mem_free(ctx->mem, new);
	else
		*ptr = new;
	return rc;
}

/**
 * core_extmem_mipmap() - part of it as arrays
 * @memory: handle
 * @desc: which part, as what
 * @mipmap: out: the arrays, owned by the caller: core_mipmap_destroy()
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE (there is no such memory),
 * CUDA_ERROR_INVALID_VALUE (there is nothing at the offset), or as
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
	if (!part_of(memory, desc->offset, &part))
		return CUDA_ERROR_INVALID_VALUE;
	return core_mipmap_map(ctx, &desc->arrayDesc, desc->numLevels, &part,
			       mipmap);
}

/**
 * core_extmem_destroy() - give it back
 * @memory: handle; what is mapped of it stays
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_HANDLE.
 */
CORE_API int core_extmem_destroy(CUexternalMemory memory)
{
	struct CUctx_st *ctx;
	const int rc = core_current(&ctx);

	if (rc)
		return rc;
	if (!core_object_del(CORE_EXTERNAL, memory))
		return CUDA_ERROR_INVALID_HANDLE;
	core_extmem_drop(ctx, memory);
	return CUDA_SUCCESS;
}

/* For core_objects_drop(), too: nobody else has it any more. */
void core_extmem_drop(struct CUctx_st *ctx, void *object)
{
	struct CUextMemory_st *memory = object;

	(void)ctx;
	close(memory->fd);
	free(memory);
}
