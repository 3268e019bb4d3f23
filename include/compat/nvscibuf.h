/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVIDIA's NvSciBuf over libmem: buffers that several engines and processes
 * share. Names and numbers are the vendor's, as of DRIVE OS 6 (NvSciBuf 2.11);
 * Documentation/nvscibuf.rst maps each call to libmem's and says where
 * behaviour differs. Calls of older and newer versions are there, too.
 *
 * An NvSciBufObj is libmem's struct mem_object: CUDA's external memory and VPI
 * take it as it is.
 *
 * Below, a call's own errors are listed. Besides, each may return
 * NvSciError_InsufficientMemory, NvSciError_ResourceError (libmem's context
 * has failed) and NvSciError_NotPermitted (the process is a child by fork() of
 * one that has an embedded context).
 */
#ifndef INCLUDED_NVSCIBUF_H
#define INCLUDED_NVSCIBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvscierror.h"
#include "nvsciipc.h"

#ifdef __cplusplus
extern "C" {
#endif

/** enum NvSciBufTypeRec - what a buffer holds; MaxValid is no type */
typedef enum NvSciBufTypeRec {
	NvSciBufType_General	= 0U,
	NvSciBufType_RawBuffer	= 1U,
	NvSciBufType_Image	= 2U,
	NvSciBufType_Tensor	= 3U,
	NvSciBufType_Array	= 4U,
	NvSciBufType_Pyramid	= 5U,
	NvSciBufType_MaxValid	= 6U,
	NvSciBufType_UpperBound	= 6U
} NvSciBufType;

static const uint32_t NvSciBufMajorVersion = 2U;
static const uint32_t NvSciBufMinorVersion = 11U;

/* C++ knows these as constants, C as macros, as the vendor has it. */
#ifdef __cplusplus
static const int NV_SCI_BUF_TENSOR_MAX_DIMS = 8;
static const int NV_SCI_BUF_IMAGE_MAX_PLANES = 3;
static const int NV_SCI_BUF_PYRAMID_MAX_LEVELS = 10;
static const int NVSCIBUF_EXPORT_DESC_SIZE = 32;
static const uint32_t NV_SCI_BUF_PEER_INFO_MAX_NUMBER = 128U;
static const uint32_t NV_SCI_BUF_PEER_INFO_SELF_SOCID = 0xFFFFFFFFU;
static const uint32_t NV_SCI_BUF_PEER_INFO_SELF_VMID = 0xFFFFFFFFU;
static const int NV_SCI_BUF_PEER_HW_ENGINE_MAX_NUMBER = 128;
static const uint32_t NV_SCI_BUF_MAX_GPUS = 16U;
static const int NV_SCI_BUF_ATTRKEY_BIT_COUNT = 16;
static const int NV_SCI_BUF_DATATYPE_BIT_COUNT = 10;
static const int NV_SCI_BUF_ATTR_KEY_TYPE_PUBLIC = 0;
static const int NV_SCI_BUF_KEYTYPE_BIT_START = 26;
static const int NV_SCI_BUF_GENERAL_ATTR_KEY_START = 0x00000;
static const int NV_SCI_BUF_RAW_BUF_ATTR_KEY_START = 0x10000;
static const int NV_SCI_BUF_IMAGE_ATTR_KEY_START = 0x20000;
static const int NV_SCI_BUF_TENSOR_ATTR_KEY_START = 0x30000;
static const int NV_SCI_BUF_ARRAY_ATTR_KEY_START = 0x40000;
static const int NV_SCI_BUF_PYRAMID_ATTR_KEY_START = 0x50000;
#else
#define NV_SCI_BUF_TENSOR_MAX_DIMS		8u
#define NV_SCI_BUF_IMAGE_MAX_PLANES		3u
#define NV_SCI_BUF_PYRAMID_MAX_LEVELS		10u
#define NVSCIBUF_EXPORT_DESC_SIZE		32u
#define NV_SCI_BUF_PEER_INFO_MAX_NUMBER		128u
#define NV_SCI_BUF_PEER_INFO_SELF_SOCID		0xFFFFFFFFu
#define NV_SCI_BUF_PEER_INFO_SELF_VMID		0xFFFFFFFFu
#define NV_SCI_BUF_PEER_HW_ENGINE_MAX_NUMBER	128u
#define NV_SCI_BUF_MAX_GPUS			16
#define NV_SCI_BUF_ATTRKEY_BIT_COUNT		16u
#define NV_SCI_BUF_DATATYPE_BIT_COUNT		10u
#define NV_SCI_BUF_ATTR_KEY_TYPE_PUBLIC		0u
#define NV_SCI_BUF_KEYTYPE_BIT_START		26u
#define NV_SCI_BUF_GENERAL_ATTR_KEY_START	0x00000
#define NV_SCI_BUF_RAW_BUF_ATTR_KEY_START	0x10000
#define NV_SCI_BUF_IMAGE_ATTR_KEY_START		0x20000
#define NV_SCI_BUF_TENSOR_ATTR_KEY_START	0x30000
#define NV_SCI_BUF_ARRAY_ATTR_KEY_START		0x40000
#define NV_SCI_BUF_PYRAMID_ATTR_KEY_START	0x50000
#endif

/*
 * Keys of an attribute list. The comment is the type of the value, "[]" if it
 * takes one a plane, dimension, level or GPU; "out": computed by
 * reconciliation. libmem/attrs.h says how values of several lists merge.
 */
typedef enum NvSciBufAttrKeyRec {
	NvSciBufAttrKey_LowerBound = NV_SCI_BUF_GENERAL_ATTR_KEY_START,

	NvSciBufGeneralAttrKey_Types,			/* NvSciBufType[] */
	NvSciBufGeneralAttrKey_NeedCpuAccess,		/* bool */
	/* NvSciBufAttrValAccessPerm; not of reconciled lists */
	NvSciBufGeneralAttrKey_RequiredPerm,
	NvSciBufGeneralAttrKey_EnableCpuCache,		/* bool */
	NvSciBufGeneralAttrKey_GpuId,			/* NvSciRmGpuId[] */
	NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency,	/* out, bool */
	/* out, NvSciBufAttrValAccessPerm */
	NvSciBufGeneralAttrKey_ActualPerm,
	NvSciBufGeneralAttrKey_VidMem_GpuId,		/* NvSciRmGpuId */
	/* NvSciBufAttrValGpuCache[] */
	NvSciBufGeneralAttrKey_EnableGpuCache,
	/* out, NvSciBufAttrValGpuCache[] */
	NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency,
	/* NvSciBufAttrValGpuCompression[] */
	NvSciBufGeneralAttrKey_EnableGpuCompression,
	/* NvSciBufPeerLocationInfo; not supported */
	NvSciBufGeneralAttrKey_PeerLocationInfo,
	/* NvSciBufPeerHwEngine[]; not supported */
	NvSciBufGeneralAttrKey_PeerHwEngineArray,

	/* uint64_t, bytes */
	NvSciBufRawBufferAttrKey_Size = NV_SCI_BUF_RAW_BUF_ATTR_KEY_START,
	NvSciBufRawBufferAttrKey_Align,		/* uint64_t; 0: any */

	/* NvSciBufAttrValImageLayoutType */
	NvSciBufImageAttrKey_Layout = NV_SCI_BUF_IMAGE_ATTR_KEY_START,
	/* uint64_t[], pixels: kept, of no effect on the layout */
	NvSciBufImageAttrKey_TopPadding,
	NvSciBufImageAttrKey_BottomPadding,
	NvSciBufImageAttrKey_LeftPadding,
	NvSciBufImageAttrKey_RightPadding,
	NvSciBufImageAttrKey_VprFlag,		/* bool: false */
	NvSciBufImageAttrKey_Size,		/* out, uint64_t, bytes */
	NvSciBufImageAttrKey_Alignment,		/* out, uint64_t, bytes */
	NvSciBufImageAttrKey_PlaneCount,	/* uint32_t */
	NvSciBufImageAttrKey_PlaneColorFormat,	/* NvSciBufAttrValColorFmt[] */
	NvSciBufImageAttrKey_PlaneColorStd,	/* NvSciBufAttrValColorStd[] */
	NvSciBufImageAttrKey_PlaneBaseAddrAlign,	/* uint32_t[], bytes */
	NvSciBufImageAttrKey_PlaneWidth,	/* uint32_t[], pixels */
	NvSciBufImageAttrKey_PlaneHeight,	/* uint32_t[], rows */
	/* NvSciBufAttrValImageScanType */
	NvSciBufImageAttrKey_PlaneScanType = 0x2000e,
	NvSciBufImageAttrKey_ScanType = NvSciBufImageAttrKey_PlaneScanType,
	NvSciBufImageAttrKey_PlaneBitsPerPixel,	/* out, uint32_t[] */
	NvSciBufImageAttrKey_PlaneOffset,	/* out, uint64_t[], bytes */
	/* out, NvSciBufAttrValDataType[] */
	NvSciBufImageAttrKey_PlaneDatatype,
	NvSciBufImageAttrKey_PlaneChannelCount,	/* out, uint8_t[] */
	/* out, uint64_t[], bytes */
	NvSciBufImageAttrKey_PlaneSecondFieldOffset,
	NvSciBufImageAttrKey_PlanePitch,	/* out, uint32_t[], bytes */
	NvSciBufImageAttrKey_PlaneAlignedHeight,	/* out, uint32_t[] */
	NvSciBufImageAttrKey_PlaneAlignedSize,	/* out, uint64_t[], bytes */
	NvSciBufImageAttrKey_ImageCount,	/* uint64_t: 1 */
	/* Of a whole surface, in place of the keys of planes */
	NvSciBufImageAttrKey_SurfType,		/* NvSciBufSurfType */
	NvSciBufImageAttrKey_SurfMemLayout,	/* NvSciBufSurfMemLayout */
	NvSciBufImageAttrKey_SurfSampleType,	/* NvSciBufSurfSampleType */
	NvSciBufImageAttrKey_SurfBPC,		/* NvSciBufSurfBPC */
	/* NvSciBufSurfComponentOrder */
	NvSciBufImageAttrKey_SurfComponentOrder,
	NvSciBufImageAttrKey_SurfWidthBase,	/* uint32_t, pixels */
	NvSciBufImageAttrKey_SurfHeightBase,	/* uint32_t, rows */
	NvSciBufImageAttrKey_SurfColorStd,	/* NvSciBufAttrValColorStd */

	/* NvSciBufAttrValDataType */
	NvSciBufTensorAttrKey_DataType = NV_SCI_BUF_TENSOR_ATTR_KEY_START,
	NvSciBufTensorAttrKey_NumDims,		/* uint32_t */
	NvSciBufTensorAttrKey_SizePerDim,	/* uint64_t[] */
	NvSciBufTensorAttrKey_AlignmentPerDim,	/* uint32_t[], bytes */
	NvSciBufTensorAttrKey_StridesPerDim,	/* out, uint64_t[], bytes */
	NvSciBufTensorAttrKey_PixelFormat,	/* NvSciBufAttrValColorFmt */
	NvSciBufTensorAttrKey_BaseAddrAlign,	/* uint64_t, bytes */
	NvSciBufTensorAttrKey_Size,		/* out, uint64_t, bytes */

	/* NvSciBufAttrValDataType */
	NvSciBufArrayAttrKey_DataType = NV_SCI_BUF_ARRAY_ATTR_KEY_START,
	NvSciBufArrayAttrKey_Stride,		/* uint64_t, bytes */
	NvSciBufArrayAttrKey_Capacity,		/* uint64_t */
	NvSciBufArrayAttrKey_Size,		/* out, uint64_t, bytes */
	NvSciBufArrayAttrKey_Alignment,		/* out, uint64_t, bytes */

	/* uint32_t */
	NvSciBufPyramidAttrKey_NumLevels = NV_SCI_BUF_PYRAMID_ATTR_KEY_START,
	NvSciBufPyramidAttrKey_Scale,		/* float */
	NvSciBufPyramidAttrKey_LevelOffset,	/* out, uint64_t[], bytes */
	NvSciBufPyramidAttrKey_LevelSize,	/* out, uint64_t[], bytes */
	NvSciBufPyramidAttrKey_Alignment,	/* out, uint64_t, bytes */

	NvSciBufAttrKey_UpperBound = 0x3ffffff
} NvSciBufAttrKey;

/*
 * What one may do with a buffer. Auto: as the receiver's lists have asked for,
 * of exports and imports alone. The vendor's documents write ReadOnly, its
 * headers Readonly.
 */
typedef enum NvSciBufAttrValAccessPermRec {
	NvSciBufAccessPerm_Readonly = 1,
	NvSciBufAccessPerm_ReadOnly = NvSciBufAccessPerm_Readonly,
	NvSciBufAccessPerm_ReadWrite = 3,
	NvSciBufAccessPerm_Auto,
	NvSciBufAccessPerm_Invalid
} NvSciBufAttrValAccessPerm;

typedef enum NvSciBufAttrValImageLayoutTypeRec {
	NvSciBufImage_BlockLinearType,
	NvSciBufImage_PitchLinearType
} NvSciBufAttrValImageLayoutType;

typedef enum NvSciBufAttrValImageScanTypeRec {
	NvSciBufScan_ProgressiveType,
	NvSciBufScan_InterlaceType
} NvSciBufAttrValImageScanType;

/* Pixels of a plane, components named from the highest bit on */
typedef enum NvSciBufAttrValColorFmtRec {
	NvSciColor_LowerBound,
	/* Raw, as sensors have it */
	NvSciColor_Bayer8RGGB,
	NvSciColor_Bayer8CCCC,
	NvSciColor_Bayer8BGGR,
	NvSciColor_Bayer8GBRG,
	NvSciColor_Bayer8GRBG,
	NvSciColor_Bayer16BGGR,
	NvSciColor_Bayer16CCCC,
	NvSciColor_Bayer16GBRG,
	NvSciColor_Bayer16GRBG,
	NvSciColor_Bayer16RGGB,
	NvSciColor_Bayer16RCCB,
	NvSciColor_Bayer16BCCR,
	NvSciColor_Bayer16CRBC,
	NvSciColor_Bayer16CBRC,
	NvSciColor_Bayer16RCCC,
	NvSciColor_Bayer16CCCR,
	NvSciColor_Bayer16CRCC,
	NvSciColor_Bayer16CCRC,
	NvSciColor_X2Bayer14GBRG,
	NvSciColor_X4Bayer12GBRG,
	NvSciColor_X6Bayer10GBRG,
	NvSciColor_X2Bayer14GRBG,
	NvSciColor_X4Bayer12GRBG,
	NvSciColor_X6Bayer10GRBG,
	NvSciColor_X2Bayer14BGGR,
	NvSciColor_X4Bayer12BGGR,
	NvSciColor_X6Bayer10BGGR,
	NvSciColor_X2Bayer14RGGB,
	NvSciColor_X4Bayer12RGGB,
	NvSciColor_X6Bayer10RGGB,
	NvSciColor_X2Bayer14CCCC,
	NvSciColor_X4Bayer12CCCC,
	NvSciColor_X6Bayer10CCCC,
	NvSciColor_X4Bayer12RCCB,
	NvSciColor_X4Bayer12BCCR,
	NvSciColor_X4Bayer12CRBC,
	NvSciColor_X4Bayer12CBRC,
	NvSciColor_X4Bayer12RCCC,
	NvSciColor_X4Bayer12CCCR,
	NvSciColor_X4Bayer12CRCC,
	NvSciColor_X4Bayer12CCRC,
	NvSciColor_Signed_X2Bayer14CCCC,
	NvSciColor_Signed_X4Bayer12CCCC,
	NvSciColor_Signed_X6Bayer10CCCC,
	NvSciColor_Signed_Bayer16CCCC,
	NvSciColor_FloatISP_Bayer16CCCC,
	NvSciColor_FloatISP_Bayer16RGGB,
	NvSciColor_FloatISP_Bayer16BGGR,
	NvSciColor_FloatISP_Bayer16GRBG,
	NvSciColor_FloatISP_Bayer16GBRG,
	NvSciColor_FloatISP_Bayer16RCCB,
	NvSciColor_FloatISP_Bayer16BCCR,
	NvSciColor_FloatISP_Bayer16CRBC,
	NvSciColor_FloatISP_Bayer16CBRC,
	NvSciColor_FloatISP_Bayer16RCCC,
	NvSciColor_FloatISP_Bayer16CCCR,
	NvSciColor_FloatISP_Bayer16CRCC,
	NvSciColor_FloatISP_Bayer16CCRC,
	NvSciColor_X12Bayer20CCCC,
	NvSciColor_X12Bayer20BGGR,
	NvSciColor_X12Bayer20RGGB,
	NvSciColor_X12Bayer20GRBG,
	NvSciColor_X12Bayer20GBRG,
	NvSciColor_X12Bayer20RCCB,
	NvSciColor_X12Bayer20BCCR,
	NvSciColor_X12Bayer20CRBC,
	NvSciColor_X12Bayer20CBRC,
	NvSciColor_X12Bayer20RCCC,
	NvSciColor_X12Bayer20CCCR,
	NvSciColor_X12Bayer20CRCC,
	NvSciColor_X12Bayer20CCRC,
	NvSciColor_Signed_X12Bayer20CCCC,
	NvSciColor_Signed_X12Bayer20GBRG,
	/* Semi-planar chroma */
	NvSciColor_U8V8,
	NvSciColor_U8_V8,
	NvSciColor_V8U8,
	NvSciColor_V8_U8,
	NvSciColor_U10V10,
	NvSciColor_V10U10,
	NvSciColor_U12V12,
	NvSciColor_V12U12,
	NvSciColor_U16V16,
	NvSciColor_V16U16,
	/* Planar */
	NvSciColor_Y8,
	NvSciColor_Y10,
	NvSciColor_Y12,
	NvSciColor_Y16,
	NvSciColor_U8,
	NvSciColor_V8,
	NvSciColor_U10,
	NvSciColor_V10,
	NvSciColor_U12,
	NvSciColor_V12,
	NvSciColor_U16,
	NvSciColor_V16,
	/* Packed YUV */
	NvSciColor_A8Y8U8V8,
	NvSciColor_Y8U8Y8V8,
	NvSciColor_Y8V8Y8U8,
	NvSciColor_U8Y8V8Y8,
	NvSciColor_V8Y8U8Y8,
	NvSciColor_A16Y16U16V16,
	/* RGBA */
	NvSciColor_A8,
	NvSciColor_Signed_A8,
	NvSciColor_B8G8R8A8,
	NvSciColor_A8R8G8B8,
	NvSciColor_A8B8G8R8,
	NvSciColor_A2R10G10B10,
	NvSciColor_A16,
	NvSciColor_Signed_A16,
	NvSciColor_Signed_R16G16,
	NvSciColor_A16B16G16R16,
	NvSciColor_Signed_A16B16G16R16,
	NvSciColor_Float_A16B16G16R16,
	NvSciColor_A32,
	NvSciColor_Signed_A32,
	NvSciColor_Float_A16,
	/* Raw with infrared */
	NvSciColor_X6Bayer10BGGI_RGGI,
	NvSciColor_X6Bayer10GBIG_GRIG,
	NvSciColor_X6Bayer10GIBG_GIRG,
	NvSciColor_X6Bayer10IGGB_IGGR,
	NvSciColor_X6Bayer10RGGI_BGGI,
	NvSciColor_X6Bayer10GRIG_GBIG,
	NvSciColor_X6Bayer10GIRG_GIBG,
	NvSciColor_X6Bayer10IGGR_IGGB,
	NvSciColor_X4Bayer12BGGI_RGGI,
	NvSciColor_X4Bayer12GBIG_GRIG,
	NvSciColor_X4Bayer12GIBG_GIRG,
	NvSciColor_X4Bayer12IGGB_IGGR,
	NvSciColor_X4Bayer12RGGI_BGGI,
	NvSciColor_X4Bayer12GRIG_GBIG,
	NvSciColor_X4Bayer12GIRG_GIBG,
	NvSciColor_X4Bayer12IGGR_IGGB,
	NvSciColor_X2Bayer14BGGI_RGGI,
	NvSciColor_X2Bayer14GBIG_GRIG,
	NvSciColor_X2Bayer14GIBG_GIRG,
	NvSciColor_X2Bayer14IGGB_IGGR,
	NvSciColor_X2Bayer14RGGI_BGGI,
	NvSciColor_X2Bayer14GRIG_GBIG,
	NvSciColor_X2Bayer14GIRG_GIBG,
	NvSciColor_X2Bayer14IGGR_IGGB,
	NvSciColor_Bayer16BGGI_RGGI,
	NvSciColor_Bayer16GBIG_GRIG,
	NvSciColor_Bayer16GIBG_GIRG,
	NvSciColor_Bayer16IGGB_IGGR,
	NvSciColor_Bayer16RGGI_BGGI,
	NvSciColor_Bayer16GRIG_GBIG,
	NvSciColor_Bayer16GIRG_GIBG,
	NvSciColor_Bayer16IGGR_IGGB,
	/* Raw, right-justified */
	NvSciColor_X4Bayer12RGGB_RJ,
	/* Planar RGB */
	NvSciColor_R8,
	NvSciColor_G8,
	NvSciColor_B8,

	NvSciColor_UpperBound
} NvSciBufAttrValColorFmt;

typedef enum NvSciBufAttrValColorStdRec {
	NvSciColorStd_SRGB,
	NvSciColorStd_REC601_SR,
	NvSciColorStd_REC601_ER,
	NvSciColorStd_REC709_SR,
	NvSciColorStd_REC709_ER,
	NvSciColorStd_REC2020_RGB,
	NvSciColorStd_REC2020_SR,
	NvSciColorStd_REC2020_ER,
	NvSciColorStd_YcCbcCrc_SR,
	NvSciColorStd_YcCbcCrc_ER,
	NvSciColorStd_SENSOR_RGBA,
	NvSciColorStd_REQ2020PQ_ER
} NvSciBufAttrValColorStd;

typedef enum NvSciBufSurfTypeRec {
	NvSciSurfType_YUV,
	NvSciSurfType_RGBA,	/* not supported, as by the vendor */
	NvSciSurfType_RAW,	/* not supported, as by the vendor */
	NvSciSurfType_MaxValid
} NvSciBufSurfType;

typedef enum NvSciBufSurfMemLayoutRec {
	NvSciSurfMemLayout_Packed,	/* not supported, as by the vendor */
	NvSciSurfMemLayout_SemiPlanar,
	NvSciSurfMemLayout_Planar,
	NvSciSurfMemLayout_MaxValid
} NvSciBufSurfMemLayout;

typedef enum NvSciBufSurfSampleTypeRec {
	NvSciSurfSampleType_420,
	NvSciSurfSampleType_422,
	NvSciSurfSampleType_444,
	NvSciSurfSampleType_422R,
	NvSciSurfSampleType_400,
	NvSciSurfSampleType_MaxValid
} NvSciBufSurfSampleType;

typedef enum NvSciBufSurfBPCRec {
	NvSciSurfBPC_Layout_16_8_8,
	NvSciSurfBPC_Layout_10_8_8,
	NvSciSurfBPC_8,
	NvSciSurfBPC_10,
	NvSciSurfBPC_12,
	NvSciSurfBPC_14,
	NvSciSurfBPC_16,
	NvSciSurfBPC_MaxValid
} NvSciBufSurfBPC;

typedef enum NvSciBufSurfComponentOrderRec {
	NvSciSurfComponentOrder_YUV,
	NvSciSurfComponentOrder_YVU,
	NvSciSurfComponentOrder_Luma,
	NvSciSurfComponentOrder_MaxValid
} NvSciBufSurfComponentOrder;

typedef enum NvSciBufAttrValDataTypeRec {
	NvSciDataType_Int4,	/* not supported */
	NvSciDataType_Uint4,	/* not supported */
	NvSciDataType_Int8,
	NvSciDataType_Uint8,
	NvSciDataType_Int16,
	NvSciDataType_Uint16,
	NvSciDataType_Int32,
	NvSciDataType_Uint32,
	NvSciDataType_Float16,
	NvSciDataType_Float32,
	NvSciDataType_FloatISP,	/* of planes alone */
	NvSciDataType_Bool,
	NvSciDataType_UpperBound
} NvSciBufAttrValDataType;

typedef enum NvSciBufCompressionTypeRec {
	NvSciBufCompressionType_None,
	NvSciBufCompressionType_GenericCompressible
} NvSciBufCompressionType;

/**
 * struct NvSciRmGpuIdRec - which GPU
 * @bytes: what cuDeviceGetUuid() gives
 */
typedef struct NvSciRmGpuIdRec {
	uint8_t bytes[16];
} NvSciRmGpuId;

/**
 * struct NvSciBufAttrValGpuCacheRec - a GPU's cache
 * @gpuId: which GPU
 * @cacheability: whether it caches, or has to be maintained
 */
typedef struct NvSciBufAttrValGpuCacheRec {
	NvSciRmGpuId gpuId;
	bool cacheability;
} NvSciBufAttrValGpuCache;

/**
 * struct NvSciBufAttrValGpuCompressionRec - what a GPU may do to the bytes
 * @gpuId: which GPU
 * @compressionType: that; None may not be set
 */
typedef struct NvSciBufAttrValGpuCompressionRec {
	NvSciRmGpuId gpuId;
	NvSciBufCompressionType compressionType;
} NvSciBufAttrValGpuCompression;

/**
 * struct NvSciBufRectRec - part of an image, pixels
 * @x0: left, inside
 * @y0: top, inside
 * @x1: right, outside
 * @y1: bottom, outside
 */
typedef struct NvSciBufRectRec {
	uint64_t x0;
	uint64_t y0;
	uint64_t x1;
	uint64_t y1;
} NvSciBufRect;

typedef enum NvSciBufHwEngNameRec {
	NvSciBufHwEngName_Invalid	= 0,
	NvSciBufHwEngName_Display	= 4,
	NvSciBufHwEngName_Isp		= 11,
	NvSciBufHwEngName_Vi		= 12,
	NvSciBufHwEngName_Csi		= 30,
	NvSciBufHwEngName_Vic		= 106,
	NvSciBufHwEngName_Gpu		= 107,
	NvSciBufHwEngName_MSENC		= 109,
	NvSciBufHwEngName_NVDEC		= 117,
	NvSciBufHwEngName_NVJPG		= 118,
	NvSciBufHwEngName_PVA		= 121,
	NvSciBufHwEngName_DLA		= 122,
	NvSciBufHwEngName_PCIe		= 123,
	NvSciBufHwEngName_OFA		= 124,
	NvSciBufHwEngName_NPM		= 125,
	NvSciBufHwEngName_Num		= 126
} NvSciBufHwEngName;

typedef enum NvSciBufPlatformNameRec {
	NvSciBufPlatformName_LowerBound,
	NvSciBufPlatformName_Orin,
	NvSciBufPlatformName_PG189,
	NvSciBufPlatformName_PG199,
	NvSciBufPlatformName_UpperBound
} NvSciBufPlatformName;

typedef struct NvSciBufPeerHwEngineRec {
	NvSciBufHwEngName engName;
	NvSciBufPlatformName platName;
} __attribute__((packed)) NvSciBufPeerHwEngine;

typedef struct NvSciBufPeerLocationInfoRec {
	uint32_t socID;
	uint32_t vmID;
	uint64_t reserved;
} __attribute__((packed)) NvSciBufPeerLocationInfo;

typedef struct NvSciBufModuleRec *NvSciBufModule;
typedef struct NvSciBufAttrListRec *NvSciBufAttrList;
/* nvbufsurface.h and VPI have this type, too, which C99 allows once. */
#ifndef _HEAPSIM_HAS_NVSCIBUFOBJ
#define _HEAPSIM_HAS_NVSCIBUFOBJ
typedef struct NvSciBufObjRefRec *NvSciBufObj;
#endif
typedef const struct NvSciBufObjRefRec *NvSciBufObjConst;

/**
 * struct NvSciBufAttrKeyValuePairRec - a key and its value
 * @key: in: which
 * @value: in to set, copied; out of a get: the list's own, valid as long as
 *	that list; NULL: not set
 * @len: bytes at @value
 */
typedef struct NvSciBufAttrKeyValuePairRec {
	NvSciBufAttrKey key;
	const void *value;
	size_t len;
} NvSciBufAttrKeyValuePair;

/**
 * struct NvSciBufObjIpcExportDescriptorRec - an object on its way
 * @data: as NvSciBufObjIpcExport() has filled it in
 */
typedef struct NvSciBufObjIpcExportDescriptorRec {
	uint64_t data[NVSCIBUF_EXPORT_DESC_SIZE];
} __attribute__((packed)) NvSciBufObjIpcExportDescriptor;

/**
 * NvSciBufModuleOpen() - begin to use NvSciBuf
 * @newModule: out: what lists belong to: NvSciBufModuleClose()
 *
 * Each call gives another one. Lists of two modules cannot be reconciled
 * together.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@newModule is NULL).
 */
NvSciError NvSciBufModuleOpen(NvSciBufModule *newModule);

/**
 * NvSciBufModuleClose() - end it
 * @module: module, or NULL, which does nothing
 *
 * Its lists and objects stay valid.
 */
void NvSciBufModuleClose(NvSciBufModule module);

/**
 * NvSciBufCheckVersionCompatibility() - check the version of the header
 * @majorVer: NvSciBufMajorVersion when that was built
 * @minorVer: NvSciBufMinorVersion when that was built
 * @isCompatible: out: the major version is the library's, the minor one not
 *	newer
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@isCompatible is
 * NULL).
 */
NvSciError NvSciBufCheckVersionCompatibility(uint32_t majorVer,
					     uint32_t minorVer,
					     bool *isCompatible);

/**
 * NvSciBufAttrListCreate() - make an empty unreconciled list
 * @module: what it belongs to
 * @newAttrList: out: the list: NvSciBufAttrListFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL).
 */
NvSciError NvSciBufAttrListCreate(NvSciBufModule module,
				  NvSciBufAttrList *newAttrList);

/**
 * NvSciBufAttrListFree() - give a list back
 * @attrList: list, or NULL, which does nothing; not that of an object
 */
void NvSciBufAttrListFree(NvSciBufAttrList attrList);

/**
 * NvSciBufAttrListSetAttrs() - set keys of an unreconciled list
 * @attrList: list of NvSciBufAttrListCreate() or NvSciBufAttrListClone()
 * @pairArray: keys and values
 * @pairCount: of those, above 0
 *
 * All or none. A key is set once.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @pairCount is 0, the list is not such a list, no such key or an output, a
 *	value that is none or of another length, a key that is set already, a
 *	key of a type that is not among NvSciBufGeneralAttrKey_Types),
 *	NvSciError_NotSupported (Documentation/nvscibuf.rst lists the keys and
 *	values).
 */
NvSciError NvSciBufAttrListSetAttrs(NvSciBufAttrList attrList,
				    NvSciBufAttrKeyValuePair *pairArray,
				    size_t pairCount);

/**
 * NvSciBufAttrListGetSlotCount() - how many lists a list is made of
 * @attrList: list
 *
 * Return: that: 1 of most; 0: @attrList is NULL or a conflict list.
 */
size_t NvSciBufAttrListGetSlotCount(NvSciBufAttrList attrList);

/**
 * NvSciBufAttrListGetAttrs() - what keys of a list are set to
 * @attrList: list, its first slot
 * @pairArray: in: keys; out: values, NULL and 0 for what is not set
 * @pairCount: of those, above 0
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @pairCount is 0, a conflict list, no such key, an output of an unreconciled
 * list, NvSciBufGeneralAttrKey_RequiredPerm of a reconciled one).
 */
NvSciError NvSciBufAttrListGetAttrs(NvSciBufAttrList attrList,
				    NvSciBufAttrKeyValuePair *pairArray,
				    size_t pairCount);

/**
 * NvSciBufAttrListSlotGetAttrs() - what keys of a slot are set to
 * @attrList: list
 * @slotIndex: below NvSciBufAttrListGetSlotCount()
 * @pairArray: in: keys; out: values, NULL and 0 for what is not set
 * @pairCount: of those, above 0
 *
 * Return: as NvSciBufAttrListGetAttrs(); NvSciError_BadParameter also if there
 * is no such slot.
 */
NvSciError NvSciBufAttrListSlotGetAttrs(NvSciBufAttrList attrList,
					size_t slotIndex,
					NvSciBufAttrKeyValuePair *pairArray,
					size_t pairCount);

/**
 * NvSciBufAttrListDebugDump() - a list as text
 * @attrList: any list
 * @buf: out: the text, terminated: free()
 * @len: out: its length with its end
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL).
 */
NvSciError NvSciBufAttrListDebugDump(NvSciBufAttrList attrList, void **buf,
				     size_t *len);

/**
 * NvSciBufAttrListDump() - the name that the documents have for that
 * @attrList: as NvSciBufAttrListDebugDump()
 * @buf: out: as NvSciBufAttrListDebugDump()
 * @len: out: as NvSciBufAttrListDebugDump()
 *
 * Return: as NvSciBufAttrListDebugDump().
 */
NvSciError NvSciBufAttrListDump(NvSciBufAttrList attrList, void **buf,
				size_t *len);

/**
 * NvSciBufAttrListReconcile() - merge lists, validate, compute the outputs
 * @inputArray: unreconciled lists of one module
 * @inputCount: of those, above 0
 * @newReconciledAttrList: out: the result: NvSciBufAttrListFree()
 * @newConflictList: out: if they do not fit, what does not: to be dumped, and
 *	NvSciBufAttrListFree(); NULL on success; not written otherwise
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @inputCount is 0, one is not unreconciled, lists of two modules),
 *	NvSciError_ReconciliationFailed (values conflict or are missing, or an
 *	engine cannot have such a buffer).
 */
NvSciError NvSciBufAttrListReconcile(const NvSciBufAttrList inputArray[],
				     size_t inputCount,
				     NvSciBufAttrList *newReconciledAttrList,
				     NvSciBufAttrList *newConflictList);

/**
 * NvSciBufAttrListClone() - a list like another
 * @origAttrList: unreconciled or reconciled, with NvSciBufGeneralAttrKey_Types
 * @newAttrList: out: the list: NvSciBufAttrListFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL, a
 * conflict list, no types are set).
 */
NvSciError NvSciBufAttrListClone(NvSciBufAttrList origAttrList,
				 NvSciBufAttrList *newAttrList);

/**
 * NvSciBufAttrListAppendUnreconciled() - make one list of several
 * @inputArray: unreconciled lists of one module, with
 *	NvSciBufGeneralAttrKey_Types
 * @inputCount: of those, above 0
 * @newAttrList: out: a list with all their slots: NvSciBufAttrListFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @inputCount is 0, one is not unreconciled or has no types, lists of two
 * modules).
 */
NvSciError
NvSciBufAttrListAppendUnreconciled(const NvSciBufAttrList inputArray[],
				   size_t inputCount,
				   NvSciBufAttrList *newAttrList);

/**
 * NvSciBufAttrListIsReconciled() - look whether a list is reconciled
 * @attrList: any list
 * @isReconciled: out: that
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL).
 */
NvSciError NvSciBufAttrListIsReconciled(NvSciBufAttrList attrList,
					bool *isReconciled);

/**
 * NvSciBufAttrListValidateReconciled() - check a list against others
 * @reconciledAttrList: reconciled list
 * @unreconciledArray: unreconciled lists of one module
 * @unreconciledCount: of those, above 0
 * @isReconcileListValid: out: it does
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @unreconciledCount is 0, lists of the wrong kind or of two modules),
 * NvSciError_ReconciliationFailed (it does not).
 */
NvSciError
NvSciBufAttrListValidateReconciled(NvSciBufAttrList reconciledAttrList,
				   const NvSciBufAttrList unreconciledArray[],
				   size_t unreconciledCount,
				   bool *isReconcileListValid);

/**
 * NvSciBufAttrListValidateReconciledAgainstAttrs() - check it against values
 * @reconciledAttrList: reconciled list
 * @pairArray: keys and values, as of an unreconciled list; outputs, too, which
 *	must be equal
 * @pairCount: of those, above 0
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @pairCount is 0, a list that is not reconciled, keys or values that
 * NvSciBufAttrListSetAttrs() refuses), NvSciError_AttrListValidationFailed (it
 * does not).
 */
NvSciError NvSciBufAttrListValidateReconciledAgainstAttrs
	(const NvSciBufAttrList reconciledAttrList,
	 const NvSciBufAttrKeyValuePair *pairArray, const size_t pairCount);

/**
 * NvSciBufObjAlloc() - allocate an object
 * @reconciledAttrList: reconciled list, which may be freed then
 * @bufObj: out: the object, zeroed, that may be read and written:
 *	NvSciBufObjFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * the list is not reconciled), NvSciError_ResourceError (the board cannot give
 * such memory, no file descriptor is left).
 */
NvSciError NvSciBufObjAlloc(NvSciBufAttrList reconciledAttrList,
			    NvSciBufObj *bufObj);

/**
 * NvSciBufAttrListObjAlloc() - the name that older documents have for that
 * @reconciledAttrList: as NvSciBufObjAlloc()
 * @bufObj: out: as NvSciBufObjAlloc()
 *
 * Return: as NvSciBufObjAlloc().
 */
NvSciError NvSciBufAttrListObjAlloc(NvSciBufAttrList reconciledAttrList,
				    NvSciBufObj *bufObj);

/**
 * NvSciBufAttrListReconcileAndObjAlloc() - both in one
 * @attrListArray: as NvSciBufAttrListReconcile()
 * @attrListCount: as NvSciBufAttrListReconcile()
 * @bufObj: out: as NvSciBufObjAlloc()
 * @newConflictList: out: as NvSciBufAttrListReconcile()
 *
 * Return: as NvSciBufAttrListReconcile() and NvSciBufObjAlloc().
 */
NvSciError
NvSciBufAttrListReconcileAndObjAlloc(const NvSciBufAttrList attrListArray[],
				     size_t attrListCount,
				     NvSciBufObj *bufObj,
				     NvSciBufAttrList *newConflictList);

/**
 * NvSciBufObjDup() - one reference more
 * @bufObj: object
 * @dupObj: out: the same memory: NvSciBufObjFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL).
 */
NvSciError NvSciBufObjDup(NvSciBufObj bufObj, NvSciBufObj *dupObj);

/**
 * NvSciBufObjDupWithReducePerm() - the same memory with less permission
 * @bufObj: object
 * @reducedPerm: NvSciBufAccessPerm_Readonly or NvSciBufAccessPerm_ReadWrite
 * @newBufObj: out: the object: NvSciBufObjFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * no such permission, more than @bufObj has).
 */
NvSciError NvSciBufObjDupWithReducePerm(NvSciBufObj bufObj,
					NvSciBufAttrValAccessPerm reducedPerm,
					NvSciBufObj *newBufObj);

/**
 * NvSciBufObjFree() - give an object back
 * @bufObj: object, or NULL, which does nothing
 */
void NvSciBufObjFree(NvSciBufObj bufObj);

/**
 * NvSciBufObjValidate() - check an object
 * @bufObj: object
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@bufObj is NULL).
 */
NvSciError NvSciBufObjValidate(NvSciBufObj bufObj);

/**
 * NvSciBufObjGetAttrList() - the list of an object
 * @bufObj: object
 * @bufAttrList: out: a reconciled list, valid as long as the object and not to
 *	be freed
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL).
 */
NvSciError NvSciBufObjGetAttrList(NvSciBufObj bufObj,
				  NvSciBufAttrList *bufAttrList);

/**
 * NvSciBufObjGetCpuPtr() - where the CPU reads and writes an object
 * @bufObj: object
 * @ptr: out: address, valid as long as the object
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * the list has no NvSciBufGeneralAttrKey_NeedCpuAccess, the object may not be
 * written).
 */
NvSciError NvSciBufObjGetCpuPtr(NvSciBufObj bufObj, void **ptr);

/**
 * NvSciBufObjGetConstCpuPtr() - where the CPU reads an object
 * @bufObj: object
 * @ptr: out: address, valid as long as the object
 *
 * Return: as NvSciBufObjGetCpuPtr(), also of an object that may only be read.
 */
NvSciError NvSciBufObjGetConstCpuPtr(NvSciBufObj bufObj, const void **ptr);

/**
 * NvSciBufObjFlushCpuCacheRange() - maintain the CPU's cache
 * @bufObj: object with a CPU pointer
 * @offset: bytes
 * @len: bytes, above 0
 *
 * Needed before engines read what the CPU has written, and before the CPU
 * reads what they have written, where the object's list says
 * NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency. Else it does nothing.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@bufObj is NULL,
 * @len is 0, the range leaves the object), NvSciError_NotPermitted (no CPU
 * access), NvSciError_Overflow (@offset and @len together).
 */
NvSciError NvSciBufObjFlushCpuCacheRange(NvSciBufObj bufObj, uint64_t offset,
					 uint64_t len);

/**
 * NvSciBufObjGetPixels() - copy pixels out of an image
 * @bufObj: object of an image with CPU access
 * @rect: part of the one plane of an image that is no surface of YUV; NULL:
 *	all
 * @dstPtrs: out: planes; chroma of a semi-planar surface as two planes, U and
 *	V
 * @dstPtrSizes: bytes at each of them
 * @dstPitches: bytes from row to row of each of them
 *
 * The CPU's cache is the program's to maintain, before.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL or
 * an array has a 0, no image, no CPU access, a part that leaves the image,
 * planes that are too small, overlap each other or the object),
 * NvSciError_NotSupported (block-linear or interlaced).
 */
NvSciError NvSciBufObjGetPixels(NvSciBufObj bufObj, const NvSciBufRect *rect,
				void **dstPtrs, const uint32_t *dstPtrSizes,
				const uint32_t *dstPitches);

/**
 * NvSciBufObjPutPixels() - copy pixels into an image
 * @bufObj: object of an image with CPU access, that may be written
 * @rect: as NvSciBufObjGetPixels()
 * @srcPtrs: planes, as NvSciBufObjGetPixels()
 * @srcPtrSizes: bytes at each of them
 * @srcPitches: bytes from row to row of each of them
 *
 * The CPU's cache is the program's to maintain, afterwards.
 *
 * Return: as NvSciBufObjGetPixels().
 */
NvSciError NvSciBufObjPutPixels(NvSciBufObj bufObj, const NvSciBufRect *rect,
				const void **srcPtrs,
				const uint32_t *srcPtrSizes,
				const uint32_t *srcPitches);

/**
 * NvSciBufAttrListIpcExportUnreconciled() - a descriptor of lists
 * @inputArray: unreconciled lists of one module
 * @inputCount: of those, above 0
 * @ipcEndpoint: whose peer it is for
 * @descBuf: out: the descriptor: NvSciBufAttrListFreeDesc()
 * @descLen: out: bytes of it
 *
 * Waits until the peer has come, as all exports and imports do: 10 s at most.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @inputCount is 0, one is not unreconciled, lists of two modules, no
 *	such endpoint), NvSciError_Timeout (no peer has come),
 *	NvSciError_TooBig (more than 64 slots), NvSciError_ConnectionReset (the
 *	peer has gone).
 */
NvSciError
NvSciBufAttrListIpcExportUnreconciled(const NvSciBufAttrList inputArray[],
				      size_t inputCount,
				      NvSciIpcEndpoint ipcEndpoint,
				      void **descBuf, size_t *descLen);

/**
 * NvSciBufAttrListIpcExportReconciled() - a descriptor of a reconciled list
 * @reconciledAttrList: reconciled list
 * @ipcEndpoint: whose peer it is for
 * @descBuf: out: the descriptor: NvSciBufAttrListFreeDesc()
 * @descLen: out: bytes of it
 *
 * Return: as NvSciBufAttrListIpcExportUnreconciled().
 */
NvSciError
NvSciBufAttrListIpcExportReconciled(NvSciBufAttrList reconciledAttrList,
				    NvSciIpcEndpoint ipcEndpoint,
				    void **descBuf, size_t *descLen);

/**
 * NvSciBufAttrListIpcImportUnreconciled() - the list of a descriptor
 * @module: what the list belongs to
 * @ipcEndpoint: where it came from
 * @descBuf: the descriptor
 * @descLen: bytes of it
 * @importedAttrList: out: the list: NvSciBufAttrListFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * no such endpoint, no such descriptor), NvSciError_Timeout (no peer has
 * come).
 */
NvSciError
NvSciBufAttrListIpcImportUnreconciled(NvSciBufModule module,
				      NvSciIpcEndpoint ipcEndpoint,
				      const void *descBuf, size_t descLen,
				      NvSciBufAttrList *importedAttrList);

/**
 * NvSciBufAttrListIpcImportReconciled() - the reconciled list of a descriptor
 * @module: what the list belongs to
 * @ipcEndpoint: where it came from
 * @descBuf: the descriptor
 * @descLen: bytes of it
 * @inputArray: unreconciled lists that it must satisfy; may be NULL if
 *	@inputCount is 0
 * @inputCount: of those
 * @importedAttrList: out: the list: NvSciBufAttrListFree()
 *
 * Return: as NvSciBufAttrListIpcImportUnreconciled(); NvSciError_BadParameter
 * also if @inputArray is not NULL and @inputCount is 0, or lists are of the
 * wrong kind or another module; NvSciError_AttrListValidationFailed (it does
 * not satisfy them).
 */
NvSciError
NvSciBufAttrListIpcImportReconciled(NvSciBufModule module,
				    NvSciIpcEndpoint ipcEndpoint,
				    const void *descBuf, size_t descLen,
				    const NvSciBufAttrList inputArray[],
				    size_t inputCount,
				    NvSciBufAttrList *importedAttrList);

/**
 * NvSciBufAttrListFreeDesc() - give a descriptor of lists back
 * @descBuf: descriptor, or NULL, which does nothing
 */
void NvSciBufAttrListFreeDesc(void *descBuf);

/**
 * NvSciBufIpcExportAttrListAndObj() - a descriptor of an object and its list
 * @bufObj: object
 * @permissions: what the peer may do at most; NvSciBufAccessPerm_Auto: what
 *	the object may
 * @ipcEndpoint: whose peer it is for
 * @attrListAndObjDesc: out: the descriptor, good for one import:
 *	NvSciBufAttrListAndObjFreeDesc()
 * @attrListAndObjDescSize: out: bytes of it
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * no such permission or endpoint), NvSciError_AccessDenied (@permissions is
 * more than the object has), NvSciError_Timeout (no peer has come, or it takes
 * nothing), NvSciError_ConnectionReset (the peer has gone).
 */
NvSciError
NvSciBufIpcExportAttrListAndObj(NvSciBufObj bufObj,
				NvSciBufAttrValAccessPerm permissions,
				NvSciIpcEndpoint ipcEndpoint,
				void **attrListAndObjDesc,
				size_t *attrListAndObjDescSize);

/**
 * NvSciBufIpcImportAttrListAndObj() - the object of a descriptor
 * @module: what its list belongs to
 * @ipcEndpoint: where it came from
 * @attrListAndObjDesc: the descriptor
 * @attrListAndObjDescSize: bytes of it
 * @attrList: unreconciled lists that the object's list must satisfy; may be
 *	NULL if @count is 0
 * @count: of those
 * @minPermissions: what is asked for; NvSciBufAccessPerm_Auto: what was given
 * @timeoutUs: how long to wait for the memory to arrive, microseconds; below
 *	0: for ever
 * @bufObj: out: the object: NvSciBufObjFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * no such endpoint or permission, @attrList is not NULL and @count is 0, lists
 * of the wrong kind or another module, no such descriptor, or it was imported
 * already), NvSciError_AccessDenied (more than was given),
 * NvSciError_AttrListValidationFailed (the list does not satisfy @attrList),
 * NvSciError_Timeout, NvSciError_ConnectionReset (the peer has gone before the
 * memory came).
 */
NvSciError
NvSciBufIpcImportAttrListAndObj(NvSciBufModule module,
				NvSciIpcEndpoint ipcEndpoint,
				const void *attrListAndObjDesc,
				size_t attrListAndObjDescSize,
				const NvSciBufAttrList attrList[],
				size_t count,
				NvSciBufAttrValAccessPerm minPermissions,
				int64_t timeoutUs, NvSciBufObj *bufObj);

/**
 * NvSciBufAttrListAndObjFreeDesc() - give a descriptor of an object back
 * @attrListAndObjDescBuf: descriptor, or NULL, which does nothing
 */
void NvSciBufAttrListAndObjFreeDesc(void *attrListAndObjDescBuf);

/**
 * NvSciBufObjIpcExport() - a descriptor of an object without its list
 * @bufObj: object
 * @accPerm: as NvSciBufIpcExportAttrListAndObj()
 * @ipcEndpoint: whose peer it is for
 * @exportData: out: the descriptor, good for one import
 *
 * Return: as NvSciBufIpcExportAttrListAndObj().
 */
NvSciError NvSciBufObjIpcExport(NvSciBufObj bufObj,
				NvSciBufAttrValAccessPerm accPerm,
				NvSciIpcEndpoint ipcEndpoint,
				NvSciBufObjIpcExportDescriptor *exportData);

/**
 * NvSciBufObjIpcImport() - the object of such a descriptor
 * @ipcEndpoint: where it came from
 * @desc: the descriptor
 * @reconciledAttrList: what NvSciBufAttrListIpcImportReconciled() has given;
 *	may be freed then
 * @minPermissions: as NvSciBufIpcImportAttrListAndObj()
 * @timeoutUs: as NvSciBufIpcImportAttrListAndObj()
 * @bufObj: out: the object: NvSciBufObjFree()
 *
 * Return: as NvSciBufIpcImportAttrListAndObj().
 */
NvSciError NvSciBufObjIpcImport(NvSciIpcEndpoint ipcEndpoint,
				const NvSciBufObjIpcExportDescriptor *desc,
				NvSciBufAttrList reconciledAttrList,
				NvSciBufAttrValAccessPerm minPermissions,
				int64_t timeoutUs, NvSciBufObj *bufObj);

/**
 * NvSciBufObjGetMaxPerm() - what an object may be exported with at most
 * @bufObj: object
 * @ipcEndpoint: end
 * @accPerm: out: that
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * no such endpoint).
 */
NvSciError NvSciBufObjGetMaxPerm(const NvSciBufObj bufObj,
				 const NvSciIpcEndpoint ipcEndpoint,
				 NvSciBufAttrValAccessPerm *accPerm);

/**
 * NvSciBufObjAttachPeer() - there are no peers that come later
 * @bufObj: not looked at
 * @inputArray: not looked at
 * @inputCount: not looked at
 *
 * Return: NvSciError_NotSupported.
 */
NvSciError NvSciBufObjAttachPeer(NvSciBufObj bufObj,
				 const NvSciBufAttrList inputArray[],
				 size_t inputCount);

#ifdef __cplusplus
}
#endif

#endif
