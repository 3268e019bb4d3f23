// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: semaphores imported by file descriptor or as NvSciSyncObj. */
#include "driver.h"

/* Short names, so that declarations fit a line */
typedef const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_params;
typedef const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_params;

API CUresult
cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
			  const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *what)
{
	struct core_semaphore_desc desc = { .call = __func__ };
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!extSem_out || !what)
		return CUDA_ERROR_INVALID_VALUE;
	desc.type = what->type;
	if (what->type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC)
		desc.object = what->handle.nvSciSyncObj;
	else
		desc.fd = what->handle.fd;
	desc.flags = what->flags;
	return core_semaphore_import(ctx, &desc, extSem_out);
}

API CUresult
cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
				signal_params *paramsArray,
				unsigned int numExtSems, CUstream stream)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!extSemArray || !paramsArray || !numExtSems)
		return CUDA_ERROR_INVALID_VALUE;
	return core_semaphores_signal(extSemArray, paramsArray, numExtSems,
				      stream);
}

PER_THREAD(cuSignalExternalSemaphoresAsync, _ptsz);

API CUresult
cuSignalExternalSemaphoresAsync_ptsz(const CUexternalSemaphore *extSemArray,
				     signal_params *paramsArray,
				     unsigned int numExtSems, CUstream stream)
{
	return cuSignalExternalSemaphoresAsync(extSemArray, paramsArray,
					       numExtSems, driver_own(stream));
}

API CUresult
cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
			      wait_params *paramsArray,
			      unsigned int numExtSems, CUstream stream)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!extSemArray || !paramsArray || !numExtSems)
		return CUDA_ERROR_INVALID_VALUE;
	return core_semaphores_wait(extSemArray, paramsArray, numExtSems,
				    stream);
}

PER_THREAD(cuWaitExternalSemaphoresAsync, _ptsz);

API CUresult
cuWaitExternalSemaphoresAsync_ptsz(const CUexternalSemaphore *extSemArray,
				   wait_params *paramsArray,
				   unsigned int numExtSems, CUstream stream)
{
	return cuWaitExternalSemaphoresAsync(extSemArray, paramsArray,
					     numExtSems, driver_own(stream));
}

API CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_semaphore_destroy(extSem);
}

API CUresult cuDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList,
					    CUdevice dev, int flags)
{
	const struct core_device *which;
	const int rc = driver_device(dev, &which);

	return rc ? rc : core_sync_attributes(nvSciSyncAttrList,
					      (unsigned int)flags);
}
