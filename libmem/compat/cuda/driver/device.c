// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: devices and their peers. */
#include <string.h>

#include "driver.h"

API CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	const struct core_device *which;
	int rc = driver_ready();

	if (rc)
		return rc;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	rc = driver_device(ordinal, &which);
	if (!rc)
		*device = which->ordinal;
	return rc;
}

API CUresult cuDeviceGetCount(int *count)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = core_nr_devices();
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	if (rc)
		return rc;
	if (!name || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	strncpy(name, which->name, len);
	name[len - 1] = '\0';
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	if (rc)
		return rc;
	if (!uuid)
		return CUDA_ERROR_INVALID_VALUE;
	return core_uuid(which, (unsigned char *)uuid->bytes);
}

ALIAS(cuDeviceGetUuid, cuDeviceGetUuid_v2);

API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	if (rc)
		return rc;
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	*bytes = which->board.memory_len;
	return CUDA_SUCCESS;
}

ALIAS(cuDeviceTotalMem, cuDeviceTotalMem_v2);

API CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib,
				  CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	if (rc)
		return rc;
	if (!pi)
		return CUDA_ERROR_INVALID_VALUE;
	return core_attribute(which, attrib, pi);
}

/* Older than attributes; returns two of them. */
API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev);

API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	if (rc)
		return rc;
	if (!major || !minor)
		return CUDA_ERROR_INVALID_VALUE;
	*major = which->board.capability / 10;
	*minor = which->board.capability % 10;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (!dev || !pciBusId)
		return CUDA_ERROR_INVALID_VALUE;
	return core_device_at(pciBusId, dev);
}

API CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	if (rc)
		return rc;
	if (!pciBusId)
		return CUDA_ERROR_INVALID_VALUE;
	return core_pci_id(which, pciBusId, len);
}

API CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
						CUarray_format format,
						unsigned int numChannels,
						CUdevice dev)
{
	const struct core_device *which;
	int width, rc = driver_device(dev, &which);

	if (rc)
		return rc;
	if (!maxWidthInElements || !format ||
	    (numChannels != 1 && numChannels != 2 && numChannels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_attribute(which,
			    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH,
			    &width);
	if (!rc)
		*maxWidthInElements = width;
	return rc;
}

/* A Tegra's devices are not peers (CUDA for Tegra, 3.6). */
API CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev,
				   CUdevice peerDev)
{
	const struct core_device *which;
	int rc = driver_device(dev, &which);

	if (!rc)
		rc = driver_device(peerDev, &which);
	if (rc)
		return rc;
	if (!canAccessPeer)
		return CUDA_ERROR_INVALID_VALUE;
	*canAccessPeer = 0;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib,
				     CUdevice srcDevice, CUdevice dstDevice)
{
	const struct core_device *which;
	int rc = driver_device(srcDevice, &which);

	if (!rc)
		rc = driver_device(dstDevice, &which);
	if (rc)
		return rc;
	if (srcDevice == dstDevice)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || attrib < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
	    attrib > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)
		return CUDA_ERROR_INVALID_VALUE;
	*value = 0;
	return CUDA_SUCCESS;
}

API CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	return core_ctx_exists(peerContext) ?
		CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : CUDA_ERROR_INVALID_CONTEXT;
}

API CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return core_ctx_exists(peerContext) ?
		CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}
