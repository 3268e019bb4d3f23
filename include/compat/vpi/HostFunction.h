/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the program's in order of a stream. */
#ifndef NV_VPI_HOSTFUNCTION_H
#define NV_VPI_HOSTFUNCTION_H

#include "Export.h"
#include "Status.h"
#include "Types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*VPIHostFunction)(void *hostData);
typedef VPIStatus (*VPIHostFunctionEx)(VPIStream stream, VPIStatus status,
				       void *hostData);

/**
 * vpiSubmitHostFunction() - call a function in order of a stream
 * @stream: stream
 * @hostFunc: called unless the stream has failed; it may not call VPI
 * @hostData: its argument
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiSubmitHostFunction(VPIStream stream,
					   VPIHostFunction hostFunc,
					   void *hostData);

/**
 * vpiSubmitHostFunctionEx() - call a function in order of a stream, always
 * @stream: stream
 * @hostFunc: called with the stream's status; what it returns becomes that;
 *	it may not call VPI
 * @hostData: its argument
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiSubmitHostFunctionEx(VPIStream stream,
					     VPIHostFunctionEx hostFunc,
					     void *hostData);

#ifdef __cplusplus
}
#endif

#endif
