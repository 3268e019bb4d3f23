// SPDX-License-Identifier: LGPL-2.1-or-later
/* What there is to be said without a context. */
#include "vpi.h"
#include "vpi/Pyramid.h"
#include "vpi/Version.h"

VPI_PUBLIC int vpiGetVersion(void)
{
	return NV_VPI_VERSION;
}

/* There are none. */
VPI_PUBLIC void vpiPyramidDestroy(VPIPyramid pyr)
{
	(void)pyr;
}
