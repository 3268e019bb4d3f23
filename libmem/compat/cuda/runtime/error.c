// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: each thread's last error, and what errors are called. */
#include "runtime.h"

static _Thread_local cudaError_t last;

/**
 * cudart_return() - remember an error for cudaGetLastError()
 * @rc: of the core: CUDA_SUCCESS or a CUresult, which has the runtime's number
 *
 * That something is not ready yet is an answer, not an error.
 *
 * Return: @rc as the runtime's type.
 */
cudaError_t cudart_return(int rc)
{
	const cudaError_t error = (cudaError_t)rc;

	if (error != cudaSuccess && error != cudaErrorNotReady)
		last = error;
	return error;
}

API cudaError_t cudaPeekAtLastError(void)
{
	return last;
}

API cudaError_t cudaGetLastError(void)
{
	const cudaError_t error = last;

	last = cudaSuccess;
	return error;
}

API const char *cudaGetErrorName(cudaError_t error)
{
	const struct core_error_text *text = core_error_text(error);

	return text && text->runtime ? text->runtime :
				       "unrecognized error code";
}

API const char *cudaGetErrorString(cudaError_t error)
{
	const struct core_error_text *text = core_error_text(error);

	return text && text->runtime ? text->text : "unrecognized error code";
}
