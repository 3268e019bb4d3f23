// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls that need no context. */
#include "vpi.h"
#include "vpi/Pyramid.h"
#include "vpi/Version.h"

VPI_PUBLIC int vpiGetVersion(void)
{
	return NV_VPI_VERSION;
}

/* Pyramids are not implemented, so there is nothing to destroy. */
VPI_PUBLIC void vpiPyramidDestroy(VPIPyramid pyr)
{
	(void)pyr;
}
