/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a call of VPI is declared. */
#ifndef NV_VPI_EXPORT_H
#define NV_VPI_EXPORT_H

#define VPI_PUBLIC __attribute__((visibility("default")))

#endif
