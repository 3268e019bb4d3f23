/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls from a kernel: heapsim has none; the name is here for programs. */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"

#endif
