/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Contexts: they own what is made while they are current. A thread that has set
 * none has the global one.
 */
#ifndef NV_VPI_CONTEXT_H
#define NV_VPI_CONTEXT_H

#include <stdint.h>

#include "Export.h"
#include "Status.h"
#include "Types.h"
#include "Version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As cuda.h has it */
#ifndef _HEAPSIM_HAS_CUCONTEXT
#define _HEAPSIM_HAS_CUCONTEXT
typedef struct CUctx_st *CUcontext;
#endif

/* The global context: no address */
#define VPI_GLOBAL_CONTEXT	((VPIContext)0x610BA1C1D)
#define VPI_INVALID_CONTEXT	((VPIContext)-1)

/**
 * vpiContextCreate() - make a context
 * @flags: backends that it enables, 0: all that the board has; flags of Types.h
 * @ctx: out: the context, not current: vpiContextDestroy()
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (the
 * board lacks a backend), OUT_OF_MEMORY.
 */
VPI_PUBLIC VPIStatus vpiContextCreate(uint64_t flags, VPIContext *ctx);

/**
 * vpiContextCreateWrapperCUDA() - make a context for a CUDA context
 * @flags: as of vpiContextCreate()
 * @cudaCtx: CUDA's, which nothing is done with: all have the memory of the
 *	process's one
 * @ctx: out: the context, not current: vpiContextDestroy()
 *
 * Context: may sleep; any thread.
 * Return: as vpiContextCreate().
 */
VPI_PUBLIC VPIStatus vpiContextCreateWrapperCUDA(uint64_t flags,
						 CUcontext cudaCtx,
						 VPIContext *ctx);

/**
 * vpiContextDestroy() - give a context back, and all that it owns
 * @ctx: context, or NULL or VPI_GLOBAL_CONTEXT, which does nothing
 *
 * Waits for its streams. In this thread the context below it becomes current.
 *
 * Context: may sleep; any thread.
 */
VPI_PUBLIC void vpiContextDestroy(VPIContext ctx);

/**
 * vpiContextSetParallelFor() - heapsim lacks it
 * @ctx: context
 * @config: configuration
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus
vpiContextSetParallelFor(VPIContext ctx, const VPIParallelForConfig *config);

/**
 * vpiContextGetParallelFor() - heapsim lacks it
 * @ctx: context
 * @config: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiContextGetParallelFor(VPIContext ctx,
					      VPIParallelForConfig *config);

/**
 * vpiContextGetCurrent() - this thread's context
 * @ctx: out: the context; VPI_GLOBAL_CONTEXT: it has set none
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_CONTEXT (it was
 * destroyed).
 */
VPI_PUBLIC VPIStatus vpiContextGetCurrent(VPIContext *ctx);

/**
 * vpiContextSetCurrent() - set this thread's context
 * @ctx: context, which takes the place of the topmost one
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiContextSetCurrent(VPIContext ctx);

/**
 * vpiContextPush() - put a context on top of this thread's
 * @ctx: context
 *
 * At most eight.
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT (it is NULL),
 * INVALID_CONTEXT, INVALID_OPERATION (there are eight).
 */
VPI_PUBLIC VPIStatus vpiContextPush(VPIContext ctx);

/**
 * vpiContextPop() - take the topmost context of this thread off
 * @ctx: out: the context; may be NULL
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_OPERATION (there is none).
 */
VPI_PUBLIC VPIStatus vpiContextPop(VPIContext *ctx);

/**
 * vpiContextGetFlags() - backends and flags of a context
 * @ctx: context
 * @flags: out: as of vpiContextCreate(), never without a backend
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_CONTEXT.
 */
VPI_PUBLIC VPIStatus vpiContextGetFlags(VPIContext ctx, uint64_t *flags);

#ifdef __cplusplus
}
#endif

#endif
