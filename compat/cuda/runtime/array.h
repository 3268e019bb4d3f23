/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the runtime's files of arrays, surfaces and textures share. */
#ifndef _COMPAT_CUDA_RUNTIME_ARRAY_H
#define _COMPAT_CUDA_RUNTIME_ARRAY_H

#include "core_array.h"
#include "runtime.h"

cudaError_t cudart_format(const struct cudaChannelFormatDesc *desc,
			  CUarray_format *format, unsigned int *nr_channels);
struct cudaChannelFormatDesc cudart_channels(CUarray_format format,
					     unsigned int nr_channels);
cudaError_t cudart_resource(const struct cudaResourceDesc *from,
			    CUDA_RESOURCE_DESC *to);
void cudart_resource_back(const CUDA_RESOURCE_DESC *from,
			  struct cudaResourceDesc *to);

#endif
