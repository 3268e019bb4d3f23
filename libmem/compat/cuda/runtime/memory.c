// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: memory of all kinds, and attributes of addresses. */
#include <stdlib.h>

#include "runtime.h"

/* Alignment of rows in a CUDA 13.0 runtime */
#define PITCH_ALIGN	512

/* 0 bytes are accepted and give NULL. */
static cudaError_t runtime_alloc(void **ptr, enum mem_kind kind, size_t len,
				 unsigned int flags)
{
	struct CUctx_st *ctx;
	int rc;

	if (!ptr)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (rc)
		return cudart_return(rc);
	if (!len) {
		*ptr = NULL;
		return cudaSuccess;
	}
	return cudart_return(core_alloc(ctx, kind, len, flags, ptr));
}

/* Each free function only accepts memory of its own kind. */
static cudaError_t runtime_free(void *ptr, enum core_type type)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	/* Programs pass NULL to check for errors. */
	if (!rc)
		rc = ptr ? core_free(type, ptr) :
			   core_error(mem_ctx_error(ctx->mem));
	return cudart_return(rc);
}

API cudaError_t cudaMalloc(void **devPtr, size_t size)
{
	return runtime_alloc(devPtr, MEM_KIND_DEVICE, size, 0);
}

API cudaError_t cudaMallocManaged(void **devPtr, size_t size,
				  unsigned int flags)
{
	/* Unlike the other calls, this one refuses 0 bytes. */
	if (!size || (flags != cudaMemAttachGlobal &&
		      flags != cudaMemAttachHost))
		return cudart_return(cudaErrorInvalidValue);
	return runtime_alloc(devPtr, MEM_KIND_MANAGED, size, flags);
}

API cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
	const unsigned int known = cudaHostAllocPortable |
		cudaHostAllocMapped | cudaHostAllocWriteCombined;

	if (flags & ~known)
		return cudart_return(cudaErrorInvalidValue);
	return runtime_alloc(pHost, MEM_KIND_PINNED, size, flags);
}

API cudaError_t cudaMallocHost(void **ptr, size_t size)
{
	return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

API cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width,
				size_t height)
{
	const size_t rows = (width + PITCH_ALIGN - 1) / PITCH_ALIGN;
	size_t len;
	cudaError_t rc;

	if (!pitch || width > SIZE_MAX - PITCH_ALIGN)
		return cudart_return(cudaErrorInvalidValue);
	if (__builtin_mul_overflow(rows * PITCH_ALIGN, height, &len))
		return cudart_return(cudaErrorMemoryAllocation);
	rc = runtime_alloc(devPtr, MEM_KIND_DEVICE, len, 0);
	if (!rc)
		*pitch = rows * PITCH_ALIGN;
	return rc;
}

API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr,
			     struct cudaExtent extent)
{
	size_t pitch, rows;
	cudaError_t rc;
	void *ptr;

	if (!pitchedDevPtr)
		return cudart_return(cudaErrorInvalidValue);
	if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
		return cudart_return(cudaErrorMemoryAllocation);
	rc = cudaMallocPitch(&ptr, &pitch, extent.width, rows);
	if (!rc)
		*pitchedDevPtr = (struct cudaPitchedPtr){
			.ptr = ptr,
			.pitch = pitch,
			.xsize = extent.width,
			.ysize = extent.height,
		};
	return rc;
}

API cudaError_t cudaFree(void *devPtr)
{
	return runtime_free(devPtr, CORE_MEMORY);
}

API cudaError_t cudaFreeHost(void *ptr)
{
	return runtime_free(ptr, CORE_PINNED);
}

API cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
	const unsigned int known = cudaHostRegisterPortable |
		cudaHostRegisterMapped | cudaHostRegisterIoMemory |
		cudaHostRegisterReadOnly;
	struct CUctx_st *ctx;
	int rc;

	/* I/O memory is refused: a program has no address of any. */
	if (!ptr || !size || flags & ~known ||
	    flags & cudaHostRegisterIoMemory)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = core_register(ctx, ptr, size, flags);
	return cudart_return(rc);
}

