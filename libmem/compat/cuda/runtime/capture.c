// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runtime: state of a stream's capture into a graph. Libraries check it before
 * calls that a capture forbids. Graphs are not implemented, so a stream is
 * never captured.
 */
#include "runtime.h"

/* Symbols of older versions */
cudaError_t
cudaStreamGetCaptureInfo_11040(cudaStream_t stream,
			       enum cudaStreamCaptureStatus *status,
			       unsigned long long *id);
cudaError_t
cudaStreamGetCaptureInfo_12060(cudaStream_t stream,
			       enum cudaStreamCaptureStatus *status,
			       unsigned long long *id, cudaGraph_t *graph,
			       const cudaGraphNode_t **dependencies,
			       size_t *nr);
extern __typeof__(cudaStreamGetCaptureInfo_11040)
	cudaStreamGetCaptureInfo_11040_ptsz;
extern __typeof__(cudaStreamGetCaptureInfo_12060)
	cudaStreamGetCaptureInfo_12060_ptsz, cudaStreamGetCaptureInfo_v2,
	cudaStreamGetCaptureInfo_v2_ptsz;
extern __typeof__(cudaStreamGetCaptureInfo) cudaStreamGetCaptureInfo_ptsz,
	cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3_ptsz;

API cudaError_t
cudaStreamIsCapturing(cudaStream_t stream,
		      enum cudaStreamCaptureStatus *pCaptureStatus)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc;

	if (!pCaptureStatus)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	if (!rc)
		*pCaptureStatus = cudaStreamCaptureStatusNone;
	return cudart_return(rc);
}

/* The other outputs are only written during a capture. */
API cudaError_t
cudaStreamGetCaptureInfo_11040(cudaStream_t stream,
			       enum cudaStreamCaptureStatus *status,
			       unsigned long long *id)
{
	(void)id;
	return cudaStreamIsCapturing(stream, status);
}

API cudaError_t
cudaStreamGetCaptureInfo_12060(cudaStream_t stream,
			       enum cudaStreamCaptureStatus *status,
			       unsigned long long *id, cudaGraph_t *graph,
			       const cudaGraphNode_t **dependencies,
			       size_t *nr)
{
	(void)id;
	(void)graph;
	(void)dependencies;
	(void)nr;
	return cudaStreamIsCapturing(stream, status);
}

API cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
			 enum cudaStreamCaptureStatus *status,
			 unsigned long long *id, cudaGraph_t *graph,
			 const cudaGraphNode_t **dependencies,
			 const cudaGraphEdgeData **edges, size_t *nr)
{
	(void)id;
	(void)graph;
	(void)dependencies;
	(void)edges;
	(void)nr;
	return cudaStreamIsCapturing(stream, status);
}

API cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	const int rc = core_init();

	return cudart_return(rc ? rc : core_capture_mode((unsigned int *)mode));
}

/* A default stream per thread makes no difference. */
#define SAME(name, call) \
	API __typeof__(call) name __attribute__((alias(#call)))

SAME(cudaStreamGetCaptureInfo_11040_ptsz, cudaStreamGetCaptureInfo_11040);
SAME(cudaStreamGetCaptureInfo_12060_ptsz, cudaStreamGetCaptureInfo_12060);
SAME(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_12060);
SAME(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_12060);
SAME(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
SAME(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo);
SAME(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo);
