/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From CUDA to libmem: what is behind the calls of the CUDA-shaped surface. A
 * program asks libmem here what CUDA does not report (counters, facts of the
 * board, names for reports), or gives work to engines that CUDA does not know.
 *
 * CUDA has no such header: look for it with __has_include().
 */
#ifndef _HEAPSIM_CUDA_H
#define _HEAPSIM_CUDA_H

#include <libmem.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUevent_st;
struct CUstream_st;

/**
 * heapsim_cuda_ctx() - libmem's context behind the current CUDA context
 * @ctx: out: libmem's; CUDA's own, not to be closed
 *
 * All primary contexts have the same one, which lasts as long as the process.
 *
 * Context: any thread.
 * Return: 0, or a CUresult, which is a cudaError_t too: as cuCtxGetDevice();
 * CUDA_ERROR_INVALID_VALUE (@ctx is NULL).
 */
int heapsim_cuda_ctx(struct mem_ctx **ctx);

/**
 * heapsim_cuda_stream() - libmem's stream behind a CUDA stream
 * @stream: a cudaStream_t or CUstream of the current context; also NULL and the
 *	handles that CUDA reserves
 * @mem: out: libmem's; CUDA's own, not to be destroyed
 *
 * What libmem submits there is in order with what CUDA does.
 *
 * Context: any thread.
 * Return: 0, or as heapsim_cuda_ctx(); CUDA_ERROR_INVALID_HANDLE (no such
 * stream), CUDA_ERROR_INVALID_VALUE (@mem is NULL).
 */
int heapsim_cuda_stream(struct CUstream_st *stream, struct mem_stream **mem);

/**
 * heapsim_cuda_event() - libmem's event behind a CUDA event
 * @event: a cudaEvent_t or CUevent
 * @mem: out: libmem's; CUDA's own, not to be destroyed
 * @ctx: out: its context; likewise
 *
 * Context: any thread.
 * Return: 0, or a CUresult: CUDA_ERROR_INVALID_HANDLE (no such event),
 * CUDA_ERROR_INVALID_VALUE (a pointer is NULL).
 */
int heapsim_cuda_event(struct CUevent_st *event, struct mem_event **mem,
		       struct mem_ctx **ctx);

/**
 * heapsim_cuda_frame_copies() - how many planes of frames were copied
 * @nr: out: planes of EGL streams that were copied to the memory of another
 *	device since the process began
 * @bytes: out: their bytes
 *
 * Context: any thread.
 * Return: 0, or a CUresult: CUDA_ERROR_INVALID_VALUE (a pointer is NULL).
 */
int heapsim_cuda_frame_copies(uint64_t *nr, uint64_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
