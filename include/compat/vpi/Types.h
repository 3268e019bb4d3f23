/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types that several parts of VPI have. Those of algorithms that heapsim lacks
 * are here where arrays have such elements.
 */
#ifndef NV_VPI_TYPES_H
#define NV_VPI_TYPES_H

#include <stdint.h>

#include "ImageFormat.h"
#include "Interpolation.h"
#include "PixelType.h"
#include "Status.h"
#include "Version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t VPIByte;

/* Who does the work. No board of heapsim has an NVENC or OFA backend. */
typedef enum {
	VPI_BACKEND_CPU = 1 << 0,
	VPI_BACKEND_CUDA = 1 << 1,
	VPI_BACKEND_PVA = 1 << 2,
	VPI_BACKEND_VIC = 1 << 3,
	VPI_BACKEND_NVENC = 1 << 4,	/* up to VPI 3 */
	VPI_BACKEND_OFA = 1 << 5,
	VPI_BACKEND_INVALID = 1 << 15
} VPIBackend;

#define VPI_BACKEND_TEGRA	(VPI_BACKEND_VIC | VPI_BACKEND_OFA)
#define VPI_BACKEND_MASK	((VPI_BACKEND_INVALID << 1) - 1)
#define VPI_BACKEND_ALL \
	(VPI_BACKEND_CPU | VPI_BACKEND_CUDA | VPI_BACKEND_PVA | \
	 VPI_BACKEND_VIC | VPI_BACKEND_OFA)

/* Flags of objects, beside backends */
#define VPI_EXCLUSIVE_STREAM_ACCESS	(1ULL << 16)
#define VPI_RESTRICT_MEM_USAGE		(1ULL << 17)
#define VPI_REQUIRE_BACKENDS		(1ULL << 18)

typedef void (*VPIParallelTask)(int taskId, int threadId, void *vpiData);
typedef void (*VPIParallelForCallback)(VPIParallelTask task, int taskCount,
				       void *vpiData, void *userData);

typedef struct {
	int maxThreads;
	VPIParallelForCallback callback;
	void *userData;
} VPIParallelForConfig;

typedef void *VPINativeThreadHandle;

/* Handles */
typedef struct VPIArrayImpl *VPIArray;
typedef struct VPIContextImpl *VPIContext;
typedef struct VPIEventImpl *VPIEvent;
typedef struct VPIStreamImpl *VPIStream;
typedef struct VPIImageImpl *VPIImage;
typedef struct VPIPyramidImpl *VPIPyramid;
typedef struct VPIPayloadImpl *VPIPayload;

/* Pixels beyond an image */
typedef enum {
	VPI_BORDER_ZERO = 0,
	VPI_BORDER_CLAMP,
	VPI_BORDER_REFLECT,	/* heapsim lacks this one and the next two */
	VPI_BORDER_MIRROR,
	VPI_BORDER_LIMITED,
	VPI_BORDER_INVALID
} VPIBorderExtension;

typedef enum {
	VPI_CONVERSION_CLAMP = 0,
	VPI_CONVERSION_CAST,
	VPI_CONVERSION_INVALID = 255
} VPIConversionPolicy;

typedef struct {
	float x;
	float y;
	float octave;
	float layer;
} VPIPyramidalKeypointF32;

typedef struct {
	float x;
	float y;
} VPIKeypointF32;

typedef struct {
	uint32_t x;
	uint32_t y;
} VPIKeypointU32;

typedef enum {
	VPI_CORNER_SCORE_HARRIS = 0,
	VPI_CORNER_SCORE_FAST = 1
} VPICornerScore;

#define VPI_BRIEF_DESCRIPTOR_ARRAY_LENGTH 32
#define VPI_BRIEF_DESCRIPTOR_BIT_WIDTH (VPI_BRIEF_DESCRIPTOR_ARRAY_LENGTH * 8)

typedef struct {
	uint8_t data[VPI_BRIEF_DESCRIPTOR_ARRAY_LENGTH];
} VPIBriefDescriptor;

