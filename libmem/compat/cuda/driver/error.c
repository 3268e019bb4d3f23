// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: names of errors. */
#include "core.h"

API CUresult cuGetErrorName(CUresult error, const char **pStr)
{
	const struct core_error_text *text = core_error_text(error);

	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = text ? text->driver : NULL;
	return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGetErrorString(CUresult error, const char **pStr)
{
	const struct core_error_text *text = core_error_text(error);

	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = text && text->driver ? text->text : NULL;
	return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
