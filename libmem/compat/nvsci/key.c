// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciBuf: the table of keys, in the vendor's order. Keys that are not
 * supported are AS_MISSING; value.c refuses values that are not supported.
 */
#include <string.h>

#include "key.h"

#define GENERAL(name)	ROW(NvSciBufGeneralAttrKey_##name)
#define RAW(name)	ROW(NvSciBufRawBufferAttrKey_##name)
#define IMAGE(name)	ROW(NvSciBufImageAttrKey_##name)
#define TENSOR(name)	ROW(NvSciBufTensorAttrKey_##name)
#define ARRAY(name)	ROW(NvSciBufArrayAttrKey_##name)
#define PYRAMID(name)	ROW(NvSciBufPyramidAttrKey_##name)
#define ROW(of)		.key = of, .name = #of

#define ONE(type)	.len = sizeof(type), .max = 1
#define MANY(type, nr)	.len = sizeof(type), .max = nr
#define PLANES(type)	MANY(type, NV_SCI_BUF_IMAGE_MAX_PLANES)
#define DIMS(type)	MANY(type, NV_SCI_BUF_TENSOR_MAX_DIMS)
#define LEVELS(type)	MANY(type, NV_SCI_BUF_PYRAMID_MAX_LEVELS)
#define GPUS(type)	MANY(type, NV_SCI_BUF_MAX_GPUS)
#define INPUT		.access = ACCESS_INPUT
#define OUTPUT		.access = ACCESS_OUTPUT
#define ELSE(number)	.has_fallback = true, .fallback = number
#define IS(name)	.mem = MEM_ATTR_##name
#define KEPT(nr)	.mem = MEM_ATTR_CLIENT + KEPT_##nr
#define PADDING(nr)	.mem = MEM_ATTR_CLIENT + KEPT_PADDING + (nr), \
			.as = AS_PADDING, ELSE(0)
#define SURFACE(nr, below) \
			.mem = MEM_ATTR_CLIENT + KEPT_SURFACE + (nr), \
			.as = AS_SURFACE, .limit = below

