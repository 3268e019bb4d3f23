/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CUDA driver's calls over libmem: libmem-cuda. Names, numbers and layout
 * are CUDA's own, as of 13.0.
 *
 * Version: CUDA_VERSION is what CUDART_VERSION is (cuda_runtime_api.h says how
 * to ask for an older one), 13000 by default. As in CUDA's own header a call
 * that has changed is a macro for a symbol with a suffix: cuMemAlloc is
 * cuMemAlloc_v2. Structures have one layout in all versions.
 *
 * Per-thread default stream: with CUDA_API_PER_THREAD_DEFAULT_STREAM defined
 * before the first header, a call that takes a stream, or uses the default one,
 * is a macro for its symbol with _ptsz or _ptds.
 *
 * Handles are the runtime's: a CUstream is a cudaStream_t, a CUdeviceptr a
 * pointer of cudaMalloc(), the runtime's context of a device the primary one.
 * Every call that may wait may return an error of earlier work; below, only a
 * call's own errors are listed. Calls without a text of their own exist, so
 * that programs link: they return CUDA_ERROR_NOT_SUPPORTED, and the report
 * names them.
 */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include <stddef.h>
#include <stdint.h>

#include "host_defines.h"

#ifndef CUDA_VERSION
#define CUDA_VERSION	CUDART_VERSION
#endif

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef unsigned long long CUdeviceptr_v2;
typedef CUdeviceptr_v2 CUdeviceptr;
typedef int CUdevice_v1;

#ifndef CU_UUID_HAS_BEEN_DEFINED
#define CU_UUID_HAS_BEEN_DEFINED
struct CUuuid_st {
	char bytes[16];
};
typedef struct CUuuid_st CUuuid;
#endif

#define CU_STREAM_LEGACY		((CUstream)0x1)
#define CU_STREAM_PER_THREAD		((CUstream)0x2)

#define CU_IPC_HANDLE_SIZE		64

#define CU_DEVICE_CPU			((CUdevice)(-1))
#define CU_DEVICE_INVALID		((CUdevice)(-2))

/* cuMemHostAlloc() */
#define CU_MEMHOSTALLOC_PORTABLE	0x01
#define CU_MEMHOSTALLOC_DEVICEMAP	0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED	0x04

/* cuMemHostRegister() */
#define CU_MEMHOSTREGISTER_PORTABLE	0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP	0x02
#define CU_MEMHOSTREGISTER_IOMEMORY	0x04
#define CU_MEMHOSTREGISTER_READ_ONLY	0x08

/* cuArray3DCreate(), cuMipmappedArrayCreate() */
#define CUDA_ARRAY3D_LAYERED		0x01
#define CUDA_ARRAY3D_2DARRAY		0x01
#define CUDA_ARRAY3D_SURFACE_LDST	0x02
#define CUDA_ARRAY3D_CUBEMAP		0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER	0x08
#define CUDA_ARRAY3D_DEPTH_TEXTURE	0x10
#define CUDA_ARRAY3D_COLOR_ATTACHMENT	0x20
#define CUDA_ARRAY3D_SPARSE		0x40
#define CUDA_ARRAY3D_DEFERRED_MAPPING	0x80

/* Textures */
#define CU_TRSA_OVERRIDE_FORMAT		0x01
#define CU_TRSF_READ_AS_INTEGER		0x01
#define CU_TRSF_NORMALIZED_COORDINATES	0x02
#define CU_TRSF_SRGB			0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION	0x20
#define CU_TRSF_SEAMLESS_CUBEMAP	0x40
#define CU_PARAM_TR_DEFAULT		-1

/* The last argument of cuLaunchKernel() */
#define CU_LAUNCH_PARAM_END		((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER	((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE	((void *)0x02)

#define CU_LAUNCH_PARAM_END_AS_INT	0x00
#define CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT	0x01
#define CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT	0x02

/* Memory and semaphores of others */
#define CUDA_EXTERNAL_MEMORY_DEDICATED	0x1
#define CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC	0x01
#define CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC	0x02
#define CUDA_NVSCISYNC_ATTR_SIGNAL	0x1
#define CUDA_NVSCISYNC_ATTR_WAIT	0x2

/* libmem-cuda itself is built with LIBMEM_CUDA defined: it has all symbols. */
#ifndef LIBMEM_CUDA

#define cuDeviceTotalMem	cuDeviceTotalMem_v2
#define cuModuleGetGlobal	cuModuleGetGlobal_v2
#define cuMemGetInfo	cuMemGetInfo_v2
#define cuMemAlloc	cuMemAlloc_v2
#define cuMemAllocPitch	cuMemAllocPitch_v2
#define cuMemFree	cuMemFree_v2
#define cuMemGetAddressRange	cuMemGetAddressRange_v2
#define cuMemAllocHost	cuMemAllocHost_v2
#define cuMemHostGetDevicePointer	cuMemHostGetDevicePointer_v2
#define cuMemcpyHtoD	cuMemcpyHtoD_v2
#define cuMemcpyDtoH	cuMemcpyDtoH_v2
#define cuMemcpyDtoD	cuMemcpyDtoD_v2
#define cuMemcpyDtoA	cuMemcpyDtoA_v2
#define cuMemcpyAtoD	cuMemcpyAtoD_v2
#define cuMemcpyHtoA	cuMemcpyHtoA_v2
#define cuMemcpyAtoH	cuMemcpyAtoH_v2
#define cuMemcpyAtoA	cuMemcpyAtoA_v2
#define cuMemcpyHtoAAsync	cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync	cuMemcpyAtoHAsync_v2
#define cuMemcpy2D	cuMemcpy2D_v2
#define cuMemcpy2DUnaligned	cuMemcpy2DUnaligned_v2
#define cuMemcpy3D	cuMemcpy3D_v2
#define cuMemcpyHtoDAsync	cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync	cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync	cuMemcpyDtoDAsync_v2
#define cuMemcpy2DAsync	cuMemcpy2DAsync_v2
#define cuMemcpy3DAsync	cuMemcpy3DAsync_v2
#define cuMemsetD8	cuMemsetD8_v2
#define cuMemsetD16	cuMemsetD16_v2
#define cuMemsetD32	cuMemsetD32_v2
#define cuMemsetD2D8	cuMemsetD2D8_v2
#define cuMemsetD2D16	cuMemsetD2D16_v2
#define cuMemsetD2D32	cuMemsetD2D32_v2
#define cuArrayCreate	cuArrayCreate_v2
#define cuArrayGetDescriptor	cuArrayGetDescriptor_v2
#define cuArray3DCreate	cuArray3DCreate_v2
#define cuArray3DGetDescriptor	cuArray3DGetDescriptor_v2
#define cuGraphicsResourceGetMappedPointer \
	cuGraphicsResourceGetMappedPointer_v2
#define cuCtxDestroy	cuCtxDestroy_v2
#define cuCtxPopCurrent	cuCtxPopCurrent_v2
#define cuCtxPushCurrent	cuCtxPushCurrent_v2
#define cuStreamDestroy	cuStreamDestroy_v2
#define cuEventDestroy	cuEventDestroy_v2
#define cuMemHostRegister	cuMemHostRegister_v2
#define cuGraphicsResourceSetMapFlags	cuGraphicsResourceSetMapFlags_v2
#define cuDevicePrimaryCtxRelease	cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset	cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags	cuDevicePrimaryCtxSetFlags_v2
#define cuIpcOpenMemHandle	cuIpcOpenMemHandle_v2
#define cuGetProcAddress	cuGetProcAddress_v2

#if CUDA_VERSION >= 13000
#define cuCtxCreate	cuCtxCreate_v4
#define cuDeviceGetUuid	cuDeviceGetUuid_v2
#define cuEventElapsedTime	cuEventElapsedTime_v2
#define cuMemAdvise	cuMemAdvise_v2
#define cuMemPrefetchAsync	cuMemPrefetchAsync_v2
#else
#define cuCtxCreate	cuCtxCreate_v2
#endif

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define cuMemcpyHtoD_v2	cuMemcpyHtoD_v2_ptds
#define cuMemcpyDtoH_v2	cuMemcpyDtoH_v2_ptds
#define cuMemcpyDtoD_v2	cuMemcpyDtoD_v2_ptds
#define cuMemcpyDtoA_v2	cuMemcpyDtoA_v2_ptds
#define cuMemcpyAtoD_v2	cuMemcpyAtoD_v2_ptds
#define cuMemcpyHtoA_v2	cuMemcpyHtoA_v2_ptds
#define cuMemcpyAtoH_v2	cuMemcpyAtoH_v2_ptds
#define cuMemcpyAtoA_v2	cuMemcpyAtoA_v2_ptds
#define cuMemcpyHtoAAsync_v2	cuMemcpyHtoAAsync_v2_ptsz
#define cuMemcpyAtoHAsync_v2	cuMemcpyAtoHAsync_v2_ptsz
#define cuMemcpy2D_v2	cuMemcpy2D_v2_ptds
#define cuMemcpy2DUnaligned_v2	cuMemcpy2DUnaligned_v2_ptds
#define cuMemcpy3D_v2	cuMemcpy3D_v2_ptds
#define cuMemcpyHtoDAsync_v2	cuMemcpyHtoDAsync_v2_ptsz
#define cuMemcpyDtoHAsync_v2	cuMemcpyDtoHAsync_v2_ptsz
#define cuMemcpyDtoDAsync_v2	cuMemcpyDtoDAsync_v2_ptsz
#define cuMemcpy2DAsync_v2	cuMemcpy2DAsync_v2_ptsz
#define cuMemcpy3DAsync_v2	cuMemcpy3DAsync_v2_ptsz
#define cuMemsetD8_v2	cuMemsetD8_v2_ptds
#define cuMemsetD16_v2	cuMemsetD16_v2_ptds
#define cuMemsetD32_v2	cuMemsetD32_v2_ptds
#define cuMemsetD2D8_v2	cuMemsetD2D8_v2_ptds
#define cuMemsetD2D16_v2	cuMemsetD2D16_v2_ptds
#define cuMemsetD2D32_v2	cuMemsetD2D32_v2_ptds
#define cuMemcpy	cuMemcpy_ptds
#define cuMemcpyAsync	cuMemcpyAsync_ptsz
#define cuMemcpyPeer	cuMemcpyPeer_ptds
#define cuMemcpyPeerAsync	cuMemcpyPeerAsync_ptsz
#define cuMemcpy3DPeer	cuMemcpy3DPeer_ptds
#define cuMemcpy3DPeerAsync	cuMemcpy3DPeerAsync_ptsz
#define cuMemsetD8Async	cuMemsetD8Async_ptsz
#define cuMemsetD16Async	cuMemsetD16Async_ptsz
#define cuMemsetD32Async	cuMemsetD32Async_ptsz
#define cuMemsetD2D8Async	cuMemsetD2D8Async_ptsz
#define cuMemsetD2D16Async	cuMemsetD2D16Async_ptsz
#define cuMemsetD2D32Async	cuMemsetD2D32Async_ptsz
#define cuStreamGetPriority	cuStreamGetPriority_ptsz
#define cuStreamGetId	cuStreamGetId_ptsz
#define cuStreamGetFlags	cuStreamGetFlags_ptsz
#define cuStreamGetCtx	cuStreamGetCtx_ptsz
#define cuStreamWaitEvent	cuStreamWaitEvent_ptsz
#define cuStreamIsCapturing	cuStreamIsCapturing_ptsz
#define cuStreamAddCallback	cuStreamAddCallback_ptsz
#define cuStreamAttachMemAsync	cuStreamAttachMemAsync_ptsz
#define cuStreamQuery	cuStreamQuery_ptsz
#define cuStreamSynchronize	cuStreamSynchronize_ptsz
#define cuEventRecord	cuEventRecord_ptsz
#define cuEventRecordWithFlags	cuEventRecordWithFlags_ptsz
#define cuLaunchKernel	cuLaunchKernel_ptsz
#define cuLaunchKernelEx	cuLaunchKernelEx_ptsz
#define cuLaunchHostFunc	cuLaunchHostFunc_ptsz
#define cuGraphicsMapResources	cuGraphicsMapResources_ptsz
#define cuGraphicsUnmapResources	cuGraphicsUnmapResources_ptsz
#define cuLaunchCooperativeKernel	cuLaunchCooperativeKernel_ptsz
#define cuSignalExternalSemaphoresAsync	cuSignalExternalSemaphoresAsync_ptsz
#define cuWaitExternalSemaphoresAsync	cuWaitExternalSemaphoresAsync_ptsz
#define cuStreamCopyAttributes	cuStreamCopyAttributes_ptsz
#define cuStreamGetAttribute	cuStreamGetAttribute_ptsz
#define cuStreamSetAttribute	cuStreamSetAttribute_ptsz
#define cuMemFreeAsync	cuMemFreeAsync_ptsz
#define cuMemAllocAsync	cuMemAllocAsync_ptsz
#define cuMemAllocFromPoolAsync	cuMemAllocFromPoolAsync_ptsz
#define cuStreamGetDevice	cuStreamGetDevice_ptsz
#define cuMemPrefetchAsync_v2	cuMemPrefetchAsync_v2_ptsz
#if CUDA_VERSION < 13000
#define cuMemPrefetchAsync	cuMemPrefetchAsync_ptsz
#endif
#endif

