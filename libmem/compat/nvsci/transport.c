// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciBuf: lists and objects sent to another process, by libmem's descriptors.
 */
#include <errno.h>
#include <stdlib.h>

#include "key.h"

/* Returns the permission of an export, or 0 if it is invalid. */
static unsigned int transport_perm_out(NvSciBufObj object,
				       NvSciBufAttrValAccessPerm permissions)
{
	const uint32_t *actual;

	switch (permissions) {
	case NvSciBufAccessPerm_Readonly:
	case NvSciBufAccessPerm_ReadWrite:
		return permissions;
	case NvSciBufAccessPerm_Auto:
		actual = nvsci_get(mem_object_attrs(object_of(object)), 0,
				   MEM_ATTR_ACTUAL_PERM, NULL);
		return actual ? *actual : MEM_READ;
	default:
		return 0;
	}
}

/* Converts the permission of an import; 0 stands for all that was granted. */
static bool transport_perm_in(NvSciBufAttrValAccessPerm permissions,
			      unsigned int *perm)
{
	switch (permissions) {
	case NvSciBufAccessPerm_Readonly:
	case NvSciBufAccessPerm_ReadWrite:
		*perm = permissions;
		return true;
	case NvSciBufAccessPerm_Auto:
		*perm = 0;
		return true;
	default:
		return false;
	}
}

/**
 * nvsci_timeout() - convert a time-out
 * @microseconds: time-out of the program; below 0: none
 *
 * Return: nanoseconds, or MEM_WAIT_FOREVER.
 */
uint64_t nvsci_timeout(int64_t microseconds)
{
	if (microseconds < 0 ||
	    (uint64_t)microseconds >= MEM_WAIT_FOREVER / 1000)
		return MEM_WAIT_FOREVER;
	return (uint64_t)microseconds * 1000;
}

/**
 * nvsci_export_lists() - make a descriptor of lists
 * @lists: unreconciled lists, or one reconciled list
 * @nr: number of @lists
 * @handle: endpoint of the program
 * @bytes: out: descriptor, owned by the caller: free()
 * @len: out: number of @bytes
 *
 * Return: NvSciError_Success, or an error of nvsci_endpoint_get() or
 * mem_attrs_export().
 */
NvSciError nvsci_export_lists(struct mem_attrs *const *lists, size_t nr,
			      NvSciIpcEndpoint handle, void **bytes,
			      size_t *len)
{
	struct nvsci_endpoint *own;
	struct mem_endpoint *endpoint;
	NvSciError error;

	error = nvsci_endpoint_get(handle, &own, &endpoint);
	if (error)
		return error;
	error = nvsci_error(mem_attrs_export(lists, nr, endpoint, bytes, len));
	nvsci_endpoint_put(own);
	return error;
}

API NvSciError
NvSciBufAttrListIpcExportUnreconciled(const NvSciBufAttrList inputArray[],
				      size_t inputCount,
				      NvSciIpcEndpoint ipcEndpoint,
				      void **descBuf, size_t *descLen)
{
	struct NvSciBufModuleRec *module = NULL;
	size_t i, nr_slots = 0;
	NvSciError error;

	if (!descBuf || !descLen)
		return NvSciError_BadParameter;
	error = nvsci_lists(inputArray, inputCount, &module);
	if (error)
		return error;
	for (i = 0; i < inputCount; i++)
		nr_slots += (size_t)mem_attrs_slots(attrs_of(inputArray[i]));
	if (nr_slots > MEM_SLOTS_MAX)
		return NvSciError_TooBig;
	return nvsci_export_lists((struct mem_attrs *const *)inputArray,
				  inputCount, ipcEndpoint, descBuf, descLen);
}

API NvSciError
NvSciBufAttrListIpcExportReconciled(NvSciBufAttrList reconciledAttrList,
				    NvSciIpcEndpoint ipcEndpoint,
				    void **descBuf, size_t *descLen)
{
	struct mem_attrs *attrs = attrs_of(reconciledAttrList);

	if (mem_attrs_state(attrs) != MEM_ATTRS_RECONCILED || !descBuf ||
	    !descLen)
		return NvSciError_BadParameter;
	return nvsci_export_lists(&attrs, 1, ipcEndpoint, descBuf, descLen);
}

/**
 * struct received - a descriptor, and the lists that it must satisfy
 * @module: module of the result
 * @handle: endpoint that received the descriptor
 * @bytes: descriptor
 * @len: number of @bytes
 * @lists: unreconciled lists, or NULL
 * @nr_lists: number of @lists
 */