typedef struct {
	float mat3[3][3];
} VPIHomographyTransform2D;

typedef struct {
	VPIHomographyTransform2D xform;
	float width;
	float height;
} VPIBoundingBox;

typedef struct {
	float left;
	float top;
	float width;
	float height;
} VPIAxisAlignedBoundingBoxF32;

typedef enum {
	VPI_TRACKING_STATE_LOST = 0,
	VPI_TRACKING_STATE_NEW,
	VPI_TRACKING_STATE_TRACKED,
	VPI_TRACKING_STATE_SHADOW_TRACKED
} VPITrackingState;

typedef struct {
	VPIBoundingBox bbox;
	int8_t trackingStatus;
	int8_t templateStatus;
	uint8_t reserved1;
	uint8_t reserved2;
} VPIKLTTrackedBoundingBox;

typedef struct {
	VPIAxisAlignedBoundingBoxF32 bbox;
	VPITrackingState state;
	int32_t seqIndex;
	float filterLR;
	float filterChannelWeightsLR;
	void *userData;
} VPIDCFTrackedBoundingBox;

typedef struct {
	float mean[4];
	float covariance[4][4];
	int32_t pixelCount;
	float sum[4];
} VPIStats;

#define VPI_MAX_MATCHES_PER_DESCRIPTOR (3)

typedef struct {
	int refIndex[VPI_MAX_MATCHES_PER_DESCRIPTOR];
	float distance[VPI_MAX_MATCHES_PER_DESCRIPTOR];
} VPIMatches;

typedef struct VPIRectangleIRec {
	int32_t x;
	int32_t y;
	int32_t width;
	int32_t height;
} VPIRectangleI;

typedef enum {
	VPI_OPTICAL_FLOW_QUALITY_LOW,
	VPI_OPTICAL_FLOW_QUALITY_MEDIUM,
	VPI_OPTICAL_FLOW_QUALITY_HIGH
} VPIOpticalFlowQuality;

typedef enum {
	VPI_LOCK_READ = 1,
	VPI_LOCK_WRITE = 2,
	VPI_LOCK_READ_WRITE = 3
} VPILockMode;

#define VPI_TERMINATION_CRITERIA_ITERATIONS	(1u << 0)
#define VPI_TERMINATION_CRITERIA_EPSILON	(1u << 1)

typedef float VPICameraIntrinsic[2][3];
typedef float VPICameraExtrinsic[3][4];
typedef float VPIPerspectiveTransform[3][3];

typedef enum {
	VPI_EVENT_STATE_NOT_SIGNALED,
	VPI_EVENT_STATE_SIGNALED
} VPIEventState;

typedef enum {
	VPI_FLIP_HORIZ = 1U << 0,
	VPI_FLIP_VERT = 1U << 1,
	VPI_FLIP_BOTH = VPI_FLIP_HORIZ | VPI_FLIP_VERT
} VPIFlipMode;

typedef enum {
	VPI_NORM_L1,
	VPI_NORM_L2,
	VPI_NORM_HAMMING
} VPINormType;

typedef enum {
	VPI_GRADIENT_SOBEL,
	VPI_GRADIENT_BLUR_PREWITT
} VPIGradientMethod;

#define VPI_STAT_PIXEL_COUNT	(1U << 0)
#define VPI_STAT_SUM		(1U << 1)
#define VPI_STAT_MEAN	((1U << 2) | VPI_STAT_SUM | VPI_STAT_PIXEL_COUNT)
#define VPI_STAT_VARIANCE	((1U << 3) | VPI_STAT_MEAN)
#define VPI_STAT_COVARIANCE	((1U << 4) | VPI_STAT_VARIANCE)

typedef struct {
	uint16_t id;
	int16_t correctedBits;
	float decisionMargin;
	VPIHomographyTransform2D homography;
	VPIKeypointF32 center;
	VPIKeypointF32 corners[4];
} VPIAprilTagDetection;

typedef struct {
	float transform[3][4];
	float error;
} VPIPose;

#ifdef __cplusplus
}
#endif

#endif
