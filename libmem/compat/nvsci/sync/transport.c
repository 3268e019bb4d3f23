// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciSync: lists and objects sent to another process, by libmem's
 * descriptors. That of an object with its list is both, one after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sync.h"

_Static_assert(sizeof(NvSciSyncObjIpcExportDescriptor) >= MEM_OBJECT_DESC_LEN,
	       "libmem's descriptor fits in the vendor's");

/* Lists */

API NvSciError
NvSciSyncAttrListIpcExportUnreconciled(const NvSciSyncAttrList inputArray[],
				       size_t inputCount,
				       NvSciIpcEndpoint ipcEndpoint,
				       void **descBuf, size_t *descLen)
{
	struct NvSciSyncModuleRec *module = NULL;
	size_t i, nr_slots = 0;
	NvSciError error;

	if (!descBuf || !descLen)
		return NvSciError_BadParameter;
	error = sync_lists(inputArray, inputCount, &module);
	if (error)
		return error;
	for (i = 0; i < inputCount; i++)
		nr_slots += NvSciSyncAttrListGetSlotCount(inputArray[i]);
	if (nr_slots > MEM_SLOTS_MAX)
		return NvSciError_TooBig;
	return nvsci_export_lists((struct mem_attrs *const *)inputArray,
				  inputCount, ipcEndpoint, descBuf, descLen);
}

API NvSciError
NvSciSyncAttrListIpcExportReconciled(const NvSciSyncAttrList reconciledAttrList,
				     NvSciIpcEndpoint ipcEndpoint,
				     void **descBuf, size_t *descLen)
{
	struct mem_attrs *attrs = sync_attrs_of(reconciledAttrList);

	if (!descBuf || !descLen ||
	    !sync_list_is(reconciledAttrList, MEM_ATTRS_RECONCILED))
		return NvSciError_BadParameter;
	return nvsci_export_lists(&attrs, 1, ipcEndpoint, descBuf, descLen);
}

static NvSciError sync_import_list(NvSciSyncModule module,
				   NvSciIpcEndpoint handle, const void *bytes,
				   size_t len, int state,
				   struct mem_attrs **list)
{
	struct mem_attrs *attrs;
	NvSciError error;

	if (!bytes || !len || !sync_module_is(module))
		return NvSciError_BadParameter;
	error = nvsci_import_list(handle, bytes, len, NULL, 0, &attrs);
	if (error)
		return error;
	if (mem_attrs_state(attrs) != state || !sync_list_is_valid(attrs)) {
		mem_attrs_destroy(attrs);
		return NvSciError_BadParameter;
	}
	return sync_list_own(attrs, module, list);
}

API NvSciError
NvSciSyncAttrListIpcImportUnreconciled(NvSciSyncModule module,
				       NvSciIpcEndpoint ipcEndpoint,
				       const void *descBuf, size_t descLen,
				       NvSciSyncAttrList *importedAttrList)
{
	struct mem_attrs *attrs;
	NvSciError error;

	if (!importedAttrList)
		return NvSciError_BadParameter;
	error = sync_import_list(module, ipcEndpoint, descBuf, descLen,
				 MEM_ATTRS_UNRECONCILED, &attrs);
	if (error)
		return error;
	sync_list_of(attrs)->is_imported = true;
	*importedAttrList = (NvSciSyncAttrList)attrs;
	return NvSciError_Success;
}

API NvSciError
NvSciSyncAttrListIpcImportReconciled(NvSciSyncModule module,
				     NvSciIpcEndpoint ipcEndpoint,
				     const void *descBuf, size_t descLen,
				     const NvSciSyncAttrList inputArray[],
				     size_t inputCount,
				     NvSciSyncAttrList *importedAttrList)
{
	NvSciError error = NvSciError_Success;
	struct mem_attrs *attrs;

	if (!importedAttrList || !sync_module_is(module))
		return NvSciError_BadParameter;
	if (inputCount)
		error = sync_lists(inputArray, inputCount, &module);
	if (!error)
		error = sync_import_list(module, ipcEndpoint, descBuf, descLen,
					 MEM_ATTRS_RECONCILED, &attrs);
	if (error)
		return error;
	if (!sync_list_meets(attrs, inputArray, inputCount)) {
		mem_attrs_destroy(attrs);
		return NvSciError_AttrListValidationFailed;
	}
	sync_list_of(attrs)->own_perm = sync_perms_of(inputArray, inputCount,
						      false);
	*importedAttrList = (NvSciSyncAttrList)attrs;
	return NvSciError_Success;
}

API void NvSciSyncAttrListFreeDesc(void *descBuf)
{
	free(descBuf);
}

/* Objects */

static bool perm_is_valid(NvSciSyncAccessPerm permissions)
{
	return permissions == NvSciSyncAccessPerm_Auto ||
	       (permissions &&
		!(permissions & ~NvSciSyncAccessPerm_WaitSignal));
}

/* Asking for more than was granted is a wrong argument. */
static NvSciError perm_error(int err)
{
	return err == -EACCES ? NvSciError_BadParameter : nvsci_error(err);
}

static NvSciError sync_export(NvSciSyncObj object,
			      NvSciSyncAccessPerm permissions,
			      NvSciIpcEndpoint handle, void *desc)
{
	const struct sync_list *list = sync_list_of(object->attrs);
	struct nvsci_endpoint *own;
	struct mem_endpoint *endpoint;
	NvSciError error;

	if (!perm_is_valid(permissions))
		return NvSciError_BadParameter;
	if (permissions == NvSciSyncAccessPerm_Auto)
		permissions = list->peer_perm ? list->peer_perm :
						list->own_perm;
	error = nvsci_endpoint_get(handle, &own, &endpoint);
	if (error)
		return error;
	error = perm_error(mem_timeline_export(object->base.timeline,
					       (unsigned int)permissions,
					       endpoint, NVSCI_WAIT_NS, desc));
	nvsci_endpoint_put(own);
	return error;
}

