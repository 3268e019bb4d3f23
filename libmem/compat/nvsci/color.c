// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciBuf: colour formats, colour standards and data types, and their
 * equivalents in libmem. Like DRM, the vendor names components from the highest
 * bit of a pixel. If several of the vendor's formats have the same layout
 * (patterns of sensors, signedness), the one that was set is kept beside the
 * DRM format.
 */
#include <drm_fourcc.h>

#include "key.h"
#include "libmem/format.h"

/**
 * struct colors - formats with the same layout
 * @first: first of a range of formats
 * @last: last of the range
 * @fourcc: format of DRM or libmem
 * @data_type: enum NvSciBufAttrValDataType of a component
 */
struct colors {
	uint16_t first;
	uint16_t last;
	uint32_t fourcc;
	uint32_t data_type;
};

#define FROM(one, other)	NvSciColor_##one, NvSciColor_##other
#define ONLY(one)		FROM(one, one)
#define TYPE(type)		NvSciDataType_##type

/* For a format of libmem, the first row is used if none was set. */
static const struct colors colors[] = {
	{ ONLY(Y8), DRM_FORMAT_R8, TYPE(Uint8) },
	{ ONLY(Y16), DRM_FORMAT_R16, TYPE(Uint16) },
	{ ONLY(V8U8), DRM_FORMAT_GR88, TYPE(Uint8) },
	{ ONLY(V16U16), DRM_FORMAT_GR1616, TYPE(Uint16) },
	{ ONLY(Signed_A16), MEM_FOURCC_S16, TYPE(Int16) },
	{ ONLY(A32), MEM_FOURCC_F32, TYPE(Uint32) },

	{ FROM(Bayer8RGGB, Bayer8GRBG), DRM_FORMAT_R8, TYPE(Uint8) },
	{ FROM(Bayer16BGGR, X4Bayer12CCRC), DRM_FORMAT_R16, TYPE(Uint16) },
	{ FROM(Signed_X2Bayer14CCCC, Signed_Bayer16CCCC), MEM_FOURCC_S16,
	  TYPE(Int16) },
	{ FROM(FloatISP_Bayer16CCCC, FloatISP_Bayer16CCRC), DRM_FORMAT_R16,
	  TYPE(FloatISP) },
	{ FROM(X12Bayer20CCCC, X12Bayer20CCRC), MEM_FOURCC_F32,
	  TYPE(Uint32) },
	{ FROM(Signed_X12Bayer20CCCC, Signed_X12Bayer20GBRG), MEM_FOURCC_F32,
	  TYPE(Int32) },
	{ ONLY(U8V8), DRM_FORMAT_RG88, TYPE(Uint8) },
	/* As V8U8, despite the name */
	{ ONLY(U8_V8), DRM_FORMAT_GR88, TYPE(Uint8) },
	{ ONLY(V8_U8), DRM_FORMAT_GR88, TYPE(Uint8) },
	{ ONLY(U10V10), DRM_FORMAT_RG1616, TYPE(Uint16) },
	{ ONLY(V10U10), DRM_FORMAT_GR1616, TYPE(Uint16) },
	{ ONLY(U12V12), DRM_FORMAT_RG1616, TYPE(Uint16) },
	{ ONLY(V12U12), DRM_FORMAT_GR1616, TYPE(Uint16) },
	{ ONLY(U16V16), DRM_FORMAT_RG1616, TYPE(Uint16) },
	{ FROM(Y10, Y12), DRM_FORMAT_R16, TYPE(Uint16) },
	{ FROM(U8, V8), DRM_FORMAT_R8, TYPE(Uint8) },
	{ FROM(U10, V16), DRM_FORMAT_R16, TYPE(Uint16) },
	{ ONLY(A8Y8U8V8), DRM_FORMAT_AYUV, TYPE(Uint8) },
	/* Named in byte order, as DRM's */
	{ ONLY(Y8U8Y8V8), DRM_FORMAT_YUYV, TYPE(Uint8) },
	{ ONLY(Y8V8Y8U8), DRM_FORMAT_YVYU, TYPE(Uint8) },
	{ ONLY(U8Y8V8Y8), DRM_FORMAT_UYVY, TYPE(Uint8) },
	{ ONLY(V8Y8U8Y8), DRM_FORMAT_VYUY, TYPE(Uint8) },
	{ ONLY(A16B16G16R16), DRM_FORMAT_ABGR16161616, TYPE(Uint16) },
	{ ONLY(A16Y16U16V16), DRM_FORMAT_ABGR16161616, TYPE(Uint16) },
	{ ONLY(A8), DRM_FORMAT_R8, TYPE(Uint8) },
	{ ONLY(Signed_A8), DRM_FORMAT_R8, TYPE(Int8) },
	{ ONLY(B8G8R8A8), DRM_FORMAT_BGRA8888, TYPE(Uint8) },
	{ ONLY(A8R8G8B8), DRM_FORMAT_ARGB8888, TYPE(Uint8) },
	{ ONLY(A8B8G8R8), DRM_FORMAT_ABGR8888, TYPE(Uint8) },
	{ ONLY(A2R10G10B10), DRM_FORMAT_ARGB2101010, TYPE(Uint32) },
	{ ONLY(A16), DRM_FORMAT_R16, TYPE(Uint16) },
	{ ONLY(Signed_R16G16), MEM_FOURCC_2S16, TYPE(Int16) },
	{ ONLY(Signed_A16B16G16R16), DRM_FORMAT_ABGR16161616, TYPE(Int16) },
	{ ONLY(Float_A16B16G16R16), DRM_FORMAT_ABGR16161616F,
	  TYPE(Float16) },
	{ ONLY(Signed_A32), MEM_FOURCC_F32, TYPE(Int32) },
	{ ONLY(Float_A16), DRM_FORMAT_R16, TYPE(Float16) },
	{ FROM(X6Bayer10BGGI_RGGI, X4Bayer12RGGB_RJ), DRM_FORMAT_R16,
	  TYPE(Uint16) },
	{ FROM(R8, B8), DRM_FORMAT_R8, TYPE(Uint8) },
};

