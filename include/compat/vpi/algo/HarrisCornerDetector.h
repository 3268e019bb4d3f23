/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* As VPI 0.4 named algo/HarrisCorners.h. */
#ifndef NV_VPI_ALGO_HARRIS_CORNER_DETECTOR_H
#define NV_VPI_ALGO_HARRIS_CORNER_DETECTOR_H

#include "HarrisCorners.h"

#endif
