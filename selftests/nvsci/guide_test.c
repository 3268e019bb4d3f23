// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the flows of NVIDIA's guide to NvSciBuf, with the same calls in the
 * same order: a raw buffer of two lists, an object, lists and an object between
 * two processes, an image of NvMedia, and an object in CUDA. Compiled as C, and
 * by guide_cpp_test.cu as C++ with a kernel.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvmedia_image_nvscibuf.h>

#include "test.h"

#define cuda(call)	assert_int_equal(call, cudaSuccess)

#ifdef WITH_KERNEL
void run_kernel(void *dptr, uint64_t size);
#else
/* C has no kernels, so a memset by the device replaces one. */
static void run_kernel(void *dptr, uint64_t size)
{
	cuda(cudaMemset(dptr, 0x5a, size));
}
#endif

/* Sets the attributes that both parts of the first listing set. */
static void set_raw(NvSciBufAttrList list, bool cpuaccess_flag)
{
	NvSciBufType bufType = NvSciBufType_RawBuffer;
	uint64_t rawsize = (128 * 1024);
	uint64_t align = (4 * 1024);
	NvSciBufAttrKeyValuePair rawbuffattrs[] = {
		{ NvSciBufGeneralAttrKey_Types, &bufType, sizeof(bufType) },
		{ NvSciBufRawBufferAttrKey_Size, &rawsize, sizeof(rawsize) },
		{ NvSciBufRawBufferAttrKey_Align, &align, sizeof(align) },
		{ NvSciBufGeneralAttrKey_NeedCpuAccess, &cpuaccess_flag,
		  sizeof(cpuaccess_flag) },
	};

	must(NvSciBufAttrListSetAttrs(list, rawbuffattrs, NR(rawbuffattrs)) ==
	     NvSciError_Success);
}

static void a_raw_buffer_is_allocated(void **state)
{
	NvSciBufModule bufmodule = NULL;
	NvSciBufAttrList unreconciledList[2] = { NULL, NULL };
	NvSciBufAttrList reconciledList = NULL, ConflictList = NULL;
	NvSciBufAttrList list = NULL;
	NvSciBufObj nvscibufobj = NULL;
	const void *const_ptr = NULL;
	void *va_ptr = NULL;

	(void)state;
	ok(NvSciBufModuleOpen(&bufmodule));
	ok(NvSciBufAttrListCreate(bufmodule, &unreconciledList[0]));
	set_raw(unreconciledList[0], false);
	ok(NvSciBufAttrListCreate(bufmodule, &unreconciledList[1]));
	set_raw(unreconciledList[1], true);
	ok(NvSciBufAttrListReconcile(unreconciledList, 2, &reconciledList,
				     &ConflictList));
	ok(NvSciBufObjAlloc(reconciledList, &nvscibufobj));
	ok(NvSciBufObjGetAttrList(nvscibufobj, &list));
	ok(NvSciBufObjGetCpuPtr(nvscibufobj, &va_ptr));
	ok(NvSciBufObjGetConstCpuPtr(nvscibufobj, &const_ptr));
	memset(va_ptr, 1, 128 * 1024);
	assert_int_equal(((const char *)const_ptr)[128 * 1024 - 1], 1);
	/* The listing frees this after success and after failure. */
	NvSciBufAttrListFree(reconciledList);
	NvSciBufAttrListFree(ConflictList);
	NvSciBufAttrListFree(unreconciledList[0]);
	NvSciBufAttrListFree(unreconciledList[1]);
	NvSciBufObjFree(nvscibufobj);
	NvSciBufModuleClose(bufmodule);
}