static const struct nvsci_key keys[] = {
	{ GENERAL(Types), IS(TYPES), MANY(NvSciBufType, 2) },
	{ GENERAL(NeedCpuAccess), IS(NEED_CPU_ACCESS), ONE(bool),
	  ELSE(false) },
	{ GENERAL(RequiredPerm), IS(REQUIRED_PERM), INPUT,
	  ONE(NvSciBufAttrValAccessPerm) },
	{ GENERAL(EnableCpuCache), IS(CPU_CACHE), ONE(bool),
	  ELSE(false) },
	{ GENERAL(GpuId), IS(GPU_IDS), GPUS(NvSciRmGpuId) },
	{ GENERAL(CpuNeedSwCacheCoherency), IS(CPU_COHERENCY), OUTPUT,
	  ONE(bool), ELSE(false) },
	{ GENERAL(ActualPerm), IS(ACTUAL_PERM), OUTPUT,
	  ONE(NvSciBufAttrValAccessPerm) },
	{ GENERAL(VidMem_GpuId), IS(VIDMEM_GPU_ID), ONE(NvSciRmGpuId) },
	{ GENERAL(EnableGpuCache), IS(GPU_CACHE), .as = AS_GPU_BOOL,
	  GPUS(NvSciBufAttrValGpuCache) },
	{ GENERAL(GpuSwNeedCacheCoherency), IS(GPU_COHERENCY), OUTPUT,
	  .as = AS_GPU_BOOL, GPUS(NvSciBufAttrValGpuCache) },
	{ GENERAL(EnableGpuCompression), IS(GPU_COMPRESSION),
	  .as = AS_COMPRESSION, GPUS(NvSciBufAttrValGpuCompression) },
	{ GENERAL(PeerLocationInfo), .as = AS_MISSING,
	  ONE(NvSciBufPeerLocationInfo) },
	{ GENERAL(PeerHwEngineArray), .as = AS_MISSING,
	  MANY(NvSciBufPeerHwEngine, NV_SCI_BUF_PEER_HW_ENGINE_MAX_NUMBER) },

	{ RAW(Size), IS(RAW_SIZE), ONE(uint64_t) },
	{ RAW(Align), IS(RAW_ALIGN), .as = AS_ALIGN, ONE(uint64_t) },

	{ IMAGE(Layout), IS(IMAGE_LAYOUT),
	  ONE(NvSciBufAttrValImageLayoutType) },
	{ IMAGE(TopPadding), PADDING(0), PLANES(uint64_t) },
	{ IMAGE(BottomPadding), PADDING(1), PLANES(uint64_t) },
	{ IMAGE(LeftPadding), PADDING(2), PLANES(uint64_t) },
	{ IMAGE(RightPadding), PADDING(3), PLANES(uint64_t) },
	{ IMAGE(VprFlag), KEPT(VPR), .as = AS_FALSE, ONE(bool),
	  ELSE(false) },
	{ IMAGE(Size), IS(IMAGE_SIZE), OUTPUT, ONE(uint64_t) },
	{ IMAGE(Alignment), IS(IMAGE_ALIGN), OUTPUT, ONE(uint64_t) },
	{ IMAGE(PlaneCount), IS(IMAGE_PLANE_COUNT), ONE(uint32_t) },
	{ IMAGE(PlaneColorFormat), IS(IMAGE_PLANE_FORMAT), .as = AS_COLOR,
	  PLANES(NvSciBufAttrValColorFmt) },
	{ IMAGE(PlaneColorStd), IS(IMAGE_PLANE_STD), .as = AS_STD,
	  PLANES(NvSciBufAttrValColorStd) },
	{ IMAGE(PlaneBaseAddrAlign), IS(IMAGE_PLANE_ALIGN),
	  PLANES(uint32_t) },
	{ IMAGE(PlaneWidth), IS(IMAGE_PLANE_WIDTH), PLANES(uint32_t) },
	{ IMAGE(PlaneHeight), IS(IMAGE_PLANE_HEIGHT), PLANES(uint32_t) },
	{ IMAGE(ScanType), IS(IMAGE_SCAN),
	  ONE(NvSciBufAttrValImageScanType), ELSE(0) },
	{ IMAGE(PlaneBitsPerPixel), IS(IMAGE_PLANE_BITS), OUTPUT,
	  PLANES(uint32_t) },
	{ IMAGE(PlaneOffset), IS(IMAGE_PLANE_OFFSET), OUTPUT,
	  PLANES(uint64_t) },
	{ IMAGE(PlaneDatatype), .as = AS_PLANE_DATA_TYPE, OUTPUT,
	  PLANES(NvSciBufAttrValDataType) },
	{ IMAGE(PlaneChannelCount), IS(IMAGE_PLANE_CHANNELS), OUTPUT,
	  PLANES(uint8_t) },
	{ IMAGE(PlaneSecondFieldOffset), .as = AS_SECOND_FIELD, OUTPUT,
	  PLANES(uint64_t) },
	{ IMAGE(PlanePitch), IS(IMAGE_PLANE_PITCH), OUTPUT,
	  PLANES(uint32_t) },
	{ IMAGE(PlaneAlignedHeight), IS(IMAGE_PLANE_ALIGNED_HEIGHT), OUTPUT,
	  PLANES(uint32_t) },
	{ IMAGE(PlaneAlignedSize), IS(IMAGE_PLANE_ALIGNED_SIZE), OUTPUT,
	  PLANES(uint64_t) },
	{ IMAGE(ImageCount), KEPT(IMAGE_COUNT), .as = AS_ONE, ONE(uint64_t),
	  ELSE(1) },
	{ IMAGE(SurfType), SURFACE(0, NvSciSurfType_MaxValid),
	  ONE(NvSciBufSurfType) },
	{ IMAGE(SurfMemLayout), SURFACE(1, NvSciSurfMemLayout_MaxValid),
	  ONE(NvSciBufSurfMemLayout) },
	{ IMAGE(SurfSampleType), SURFACE(2, NvSciSurfSampleType_MaxValid),
	  ONE(NvSciBufSurfSampleType) },
	{ IMAGE(SurfBPC), SURFACE(3, NvSciSurfBPC_MaxValid),
	  ONE(NvSciBufSurfBPC) },
	{ IMAGE(SurfComponentOrder),
	  SURFACE(4, NvSciSurfComponentOrder_MaxValid),
	  ONE(NvSciBufSurfComponentOrder) },
	{ IMAGE(SurfWidthBase), SURFACE(5, 0), ONE(uint32_t) },
	{ IMAGE(SurfHeightBase), SURFACE(6, 0), ONE(uint32_t) },
	{ IMAGE(SurfColorStd), SURFACE(7, NvSciColorStd_REQ2020PQ_ER + 1),
	  ONE(NvSciBufAttrValColorStd) },

	{ TENSOR(DataType), IS(TENSOR_DATA_TYPE), .as = AS_DATA_TYPE,
	  ONE(NvSciBufAttrValDataType) },
	{ TENSOR(NumDims), IS(TENSOR_DIM_COUNT), ONE(uint32_t) },
	{ TENSOR(SizePerDim), IS(TENSOR_DIM_SIZE), DIMS(uint64_t) },
	{ TENSOR(AlignmentPerDim), IS(TENSOR_DIM_ALIGN), DIMS(uint32_t) },
	{ TENSOR(StridesPerDim), IS(TENSOR_DIM_STRIDE), OUTPUT,
	  DIMS(uint64_t) },
	{ TENSOR(PixelFormat), KEPT(PIXEL_FORMAT), .as = AS_KEPT,
	  ONE(NvSciBufAttrValColorFmt), .limit = NvSciColor_UpperBound },
	{ TENSOR(BaseAddrAlign), IS(TENSOR_BASE_ALIGN), ONE(uint64_t) },
	{ TENSOR(Size), IS(TENSOR_SIZE), OUTPUT, ONE(uint64_t) },

	{ ARRAY(DataType), IS(ARRAY_DATA_TYPE), .as = AS_DATA_TYPE,
	  ONE(NvSciBufAttrValDataType) },
	{ ARRAY(Stride), IS(ARRAY_STRIDE), ONE(uint64_t) },
	{ ARRAY(Capacity), IS(ARRAY_CAPACITY), ONE(uint64_t) },
	{ ARRAY(Size), IS(ARRAY_SIZE), OUTPUT, ONE(uint64_t) },
	{ ARRAY(Alignment), IS(ARRAY_ALIGN), OUTPUT, ONE(uint64_t) },

	{ PYRAMID(NumLevels), IS(PYRAMID_LEVEL_COUNT), ONE(uint32_t) },
	{ PYRAMID(Scale), IS(PYRAMID_SCALE), ONE(float) },
	{ PYRAMID(LevelOffset), IS(PYRAMID_LEVEL_OFFSET), OUTPUT,
	  LEVELS(uint64_t) },
	{ PYRAMID(LevelSize), IS(PYRAMID_LEVEL_SIZE), OUTPUT,
	  LEVELS(uint64_t) },
	{ PYRAMID(Alignment), IS(PYRAMID_ALIGN), OUTPUT, ONE(uint64_t) },
};

