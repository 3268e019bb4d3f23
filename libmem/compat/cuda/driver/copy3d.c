// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: copies of rows and of boxes, between memory and arrays. */
#include "core_array.h"
#include "driver.h"

/* The default pitch is the end of the copied row. */
static size_t driver_pitch_of(size_t pitch, size_t x, size_t row_len)
{
	return pitch ? pitch : x + row_len;
}

static int driver_copy_box(const CUDA_MEMCPY3D *from, CUstream stream,
			   bool is_async)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);
	CUDA_MEMCPY3D box;

	if (rc)
		return rc;
	if (!from || from->reserved0 || from->reserved1)
		return CUDA_ERROR_INVALID_VALUE;
	box = *from;
	box.srcPitch = driver_pitch_of(box.srcPitch, box.srcXInBytes,
				       box.WidthInBytes);
	box.dstPitch = driver_pitch_of(box.dstPitch, box.dstXInBytes,
				       box.WidthInBytes);
	return core_copy3d(&box, stream, is_async);
}

API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy)
{
	return driver_copy_box(pCopy, NULL, false);
}

ALIAS(cuMemcpy3D, cuMemcpy3D_v2);
PER_THREAD(cuMemcpy3D_v2, _ptds);

API CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *pCopy)
{
	return driver_copy_box(pCopy, CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
	return driver_copy_box(pCopy, hStream, true);
}

ALIAS(cuMemcpy3DAsync, cuMemcpy3DAsync_v2);
PER_THREAD(cuMemcpy3DAsync_v2, _ptsz);

API CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *pCopy,
				     CUstream hStream)
{
	return driver_copy_box(pCopy, driver_own(hStream), true);
}

static int driver_copy_rows(const CUDA_MEMCPY2D *rows, CUstream stream,
			    bool is_async)
{
	struct CUctx_st *ctx;
	CUDA_MEMCPY3D box;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!rows)
		return CUDA_ERROR_INVALID_VALUE;
	box = (CUDA_MEMCPY3D){
		.srcXInBytes = rows->srcXInBytes,
		.srcY = rows->srcY,
		.srcMemoryType = rows->srcMemoryType,
		.srcHost = rows->srcHost,
		.srcDevice = rows->srcDevice,
		.srcArray = rows->srcArray,
		.srcPitch = driver_pitch_of(rows->srcPitch, rows->srcXInBytes,
					    rows->WidthInBytes),
		.dstXInBytes = rows->dstXInBytes,
		.dstY = rows->dstY,
		.dstMemoryType = rows->dstMemoryType,
		.dstHost = rows->dstHost,
		.dstDevice = rows->dstDevice,
		.dstArray = rows->dstArray,
		.dstPitch = driver_pitch_of(rows->dstPitch, rows->dstXInBytes,
					    rows->WidthInBytes),
		.WidthInBytes = rows->WidthInBytes,
		.Height = rows->Height,
		.Depth = 1,
	};
	return core_copy3d(&box, stream, is_async);
}

API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
	return driver_copy_rows(pCopy, NULL, false);
}

ALIAS(cuMemcpy2D, cuMemcpy2D_v2);
PER_THREAD(cuMemcpy2D_v2, _ptds);

API CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *pCopy)
{
	return driver_copy_rows(pCopy, CU_STREAM_PER_THREAD, false);
}

/* No pitch that cuMemcpy2D() might refuse exists here, so both are the same. */
ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
ALIAS(cuMemcpy2DUnaligned, cuMemcpy2D_v2);
ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2_ptds);

API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
	return driver_copy_rows(pCopy, hStream, true);
}

ALIAS(cuMemcpy2DAsync, cuMemcpy2DAsync_v2);
PER_THREAD(cuMemcpy2DAsync_v2, _ptsz);

API CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *pCopy,
				     CUstream hStream)
{
	return driver_copy_rows(pCopy, driver_own(hStream), true);
}