/* Process 1 of the listings */
static void peer_process1(const char *name)
{
	NvSciIpcEndpoint ipcEndpoint = 0;
	NvSciBufAttrList AttrList1 = NULL, reconciledAttrList = NULL;
	void *ListDesc = NULL, *objAndList = NULL, *va_ptr = NULL;
	size_t ListDescSize = 0U, objAndListSize = 0U;
	NvSciBufObj bufObj = NULL;
	NvSciError err;

	err = NvSciIpcInit();
	must(err == NvSciError_Success);
	err = NvSciIpcOpenEndpoint(name, &ipcEndpoint);
	must(err == NvSciError_Success);
	err = NvSciBufAttrListCreate(module, &AttrList1);
	must(err == NvSciError_Success);
	set_raw(AttrList1, true);
	err = NvSciBufAttrListIpcExportUnreconciled(&AttrList1, 1, ipcEndpoint,
						    &ListDesc, &ListDescSize);
	must(err == NvSciError_Success);
	send_desc(ipcEndpoint, ListDesc, ListDescSize);
	NvSciBufAttrListFreeDesc(ListDesc);

	ListDesc = recv_desc(ipcEndpoint, &ListDescSize);
	err = NvSciBufAttrListIpcImportReconciled(module, ipcEndpoint,
						  ListDesc, ListDescSize,
						  &AttrList1, 1,
						  &reconciledAttrList);
	must(err == NvSciError_Success);
	free(ListDesc);

	err = NvSciBufObjAlloc(reconciledAttrList, &bufObj);
	must(err == NvSciError_Success);
	err = NvSciBufObjGetCpuPtr(bufObj, &va_ptr);
	must(err == NvSciError_Success);
	strcpy((char *)va_ptr, "process 1");
	err = NvSciBufIpcExportAttrListAndObj(bufObj,
					      NvSciBufAccessPerm_ReadOnly,
					      ipcEndpoint, &objAndList,
					      &objAndListSize);
	must(err == NvSciError_Success);
	send_desc(ipcEndpoint, objAndList, objAndListSize);
	NvSciBufAttrListAndObjFreeDesc(objAndList);
	recv_bytes(ipcEndpoint, &objAndListSize, sizeof(objAndListSize));
	NvSciBufObjFree(bufObj);
	NvSciBufAttrListFree(reconciledAttrList);
	NvSciBufAttrListFree(AttrList1);
	NvSciIpcCloseEndpoint(ipcEndpoint);
	NvSciIpcDeinit();
}

/* Process 2 of the listings */
static void lists_and_an_object_go_to_another_process(void **state)
{
	const char *name = channel_name("ipc_endpoint");
	const pid_t pid = start_peer("peer_process1", name);
	NvSciIpcEndpoint ipcEndpoint = 0;
	NvSciBufAttrList unreconciledList[2] = { NULL, NULL };
	NvSciBufAttrList reconciledList = NULL, newConflictList = NULL;
	NvSciBufAttrList AttrList2 = NULL, imported = NULL;
	void *ListDesc = NULL, *objAndList = NULL;
	size_t ListDescSize = 0U, objAndListSize = 0U;
	bool is_valid = false;
	NvSciBufObj bufObj = NULL;
	const void *ptr = NULL;

	(void)state;
	ok(NvSciIpcInit());
	ok(NvSciIpcOpenEndpoint(name, &ipcEndpoint));
	ok(NvSciBufAttrListCreate(module, &AttrList2));
	set_raw(AttrList2, true);
	ListDesc = recv_desc(ipcEndpoint, &ListDescSize);
	ok(NvSciBufAttrListIpcImportUnreconciled(module, ipcEndpoint, ListDesc,
						 ListDescSize, &imported));
	free(ListDesc);
	unreconciledList[0] = AttrList2;
	unreconciledList[1] = imported;
	ok(NvSciBufAttrListReconcile(unreconciledList, 2, &reconciledList,
				     &newConflictList));
	ok(NvSciBufAttrListValidateReconciled(reconciledList, unreconciledList,
					      2, &is_valid));
	assert_true(is_valid);
	ok(NvSciBufAttrListIpcExportReconciled(reconciledList, ipcEndpoint,
					       &ListDesc, &ListDescSize));
	send_desc(ipcEndpoint, ListDesc, ListDescSize);
	NvSciBufAttrListFreeDesc(ListDesc);

	objAndList = recv_desc(ipcEndpoint, &objAndListSize);
	ok(NvSciBufIpcImportAttrListAndObj(module, ipcEndpoint, objAndList,
					   objAndListSize, &AttrList2, 1,
					   NvSciBufAccessPerm_ReadOnly,
					   10000000U, &bufObj));
	free(objAndList);
	ok(NvSciBufObjGetConstCpuPtr(bufObj, &ptr));
	assert_string_equal((const char *)ptr, "process 1");
	send_bytes(ipcEndpoint, &objAndListSize, sizeof(objAndListSize));
	NvSciBufObjFree(bufObj);
	NvSciBufAttrListFree(reconciledList);
	NvSciBufAttrListFree(imported);
	NvSciBufAttrListFree(AttrList2);
	NvSciIpcCloseEndpoint(ipcEndpoint);
	NvSciIpcDeinit();
	wait_for_peer(pid);
}