/* @attrs: reconciled list, of which the object gets a copy */
static NvSciError sync_import(NvSciIpcEndpoint handle, const void *desc,
			      const struct mem_attrs *attrs,
			      NvSciSyncAccessPerm permissions,
			      int64_t timeout_us, NvSciSyncObj *object)
{
	struct mem_timeline *timeline;
	struct nvsci_endpoint *own;
	struct mem_endpoint *endpoint;
	NvSciError error;

	if (!perm_is_valid(permissions))
		return NvSciError_BadParameter;
	if (permissions == NvSciSyncAccessPerm_Auto)
		permissions = sync_list_of(attrs)->own_perm;
	error = nvsci_endpoint_get(handle, &own, &endpoint);
	if (error)
		return error;
	error = perm_error(mem_timeline_import(endpoint, desc,
					       (unsigned int)permissions,
					       nvsci_timeout(timeout_us),
					       &timeline));
	nvsci_endpoint_put(own);
	return error ? error : sync_object_create(timeline, attrs, object);
}

API NvSciError NvSciSyncObjIpcExport(NvSciSyncObj syncObj,
				     NvSciSyncAccessPerm permissions,
				     NvSciIpcEndpoint ipcEndpoint,
				     NvSciSyncObjIpcExportDescriptor *desc)
{
	NvSciSyncObjIpcExportDescriptor new = { { 0 } };
	NvSciError error;

	if (!desc || !sync_object_is(syncObj))
		return NvSciError_BadParameter;
	error = sync_export(syncObj, permissions, ipcEndpoint, &new);
	if (!error)
		*desc = new;
	return error;
}

API NvSciError
NvSciSyncObjIpcImport(NvSciIpcEndpoint ipcEndpoint,
		      const NvSciSyncObjIpcExportDescriptor *desc,
		      NvSciSyncAttrList inputAttrList,
		      NvSciSyncAccessPerm permissions, int64_t timeoutUs,
		      NvSciSyncObj *syncObj)
{
	const size_t begin = MEM_OBJECT_DESC_LEN / sizeof(*desc->payload);
	size_t i;

	if (!desc || !syncObj ||
	    !sync_list_is(inputAttrList, MEM_ATTRS_RECONCILED))
		return NvSciError_BadParameter;
	for (i = begin; i < sizeof(*desc) / sizeof(*desc->payload); i++)
		if (desc->payload[i])
			return NvSciError_BadParameter;
	return sync_import(ipcEndpoint, desc, sync_attrs_of(inputAttrList),
			   permissions, timeoutUs, syncObj);
}

API NvSciError NvSciSyncIpcExportAttrListAndObj(NvSciSyncObj syncObj,
						NvSciSyncAccessPerm permissions,
						NvSciIpcEndpoint ipcEndpoint,
						void **attrListAndObjDesc,
						size_t *attrListAndObjDescSize)
{
	uint8_t *both = NULL;
	void *list;
	size_t len;
	NvSciError error;

	if (!attrListAndObjDesc || !attrListAndObjDescSize ||
	    !sync_object_is(syncObj))
		return NvSciError_BadParameter;
	error = nvsci_export_lists(&syncObj->attrs, 1, ipcEndpoint, &list,
				   &len);
	if (error)
		return error;
	both = malloc(MEM_OBJECT_DESC_LEN + len);
	if (both) {
		memcpy(both + MEM_OBJECT_DESC_LEN, list, len);
		error = sync_export(syncObj, permissions, ipcEndpoint, both);
	} else {
		error = NvSciError_InsufficientMemory;
	}
	free(list);
	if (error) {
		free(both);
		return error;
	}
	*attrListAndObjDesc = both;
	*attrListAndObjDescSize = MEM_OBJECT_DESC_LEN + len;
	return NvSciError_Success;
}

API NvSciError
NvSciSyncIpcImportAttrListAndObj(NvSciSyncModule module,
				 NvSciIpcEndpoint ipcEndpoint,
				 const void *attrListAndObjDesc,
				 size_t attrListAndObjDescSize,
				 NvSciSyncAttrList const attrList[],
				 size_t attrListCount,
				 NvSciSyncAccessPerm minPermissions,
				 int64_t timeoutUs, NvSciSyncObj *syncObj)
{
	const uint8_t *both = attrListAndObjDesc;
	NvSciSyncAttrList list;
	NvSciError error;
	size_t len;

	if (!both || !syncObj || !perm_is_valid(minPermissions) ||
	    attrListAndObjDescSize <= MEM_OBJECT_DESC_LEN)
		return NvSciError_BadParameter;
	len = attrListAndObjDescSize - MEM_OBJECT_DESC_LEN;
	error = NvSciSyncAttrListIpcImportReconciled(module, ipcEndpoint,
						     both + MEM_OBJECT_DESC_LEN,
						     len, attrList,
						     attrListCount, &list);
	if (error)
		return error;
	error = sync_import(ipcEndpoint, both, sync_attrs_of(list),
			    minPermissions, timeoutUs, syncObj);
	NvSciSyncAttrListFree(list);
	return error;
}

API void NvSciSyncAttrListAndObjFreeDesc(void *attrListAndObjDescBuf)
{
	free(attrListAndObjDescBuf);
}
