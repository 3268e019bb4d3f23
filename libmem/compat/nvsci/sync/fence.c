// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciSync: fences, and what the CPU does with objects. */
#include <errno.h>
#include <string.h>

#include "sync.h"

_Static_assert(sizeof(struct sync_fence) == sizeof(NvSciSyncFence),
	       "a fence is as long as the vendor's");

static bool object_cpu_may(NvSciSyncObj object, unsigned int perm)
{
	return sync_object_is(object) && object->base.cpu_perm & perm &&
	       mem_timeline_perm(object->base.timeline) & (int)perm;
}

API NvSciError NvSciSyncObjGenerateFence(NvSciSyncObj syncObj,
					 NvSciSyncFence *syncFence)
{
	uint64_t point;

	if (!syncFence || !object_cpu_may(syncObj, MEM_WRITE))
		return NvSciError_BadParameter;
	mem_timeline_next(syncObj->base.timeline, &point);
	sync_fence_set(syncFence, &syncObj->base, point);
	return NvSciError_Success;
}

API NvSciError NvSciSyncObjSignal(NvSciSyncObj syncObj)
{
	if (!object_cpu_may(syncObj, MEM_WRITE))
		return NvSciError_BadParameter;
	return nvsci_error(mem_timeline_signal(syncObj->base.timeline));
}

API void NvSciSyncFenceClear(NvSciSyncFence *syncFence)
{
	static const struct sync_fence none;

	if (syncFence)
		sync_fence_put(syncFence, &none);
}

API NvSciError NvSciSyncFenceDup(const NvSciSyncFence *srcSyncFence,
				 NvSciSyncFence *dstSyncFence)
{
	struct sync_fence fence;

	if (!srcSyncFence || !dstSyncFence || srcSyncFence == dstSyncFence)
		return NvSciError_BadParameter;
	fence = sync_fence_get(srcSyncFence);
	sync_fence_put(dstSyncFence, &fence);
	return NvSciError_Success;
}

API NvSciError NvSciSyncFenceExtractFence(const NvSciSyncFence *syncFence,
					  uint64_t *id, uint64_t *value)
{
	struct sync_fence fence;

	if (!syncFence || !id || !value)
		return NvSciError_BadParameter;
	fence = sync_fence_get(syncFence);
	if (!fence.timeline)
		return NvSciError_ClearedFence;
	*id = 0;
	*value = fence.point;
	return NvSciError_Success;
}

/* Returns true if the primitive of the object has the value. */
static bool object_has_point(NvSciSyncObj object, uint64_t point)
{
	const void *max;
	size_t len;

	NvSciSyncAttrListGetAttr((NvSciSyncAttrList)object->attrs,
				 NvSciSyncAttrKey_MaxPrimitiveValue, &max,
				 &len);
	return point <= *(const uint64_t *)max;
}

API NvSciError NvSciSyncFenceUpdateFence(NvSciSyncObj syncObj, uint64_t id,
					 uint64_t value,
					 NvSciSyncFence *syncFence)
{
	if (!syncFence || !sync_object_is(syncObj))
		return NvSciError_BadParameter;
	if (id || !object_has_point(syncObj, value))
		return NvSciError_Overflow;
	sync_fence_set(syncFence, &syncObj->base, value);
	return NvSciError_Success;
}

API NvSciError NvSciSyncFenceWait(const NvSciSyncFence *syncFence,
				  NvSciSyncCpuWaitContext context,
				  int64_t timeoutUs)
{
	struct sync_fence fence;
	int err;

	if (!syncFence || timeoutUs < -1 ||
	    timeoutUs > NvSciSyncFenceMaxTimeout ||
	    !libmem_handle_is(context, LIBMEM_HANDLE_SYNC_CONTEXT))
		return NvSciError_BadParameter;
	fence = sync_fence_get(syncFence);
	if (!fence.timeline)
		return NvSciError_Success;
	if (!(fence.cpu_perm & MEM_READ))
		return NvSciError_BadParameter;
	err = mem_timeline_wait(fence.timeline, fence.point,
				nvsci_timeout(timeoutUs));
	return err == -EACCES ? NvSciError_BadParameter : nvsci_error(err);
}