static void a_conflict_is_dumped(void **state)
{
	NvSciBufAttrList lists[2], reconciledList = NULL, ConflictList = NULL;
	const uint64_t size = 1;
	size_t len = 0;
	void *text = NULL;

	(void)state;
	lists[0] = new_list();
	set_raw(lists[0], false);
	lists[1] = new_list();
	set_number(lists[1], NvSciBufGeneralAttrKey_Types,
		   NvSciBufType_RawBuffer);
	ok(set_one(lists[1], NvSciBufRawBufferAttrKey_Size, &size,
		   sizeof(size)));
	is(NvSciBufAttrListReconcile(lists, 2, &reconciledList, &ConflictList),
	   ReconciliationFailed);
	ok(NvSciBufAttrListDump(ConflictList, &text, &len));
	assert_true(len > 1);
	free(text);
	NvSciBufAttrListFree(reconciledList);
	NvSciBufAttrListFree(ConflictList);
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);
}

static void an_image_of_nvmedia_is_allocated(void **state)
{
	NvMediaDevice *device;
	NvSciBufModule bufmodule;
	NvSciBufAttrList attrlist, conflictlist;
	NvSciBufObj bufobj;
	NvMediaImage *image;
	NvMediaSurfaceType nvmsurfacetype;
	NvMediaSurfAllocAttr surfAllocAttrs[8];
	uint32_t numsurfallocattrs = 0;
	NVM_SURF_FMT_DEFINE_ATTR(surfFormatAttrs);

	(void)state;
	device = NvMediaDeviceCreate();
	assert_non_null(device);
	assert_int_equal(NvMediaImageNvSciBufInit(), NVMEDIA_STATUS_OK);
	ok(NvSciBufModuleOpen(&bufmodule));
	ok(NvSciBufAttrListCreate(bufmodule, &attrlist));
	NVM_SURF_FMT_SET_ATTR_YUV(surfFormatAttrs, YUV, 420, SEMI_PLANAR, UINT,
				  8, PL);
	surfAllocAttrs[numsurfallocattrs].type = NVM_SURF_ATTR_WIDTH;
	surfAllocAttrs[numsurfallocattrs++].value = 1920;
	surfAllocAttrs[numsurfallocattrs].type = NVM_SURF_ATTR_HEIGHT;
	surfAllocAttrs[numsurfallocattrs++].value = 1080;
	nvmsurfacetype = NvMediaSurfaceFormatGetType(surfFormatAttrs,
						     NVM_SURF_FMT_ATTR_MAX);
	assert_int_equal(NvMediaImageFillNvSciBufAttrs(device, nvmsurfacetype,
						       surfAllocAttrs,
						       numsurfallocattrs, 0,
						       attrlist),
			 NVMEDIA_STATUS_OK);
	ok(NvSciBufAttrListReconcileAndObjAlloc(&attrlist, 1, &bufobj,
						&conflictlist));
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(device, bufobj,
							&image),
			 NVMEDIA_STATUS_OK);
	NvSciBufAttrListFree(attrlist);
	assert_int_equal(image->width, 1920);
	NvMediaImageDestroy(image);
	NvMediaImageNvSciBufDeinit();
	NvMediaDeviceDestroy(device);
	NvSciBufObjFree(bufobj);
	NvSciBufModuleClose(bufmodule);
}

