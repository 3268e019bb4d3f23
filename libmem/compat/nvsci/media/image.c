// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvMedia: devices, and images that are NvSciBuf objects. An image is described
 * by a list with the vendor's keys; keys of libmem add the engine that works on
 * images and the surface type.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../compat.h"
#include "media.h"

/* More than are ever set */
#define PAIRS_MAX	24U

/**
 * struct device - a device
 * @ctx: the process's context
 */
struct device {
	struct mem_ctx *ctx;
};

/**
 * struct image - an image
 * @own: public part
 * @object: object; the image holds a reference
 */
struct image {
	NvMediaImage own;
	NvSciBufObj object;
};

static atomic_uint nr_inits;

API NvMediaDevice *NvMediaDeviceCreate(void)
{
	struct device *device = malloc(sizeof(*device));

	if (device && compat_ctx_open(&device->ctx)) {
		free(device);
		return NULL;
	}
	return device;
}

API void NvMediaDeviceDestroy(NvMediaDevice *device)
{
	struct device *own = device;

	if (!own)
		return;
	mem_ctx_close(own->ctx);
	free(own);
}

API NvMediaStatus NvMediaImageNvSciBufInit(void)
{
	atomic_fetch_add(&nr_inits, 1);
	return NVMEDIA_STATUS_OK;
}

API void NvMediaImageNvSciBufDeinit(void)
{
	unsigned int nr = atomic_load(&nr_inits);

	while (nr && !atomic_compare_exchange_weak(&nr_inits, &nr, nr - 1))
		;
}

static NvMediaStatus media_status_of(NvSciError error)
{
	switch (error) {
	case NvSciError_Success:
		return NVMEDIA_STATUS_OK;
	case NvSciError_BadParameter:
		return NVMEDIA_STATUS_BAD_PARAMETER;
	case NvSciError_InsufficientMemory:
		return NVMEDIA_STATUS_OUT_OF_MEMORY;
	case NvSciError_NotSupported:
		return NVMEDIA_STATUS_NOT_SUPPORTED;
	default:
		return NVMEDIA_STATUS_ERROR;
	}
}

/**
 * struct memory - allocation attributes of a surface
 * @has: bits of attributes that are set
 * @is: values, indexed by NvMediaSurfAllocAttrType
 */
struct memory {
	uint32_t has;
	uint32_t is[NVM_SURF_ALLOC_ATTR_MAX];
};

static bool media_is_between(uint32_t value, uint32_t least, uint32_t most)
{
	return value >= least && value <= most;
}

/* 0 is accepted where it selects a default. */
static bool media_is_valid(uint32_t type, uint32_t value)
{
	switch (type) {
	case NVM_SURF_ATTR_WIDTH:
		return media_is_between(value, NVM_SURF_ATTR_MIN_WIDTH,
					NVM_SURF_ATTR_MAX_WIDTH);
	case NVM_SURF_ATTR_HEIGHT:
		return media_is_between(value, NVM_SURF_ATTR_MIN_HEIGHT,
					NVM_SURF_ATTR_MAX_HEIGHT);
	case NVM_SURF_ATTR_EMB_LINES_TOP:
		return value <= NVM_SURF_ATTR_MAX_EMB_LINES_TOP;
	case NVM_SURF_ATTR_EMB_LINES_BOTTOM:
		return value <= NVM_SURF_ATTR_MAX_EMB_LINES_BOTTOM;
	case NVM_SURF_ATTR_CPU_ACCESS:
		return value <= NVM_SURF_ATTR_CPU_ACCESS_UNMAPPED;
	case NVM_SURF_ATTR_ALLOC_TYPE:
		return value <= NVM_SURF_ATTR_ALLOC_SECURED;
	case NVM_SURF_ATTR_SCAN_TYPE:
		return value <= NVM_SURF_ATTR_SCAN_INTERLACED;
	case NVM_SURF_ATTR_COLOR_STD_TYPE:
		return value <= NVM_SURF_ATTR_COLOR_STD_REC2020PQ_ER;
	default:
		return type == NVM_SURF_ATTR_PEER_VM_ID;
	}
}

static NvMediaStatus media_read_memory(struct memory *memory,
				       const NvMediaSurfAllocAttr *attrs,
				       uint32_t nr)
{
	const uint32_t sides = 1U << NVM_SURF_ATTR_WIDTH |
			       1U << NVM_SURF_ATTR_HEIGHT;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		const uint32_t type = attrs[i].type;

		if (type >= NVM_SURF_ALLOC_ATTR_MAX ||
		    memory->has >> type & 1 ||
		    !media_is_valid(type, attrs[i].value))
			return NVMEDIA_STATUS_BAD_PARAMETER;
		memory->has |= 1U << type;
		memory->is[type] = attrs[i].value;
	}
	if ((memory->has & sides) != sides)
		return NVMEDIA_STATUS_BAD_PARAMETER;
	if (memory->is[NVM_SURF_ATTR_ALLOC_TYPE] == NVM_SURF_ATTR_ALLOC_SECURED)
		return NVMEDIA_STATUS_NOT_SUPPORTED;
	return NVMEDIA_STATUS_OK;
}