#define NR_COLORS	(sizeof(colors) / sizeof(*colors))

static const struct colors *color_find(uint32_t color)
{
	size_t i;

	for (i = 0; i < NR_COLORS; i++)
		if (color >= colors[i].first && color <= colors[i].last)
			return &colors[i];
	return NULL;
}

/**
 * nvsci_fourcc() - convert a colour format to libmem's
 * @color: colour format, any number
 *
 * Return: fourcc of DRM or libmem; 0: there is no such format.
 */
uint32_t nvsci_fourcc(uint32_t color)
{
	const struct colors *of = color_find(color);

	return of ? of->fourcc : 0;
}

/**
 * nvsci_color() - convert a format of libmem to the vendor's
 * @fourcc: fourcc of a plane
 *
 * Return: NvSciBufAttrValColorFmt; NvSciColor_LowerBound: there is none.
 */
uint32_t nvsci_color(uint32_t fourcc)
{
	size_t i;

	for (i = 0; i < NR_COLORS; i++)
		if (colors[i].fourcc == fourcc)
			return colors[i].first;
	return NvSciColor_LowerBound;
}

/**
 * nvsci_color_data_type() - return the type of a format's components
 * @color: colour format
 *
 * Return: NvSciBufAttrValDataType.
 */
uint32_t nvsci_color_data_type(uint32_t color)
{
	const struct colors *of = color_find(color);

	return of ? of->data_type : NvSciDataType_Uint8;
}

/* Indexed by the vendor's numbers */
static const int8_t stds[] = {
	[NvSciColorStd_SRGB] = MEM_COLOR_STD_SRGB,
	[NvSciColorStd_REC601_SR] = MEM_COLOR_STD_REC601_SR,
	[NvSciColorStd_REC601_ER] = MEM_COLOR_STD_REC601_ER,
	[NvSciColorStd_REC709_SR] = MEM_COLOR_STD_REC709_SR,
	[NvSciColorStd_REC709_ER] = MEM_COLOR_STD_REC709_ER,
	[NvSciColorStd_REC2020_RGB] = MEM_COLOR_STD_NONE,
	[NvSciColorStd_REC2020_SR] = MEM_COLOR_STD_REC2020_SR,
	[NvSciColorStd_REC2020_ER] = MEM_COLOR_STD_REC2020_ER,
	[NvSciColorStd_YcCbcCrc_SR] = MEM_COLOR_STD_NONE,
	[NvSciColorStd_YcCbcCrc_ER] = MEM_COLOR_STD_NONE,
	[NvSciColorStd_SENSOR_RGBA] = MEM_COLOR_STD_RAW,
	[NvSciColorStd_REQ2020PQ_ER] = MEM_COLOR_STD_NONE,
};

static const int8_t data_types[] = {
	[NvSciDataType_Int4] = -1,
	[NvSciDataType_Uint4] = -1,
	[NvSciDataType_Int8] = MEM_DATA_S8,
	[NvSciDataType_Uint8] = MEM_DATA_U8,
	[NvSciDataType_Int16] = MEM_DATA_S16,
	[NvSciDataType_Uint16] = MEM_DATA_U16,
	[NvSciDataType_Int32] = MEM_DATA_S32,
	[NvSciDataType_Uint32] = MEM_DATA_U32,
	[NvSciDataType_Float16] = MEM_DATA_F16,
	[NvSciDataType_Float32] = MEM_DATA_F32,
	[NvSciDataType_FloatISP] = -1,
	[NvSciDataType_Bool] = MEM_DATA_BOOL,
};

static int color_index_of(const int8_t *all, size_t nr, uint32_t what)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (all[i] >= 0 && (uint32_t)all[i] == what)
			return (int)i;
	return -1;
}

/**
 * nvsci_mem_std() - convert a colour standard to libmem's
 * @std: colour standard, any number
 *
 * Return: enum mem_color_std, MEM_COLOR_STD_NONE if libmem does not have the
 * standard; -1: there is no such standard.
 */
int nvsci_mem_std(uint32_t std)
{
	return std < sizeof(stds) ? stds[std] : -1;
}

/**
 * nvsci_std() - convert a colour standard of libmem to the vendor's
 * @mem: enum mem_color_std
 *
 * Return: NvSciBufAttrValColorStd; -1: there is none.
 */
int nvsci_std(uint32_t mem)
{
	return mem == MEM_COLOR_STD_NONE ? -1 :
	       color_index_of(stds, sizeof(stds), mem);
}

/**
 * nvsci_mem_data_type() - convert a data type to libmem's
 * @type: data type below NvSciDataType_UpperBound
 *
 * Return: enum mem_data_type; -1: there is none.
 */
int nvsci_mem_data_type(uint32_t type)
{
	return data_types[type];
}

/**
 * nvsci_data_type() - convert a data type of libmem to the vendor's
 * @mem: enum mem_data_type
 *
 * Return: NvSciBufAttrValDataType; -1: there is none.
 */
int nvsci_data_type(uint32_t mem)
{
	return color_index_of(data_types, sizeof(data_types), mem);
}
