// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciSync: calls that heapsim does not implement. */
#include "sync.h"

API NvSciError NvSciSyncFenceAddTimestampSlot(NvSciSyncFence *syncFence,
					      uint32_t timestampSlot)
{
	(void)syncFence;
	(void)timestampSlot;
	return nvsci_missing("NvSciSyncFenceAddTimestampSlot");
}

API NvSciError NvSciSyncFenceAddTaskStatusSlot(NvSciSyncFence *syncFence,
					       uint32_t taskStatusSlot)
{
	(void)syncFence;
	(void)taskStatusSlot;
	return nvsci_missing("NvSciSyncFenceAddTaskStatusSlot");
}

API NvSciError NvSciSyncFenceExtractTimestampSlot(NvSciSyncFence *syncFence,
						  uint32_t *timeStampSlot)
{
	(void)syncFence;
	(void)timeStampSlot;
	return nvsci_missing("NvSciSyncFenceExtractTimestampSlot");
}

API NvSciError NvSciSyncFenceGetTimestamp(const NvSciSyncFence *syncFence,
					  uint64_t *timestampUS)
{
	(void)syncFence;
	(void)timestampUS;
	return nvsci_missing("NvSciSyncFenceGetTimestamp");
}

API NvSciError NvSciSyncFenceGetTaskStatus(const NvSciSyncFence *syncFence,
					   NvSciSyncTaskStatus *taskStatus)
{
	(void)syncFence;
	(void)taskStatus;
	return nvsci_missing("NvSciSyncFenceGetTaskStatus");
}

API NvSciError NvSciSyncObjAttachPeer(NvSciSyncObj syncObj,
				      const NvSciSyncAttrList inputArray[],
				      size_t inputCount)
{
	(void)syncObj;
	(void)inputArray;
	(void)inputCount;
	return nvsci_missing("NvSciSyncObjAttachPeer");
}

API NvSciError NvSciSyncFillC2cAttrs(NvSciSyncAttrList unrecAttrList,
				     NvSciSyncAccessPerm permissions)
{
	(void)unrecAttrList;
	(void)permissions;
	return nvsci_missing("NvSciSyncFillC2cAttrs");
}
