/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces between the runtime's files of arrays, surfaces and textures. */
#ifndef _COMPAT_CUDA_RUNTIME_ARRAY_H
#define _COMPAT_CUDA_RUNTIME_ARRAY_H

#include "core_array.h"
#include "runtime.h"

/* Variants for a program with a default stream per thread */
cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t dst, size_t wOffset,
				     size_t hOffset, const void *src,
				     size_t spitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray_ptds(void *dst, size_t dpitch,
				       cudaArray_const_t src, size_t wOffset,
				       size_t hOffset, size_t width,
				       size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst,
					  size_t hOffsetDst,
					  cudaArray_const_t src,
					  size_t wOffsetSrc, size_t hOffsetSrc,
					  size_t width, size_t height,
					  enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t wOffset,
				   size_t hOffset, const void *src,
				   size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray_ptds(void *dst, cudaArray_const_t src,
				     size_t wOffset, size_t hOffset,
				     size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst,
					size_t hOffsetDst,
					cudaArray_const_t src,
					size_t wOffsetSrc, size_t hOffsetSrc,
					size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p);
cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p);
cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr pitchedDevPtr, int value,
			      struct cudaExtent extent);

cudaError_t cudart_format(const struct cudaChannelFormatDesc *desc,
			  CUarray_format *format, unsigned int *nr_channels);
cudaError_t cudart_describe(const struct cudaChannelFormatDesc *desc,
			    struct cudaExtent extent, unsigned int flags,
			    CUDA_ARRAY3D_DESCRIPTOR *to);
struct cudaChannelFormatDesc cudart_channels(CUarray_format format,
					     unsigned int nr_channels);
cudaError_t cudart_resource(const struct cudaResourceDesc *from,
			    CUDA_RESOURCE_DESC *to);
void cudart_resource_back(const CUDA_RESOURCE_DESC *from,
			  struct cudaResourceDesc *to);

#endif
