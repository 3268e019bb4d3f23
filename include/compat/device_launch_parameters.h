/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* threadIdx, blockIdx, blockDim, gridDim and warpSize are the runtime's. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "cuda_runtime.h"

#endif
