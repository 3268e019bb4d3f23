/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arrays as VPI 0.4 has them. These two lie here, not in heapsim_vpi.h, which
 * includes them, because that needs libmem's headers.
 */
#ifndef _HEAPSIM_VPI_LEGACY_ARRAY_H
#define _HEAPSIM_VPI_LEGACY_ARRAY_H

#include <stdint.h>

#include "../Array.h"
#include "../Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * heapsim_vpi_array_wrap() - a wrapper whose size is not kept by the program
 * @data: as of vpiArrayCreateWrapper(), whose sizePointer is not used
 * @size: elements that it holds
 * @flags: as of vpiArrayCreateWrapper()
 * @array: out: the array: vpiArrayDestroy()
 *
 * As VPI 0.4 had it: vpiArrayGetSize() and vpiArraySetSize().
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or as vpiArrayCreateWrapper().
 */
VPI_PUBLIC VPIStatus heapsim_vpi_array_wrap(const VPIArrayData *data,
					    int32_t size, uint64_t flags,
					    VPIArray *array);

/**
 * heapsim_vpi_array_rewrap() - have such a wrapper wrap other memory
 * @array: of heapsim_vpi_array_wrap(), not locked
 * @data: as of vpiArraySetWrapper(), whose sizePointer is not used
 * @size: elements that it holds
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or as vpiArraySetWrapper().
 */
VPI_PUBLIC VPIStatus heapsim_vpi_array_rewrap(VPIArray array,
					      const VPIArrayData *data,
					      int32_t size);

#ifdef __cplusplus
}
#endif

#endif