API cudaError_t cudaHostUnregister(void *ptr)
{
	struct CUctx_st *ctx;
	int rc;

	if (!ptr)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	return cudart_return(rc ? rc : core_unregister(ptr));
}

API cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost,
					 unsigned int flags)
{
	struct CUctx_st *ctx;
	struct core_ptr what;
	int rc;

	if (!pDevice || !pHost || flags)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (rc)
		return cudart_return(rc);
	core_ptr(pHost, &what);
	if (what.kind != MEM_KIND_PINNED && what.kind != MEM_KIND_REGISTERED)
		return cudart_return(cudaErrorInvalidValue);
	*pDevice = what.info.device;
	return cudaSuccess;
}

API cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
	struct CUctx_st *ctx;
	struct core_ptr what;
	int rc;

	if (!pFlags || !pHost)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (rc)
		return cudart_return(rc);
	core_ptr(pHost, &what);
	switch (what.kind) {
	case MEM_KIND_PINNED:
	case MEM_KIND_REGISTERED:
		/* All memory is mapped, since there is one address space. */
		*pFlags = what.info.flags | cudaHostAllocMapped;
		return cudaSuccess;
	case MEM_KIND_MANAGED:
		*pFlags = cudaHostAllocMapped;
		return cudaSuccess;
	default:
		return cudart_return(cudaErrorInvalidValue);
	}
}

API cudaError_t cudaMemGetInfo(size_t *nr_free, size_t *total)
{
	uint64_t is_free, all;
	struct CUctx_st *ctx;
	int rc;

	rc = core_current(&ctx);
	if (!rc)
		rc = core_memory(ctx, &is_free, &all);
	if (rc)
		return cudart_return(rc);
	if (nr_free)
		*nr_free = is_free;
	if (total)
		*total = all;
	return cudaSuccess;
}

static enum cudaMemoryType runtime_memory_type(enum mem_kind kind)
{
	switch (kind) {
	case MEM_KIND_PINNED:
	case MEM_KIND_REGISTERED:
		return cudaMemoryTypeHost;
	case MEM_KIND_DEVICE:
		return cudaMemoryTypeDevice;
	case MEM_KIND_MANAGED:
		return cudaMemoryTypeManaged;
	default:
		return cudaMemoryTypeUnregistered;
	}
}

/**
 * cudart_attributes() - return the attributes of an address, in any version
 * @ptr: any address
 * @attributes: out: attributes
 */
void cudart_attributes(const void *ptr, struct cudart_attributes *attributes)
{
	struct core_ptr what;

	core_ptr(ptr, &what);
	attributes->type = runtime_memory_type(what.kind);
	if (what.kind == MEM_KIND_PAGEABLE) {
		/* As a CUDA 13.0 runtime returns */
		attributes->device = cudaInvalidDeviceId;
		attributes->device_ptr = NULL;
		attributes->host_ptr = (void *)ptr;
		return;
	}
	attributes->device = what.ctx->device->ordinal;
	attributes->device_ptr = what.info.device;
	attributes->host_ptr = what.info.host;
}

API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *to,
					 const void *ptr)
{
	struct cudart_attributes attributes;
	struct CUctx_st *ctx;
	int rc;

	if (!to)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (rc)
		return cudart_return(rc);
	cudart_attributes(ptr, &attributes);
	*to = (struct cudaPointerAttributes){
		.type = attributes.type,
		.device = attributes.device,
		.devicePointer = attributes.device_ptr,
		.hostPointer = attributes.host_ptr,
		/* For programs of 10.2, managed memory is device memory. */
		.memoryType = attributes.type == cudaMemoryTypeManaged ?
			cudaMemoryTypeDevice : attributes.type,
		.isManaged = attributes.type == cudaMemoryTypeManaged,
	};
	return cudaSuccess;
}
