// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: primary contexts and contexts that the program creates. */
#include "driver.h"

API CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	if (rc)
		return rc;
	return pctx ? core_primary_retain(dev, pctx) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	return rc ? rc : core_primary_release(dev);
}

ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

API CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	return rc ? rc : core_primary_reset(dev);
}

ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	return rc ? rc : core_primary_set_flags(dev, flags);
}

ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

API CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags,
					int *active)
{
	const struct core_device *which;
	int rc = driver_device(dev, &which);
	bool is_active;

	if (rc)
		return rc;
	if (!flags || !active)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_primary_state(dev, flags, &is_active);
	if (!rc)
		*active = is_active;
	return rc;
}

static int driver_context_create(CUcontext *pctx, unsigned int flags, int dev)
{
	const struct core_device *which;
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (!pctx)
		return CUDA_ERROR_INVALID_VALUE;
	return driver_device(dev, &which) ? CUDA_ERROR_INVALID_DEVICE :
					    core_ctx_create(dev, flags, pctx);
}

API CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	return driver_context_create(pctx, flags, dev);
}

ALIAS(cuCtxCreate, cuCtxCreate_v2);

/* CUDA 11.4 to 12. Sharing of multiprocessors is not modelled. */
API CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray,
			    int numParams, unsigned int flags, CUdevice dev);

API CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray,
			    int numParams, unsigned int flags, CUdevice dev)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (paramsArray && numParams)
		return CUDA_ERROR_NOT_SUPPORTED;
	return driver_context_create(pctx, flags, dev);
}

/* Since CUDA 13. Contexts for graphics interfaces are not modelled. */
API CUresult cuCtxCreate_v4(CUcontext *pctx,
			    CUctxCreateParams *ctxCreateParams,
			    unsigned int flags, CUdevice dev)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (ctxCreateParams && (ctxCreateParams->numExecAffinityParams ||
				ctxCreateParams->cigParams))
		return CUDA_ERROR_NOT_SUPPORTED;
	return driver_context_create(pctx, flags, dev);
}

API CUresult cuCtxDestroy_v2(CUcontext ctx)
{
	const int rc = driver_ready();

	return rc ? rc : core_ctx_destroy(ctx);
}

ALIAS(cuCtxDestroy, cuCtxDestroy_v2);

API CUresult cuCtxPushCurrent_v2(CUcontext ctx)
{
	const int rc = driver_ready();

	return rc ? rc : core_push(ctx);
}

ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);

API CUresult cuCtxPopCurrent_v2(CUcontext *pctx)
{
	const int rc = driver_ready();

	return rc ? rc : core_pop(pctx);
}

ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

API CUresult cuCtxSetCurrent(CUcontext ctx)
{
	const int rc = driver_ready();

	return rc ? rc : core_set_top(ctx);
}

API CUresult cuCtxGetCurrent(CUcontext *pctx)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (!pctx)
		return CUDA_ERROR_INVALID_VALUE;
	*pctx = core_top();
	return CUDA_SUCCESS;
}

API CUresult cuCtxGetDevice(CUdevice *device)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = ctx->device->ordinal;
	return CUDA_SUCCESS;
}

/* Host memory is always mapped, even if the program did not ask for it. */
API CUresult cuCtxGetFlags(unsigned int *flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = ctx->flags | CU_CTX_MAP_HOST;
	return CUDA_SUCCESS;
}

API CUresult cuCtxSetFlags(unsigned int flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_ctx_set_flags(ctx, flags);
}

/* Contexts are never freed, so an address is a unique id. */
API CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
	int rc = driver_ready();

	if (!rc && !ctx)
		rc = driver_ctx(&ctx);
	if (rc)
		return rc;
	if (!ctxId)
		return CUDA_ERROR_INVALID_VALUE;
	if (!core_ctx_exists(ctx))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	*ctxId = (uintptr_t)ctx;
	return CUDA_SUCCESS;
}

API CUresult cuCtxSynchronize(void)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_ctx_sync(ctx);
}

/* The version of contexts has been the same since CUDA 3.2. */
API CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
	int rc = driver_ready();

	if (!rc && !ctx)
		rc = driver_ctx(&ctx);
	if (rc)
		return rc;
	if (!core_ctx_exists(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = 3020;
	return CUDA_SUCCESS;
}

API CUresult cuCtxGetStreamPriorityRange(int *leastPriority,
					 int *greatestPriority)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (leastPriority)
		*leastPriority = MEM_PRIORITY_LEAST;
	if (greatestPriority)
		*greatestPriority = MEM_PRIORITY_GREATEST;
	return CUDA_SUCCESS;
}
