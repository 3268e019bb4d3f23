// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: sharing device memory between processes. */
#include "driver.h"

API CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_ipc_export(driver_ptr(dptr), pHandle);
}

API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle,
				   unsigned int Flags)
{
	struct CUctx_st *ctx;
	void *ptr;
	int rc = driver_ctx(&ctx);

	if (!rc)
		rc = core_ipc_open(&handle, Flags, pdptr ? &ptr : NULL);
	if (!rc)
		*pdptr = driver_address(ptr);
	return rc;
}

ALIAS(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);

API CUresult cuIpcCloseMemHandle(CUdeviceptr dptr)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_ipc_close(driver_ptr(dptr));
}
