// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runtime: semaphores imported by file descriptor or as NvSciSyncObj. Structs
 * and flags are the same as the driver's.
 */
#include "runtime.h"

/* Short names, so that declarations fit a line */
typedef const struct cudaExternalSemaphoreSignalParams signal_params;
typedef const struct cudaExternalSemaphoreWaitParams wait_params;

/* The handles of runtime and driver are the same. */
static CUexternalSemaphore
runtime_driver_semaphore(cudaExternalSemaphore_t semaphore)
{
	return (CUexternalSemaphore)semaphore;
}

API cudaError_t
cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
			    const struct cudaExternalSemaphoreHandleDesc *what)
{
	struct core_semaphore_desc desc = { .call = __func__ };
	CUexternalSemaphore made;
	struct CUctx_st *ctx;
	int rc;

	if (!extSem_out || !what)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (rc)
		return cudart_return(rc);
	desc.type = what->type;
	if (what->type == cudaExternalSemaphoreHandleTypeNvSciSync)
		desc.object = what->handle.nvSciSyncObj;
	else
		desc.fd = what->handle.fd;
	desc.flags = what->flags;
	rc = core_semaphore_import(ctx, &desc, &made);
	if (!rc)
		*extSem_out = (cudaExternalSemaphore_t)made;
	return cudart_return(rc);
}

API cudaError_t
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
				  signal_params *paramsArray,
				  unsigned int numExtSems, cudaStream_t stream)
{
	_Static_assert(sizeof(*paramsArray) ==
		       sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS),
		       "the same struct");
	if (!extSemArray || !paramsArray || !numExtSems)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_semaphores_signal((void *)extSemArray,
						    (const void *)paramsArray,
						    numExtSems, stream));
}

API cudaError_t
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
				wait_params *paramsArray,
				unsigned int numExtSems, cudaStream_t stream)
{
	_Static_assert(sizeof(*paramsArray) ==
		       sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS),
		       "the same struct");
	if (!extSemArray || !paramsArray || !numExtSems)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_semaphores_wait((void *)extSemArray,
						  (const void *)paramsArray,
						  numExtSems, stream));
}

API cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_semaphore_destroy(runtime_driver_semaphore(extSem));
	return cudart_return(rc);
}

API cudaError_t cudaDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList,
						 int device, int flags)
{
	int rc = core_init();

	if (!rc && !core_device(device))
		rc = CUDA_ERROR_INVALID_DEVICE;
	if (!rc)
		rc = core_sync_attributes(nvSciSyncAttrList,
					  (unsigned int)flags);
	return cudart_return(rc);
}