#endif

typedef CUdevice_v1 CUdevice;

/* Handles; VPI's headers have the first, too, which C99 allows once. */
#ifndef _HEAPSIM_HAS_CUCONTEXT
#define _HEAPSIM_HAS_CUCONTEXT
typedef struct CUctx_st *CUcontext;
#endif
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUevent_st *CUevent;
#ifndef _HEAPSIM_HAS_CUSTREAM
#define _HEAPSIM_HAS_CUSTREAM
typedef struct CUstream_st *CUstream;
#endif
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef unsigned long long CUtexObject_v1;
typedef CUtexObject_v1 CUtexObject;
typedef unsigned long long CUsurfObject_v1;
typedef CUsurfObject_v1 CUsurfObject;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraphDeviceUpdatableNode_st *CUgraphDeviceNode;

typedef struct CUmemFabricHandle_st {
	unsigned char data[64];
} CUmemFabricHandle_v1;

typedef CUmemFabricHandle_v1 CUmemFabricHandle;

typedef struct CUipcEventHandle_st {
	char reserved[64];
} CUipcEventHandle_v1;

typedef CUipcEventHandle_v1 CUipcEventHandle;

typedef struct CUipcMemHandle_st {
	char reserved[64];
} CUipcMemHandle_v1;

typedef CUipcMemHandle_v1 CUipcMemHandle;

typedef enum CUipcMem_flags_enum {
	CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 0x1
} CUipcMem_flags;

typedef enum CUmemAttach_flags_enum {
	CU_MEM_ATTACH_GLOBAL = 0x1,
	CU_MEM_ATTACH_HOST = 0x2,
	CU_MEM_ATTACH_SINGLE = 0x4
} CUmemAttach_flags;

/* Flags of contexts, streams and events */
typedef enum CUctx_flags_enum {
	CU_CTX_SCHED_AUTO = 0x00,
	CU_CTX_SCHED_SPIN = 0x01,
	CU_CTX_SCHED_YIELD = 0x02,
	CU_CTX_SCHED_BLOCKING_SYNC = 0x04,
	CU_CTX_BLOCKING_SYNC = 0x04,
	CU_CTX_SCHED_MASK = 0x07,
	CU_CTX_MAP_HOST = 0x08,
	CU_CTX_LMEM_RESIZE_TO_MAX = 0x10,
	CU_CTX_COREDUMP_ENABLE = 0x20,
	CU_CTX_USER_COREDUMP_ENABLE = 0x40,
	CU_CTX_SYNC_MEMOPS = 0x80,
	CU_CTX_FLAGS_MASK = 0xFF
} CUctx_flags;

typedef enum CUevent_sched_flags_enum {
	CU_EVENT_SCHED_AUTO = 0x00,
	CU_EVENT_SCHED_SPIN = 0x01,
	CU_EVENT_SCHED_YIELD = 0x02,
	CU_EVENT_SCHED_BLOCKING_SYNC = 0x04
} CUevent_sched_flags;

typedef enum CUstream_flags_enum {
	CU_STREAM_DEFAULT = 0x0,
	CU_STREAM_NON_BLOCKING = 0x1
} CUstream_flags;

typedef enum CUevent_flags_enum {
	CU_EVENT_DEFAULT = 0x0,
	CU_EVENT_BLOCKING_SYNC = 0x1,
	CU_EVENT_DISABLE_TIMING = 0x2,
	CU_EVENT_INTERPROCESS = 0x4
} CUevent_flags;

typedef enum CUevent_record_flags_enum {
	CU_EVENT_RECORD_DEFAULT = 0x0,
	CU_EVENT_RECORD_EXTERNAL = 0x1
} CUevent_record_flags;

typedef enum CUevent_wait_flags_enum {
	CU_EVENT_WAIT_DEFAULT = 0x0,
	CU_EVENT_WAIT_EXTERNAL = 0x1
} CUevent_wait_flags;

typedef enum CUoccupancy_flags_enum {
	CU_OCCUPANCY_DEFAULT = 0x0,
	CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 0x1
} CUoccupancy_flags;

typedef enum CUasyncNotificationType_enum {
	CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET = 0x1
} CUasyncNotificationType;

typedef enum CUarray_format_enum {
	CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
	CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
	CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
	CU_AD_FORMAT_SIGNED_INT8 = 0x08,
	CU_AD_FORMAT_SIGNED_INT16 = 0x09,
	CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
	CU_AD_FORMAT_HALF = 0x10,
	CU_AD_FORMAT_FLOAT = 0x20,
	CU_AD_FORMAT_NV12 = 0xb0,
	CU_AD_FORMAT_UNORM_INT8X1 = 0xc0,
	CU_AD_FORMAT_UNORM_INT8X2 = 0xc1,
	CU_AD_FORMAT_UNORM_INT8X4 = 0xc2,
	CU_AD_FORMAT_UNORM_INT16X1 = 0xc3,
	CU_AD_FORMAT_UNORM_INT16X2 = 0xc4,
	CU_AD_FORMAT_UNORM_INT16X4 = 0xc5,
	CU_AD_FORMAT_SNORM_INT8X1 = 0xc6,
	CU_AD_FORMAT_SNORM_INT8X2 = 0xc7,
	CU_AD_FORMAT_SNORM_INT8X4 = 0xc8,
	CU_AD_FORMAT_SNORM_INT16X1 = 0xc9,
	CU_AD_FORMAT_SNORM_INT16X2 = 0xca,
	CU_AD_FORMAT_SNORM_INT16X4 = 0xcb,
	CU_AD_FORMAT_BC1_UNORM = 0x91,
	CU_AD_FORMAT_BC1_UNORM_SRGB = 0x92,
	CU_AD_FORMAT_BC2_UNORM = 0x93,
	CU_AD_FORMAT_BC2_UNORM_SRGB = 0x94,
	CU_AD_FORMAT_BC3_UNORM = 0x95,
	CU_AD_FORMAT_BC3_UNORM_SRGB = 0x96,
	CU_AD_FORMAT_BC4_UNORM = 0x97,
	CU_AD_FORMAT_BC4_SNORM = 0x98,
	CU_AD_FORMAT_BC5_UNORM = 0x99,
	CU_AD_FORMAT_BC5_SNORM = 0x9a,
	CU_AD_FORMAT_BC6H_UF16 = 0x9b,
	CU_AD_FORMAT_BC6H_SF16 = 0x9c,
	CU_AD_FORMAT_BC7_UNORM = 0x9d,
	CU_AD_FORMAT_BC7_UNORM_SRGB = 0x9e
} CUarray_format;

typedef enum CUaddress_mode_enum {
	CU_TR_ADDRESS_MODE_WRAP = 0,
	CU_TR_ADDRESS_MODE_CLAMP = 1,
	CU_TR_ADDRESS_MODE_MIRROR = 2,
	CU_TR_ADDRESS_MODE_BORDER = 3
} CUaddress_mode;

typedef enum CUfilter_mode_enum {
	CU_TR_FILTER_MODE_POINT = 0,
	CU_TR_FILTER_MODE_LINEAR = 1
} CUfilter_mode;

/* cuDeviceGetAttribute() */
typedef enum CUdevice_attribute_enum {
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
	CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
	CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
	CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
	CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
	CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
	CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
	CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
	CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
	CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
	CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
	CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
	CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH = 27,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT = 28,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES = 29,
	CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
	CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
	CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
	CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
	CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
	CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
	CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
	CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
	CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
	CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
	CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43,
	CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER = 44,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49,
	CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
	CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH = 52,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH = 55,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH = 56,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT = 57,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH = 58,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT = 59,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH = 60,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH = 66,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
	CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77,
	CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
	CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
	CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
	CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
	CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
	CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = 84,
	CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID = 85,
	CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
	CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
	CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
	CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
	CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
	CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
	CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1 = 92,
	CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 93,
	CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 94,
	CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
	CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = 96,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
	CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES = 98,
	CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
	CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
	CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
	CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
	CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
	CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
	CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
	CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
	CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
	CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108,
	CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
	CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110,
	CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
	CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED = 112,
	CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
	CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114,
	CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
	CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = 116,
	CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117,
	CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118,
	CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES = 119,
	CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
	CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 121,
	CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
	CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
	CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124,
	CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED = 125,
	CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT = 126,
	CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
	CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED = 128,
	CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS = 129,
	CU_DEVICE_ATTRIBUTE_NUMA_CONFIG = 130,
	CU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
	CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132,
	CU_DEVICE_ATTRIBUTE_MPS_ENABLED = 133,
	CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134,
	CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED = 135,
	CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK = 136,
	CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH = 137,
	CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED = 138,
	CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID = 139,
	CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID = 140,
	CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 141,
	CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED = 142,
	CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED = 143,
	CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED = 144,
	CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 145,
	CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED = 146,
	CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 147,
	CU_DEVICE_ATTRIBUTE_MAX
} CUdevice_attribute;

typedef struct CUdevprop_st {
	int maxThreadsPerBlock;
	int maxThreadsDim[3];
	int maxGridSize[3];
	int sharedMemPerBlock;
	int totalConstantMemory;
	int SIMDWidth;
	int memPitch;
	int regsPerBlock;
	int clockRate;
	int textureAlign;
} CUdevprop_v1;

typedef CUdevprop_v1 CUdevprop;

/* cuPointerGetAttribute() */
typedef enum CUpointer_attribute_enum {
	CU_POINTER_ATTRIBUTE_CONTEXT = 1,
	CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
	CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
	CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
	CU_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
	CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
	CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
	CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
	CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
	CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
	CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
	CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
	CU_POINTER_ATTRIBUTE_MAPPED = 13,
	CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
	CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
	CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
	CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
	CU_POINTER_ATTRIBUTE_MAPPING_SIZE = 18,
	CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = 19,
	CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = 20
} CUpointer_attribute;

typedef enum CUfunction_attribute_enum {
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
	CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
	CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
	CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
	CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
	CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
	CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
	CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
	CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
	CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
	CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
	CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
	CU_FUNC_ATTRIBUTE_MAX
} CUfunction_attribute;

typedef enum CUfunc_cache_enum {
	CU_FUNC_CACHE_PREFER_NONE = 0x00,
	CU_FUNC_CACHE_PREFER_SHARED = 0x01,
	CU_FUNC_CACHE_PREFER_L1 = 0x02,
	CU_FUNC_CACHE_PREFER_EQUAL = 0x03
} CUfunc_cache;

