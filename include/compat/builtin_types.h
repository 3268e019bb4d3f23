/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All types of the CUDA runtime's interface */
#ifndef __BUILTIN_TYPES_H__
#define __BUILTIN_TYPES_H__

#include "device_types.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#endif
