// SPDX-License-Identifier: LGPL-2.1-or-later
/* CUDA's objects as libmem's. heapsim_cuda.h documents the calls. */
#include "core.h"
#include "heapsim_cuda.h"

API int heapsim_cuda_ctx(struct mem_ctx **ctx)
{
	struct CUctx_st *current;
	int rc;

	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&current);
	if (!rc)
		*ctx = current->mem;
	return rc;
}

API int heapsim_cuda_stream(struct CUstream_st *stream, struct mem_stream **mem)
{
	struct CUctx_st *current;
	int rc;

	if (!mem)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&current);
	return rc ? rc : core_stream(current, stream, mem);
}

API int heapsim_cuda_event(struct CUevent_st *event, struct mem_event **mem,
			   struct mem_ctx **ctx)
{
	int rc;

	if (!mem || !ctx)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_event(event, mem);
	if (!rc)
		*ctx = event->ctx->mem;
	return rc;
}
