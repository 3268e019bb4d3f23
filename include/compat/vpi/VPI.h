/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All headers of VPI's core. Algorithms have theirs in vpi/algo. */
#ifndef NV_VPI_VPI_H
#define NV_VPI_VPI_H

#include "Array.h"
#include "ArrayType.h"
#include "ColorSpec.h"
#include "Context.h"
#include "DataLayout.h"
#include "Event.h"
#include "Image.h"
#include "ImageFormat.h"
#include "Interpolation.h"
#include "PixelType.h"
#include "Pyramid.h"
#include "Status.h"
#include "Stream.h"
#include "Types.h"
#include "Version.h"

#endif
