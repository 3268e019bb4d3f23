// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: copies to and from arrays, copies of boxes, fills of boxes. */
#include "array.h"

static CUmemorytype runtime_side_type(enum cudaMemcpyKind kind, bool is_src)
{
	switch (kind) {
	case cudaMemcpyHostToHost:
		return CU_MEMORYTYPE_HOST;
	case cudaMemcpyHostToDevice:
		return is_src ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
	case cudaMemcpyDeviceToHost:
		return is_src ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
	case cudaMemcpyDeviceToDevice:
		return CU_MEMORYTYPE_DEVICE;
	default:
		return CU_MEMORYTYPE_UNIFIED;
	}
}

static void runtime_src_memory(CUDA_MEMCPY3D *copy, const void *src,
			       enum cudaMemcpyKind kind)
{
	copy->srcMemoryType = runtime_side_type(kind, true);
	copy->srcHost = src;
	copy->srcDevice = (uintptr_t)src;
}

static void runtime_dst_memory(CUDA_MEMCPY3D *copy, void *dst,
			       enum cudaMemcpyKind kind)
{
	copy->dstMemoryType = runtime_side_type(kind, false);
	copy->dstHost = dst;
	copy->dstDevice = (uintptr_t)dst;
}

static void runtime_src_array(CUDA_MEMCPY3D *copy, cudaArray_const_t array,
			      size_t x, size_t y)
{
	copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
	copy->srcArray = (CUarray)array;
	copy->srcXInBytes = x;
	copy->srcY = y;
}

static void runtime_dst_array(CUDA_MEMCPY3D *copy, cudaArray_const_t array,
			      size_t x, size_t y)
{
	copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy->dstArray = (CUarray)array;
	copy->dstXInBytes = x;
	copy->dstY = y;
}

