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
	if (!error && libmem_handle_add(&new->base.handle,
					LIBMEM_HANDLE_SYNC_OBJECT)) {
		NvSciSyncAttrListFree(own);
		error = NvSciError_InsufficientMemory;
	}
	if (error) {
		free(new);
		mem_timeline_put(timeline);
		return error;
	}
	new->attrs = sync_attrs_of(own);
	libmem_handle_lend((struct libmem_handle *)own);
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
	if (!dupObj || !libmem_handle_get(syncObj, LIBMEM_HANDLE_SYNC_OBJECT))
		return NvSciError_BadParameter;
	*dupObj = syncObj;
	return NvSciError_Success;
}

API void NvSciSyncObjFree(NvSciSyncObj syncObj)
{
	if (!libmem_handle_put(syncObj, LIBMEM_HANDLE_SYNC_OBJECT))
		return;
	mem_timeline_put(syncObj->base.timeline);
	libmem_handle_take_back((struct libmem_handle *)syncObj->attrs);
	mem_attrs_destroy(syncObj->attrs);
	libmem_handle_free(&syncObj->base.handle);
}

API NvSciError NvSciSyncObjValidate(NvSciSyncObj syncObj)
{
	return sync_object_is(syncObj) ? NvSciError_Success :
					 NvSciError_BadParameter;
}

API NvSciError NvSciSyncObjGetAttrList(NvSciSyncObj syncObj,
				       NvSciSyncAttrList *syncAttrList)
{
	if (!syncAttrList || !sync_object_is(syncObj))
		return NvSciError_BadParameter;
	*syncAttrList = (NvSciSyncAttrList)syncObj->attrs;
	return NvSciError_Success;
}
