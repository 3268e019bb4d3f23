/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From VPI to libmem: what is behind VPI's handles. A program asks libmem here
 * what VPI does not report (what a wrapper copies, counters, names for
 * reports), or gives images to kernels of its own.
 *
 * VPI has no such header: look for it with __has_include().
 */
#ifndef _HEAPSIM_VPI_H
#define _HEAPSIM_VPI_H

#include <libmem.h>
#include <libmem/image.h>

#include "vpi/Array.h"
#include "vpi/Types.h"
#include "vpi/detail/LegacyArray.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * heapsim_vpi_ctx() - libmem's context behind VPI's contexts
 * @ctx: out: libmem's; VPI's own, not to be closed
 *
 * All of VPI's contexts have the same one, which CUDA has, too. It lasts as
 * long as the process.
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, VPI_ERROR_INTERNAL (it
 * cannot be opened: vpiGetLastStatusMessage() says why).
 */
VPI_PUBLIC VPIStatus heapsim_vpi_ctx(struct mem_ctx **ctx);

/**
 * heapsim_vpi_image() - libmem's image behind one of VPI's
 * @image: image
 * @mem: out: libmem's; VPI's own, not to be destroyed
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus heapsim_vpi_image(VPIImage image, struct mem_image **mem);

/**
 * heapsim_vpi_array() - libmem's array behind one of VPI's
 * @array: array
 * @mem: out: libmem's; VPI's own, not to be destroyed
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus heapsim_vpi_array(VPIArray array, struct mem_array **mem);

/**
 * heapsim_vpi_stream() - libmem's stream behind one of VPI's
 * @stream: stream
 * @mem: out: libmem's; VPI's own, not to be destroyed
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus heapsim_vpi_stream(VPIStream stream,
					struct mem_stream **mem);

#ifdef __cplusplus
}
#endif

#endif