/* An array is device memory; other kinds are refused. */
static bool runtime_is_to_device(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyHostToDevice ||
	       kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

static bool runtime_is_from_device(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyDeviceToHost ||
	       kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

static cudaError_t runtime_to_array(const CUDA_MEMCPY3D *to, const void *src,
				    enum cudaMemcpyKind kind,
				    cudaStream_t stream, bool is_async)
{
	CUDA_MEMCPY3D copy = *to;

	if (!runtime_is_to_device(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	if (copy.Height > 1 && copy.srcPitch < copy.WidthInBytes)
		return cudart_return(cudaErrorInvalidPitchValue);
	runtime_src_memory(&copy, src, kind);
	return cudart_return(core_copy3d(&copy, stream, is_async));
}

static cudaError_t runtime_from_array(const CUDA_MEMCPY3D *from, void *dst,
				      enum cudaMemcpyKind kind,
				      cudaStream_t stream, bool is_async)
{
	CUDA_MEMCPY3D copy = *from;

	if (!runtime_is_from_device(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	if (copy.Height > 1 && copy.dstPitch < copy.WidthInBytes)
		return cudart_return(cudaErrorInvalidPitchValue);
	runtime_dst_memory(&copy, dst, kind);
	return cudart_return(core_copy3d(&copy, stream, is_async));
}

static CUDA_MEMCPY3D runtime_box_of(size_t pitch, size_t width, size_t height)
{
	return (CUDA_MEMCPY3D){
		.srcPitch = pitch,
		.dstPitch = pitch,
		.WidthInBytes = width,
		.Height = height,
		.Depth = 1,
	};
}

API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset,
				    size_t hOffset, const void *src,
				    size_t spitch, size_t width, size_t height,
				    enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D copy = runtime_box_of(spitch, width, height);

	runtime_dst_array(&copy, dst, wOffset, hOffset);
	return runtime_to_array(&copy, src, kind, NULL, false);
}

API cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t dst, size_t wOffset,
					 size_t hOffset, const void *src,
					 size_t spitch, size_t width,
					 size_t height,
					 enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D copy = runtime_box_of(spitch, width, height);

	runtime_dst_array(&copy, dst, wOffset, hOffset);
	return runtime_to_array(&copy, src, kind, cudaStreamPerThread, false);
}

API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
					 size_t hOffset, const void *src,
					 size_t spitch, size_t width,
					 size_t height,
					 enum cudaMemcpyKind kind,
					 cudaStream_t stream)
{
	CUDA_MEMCPY3D copy = runtime_box_of(spitch, width, height);

	runtime_dst_array(&copy, dst, wOffset, hOffset);
	return runtime_to_array(&copy, src, kind, stream, true);
}

API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch,
				      cudaArray_const_t src, size_t wOffset,
				      size_t hOffset, size_t width,
				      size_t height, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D copy = runtime_box_of(dpitch, width, height);

	runtime_src_array(&copy, src, wOffset, hOffset);
	return runtime_from_array(&copy, dst, kind, NULL, false);
}

API cudaError_t cudaMemcpy2DFromArray_ptds(void *dst, size_t dpitch,
					   cudaArray_const_t src,
					   size_t wOffset, size_t hOffset,
					   size_t width, size_t height,
					   enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D copy = runtime_box_of(dpitch, width, height);

	runtime_src_array(&copy, src, wOffset, hOffset);
	return runtime_from_array(&copy, dst, kind, cudaStreamPerThread, false);
}

API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
					   cudaArray_const_t src,
					   size_t wOffset, size_t hOffset,
					   size_t width, size_t height,
					   enum cudaMemcpyKind kind,
					   cudaStream_t stream)
{
	CUDA_MEMCPY3D copy = runtime_box_of(dpitch, width, height);

	runtime_src_array(&copy, src, wOffset, hOffset);
	return runtime_from_array(&copy, dst, kind, stream, true);
}

static cudaError_t runtime_between_arrays(const CUDA_MEMCPY3D *copy,
					  enum cudaMemcpyKind kind,
					  cudaStream_t stream)
{
	if (!runtime_is_to_device(kind) || !runtime_is_from_device(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	return cudart_return(core_copy3d(copy, stream, false));
}

API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst,
					 size_t hOffsetDst,
					 cudaArray_const_t src,
					 size_t wOffsetSrc, size_t hOffsetSrc,
					 size_t width, size_t height,
					 enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D copy = runtime_box_of(0, width, height);

	runtime_dst_array(&copy, dst, wOffsetDst, hOffsetDst);
	runtime_src_array(&copy, src, wOffsetSrc, hOffsetSrc);
	return runtime_between_arrays(&copy, kind, NULL);
}

API cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst,
					      size_t wOffsetDst,
					      size_t hOffsetDst,
					      cudaArray_const_t src,
					      size_t wOffsetSrc,
					      size_t hOffsetSrc, size_t width,
					      size_t height,
					      enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D copy = runtime_box_of(0, width, height);

	runtime_dst_array(&copy, dst, wOffsetDst, hOffsetDst);
	runtime_src_array(&copy, src, wOffsetSrc, hOffsetSrc);
	return runtime_between_arrays(&copy, kind, cudaStreamPerThread);
}

/* For calls without a height: bytes continue in the next row. */

static cudaError_t runtime_run(const CUDA_MEMCPY3D *copy, size_t count,
			       cudaStream_t stream, bool is_async)
{
	/* The start must be within its row. */
	if ((copy->srcMemoryType == CU_MEMORYTYPE_ARRAY &&
	     core_array_exists(copy->srcArray) &&
	     copy->srcXInBytes > copy->srcArray->desc.Width *
				 copy->srcArray->element_len) ||
	    (copy->dstMemoryType == CU_MEMORYTYPE_ARRAY &&
	     core_array_exists(copy->dstArray) &&
	     copy->dstXInBytes > copy->dstArray->desc.Width *
				 copy->dstArray->element_len))
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_copy_run(copy, count, stream, is_async));
}