struct received {
	struct NvSciBufModuleRec *module;
	NvSciIpcEndpoint handle;
	const void *bytes;
	size_t len;
	const NvSciBufAttrList *lists;
	size_t nr_lists;
};

static NvSciError transport_check_received(const struct received *received)
{
	struct NvSciBufModuleRec *module = received->module;

	if (!received->bytes || !received->len || !nvsci_module_is(module))
		return NvSciError_BadParameter;
	if (!received->lists && !received->nr_lists)
		return NvSciError_Success;
	return nvsci_lists(received->lists, received->nr_lists, &module);
}

/* A conflict with the importer's lists is a failed validation. */
static NvSciError transport_import_error(int err)
{
	return err == -EADV ? NvSciError_AttrListValidationFailed :
	       nvsci_error(err);
}

/**
 * nvsci_import_list() - make a list of a descriptor
 * @handle: endpoint that received the descriptor
 * @bytes: descriptor, not trusted
 * @len: number of @bytes
 * @lists: unreconciled lists that it must meet, or NULL
 * @nr: number of @lists
 * @attrs: out: list without a client, whose clients' keys are not checked
 *
 * Return: NvSciError_Success, or an error of nvsci_endpoint_get() or
 * mem_attrs_import().
 */
NvSciError nvsci_import_list(NvSciIpcEndpoint handle, const void *bytes,
			     size_t len, struct mem_attrs *const *lists,
			     size_t nr, struct mem_attrs **attrs)
{
	struct nvsci_endpoint *own;
	struct mem_endpoint *endpoint;
	NvSciError error;
	int err;

	error = nvsci_endpoint_get(handle, &own, &endpoint);
	if (error)
		return error;
	err = mem_attrs_import(endpoint, bytes, len, lists, nr, attrs);
	nvsci_endpoint_put(own);
	return transport_import_error(err);
}

static NvSciError transport_import_list(const struct received *received,
					int state, NvSciBufAttrList *list)
{
	struct mem_attrs *attrs;
	NvSciError error;

	error = transport_check_received(received);
	if (!error)
		error = nvsci_import_list(received->handle, received->bytes,
					  received->len,
					  (struct mem_attrs *const *)
						  received->lists,
					  received->nr_lists, &attrs);
	if (error)
		return error;
	if (mem_attrs_state(attrs) != state || !nvsci_kept_is_valid(attrs)) {
		mem_attrs_destroy(attrs);
		return NvSciError_BadParameter;
	}
	return nvsci_list_own(attrs, received->module, list);
}

API NvSciError
NvSciBufAttrListIpcImportUnreconciled(NvSciBufModule module,
				      NvSciIpcEndpoint ipcEndpoint,
				      const void *descBuf, size_t descLen,
				      NvSciBufAttrList *importedAttrList)
{
	const struct received received = {
		.module = module,
		.handle = ipcEndpoint,
		.bytes = descBuf,
		.len = descLen,
	};

	if (!importedAttrList)
		return NvSciError_BadParameter;
	return transport_import_list(&received, MEM_ATTRS_UNRECONCILED,
				     importedAttrList);
}

API NvSciError
NvSciBufAttrListIpcImportReconciled(NvSciBufModule module,
				    NvSciIpcEndpoint ipcEndpoint,
				    const void *descBuf, size_t descLen,
				    const NvSciBufAttrList inputArray[],
				    size_t inputCount,
				    NvSciBufAttrList *importedAttrList)
{
	const struct received received = {
		.module = module,
		.handle = ipcEndpoint,
		.bytes = descBuf,
		.len = descLen,
		.lists = inputArray,
		.nr_lists = inputCount,
	};

	if (!importedAttrList)
		return NvSciError_BadParameter;
	return transport_import_list(&received, MEM_ATTRS_RECONCILED,
				     importedAttrList);
}

API void NvSciBufAttrListFreeDesc(void *descBuf)
{
	free(descBuf);
}

/* Objects */

API NvSciError
NvSciBufIpcExportAttrListAndObj(NvSciBufObj bufObj,
				NvSciBufAttrValAccessPerm permissions,
				NvSciIpcEndpoint ipcEndpoint,
				void **attrListAndObjDesc,
				size_t *attrListAndObjDescSize)
{
	struct nvsci_endpoint *own;
	struct mem_endpoint *endpoint;
	unsigned int perm;
	NvSciError error;

	if (!attrListAndObjDesc || !attrListAndObjDescSize ||
	    !nvsci_object_is(bufObj))
		return NvSciError_BadParameter;
	perm = transport_perm_out(bufObj, permissions);
	if (!perm)
		return NvSciError_BadParameter;
	error = nvsci_endpoint_get(ipcEndpoint, &own, &endpoint);
	if (error)
		return error;
	error = nvsci_error(mem_object_export(object_of(bufObj), perm,
					      endpoint, NVSCI_WAIT_NS,
					      attrListAndObjDesc,
					      attrListAndObjDescSize));
	nvsci_endpoint_put(own);
	return error;
}

