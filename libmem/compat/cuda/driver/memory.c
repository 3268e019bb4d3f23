// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: memory of all kinds. */
#include "driver.h"

/* Alignment of rows in a CUDA 13.0 runtime */
#define PITCH_ALIGN	512

/* Unlike the runtime's calls, these refuse 0 bytes. */
static int driver_alloc(CUdeviceptr *dptr, enum mem_kind kind, size_t len,
			unsigned int flags)
{
	struct CUctx_st *ctx;
	void *ptr;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!dptr || !len)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_alloc(ctx, kind, len, flags, &ptr);
	if (!rc)
		*dptr = driver_address(ptr);
	return rc;
}

API CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
	return driver_alloc(dptr, MEM_KIND_DEVICE, bytesize, 0);
}

ALIAS(cuMemAlloc, cuMemAlloc_v2);

API CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize,
			       unsigned int flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	return driver_alloc(dptr, MEM_KIND_MANAGED, bytesize, flags);
}

API CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch,
				size_t WidthInBytes, size_t Height,
				unsigned int ElementSizeBytes)
{
	struct CUctx_st *ctx;
	size_t pitch, len;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pPitch || (ElementSizeBytes != 4 && ElementSizeBytes != 8 &&
			ElementSizeBytes != 16))
		return CUDA_ERROR_INVALID_VALUE;
	if (WidthInBytes > SIZE_MAX - PITCH_ALIGN)
		return CUDA_ERROR_OUT_OF_MEMORY;
	pitch = (WidthInBytes + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
	if (__builtin_mul_overflow(pitch, Height, &len))
		return CUDA_ERROR_OUT_OF_MEMORY;
	rc = driver_alloc(dptr, MEM_KIND_DEVICE, len, 0);
	if (!rc)
		*pPitch = pitch;
	return rc;
}

ALIAS(cuMemAllocPitch, cuMemAllocPitch_v2);

/* Each free function only accepts memory of its own kind. */
static int driver_free(void *ptr, enum core_type type)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	/* Programs pass NULL to check for errors. */
	return ptr ? core_free(type, ptr) :
		     core_error(mem_ctx_error(ctx->mem));
}

API CUresult cuMemFree_v2(CUdeviceptr dptr)
{
	return driver_free(driver_ptr(dptr), CORE_MEMORY);
}

ALIAS(cuMemFree, cuMemFree_v2);

API CUresult cuMemFreeHost(void *p)
{
	return driver_free(p, CORE_PINNED);
}

API CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
	const unsigned int known = CU_MEMHOSTALLOC_PORTABLE |
		CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pp || Flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	/* For host memory, 0 bytes are accepted, as by a CUDA 13.0 driver. */
	if (!bytesize) {
		*pp = NULL;
		return CUDA_SUCCESS;
	}
	return core_alloc(ctx, MEM_KIND_PINNED, bytesize, Flags, pp);
}

API CUresult cuMemAllocHost_v2(void **pp, size_t bytesize)
{
	return cuMemHostAlloc(pp, bytesize, 0);
}

ALIAS(cuMemAllocHost, cuMemAllocHost_v2);

API CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
	const unsigned int known = CU_MEMHOSTREGISTER_PORTABLE |
		CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	/* The board is checked first: it does not depend on the arguments. */
	if (!ctx->device->board.has_host_register)
		return CUDA_ERROR_NOT_SUPPORTED;
	/* I/O memory is refused: a program has no address of any. */
	if (!p || !bytesize || Flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	return core_register(ctx, p, bytesize, Flags);
}

ALIAS(cuMemHostRegister, cuMemHostRegister_v2);

API CUresult cuMemHostUnregister(void *p)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!ctx->device->board.has_host_register)
		return CUDA_ERROR_NOT_SUPPORTED;
	return p ? core_unregister(p) : CUDA_ERROR_INVALID_VALUE;
}

static bool driver_is_host(enum mem_kind kind)
{
	return kind == MEM_KIND_PINNED || kind == MEM_KIND_REGISTERED;
}

API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p,
					  unsigned int Flags)
{
	struct CUctx_st *ctx;
	struct core_ptr what;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pdptr || !p || Flags)
		return CUDA_ERROR_INVALID_VALUE;
	core_ptr(p, &what);
	if (!driver_is_host(what.kind))
		return CUDA_ERROR_INVALID_VALUE;
	*pdptr = driver_address(what.info.device);
	return CUDA_SUCCESS;
}

ALIAS(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2);

/* All memory is mapped, since there is one address space. */
API CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
	struct CUctx_st *ctx;
	struct core_ptr what;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pFlags || !p)
		return CUDA_ERROR_INVALID_VALUE;
	core_ptr(p, &what);
	if (!driver_is_host(what.kind) && what.kind != MEM_KIND_MANAGED)
		return CUDA_ERROR_INVALID_VALUE;
	*pFlags = CU_MEMHOSTALLOC_DEVICEMAP;
	if (driver_is_host(what.kind))
		*pFlags |= what.info.flags;
	return CUDA_SUCCESS;
}

API CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
	uint64_t nr_free, nr_all;
	struct CUctx_st *ctx;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!free || !total)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_memory(ctx, &nr_free, &nr_all);
	if (!rc) {
		*free = nr_free;
		*total = nr_all;
	}
	return rc;
}

ALIAS(cuMemGetInfo, cuMemGetInfo_v2);

API CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize,
			     CUstream hStream)
{
	struct CUctx_st *ctx;
	void *ptr;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!dptr || !bytesize)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_alloc_async(bytesize, NULL, hStream, &ptr);
	if (!rc)
		*dptr = driver_address(ptr);
	return rc;
}

PER_THREAD(cuMemAllocAsync, _ptsz);

API CUresult cuMemAllocAsync_ptsz(CUdeviceptr *dptr, size_t bytesize,
				  CUstream hStream)
{
	return cuMemAllocAsync(dptr, bytesize, driver_own(hStream));
}

API CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc || !dptr)
		return rc;
	return core_free_async(driver_ptr(dptr), hStream);
}

PER_THREAD(cuMemFreeAsync, _ptsz);

API CUresult cuMemFreeAsync_ptsz(CUdeviceptr dptr, CUstream hStream)
{
	return cuMemFreeAsync(dptr, driver_own(hStream));
}
