// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that names, numbers and layout in the headers are those of the vendor,
 * in C99, C11 and C++11, and equal in the headers of NvBufSurface and VPI.
 * Needs no board.
 */
#include <nvmedia_image_nvscibuf.h>
#include <nvscibuf.h>
#include <nvsciipc.h>
#include <nvscisync.h>
#ifdef __has_include
#if __has_include(<nvbufsurface.h>)
#include <nvbufsurface.h>
#endif
#endif
#include <stddef.h>
#include <stdio.h>

struct number {
	const char *name;
	long long is;
	long long want;
};

#define IS(name, want)	{ #name, (long long)(name), want }
#define SIZE(type, want) { "size of " #type, (long long)sizeof(type), want }
#define OFF(type, field, want) \
	{ #type "." #field, (long long)offsetof(type, field), want }

static const struct number numbers[] = {
	IS(NvSciError_NotSupported, 0x11),
	IS(NvSciError_BadParameter, 0x100),
	IS(NvSciError_Revalidation_Success, 0x108),
	IS(NvSciError_Timeout, 0x200),
	IS(NvSciError_EndOfFile, 0x110c),
	IS(NvSciError_NoRemote, 0x1205),
	IS(NvSciError_ReconciliationFailed, 0x10100),
	IS(NvSciError_AttrListValidationFailed, 0x10101),
	IS(NvSciError_ObjValidationFailed, 0x10102),
	IS(NvSciError_ClearedFence, 0x2000002),
	IS(NvSciError_StreamBadDstIndex, 0x3800001),
	IS(NvSciError_PcieValidationError, 0x4000004),

	IS(NvSciSyncAccessPerm_WaitOnly, 1),
	IS(NvSciSyncAccessPerm_SignalOnly, 2),
	IS(NvSciSyncAccessPerm_WaitSignal, 3),
	IS(NvSciSyncAccessPerm_Auto >> 60, 8),
	IS(NvSciSyncAttrKey_NeedCpuAccess, 1),
	IS(NvSciSyncAttrKey_RequireDeterministicFences, 6),
	IS(NvSciSyncAttrKey_MaxPrimitiveValue, 9),
	IS(NvSciSyncAttrKey_GpuId, 12),
	IS(NvSciSyncAttrKey_UpperBound, 14),
	IS(NvSciSyncAttrValPrimitiveType_SysmemSemaphorePayload64b, 4),
	IS(NvSciSyncWaitMode_Blocking, 3),
	SIZE(NvSciSyncFence, 48),
	SIZE(NvSciSyncFenceIpcExportDescriptor, 56),
	SIZE(NvSciSyncObjIpcExportDescriptor, 1024),
	SIZE(NvSciSyncTaskStatus, 16),

	IS(NvSciBufType_RawBuffer, 1),
	IS(NvSciBufType_Pyramid, 5),
	IS(NvSciBufGeneralAttrKey_Types, 1),
	IS(NvSciBufGeneralAttrKey_GpuId, 5),
	IS(NvSciBufGeneralAttrKey_ActualPerm, 7),
	IS(NvSciBufGeneralAttrKey_EnableGpuCompression, 11),
	IS(NvSciBufGeneralAttrKey_PeerHwEngineArray, 13),
	IS(NvSciBufRawBufferAttrKey_Size, 0x10000),
	IS(NvSciBufRawBufferAttrKey_Align, 0x10001),
	IS(NvSciBufImageAttrKey_Layout, 0x20000),
	IS(NvSciBufImageAttrKey_Size, 0x20006),
	IS(NvSciBufImageAttrKey_PlaneColorFormat, 0x20009),
	IS(NvSciBufImageAttrKey_PlaneHeight, 0x2000d),
	IS(NvSciBufImageAttrKey_ScanType, 0x2000e),
	IS(NvSciBufImageAttrKey_PlanePitch, 0x20014),
	IS(NvSciBufImageAttrKey_ImageCount, 0x20017),
	IS(NvSciBufImageAttrKey_SurfColorStd, 0x2001f),
	IS(NvSciBufTensorAttrKey_DataType, 0x30000),
	IS(NvSciBufTensorAttrKey_Size, 0x30007),
	IS(NvSciBufArrayAttrKey_DataType, 0x40000),
	IS(NvSciBufArrayAttrKey_Alignment, 0x40004),
	IS(NvSciBufPyramidAttrKey_NumLevels, 0x50000),
	IS(NvSciBufPyramidAttrKey_Alignment, 0x50004),
	IS(NvSciBufAttrKey_UpperBound, 0x3ffffff),
	IS(NvSciBufAccessPerm_Readonly, 1),
	IS(NvSciBufAccessPerm_ReadOnly, 1),
	IS(NvSciBufAccessPerm_ReadWrite, 3),
	IS(NvSciBufAccessPerm_Auto, 4),
	IS(NvSciBufImage_PitchLinearType, 1),
	IS(NvSciBufScan_InterlaceType, 1),
	IS(NvSciColor_Bayer8RGGB, 1),
	IS(NvSciColor_Bayer16CCRC, 18),
	IS(NvSciColor_X4Bayer12CCRC, 41),
	IS(NvSciColor_FloatISP_Bayer16CCRC, 58),
	IS(NvSciColor_Signed_X12Bayer20GBRG, 73),
	IS(NvSciColor_V8U8, 76),
	IS(NvSciColor_Y8, 84),
	IS(NvSciColor_V16, 95),
	IS(NvSciColor_A16Y16U16V16, 101),
	IS(NvSciColor_A8B8G8R8, 106),
	IS(NvSciColor_Float_A16, 116),
	IS(NvSciColor_Bayer16IGGR_IGGB, 148),
	IS(NvSciColor_B8, 152),
	IS(NvSciColorStd_REQ2020PQ_ER, 11),
	IS(NvSciSurfSampleType_400, 4),
	IS(NvSciSurfBPC_16, 6),
	IS(NvSciDataType_Float32, 9),
	IS(NvSciDataType_Bool, 11),
	IS(NvSciBufHwEngName_Vic, 106),
	IS(NvSciBufHwEngName_PVA, 121),
	IS(NV_SCI_BUF_IMAGE_MAX_PLANES, 3),
	IS(NV_SCI_BUF_TENSOR_MAX_DIMS, 8),
	IS(NV_SCI_BUF_PYRAMID_MAX_LEVELS, 10),
	IS(NVSCIBUF_EXPORT_DESC_SIZE, 32),

	SIZE(NvSciRmGpuId, 16),
	SIZE(NvSciBufAttrValGpuCache, 17),
	SIZE(NvSciBufAttrValGpuCompression, 20),
	SIZE(NvSciBufRect, 32),
	SIZE(NvSciBufObjIpcExportDescriptor, 256),
	SIZE(NvSciBufPeerLocationInfo, 16),
	SIZE(NvSciBufPeerHwEngine, 8),
	SIZE(NvSciBufAttrKeyValuePair, 24),
	OFF(NvSciBufAttrKeyValuePair, value, 8),
	OFF(NvSciBufAttrKeyValuePair, len, 16),
	OFF(NvSciBufAttrValGpuCache, cacheability, 16),

	SIZE(NvSciIpcEndpoint, 8),
	SIZE(struct NvSciIpcEndpointInfo, 8),
	IS(NV_SCI_IPC_EVENT_CONN_EST, 4),
	IS(NV_SCI_IPC_EVENT_CONN_RESET, 8),
	IS(NV_SCI_IPC_EVENT_CONN_EST_ALL, 0x17),

	IS(NVMEDIA_STATUS_UNDEFINED_STATE, 13),
	IS(NVM_SURF_FMT_ATTR_MAX, 7),
	IS(NVM_SURF_ALLOC_ATTR_MAX, 9),
	IS(NVM_SURF_ATTR_COMPONENT_ORDER_VUYX, 10),
	IS(NVM_SURF_ATTR_COMPONENT_ORDER_RG, 0x15),
	IS(NVM_SURF_ATTR_COMPONENT_ORDER_CCCC, 0x2d),
	IS(NVM_SURF_ATTR_BITS_PER_COMPONENT_20, 10),
	IS(NVM_SURF_ATTR_COLOR_STD_REC2020PQ_ER, 12),
	IS(NvMediaSurfaceType_Unsupported, 99999),
	OFF(NvMediaImage, tag, 32),
	OFF(NvMediaImage, captureTimeStamp, 40),
	OFF(NvMediaImage, colorStd, 64),
	SIZE(NvMediaImage, 72),
};

/* Several headers define this type, which must be the same to compile. */
static NvSciBufObj object;
static struct NvSciBufObjRefRec **const same = &object;

int main(void)
{
	const size_t nr = sizeof(numbers) / sizeof(numbers[0]);
	size_t i, bad = !!*same;

	for (i = 0; i < nr; i++) {
		if (numbers[i].is == numbers[i].want)
			continue;
		printf("# %s is %lld, not %lld\n", numbers[i].name,
		       numbers[i].is, numbers[i].want);
		bad++;
	}
	printf("%sok 1 - numbers_are_the_vendors\n1..1\n", bad ? "not " : "");
	return bad != 0;
}
