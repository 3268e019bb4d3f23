// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: each thread's last error, and names of errors. */
#include "runtime.h"

static _Thread_local cudaError_t last;

/**
 * cudart_return() - store an error for cudaGetLastError()
 * @rc: result of the core: CUDA_SUCCESS or a CUresult, which equals the
 *	runtime's
 *
 * cudaErrorNotReady is not stored, since it is not an error.
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
