// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that constants and layouts of the headers are those of CUDA 13.0, so
 * that libraries built with NVIDIA's headers, and files that store such
 * numbers, work. No board is needed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <builtin_types.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <math_constants.h>
#include <vector_functions.h>

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

struct number {
	const char *name;
	long long is;
	long long want;
};

#define IS(name, want)	{ #name, (long long)(name), want }
#define SIZE(type, want) { "size of " #type, (long long)sizeof(type), want }
#define ALIGN(type, want) \
	{ "alignment of " #type, (long long)__alignof__(type), want }
#define OFF(type, field, want) \
	{ #type "." #field, (long long)offsetof(type, field), want }

static void compare(const struct number *numbers, size_t nr)
{
	size_t i, bad = 0;

	for (i = 0; i < nr; i++) {
		if (numbers[i].is == numbers[i].want)
			continue;
		printf("# %s is %lld, not %lld\n", numbers[i].name,
		       numbers[i].is, numbers[i].want);
		bad++;
	}
	assert_int_equal(bad, 0);
}

static void errors_have_cudas_numbers(void **state)
{
	static const struct number numbers[] = {
		IS(cudaErrorInvalidValue, 1),
		IS(cudaErrorMemoryAllocation, 2),
		IS(cudaErrorInitializationError, 3),
		IS(cudaErrorCudartUnloading, 4),
		IS(cudaErrorInvalidConfiguration, 9),
		IS(cudaErrorInvalidPitchValue, 12),
		IS(cudaErrorInvalidSymbol, 13),
		IS(cudaErrorInvalidTexture, 18),
		IS(cudaErrorInvalidChannelDescriptor, 20),
		IS(cudaErrorInvalidMemcpyDirection, 21),
		IS(cudaErrorInsufficientDriver, 35),
		IS(cudaErrorInvalidSurface, 37),
		IS(cudaErrorMissingConfiguration, 52),
		IS(cudaErrorInvalidDeviceFunction, 98),
		IS(cudaErrorNoDevice, 100),
		IS(cudaErrorInvalidDevice, 101),
		IS(cudaErrorDeviceUninitialized, 201),
		IS(cudaErrorUnsupportedLimit, 215),
		IS(cudaErrorPeerAccessUnsupported, 217),
		IS(cudaErrorContained, 226),
		IS(cudaErrorOperatingSystem, 304),
		IS(cudaErrorInvalidResourceHandle, 400),
		IS(cudaErrorSymbolNotFound, 500),
		IS(cudaErrorNotReady, 600),
		IS(cudaErrorIllegalAddress, 700),
		IS(cudaErrorLaunchOutOfResources, 701),
		IS(cudaErrorLaunchTimeout, 702),
		IS(cudaErrorPeerAccessNotEnabled, 705),
		IS(cudaErrorSetOnActiveProcess, 708),
		IS(cudaErrorContextIsDestroyed, 709),
		IS(cudaErrorHostMemoryAlreadyRegistered, 712),
		IS(cudaErrorHostMemoryNotRegistered, 713),
		IS(cudaErrorLaunchFailure, 719),
		IS(cudaErrorTensorMemoryLeak, 721),
		IS(cudaErrorNotPermitted, 800),
		IS(cudaErrorNotSupported, 801),
		IS(cudaErrorStreamCaptureUnsupported, 900),
		IS(cudaErrorTimeout, 909),
		IS(cudaErrorInvalidResourceConfiguration, 915),
		IS(cudaErrorUnknown, 999),
		IS(cudaErrorApiFailureBase, 10000),
		IS(CUDA_ERROR_OUT_OF_MEMORY, 2),
		IS(CUDA_ERROR_NOT_INITIALIZED, 3),
		IS(CUDA_ERROR_INVALID_CONTEXT, 201),
		IS(CUDA_ERROR_INVALID_HANDLE, 400),
		IS(CUDA_ERROR_NOT_FOUND, 500),
		IS(CUDA_ERROR_ILLEGAL_ADDRESS, 700),
		IS(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708),
		IS(CUDA_ERROR_LAUNCH_FAILED, 719),
		IS(CUDA_ERROR_NOT_SUPPORTED, 801),
	};

	(void)state;
	compare(numbers, NR(numbers));
}

static void flags_have_cudas_numbers(void **state)
{
	static const struct number numbers[] = {
		IS(cudaMemcpyHostToHost, 0),
		IS(cudaMemcpyHostToDevice, 1),
		IS(cudaMemcpyDeviceToHost, 2),
		IS(cudaMemcpyDeviceToDevice, 3),
		IS(cudaMemcpyDefault, 4),
		IS(cudaMemoryTypeUnregistered, 0),
		IS(cudaMemoryTypeHost, 1),
		IS(cudaMemoryTypeDevice, 2),
		IS(cudaMemoryTypeManaged, 3),
		IS(cudaMemAttachGlobal, 1),
		IS(cudaMemAttachHost, 2),
		IS(cudaMemAttachSingle, 4),
		IS(cudaHostAllocPortable, 1),
		IS(cudaHostAllocMapped, 2),
		IS(cudaHostAllocWriteCombined, 4),
		IS(cudaHostRegisterIoMemory, 4),
		IS(cudaHostRegisterReadOnly, 8),
		IS(cudaStreamNonBlocking, 1),
		IS((uintptr_t)cudaStreamLegacy, 1),
		IS((uintptr_t)cudaStreamPerThread, 2),
		IS(cudaEventBlockingSync, 1),
		IS(cudaEventDisableTiming, 2),
		IS(cudaEventInterprocess, 4),
		IS(cudaDeviceScheduleSpin, 1),
		IS(cudaDeviceScheduleYield, 2),
		IS(cudaDeviceBlockingSync, 4),
		IS(cudaDeviceMapHost, 8),
		IS(cudaDeviceLmemResizeToMax, 16),
		IS(cudaDeviceSyncMemops, 128),
		IS(cudaArraySurfaceLoadStore, 2),
		IS(cudaArrayTextureGather, 8),
		IS(cudaCpuDeviceId, -1),
		IS(cudaInvalidDeviceId, -2),
		IS(cudaMemAdviseSetReadMostly, 1),
		IS(cudaMemAdviseUnsetAccessedBy, 6),
		IS(cudaMemLocationTypeDevice, 1),
		IS(cudaMemLocationTypeHostNumaCurrent, 4),
		IS(cudaMemRangeAttributeLastPrefetchLocationId, 8),
		IS(cudaLimitStackSize, 0),
		IS(cudaLimitMallocHeapSize, 2),
		IS(cudaLimitPersistingL2CacheSize, 6),
		IS(cudaSharedmemCarveoutDefault, -1),
		IS(cudaChannelFormatKindUnsigned, 1),
		IS(cudaChannelFormatKindUnsignedNormalized1010102, 31),
		IS(cudaResourceTypePitch2D, 3),
		IS(cudaAddressModeBorder, 3),
		IS(cudaBoundaryModeTrap, 2),
		IS(cudaExternalMemoryHandleTypeOpaqueFd, 1),
		IS(cudaExternalMemoryHandleTypeNvSciBuf, 8),
		IS(cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd, 9),
		IS(cudaLaunchAttributePreferredSharedMemoryCarveout, 14),
		IS(CU_MEMORYTYPE_UNIFIED, 4),
		IS(CU_MEM_ATTACH_SINGLE, 4),
		IS(CU_CTX_MAP_HOST, 8),
		IS(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8),
		IS(CU_AD_FORMAT_FLOAT, 32),
		IS(CU_EVENT_INTERPROCESS, 4),
		IS(CUDA_R_32F, 0),
		IS(CUDA_C_8U, 9),
	};

	(void)state;
	compare(numbers, NR(numbers));
}

static void attributes_have_cudas_numbers(void **state)
{
	static const struct number numbers[] = {
		IS(cudaDevAttrMaxThreadsPerBlock, 1),
		IS(cudaDevAttrClockRate, 13),
		IS(cudaDevAttrIntegrated, 18),
		IS(cudaDevAttrCanMapHostMemory, 19),
		IS(cudaDevAttrL2CacheSize, 38),
		IS(cudaDevAttrUnifiedAddressing, 41),
		IS(cudaDevAttrComputeCapabilityMajor, 75),
		IS(cudaDevAttrManagedMemory, 83),
		IS(cudaDevAttrHostNativeAtomicSupported, 86),
		IS(cudaDevAttrPageableMemoryAccess, 88),
		IS(cudaDevAttrConcurrentManagedAccess, 89),
		IS(cudaDevAttrCanUseHostPointerForRegisteredMem, 91),
		IS(cudaDevAttrCooperativeLaunch, 95),
		IS(cudaDevAttrHostRegisterSupported, 99),
		IS(cudaDevAttrDirectManagedMemAccessFromHost, 101),
		IS(cudaDevAttrMaxBlocksPerMultiprocessor, 106),
		IS(cudaDevAttrHostRegisterReadOnlySupported, 113),
		IS(cudaDevAttrMemoryPoolsSupported, 115),
		IS(cudaDevAttrGPUDirectRDMASupported, 116),
		IS(cudaDevAttrIpcEventSupport, 125),
		IS(cudaDevAttrMpsEnabled, 133),
		IS(cudaDevAttrHostNumaMultinodeIpcSupported, 143),
		IS(cudaDevAttrOnlyPartialHostNativeAtomicSupported, 147),
		IS(cudaDevAttrMax, 148),
		IS(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 89),
		IS(CU_DEVICE_ATTRIBUTE_MAX, 148),
	};

	(void)state;
	compare(numbers, NR(numbers));
}

static void structures_are_laid_out_as_cudas(void **state)
{
	static const struct number numbers[] = {
		SIZE(struct cudaDeviceProp, 1008),
		OFF(struct cudaDeviceProp, uuid, 256),
		OFF(struct cudaDeviceProp, totalGlobalMem, 288),
		OFF(struct cudaDeviceProp, warpSize, 308),
		OFF(struct cudaDeviceProp, major, 360),
		OFF(struct cudaDeviceProp, multiProcessorCount, 384),
		OFF(struct cudaDeviceProp, integrated, 388),
		OFF(struct cudaDeviceProp, managedMemory, 636),
		OFF(struct cudaDeviceProp, concurrentManagedAccess, 656),
		OFF(struct cudaDeviceProp, hostRegisterSupported, 704),
		OFF(struct cudaDeviceProp, hostNumaMultinodeIpcSupported, 780),
		OFF(struct cudaDeviceProp, reserved, 784),
		SIZE(struct cudaPointerAttributes, 88),
		OFF(struct cudaPointerAttributes, device, 4),
		OFF(struct cudaPointerAttributes, hostPointer, 16),
		SIZE(struct cudaFuncAttributes, 144),
		SIZE(struct cudaMemcpy3DParms, 160),
		OFF(struct cudaMemcpy3DParms, dstArray, 64),
		OFF(struct cudaMemcpy3DParms, kind, 152),
		SIZE(struct cudaPitchedPtr, 32),
		SIZE(struct cudaExtent, 24),
		SIZE(struct cudaChannelFormatDesc, 20),
		SIZE(struct cudaResourceDesc, 144),
		SIZE(struct cudaResourceViewDesc, 112),
		SIZE(struct cudaTextureDesc, 72),
		SIZE(struct cudaMemLocation, 8),
		SIZE(struct cudaMemPoolProps, 88),
		OFF(struct cudaMemPoolProps, usage, 32),
		SIZE(cudaIpcMemHandle_t, 64),
		SIZE(cudaUUID_t, 16),
		SIZE(struct cudaExternalMemoryHandleDesc, 104),
		OFF(struct cudaExternalMemoryHandleDesc, size, 24),
		SIZE(struct cudaExternalMemoryBufferDesc, 88),
		SIZE(struct cudaExternalSemaphoreHandleDesc, 96),
		SIZE(struct cudaExternalSemaphoreSignalParams, 144),
		SIZE(struct cudaExternalSemaphoreWaitParams, 144),
		SIZE(cudaLaunchAttributeValue, 64),
		SIZE(cudaLaunchAttribute, 72),
		SIZE(cudaLaunchConfig_t, 56),
		SIZE(CUDA_MEMCPY2D, 128),
		SIZE(CUDA_MEMCPY3D, 200),
		OFF(CUDA_MEMCPY3D, WidthInBytes, 176),
		SIZE(CUDA_ARRAY_DESCRIPTOR, 24),
		SIZE(CUDA_ARRAY3D_DESCRIPTOR, 40),
		SIZE(CUDA_RESOURCE_DESC, 144),
		SIZE(CUDA_TEXTURE_DESC, 104),
		SIZE(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, 104),
		SIZE(CUdeviceptr, 8),
	};

	(void)state;
	compare(numbers, NR(numbers));
}

static void vectors_are_laid_out_as_cudas(void **state)
{
	static const struct number numbers[] = {
		SIZE(char3, 3), ALIGN(char3, 1),
		SIZE(uchar4, 4), ALIGN(uchar4, 4),
		SIZE(short2, 4), ALIGN(short2, 4),
		SIZE(ushort3, 6), ALIGN(ushort3, 2),
		SIZE(short4, 8), ALIGN(short4, 8),
		SIZE(int2, 8), ALIGN(int2, 8),
		SIZE(int3, 12), ALIGN(int3, 4),
		SIZE(uint4, 16), ALIGN(uint4, 16),
		SIZE(float2, 8), ALIGN(float2, 8),
		SIZE(float3, 12), ALIGN(float3, 4),
		SIZE(float4, 16), ALIGN(float4, 16),
		SIZE(long2, 16), ALIGN(long2, 16),
		SIZE(longlong3, 24), ALIGN(longlong3, 8),
		SIZE(double2, 16), ALIGN(double2, 16),
		SIZE(double4, 32), ALIGN(double4, 16),
		SIZE(double4_32a, 32), ALIGN(double4_32a, 32),
		SIZE(dim3, 12), ALIGN(dim3, 4),
		OFF(uchar4, w, 3),
		OFF(double4, w, 24),
	};
	const float4 f = make_float4(1, 2, 3, 4);
	const uchar2 c = make_uchar2(5, 6);

	(void)state;
	compare(numbers, NR(numbers));
	assert_true(f.x == 1 && f.y == 2 && f.z == 3 && f.w == 4);
	assert_true(c.x == 5 && c.y == 6);
}

static void both_headers_name_errors_alike(void **state)
{
	int code, named = 0;

	(void)state;
	for (code = -1; code <= 10001; code++) {
		const char *name, *text, *said;

		name = cudaGetErrorName((cudaError_t)code);
		text = cudaGetErrorString((cudaError_t)code);
		if (!strcmp(name, "unrecognized error code")) {
			assert_string_equal(text, name);
			continue;
		}
		assert_memory_equal(name, "cuda", 4);
		assert_true(*text);
		named++;
		if (cuGetErrorString((CUresult)code, &said) == CUDA_SUCCESS)
			assert_string_equal(said, text);
		else
			assert_null(said);
	}
	/* The number of constants of enum cudaError */
	assert_int_equal(named, 134);
}

static uint32_t bits_f(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t bits(double value)
{
	uint64_t all;

	memcpy(&all, &value, sizeof(all));
	return all;
}

static void constants_are_those_of_mathematics(void **state)
{
	(void)state;
	assert_true(__builtin_acos(-1.0) == CUDART_PI);
	assert_true(CUDART_PI_F == (float)CUDART_PI);
	assert_true(__builtin_log(2.0) == CUDART_LN2);
	assert_true(__builtin_sqrtf(2.0f) == CUDART_SQRT_TWO_F);
	assert_true(CUDART_PI_LO != 0 && CUDART_PI_HI + CUDART_PI_LO ==
		    CUDART_PI);
	assert_int_equal(bits_f(CUDART_INF_F), 0x7f800000);
	assert_int_equal(bits_f(CUDART_NAN_F), 0x7fffffff);
	assert_int_equal(bits_f(CUDART_NEG_ZERO_F), 0x80000000);
	assert_int_equal(bits_f(CUDART_MIN_DENORM_F), 1);
	assert_int_equal(bits_f(CUDART_MAX_NORMAL_F), 0x7f7fffff);
	assert_true(bits(CUDART_INF) == 0x7ff0000000000000);
	assert_true(bits(CUDART_NAN) == 0xfff8000000000000);
	assert_true(bits(CUDART_NEG_ZERO) == 0x8000000000000000);
	assert_true(bits(CUDART_MIN_DENORM) == 1);
	assert_int_equal(sizeof(CUDART_INF_F), sizeof(float));
	assert_int_equal(sizeof(CUDART_INF), sizeof(double));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_cudas_numbers),
		cmocka_unit_test(flags_have_cudas_numbers),
		cmocka_unit_test(attributes_have_cudas_numbers),
		cmocka_unit_test(structures_are_laid_out_as_cudas),
		cmocka_unit_test(vectors_are_laid_out_as_cudas),
		cmocka_unit_test(both_headers_name_errors_alike),
		cmocka_unit_test(constants_are_those_of_mathematics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
