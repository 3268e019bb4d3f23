/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The version of the interface, and what the kernel language's words come to
 * for an ordinary compiler. Which versions there are: cuda_runtime_api.h.
 */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#include <stddef.h>

#ifndef CUDART_VERSION
#define CUDART_VERSION	13000
#endif

#if CUDART_VERSION != 10020 && CUDART_VERSION != 11040 && \
	CUDART_VERSION != 12060 && CUDART_VERSION != 13000
#error "CUDART_VERSION is 10020, 11040, 12060 or 13000"
#endif

#define CUDARTAPI
#define CUDAAPI
#define CUDA_CB

/* __noinline__ stays as it is: headers of the C++ library use that word. */
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __forceinline__
#define __forceinline__	inline __attribute__((always_inline))
#endif
#ifndef __align__
#define __align__(n)	__attribute__((aligned(n)))
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif

#define __builtin_align__(n)	__attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__

#endif
