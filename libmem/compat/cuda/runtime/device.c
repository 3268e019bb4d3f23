// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: choice of the device, and how the host waits for it. */
#include "runtime.h"

API cudaError_t cudaGetDeviceCount(int *count)
{
	int rc;

	if (!count)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_init();
	*count = core_nr_devices();
	return cudart_return(rc);
}

API cudaError_t cudaGetDevice(int *device)
{
	int rc;

	if (!device)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_init();
	if (!rc)
		*device = core_get_device();
	return cudart_return(rc);
}

API cudaError_t cudaSetDevice(int device)
{
	return cudart_return(core_set_device(device));
}

API cudaError_t cudaInitDevice(int device, unsigned int deviceFlags,
			       unsigned int flags)
{
	struct CUctx_st *ctx;
	int rc;

	if (flags & ~(unsigned int)cudaInitDeviceFlagsAreValid)
		return cudart_return(cudaErrorInvalidValue);
	if (flags) {
		rc = core_primary_set_flags(device, deviceFlags);
		if (rc)
			return cudart_return(rc);
	}
	rc = core_primary_open(device, &ctx);
	return cudart_return(rc);
}

API cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	const int rc = core_init();

	if (rc)
		return cudart_return(rc);
	return cudart_return(core_primary_set_flags(core_get_device(),
						    flags));
}

API cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	bool is_active;
	int rc;

	if (!flags)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_init();
	if (!rc)
		rc = core_primary_state(core_get_device(), flags, &is_active);
	/* Host memory is always mapped, even if not asked for. */
	if (!rc)
		*flags |= cudaDeviceMapHost;
	return cudart_return(rc);
}

API cudaError_t cudaDeviceReset(void)
{
	const int rc = core_init();

	if (rc)
		return cudart_return(rc);
	return cudart_return(core_primary_reset(core_get_device()));
}

API cudaError_t cudaDeviceSynchronize(void)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	return cudart_return(rc ? rc : core_ctx_sync(ctx));
}
