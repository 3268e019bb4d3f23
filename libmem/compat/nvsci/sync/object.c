// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciSync: objects. */
#include <errno.h>
#include <stdlib.h>

#include "sync.h"

/**
 * sync_object_create() - make an object of a timeline
 * @timeline: timeline; owned by the object, or dropped on failure
 * @attrs: reconciled list, of which the object gets a copy
 * @object: out: object with one reference
 *
 * Return: NvSciError_Success, or the error of the copy.
 */
NvSciError sync_object_create(struct mem_timeline *timeline,
			      const struct mem_attrs *attrs,
			      NvSciSyncObj *object)
{
	/* The cast is safe: a clone does not change its original. */
	NvSciSyncAttrList list = (NvSciSyncAttrList)(uintptr_t)attrs, own;
	struct NvSciSyncObjRec *new = calloc(1, sizeof(*new));
	NvSciError error = NvSciError_InsufficientMemory;

	if (new)
		error = NvSciSyncAttrListClone(list, &own);
	if (error) {
		free(new);
		mem_timeline_put(timeline);
		return error;
	}
	new->nr_users = 1;
	new->attrs = sync_attrs_of(own);
	sync_list_of(new->attrs)->own_perm =
		(uint64_t)mem_timeline_perm(timeline);
	new->base.timeline = timeline;
	new->base.cpu_perm = *(const uint8_t *)sync_get(attrs, 0, SYNC_MARK,
							NULL);
	*object = new;
	return NvSciError_Success;
}

API NvSciError NvSciSyncObjAlloc(NvSciSyncAttrList reconciledList,
				 NvSciSyncObj *syncObj)
{
	const struct mem_attrs *attrs = sync_attrs_of(reconciledList);
	struct mem_timeline *timeline;
	int err;

	if (!syncObj || !sync_list_is(reconciledList, MEM_ATTRS_RECONCILED))
		return NvSciError_BadParameter;
	err = mem_timeline_create(sync_list_of(attrs)->module->ctx, &timeline);
	if (err)
		return nvsci_error(err);
	return sync_object_create(timeline, attrs, syncObj);
}

API NvSciError
NvSciSyncAttrListReconcileAndObjAlloc(const NvSciSyncAttrList inputArray[],
				      size_t inputCount, NvSciSyncObj *syncObj,
				      NvSciSyncAttrList *newConflictList)
{
	NvSciSyncAttrList list;
	NvSciError error;

	if (!syncObj)
		return NvSciError_BadParameter;
	error = NvSciSyncAttrListReconcile(inputArray, inputCount, &list,
					   newConflictList);
	if (error)
		return error;
	error = NvSciSyncObjAlloc(list, syncObj);
	NvSciSyncAttrListFree(list);
	return error;
}

API NvSciError NvSciSyncObjDup(NvSciSyncObj syncObj, NvSciSyncObj *dupObj)
{
	if (!syncObj || !dupObj)
		return NvSciError_BadParameter;
	atomic_fetch_add(&syncObj->nr_users, 1);
	*dupObj = syncObj;
	return NvSciError_Success;
}

API void NvSciSyncObjFree(NvSciSyncObj syncObj)
{
	if (!syncObj || atomic_fetch_sub(&syncObj->nr_users, 1) != 1)
		return;
	mem_timeline_put(syncObj->base.timeline);
	mem_attrs_destroy(syncObj->attrs);
	free(syncObj);
}

API NvSciError NvSciSyncObjValidate(NvSciSyncObj syncObj)
{
	return syncObj ? NvSciError_Success : NvSciError_BadParameter;
}

API NvSciError NvSciSyncObjGetAttrList(NvSciSyncObj syncObj,
				       NvSciSyncAttrList *syncAttrList)
{
	if (!syncObj || !syncAttrList)
		return NvSciError_BadParameter;
	*syncAttrList = (NvSciSyncAttrList)syncObj->attrs;
	return NvSciError_Success;
}
