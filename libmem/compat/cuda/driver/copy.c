// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: copies of bytes. copy3d.c has boxes and arrays. */
#include "driver.h"

static int driver_copy_in(CUstream stream, bool is_async,
			  const struct mem_rows *rows, unsigned int sides)
{
	const struct core_copy what = {
		.rows = *rows,
		.sides = sides,
		.stream = stream,
		.is_async = is_async,
	};
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_copy(&what);
}

static struct mem_rows driver_bytes(void *dst, const void *src, size_t len)
{
	return (struct mem_rows){
		.dst = dst,
		.src = src,
		.row_len = len,
		.nr_rows = 1,
	};
}

static int driver_copy(void *dst, const void *src, size_t len,
		       unsigned int sides)
{
	const struct mem_rows rows = driver_bytes(dst, src, len);

	return driver_copy_in(NULL, false, &rows, sides);
}

/* For a program with a default stream per thread */
static int driver_copy_own(void *dst, const void *src, size_t len,
			   unsigned int sides)
{
	const struct mem_rows rows = driver_bytes(dst, src, len);

	return driver_copy_in(CU_STREAM_PER_THREAD, false, &rows, sides);
}

static int driver_copy_async(void *dst, const void *src, size_t len,
			     unsigned int sides, CUstream stream)
{
	const struct mem_rows rows = driver_bytes(dst, src, len);

	return driver_copy_in(stream, true, &rows, sides);
}

/* The type of each side is found from its address. */
API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
	return driver_copy(driver_ptr(dst), driver_ptr(src), ByteCount, 0);
}

PER_THREAD(cuMemcpy, _ptds);

API CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
	return driver_copy_own(driver_ptr(dst), driver_ptr(src), ByteCount, 0);
}

API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
			   CUstream hStream)
{
	return driver_copy_async(driver_ptr(dst), driver_ptr(src), ByteCount, 0,
				 hStream);
}

PER_THREAD(cuMemcpyAsync, _ptsz);

API CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src,
				size_t ByteCount, CUstream hStream)
{
	return cuMemcpyAsync(dst, src, ByteCount, driver_own(hStream));
}

API CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost,
			     size_t ByteCount)
{
	return driver_copy(driver_ptr(dstDevice), srcHost, ByteCount,
			   CORE_DST_DEVICE);
}

ALIAS(cuMemcpyHtoD, cuMemcpyHtoD_v2);
PER_THREAD(cuMemcpyHtoD_v2, _ptds);

API CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice, const void *srcHost,
				  size_t ByteCount)
{
	return driver_copy_own(driver_ptr(dstDevice), srcHost, ByteCount,
			       CORE_DST_DEVICE);
}

API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost,
				  size_t ByteCount, CUstream hStream)
{
	return driver_copy_async(driver_ptr(dstDevice), srcHost, ByteCount,
				 CORE_DST_DEVICE, hStream);
}

ALIAS(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2);
PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz);

API CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dstDevice,
				       const void *srcHost, size_t ByteCount,
				       CUstream hStream)
{
	return cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount,
				    driver_own(hStream));
}

API CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice,
			     size_t ByteCount)
{
	return driver_copy(dstHost, driver_ptr(srcDevice), ByteCount,
			   CORE_SRC_DEVICE);
}

ALIAS(cuMemcpyDtoH, cuMemcpyDtoH_v2);
PER_THREAD(cuMemcpyDtoH_v2, _ptds);

API CUresult cuMemcpyDtoH_v2_ptds(void *dstHost, CUdeviceptr srcDevice,
				  size_t ByteCount)
{
	return driver_copy_own(dstHost, driver_ptr(srcDevice), ByteCount,
			       CORE_SRC_DEVICE);
}

API CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice,
				  size_t ByteCount, CUstream hStream)
{
	return driver_copy_async(dstHost, driver_ptr(srcDevice), ByteCount,
				 CORE_SRC_DEVICE, hStream);
}

ALIAS(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2);
PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz);

API CUresult cuMemcpyDtoHAsync_v2_ptsz(void *dstHost, CUdeviceptr srcDevice,
				       size_t ByteCount, CUstream hStream)
{
	return cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount,
				    driver_own(hStream));
}

API CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
			     size_t ByteCount)
{
	return driver_copy(driver_ptr(dstDevice), driver_ptr(srcDevice),
			   ByteCount, CORE_SRC_DEVICE | CORE_DST_DEVICE);
}

ALIAS(cuMemcpyDtoD, cuMemcpyDtoD_v2);
PER_THREAD(cuMemcpyDtoD_v2, _ptds);

API CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
				  size_t ByteCount)
{
	return driver_copy_own(driver_ptr(dstDevice), driver_ptr(srcDevice),
			       ByteCount, CORE_SRC_DEVICE | CORE_DST_DEVICE);
}

API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
				  size_t ByteCount, CUstream hStream)
{
	return driver_copy_async(driver_ptr(dstDevice), driver_ptr(srcDevice),
				 ByteCount, CORE_SRC_DEVICE | CORE_DST_DEVICE,
				 hStream);
}

ALIAS(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2);
PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz);

API CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dstDevice,
				       CUdeviceptr srcDevice, size_t ByteCount,
				       CUstream hStream)
{
	return cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount,
				    driver_own(hStream));
}

/* The contexts only need to exist, since the dma engine reaches all memory. */
static CUresult driver_check_peers(CUcontext a, CUcontext b)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return core_ctx_exists(a) && core_ctx_exists(b) ?
		CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

API CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext,
			  CUdeviceptr srcDevice, CUcontext srcContext,
			  size_t ByteCount)
{
	const CUresult rc = driver_check_peers(dstContext, srcContext);

	return rc ? rc : cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

PER_THREAD(cuMemcpyPeer, _ptds);

API CUresult cuMemcpyPeer_ptds(CUdeviceptr dstDevice, CUcontext dstContext,
			       CUdeviceptr srcDevice, CUcontext srcContext,
			       size_t ByteCount)
{
	const CUresult rc = driver_check_peers(dstContext, srcContext);

	return rc ? rc : cuMemcpyDtoD_v2_ptds(dstDevice, srcDevice, ByteCount);
}

API CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext,
			       CUdeviceptr srcDevice, CUcontext srcContext,
			       size_t ByteCount, CUstream hStream)
{
	const CUresult rc = driver_check_peers(dstContext, srcContext);

	return rc ? rc : cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount,
					      hStream);
}

PER_THREAD(cuMemcpyPeerAsync, _ptsz);

API CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr dstDevice,
				    CUcontext dstContext,
				    CUdeviceptr srcDevice,
				    CUcontext srcContext, size_t ByteCount,
				    CUstream hStream)
{
	return cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext,
				 ByteCount, driver_own(hStream));
}