static void an_object_is_memory_of_cuda(void **state)
{
	NvSciBufType bufType = NvSciBufType_RawBuffer;
	uint64_t rawsize = SIZE, align = 0, ret_size, offset = 0;
	bool cpuaccess_flag = true;
	NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
	NvSciRmGpuId gpuid;
	CUuuid uuid;
	NvSciBufAttrKeyValuePair rawbuffattrs[] = {
		{ NvSciBufGeneralAttrKey_Types, &bufType, sizeof(bufType) },
		{ NvSciBufRawBufferAttrKey_Size, &rawsize, sizeof(rawsize) },
		{ NvSciBufRawBufferAttrKey_Align, &align, sizeof(align) },
		{ NvSciBufGeneralAttrKey_NeedCpuAccess, &cpuaccess_flag,
		  sizeof(cpuaccess_flag) },
		{ NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
		{ NvSciBufGeneralAttrKey_GpuId, &gpuid, sizeof(gpuid) },
	};
	NvSciBufAttrKeyValuePair bufattrs[] = {
		{ NvSciBufRawBufferAttrKey_Size, NULL, 0 },
	};
	NvSciBufAttrList attrListBuffer, attrListReconciledBuffer;
	NvSciBufAttrList attrListConflictBuffer, retList;
	struct cudaExternalMemoryHandleDesc memHandleDesc;
	struct cudaExternalMemoryBufferDesc bufferDesc;
	cudaExternalMemory_t extMemBuffer;
	NvSciBufObj bufferObjRaw;
	const void *ptr;
	void *dptr;

	(void)state;
	assert_int_equal(cuInit(0), CUDA_SUCCESS);
	assert_int_equal(cuDeviceGetUuid(&uuid, 0), CUDA_SUCCESS);
	memcpy(gpuid.bytes, uuid.bytes, sizeof(gpuid.bytes));
	ok(NvSciBufAttrListCreate(module, &attrListBuffer));
	ok(NvSciBufAttrListSetAttrs(attrListBuffer, rawbuffattrs,
				    NR(rawbuffattrs)));
	ok(NvSciBufAttrListReconcile(&attrListBuffer, 1,
				     &attrListReconciledBuffer,
				     &attrListConflictBuffer));
	ok(NvSciBufObjAlloc(attrListReconciledBuffer, &bufferObjRaw));

	ok(NvSciBufObjGetAttrList(bufferObjRaw, &retList));
	ok(NvSciBufAttrListGetAttrs(retList, bufattrs, NR(bufattrs)));
	ret_size = *(const uint64_t *)bufattrs[0].value;
	assert_int_equal(ret_size, SIZE);

	memset(&memHandleDesc, 0, sizeof(memHandleDesc));
	memHandleDesc.type = cudaExternalMemoryHandleTypeNvSciBuf;
	memHandleDesc.handle.nvSciBufObject = bufferObjRaw;
	memHandleDesc.size = ret_size;
	cuda(cudaImportExternalMemory(&extMemBuffer, &memHandleDesc));

	memset(&bufferDesc, 0, sizeof(bufferDesc));
	bufferDesc.offset = offset;
	bufferDesc.size = ret_size;
	cuda(cudaExternalMemoryGetMappedBuffer(&dptr, extMemBuffer,
					       &bufferDesc));

	run_kernel(dptr, ret_size);
	cuda(cudaDeviceSynchronize());
	ok(NvSciBufObjGetConstCpuPtr(bufferObjRaw, &ptr));
	assert_int_equal(*(const uint8_t *)ptr, 0x5a);
	assert_int_equal(((const uint8_t *)ptr)[ret_size - 1], 0x5a);

	cuda(cudaFree(dptr));
	cuda(cudaDestroyExternalMemory(extMemBuffer));
	NvSciBufAttrListFree(attrListReconciledBuffer);
	NvSciBufAttrListFree(attrListBuffer);
	NvSciBufObjFree(bufferObjRaw);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_raw_buffer_is_allocated),
		cmocka_unit_test(lists_and_an_object_go_to_another_process),
		cmocka_unit_test(a_conflict_is_dumped),
		cmocka_unit_test(an_image_of_nvmedia_is_allocated),
		cmocka_unit_test(an_object_is_memory_of_cuda),
	};

	if (argc == 3 && !strcmp(argv[1], "peer_process1")) {
		must(!open_module(NULL));
		peer_process1(argv[2]);
		close_module(NULL);
		return 0;
	}
	return cmocka_run_group_tests(tests, open_module, close_module);
}