/**
 * struct filling - keys to be set, with memory for their values
 * @nr: number of @pairs
 * @pairs: keys
 * @numbers: values of 4 bytes
 * @long_numbers: values of 8 bytes
 * @flags: values of 1 byte
 */
struct filling {
	size_t nr;
	NvSciBufAttrKeyValuePair pairs[PAIRS_MAX];
	uint32_t numbers[PAIRS_MAX];
	uint64_t long_numbers[PAIRS_MAX][NV_SCI_BUF_IMAGE_MAX_PLANES];
	bool flags[PAIRS_MAX];
};

static void filling_add(struct filling *filling, NvSciBufAttrKey key,
			const void *value, size_t len)
{
	filling->pairs[filling->nr++] = (NvSciBufAttrKeyValuePair) {
		.key = key,
		.value = value,
		.len = len,
	};
}

static void filling_add_number(struct filling *filling, NvSciBufAttrKey key,
			       uint32_t number)
{
	uint32_t *value = &filling->numbers[filling->nr];

	*value = number;
	filling_add(filling, key, value, sizeof(*value));
}

static void filling_add_flag(struct filling *filling, NvSciBufAttrKey key,
			     bool flag)
{
	bool *value = &filling->flags[filling->nr];

	*value = flag;
	filling_add(filling, key, value, sizeof(*value));
}

static void filling_add_padding(struct filling *filling, NvSciBufAttrKey key,
				uint32_t number, size_t nr_planes)
{
	uint64_t *value = filling->long_numbers[filling->nr];
	size_t i;

	for (i = 0; i < nr_planes; i++)
		value[i] = number;
	filling_add(filling, key, value, nr_planes * sizeof(*value));
}

static bool media_is_in_planes(const struct media_format *format)
{
	return format->is[NVM_SURF_ATTR_SURF_TYPE] ==
	       NVM_SURF_ATTR_SURF_TYPE_YUV &&
	       media_format_color(format) == NvSciColor_LowerBound;
}

static uint32_t media_sample_of(const struct media_format *format)
{
	switch (format->is[NVM_SURF_ATTR_SUB_SAMPLING_TYPE]) {
	case NVM_SURF_ATTR_SUB_SAMPLING_TYPE_420:
		return NvSciSurfSampleType_420;
	case NVM_SURF_ATTR_SUB_SAMPLING_TYPE_422:
		return NvSciSurfSampleType_422;
	case NVM_SURF_ATTR_SUB_SAMPLING_TYPE_444:
		return NvSciSurfSampleType_444;
	case NVM_SURF_ATTR_SUB_SAMPLING_TYPE_422R:
		return NvSciSurfSampleType_422R;
	default:
		return NvSciSurfSampleType_400;
	}
}

static uint32_t media_order_of(const struct media_format *format)
{
	switch (format->is[NVM_SURF_ATTR_COMPONENT_ORDER]) {
	case NVM_SURF_ATTR_COMPONENT_ORDER_YVU:
		return NvSciSurfComponentOrder_YVU;
	case NVM_SURF_ATTR_COMPONENT_ORDER_LUMA:
		return NvSciSurfComponentOrder_Luma;
	default:
		return NvSciSurfComponentOrder_YUV;
	}
}

/* NvSciBuf counts standards from 0 and has no default. */
static uint32_t media_std_of(const struct media_format *format,
			     const struct memory *memory)
{
	const uint32_t std = memory->is[NVM_SURF_ATTR_COLOR_STD_TYPE];

	if (std)
		return std - 1;
	switch (format->is[NVM_SURF_ATTR_SURF_TYPE]) {
	case NVM_SURF_ATTR_SURF_TYPE_YUV:
		return NvSciColorStd_REC601_ER;
	case NVM_SURF_ATTR_SURF_TYPE_RAW:
		return NvSciColorStd_SENSOR_RGBA;
	default:
		return NvSciColorStd_SRGB;
	}
}

