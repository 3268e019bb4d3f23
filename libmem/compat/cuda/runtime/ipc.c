// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: sharing device memory between processes. */
#include "runtime.h"

API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
	return cudart_return(core_ipc_export(devPtr, handle));
}

API cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle,
				     unsigned int flags)
{
	return cudart_return(core_ipc_open(&handle, flags, devPtr));
}

API cudaError_t cudaIpcCloseMemHandle(void *devPtr)
{
	return cudart_return(core_ipc_close(devPtr));
}
