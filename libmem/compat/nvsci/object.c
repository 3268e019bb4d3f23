// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciBuf: objects. */
#include <errno.h>

#include "key.h"

API NvSciError NvSciBufObjAlloc(NvSciBufAttrList reconciledAttrList,
				NvSciBufObj *bufObj)
{
	struct mem_attrs *attrs = attrs_of(reconciledAttrList);
	struct mem_object *object;
	int err;

	if (!bufObj || mem_attrs_state(attrs) != MEM_ATTRS_RECONCILED)
		return NvSciError_BadParameter;
	err = mem_object_alloc(attrs, NULL, &object);
	if (err == -EOPNOTSUPP)
		return NvSciError_ResourceError;
	if (!err)
		*bufObj = (NvSciBufObj)object;
	return nvsci_error(err);
}

API NvSciError NvSciBufAttrListObjAlloc(NvSciBufAttrList reconciledAttrList,
					NvSciBufObj *bufObj)
{
	return NvSciBufObjAlloc(reconciledAttrList, bufObj);
}

API NvSciError
NvSciBufAttrListReconcileAndObjAlloc(const NvSciBufAttrList attrListArray[],
				     size_t attrListCount, NvSciBufObj *bufObj,
				     NvSciBufAttrList *newConflictList)
{
	NvSciBufAttrList list;
	NvSciError error;

	if (!bufObj)
		return NvSciError_BadParameter;
	error = NvSciBufAttrListReconcile(attrListArray, attrListCount, &list,
					  newConflictList);
	if (error)
		return error;
	error = NvSciBufObjAlloc(list, bufObj);
	NvSciBufAttrListFree(list);
	return error;
}

API NvSciError NvSciBufObjDup(NvSciBufObj bufObj, NvSciBufObj *dupObj)
{
	if (!dupObj || !mem_object_get(object_of(bufObj)))
		return NvSciError_BadParameter;
	*dupObj = bufObj;
	return NvSciError_Success;
}

API NvSciError
NvSciBufObjDupWithReducePerm(NvSciBufObj bufObj,
			     NvSciBufAttrValAccessPerm reducedPerm,
			     NvSciBufObj *newBufObj)
{
	struct mem_object *other;
	int err;

	/* The values are equal to MEM_READ and MEM_RW. */
	if (!newBufObj || !nvsci_object_is(bufObj) ||
	    (reducedPerm != NvSciBufAccessPerm_Readonly &&
	     reducedPerm != NvSciBufAccessPerm_ReadWrite))
		return NvSciError_BadParameter;
	err = mem_object_restrict(object_of(bufObj), reducedPerm, &other);
	if (err == -EACCES)
		return NvSciError_BadParameter;
	if (!err)
		*newBufObj = (NvSciBufObj)other;
	return nvsci_error(err);
}

API void NvSciBufObjFree(NvSciBufObj bufObj)
{
	mem_object_put(object_of(bufObj));
}

API NvSciError NvSciBufObjValidate(NvSciBufObj bufObj)
{
	return nvsci_object_is(bufObj) ? NvSciError_Success :
					 NvSciError_BadParameter;
}

API NvSciError NvSciBufObjGetAttrList(NvSciBufObj bufObj,
				      NvSciBufAttrList *bufAttrList)
{
	const struct mem_attrs *attrs;

	if (!bufAttrList || !nvsci_object_is(bufObj))
		return NvSciError_BadParameter;
	attrs = mem_object_attrs(object_of(bufObj));
	/* The cast is safe: a reconciled list cannot be changed. */
	*bufAttrList = (NvSciBufAttrList)(uintptr_t)attrs;
	return NvSciError_Success;
}

static NvSciError object_cpu_ptr(NvSciBufObj bufObj, unsigned int access,
				 void **ptr)
{
	int err;

	if (!ptr || !nvsci_object_is(bufObj))
		return NvSciError_BadParameter;
	err = mem_object_cpu_ptr(object_of(bufObj), access, ptr);
	return err == -EACCES ? NvSciError_BadParameter : nvsci_error(err);
}

API NvSciError NvSciBufObjGetCpuPtr(NvSciBufObj bufObj, void **ptr)
{
	return object_cpu_ptr(bufObj, MEM_RW, ptr);
}

API NvSciError NvSciBufObjGetConstCpuPtr(NvSciBufObj bufObj, const void **ptr)
{
	void *found;
	NvSciError error;

	if (!ptr)
		return NvSciError_BadParameter;
	error = object_cpu_ptr(bufObj, MEM_READ, &found);
	if (!error)
		*ptr = found;
	return error;
}

/*
 * Without permission to write there is nothing to write back, but cached lines
 * are dropped: of the whole object, since libmem has no call for a range of it.
 */
static int object_drop_cached(struct mem_object *object)
{
	const int err = mem_object_begin(object, MEM_READ);

	return err ? err : mem_object_end(object, MEM_READ);
}

API NvSciError NvSciBufObjFlushCpuCacheRange(NvSciBufObj bufObj,
					     uint64_t offset, uint64_t len)
{
	int err;

	if (!len || !nvsci_object_is(bufObj))
		return NvSciError_BadParameter;
	if (offset > UINT64_MAX - len)
		return NvSciError_Overflow;
	err = mem_object_flush(object_of(bufObj), offset, len);
	if (err == -EACCES)
		err = object_drop_cached(object_of(bufObj));
	return err == -EACCES ? NvSciError_NotPermitted : nvsci_error(err);
}

API NvSciError NvSciBufObjGetMaxPerm(const NvSciBufObj bufObj,
				     const NvSciIpcEndpoint ipcEndpoint,
				     NvSciBufAttrValAccessPerm *accPerm)
{
	const uint32_t *perm;
	NvSciError error;

	if (!accPerm || !nvsci_object_is(bufObj))
		return NvSciError_BadParameter;
	error = nvsci_endpoint_check(ipcEndpoint);
	if (error)
		return error;
	perm = nvsci_get(mem_object_attrs(object_of(bufObj)), 0,
			 MEM_ATTR_ACTUAL_PERM, NULL);
	*accPerm = (NvSciBufAttrValAccessPerm)*perm;
	return NvSciError_Success;
}