API NvSciError NvSciSyncFenceWaitWithMode(const NvSciSyncFence *syncFence,
					  NvSciSyncCpuWaitContext context,
					  int64_t timeoutUs,
					  NvSciSyncWaitMode waitMode)
{
	if ((unsigned int)waitMode > NvSciSyncWaitMode_Blocking)
		return NvSciError_BadParameter;
	return NvSciSyncFenceWait(syncFence, context, timeoutUs);
}

/* Fences of other processes */

#define FENCE_MAGIC	0x65636e6566637973ULL	/* "sycfence" */

/**
 * struct fence_desc - a fence for another process
 * @magic: FENCE_MAGIC
 * @id: id of the timeline; 0 in a cleared fence
 * @point: point; 0 in a cleared fence
 * @sum: checksum of the other fields
 * @reserved: 0
 */
struct fence_desc {
	uint64_t magic;
	uint8_t id[MEM_TIMELINE_ID_LEN];
	uint64_t point;
	uint64_t sum;
	uint64_t reserved[2];
};

_Static_assert(sizeof(struct fence_desc) ==
	       sizeof(NvSciSyncFenceIpcExportDescriptor),
	       "a descriptor is as long as the vendor's");

/* FNV-1a, of a descriptor whose sum is 0 */
static uint64_t fence_desc_sum(struct fence_desc desc)
{
	const uint8_t *bytes = (const uint8_t *)&desc;
	uint64_t sum = 0xcbf29ce484222325ULL;
	size_t i;

	desc.sum = 0;
	for (i = 0; i < sizeof(desc); i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ULL;
	return sum;
}

API NvSciError NvSciSyncIpcExportFence(const NvSciSyncFence *syncFence,
				       NvSciIpcEndpoint ipcEndpoint,
				       NvSciSyncFenceIpcExportDescriptor *desc)
{
	struct fence_desc new = { .magic = FENCE_MAGIC };
	struct sync_fence fence;
	NvSciError error;

	if (!syncFence || !desc)
		return NvSciError_BadParameter;
	error = nvsci_endpoint_check(ipcEndpoint);
	if (error)
		return error;
	fence = sync_fence_get(syncFence);
	if (fence.timeline) {
		mem_timeline_id(fence.timeline, new.id);
		new.point = fence.point;
	}
	new.sum = fence_desc_sum(new);
	memcpy(desc, &new, sizeof(new));
	return NvSciError_Success;
}

/* Returns true if it describes a cleared fence. */
static bool fence_desc_is_cleared(const struct fence_desc *desc)
{
	static const uint8_t none[MEM_TIMELINE_ID_LEN];

	return !desc->point && !memcmp(desc->id, none, sizeof(none));
}

API NvSciError
NvSciSyncIpcImportFence(NvSciSyncObj syncObj,
			const NvSciSyncFenceIpcExportDescriptor *desc,
			NvSciSyncFence *syncFence)
{
	uint8_t id[MEM_TIMELINE_ID_LEN];
	struct fence_desc opened;

	if (!desc || !syncFence || !sync_object_is(syncObj))
		return NvSciError_BadParameter;
	memcpy(&opened, desc, sizeof(opened));
	if (opened.magic != FENCE_MAGIC || opened.reserved[0] ||
	    opened.reserved[1] || opened.sum != fence_desc_sum(opened))
		return NvSciError_BadParameter;
	if (fence_desc_is_cleared(&opened)) {
		NvSciSyncFenceClear(syncFence);
		return NvSciError_Success;
	}
	mem_timeline_id(syncObj->base.timeline, id);
	if (memcmp(id, opened.id, sizeof(id)) ||
	    !object_has_point(syncObj, opened.point))
		return NvSciError_BadParameter;
	sync_fence_set(syncFence, &syncObj->base, opened.point);
	return NvSciError_Success;
}
