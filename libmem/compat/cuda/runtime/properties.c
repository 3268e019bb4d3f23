// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: properties of devices and their peers. */
#include <stddef.h>
#include <string.h>

#include "runtime.h"

/**
 * struct field - a field of struct cudaDeviceProp with an attribute's value
 * @attr: cudaDevAttr*
 * @off: offset of the field
 * @is_size: the field is a size_t, else an int
 */
struct field {
	int attr;
	size_t off;
	bool is_size;
};

#define INT(attr, name) \
	{ cudaDevAttr##attr, offsetof(struct cudaDeviceProp, name), false }
#define SIZE(attr, name) \
	{ cudaDevAttr##attr, offsetof(struct cudaDeviceProp, name), true }

static const struct field fields[] = {
	SIZE(MaxSharedMemoryPerBlock, sharedMemPerBlock),
	INT(MaxRegistersPerBlock, regsPerBlock),
	INT(WarpSize, warpSize),
	SIZE(MaxPitch, memPitch),
	INT(MaxThreadsPerBlock, maxThreadsPerBlock),
	INT(MaxBlockDimX, maxThreadsDim[0]),
	INT(MaxBlockDimY, maxThreadsDim[1]),
	INT(MaxBlockDimZ, maxThreadsDim[2]),
	INT(MaxGridDimX, maxGridSize[0]),
	INT(MaxGridDimY, maxGridSize[1]),
	INT(MaxGridDimZ, maxGridSize[2]),
	SIZE(TotalConstantMemory, totalConstMem),
	INT(ComputeCapabilityMajor, major),
	INT(ComputeCapabilityMinor, minor),
	SIZE(TextureAlignment, textureAlignment),
	SIZE(TexturePitchAlignment, texturePitchAlignment),
	INT(MultiProcessorCount, multiProcessorCount),
	INT(Integrated, integrated),
	INT(CanMapHostMemory, canMapHostMemory),
	INT(MaxTexture1DWidth, maxTexture1D),
	INT(MaxTexture1DMipmappedWidth, maxTexture1DMipmap),
	INT(MaxTexture2DWidth, maxTexture2D[0]),
	INT(MaxTexture2DHeight, maxTexture2D[1]),
	INT(MaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
	INT(MaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
	INT(MaxTexture2DLinearWidth, maxTexture2DLinear[0]),
	INT(MaxTexture2DLinearHeight, maxTexture2DLinear[1]),
	INT(MaxTexture2DLinearPitch, maxTexture2DLinear[2]),
	INT(MaxTexture2DGatherWidth, maxTexture2DGather[0]),
	INT(MaxTexture2DGatherHeight, maxTexture2DGather[1]),
	INT(MaxTexture3DWidth, maxTexture3D[0]),
	INT(MaxTexture3DHeight, maxTexture3D[1]),
	INT(MaxTexture3DDepth, maxTexture3D[2]),
	INT(MaxTexture3DWidthAlt, maxTexture3DAlt[0]),
	INT(MaxTexture3DHeightAlt, maxTexture3DAlt[1]),
	INT(MaxTexture3DDepthAlt, maxTexture3DAlt[2]),
	INT(MaxTextureCubemapWidth, maxTextureCubemap),
	INT(MaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
	INT(MaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
	INT(MaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
	INT(MaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
	INT(MaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
	INT(MaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]),
	INT(MaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]),
	INT(MaxSurface1DWidth, maxSurface1D),
	INT(MaxSurface2DWidth, maxSurface2D[0]),
	INT(MaxSurface2DHeight, maxSurface2D[1]),
	INT(MaxSurface3DWidth, maxSurface3D[0]),
	INT(MaxSurface3DHeight, maxSurface3D[1]),
	INT(MaxSurface3DDepth, maxSurface3D[2]),
	INT(MaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
	INT(MaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
	INT(MaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
	INT(MaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
	INT(MaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
	INT(MaxSurfaceCubemapWidth, maxSurfaceCubemap),
	INT(MaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]),
	INT(MaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]),
	SIZE(SurfaceAlignment, surfaceAlignment),
	INT(ConcurrentKernels, concurrentKernels),
	INT(EccEnabled, ECCEnabled),
	INT(PciBusId, pciBusID),
	INT(PciDeviceId, pciDeviceID),
	INT(PciDomainId, pciDomainID),
	INT(TccDriver, tccDriver),
	INT(AsyncEngineCount, asyncEngineCount),
	INT(UnifiedAddressing, unifiedAddressing),
	INT(GlobalMemoryBusWidth, memoryBusWidth),
	INT(L2CacheSize, l2CacheSize),
	INT(MaxPersistingL2CacheSize, persistingL2CacheMaxSize),
	INT(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
	INT(StreamPrioritiesSupported, streamPrioritiesSupported),
	INT(GlobalL1CacheSupported, globalL1CacheSupported),
	INT(LocalL1CacheSupported, localL1CacheSupported),
	SIZE(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
	INT(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
	INT(ManagedMemory, managedMemory),
	INT(IsMultiGpuBoard, isMultiGpuBoard),
	INT(MultiGpuBoardGroupID, multiGpuBoardGroupID),
	INT(HostNativeAtomicSupported, hostNativeAtomicSupported),
	INT(PageableMemoryAccess, pageableMemoryAccess),
	INT(ConcurrentManagedAccess, concurrentManagedAccess),
	INT(ComputePreemptionSupported, computePreemptionSupported),
	INT(CanUseHostPointerForRegisteredMem,
	    canUseHostPointerForRegisteredMem),
	INT(CooperativeLaunch, cooperativeLaunch),
	SIZE(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
	INT(PageableMemoryAccessUsesHostPageTables,
	    pageableMemoryAccessUsesHostPageTables),
	INT(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
	INT(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
	INT(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
	SIZE(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
	INT(HostRegisterSupported, hostRegisterSupported),
	INT(SparseCudaArraySupported, sparseCudaArraySupported),
	INT(HostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
	INT(TimelineSemaphoreInteropSupported,
	    timelineSemaphoreInteropSupported),
	INT(MemoryPoolsSupported, memoryPoolsSupported),
	INT(GPUDirectRDMASupported, gpuDirectRDMASupported),
	INT(GPUDirectRDMAFlushWritesOptions, gpuDirectRDMAFlushWritesOptions),
	INT(GPUDirectRDMAWritesOrdering, gpuDirectRDMAWritesOrdering),
	INT(MemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes),
	INT(DeferredMappingCudaArraySupported,
	    deferredMappingCudaArraySupported),
	INT(IpcEventSupport, ipcEventSupported),
	INT(ClusterLaunch, clusterLaunch),
	/* The runtime has no name for this attribute. */
	{ CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS,
	  offsetof(struct cudaDeviceProp, unifiedFunctionPointers), false },
	INT(NumaConfig, deviceNumaConfig),
	INT(NumaId, deviceNumaId),
	INT(MpsEnabled, mpsEnabled),
	INT(HostNumaId, hostNumaId),
	INT(GpuPciDeviceId, gpuPciDeviceID),
	INT(GpuPciSubsystemId, gpuPciSubsystemID),
	INT(HostNumaMultinodeIpcSupported, hostNumaMultinodeIpcSupported),

	/* Not in CUDA 13.0 any more */
	INT(ClockRate, clockRate),
	INT(GpuOverlap, deviceOverlap),
	INT(KernelExecTimeout, kernelExecTimeoutEnabled),
	INT(ComputeMode, computeMode),
	INT(MaxTexture1DLinearWidth, maxTexture1DLinear),
	INT(MemoryClockRate, memoryClockRate),
	INT(SingleToDoublePrecisionPerfRatio,
	    singleToDoublePrecisionPerfRatio),
	INT(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
};

/* The runtime's calls check the number of a device first. */
static int runtime_find_device(int ordinal, const struct core_device **device)
{
	const int rc = core_init();

	if (rc)
		return rc;
	*device = core_device(ordinal);
	return *device ? cudaSuccess : cudaErrorInvalidDevice;
}

static void runtime_describe(const struct core_device *device,
			     struct cudaDeviceProp *prop)
{
	size_t i;

	memset(prop, 0, sizeof(*prop));
	strcpy(prop->name, device->name);
	core_uuid(device, (unsigned char *)prop->uuid.bytes);
	prop->totalGlobalMem = device->board.memory_len;
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		char *const at = (char *)prop + fields[i].off;
		int value = 0;

		core_attribute(device, fields[i].attr, &value);
		if (fields[i].is_size)
			*(size_t *)at = value;
		else
			*(int *)at = value;
	}
}

API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop,
					int device)
{
	const struct core_device *which;
	int rc;

	if (!prop)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_device(device, &which);
	if (!rc)
		runtime_describe(which, prop);
	return cudart_return(rc);
}

API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
				       int device)
{
	const struct core_device *which;
	int rc;

	if (!value)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_device(device, &which);
	if (!rc)
		rc = core_attribute(which, attr, value);
	return cudart_return(rc);
}

/* Returns how many of the wanted properties a device has. 0: not wanted. */
static int runtime_nr_matches(const struct cudaDeviceProp *want,
			      const struct cudaDeviceProp *have)
{
	int nr = 0;

	if (want->name[0])
		nr += !strcmp(want->name, have->name);
	if (want->major || want->minor)
		nr += have->major > want->major ||
			(have->major == want->major &&
			 have->minor >= want->minor);
	if (want->totalGlobalMem)
		nr += have->totalGlobalMem >= want->totalGlobalMem;
	if (want->multiProcessorCount)
		nr += have->multiProcessorCount >= want->multiProcessorCount;
	if (want->sharedMemPerBlock)
		nr += have->sharedMemPerBlock >= want->sharedMemPerBlock;
	if (want->regsPerBlock)
		nr += have->regsPerBlock >= want->regsPerBlock;
	if (want->maxThreadsPerBlock)
		nr += have->maxThreadsPerBlock >= want->maxThreadsPerBlock;
	if (want->l2CacheSize)
		nr += have->l2CacheSize >= want->l2CacheSize;
	if (want->clockRate)
		nr += have->clockRate >= want->clockRate;
	nr += want->integrated && have->integrated;
	nr += want->managedMemory && have->managedMemory;
	nr += want->concurrentManagedAccess && have->concurrentManagedAccess;
	nr += want->pageableMemoryAccess && have->pageableMemoryAccess;
	nr += want->hostRegisterSupported && have->hostRegisterSupported;
	return nr;
}

API cudaError_t cudaChooseDevice(int *device,
				 const struct cudaDeviceProp *prop)
{
	struct cudaDeviceProp have;
	int i, nr, best = -1, rc;

	if (!device || !prop)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_init();
	if (rc)
		return cudart_return(rc);
	for (i = 0; i < core_nr_devices(); i++) {
		runtime_describe(core_device(i), &have);
		nr = runtime_nr_matches(prop, &have);
		if (nr > best) {
			best = nr;
			*device = i;
		}
	}
	return cudaSuccess;
}

API cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
	const struct core_device *which;
	int rc;

	if (!pciBusId)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_device(device, &which);
	if (!rc)
		rc = core_pci_id(which, pciBusId, len);
	return cudart_return(rc);
}

API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
	int rc;

	if (!device || !pciBusId)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_init();
	if (!rc)
		rc = core_device_at(pciBusId, device);
	return cudart_return(rc);
}

API cudaError_t
cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
				     const struct cudaChannelFormatDesc *desc,
				     int device)
{
	const struct core_device *which;
	int width, rc;

	if (!maxWidthInElements || !desc)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_device(device, &which);
	if (!rc)
		rc = core_attribute(which, cudaDevAttrMaxTexture1DLinearWidth,
				    &width);
	if (!rc)
		*maxWidthInElements = width;
	return cudart_return(rc);
}

/*
 * A Tegra's devices are not peers (CUDA for Tegra, 3.6). A device is not its
 * own peer, either.
 */
API cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device,
					int peerDevice)
{
	const struct core_device *which;
	int rc;

	if (!canAccessPeer)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_device(device, &which);
	if (!rc)
		rc = runtime_find_device(peerDevice, &which);
	if (!rc)
		*canAccessPeer = 0;
	return cudart_return(rc);
}

API cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
	const struct core_device *which;
	int rc;

	if (flags)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_device(peerDevice, &which);
	return cudart_return(rc ? rc : cudaErrorPeerAccessUnsupported);
}

API cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
	const struct core_device *which;
	const int rc = runtime_find_device(peerDevice, &which);

	return cudart_return(rc ? rc : cudaErrorPeerAccessNotEnabled);
}

API cudaError_t cudaDeviceGetP2PAttribute(int *value,
					  enum cudaDeviceP2PAttr attr,
					  int srcDevice, int dstDevice)
{
	const struct core_device *which;
	int rc;

	if (!value || (int)attr < cudaDevP2PAttrPerformanceRank ||
	    (int)attr > cudaDevP2PAttrOnlyPartialNativeAtomicSupported)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_device(srcDevice, &which);
	if (!rc)
		rc = runtime_find_device(dstDevice, &which);
	if (!rc && srcDevice == dstDevice)
		rc = cudaErrorInvalidDevice;
	if (!rc)
		*value = 0;
	return cudart_return(rc);
}

API cudaError_t cudaDriverGetVersion(int *driverVersion)
{
	if (!driverVersion)
		return cudart_return(cudaErrorInvalidValue);
	*driverVersion = CUDA_VERSION;
	return cudaSuccess;
}

API cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
	if (!runtimeVersion)
		return cudart_return(cudaErrorInvalidValue);
	*runtimeVersion = CUDART_VERSION;
	return cudaSuccess;
}