/* All devices of a board share a context; an array has its own context. */
static int driver_copy_peer(const CUDA_MEMCPY3D_PEER *peer, CUstream stream,
			    bool is_async)
{
	struct CUctx_st *ctx;
	CUDA_MEMCPY3D box;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!peer)
		return CUDA_ERROR_INVALID_VALUE;
	if ((peer->srcMemoryType != CU_MEMORYTYPE_ARRAY &&
	     !core_ctx_exists(peer->srcContext)) ||
	    (peer->dstMemoryType != CU_MEMORYTYPE_ARRAY &&
	     !core_ctx_exists(peer->dstContext)))
		return CUDA_ERROR_INVALID_CONTEXT;
	box = (CUDA_MEMCPY3D){
		.srcXInBytes = peer->srcXInBytes,
		.srcY = peer->srcY,
		.srcZ = peer->srcZ,
		.srcLOD = peer->srcLOD,
		.srcMemoryType = peer->srcMemoryType,
		.srcHost = peer->srcHost,
		.srcDevice = peer->srcDevice,
		.srcArray = peer->srcArray,
		.srcPitch = peer->srcPitch,
		.srcHeight = peer->srcHeight,
		.dstXInBytes = peer->dstXInBytes,
		.dstY = peer->dstY,
		.dstZ = peer->dstZ,
		.dstLOD = peer->dstLOD,
		.dstMemoryType = peer->dstMemoryType,
		.dstHost = peer->dstHost,
		.dstDevice = peer->dstDevice,
		.dstArray = peer->dstArray,
		.dstPitch = peer->dstPitch,
		.dstHeight = peer->dstHeight,
		.WidthInBytes = peer->WidthInBytes,
		.Height = peer->Height,
		.Depth = peer->Depth,
	};
	return core_copy3d(&box, stream, is_async);
}

API CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
	return driver_copy_peer(pCopy, NULL, false);
}

PER_THREAD(cuMemcpy3DPeer, _ptds);

API CUresult cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER *pCopy)
{
	return driver_copy_peer(pCopy, CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy,
				 CUstream hStream)
{
	return driver_copy_peer(pCopy, hStream, true);
}

PER_THREAD(cuMemcpy3DPeerAsync, _ptsz);

API CUresult cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER *pCopy,
				      CUstream hStream)
{
	return driver_copy_peer(pCopy, driver_own(hStream), true);
}

/* Copies of bytes of an array, which continue in the next row */

static CUDA_MEMCPY3D run_from_host(const void *src)
{
	return (CUDA_MEMCPY3D){
		.srcMemoryType = CU_MEMORYTYPE_HOST,
		.srcHost = src,
	};
}

static CUDA_MEMCPY3D run_from_device(CUdeviceptr src)
{
	return (CUDA_MEMCPY3D){
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = src,
	};
}

static CUDA_MEMCPY3D run_from_array(CUarray src, size_t off)
{
	return (CUDA_MEMCPY3D){
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.srcArray = src,
		.srcXInBytes = off,
	};
}

static CUDA_MEMCPY3D run_to_array(CUDA_MEMCPY3D copy, CUarray dst, size_t off)
{
	copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.dstArray = dst;
	copy.dstXInBytes = off;
	return copy;
}

static CUDA_MEMCPY3D run_to_host(CUDA_MEMCPY3D copy, void *dst)
{
	copy.dstMemoryType = CU_MEMORYTYPE_HOST;
	copy.dstHost = dst;
	return copy;
}

static CUDA_MEMCPY3D run_to_device(CUDA_MEMCPY3D copy, CUdeviceptr dst)
{
	copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.dstDevice = dst;
	return copy;
}

static int run_submit(const CUDA_MEMCPY3D copy, size_t len, CUstream stream,
		      bool is_async)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_copy_run(&copy, len, stream, is_async);
}

API CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset,
			     const void *srcHost, size_t ByteCount)
{
	return run_submit(run_to_array(run_from_host(srcHost), dstArray,
				       dstOffset),
			  ByteCount, NULL, false);
}

ALIAS(cuMemcpyHtoA, cuMemcpyHtoA_v2);
PER_THREAD(cuMemcpyHtoA_v2, _ptds);