API NvSciError
NvSciBufIpcImportAttrListAndObj(NvSciBufModule module,
				NvSciIpcEndpoint ipcEndpoint,
				const void *attrListAndObjDesc,
				size_t attrListAndObjDescSize,
				const NvSciBufAttrList attrList[],
				size_t count,
				NvSciBufAttrValAccessPerm minPermissions,
				int64_t timeoutUs, NvSciBufObj *bufObj)
{
	const struct received received = {
		.module = module,
		.handle = ipcEndpoint,
		.bytes = attrListAndObjDesc,
		.len = attrListAndObjDescSize,
		.lists = attrList,
		.nr_lists = count,
	};
	struct nvsci_endpoint *own;
	struct mem_endpoint *endpoint;
	struct mem_object *object;
	unsigned int perm;
	NvSciError error;
	int err;

	if (!bufObj || !transport_perm_in(minPermissions, &perm))
		return NvSciError_BadParameter;
	error = transport_check_received(&received);
	if (!error)
		error = nvsci_endpoint_get(ipcEndpoint, &own, &endpoint);
	if (error)
		return error;
	err = mem_object_import(endpoint, received.bytes, received.len,
				(struct mem_attrs *const *)attrList, count,
				perm, nvsci_timeout(timeoutUs), &object);
	nvsci_endpoint_put(own);
	if (err)
		return transport_import_error(err);
	if (!nvsci_kept_is_valid(mem_object_attrs(object))) {
		mem_object_put(object);
		return NvSciError_BadParameter;
	}
	*bufObj = (NvSciBufObj)object;
	return NvSciError_Success;
}

API void NvSciBufAttrListAndObjFreeDesc(void *attrListAndObjDescBuf)
{
	free(attrListAndObjDescBuf);
}

API NvSciError NvSciBufObjIpcExport(NvSciBufObj bufObj,
				    NvSciBufAttrValAccessPerm accPerm,
				    NvSciIpcEndpoint ipcEndpoint,
				    NvSciBufObjIpcExportDescriptor *exportData)
{
	struct nvsci_endpoint *own;
	struct mem_endpoint *endpoint;
	unsigned int perm;
	NvSciError error;

	_Static_assert(sizeof(*exportData) == MEM_OBJECT_DESC_LEN,
		       "libmem's descriptor is the vendor's");
	if (!exportData || !nvsci_object_is(bufObj))
		return NvSciError_BadParameter;
	perm = transport_perm_out(bufObj, accPerm);
	if (!perm)
		return NvSciError_BadParameter;
	error = nvsci_endpoint_get(ipcEndpoint, &own, &endpoint);
	if (error)
		return error;
	error = nvsci_error(mem_object_export_bare(object_of(bufObj), perm,
						   endpoint, NVSCI_WAIT_NS,
						   exportData));
	nvsci_endpoint_put(own);
	return error;
}

API NvSciError NvSciBufObjIpcImport(NvSciIpcEndpoint ipcEndpoint,
				    const NvSciBufObjIpcExportDescriptor *desc,
				    NvSciBufAttrList reconciledAttrList,
				    NvSciBufAttrValAccessPerm minPermissions,
				    int64_t timeoutUs, NvSciBufObj *bufObj)
{
	const struct mem_attrs *attrs = attrs_of(reconciledAttrList);
	struct nvsci_endpoint *own;
	struct mem_endpoint *endpoint;
	struct mem_object *object;
	unsigned int perm;
	NvSciError error;
	int err;

	if (!desc || !bufObj || !transport_perm_in(minPermissions, &perm) ||
	    mem_attrs_state(attrs) != MEM_ATTRS_RECONCILED)
		return NvSciError_BadParameter;
	error = nvsci_endpoint_get(ipcEndpoint, &own, &endpoint);
	if (error)
		return error;
	err = mem_object_import_bare(endpoint, desc, attrs, perm,
				     nvsci_timeout(timeoutUs), &object);
	nvsci_endpoint_put(own);
	if (!err)
		*bufObj = (NvSciBufObj)object;
	return nvsci_error(err);
}