static cudaError_t runtime_run_to_array(cudaArray_t dst, size_t wOffset,
					size_t hOffset, const void *src,
					size_t count, enum cudaMemcpyKind kind,
					cudaStream_t stream, bool is_async)
{
	CUDA_MEMCPY3D copy = { 0 };

	if (!runtime_is_to_device(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	runtime_dst_array(&copy, dst, wOffset, hOffset);
	runtime_src_memory(&copy, src, kind);
	return runtime_run(&copy, count, stream, is_async);
}

static cudaError_t runtime_run_from_array(void *dst, cudaArray_const_t src,
					  size_t wOffset, size_t hOffset,
					  size_t count,
					  enum cudaMemcpyKind kind,
					  cudaStream_t stream, bool is_async)
{
	CUDA_MEMCPY3D copy = { 0 };

	if (!runtime_is_from_device(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	runtime_src_array(&copy, src, wOffset, hOffset);
	runtime_dst_memory(&copy, dst, kind);
	return runtime_run(&copy, count, stream, is_async);
}

API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset,
				  size_t hOffset, const void *src, size_t count,
				  enum cudaMemcpyKind kind)
{
	return runtime_run_to_array(dst, wOffset, hOffset, src, count, kind,
				    NULL, false);
}

API cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t wOffset,
				       size_t hOffset, const void *src,
				       size_t count, enum cudaMemcpyKind kind)
{
	return runtime_run_to_array(dst, wOffset, hOffset, src, count, kind,
				    cudaStreamPerThread, false);
}

API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
				       size_t hOffset, const void *src,
				       size_t count, enum cudaMemcpyKind kind,
				       cudaStream_t stream)
{
	return runtime_run_to_array(dst, wOffset, hOffset, src, count, kind,
				    stream, true);
}

API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src,
				    size_t wOffset, size_t hOffset,
				    size_t count, enum cudaMemcpyKind kind)
{
	return runtime_run_from_array(dst, src, wOffset, hOffset, count, kind,
				      NULL, false);
}

API cudaError_t cudaMemcpyFromArray_ptds(void *dst, cudaArray_const_t src,
					 size_t wOffset, size_t hOffset,
					 size_t count,
					 enum cudaMemcpyKind kind)
{
	return runtime_run_from_array(dst, src, wOffset, hOffset, count, kind,
				      cudaStreamPerThread, false);
}

API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
					 size_t wOffset, size_t hOffset,
					 size_t count,
					 enum cudaMemcpyKind kind,
					 cudaStream_t stream)
{
	return runtime_run_from_array(dst, src, wOffset, hOffset, count, kind,
				      stream, true);
}

static cudaError_t runtime_run_between(const CUDA_MEMCPY3D *copy, size_t count,
				       enum cudaMemcpyKind kind,
				       cudaStream_t stream)
{
	if (!runtime_is_to_device(kind) || !runtime_is_from_device(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	return runtime_run(copy, count, stream, false);
}

API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst,
				       size_t hOffsetDst, cudaArray_const_t src,
				       size_t wOffsetSrc, size_t hOffsetSrc,
				       size_t count, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D copy = { 0 };

	runtime_dst_array(&copy, dst, wOffsetDst, hOffsetDst);
	runtime_src_array(&copy, src, wOffsetSrc, hOffsetSrc);
	return runtime_run_between(&copy, count, kind, NULL);
}

API cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst,
					    size_t hOffsetDst,
					    cudaArray_const_t src,
					    size_t wOffsetSrc,
					    size_t hOffsetSrc, size_t count,
					    enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D copy = { 0 };

	runtime_dst_array(&copy, dst, wOffsetDst, hOffsetDst);
	runtime_src_array(&copy, src, wOffsetSrc, hOffsetSrc);
	return runtime_run_between(&copy, count, kind, cudaStreamPerThread);
}

/**
 * struct box - a copy of a box, common to all such calls
 * @src_array: array, or NULL
 * @src_pos: position; in elements, of memory in bytes
 * @src_ptr: memory, if @src_array is NULL
 * @dst_array: array, or NULL
 * @dst_pos: position; in elements, of memory in bytes
 * @dst_ptr: memory, if @dst_array is NULL
 * @extent: width in elements if there is an array, else in bytes
 * @kind: types of memory
 */
struct box {
	cudaArray_t src_array;
	struct cudaPos src_pos;
	struct cudaPitchedPtr src_ptr;
	cudaArray_t dst_array;
	struct cudaPos dst_pos;
	struct cudaPitchedPtr dst_ptr;
	struct cudaExtent extent;
	enum cudaMemcpyKind kind;
};

