/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which VPI the library has the calls of. */
#ifndef NV_VPI_VERSION_H
#define NV_VPI_VERSION_H

#include "Export.h"
#include "VersionDef.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vpiGetVersion() - version of the library
 *
 * Context: any thread.
 * Return: NV_VPI_VERSION of the headers that the library was built with.
 */
VPI_PUBLIC int vpiGetVersion(void);

#ifdef __cplusplus
}
#endif

#endif
