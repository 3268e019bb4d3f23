/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How pixels between pixels are computed. */
#ifndef NV_VPI_INTERPOLATION_H
#define NV_VPI_INTERPOLATION_H

#include <stdint.h>

typedef enum {
	VPI_INTERP_NULL = 0,
	VPI_INTERP_NEAREST = 1,
	VPI_INTERP_LINEAR = 2,
	VPI_INTERP_CATMULL_ROM = 3	/* heapsim lacks it */
} VPIInterpolationType;

#endif