/**
 * nvsci_key() - find the row of a key
 * @key: key, any number
 *
 * Return: row, or NULL if the vendor has no such key.
 */
const struct nvsci_key *nvsci_key(uint32_t key)
{
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].key == key)
			return &keys[i];
	return NULL;
}

/**
 * nvsci_key_kept() - find the row of a client's key
 * @kept: enum nvsci_kept
 *
 * Return: row, or NULL if it is no key of NvSciBuf.
 */
const struct nvsci_key *nvsci_key_kept(unsigned int kept)
{
	size_t i;

	if (kept == KEPT_COLOR)
		return nvsci_key(NvSciBufImageAttrKey_PlaneColorFormat);
	if (kept == KEPT_STD)
		return nvsci_key(NvSciBufImageAttrKey_PlaneColorStd);
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].mem == MEM_ATTR_CLIENT + kept)
			return &keys[i];
	return NULL;
}

/**
 * nvsci_key_is_of_types() - check whether lists of some types have a key
 * @key: row of the key
 * @types: 32-bit numbers of types, at any address; NULL: none
 * @len: bytes of @types
 *
 * Return: true for a general key, too.
 */
bool nvsci_key_is_of_types(const struct nvsci_key *key, const void *types,
			   size_t len)
{
	const uint32_t type = key->key >> 16;
	uint32_t has;
	size_t i;

	if (type == MEM_ATTR_TYPE_GENERAL)
		return true;
	/* A pyramid has the keys of an image, too. */
	for (i = 0; types && i < len / sizeof(has); i++) {
		memcpy(&has, (const uint8_t *)types + i * sizeof(has),
		       sizeof(has));
		if (has == type || (has == MEM_ATTR_TYPE_PYRAMID &&
				    type == MEM_ATTR_TYPE_IMAGE))
			return true;
	}
	return false;
}
