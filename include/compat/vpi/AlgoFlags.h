/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flags of algorithms. */
#ifndef NV_VPI_ALGOFLAGS_H
#define NV_VPI_ALGOFLAGS_H

#include "Types.h"

#define VPI_WARP_INVERSE		(1u << 0)
#define VPI_PRECISE			(1u << 1)
#define VPI_DENORMALIZED_OUTPUT		(1u << 2)
#define VPI_ACCUMULATE_OUTPUT		(1u << 3)
#define VPI_ENABLE_CROSS_CHECK		(1u << 4)
#define VPI_SAMPLING_ALIGNED_TO_CORNER	(1u << 5)
#define VPI_RELATIVE_MAP		(1u << 6)
#define VPI_NORMALIZED_MAP		(1u << 7)

#endif