static struct box runtime_box_of_parms(const struct cudaMemcpy3DParms *p)
{
	return (struct box){
		.src_array = p->srcArray,
		.src_pos = p->srcPos,
		.src_ptr = p->srcPtr,
		.dst_array = p->dstArray,
		.dst_pos = p->dstPos,
		.dst_ptr = p->dstPtr,
		.extent = p->extent,
		.kind = p->kind,
	};
}

/*
 * Returns the bytes of an element of the arrays, which must be equal; 1 if
 * there is no array.
 */
static cudaError_t runtime_element_of(const struct box *box, size_t *len)
{
	const struct CUarray_st *src = (CUarray)box->src_array;
	const struct CUarray_st *dst = (CUarray)box->dst_array;

	if ((src && !core_array_exists(src)) ||
	    (dst && !core_array_exists(dst)))
		return cudaErrorInvalidResourceHandle;
	if (src && dst && src->element_len != dst->element_len)
		return cudaErrorInvalidValue;
	*len = src ? src->element_len : dst ? dst->element_len : 1;
	return cudaSuccess;
}

static bool runtime_is_wider(const struct cudaPitchedPtr *ptr, size_t x,
			     size_t width)
{
	return x > ptr->pitch || width > ptr->pitch - x;
}

/* Converts positions in arrays from elements to bytes. */
static cudaError_t runtime_bytes_of(const struct box *box, CUDA_MEMCPY3D *copy)
{
	size_t len;
	cudaError_t rc = runtime_element_of(box, &len);

	if (rc)
		return rc;
	if (__builtin_mul_overflow(box->extent.width, len,
				   &copy->WidthInBytes) ||
	    __builtin_mul_overflow(box->src_pos.x, box->src_array ? len : 1,
				   &copy->srcXInBytes) ||
	    __builtin_mul_overflow(box->dst_pos.x, box->dst_array ? len : 1,
				   &copy->dstXInBytes))
		return cudaErrorInvalidValue;
	copy->Height = box->extent.height;
	copy->Depth = box->extent.depth;
	copy->srcY = box->src_pos.y;
	copy->srcZ = box->src_pos.z;
	copy->dstY = box->dst_pos.y;
	copy->dstZ = box->dst_pos.z;
	copy->srcPitch = box->src_ptr.pitch;
	copy->srcHeight = box->src_ptr.ysize;
	copy->dstPitch = box->dst_ptr.pitch;
	copy->dstHeight = box->dst_ptr.ysize;
	return cudaSuccess;
}

static cudaError_t runtime_check_pitches(const struct box *box,
					 const CUDA_MEMCPY3D *copy)
{
	if (!copy->WidthInBytes || !copy->Height || !copy->Depth ||
	    (copy->Height == 1 && copy->Depth == 1))
		return cudaSuccess;
	if ((!box->src_array &&
	     runtime_is_wider(&box->src_ptr, copy->srcXInBytes,
			      copy->WidthInBytes)) ||
	    (!box->dst_array &&
	     runtime_is_wider(&box->dst_ptr, copy->dstXInBytes,
			      copy->WidthInBytes)))
		return cudaErrorInvalidPitchValue;
	return cudaSuccess;
}

static cudaError_t runtime_copy_box(const struct box *box, cudaStream_t stream,
				    bool is_async)
{
	CUDA_MEMCPY3D copy = { 0 };
	cudaError_t rc;

	if ((unsigned int)box->kind > cudaMemcpyDefault)
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	if (!box->src_array == !box->src_ptr.ptr ||
	    !box->dst_array == !box->dst_ptr.ptr)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_bytes_of(box, &copy);
	if (!rc)
		rc = runtime_check_pitches(box, &copy);
	if (rc)
		return cudart_return(rc);
	/* If there is an array, its side is the device's, whatever the kind. */
	if (box->src_array)
		runtime_src_array(&copy, box->src_array, copy.srcXInBytes,
				  copy.srcY);
	else
		runtime_src_memory(&copy, box->src_ptr.ptr, box->kind);
	if (box->dst_array)
		runtime_dst_array(&copy, box->dst_array, copy.dstXInBytes,
				  copy.dstY);
	else
		runtime_dst_memory(&copy, box->dst_ptr.ptr, box->kind);
	return cudart_return(core_copy3d(&copy, stream, is_async));
}