typedef enum CUsharedconfig_enum {
	CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0x00,
	CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 0x01,
	CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 0x02
} CUsharedconfig;

typedef enum CUshared_carveout_enum {
	CU_SHAREDMEM_CARVEOUT_DEFAULT = -1,
	CU_SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
	CU_SHAREDMEM_CARVEOUT_MAX_L1 = 0
} CUshared_carveout;

typedef enum CUmemorytype_enum {
	CU_MEMORYTYPE_HOST = 0x01,
	CU_MEMORYTYPE_DEVICE = 0x02,
	CU_MEMORYTYPE_ARRAY = 0x03,
	CU_MEMORYTYPE_UNIFIED = 0x04
} CUmemorytype;

typedef enum CUcomputemode_enum {
	CU_COMPUTEMODE_DEFAULT = 0,
	CU_COMPUTEMODE_PROHIBITED = 2,
	CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} CUcomputemode;

typedef enum CUmem_advise_enum {
	CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
	CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
	CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
	CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
	CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
	CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6
} CUmem_advise;

typedef enum CUmem_range_attribute_enum {
	CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
	CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
	CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
	CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 4,
	CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 5,
	CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 6,
	CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
	CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8
} CUmem_range_attribute;

typedef enum CUjit_option_enum {
	CU_JIT_MAX_REGISTERS = 0,
	CU_JIT_THREADS_PER_BLOCK = 1,
	CU_JIT_WALL_TIME = 2,
	CU_JIT_INFO_LOG_BUFFER = 3,
	CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
	CU_JIT_ERROR_LOG_BUFFER = 5,
	CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
	CU_JIT_OPTIMIZATION_LEVEL = 7,
	CU_JIT_TARGET_FROM_CUCONTEXT = 8,
	CU_JIT_TARGET = 9,
	CU_JIT_FALLBACK_STRATEGY = 10,
	CU_JIT_GENERATE_DEBUG_INFO = 11,
	CU_JIT_LOG_VERBOSE = 12,
	CU_JIT_GENERATE_LINE_INFO = 13,
	CU_JIT_CACHE_MODE = 14,
	CU_JIT_NEW_SM3X_OPT = 15,
	CU_JIT_FAST_COMPILE = 16,
	CU_JIT_GLOBAL_SYMBOL_NAMES = 17,
	CU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18,
	CU_JIT_GLOBAL_SYMBOL_COUNT = 19,
	CU_JIT_LTO = 20,
	CU_JIT_FTZ = 21,
	CU_JIT_PREC_DIV = 22,
	CU_JIT_PREC_SQRT = 23,
	CU_JIT_FMA = 24,
	CU_JIT_REFERENCED_KERNEL_NAMES = 25,
	CU_JIT_REFERENCED_KERNEL_COUNT = 26,
	CU_JIT_REFERENCED_VARIABLE_NAMES = 27,
	CU_JIT_REFERENCED_VARIABLE_COUNT = 28,
	CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29,
	CU_JIT_POSITION_INDEPENDENT_CODE = 30,
	CU_JIT_MIN_CTA_PER_SM = 31,
	CU_JIT_MAX_THREADS_PER_BLOCK = 32,
	CU_JIT_OVERRIDE_DIRECTIVE_VALUES = 33,
	CU_JIT_NUM_OPTIONS
} CUjit_option;

typedef enum CUgraphicsRegisterFlags_enum {
	CU_GRAPHICS_REGISTER_FLAGS_NONE = 0x00,
	CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 0x01,
	CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 0x02,
	CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 0x04,
	CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER = 0x08
} CUgraphicsRegisterFlags;

typedef enum CUgraphicsMapResourceFlags_enum {
	CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0x00,
	CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY = 0x01,
	CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 0x02
} CUgraphicsMapResourceFlags;

typedef enum CUarray_cubemap_face_enum {
	CU_CUBEMAP_FACE_POSITIVE_X = 0x00,
	CU_CUBEMAP_FACE_NEGATIVE_X = 0x01,
	CU_CUBEMAP_FACE_POSITIVE_Y = 0x02,
	CU_CUBEMAP_FACE_NEGATIVE_Y = 0x03,
	CU_CUBEMAP_FACE_POSITIVE_Z = 0x04,
	CU_CUBEMAP_FACE_NEGATIVE_Z = 0x05
} CUarray_cubemap_face;

typedef enum CUlimit_enum {
	CU_LIMIT_STACK_SIZE = 0x00,
	CU_LIMIT_PRINTF_FIFO_SIZE = 0x01,
	CU_LIMIT_MALLOC_HEAP_SIZE = 0x02,
	CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 0x03,
	CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 0x04,
	CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 0x05,
	CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 0x06,
	CU_LIMIT_MAX
} CUlimit;

typedef enum CUresourcetype_enum {
	CU_RESOURCE_TYPE_ARRAY = 0x00,
	CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 0x01,
	CU_RESOURCE_TYPE_LINEAR = 0x02,
	CU_RESOURCE_TYPE_PITCH2D = 0x03
} CUresourcetype;

typedef void (*CUhostFn)(void *userData);

typedef enum CUaccessProperty_enum {
	CU_ACCESS_PROPERTY_NORMAL = 0,
	CU_ACCESS_PROPERTY_STREAMING = 1,
	CU_ACCESS_PROPERTY_PERSISTING = 2
} CUaccessProperty;

typedef struct CUaccessPolicyWindow_st {
	void *base_ptr;
	size_t num_bytes;
	float hitRatio;
	CUaccessProperty hitProp;
	CUaccessProperty missProp;
} CUaccessPolicyWindow_v1;

typedef CUaccessPolicyWindow_v1 CUaccessPolicyWindow;

typedef enum CUsynchronizationPolicy_enum {
	CU_SYNC_POLICY_AUTO = 1,
	CU_SYNC_POLICY_SPIN = 2,
	CU_SYNC_POLICY_YIELD = 3,
	CU_SYNC_POLICY_BLOCKING_SYNC = 4
} CUsynchronizationPolicy;

typedef enum CUclusterSchedulingPolicy_enum {
	CU_CLUSTER_SCHEDULING_POLICY_DEFAULT = 0,
	CU_CLUSTER_SCHEDULING_POLICY_SPREAD = 1,
	CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING = 2
} CUclusterSchedulingPolicy;

typedef enum CUlaunchMemSyncDomain_enum {
	CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT = 0,
	CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE = 1
} CUlaunchMemSyncDomain;

typedef struct CUlaunchMemSyncDomainMap_st {
	unsigned char default_;
	unsigned char remote;
} CUlaunchMemSyncDomainMap;

typedef enum CUlaunchAttributeID_enum {
	CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
	CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
	CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
	CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
	CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
	CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
	CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
	CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
	CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13
} CUlaunchAttributeID;

typedef union CUlaunchAttributeValue_union {
	char pad[64];
	CUaccessPolicyWindow accessPolicyWindow;
	int cooperative;
	CUsynchronizationPolicy syncPolicy;
	struct {
		unsigned int x;
		unsigned int y;
		unsigned int z;
	} clusterDim;
	CUclusterSchedulingPolicy clusterSchedulingPolicyPreference;
	int programmaticStreamSerializationAllowed;
	struct {
		CUevent event;
		int flags;
		int triggerAtBlockStart;
	} programmaticEvent;
	struct {
		CUevent event;
		int flags;
	} launchCompletionEvent;
	int priority;
	CUlaunchMemSyncDomainMap memSyncDomainMap;
	CUlaunchMemSyncDomain memSyncDomain;
	struct {
		int deviceUpdatable;
		CUgraphDeviceNode devNode;
	} deviceUpdatableKernelNode;
} CUlaunchAttributeValue;

typedef struct CUlaunchAttribute_st {
	CUlaunchAttributeID id;
	char pad[8 - sizeof(CUlaunchAttributeID)];
	CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig_st {
	unsigned int gridDimX;
	unsigned int gridDimY;
	unsigned int gridDimZ;
	unsigned int blockDimX;
	unsigned int blockDimY;
	unsigned int blockDimZ;
	unsigned int sharedMemBytes;
	CUstream hStream;
	CUlaunchAttribute *attrs;
	unsigned int numAttrs;
} CUlaunchConfig;

typedef enum CUstreamCaptureStatus_enum {
	CU_STREAM_CAPTURE_STATUS_NONE = 0,
	CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
	CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
} CUstreamCaptureStatus;

typedef enum CUstreamCaptureMode_enum {
	CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
	CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
	CU_STREAM_CAPTURE_MODE_RELAXED = 2
} CUstreamCaptureMode;

typedef CUlaunchAttributeID CUstreamAttrID;
typedef CUlaunchAttributeValue CUstreamAttrValue_v1;
typedef CUstreamAttrValue_v1 CUstreamAttrValue;

typedef enum CUdriverProcAddress_flags_enum {
	CU_GET_PROC_ADDRESS_DEFAULT = 0,
	CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1 << 0,
	CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 1 << 1
} CUdriverProcAddress_flags;

typedef enum CUdriverProcAddressQueryResult_enum {
	CU_GET_PROC_ADDRESS_SUCCESS = 0,
	CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
	CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} CUdriverProcAddressQueryResult;

typedef enum CUexecAffinityType_enum {
	CU_EXEC_AFFINITY_TYPE_SM_COUNT = 0,
	CU_EXEC_AFFINITY_TYPE_MAX
} CUexecAffinityType;

typedef struct CUexecAffinitySmCount_st {
	unsigned int val;
} CUexecAffinitySmCount_v1;

typedef CUexecAffinitySmCount_v1 CUexecAffinitySmCount;

typedef struct CUexecAffinityParam_st {
	CUexecAffinityType type;
	union {
		CUexecAffinitySmCount smCount;
	} param;
} CUexecAffinityParam_v1;

typedef CUexecAffinityParam_v1 CUexecAffinityParam;

/* Results of calls */
typedef enum cudaError_enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CUDA_ERROR_NOT_INITIALIZED = 3,
	CUDA_ERROR_DEINITIALIZED = 4,
	CUDA_ERROR_PROFILER_DISABLED = 5,
	CUDA_ERROR_PROFILER_NOT_INITIALIZED = 6,
	CUDA_ERROR_PROFILER_ALREADY_STARTED = 7,
	CUDA_ERROR_PROFILER_ALREADY_STOPPED = 8,
	CUDA_ERROR_STUB_LIBRARY = 34,
	CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
	CUDA_ERROR_NO_DEVICE = 100,
	CUDA_ERROR_INVALID_DEVICE = 101,
	CUDA_ERROR_DEVICE_NOT_LICENSED = 102,
	CUDA_ERROR_INVALID_IMAGE = 200,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202,
	CUDA_ERROR_MAP_FAILED = 205,
	CUDA_ERROR_UNMAP_FAILED = 206,
	CUDA_ERROR_ARRAY_IS_MAPPED = 207,
	CUDA_ERROR_ALREADY_MAPPED = 208,
	CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
	CUDA_ERROR_ALREADY_ACQUIRED = 210,
	CUDA_ERROR_NOT_MAPPED = 211,
	CUDA_ERROR_NOT_MAPPED_AS_ARRAY = 212,
	CUDA_ERROR_NOT_MAPPED_AS_POINTER = 213,
	CUDA_ERROR_ECC_UNCORRECTABLE = 214,
	CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
	CUDA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
	CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
	CUDA_ERROR_INVALID_PTX = 218,
	CUDA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,
	CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
	CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
	CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
	CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
	CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY = 224,
	CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225,
	CUDA_ERROR_CONTAINED = 226,
	CUDA_ERROR_INVALID_SOURCE = 300,
	CUDA_ERROR_FILE_NOT_FOUND = 301,
	CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
	CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303,
	CUDA_ERROR_OPERATING_SYSTEM = 304,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_ILLEGAL_STATE = 401,
	CUDA_ERROR_LOSSY_QUERY = 402,
	CUDA_ERROR_NOT_FOUND = 500,
	CUDA_ERROR_NOT_READY = 600,
	CUDA_ERROR_ILLEGAL_ADDRESS = 700,
	CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
	CUDA_ERROR_LAUNCH_TIMEOUT = 702,
	CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
	CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
	CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
	CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
	CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
	CUDA_ERROR_ASSERT = 710,
	CUDA_ERROR_TOO_MANY_PEERS = 711,
	CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
	CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
	CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
	CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
	CUDA_ERROR_MISALIGNED_ADDRESS = 716,
	CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
	CUDA_ERROR_INVALID_PC = 718,
	CUDA_ERROR_LAUNCH_FAILED = 719,
	CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
	CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
	CUDA_ERROR_NOT_PERMITTED = 800,
	CUDA_ERROR_NOT_SUPPORTED = 801,
	CUDA_ERROR_SYSTEM_NOT_READY = 802,
	CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
	CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
	CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
	CUDA_ERROR_MPS_RPC_FAILURE = 806,
	CUDA_ERROR_MPS_SERVER_NOT_READY = 807,
	CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
	CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
	CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
	CUDA_ERROR_CDP_NOT_SUPPORTED = 811,
	CUDA_ERROR_CDP_VERSION_MISMATCH = 812,
	CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
	CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
	CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
	CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
	CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
	CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
	CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
	CUDA_ERROR_CAPTURED_EVENT = 907,
	CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
	CUDA_ERROR_TIMEOUT = 909,
	CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
	CUDA_ERROR_EXTERNAL_DEVICE = 911,
	CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
	CUDA_ERROR_FUNCTION_NOT_LOADED = 913,
	CUDA_ERROR_INVALID_RESOURCE_TYPE = 914,
	CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
	CUDA_ERROR_UNKNOWN = 999
} CUresult;

