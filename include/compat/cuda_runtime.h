/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CUDA runtime as programs with kernels have it: cuda_runtime_api.h, the
 * kernel language's words, what a kernel may call, and for C++ the calls that
 * take types. A kernel is an ordinary function that is called once a thread;
 * see heapsim_cu.h for how it gets known, and Documentation/cuda.rst.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "host_defines.h"
#include "builtin_types.h"
#include "library_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

/*
 * heapsim-cu knows these words itself. Without it a shared variable is the
 * worker's: threads of a block run on one. Variables in device memory are only
 * there with heapsim-cu: they would be the host's, and no kernel can store
 * there.
 */
#ifndef __shared__
#define __shared__	static __thread
#endif
#ifndef __grid_constant__
#define __grid_constant__
#endif
#ifndef __cluster_dims__
#define __cluster_dims__(...)
#endif
#ifndef __maxnreg__
#define __maxnreg__(...)
#endif
#ifndef __nv_pure__
#define __nv_pure__	__attribute__((pure))
#endif
#ifndef __inline_hint__
#define __inline_hint__	inline
#endif

#include "heapsim_cu.h"
#include "device_functions.h"
#include "simd_intrinsics.h"
#include "sm_61_intrinsics.h"
#include "device_atomic_functions.h"
#include "math_functions.h"
#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"

#ifdef __cplusplus
#include "heapsim_cu.hpp"
#endif

#endif
