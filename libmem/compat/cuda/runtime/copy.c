// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: copies and fills. */
#include "runtime.h"

/* Returns false if there is no such kind. */
static bool runtime_copy_sides(enum cudaMemcpyKind kind, unsigned int *sides)
{
	static const unsigned int known[] = {
		[cudaMemcpyHostToHost] = 0,
		[cudaMemcpyHostToDevice] = CORE_DST_DEVICE,
		[cudaMemcpyDeviceToHost] = CORE_SRC_DEVICE,
		[cudaMemcpyDeviceToDevice] = CORE_SRC_DEVICE | CORE_DST_DEVICE,
		[cudaMemcpyDefault] = 0,
	};

	if ((unsigned int)kind > cudaMemcpyDefault)
		return false;
	*sides = known[kind];
	return true;
}

static cudaError_t runtime_copy_rows(const struct mem_rows *rows,
				     enum cudaMemcpyKind kind,
				     cudaStream_t stream, bool is_async)
{
	struct core_copy copy = {
		.rows = *rows,
		.stream = stream,
		.is_async = is_async,
	};

	if (!runtime_copy_sides(kind, &copy.sides))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	if (rows->nr_rows > 1 && rows->row_len &&
	    (rows->row_len > rows->dst_pitch ||
	     rows->row_len > rows->src_pitch))
		return cudart_return(cudaErrorInvalidPitchValue);
	return cudart_return(core_copy(&copy));
}

static cudaError_t runtime_copy(void *dst, const void *src, size_t count,
				enum cudaMemcpyKind kind, cudaStream_t stream,
				bool is_async)
{
	const struct mem_rows rows = {
		.dst = dst,
		.src = src,
		.row_len = count,
		.nr_rows = 1,
	};

	return runtime_copy_rows(&rows, kind, stream, is_async);
}

API cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
			   enum cudaMemcpyKind kind)
{
	return runtime_copy(dst, src, count, kind, NULL, false);
}

API cudaError_t cudaMemcpy_ptds(void *dst, const void *src, size_t count,
				enum cudaMemcpyKind kind)
{
	return runtime_copy(dst, src, count, kind, cudaStreamPerThread, false);
}

API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
				enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return runtime_copy(dst, src, count, kind, stream, true);
}

static struct mem_rows runtime_rows_of(void *dst, size_t dpitch,
				       const void *src, size_t spitch,
				       size_t width, size_t height)
{
	return (struct mem_rows){
		.dst = dst,
		.dst_pitch = dpitch,
		.src = src,
		.src_pitch = spitch,
		.row_len = width,
		.nr_rows = height,
	};
}

API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
			     size_t spitch, size_t width, size_t height,
			     enum cudaMemcpyKind kind)
{
	const struct mem_rows rows =
		runtime_rows_of(dst, dpitch, src, spitch, width, height);

	return runtime_copy_rows(&rows, kind, NULL, false);
}

API cudaError_t cudaMemcpy2D_ptds(void *dst, size_t dpitch, const void *src,
				  size_t spitch, size_t width, size_t height,
				  enum cudaMemcpyKind kind)
{
	const struct mem_rows rows =
		runtime_rows_of(dst, dpitch, src, spitch, width, height);

	return runtime_copy_rows(&rows, kind, cudaStreamPerThread, false);
}

API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
				  size_t spitch, size_t width, size_t height,
				  enum cudaMemcpyKind kind, cudaStream_t stream)
{
	const struct mem_rows rows =
		runtime_rows_of(dst, dpitch, src, spitch, width, height);

	return runtime_copy_rows(&rows, kind, stream, true);
}

/* All devices of a board share a context. */
API cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src,
			       int srcDevice, size_t count)
{
	if (core_init() || !core_device(dstDevice) || !core_device(srcDevice))
		return cudart_return(cudaErrorInvalidDevice);
	return runtime_copy(dst, src, count, cudaMemcpyDefault, NULL, false);
}

API cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src,
				    int srcDevice, size_t count,
				    cudaStream_t stream)
{
	if (core_init() || !core_device(dstDevice) || !core_device(srcDevice))
		return cudart_return(cudaErrorInvalidDevice);
	return runtime_copy(dst, src, count, cudaMemcpyDefault, stream, true);
}

static cudaError_t runtime_set(void *dst, size_t pitch, int value, size_t width,
			       size_t height, cudaStream_t stream,
			       bool is_async)
{
	const struct core_set set = {
		.dst = dst,
		.pitch = pitch,
		.value = (unsigned int)value,
		.value_len = 1,
		.row_len = width,
		.nr_rows = height,
		.stream = stream,
		.is_async = is_async,
	};

	return cudart_return(core_set(&set));
}

API cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
	return runtime_set(devPtr, 0, value, count, 1, NULL, false);
}

API cudaError_t cudaMemset_ptds(void *devPtr, int value, size_t count)
{
	return runtime_set(devPtr, 0, value, count, 1, cudaStreamPerThread,
			   false);
}

API cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
				cudaStream_t stream)
{
	return runtime_set(devPtr, 0, value, count, 1, stream, true);
}

API cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value,
			     size_t width, size_t height)
{
	return runtime_set(devPtr, pitch, value, width, height, NULL, false);
}

API cudaError_t cudaMemset2D_ptds(void *devPtr, size_t pitch, int value,
				  size_t width, size_t height)
{
	return runtime_set(devPtr, pitch, value, width, height,
			   cudaStreamPerThread, false);
}

API cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value,
				  size_t width, size_t height,
				  cudaStream_t stream)
{
	return runtime_set(devPtr, pitch, value, width, height, stream, true);
}
