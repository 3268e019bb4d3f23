// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: copies, of bytes and of rows. */
#include "driver.h"

static int copy_in(CUstream stream, bool is_async, const struct mem_rows *rows,
		   unsigned int sides)
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

static struct mem_rows bytes(void *dst, const void *src, size_t len)
{
	return (struct mem_rows){
		.dst = dst,
		.src = src,
		.row_len = len,
		.nr_rows = 1,
	};
}

static int copy(void *dst, const void *src, size_t len, unsigned int sides)
{
	const struct mem_rows rows = bytes(dst, src, len);

	return copy_in(NULL, false, &rows, sides);
}

/* For a program whose default stream is the thread's. */
static int copy_own(void *dst, const void *src, size_t len, unsigned int sides)
{
	const struct mem_rows rows = bytes(dst, src, len);

	return copy_in(CU_STREAM_PER_THREAD, false, &rows, sides);
}

static int copy_async(void *dst, const void *src, size_t len,
		      unsigned int sides, CUstream stream)
{
	const struct mem_rows rows = bytes(dst, src, len);

	return copy_in(stream, true, &rows, sides);
}

/* Both sides are whatever their addresses are. */
API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
	return copy(driver_ptr(dst), driver_ptr(src), ByteCount, 0);
}

PER_THREAD(cuMemcpy, _ptds);

API CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
	return copy_own(driver_ptr(dst), driver_ptr(src), ByteCount, 0);
}

API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
			   CUstream hStream)
{
	return copy_async(driver_ptr(dst), driver_ptr(src), ByteCount, 0,
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
	return copy(driver_ptr(dstDevice), srcHost, ByteCount, CORE_DST_DEVICE);
}

ALIAS(cuMemcpyHtoD, cuMemcpyHtoD_v2);
PER_THREAD(cuMemcpyHtoD_v2, _ptds);

API CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice, const void *srcHost,
				  size_t ByteCount)
{
	return copy_own(driver_ptr(dstDevice), srcHost, ByteCount,
			CORE_DST_DEVICE);
}

API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost,
				  size_t ByteCount, CUstream hStream)
{
	return copy_async(driver_ptr(dstDevice), srcHost, ByteCount,
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
	return copy(dstHost, driver_ptr(srcDevice), ByteCount, CORE_SRC_DEVICE);
}

ALIAS(cuMemcpyDtoH, cuMemcpyDtoH_v2);
PER_THREAD(cuMemcpyDtoH_v2, _ptds);

API CUresult cuMemcpyDtoH_v2_ptds(void *dstHost, CUdeviceptr srcDevice,
				  size_t ByteCount)
{
	return copy_own(dstHost, driver_ptr(srcDevice), ByteCount,
			CORE_SRC_DEVICE);
}

API CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice,
				  size_t ByteCount, CUstream hStream)
{
	return copy_async(dstHost, driver_ptr(srcDevice), ByteCount,
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
	return copy(driver_ptr(dstDevice), driver_ptr(srcDevice), ByteCount,
		    CORE_SRC_DEVICE | CORE_DST_DEVICE);
}

ALIAS(cuMemcpyDtoD, cuMemcpyDtoD_v2);
PER_THREAD(cuMemcpyDtoD_v2, _ptds);

API CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
				  size_t ByteCount)
{
	return copy_own(driver_ptr(dstDevice), driver_ptr(srcDevice), ByteCount,
			CORE_SRC_DEVICE | CORE_DST_DEVICE);
}