API CUresult cuMemcpyHtoA_v2_ptds(CUarray dstArray, size_t dstOffset,
				  const void *srcHost, size_t ByteCount)
{
	return run_submit(run_to_array(run_from_host(srcHost), dstArray,
				       dstOffset),
			  ByteCount, CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset,
				  const void *srcHost, size_t ByteCount,
				  CUstream hStream)
{
	return run_submit(run_to_array(run_from_host(srcHost), dstArray,
				       dstOffset),
			  ByteCount, hStream, true);
}

ALIAS(cuMemcpyHtoAAsync, cuMemcpyHtoAAsync_v2);
PER_THREAD(cuMemcpyHtoAAsync_v2, _ptsz);

API CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray dstArray, size_t dstOffset,
				       const void *srcHost, size_t ByteCount,
				       CUstream hStream)
{
	return cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount,
				    driver_own(hStream));
}

API CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
			     size_t ByteCount)
{
	return run_submit(run_to_host(run_from_array(srcArray, srcOffset),
				      dstHost),
			  ByteCount, NULL, false);
}

ALIAS(cuMemcpyAtoH, cuMemcpyAtoH_v2);
PER_THREAD(cuMemcpyAtoH_v2, _ptds);

API CUresult cuMemcpyAtoH_v2_ptds(void *dstHost, CUarray srcArray,
				  size_t srcOffset, size_t ByteCount)
{
	return run_submit(run_to_host(run_from_array(srcArray, srcOffset),
				      dstHost),
			  ByteCount, CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray,
				  size_t srcOffset, size_t ByteCount,
				  CUstream hStream)
{
	return run_submit(run_to_host(run_from_array(srcArray, srcOffset),
				      dstHost),
			  ByteCount, hStream, true);
}

ALIAS(cuMemcpyAtoHAsync, cuMemcpyAtoHAsync_v2);
PER_THREAD(cuMemcpyAtoHAsync_v2, _ptsz);

API CUresult cuMemcpyAtoHAsync_v2_ptsz(void *dstHost, CUarray srcArray,
				       size_t srcOffset, size_t ByteCount,
				       CUstream hStream)
{
	return cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount,
				    driver_own(hStream));
}

API CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset,
			     CUdeviceptr srcDevice, size_t ByteCount)
{
	return run_submit(run_to_array(run_from_device(srcDevice), dstArray,
				       dstOffset),
			  ByteCount, NULL, false);
}

ALIAS(cuMemcpyDtoA, cuMemcpyDtoA_v2);
PER_THREAD(cuMemcpyDtoA_v2, _ptds);

API CUresult cuMemcpyDtoA_v2_ptds(CUarray dstArray, size_t dstOffset,
				  CUdeviceptr srcDevice, size_t ByteCount)
{
	return run_submit(run_to_array(run_from_device(srcDevice), dstArray,
				       dstOffset),
			  ByteCount, CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray,
			     size_t srcOffset, size_t ByteCount)
{
	return run_submit(run_to_device(run_from_array(srcArray, srcOffset),
					dstDevice),
			  ByteCount, NULL, false);
}

ALIAS(cuMemcpyAtoD, cuMemcpyAtoD_v2);
PER_THREAD(cuMemcpyAtoD_v2, _ptds);

API CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr dstDevice, CUarray srcArray,
				  size_t srcOffset, size_t ByteCount)
{
	return run_submit(run_to_device(run_from_array(srcArray, srcOffset),
					dstDevice),
			  ByteCount, CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset,
			     CUarray srcArray, size_t srcOffset,
			     size_t ByteCount)
{
	return run_submit(run_to_array(run_from_array(srcArray, srcOffset),
				       dstArray, dstOffset),
			  ByteCount, NULL, false);
}

ALIAS(cuMemcpyAtoA, cuMemcpyAtoA_v2);
PER_THREAD(cuMemcpyAtoA_v2, _ptds);

API CUresult cuMemcpyAtoA_v2_ptds(CUarray dstArray, size_t dstOffset,
				  CUarray srcArray, size_t srcOffset,
				  size_t ByteCount)
{
	return run_submit(run_to_array(run_from_array(srcArray, srcOffset),
				       dstArray, dstOffset),
			  ByteCount, CU_STREAM_PER_THREAD, false);
}