typedef enum CUdevice_P2PAttribute_enum {
	CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 0x01,
	CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 0x02,
	CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 0x03,
	CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED = 0x04,
	CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 0x04
} CUdevice_P2PAttribute;

typedef void (*CUstreamCallback)(CUstream hStream, CUresult status,
				 void *userData);

/* Copies of boxes, and arrays */
typedef struct CUDA_MEMCPY2D_st {
	size_t srcXInBytes;
	size_t srcY;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch;
	size_t dstXInBytes;
	size_t dstY;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch;
	size_t WidthInBytes;
	size_t Height;
} CUDA_MEMCPY2D_v2;

typedef CUDA_MEMCPY2D_v2 CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D_st {
	size_t srcXInBytes;
	size_t srcY;
	size_t srcZ;
	size_t srcLOD;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0;
	size_t srcPitch;
	size_t srcHeight;
	size_t dstXInBytes;
	size_t dstY;
	size_t dstZ;
	size_t dstLOD;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1;
	size_t dstPitch;
	size_t dstHeight;
	size_t WidthInBytes;
	size_t Height;
	size_t Depth;
} CUDA_MEMCPY3D_v2;

typedef CUDA_MEMCPY3D_v2 CUDA_MEMCPY3D;

typedef struct CUDA_MEMCPY3D_PEER_st {
	size_t srcXInBytes;
	size_t srcY;
	size_t srcZ;
	size_t srcLOD;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	CUcontext srcContext;
	size_t srcPitch;
	size_t srcHeight;
	size_t dstXInBytes;
	size_t dstY;
	size_t dstZ;
	size_t dstLOD;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	CUcontext dstContext;
	size_t dstPitch;
	size_t dstHeight;
	size_t WidthInBytes;
	size_t Height;
	size_t Depth;
} CUDA_MEMCPY3D_PEER_v1;

typedef CUDA_MEMCPY3D_PEER_v1 CUDA_MEMCPY3D_PEER;

typedef struct CUDA_ARRAY_DESCRIPTOR_st {
	size_t Width;
	size_t Height;
	CUarray_format Format;
	unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR_v2;

typedef CUDA_ARRAY_DESCRIPTOR_v2 CUDA_ARRAY_DESCRIPTOR;

typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
	size_t Width;
	size_t Height;
	size_t Depth;
	CUarray_format Format;
	unsigned int NumChannels;
	unsigned int Flags;
} CUDA_ARRAY3D_DESCRIPTOR_v2;

typedef CUDA_ARRAY3D_DESCRIPTOR_v2 CUDA_ARRAY3D_DESCRIPTOR;

/* Texture and surface objects */
typedef struct CUDA_RESOURCE_DESC_st {
	CUresourcetype resType;
	union {
		struct {
			CUarray hArray;
		} array;
		struct {
			CUmipmappedArray hMipmappedArray;
		} mipmap;
		struct {
			CUdeviceptr devPtr;
			CUarray_format format;
			unsigned int numChannels;
			size_t sizeInBytes;
		} linear;
		struct {
			CUdeviceptr devPtr;
			CUarray_format format;
			unsigned int numChannels;
			size_t width;
			size_t height;
			size_t pitchInBytes;
		} pitch2D;
		struct {
			int reserved[32];
		} reserved;
	} res;
	unsigned int flags;
} CUDA_RESOURCE_DESC_v1;

typedef CUDA_RESOURCE_DESC_v1 CUDA_RESOURCE_DESC;

typedef struct CUDA_TEXTURE_DESC_st {
	CUaddress_mode addressMode[3];
	CUfilter_mode filterMode;
	unsigned int flags;
	unsigned int maxAnisotropy;
	CUfilter_mode mipmapFilterMode;
	float mipmapLevelBias;
	float minMipmapLevelClamp;
	float maxMipmapLevelClamp;
	float borderColor[4];
	int reserved[12];
} CUDA_TEXTURE_DESC_v1;

typedef CUDA_TEXTURE_DESC_v1 CUDA_TEXTURE_DESC;

typedef enum CUresourceViewFormat_enum {
	CU_RES_VIEW_FORMAT_NONE = 0x00,
	CU_RES_VIEW_FORMAT_UINT_1X8 = 0x01,
	CU_RES_VIEW_FORMAT_UINT_2X8 = 0x02,
	CU_RES_VIEW_FORMAT_UINT_4X8 = 0x03,
	CU_RES_VIEW_FORMAT_SINT_1X8 = 0x04,
	CU_RES_VIEW_FORMAT_SINT_2X8 = 0x05,
	CU_RES_VIEW_FORMAT_SINT_4X8 = 0x06,
	CU_RES_VIEW_FORMAT_UINT_1X16 = 0x07,
	CU_RES_VIEW_FORMAT_UINT_2X16 = 0x08,
	CU_RES_VIEW_FORMAT_UINT_4X16 = 0x09,
	CU_RES_VIEW_FORMAT_SINT_1X16 = 0x0a,
	CU_RES_VIEW_FORMAT_SINT_2X16 = 0x0b,
	CU_RES_VIEW_FORMAT_SINT_4X16 = 0x0c,
	CU_RES_VIEW_FORMAT_UINT_1X32 = 0x0d,
	CU_RES_VIEW_FORMAT_UINT_2X32 = 0x0e,
	CU_RES_VIEW_FORMAT_UINT_4X32 = 0x0f,
	CU_RES_VIEW_FORMAT_SINT_1X32 = 0x10,
	CU_RES_VIEW_FORMAT_SINT_2X32 = 0x11,
	CU_RES_VIEW_FORMAT_SINT_4X32 = 0x12,
	CU_RES_VIEW_FORMAT_FLOAT_1X16 = 0x13,
	CU_RES_VIEW_FORMAT_FLOAT_2X16 = 0x14,
	CU_RES_VIEW_FORMAT_FLOAT_4X16 = 0x15,
	CU_RES_VIEW_FORMAT_FLOAT_1X32 = 0x16,
	CU_RES_VIEW_FORMAT_FLOAT_2X32 = 0x17,
	CU_RES_VIEW_FORMAT_FLOAT_4X32 = 0x18,
	CU_RES_VIEW_FORMAT_UNSIGNED_BC1 = 0x19,
	CU_RES_VIEW_FORMAT_UNSIGNED_BC2 = 0x1a,
	CU_RES_VIEW_FORMAT_UNSIGNED_BC3 = 0x1b,
	CU_RES_VIEW_FORMAT_UNSIGNED_BC4 = 0x1c,
	CU_RES_VIEW_FORMAT_SIGNED_BC4 = 0x1d,
	CU_RES_VIEW_FORMAT_UNSIGNED_BC5 = 0x1e,
	CU_RES_VIEW_FORMAT_SIGNED_BC5 = 0x1f,
	CU_RES_VIEW_FORMAT_UNSIGNED_BC6H = 0x20,
	CU_RES_VIEW_FORMAT_SIGNED_BC6H = 0x21,
	CU_RES_VIEW_FORMAT_UNSIGNED_BC7 = 0x22
} CUresourceViewFormat;

typedef struct CUDA_RESOURCE_VIEW_DESC_st {
	CUresourceViewFormat format;
	size_t width;
	size_t height;
	size_t depth;
	unsigned int firstMipmapLevel;
	unsigned int lastMipmapLevel;
	unsigned int firstLayer;
	unsigned int lastLayer;
	unsigned int reserved[16];
} CUDA_RESOURCE_VIEW_DESC_v1;

typedef CUDA_RESOURCE_VIEW_DESC_v1 CUDA_RESOURCE_VIEW_DESC;

typedef enum CUexternalMemoryHandleType_enum {
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 4,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 5,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE = 6,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT = 7,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF = 8
} CUexternalMemoryHandleType;

typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
	CUexternalMemoryHandleType type;
	union {
		int fd;
		struct {
			void *handle;
			const void *name;
		} win32;
		const void *nvSciBufObject;
	} handle;
	unsigned long long size;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1;

typedef CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1 CUDA_EXTERNAL_MEMORY_HANDLE_DESC;

typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {
	unsigned long long offset;
	unsigned long long size;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;

typedef CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1 CUDA_EXTERNAL_MEMORY_BUFFER_DESC;

typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st {
	unsigned long long offset;
	CUDA_ARRAY3D_DESCRIPTOR arrayDesc;
	unsigned int numLevels;
	unsigned int reserved[16];
} CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1;

typedef CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1
	CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;

typedef enum CUexternalSemaphoreHandleType_enum {
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 2,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE = 4,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE = 5,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC = 6,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX = 7,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT = 8,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10
} CUexternalSemaphoreHandleType;

typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
	CUexternalSemaphoreHandleType type;
	union {
		int fd;
		struct {
			void *handle;
			const void *name;
		} win32;
		const void *nvSciSyncObj;
	} handle;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1;

typedef CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;

typedef struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st {
	struct {
		struct {
			unsigned long long value;
		} fence;
		union {
			void *fence;
			unsigned long long reserved;
		} nvSciSync;
		struct {
			unsigned long long key;
		} keyedMutex;
		unsigned int reserved[12];
	} params;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1;

typedef CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1
	CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;

typedef struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st {
	struct {
		struct {
			unsigned long long value;
		} fence;
		union {
			void *fence;
			unsigned long long reserved;
		} nvSciSync;
		struct {
			unsigned long long key;
			unsigned int timeoutMs;
		} keyedMutex;
		unsigned int reserved[10];
	} params;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1;

typedef CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1
	CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

typedef enum CUmemAllocationHandleType_enum {
	CU_MEM_HANDLE_TYPE_NONE = 0x0,
	CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 0x1,
	CU_MEM_HANDLE_TYPE_WIN32 = 0x2,
	CU_MEM_HANDLE_TYPE_WIN32_KMT = 0x4,
	CU_MEM_HANDLE_TYPE_FABRIC = 0x8,
	CU_MEM_HANDLE_TYPE_MAX = 0x7FFFFFFF
} CUmemAllocationHandleType;

typedef enum CUmemAccess_flags_enum {
	CU_MEM_ACCESS_FLAGS_PROT_NONE = 0x0,
	CU_MEM_ACCESS_FLAGS_PROT_READ = 0x1,
	CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 0x3,
	CU_MEM_ACCESS_FLAGS_PROT_MAX = 0x7FFFFFFF
} CUmemAccess_flags;

/* Where memory is or shall go */
typedef enum CUmemLocationType_enum {
	CU_MEM_LOCATION_TYPE_INVALID = 0x0,
	CU_MEM_LOCATION_TYPE_NONE = 0x0,
	CU_MEM_LOCATION_TYPE_DEVICE = 0x1,
	CU_MEM_LOCATION_TYPE_HOST = 0x2,
	CU_MEM_LOCATION_TYPE_HOST_NUMA = 0x3,
	CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 0x4,
	CU_MEM_LOCATION_TYPE_MAX = 0x7FFFFFFF
} CUmemLocationType;

typedef enum CUmemAllocationType_enum {
	CU_MEM_ALLOCATION_TYPE_INVALID = 0x0,
	CU_MEM_ALLOCATION_TYPE_PINNED = 0x1,
	CU_MEM_ALLOCATION_TYPE_MANAGED = 0x2,
	CU_MEM_ALLOCATION_TYPE_MAX = 0x7FFFFFFF
} CUmemAllocationType;

typedef struct CUmemLocation_st {
	CUmemLocationType type;
	int id;
} CUmemLocation_v1;

typedef CUmemLocation_v1 CUmemLocation;

typedef struct CUmemAccessDesc_st {
	CUmemLocation location;
	CUmemAccess_flags flags;
} CUmemAccessDesc_v1;

typedef CUmemAccessDesc_v1 CUmemAccessDesc;

#define CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS	0x2

typedef enum CUmemPool_attribute_enum {
	CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
	CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
	CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
	CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
	CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
	CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
	CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
	CU_MEMPOOL_ATTR_USED_MEM_HIGH
} CUmemPool_attribute;

typedef struct CUmemPoolProps_st {
	CUmemAllocationType allocType;
	CUmemAllocationHandleType handleTypes;
	CUmemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
} CUmemPoolProps_v1;

typedef CUmemPoolProps_v1 CUmemPoolProps;

typedef enum CUflushGPUDirectRDMAWritesOptions_enum {
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST = 1 << 0,
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS = 1 << 1
} CUflushGPUDirectRDMAWritesOptions;

typedef enum CUGPUDirectRDMAWritesOrdering_enum {
	CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE = 0,
	CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER = 100,
	CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES = 200
} CUGPUDirectRDMAWritesOrdering;

typedef enum CUflushGPUDirectRDMAWritesScope_enum {
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100,
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES = 200
} CUflushGPUDirectRDMAWritesScope;

typedef enum CUflushGPUDirectRDMAWritesTarget_enum {
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0
} CUflushGPUDirectRDMAWritesTarget;

typedef enum CUdeviceNumaConfig_enum {
	CU_DEVICE_NUMA_CONFIG_NONE = 0,
	CU_DEVICE_NUMA_CONFIG_NUMA_NODE
} CUdeviceNumaConfig;

/* cuCtxCreate() of 13.0; heapsim's contexts have no such parameters. */
typedef struct CUctxCreateParams_st {
	CUexecAffinityParam *execAffinityParams;
	int numExecAffinityParams;
	struct CUctxCigParam_st *cigParams;
} CUctxCreateParams;

#ifdef __cplusplus
extern "C" {
#endif

/* Errors */

/**
 * cuGetErrorString() - what an error means
 * @error: its number
 * @pStr: out: text; NULL if there is none
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (there is none such, or
 * @pStr is NULL).
 */
CUresult cuGetErrorString(CUresult error, const char **pStr);

/**
 * cuGetErrorName() - name of an error
 * @error: its number
 * @pStr: out: name; NULL if there is none
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (there is none such, or
 * @pStr is NULL).
 */
CUresult cuGetErrorName(CUresult error, const char **pStr);

/* Devices */

/**
 * cuInit() - begin
 * @Flags: 0
 *
 * All other calls but those for errors and the version need it.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NO_DEVICE.
 */
CUresult cuInit(unsigned int Flags);

/**
 * cuDriverGetVersion() - of libmem-cuda
 * @driverVersion: out: as CUDA_VERSION
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDriverGetVersion(int *driverVersion);

/**
 * cuDeviceGet() - a device by its number
 * @device: out
 * @ordinal: its number
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceGet(CUdevice *device, int ordinal);

/**
 * cuDeviceGetCount() - how many GPUs the board has
 * @count: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceGetCount(int *count);

/**
 * cuDeviceGetName() - a device's name
 * @name: out
 * @len: of it, bytes
 * @dev: device
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceGetName(char *name, int len, CUdevice dev);

/**
 * cuDeviceGetUuid() - a device's id
 * @uuid: out
 * @dev: device
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev);

#ifdef LIBMEM_CUDA
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev);
#endif

/**
 * cuDeviceTotalMem_v2() - how much memory a device has
 * @bytes: out
 * @dev: device
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev);

/**
 * cuDeviceGetAttribute() - one fact of a device
 * @pi: out
 * @attrib: which
 * @dev: device
 *
 * The facts are the profile's: mem_ctx_board().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev);

/**
 * cuDeviceGetByPCIBusId() - a device by where it is
 * @dev: out
 * @pciBusId: [domain:]bus:device[.function], hexadecimal
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId);

/**
 * cuDeviceGetPCIBusId() - where a device is
 * @pciBusId: out: as a string
 * @len: of it, bytes
 * @dev: device
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev);

/**
 * cuDeviceCanAccessPeer() - return whether a device may use another's memory
 * @canAccessPeer: out: 0 on every Tegra
 * @dev: device
 * @peerDev: the other one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev,
			       CUdevice peerDev);

/**
 * cuDeviceGetP2PAttribute() - one fact of two devices
 * @value: out
 * @attrib: which
 * @srcDevice: the one
 * @dstDevice: the other
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib,
				 CUdevice srcDevice, CUdevice dstDevice);

/**
 * cuCtxEnablePeerAccess() - use another context's memory
 * @peerContext: the other one
 * @Flags: 0
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_PEER_ACCESS_UNSUPPORTED (always on a
 * Tegra), CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is
 * current).
 */
CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags);

/**
 * cuCtxDisablePeerAccess() - use it no longer
 * @peerContext: the other one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxDisablePeerAccess(CUcontext peerContext);

/**
 * cuDeviceGetTexture1DLinearMaxWidth() - how wide a texture in memory can be
 * @maxWidthInElements: out
 * @format: of its elements
 * @n: channels of an element: 1, 2 or 4
 * @dev: device
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE,
 * CUDA_ERROR_NOT_INITIALIZED.
 */
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
					    CUarray_format format,
					    unsigned int n, CUdevice dev);
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
				    CUflushGPUDirectRDMAWritesScope scope);

/**
 * cuDeviceGetDefaultMemPool() - the pool that a device always has
 * @pool_out: out
 * @dev: device
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE,
 * CUDA_ERROR_NOT_SUPPORTED (the board has no pools),
 * CUDA_ERROR_NOT_INITIALIZED.
 */
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev);

/**
 * cuDeviceSetMemPool() - have cuMemAllocAsync() allocate from another pool
 * @dev: device
 * @pool: a pool of its
 *
 * Return: as cuDeviceGetDefaultMemPool().
 */
CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool);

/**
 * cuDeviceGetMemPool() - the pool that cuMemAllocAsync() allocates from
 * @pool: out
 * @dev: device
 *
 * Return: as cuDeviceGetDefaultMemPool().
 */
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev);

/* Primary contexts: one a device */

/**
 * cuDevicePrimaryCtxRetain() - a device's context, which the runtime uses, too
 * @pctx: out: cuDevicePrimaryCtxRelease()
 * @dev: device
 *
 * Opened, over mem_ctx_open(), by who comes first.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev);

/**
 * cuDevicePrimaryCtxRelease_v2() - give it back
 * @dev: device
 *
 * The last one closes it.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_INVALID_CONTEXT (it was not retained).
 */
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev);

/**
 * cuDevicePrimaryCtxSetFlags_v2() - how threads wait for it
 * @dev: device
 * @flags: CU_CTX_*
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags);

/**
 * cuDevicePrimaryCtxGetState() - return the state of the primary context
 * @dev: device
 * @flags: out
 * @active: out: 1: it is
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags,
				    int *active);

/**
 * cuDevicePrimaryCtxReset_v2() - close it, whoever uses it
 * @dev: device
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev);

/* Contexts. 13.0 has parameters of its own for cuCtxCreate(). */
#if CUDA_VERSION >= 13000 || defined(LIBMEM_CUDA)

/**
 * cuCtxCreate_v4() - make a context, and make it current
 * @pctx: out: cuCtxDestroy()
 * @ctxCreateParams: NULL
 * @flags: CU_CTX_*
 * @dev: device
 *
 * A mem_ctx of its own.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
			unsigned int flags, CUdevice dev);

#endif
#if CUDA_VERSION < 13000 || defined(LIBMEM_CUDA)
CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
#endif

/**
 * cuCtxDestroy_v2() - give it back
 * @ctx: context
 *
 * Waits for its work.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_INVALID_CONTEXT.
 */
CUresult cuCtxDestroy_v2(CUcontext ctx);

/**
 * cuCtxPushCurrent_v2() - make a context this thread's
 * @ctx: context
 *
 * The one before comes back with cuCtxPopCurrent().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_INVALID_CONTEXT.
 */
CUresult cuCtxPushCurrent_v2(CUcontext ctx);

/**
 * cuCtxPopCurrent_v2() - make the one before this thread's again
 * @pctx: out: what was current; may be NULL
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxPopCurrent_v2(CUcontext *pctx);

/**
 * cuCtxSetCurrent() - replace this thread's context
 * @ctx: context; NULL: take it away
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_CONTEXT.
 */
CUresult cuCtxSetCurrent(CUcontext ctx);

/**
 * cuCtxGetCurrent() - this thread's context
 * @pctx: out: NULL: none
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuCtxGetCurrent(CUcontext *pctx);

/**
 * cuCtxGetDevice() - its device
 * @device: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxGetDevice(CUdevice *device);

/**
 * cuCtxGetFlags() - its flags
 * @flags: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxGetFlags(unsigned int *flags);

/**
 * cuCtxSetFlags() - how the host waits from now on
 * @flags: CU_CTX_*
 *
 * mem_ctx_set_wait_policy().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no such flags),
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxSetFlags(unsigned int flags);

/**
 * cuCtxGetId() - a context's number
 * @ctx: context; NULL: the current one
 * @ctxId: out: never used again
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_CONTEXT_IS_DESTROYED.
 */
CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId);

/**
 * cuCtxSynchronize() - wait for all work of this thread's context
 *
 * mem_ctx_sync().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_PERMITTED (in a host function),
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxSynchronize(void);

/**
 * cuCtxSetLimit() - how much kernels may use
 * @limit: of what
 * @value: how much
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_UNSUPPORTED_LIMIT,
 * CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxSetLimit(CUlimit limit, size_t value);

/**
 * cuCtxGetLimit() - how much kernels may use
 * @pvalue: out
 * @limit: of what
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_UNSUPPORTED_LIMIT,
 * CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit);

/**
 * cuCtxGetCacheConfig() - which cache is preferred
 * @pconfig: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig);

/**
 * cuCtxSetCacheConfig() - prefer a cache
 * @config: which
 *
 * A hint, which nothing follows.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxSetCacheConfig(CUfunc_cache config);

/**
 * cuCtxGetApiVersion() - what a context was made for
 * @ctx: context; NULL: the current one
 * @version: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_INVALID_CONTEXT.
 */
CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version);

/**
 * cuCtxGetStreamPriorityRange() - what priorities streams have
 * @leastPriority: out; may be NULL
 * @greatestPriority: out; may be NULL
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority);

CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags);
CUresult cuCtxDetach(CUcontext ctx);

/**
 * cuCtxGetSharedMemConfig() - how wide a bank of shared memory is
 * @pConfig: out: four bytes, as of all boards
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig);

/**
 * cuCtxSetSharedMemConfig() - how wide a bank of shared memory should be
 * @config: CU_SHARED_MEM_CONFIG_*
 *
 * A hint, which nothing follows.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);

/* Memory */

/**
 * cuMemGetInfo_v2() - how much memory the device has
 * @free: out, bytes
 * @total: out, bytes
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemGetInfo_v2(size_t *free, size_t *total);

/**
 * cuMemAlloc_v2() - memory that only the device touches
 * @dptr: out
 * @bytesize: bytes
 *
 * mem_alloc() of MEM_KIND_DEVICE; not cleared.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (0 bytes),
 * CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize);

/**
 * cuMemAllocPitch_v2() - rows of device memory
 * @dptr: out
 * @pPitch: out: bytes from row to row
 * @WidthInBytes: of a row
 * @Height: rows
 * @ElementSizeBytes: 4, 8 or 16
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, or as cuMemAlloc().
 */
CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch,
			    size_t WidthInBytes, size_t Height,
			    unsigned int ElementSizeBytes);

/**
 * cuMemFree_v2() - give back device or managed memory
 * @dptr: its start, or 0
 *
 * Waits for work that may use it. mem_free().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no call has given it),
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemFree_v2(CUdeviceptr dptr);

/**
 * cuMemGetAddressRange_v2() - which allocation an address is in
 * @pbase: out: its start; may be NULL
 * @psize: out: bytes; may be NULL
 * @dptr: address
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_FOUND, CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize,
				 CUdeviceptr dptr);

/**
 * cuMemAllocHost_v2() - pinned memory
 * @pp: out
 * @bytesize: bytes
 *
 * mem_alloc() of MEM_KIND_PINNED.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemAllocHost_v2(void **pp, size_t bytesize);

/**
 * cuMemFreeHost() - give back pinned memory
 * @p: its start, or NULL
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no call has given it).
 */
CUresult cuMemFreeHost(void *p);

/**
 * cuMemHostAlloc() - pinned memory, which host and device touch at any time
 * @pp: out
 * @bytesize: bytes
 * @Flags: CU_MEMHOSTALLOC_*
 *
 * mem_alloc() of MEM_KIND_PINNED. Below capability 7.2 the CPU does not cache
 * it.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags);

/**
 * cuMemHostGetDevicePointer_v2() - where the device has pinned memory
 * @pdptr: out
 * @p: address in pinned or registered memory
 * @Flags: 0
 *
 * mem_device_ptr().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p,
				      unsigned int Flags);

/**
 * cuMemHostGetFlags() - how pinned memory was made
 * @pFlags: out: CU_MEMHOSTALLOC_*
 * @p: address in it
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p);

/**
 * cuMemAllocManaged() - memory that host and device touch in turn
 * @dptr: out
 * @bytesize: bytes
 * @flags: CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST
 *
 * mem_alloc() of MEM_KIND_MANAGED; not cleared.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (0 bytes, no such @flags),
 * CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_NOT_SUPPORTED (a discrete GPU),
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize,
			   unsigned int flags);

/**
 * cuMemHostRegister_v2() - make the program's pages pinned memory
 * @p: first byte
 * @bytesize: bytes
 * @Flags: CU_MEMHOSTREGISTER_*
 *
 * mem_register().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, CUDA_ERROR_NOT_SUPPORTED (below
 * capability 7.2), CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none
 * is current).
 */
CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags);

/**
 * cuMemHostUnregister() - make it ordinary memory again
 * @p: what cuMemHostRegister() was given
 *
 * mem_unregister().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
 * CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemHostUnregister(void *p);

/**
 * cuPointerGetAttribute() - one fact of an address
 * @data: out: its type goes with @attribute
 * @attribute: which
 * @ptr: address
 *
 * mem_ptr_info().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no memory of ours),
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
			       CUdeviceptr ptr);

/**
 * cuPointerGetAttributes() - several facts of an address
 * @numAttributes: how many
 * @attributes: which
 * @data: out: one each
 * @ptr: any address
 *
 * What an address has not is 0.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuPointerGetAttributes(unsigned int numAttributes,
				CUpointer_attribute *attributes, void **data,
				CUdeviceptr ptr);

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
			       CUdeviceptr ptr);

/* Managed memory: who uses it where. 13.0 has locations for device numbers. */
#if CUDA_VERSION < 13000 || defined(LIBMEM_CUDA)

/**
 * cuMemAdvise() - say how managed memory will be used
 * @devPtr: first byte
 * @count: bytes
 * @advice: what
 * @device: who: device, or CU_DEVICE_CPU
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
		     CUdevice device);

/**
 * cuMemPrefetchAsync() - bring managed memory to where it is used
 * @devPtr: first byte
 * @count: bytes
 * @dstDevice: where to: device, or CU_DEVICE_CPU
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE
 * (a place that has not concurrentManagedAccess: every Tegra before Thor),
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count,
			    CUdevice dstDevice, CUstream hStream);

#endif
#if CUDA_VERSION >= 12000
CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
			CUmemLocation location);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count,
			       CUmemLocation location, unsigned int flags,
			       CUstream hStream);
#endif

/**
 * cuMemRangeGetAttribute() - what was said of managed memory
 * @data: out
 * @dataSize: of @data, bytes
 * @attribute: which
 * @devPtr: first byte
 * @count: bytes
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemRangeGetAttribute(void *data, size_t dataSize,
				CUmem_range_attribute attribute,
				CUdeviceptr devPtr, size_t count);

/**
 * cuMemRangeGetAttributes() - cuMemRangeGetAttribute() of several
 * @data: out: one each
 * @dataSizes: of each, bytes
 * @attributes: which
 * @numAttributes: how many
 * @devPtr: first byte
 * @count: bytes
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes,
				 CUmem_range_attribute *attributes,
				 size_t numAttributes, CUdeviceptr devPtr,
				 size_t count);

/* Copies */

/**
 * cuMemcpy() - copy
 * @dst: target
 * @src: source
 * @ByteCount: bytes; 0 does nothing
 *
 * mem_copy().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount);

/**
 * cuMemcpyAsync() - do so in order of a stream
 * @dst: target
 * @src: source
 * @ByteCount: bytes; 0 does nothing
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
		       CUstream hStream);

/**
 * cuMemcpyHtoD_v2() - copy from host to device
 * @dstDevice: target
 * @srcHost: source of the host
 * @ByteCount: bytes; 0 does nothing
 *
 * mem_copy().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost,
			 size_t ByteCount);

/**
 * cuMemcpyHtoDAsync_v2() - do so in order of a stream
 * @dstDevice: target
 * @srcHost: source of the host
 * @ByteCount: bytes; 0 does nothing
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost,
			      size_t ByteCount, CUstream hStream);

/**
 * cuMemcpyDtoH_v2() - copy from device to host
 * @dstHost: target of the host
 * @srcDevice: source
 * @ByteCount: bytes; 0 does nothing
 *
 * mem_copy().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice,
			 size_t ByteCount);

/**
 * cuMemcpyDtoHAsync_v2() - do so in order of a stream
 * @dstHost: target of the host
 * @srcDevice: source
 * @ByteCount: bytes; 0 does nothing
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice,
			      size_t ByteCount, CUstream hStream);

/**
 * cuMemcpyDtoD_v2() - copy within the device
 * @dstDevice: target
 * @srcDevice: source
 * @ByteCount: bytes; 0 does nothing
 *
 * mem_copy().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
			 size_t ByteCount);

/**
 * cuMemcpyDtoDAsync_v2() - do so in order of a stream
 * @dstDevice: target
 * @srcDevice: source
 * @ByteCount: bytes; 0 does nothing
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
			      size_t ByteCount, CUstream hStream);

/**
 * cuMemcpy2D_v2() - copy rows
 * @pCopy: what
 *
 * mem_copy_rows(). A side is memory or an array.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy);

/**
 * cuMemcpy2DUnaligned_v2() - cuMemcpy2D() with any pitch
 * @pCopy: what
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy);

/**
 * cuMemcpy2DAsync_v2() - do so in order of a stream
 * @pCopy: what
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream);

/**
 * cuMemcpy3D_v2() - copy a box
 * @pCopy: what
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy);

/**
 * cuMemcpy3DAsync_v2() - do so in order of a stream
 * @pCopy: what
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream);

/**
 * cuMemcpyPeer() - copy from context to context
 * @dstDevice: target
 * @dstContext: whose target
 * @srcDevice: source
 * @srcContext: whose source
 * @ByteCount: bytes; 0 does nothing
 *
 * Through the dma engine, which goes everywhere: it needs no peer access.
 * Memory of a context that the program made stays in that.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current, no
 * such one).
 */
CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext,
		      CUdeviceptr srcDevice, CUcontext srcContext,
		      size_t ByteCount);

/**
 * cuMemcpyPeerAsync() - do so in order of a stream
 * @dstDevice: target
 * @dstContext: whose target
 * @srcDevice: source
 * @srcContext: whose source
 * @ByteCount: bytes; 0 does nothing
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext,
			   CUdeviceptr srcDevice, CUcontext srcContext,
			   size_t ByteCount, CUstream hStream);

/**
 * cuMemcpy3DPeer() - copy a box from context to context
 * @pCopy: what
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy);

/**
 * cuMemcpy3DPeerAsync() - do so in order of a stream
 * @pCopy: what
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream);

/**
 * cuMemcpyDtoA_v2() - copy from device to array
 * @dstArray: target
 * @dstOffset: bytes from its start
 * @srcDevice: source in the device's memory
 * @ByteCount: bytes; 0 does nothing
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset,
			 CUdeviceptr srcDevice, size_t ByteCount);

/**
 * cuMemcpyAtoD_v2() - copy from array to device
 * @dstDevice: target in the device's memory
 * @srcArray: source
 * @srcOffset: bytes from its start
 * @ByteCount: bytes; 0 does nothing
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray,
			 size_t srcOffset, size_t ByteCount);

/**
 * cuMemcpyHtoA_v2() - copy from host to array
 * @dstArray: target
 * @dstOffset: bytes from its start
 * @srcHost: source of the host
 * @ByteCount: bytes; 0 does nothing
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset,
			 const void *srcHost, size_t ByteCount);

/**
 * cuMemcpyHtoAAsync_v2() - copy from host to array, in order of a stream
 * @dstArray: target
 * @dstOffset: bytes from its start
 * @srcHost: source of the host
 * @ByteCount: bytes; 0 does nothing
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset,
			      const void *srcHost, size_t ByteCount,
			      CUstream hStream);

/**
 * cuMemcpyAtoH_v2() - copy from array to host
 * @dstHost: target of the host
 * @srcArray: source
 * @srcOffset: bytes from its start
 * @ByteCount: bytes; 0 does nothing
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
			 size_t ByteCount);

/**
 * cuMemcpyAtoHAsync_v2() - copy from array to host, in order of a stream
 * @dstHost: target of the host
 * @srcArray: source
 * @srcOffset: bytes from its start
 * @ByteCount: bytes; 0 does nothing
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
			      size_t ByteCount, CUstream hStream);

/**
 * cuMemcpyAtoA_v2() - copy from array to array
 * @dstArray: target
 * @dstOffset: bytes from its start
 * @srcArray: source
 * @srcOffset: bytes from its start
 * @ByteCount: bytes; 0 does nothing
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
			 size_t srcOffset, size_t ByteCount);

/* Sets */