/* Returns the number of planes. */
static size_t filling_add_surface(struct filling *filling,
				  const struct media_format *format,
				  const struct memory *memory)
{
	const bool is_planar = format->is[NVM_SURF_ATTR_MEMORY] ==
			       NVM_SURF_ATTR_MEMORY_PLANAR;

	filling_add_number(filling, NvSciBufImageAttrKey_SurfType,
			   NvSciSurfType_YUV);
	filling_add_number(filling, NvSciBufImageAttrKey_SurfMemLayout,
			   is_planar ? NvSciSurfMemLayout_Planar :
			   NvSciSurfMemLayout_SemiPlanar);
	filling_add_number(filling, NvSciBufImageAttrKey_SurfSampleType,
			   media_sample_of(format));
	filling_add_number(filling, NvSciBufImageAttrKey_SurfBPC,
			   media_format_bpc(format));
	filling_add_number(filling, NvSciBufImageAttrKey_SurfComponentOrder,
			   media_order_of(format));
	filling_add_number(filling, NvSciBufImageAttrKey_SurfWidthBase,
			   memory->is[NVM_SURF_ATTR_WIDTH]);
	filling_add_number(filling, NvSciBufImageAttrKey_SurfHeightBase,
			   memory->is[NVM_SURF_ATTR_HEIGHT]);
	filling_add_number(filling, NvSciBufImageAttrKey_SurfColorStd,
			   media_std_of(format, memory));
	if (media_sample_of(format) == NvSciSurfSampleType_400)
		return 1;
	return is_planar ? 3 : 2;
}

static size_t filling_add_plane(struct filling *filling,
				const struct media_format *format,
				const struct memory *memory)
{
	filling_add_number(filling, NvSciBufImageAttrKey_PlaneCount, 1);
	filling_add_number(filling, NvSciBufImageAttrKey_PlaneColorFormat,
			   media_format_color(format));
	filling_add_number(filling, NvSciBufImageAttrKey_PlaneColorStd,
			   media_std_of(format, memory));
	filling_add_number(filling, NvSciBufImageAttrKey_PlaneWidth,
			   memory->is[NVM_SURF_ATTR_WIDTH]);
	filling_add_number(filling, NvSciBufImageAttrKey_PlaneHeight,
			   memory->is[NVM_SURF_ATTR_HEIGHT] +
			   memory->is[NVM_SURF_ATTR_EMB_LINES_TOP] +
			   memory->is[NVM_SURF_ATTR_EMB_LINES_BOTTOM]);
	return 1;
}

static void filling_fill(struct filling *filling,
			 const struct media_format *format,
			 const struct memory *memory)
{
	const uint32_t access = memory->is[NVM_SURF_ATTR_CPU_ACCESS];
	const bool is_block = format->is[NVM_SURF_ATTR_LAYOUT] ==
			      NVM_SURF_ATTR_LAYOUT_BL;
	const bool is_interlaced = memory->is[NVM_SURF_ATTR_SCAN_TYPE] ==
				   NVM_SURF_ATTR_SCAN_INTERLACED;
	size_t nr_planes;

	filling_add_number(filling, NvSciBufGeneralAttrKey_Types,
			   NvSciBufType_Image);
	filling_add_flag(filling, NvSciBufGeneralAttrKey_NeedCpuAccess,
			 access != NVM_SURF_ATTR_CPU_ACCESS_UNMAPPED);
	filling_add_flag(filling, NvSciBufGeneralAttrKey_EnableCpuCache,
			 access == NVM_SURF_ATTR_CPU_ACCESS_CACHED);
	filling_add_number(filling, NvSciBufImageAttrKey_Layout,
			   is_block ? NvSciBufImage_BlockLinearType :
			   NvSciBufImage_PitchLinearType);
	filling_add_number(filling, NvSciBufImageAttrKey_ScanType,
			   is_interlaced ? NvSciBufScan_InterlaceType :
			   NvSciBufScan_ProgressiveType);
	filling_add_flag(filling, NvSciBufImageAttrKey_VprFlag, false);
	nr_planes = media_is_in_planes(format) ?
		    filling_add_surface(filling, format, memory) :
		    filling_add_plane(filling, format, memory);
	filling_add_padding(filling, NvSciBufImageAttrKey_TopPadding,
			    memory->is[NVM_SURF_ATTR_EMB_LINES_TOP], nr_planes);
	filling_add_padding(filling, NvSciBufImageAttrKey_BottomPadding,
			    memory->is[NVM_SURF_ATTR_EMB_LINES_BOTTOM],
			    nr_planes);
	filling_add_padding(filling, NvSciBufImageAttrKey_LeftPadding, 0,
			    nr_planes);
	filling_add_padding(filling, NvSciBufImageAttrKey_RightPadding, 0,
			    nr_planes);
}

/* Sets keys that the vendor does not have: the engine and the type. */
static NvMediaStatus media_set_own(const struct device *device,
				   struct mem_attrs *attrs, uint32_t type)
{
	const uint64_t vic = 1ULL << MEM_ENGINE_VIC;
	struct mem_board board = { .size = sizeof(board) };
	struct mem_attr values[] = {
		{ .key = MEM_ATTR_CLIENT + KEPT_MEDIA, .value = &type,
		  .len = sizeof(type) },
		{ .key = MEM_ATTR_ENGINES, .value = &vic,
		  .len = sizeof(vic) },
	};
	int err;

