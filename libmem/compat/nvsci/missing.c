// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciIpc and NvSciEvent: calls that heapsim does not implement. Keys that it
 * does not implement are AS_MISSING in key.c; value.c refuses such values.
 */
#include "nvsci.h"

API NvSciError
NvSciIpcOpenEndpointWithEventService(const char *endpoint,
				     NvSciIpcEndpoint *handle,
				     NvSciEventService *eventService)
{
	(void)endpoint;
	(void)handle;
	(void)eventService;
	return nvsci_missing("NvSciIpcOpenEndpointWithEventService");
}

API NvSciError NvSciIpcGetEventNotifier(NvSciIpcEndpoint handle,
					NvSciEventNotifier **eventNotifier)
{
	(void)handle;
	(void)eventNotifier;
	return nvsci_missing("NvSciIpcGetEventNotifier");
}

API NvSciError NvSciIpcGetAsyncErrors(NvSciIpcEndpoint handle,
				      uint32_t *errors)
{
	(void)handle;
	(void)errors;
	return nvsci_missing("NvSciIpcGetAsyncErrors");
}

API NvSciError NvSciIpcEnableNotification(NvSciIpcEndpoint handle, bool flag)
{
	(void)handle;
	(void)flag;
	return nvsci_missing("NvSciIpcEnableNotification");
}

API NvSciError
NvSciEventLoopServiceCreate(size_t maxEventLoops,
			    NvSciEventLoopService **newService)
{
	(void)maxEventLoops;
	(void)newService;
	return nvsci_missing("NvSciEventLoopServiceCreate");
}

API NvSciError
NvSciEventLoopServiceCreateSafe(size_t maxEventLoops, void *config,
				NvSciEventLoopService **newService)
{
	(void)maxEventLoops;
	(void)config;
	(void)newService;
	return nvsci_missing("NvSciEventLoopServiceCreateSafe");
}

/* The event service is not implemented, so no version is compatible. */
API NvSciError NvSciEventCheckVersionCompatibility(uint32_t majorVer,
						   uint32_t minorVer,
						   bool *isCompatible)
{
	(void)majorVer;
	(void)minorVer;
	if (!isCompatible)
		return NvSciError_BadParameter;
	*isCompatible = false;
	return NvSciError_Success;
}

API NvSciError NvSciBufObjAttachPeer(NvSciBufObj bufObj,
				     const NvSciBufAttrList inputArray[],
				     size_t inputCount)
{
	(void)bufObj;
	(void)inputArray;
	(void)inputCount;
	return nvsci_missing("NvSciBufObjAttachPeer");
}