/**
 * cuMemsetD8_v2() - fill memory with elements of 8 bits
 * @dstDevice: first element
 * @uc: value
 * @N: elements
 *
 * mem_fill().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N);

/**
 * cuMemsetD8Async() - do so in order of a stream
 * @dstDevice: first element
 * @uc: value
 * @N: elements
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N,
			 CUstream hStream);

/**
 * cuMemsetD16_v2() - fill memory with elements of 16 bits
 * @dstDevice: first element
 * @us: value
 * @N: elements
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N);

/**
 * cuMemsetD16Async() - do so in order of a stream
 * @dstDevice: first element
 * @us: value
 * @N: elements
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N,
			  CUstream hStream);

/**
 * cuMemsetD32_v2() - fill memory with elements of 32 bits
 * @dstDevice: first element
 * @ui: value
 * @N: elements
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N);

/**
 * cuMemsetD32Async() - do so in order of a stream
 * @dstDevice: first element
 * @ui: value
 * @N: elements
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N,
			  CUstream hStream);

/**
 * cuMemsetD2D8_v2() - fill rows with elements of 8 bits
 * @dstDevice: first element
 * @dstPitch: bytes from row to row
 * @uc: value
 * @Width: elements of a row
 * @Height: rows
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch,
			 unsigned char uc, size_t Width, size_t Height);

/**
 * cuMemsetD2D8Async() - do so in order of a stream
 * @dstDevice: first element
 * @dstPitch: bytes from row to row
 * @uc: value
 * @Width: elements of a row
 * @Height: rows
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch,
			   unsigned char uc, size_t Width, size_t Height,
			   CUstream hStream);

/**
 * cuMemsetD2D16_v2() - fill rows with elements of 16 bits
 * @dstDevice: first element
 * @dstPitch: bytes from row to row
 * @us: value
 * @Width: elements of a row
 * @Height: rows
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch,
			  unsigned short us, size_t Width, size_t Height);

/**
 * cuMemsetD2D16Async() - do so in order of a stream
 * @dstDevice: first element
 * @dstPitch: bytes from row to row
 * @us: value
 * @Width: elements of a row
 * @Height: rows
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch,
			    unsigned short us, size_t Width, size_t Height,
			    CUstream hStream);

/**
 * cuMemsetD2D32_v2() - fill rows with elements of 32 bits
 * @dstDevice: first element
 * @dstPitch: bytes from row to row
 * @ui: value
 * @Width: elements of a row
 * @Height: rows
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch,
			  unsigned int ui, size_t Width, size_t Height);

/**
 * cuMemsetD2D32Async() - do so in order of a stream
 * @dstDevice: first element
 * @dstPitch: bytes from row to row
 * @ui: value
 * @Width: elements of a row
 * @Height: rows
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch,
			    unsigned int ui, size_t Width, size_t Height,
			    CUstream hStream);

/* Arrays, texture and surface objects */

/**
 * cuArrayCreate_v2() - make an array of one or two dimensions
 * @pHandle: out
 * @pAllocateArray: what
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuArrayCreate_v2(CUarray *pHandle,
			  const CUDA_ARRAY_DESCRIPTOR *pAllocateArray);

/**
 * cuArrayGetDescriptor_v2() - what an array is
 * @pArrayDescriptor: out
 * @hArray: array
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor,
				 CUarray hArray);

/**
 * cuArrayDestroy() - give back an array
 * @hArray: array
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuArrayDestroy(CUarray hArray);

/**
 * cuArray3DCreate_v2() - make an array of up to three dimensions, or layers
 * @pHandle: out
 * @pAllocateArray: what
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuArray3DCreate_v2(CUarray *pHandle,
			    const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray);

/**
 * cuArray3DGetDescriptor_v2() - what an array is
 * @pArrayDescriptor: out
 * @hArray: array
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor,
				   CUarray hArray);

/**
 * cuArrayGetPlane() - one plane of an array with several
 * @pPlaneArray: out
 * @hArray: array
 * @planeIdx: which
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray,
			 unsigned int planeIdx);

/**
 * cuMipmappedArrayCreate() - make arrays of one picture in halving sizes
 * @pHandle: out
 * @pMipmappedArrayDesc: what the first is
 * @numMipmapLevels: how many
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult
cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
		       const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
		       unsigned int numMipmapLevels);

/**
 * cuMipmappedArrayGetLevel() - one of them
 * @pLevelArray: out; goes with the whole
 * @hMipmappedArray: of which
 * @level: 0: the largest
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray,
				  CUmipmappedArray hMipmappedArray,
				  unsigned int level);

/**
 * cuMipmappedArrayDestroy() - give back a mipmapped array
 * @hMipmappedArray: array
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray);

/**
 * cuTexObjectCreate() - let kernels read by coordinates
 * @pTexObject: out
 * @pResDesc: what
 * @pTexDesc: how
 * @pResViewDesc: as what format; NULL: its own
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuTexObjectCreate(CUtexObject *pTexObject,
			   const CUDA_RESOURCE_DESC *pResDesc,
			   const CUDA_TEXTURE_DESC *pTexDesc,
			   const CUDA_RESOURCE_VIEW_DESC *pResViewDesc);

/**
 * cuTexObjectDestroy() - take that away
 * @texObject: texture
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuTexObjectDestroy(CUtexObject texObject);

/**
 * cuTexObjectGetResourceDesc() - what a texture shows
 * @pResDesc: out
 * @texObject: texture
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc,
				    CUtexObject texObject);

/**
 * cuTexObjectGetTextureDesc() - how it shows that
 * @pTexDesc: out
 * @texObject: texture
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc,
				   CUtexObject texObject);

/**
 * cuTexObjectGetResourceViewDesc() - as what format
 * @pResViewDesc: out
 * @texObject: texture
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
					CUtexObject texObject);

/**
 * cuSurfObjectCreate() - let kernels write an array
 * @pSurfObject: out
 * @pResDesc: which: one with CUDA_ARRAY3D_SURFACE_LDST
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject,
			    const CUDA_RESOURCE_DESC *pResDesc);

/**
 * cuSurfObjectDestroy() - take that away
 * @surfObject: surface
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuSurfObjectDestroy(CUsurfObject surfObject);

/**
 * cuSurfObjectGetResourceDesc() - which array it is
 * @pResDesc: out
 * @surfObject: surface
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc,
				     CUsurfObject surfObject);

/* Streams */

/**
 * cuStreamCreate() - make a stream
 * @phStream: out
 * @Flags: CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING
 *
 * mem_stream_create().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags);

/**
 * cuStreamCreateWithPriority() - make a stream that goes before others
 * @phStream: out
 * @flags: as cuStreamCreate()
 * @priority: below 0: before those with 0; clamped
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags,
				    int priority);

/**
 * cuStreamDestroy_v2() - forget a stream when its work is done
 * @hStream: stream that was made
 *
 * mem_stream_destroy().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamDestroy_v2(CUstream hStream);

/**
 * cuStreamGetPriority() - its priority
 * @hStream: stream; 0: the default one
 * @priority: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamGetPriority(CUstream hStream, int *priority);

/**
 * cuStreamGetFlags() - its flags
 * @hStream: stream; 0: the default one
 * @flags: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags);

/**
 * cuStreamGetId() - its number
 * @hStream: stream; 0: the default one
 * @streamId: out: never used again
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId);

/**
 * cuStreamGetCtx() - its context
 * @hStream: stream; 0: the default one
 * @pctx: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx);

/**
 * cuStreamGetDevice() - its device
 * @hStream: stream; 0: the default one
 * @device: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device);

/**
 * cuStreamQuery() - return whether all work of a stream is done
 * @hStream: stream; 0: the default one
 *
 * mem_stream_query(): success counts as having waited.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_READY (no),
 * CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamQuery(CUstream hStream);

/**
 * cuStreamSynchronize() - wait for a stream
 * @hStream: stream; 0: the default one
 *
 * mem_stream_sync().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_NOT_PERMITTED
 * (in a host function).
 */
CUresult cuStreamSynchronize(CUstream hStream);

/**
 * cuStreamWaitEvent() - have a stream's further work wait for an event
 * @hStream: stream; 0: the default one
 * @hEvent: event
 * @Flags: CU_EVENT_WAIT_DEFAULT or CU_EVENT_WAIT_EXTERNAL
 *
 * mem_stream_wait_event().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent,
			   unsigned int Flags);

/**
 * cuStreamAddCallback() - have a function called, with the error
 * @hStream: in order of this one; 0: the default one
 * @callback: function
 * @userData: for it
 * @flags: 0
 *
 * mem_stream_add_callback().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback,
			     void *userData, unsigned int flags);

/**
 * cuLaunchHostFunc() - have a function of the host called
 * @hStream: in order of this one; 0: the default one
 * @fn: function
 * @userData: for it
 *
 * mem_stream_call(). Calls of CUDA in it return CUDA_ERROR_NOT_PERMITTED.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData);

/**
 * cuStreamAttachMemAsync() - say who may touch managed memory
 * @hStream: in order of this one; 0: the default one
 * @dptr: its start
 * @length: 0, or all of it
 * @flags: CU_MEM_ATTACH_GLOBAL, _HOST or _SINGLE
 *
 * mem_stream_attach().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (it is not the start of
 * managed memory, another length, no such @flags, single to stream 0),
 * CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr,
				size_t length, unsigned int flags);

/**
 * cuStreamIsCapturing() - return whether a stream is being captured
 * @hStream: stream; 0: the default one
 * @captureStatus: out: CU_STREAM_CAPTURE_STATUS_NONE: there are no graphs
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuStreamIsCapturing(CUstream hStream,
			     CUstreamCaptureStatus *captureStatus);

/**
 * cuThreadExchangeStreamCaptureMode() - what a thread may do while captured
 * @mode: CU_STREAM_CAPTURE_MODE_*; out: what it was; there are no graphs
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED.
 */
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);

/**
 * cuStreamCopyAttributes() - have a stream be like another
 * @dst: stream; 0: the default one
 * @src: stream of the same context; 0: the default one
 *
 * Return: as cuStreamGetAttribute().
 */
CUresult cuStreamCopyAttributes(CUstream dst, CUstream src);

/**
 * cuStreamGetAttribute() - what a stream is like
 * @hStream: stream; 0: the default one
 * @attr: CU_LAUNCH_ATTRIBUTE_* of streams
 * @value_out: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr,
			      CUstreamAttrValue *value_out);

/**
 * cuStreamSetAttribute() - say what a stream shall be like
 * @hStream: stream; 0: the default one
 * @attr: CU_LAUNCH_ATTRIBUTE_* of streams
 * @value: it is stored for queries and has no effect
 *
 * Return: as cuStreamGetAttribute().
 */
CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
			      const CUstreamAttrValue *value);

/* Events */

