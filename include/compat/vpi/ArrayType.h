/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of arrays. */
#ifndef NV_VPI_ARRAY_TYPE_H
#define NV_VPI_ARRAY_TYPE_H

#include "Export.h"
#include "Version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each is VPI's type of that name, U32 a uint32_t and so on. */
typedef enum {
	VPI_ARRAY_TYPE_INVALID = 0,
	VPI_ARRAY_TYPE_S8,
	VPI_ARRAY_TYPE_U8,
	VPI_ARRAY_TYPE_S16,
	VPI_ARRAY_TYPE_U16,
	VPI_ARRAY_TYPE_U32,
	VPI_ARRAY_TYPE_KEYPOINT_F32,
	VPI_ARRAY_TYPE_HOMOGRAPHY_TRANSFORM_2D,
	VPI_ARRAY_TYPE_KLT_TRACKED_BOUNDING_BOX,
	VPI_ARRAY_TYPE_F32,
	VPI_ARRAY_TYPE_KEYPOINT_U32,
	VPI_ARRAY_TYPE_KEYPOINT_UQ1616,
	VPI_ARRAY_TYPE_STATISTICS,
	VPI_ARRAY_TYPE_BRIEF_DESCRIPTOR,
	VPI_ARRAY_TYPE_MATCHES,
	VPI_ARRAY_TYPE_DCF_TRACKED_BOUNDING_BOX,
	VPI_ARRAY_TYPE_PYRAMIDAL_KEYPOINT_F32,
	VPI_ARRAY_TYPE_APRILTAG_DETECTION,
	VPI_ARRAY_TYPE_POSE
} VPIArrayType;

/**
 * vpiArrayTypeGetName() - name of an array's elements
 * @type: VPIArrayType
 *
 * Context: any thread.
 * Return: "VPI_ARRAY_TYPE_KEYPOINT_F32" and so on; "VPI_ARRAY_TYPE_INVALID".
 */
VPI_PUBLIC const char *vpiArrayTypeGetName(VPIArrayType type);

/**
 * vpiArrayTypeGetSize() - size of an array's element
 * @type: VPIArrayType
 *
 * Context: any.
 * Return: bytes; 0: no such type.
 */
VPI_PUBLIC int vpiArrayTypeGetSize(VPIArrayType type);

#ifdef __cplusplus
}
#endif

#endif