static cudaError_t runtime_copy3d(const struct cudaMemcpy3DParms *p,
				  cudaStream_t stream, bool is_async)
{
	struct box box;

	if (!p)
		return cudart_return(cudaErrorInvalidValue);
	box = runtime_box_of_parms(p);
	return runtime_copy_box(&box, stream, is_async);
}

API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	return runtime_copy3d(p, NULL, false);
}

API cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p)
{
	return runtime_copy3d(p, cudaStreamPerThread, false);
}

API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
				  cudaStream_t stream)
{
	return runtime_copy3d(p, stream, true);
}

/* All devices of a board share a context. */
static cudaError_t runtime_copy_peer(const struct cudaMemcpy3DPeerParms *p,
				     cudaStream_t stream, bool is_async)
{
	struct box box;
	int rc;

	if (!p)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_init();
	if (rc)
		return cudart_return(rc);
	if (!core_device(p->dstDevice) || !core_device(p->srcDevice))
		return cudart_return(cudaErrorInvalidDevice);
	box = (struct box){
		.src_array = p->srcArray,
		.src_pos = p->srcPos,
		.src_ptr = p->srcPtr,
		.dst_array = p->dstArray,
		.dst_pos = p->dstPos,
		.dst_ptr = p->dstPtr,
		.extent = p->extent,
		.kind = cudaMemcpyDefault,
	};
	return runtime_copy_box(&box, stream, is_async);
}

API cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
	return runtime_copy_peer(p, NULL, false);
}

API cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p)
{
	return runtime_copy_peer(p, cudaStreamPerThread, false);
}

API cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
				      cudaStream_t stream)
{
	return runtime_copy_peer(p, stream, true);
}

static bool runtime_box_is_within(const struct cudaPitchedPtr *ptr,
				  const struct cudaExtent *extent)
{
	uint64_t rows;

	return !__builtin_mul_overflow(extent->depth - 1, ptr->ysize, &rows) &&
	       !__builtin_add_overflow(rows, extent->height - 1, &rows) &&
	       !__builtin_mul_overflow(rows, ptr->pitch, &rows) &&
	       !__builtin_add_overflow(rows, extent->width, &rows) &&
	       core_is_within(ptr->ptr, rows);
}

/* Fills slice by slice, or at once if the rows of slices are contiguous. */
static cudaError_t runtime_set_box(struct cudaPitchedPtr ptr, int value,
				   struct cudaExtent extent,
				   cudaStream_t stream, bool is_async)
{
	struct core_set set = {
		.dst = ptr.ptr,
		.pitch = ptr.pitch,
		.value = (unsigned int)value,
		.value_len = 1,
		.row_len = extent.width,
		.nr_rows = extent.height,
		.stream = stream,
		.is_async = is_async,
	};
	size_t z;
	int rc = 0;

	if (!extent.width || !extent.height || !extent.depth)
		return cudart_return(core_set(&set));
	if ((extent.depth > 1 && (extent.height > ptr.ysize ||
				  extent.width > ptr.pitch)) ||
	    !runtime_box_is_within(&ptr, &extent))
		return cudart_return(cudaErrorInvalidValue);
	if (extent.height == ptr.ysize) {
		set.nr_rows *= extent.depth;
		return cudart_return(core_set(&set));
	}
	for (z = 0; !rc && z < extent.depth; z++) {
		rc = core_set(&set);
		set.dst = (char *)set.dst + ptr.pitch * ptr.ysize;
	}
	return cudart_return(rc);
}

API cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
			     struct cudaExtent extent)
{
	return runtime_set_box(pitchedDevPtr, value, extent, NULL, false);
}

API cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr pitchedDevPtr,
				  int value, struct cudaExtent extent)
{
	return runtime_set_box(pitchedDevPtr, value, extent,
			       cudaStreamPerThread, false);
}

API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr,
				  int value, struct cudaExtent extent,
				  cudaStream_t stream)
{
	return runtime_set_box(pitchedDevPtr, value, extent, stream, true);
}
