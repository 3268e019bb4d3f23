/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces between the files of libmem-nvmedia. */
#ifndef _COMPAT_NVSCI_MEDIA_MEDIA_H
#define _COMPAT_NVSCI_MEDIA_MEDIA_H

#include "../key.h"
#include "nvmedia_image_nvscibuf.h"

/**
 * struct media_format - attributes of a surface type
 * @is: values, indexed by NvMediaSurfFormatAttrType
 */
struct media_format {
	uint32_t is[NVM_SURF_FMT_ATTR_MAX];
};

bool media_format_find(NvMediaSurfaceType type, struct media_format *format);
uint32_t media_format_color(const struct media_format *format);
uint32_t media_format_bpc(const struct media_format *format);

#endif