/**
 * cuEventCreate() - make an event
 * @phEvent: out
 * @Flags: CU_EVENT_*
 *
 * mem_event_create().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags);

/**
 * cuEventRecord() - let an event stand for what a stream has so far
 * @hEvent: event
 * @hStream: in order of this one; 0: the default one
 *
 * mem_event_record().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuEventRecord(CUevent hEvent, CUstream hStream);

/**
 * cuEventRecordWithFlags() - cuEventRecord()
 * @hEvent: event
 * @hStream: in order of this one; 0: the default one
 * @flags: CU_EVENT_RECORD_DEFAULT or CU_EVENT_RECORD_EXTERNAL
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream,
				unsigned int flags);

/**
 * cuEventQuery() - return whether the recorded work is done
 * @hEvent: event
 *
 * mem_event_query(): success counts as having waited.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_READY (no),
 * CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuEventQuery(CUevent hEvent);

/**
 * cuEventSynchronize() - wait for that
 * @hEvent: event
 *
 * mem_event_sync().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuEventSynchronize(CUevent hEvent);

/**
 * cuEventDestroy_v2() - forget an event
 * @hEvent: event
 *
 * mem_event_destroy(). Who waits for it goes on waiting.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuEventDestroy_v2(CUevent hEvent);

/**
 * cuEventElapsedTime() - time between two events
 * @pMilliseconds: out
 * @hStart: the one
 * @hEnd: the other
 *
 * mem_event_elapsed().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE
 * (never recorded, or without time), CUDA_ERROR_NOT_READY.
 */
CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);

#ifdef LIBMEM_CUDA
CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart,
			       CUevent hEnd);
#endif

/* Semaphores of others */

/**
 * cuImportExternalSemaphore() - take a semaphore
 * @extSem_out: out
 * @semHandleDesc: an opaque descriptor: an eventfd, CUDA's from then on; or an
 *	NvSciSyncObj, of which a reference is kept
 *
 * mem_semaphore_import().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE,
 * CUDA_ERROR_OPERATING_SYSTEM (it is no eventfd), CUDA_ERROR_NOT_SUPPORTED
 * (another type).
 */
CUresult cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
		const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc);

/**
 * cuSignalExternalSemaphoresAsync() - signal semaphores in order of a stream
 * @extSemArray: which
 * @paramsArray: one each; of an NvSciSyncObj with the initialised fence that is
 *	set; of others with no flags
 * @numExtSems: how many
 * @stream: in order of this one; 0: the default one
 *
 * mem_stream_signal_semaphore(), mem_stream_signal_timeline().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_PERMITTED (in a host function).
 */
CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
		const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
		unsigned int numExtSems, CUstream stream);

/**
 * cuWaitExternalSemaphoresAsync() - have a stream wait for semaphores
 * @extSemArray: which
 * @paramsArray: one each; of an NvSciSyncObj with the fence that is waited for;
 *	of others with no flags
 * @numExtSems: how many
 * @stream: in order of this one; 0: the default one
 *
 * mem_stream_wait_semaphore(), mem_stream_wait_timeline().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * CUDA_ERROR_NOT_PERMITTED (in a host function).
 */
CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
		const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
		unsigned int numExtSems, CUstream stream);

/**
 * cuDeviceGetNvSciSyncAttributes() - set what a GPU needs in a list
 * @nvSciSyncAttrList: NvSciSyncAttrList, unreconciled, with no permission yet
 * @dev: GPU
 * @flags: CUDA_NVSCISYNC_ATTR_SIGNAL: it signals; CUDA_NVSCISYNC_ATTR_WAIT: it
 *	waits; or both
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE,
 * CUDA_ERROR_NOT_INITIALIZED.
 */
CUresult cuDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, CUdevice dev,
					int flags);

/**
 * cuDestroyExternalSemaphore() - give it back
 * @extSem: which; waits and signals that streams have go on
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE.
 */
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem);

/* Kernels. A CUfunction is the address of a kernel of the program. */

/**
 * cuLaunchKernel() - run a kernel
 * @f: address of a kernel, as cudaLaunchKernel() takes it
 * @gridDimX: blocks
 * @gridDimY: blocks
 * @gridDimZ: blocks
 * @blockDimX: threads of a block
 * @blockDimY: threads of a block
 * @blockDimZ: threads of a block
 * @sharedMemBytes: dynamic shared memory of a block
 * @hStream: in order of this one; 0: the default one
 * @kernelParams: addresses of the parameters' values
 * @extra: or CU_LAUNCH_PARAM_*: all in one buffer
 *
 * mem_launch().
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE (no kernel of the
 * program), CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX,
			unsigned int gridDimY, unsigned int gridDimZ,
			unsigned int blockDimX, unsigned int blockDimY,
			unsigned int blockDimZ, unsigned int sharedMemBytes,
			CUstream hStream, void **kernelParams, void **extra);

/**
 * cuLaunchKernelEx() - run a kernel
 * @config: grid, blocks, shared memory and stream; attributes are not modelled
 * @f: as of cuLaunchKernel()
 * @kernelParams: as of cuLaunchKernel()
 * @extra: as of cuLaunchKernel()
 *
 * Return: as cuLaunchKernel(), or CUDA_ERROR_NOT_SUPPORTED (it has attributes).
 */
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f,
			  void **kernelParams, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX,
				   unsigned int gridDimY, unsigned int gridDimZ,
				   unsigned int blockDimX,
				   unsigned int blockDimY,
				   unsigned int blockDimZ,
				   unsigned int sharedMemBytes,
				   CUstream hStream, void **kernelParams);

/**
 * cuFuncGetAttribute() - a fact of a kernel
 * @pi: out
 * @attrib: which; registers, and what is shared or local in the kernel, are not
 *	known to the host's compiler
 * @hfunc: as of cuLaunchKernel()
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE
 * (no kernel of the program), CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib,
			    CUfunction hfunc);

/**
 * cuFuncSetAttribute() - what a kernel may have
 * @hfunc: as of cuLaunchKernel()
 * @attrib: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, or
 *	CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, a hint
 * @value: bytes, at most CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
 *
 * Return: as cuFuncGetAttribute().
 */
CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib,
			    int value);

/**
 * cuFuncSetCacheConfig() - which cache a kernel prefers
 * @hfunc: as of cuLaunchKernel()
 * @config: which
 *
 * A hint, which nothing follows.
 *
 * Return: as cuFuncGetAttribute().
 */
CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config);

/**
 * cuOccupancyMaxActiveBlocksPerMultiprocessor() - how many blocks fit together
 * @numBlocks: out: as threads, blocks and shared memory allow
 * @func: as of cuLaunchKernel()
 * @blockSize: threads of a block
 * @dynamicSMemSize: shared memory of a block, bytes
 *
 * Return: as cuFuncGetAttribute().
 */
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks,
						     CUfunction func,
						     int blockSize,
						     size_t dynamicSMemSize);

/**
 * cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags() - the same
 * @numBlocks: out
 * @func: as of cuLaunchKernel()
 * @blockSize: threads of a block
 * @dynamicSMemSize: shared memory of a block, bytes
 * @flags: 0 or CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE
 *
 * Return: as cuFuncGetAttribute().
 */
CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
						     CUfunction func,
						     int blockSize,
						     size_t dynamicSMemSize,
						     unsigned int flags);

/* Modules: what a compiler of NVIDIA's makes, which no board here runs */
CUresult cuModuleLoad(CUmodule *module, const char *fname);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
			    unsigned int numOptions, CUjit_option *options,
			    void **optionValues);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin);
CUresult cuModuleUnload(CUmodule hmod);
CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod,
			     const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
			      const char *name);

/* Other processes, other drivers, graphics */
CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle);
CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle,
			       unsigned int Flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr dptr);
CUresult
cuImportExternalMemory(CUexternalMemory *extMem_out,
		       const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc);
CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr,
		CUexternalMemory extMem,
		const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc);
CUresult cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *mipmap,
		CUexternalMemory extMem,
		const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc);
CUresult cuDestroyExternalMemory(CUexternalMemory extMem);
CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource);
CUresult cuGraphicsSubResourceGetMappedArray(CUarray *pArray,
					     CUgraphicsResource resource,
					     unsigned int arrayIndex,
					     unsigned int mipLevel);
CUresult
cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *pMipmappedArray,
					  CUgraphicsResource resource);
CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr,
					       size_t *pSize,
					       CUgraphicsResource resource);
CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource,
					  unsigned int flags);
CUresult cuGraphicsMapResources(unsigned int count,
				CUgraphicsResource *resources,
				CUstream hStream);
CUresult cuGraphicsUnmapResources(unsigned int count,
				  CUgraphicsResource *resources,
				  CUstream hStream);

/* Memory in order of a stream, and pools */

/**
 * cuMemAllocAsync() - device memory in order of a stream
 * @dptr: out
 * @bytesize: bytes
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (0 bytes),
 * CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_OUT_OF_MEMORY,
 * CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream);

/**
 * cuMemFreeAsync() - give it back in order of a stream
 * @dptr: memory; 0 does nothing
 * @hStream: in order of this one; 0: the default one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (it is none, or was given
 * back), CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_NOT_INITIALIZED,
 * CUDA_ERROR_INVALID_CONTEXT (none is current).
 */
CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream);

/**
 * cuMemPoolTrimTo() - have a pool hold back less
 * @pool: pool
 * @minBytesToKeep: bytes that it may
 *
 * What was given back may go when the host waits for all work, and then goes.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED
 * (the board has no pools), CUDA_ERROR_NOT_INITIALIZED.
 */
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep);

/**
 * cuMemPoolSetAttribute() - say what a pool shall be like
 * @pool: pool
 * @attr: CU_MEMPOOL_ATTR_*
 * @value: int of those about reuse, else cuuint64_t; of the most that there was
 *	0: count from what there is
 *
 * Return: as cuMemPoolTrimTo().
 */
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
			       void *value);

/**
 * cuMemPoolGetAttribute() - what a pool is like
 * @pool: pool
 * @attr: CU_MEMPOOL_ATTR_*
 * @value: out: int of those about reuse, else cuuint64_t
 *
 * Return: as cuMemPoolTrimTo().
 */
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
			       void *value);

/**
 * cuMemPoolSetAccess() - say who has a pool's memory
 * @pool: pool
 * @map: who and how: the pool's own device reads and writes
 * @count: how many
 *
 * Return: as cuMemPoolTrimTo(), or CUDA_ERROR_INVALID_DEVICE (not the pool's).
 */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map,
			    size_t count);

/**
 * cuMemPoolGetAccess() - who has a pool's memory
 * @flags: out: how
 * @memPool: pool
 * @location: who
 *
 * Return: as cuMemPoolSetAccess().
 */
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
			    CUmemLocation *location);

/**
 * cuMemPoolCreate() - make a pool
 * @pool: out: cuMemPoolDestroy()
 * @poolProps: device memory of a device that other processes do not have
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED
 * (the board has no pools, or none of these), CUDA_ERROR_OUT_OF_MEMORY,
 * CUDA_ERROR_NOT_INITIALIZED.
 */
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps);

/**
 * cuMemPoolDestroy() - nothing is allocated from a pool any more
 * @pool: pool; not the one that a device always has
 *
 * What has been stays until it is given back.
 *
 * Return: as cuMemPoolTrimTo().
 */
CUresult cuMemPoolDestroy(CUmemoryPool pool);

/**
 * cuMemAllocFromPoolAsync() - device memory of a pool in order of a stream
 * @dptr: out
 * @bytesize: bytes
 * @pool: pool
 * @hStream: in order of this one; 0: the default one
 *
 * Return: as cuMemAllocAsync(), or CUDA_ERROR_INVALID_VALUE (no such pool),
 * CUDA_ERROR_NOT_SUPPORTED (the board has no pools).
 */
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize,
				 CUmemoryPool pool, CUstream hStream);

/* Entries of the driver */

/**
 * cuGetProcAddress_v2() - a call by its name
 * @symbol: its name, without a version
 * @pfn: out
 * @cudaVersion: as CUDA_VERSION: which version of it
 * @flags: CU_GET_PROC_ADDRESS_*
 * @symbolStatus: out: why not; may be NULL
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_FOUND, CUDA_ERROR_INVALID_VALUE.
 */
CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
			     cuuint64_t flags,
			     CUdriverProcAddressQueryResult *symbolStatus);

CUresult cuGetExportTable(const void **ppExportTable,
			  const CUuuid *pExportTableId);

#ifdef __cplusplus
}
#endif

#endif