API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
				  size_t ByteCount, CUstream hStream)
{
	return copy_async(driver_ptr(dstDevice), driver_ptr(srcDevice),
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

/* Of devices with memory of their own: the dma engine goes everywhere. */
static CUresult check_peers(CUcontext a, CUcontext b)
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
	const CUresult rc = check_peers(dstContext, srcContext);

	return rc ? rc : cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

PER_THREAD(cuMemcpyPeer, _ptds);

API CUresult cuMemcpyPeer_ptds(CUdeviceptr dstDevice, CUcontext dstContext,
			       CUdeviceptr srcDevice, CUcontext srcContext,
			       size_t ByteCount)
{
	const CUresult rc = check_peers(dstContext, srcContext);

	return rc ? rc : cuMemcpyDtoD_v2_ptds(dstDevice, srcDevice, ByteCount);
}

API CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext,
			       CUdeviceptr srcDevice, CUcontext srcContext,
			       size_t ByteCount, CUstream hStream)
{
	const CUresult rc = check_peers(dstContext, srcContext);

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

/**
 * struct side - a side of a copy of rows
 * @type: what it is said to be
 * @host: its address, if the host's
 * @device: its address, if a device's, or unified
 * @pitch: bytes from row to row; 0: as long as a row
 * @x: bytes
 * @y: rows
 */
struct side {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	size_t pitch;
	size_t x;
	size_t y;
};

static int place(const struct side *side, size_t row_len, char **at,
		 uint64_t *pitch)
{
	switch (side->type) {
	case CU_MEMORYTYPE_HOST:
		*at = (char *)side->host;
		break;
	case CU_MEMORYTYPE_DEVICE:
	case CU_MEMORYTYPE_UNIFIED:
		*at = driver_ptr(side->device);
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (!*at)
		return CUDA_ERROR_INVALID_VALUE;
	*pitch = side->pitch ? side->pitch : side->x + row_len;
	if (*pitch < row_len || side->x > *pitch - row_len)
		return CUDA_ERROR_INVALID_VALUE;
	*at += side->y * *pitch + side->x;
	return CUDA_SUCCESS;
}

static int source(const CUDA_MEMCPY2D *box, struct mem_rows *rows)
{
	const struct side side = {
		.type = box->srcMemoryType,
		.host = box->srcHost,
		.device = box->srcDevice,
		.pitch = box->srcPitch,
		.x = box->srcXInBytes,
		.y = box->srcY,
	};
	char *at;
	const int rc = place(&side, box->WidthInBytes, &at, &rows->src_pitch);

	if (!rc)
		rows->src = at;
	return rc;
}

static int target(const CUDA_MEMCPY2D *box, struct mem_rows *rows)
{
	const struct side side = {
		.type = box->dstMemoryType,
		.host = box->dstHost,
		.device = box->dstDevice,
		.pitch = box->dstPitch,
		.x = box->dstXInBytes,
		.y = box->dstY,
	};
	char *at;
	const int rc = place(&side, box->WidthInBytes, &at, &rows->dst_pitch);

	if (!rc)
		rows->dst = at;
	return rc;
}

static int copy_rows(const CUDA_MEMCPY2D *box, CUstream stream, bool is_async)
{
	struct mem_rows rows;
	struct CUctx_st *ctx;
	unsigned int sides = 0;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!box)
		return CUDA_ERROR_INVALID_VALUE;
	if (!box->WidthInBytes || !box->Height)
		return CUDA_SUCCESS;
	rc = source(box, &rows);
	if (!rc)
		rc = target(box, &rows);
	if (rc)
		return rc;
	if (box->srcMemoryType == CU_MEMORYTYPE_DEVICE)
		sides |= CORE_SRC_DEVICE;
	if (box->dstMemoryType == CU_MEMORYTYPE_DEVICE)
		sides |= CORE_DST_DEVICE;
	rows.row_len = box->WidthInBytes;
	rows.nr_rows = box->Height;
	return copy_in(stream, is_async, &rows, sides);
}

API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
	return copy_rows(pCopy, NULL, false);
}

ALIAS(cuMemcpy2D, cuMemcpy2D_v2);
PER_THREAD(cuMemcpy2D_v2, _ptds);

API CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *pCopy)
{
	return copy_rows(pCopy, CU_STREAM_PER_THREAD, false);
}

/* No pitch is one that cuMemcpy2D() would refuse here. */
ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
ALIAS(cuMemcpy2DUnaligned, cuMemcpy2D_v2);
ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2_ptds);

API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
	return copy_rows(pCopy, hStream, true);
}

ALIAS(cuMemcpy2DAsync, cuMemcpy2DAsync_v2);
PER_THREAD(cuMemcpy2DAsync_v2, _ptsz);

API CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *pCopy,
				     CUstream hStream)
{
	return copy_rows(pCopy, driver_own(hStream), true);
}