	err = mem_ctx_board(device->ctx, MEM_ENGINE_GPU, &board);
	if (!err)
		err = mem_attrs_set(attrs, values, board.has_vic ? 2 : 1);
	return media_status_of(nvsci_error(err));
}

API NvMediaStatus
NvMediaImageFillNvSciBufAttrs(const NvMediaDevice *device,
			      NvMediaSurfaceType type,
			      const NvMediaSurfAllocAttr *attrs,
			      uint32_t numAttrs, uint64_t flags,
			      NvSciBufAttrList attr_h)
{
	struct memory memory = { 0 };
	struct filling filling = { 0 };
	struct media_format format;
	NvMediaStatus status;
	NvSciError error;

	if (!atomic_load(&nr_inits))
		return NVMEDIA_STATUS_NOT_INITIALIZED;
	if (!device || !attrs || numAttrs > NVM_SURF_ALLOC_ATTR_MAX || flags ||
	    !nvsci_list_is(attr_h) || !media_format_find(type, &format))
		return NVMEDIA_STATUS_BAD_PARAMETER;
	status = media_read_memory(&memory, attrs, numAttrs);
	if (status)
		return status;
	filling_fill(&filling, &format, &memory);
	error = NvSciBufAttrListSetAttrs(attr_h, filling.pairs, filling.nr);
	if (error)
		return media_status_of(error);
	return media_set_own(device, attrs_of(attr_h), type);
}

static uint32_t media_number_of(const struct mem_attrs *attrs, uint32_t key)
{
	uint32_t number = 0;
	const void *value;
	size_t len;

	value = nvsci_get(attrs, 0, key, &len);
	if (value && len >= sizeof(number))
		memcpy(&number, value, sizeof(number));
	return number;
}

static uint32_t media_lines_len(const struct mem_attrs *attrs, uint32_t kept)
{
	return media_number_of(attrs, MEM_ATTR_CLIENT + KEPT_PADDING + kept) *
	       media_number_of(attrs, MEM_ATTR_IMAGE_PLANE_PITCH);
}

API NvMediaStatus NvMediaImageCreateFromNvSciBuf(NvMediaDevice *device,
						 NvSciBufObj nvscibufObject,
						 NvMediaImage **nvmImage)
{
	const struct mem_attrs *attrs;
	struct media_format format;
	struct image *image;
	const void *std;
	uint32_t type, lines;

	if (!atomic_load(&nr_inits))
		return NVMEDIA_STATUS_NOT_INITIALIZED;
	if (!device || !nvmImage || !nvsci_object_is(nvscibufObject))
		return NVMEDIA_STATUS_BAD_PARAMETER;
	attrs = mem_object_attrs(object_of(nvscibufObject));
	type = media_number_of(attrs, MEM_ATTR_CLIENT + KEPT_MEDIA);
	if (!media_format_find(type, &format))
		return NVMEDIA_STATUS_BAD_PARAMETER;
	image = calloc(1, sizeof(*image));
	if (!image)
		return NVMEDIA_STATUS_OUT_OF_MEMORY;
	/* Planes have no room for embedded lines. */
	lines = media_is_in_planes(&format) ? 0 :
		media_number_of(attrs, MEM_ATTR_CLIENT + KEPT_PADDING) +
		media_number_of(attrs, MEM_ATTR_CLIENT + KEPT_PADDING + 1);
	std = nvsci_get(attrs, 0, MEM_ATTR_CLIENT + KEPT_STD, NULL);
	NvSciBufObjDup(nvscibufObject, &image->object);
	image->own = (NvMediaImage) {
		.type = type,
		.width = media_number_of(attrs, MEM_ATTR_IMAGE_PLANE_WIDTH),
		.height = media_number_of(attrs, MEM_ATTR_IMAGE_PLANE_HEIGHT) -
			  lines,
		.imageCount = 1,
		.embeddedDataTopSize = lines ? media_lines_len(attrs, 0) : 0,
		.embeddedDataBottomSize = lines ? media_lines_len(attrs, 1) : 0,
		.colorStd = std ? media_number_of(attrs, MEM_ATTR_CLIENT +
						  KEPT_STD) + 1 : 0,
	};
	*nvmImage = &image->own;
	return NVMEDIA_STATUS_OK;
}

API void NvMediaImageDestroy(NvMediaImage *image)
{
	struct image *own = (struct image *)image;

	if (!own)
		return;
	NvSciBufObjFree(own->object);
	free(own);
}
